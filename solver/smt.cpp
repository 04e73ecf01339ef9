#include "solver/smt.hpp"

#include <algorithm>
#include <limits>

namespace tileproof::smt {
namespace {

std::int64_t value_of(const z3::expr& term) {
    if (term.is_int()) return term.get_numeral_int64();
    const unsigned bits = term.get_sort().bv_size();
    const std::uint64_t raw = term.get_numeral_uint64();
    const bool negative = bits < 64 && ((raw >> (bits - 1)) & 1U) != 0;
    return static_cast<std::int64_t>(negative ? raw | (~std::uint64_t{0} << bits) : raw);
}

}  // namespace

Outcome Session::check(Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted, std::uint64_t rlimit) {
    ++queries_;
    return guarded([&]() -> Outcome {
        z3::solver solver = theory == Theory::linear ? z3::solver(context_, z3::solver::simple()) : z3::solver(context_, "QF_BV");
        if (rlimit != 0) {
            z3::params params(context_);
            params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit, std::numeric_limits<unsigned>::max())));
            solver.set(params);
        }
        for (const z3::expr& term : conjunction) solver.add(term);
        switch (solver.check()) {
            case z3::unsat: return {Answer::unsat};
            case z3::unknown: return {Answer::unknown, solver.reason_unknown()};
            case z3::sat: break;
        }
        Outcome outcome{Answer::sat};
        const z3::model model = solver.get_model();
        for (const z3::expr& term : wanted) outcome.values.push_back(value_of(model.eval(term, true)));
        return outcome;
    });
}

std::string z3_version() {
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace tileproof::smt
