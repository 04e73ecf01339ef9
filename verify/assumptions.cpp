// `assumptions`: what the caller promises can hold, and what a file says of symbols that the launch computes is true in every block and group.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "layouts/grid.hpp"
#include "layouts/symbolic.hpp"
#include "verify/symbolic_internal.hpp"

namespace tileproof {
namespace {

Finding refuted_assumption(std::string text, const char* by, Values values = {}) {
    Counterexample found;
    found.text = std::move(text);
    found.symbols = std::move(values);
    return {"assumptions", Verdict::refuted, {by}, std::move(found)};
}

/// Whether what the caller promises can hold.
Finding judge_promises(Inquiry* inquiry, const Problem& problem, const std::vector<Values>& telling) {
    if (std::any_of(telling.begin(), telling.end(), [&](const Values& values) { return are_allowed(problem, values); }))
        return {"assumptions", Verdict::proved, {"exhaustive"}};
    if (!sample_values(problem, 1).empty()) return {"assumptions", Verdict::proved, {"exhaustive"}};
    const Finding unknown{"assumptions", Verdict::unknown, {}, {}, "no values of the symbols were found that respect all facts"};
    if (inquiry == nullptr) return unknown;
    return inquiry->about("assumptions", [&]() -> Finding {
        const smt::Outcome outcome = smt::satisfiable(inquiry->asking(), problem.symbols, problem.facts);
        if (outcome.answer == smt::Answer::sat && are_allowed(problem, outcome.values)) return {"assumptions", Verdict::proved, {"smt"}};
        if (outcome.answer != smt::Answer::unsat) return unknown;
        return refuted_assumption(
            "no values of the symbols respect their ranges, multiples and facts together, so everything would follow from them", "smt");
    });
}

Fact negated(Fact fact) {
    constexpr std::array opposite{Comparison::unequal, Comparison::equal,      Comparison::greater_equal,
                                  Comparison::greater, Comparison::less_equal, Comparison::less};
    fact.comparison = opposite[static_cast<std::size_t>(fact.comparison)];
    return fact;
}

/// The teams of the launch, by groups too if some copy is.
Teams everyone(const Problem& problem) {
    const auto each = std::find_if(problem.copies.begin(), problem.copies.end(), [](const Copy& copy) { return copy.each; });
    return each == problem.copies.end() ? blocks_of(problem.launch) : teams_of(problem.launch, *each);
}

/// What [symbols] says of a symbol that the launch computes.
std::optional<Finding> claimed_range_fault(const Problem& problem) {
    for (const Symbol& s : problem.symbols) {
        if (!s.index || !s.claimed) continue;
        const SymbolRange& claim = *s.claimed;
        const std::int64_t times = s.index->times;
        const auto is_wrong = [&](std::int64_t value) { return value < claim.min || value > claim.max || value % claim.multiple_of != 0; };
        for (const std::int64_t value : {s.max, s.min, std::min(times, s.max)}) {
            if (!is_wrong(value)) continue;
            Team team{};
            team[static_cast<std::size_t>(s.index->dim)] = value / times;
            return refuted_assumption(fmt::format("the launch makes {} = {} in {}, and [symbols] says {} to {}{}", s.name, value,
                                                  to_string(team, everyone(problem)), claim.min, claim.max,
                                                  claim.multiple_of == 1 ? "" : fmt::format(", a multiple of {}", claim.multiple_of)),
                                      "structure");
        }
    }
    return std::nullopt;
}

/// A fact about what blocks compute has to follow from the others, for every one: there is nobody to promise it.
Finding judge_launch_fact(Inquiry* inquiry, const Problem& promised, const Fact& fact) {
    const char* const one = everyone(promised).extent[group_dim] > 1 ? "block and group" : "block";
    const auto refuted_with = [&](const Values& values, const char* by) {
        return refuted_assumption(
            fmt::format("with {}: {} is false, and nothing else that is assumed makes it true for every {} of the launch",
                        to_string(values, promised.symbols), to_string(fact, promised.symbols), one),
            by, values);
    };
    for (const Values& values : sample_values(promised, 64))
        if (!holds(fact, values)) return refuted_with(values, "exhaustive");
    Finding unknown{"assumptions",
                    Verdict::unknown,
                    {},
                    {},
                    fmt::format("whether {} holds for every {} of the launch", to_string(fact, promised.symbols), one)};
    if (inquiry == nullptr) return unknown;
    Finding out = inquiry->about("assumptions", [&]() -> Finding {
        std::vector<Fact> facts = promised.facts;
        facts.push_back(negated(fact));
        const smt::Outcome outcome = smt::satisfiable(inquiry->asking(), promised.symbols, facts);
        if (outcome.answer == smt::Answer::unsat) return {"assumptions", Verdict::proved, {"smt"}};
        if (outcome.answer == smt::Answer::sat && are_allowed(promised, outcome.values) && !holds(fact, outcome.values))
            return refuted_with(outcome.values, "smt");
        return unknown;
    });
    return out;
}

}  // namespace

Finding judge_assumptions(Inquiry* inquiry, const Problem& problem, const std::vector<Values>& telling) {
    if (problem.symbols.empty() && problem.facts.empty()) return {"assumptions", Verdict::proved, {"structure"}};
    if (auto fault = claimed_range_fault(problem)) return *std::move(fault);
    Problem promised = problem;
    std::erase_if(promised.facts, [&](const Fact& fact) { return is_of_launch(fact, problem.symbols); });
    Finding out = judge_promises(inquiry, promised, telling);
    if (out.verdict == Verdict::refuted) return out;
    for (const Fact& fact : problem.facts) {
        if (!is_of_launch(fact, problem.symbols)) continue;
        Finding one = judge_launch_fact(inquiry, promised, fact);
        if (one.verdict == Verdict::refuted) return one;
        if (one.verdict == Verdict::unknown && out.verdict == Verdict::proved) out = std::move(one);
        if (one.verdict != Verdict::proved || out.verdict != Verdict::proved) continue;
        out.by = one.by;
        out.queries.insert(out.queries.end(), one.queries.begin(), one.queries.end());
    }
    return out;
}

}  // namespace tileproof
