#include "solver/smt.hpp"

#include <algorithm>
#include <limits>

namespace tileproof {

struct SolverContext::Z3 {
    z3::context context;
};

SolverContext::SolverContext() = default;
SolverContext::~SolverContext() = default;

}  // namespace tileproof

namespace tileproof::smt {
namespace {

// Most queries on bit-vectors take the plain solver a few thousand units, and half of the time that only setting up the one for
// QF_BV takes; what needs more is left to that one.
constexpr std::uint64_t quick_rlimit = 100'000;

std::int64_t value_of(const z3::expr& term) {
    if (term.is_int()) return term.get_numeral_int64();
    const unsigned bits = term.get_sort().bv_size();
    const std::uint64_t raw = term.get_numeral_uint64();
    const bool negative = bits < 64 && ((raw >> (bits - 1)) & 1U) != 0;
    return static_cast<std::int64_t>(negative ? raw | (~std::uint64_t{0} << bits) : raw);
}

}  // namespace

z3::context& Session::context() {
    if (!shared_.z3_) shared_.z3_ = std::make_unique<SolverContext::Z3>();
    return shared_.z3_->context;
}

Outcome Session::check(Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted, std::uint64_t rlimit) {
    ++queries_;
    const auto by = [&](z3::solver solver, std::uint64_t limit) {
        if (limit != 0) {
            z3::params params(context());
            params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(limit, std::numeric_limits<unsigned>::max())));
            solver.set(params);
        }
        for (const z3::expr& term : conjunction) solver.add(term);
        switch (solver.check()) {
            case z3::unsat:
                return Outcome{Answer::unsat};
            case z3::unknown:
                return Outcome{Answer::unknown, solver.reason_unknown()};
            case z3::sat:
                break;
        }
        Outcome outcome{Answer::sat};
        const z3::model model = solver.get_model();
        for (const z3::expr& term : wanted) outcome.values.push_back(value_of(model.eval(term, true)));
        return outcome;
    };
    return guarded([&] {
        // Setting a solver up takes several times as long as most terms that are plainly false.
        for (const z3::expr& term : conjunction)
            if (term.simplify().is_false()) return Outcome{Answer::unsat};
        const auto plain = [this] { return z3::solver(context(), z3::solver::simple()); };
        if (theory == Theory::linear) return by(plain(), rlimit);
        const Outcome quick = by(plain(), rlimit == 0 ? quick_rlimit : std::min(rlimit, quick_rlimit));
        return quick.answer == Answer::unknown ? by(z3::solver(context(), "QF_BV"), rlimit) : quick;
    });
}

std::string Session::script(Theory theory, const std::vector<z3::expr>& conjunction) {
    // How Z3 prints a term depends on what else its context holds: in a context of its own, a formula is always the same text.
    z3::context alone;
    std::vector<z3::expr> terms;
    for (const z3::expr& term : conjunction) terms.emplace_back(alone, Z3_translate(context(), term, alone));
    if (terms.empty()) terms.push_back(alone.bool_val(true));
    std::vector<Z3_ast> others;  // Z3 prints the last formula apart from the others
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) others.push_back(terms[i]);
    std::string text =
        Z3_benchmark_to_smtlib_string(alone, "", "", "unknown", "", static_cast<unsigned>(others.size()), others.data(), terms.back());
    alone.check_error();
    // Its first lines say nothing, and a logic comes before everything else.
    for (const std::string& line : {std::string("; \n"), std::string("(set-info :status unknown)\n")})
        if (text.compare(0, line.size(), line) == 0) text.erase(0, line.size());
    text = (theory == Theory::linear ? "(set-logic QF_LIA)\n" : "(set-logic QF_BV)\n") + text;

    const z3::expr_vector read = alone.parse_string(text.c_str());  // without those that are plainly true
    int next = 0;
    bool same = true;
    for (const z3::expr& term : terms)
        if (same && !term.is_true()) same = next < static_cast<int>(read.size()) && z3::eq(term.simplify(), read[next++].simplify());
    if (!same || next != static_cast<int>(read.size())) throw z3::exception("the text of a query is not the query");
    return text;
}

std::string z3_version() {
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace tileproof::smt
