// Plans with tails, at values of their symbols: what they move by the words of docs/reports.md, and what their code does.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

/// The plan with these values, by the words of docs/reports.md and not by layouts/symbolic.hpp.
inline CopyPlan with_values(CopyPlan plan, const Values& values) {
    const std::vector<std::int64_t> shape = plan.box.shape();
    for (Segment& s : plan.segments) {
        for (Bound& bound : s.predicate) bound.below = bound.below.at(values);
        for (SidePlan* side : {&s.src, &s.dst}) {
            side->address.offset = side->address.offset.at(values);
            for (Expression& stride : side->address.strides) stride = stride.at(values);
            side->address.tail_stride = side->address.tail_stride.at(values);
        }
        if (!s.tail) continue;
        const auto dim = static_cast<std::size_t>(s.tail->dim);
        std::int64_t begin = 0;
        while (s.start[dim] + begin + s.tail->multiple <= std::min<std::int64_t>(s.tail->end.at(values), shape[dim]))
            begin += s.tail->multiple;
        s.start[dim] += begin;
        for (SidePlan* side : {&s.src, &s.dst}) {
            side->address.offset = side->address.offset.plus(side->address.tail_stride.times(begin));
            side->address.tail_stride = 0;
        }
        s.tail.reset();
    }
    return plan;
}

/// What is wrong with a plan at these values: what it moves is compared with the definition.
inline std::string fault_at(const Problem& problem, const CopyPlan& plan, const Values& values) {
    const Problem there = at(problem, values);
    return simulate::fault(there, there.copies[0], with_values(plan, values));
}

inline std::string difference(const Problem& problem, const Plan& plan, const Values& values) {
    return Bench(problem, plan, values).difference();
}

inline Plan planned(const Problem& problem, bool single = false) {
    SolveOptions options;
    options.single = single;
    const Solution solution = solve(problem, options);
    REQUIRE(solution.complete());
    return solution.plan();
}

inline std::int64_t rounds(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments) out += s.outer;
    return out;
}

/// Widths and rounds of the segments, in order.
inline std::vector<std::int64_t> widths(const CopyPlan& plan) {
    std::vector<std::int64_t> out;
    for (const Segment& s : plan.segments) out.push_back(s.src.width.count);
    return out;
}
inline std::vector<std::int64_t> rounds_of_each(const CopyPlan& plan) {
    std::vector<std::int64_t> out;
    for (const Segment& s : plan.segments) out.push_back(s.outer);
    return out;
}

/// A plan with tails, one change, and the obligation that no longer holds.
struct Miss {
    std::string obligation, what;
    Tile tile;
    std::function<void(Problem&, CopyPlan&)> damage;
    Verdict verdict = Verdict::refuted;
};

/// It is refuted, proved by no checker alone, and wrong at some values, where those who look at whole accesses can see it.
inline void check_miss(const Miss& one) {
    CAPTURE(one.what);
    Problem problem = problem_of(one.tile);
    Plan plan = planned(problem);
    REQUIRE(verify(problem, plan).verdict() == Verdict::proved);
    one.damage(problem, plan.copies[0]);
    const auto malformed = check_plan(problem, plan);
    REQUIRE_MESSAGE(!malformed, malformed->text);
    const Report report = verify(problem, plan);
    INFO(open_findings(report));
    CHECK(report.conflicts.empty());
    CHECK(finding(report, one.obligation).verdict == one.verdict);
    CHECK(verify(problem, plan, {.smt = false, .exhaustive = true}).verdict() != Verdict::proved);
    const Report by_smt = verify(problem, plan, {.smt = true, .exhaustive = false});
    CHECK(by_smt.verdict() != Verdict::proved);
    const bool fills = problem.copies[0].zero_fill;  // of which an obligation may be judged by parts
    CHECK((fills || finding(by_smt, one.obligation).verdict != Verdict::proved));
    const bool is_seen = one.obligation != "contiguous.src" && one.obligation != "overflow";
    const std::vector<Values> all = sample_values(problem, 80);
    CHECK(((!is_seen && !fills) ||
           std::any_of(all.begin(), all.end(), [&](const Values& values) { return fault_at(problem, plan.copies[0], values) != ""; })));
}

}  // namespace tileproof::test
