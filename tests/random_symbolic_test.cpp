// Random problems with some strides and offsets replaced by symbols: the width is the widest that all values share, every refusal has
// values that show it, and what is proved holds at every value that is tried.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "cli/fallback.hpp"
#include "layouts/box.hpp"
#include "layouts/filling.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/describe.hpp"
#include "tests/oracle.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_problem.hpp"
#include "tests/simulate.hpp"
#include "verify/used.hpp"

namespace tileproof {
namespace {

random::Draw rapidcheck_draw() {
    return [](std::int64_t least, std::int64_t most) { return *rc::gen::inRange<std::int64_t>(least, most + 1); };
}

/// A symbol in place of `number`, which stays one of its values.
Expression symbol_for(Problem& problem, const random::Draw& draw, std::int64_t number) {
    std::int64_t multiple = 1;
    while (multiple < 32 && number % (multiple * 2) == 0 && draw(0, 3) != 0) multiple *= 2;
    const std::int64_t steps = draw(1, 12);
    const auto index = static_cast<int>(problem.symbols.size());
    problem.symbols.push_back({"s" + std::to_string(index), number, number + steps * multiple, multiple, {}});
    return Expression::symbol(index);
}

/// Strides above 1, outermost most often, and offsets.
void add_symbols(Problem& problem, const random::Draw& draw) {
    for (Buffer& buffer : problem.buffers) {
        std::int64_t largest = 0;
        for (const Iter& it : buffer.layout.iters) largest = std::max<std::int64_t>(largest, it.stride);
        for (Iter& it : buffer.layout.iters) {
            const std::int64_t stride = it.stride;
            if (it.extent > 1 && stride > 1 && draw(0, stride == largest ? 1 : 5) == 0) it.stride = symbol_for(problem, draw, stride);
        }
        if (draw(0, 3) == 0) buffer.layout.offset = buffer.layout.offset + symbol_for(problem, draw, 8 * draw(0, 4));
        if (!buffer.layout.is_symbolic()) continue;
        buffer.symbolic_capacity = symbolic_span(buffer.layout, problem.symbols);
        if (!buffer.symbolic_capacity) continue;
        // Shared memory has a size: the largest that is needed.
        if (buffer.space == Space::global) continue;
        buffer.capacity = Elements{static_cast<std::int64_t>(interval(*buffer.symbolic_capacity, problem.symbols).greatest)};
        buffer.symbolic_capacity.reset();
    }
    if (!problem.symbols.empty() && draw(0, 2) == 0) {
        const Expression first = Expression::symbol(0);
        problem.facts.push_back(
            {{first, Expression(8)}, Comparison::equal, {Expression((problem.symbols[0].min % 8 + 8) % 8), {}}, "", {}});
    }
}

/// The first so many of one dimension, on both sides.
void add_symbolic_extent(Problem& problem, const random::Draw& draw) {
    Copy& copy = problem.copies[0];
    const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
    if (from.dims.empty() || from.extents != to.extents) return;
    const auto i = static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(from.dims.size()) - 1));
    const std::int64_t greatest = from.extents[i];
    std::int64_t multiple = 1;
    while (greatest % (multiple * 2) == 0 && draw(0, 2) != 0) multiple *= 2;
    const auto index = static_cast<int>(problem.symbols.size());
    problem.symbols.push_back({"s" + std::to_string(index), multiple * draw(0, greatest / multiple), greatest, multiple, {}});
    copy.src.region.symbolic_extent.emplace(from.dims[i], Expression::symbol(index));
    copy.dst.region.symbolic_extent.emplace(to.dims[i], Expression::symbol(index));
}

/// One or none of a dimension of extent 1, on both sides.
void add_symbolic_one(Problem& problem, const random::Draw& draw) {
    Copy& copy = problem.copies[0];
    for (std::size_t dim = 0; dim < std::min(copy.src.region.extent.size(), copy.dst.region.extent.size()); ++dim) {
        if (copy.src.region.extent[dim] != 1 || copy.dst.region.extent[dim] != 1) continue;
        const auto index = static_cast<int>(problem.symbols.size());
        problem.symbols.push_back({"s" + std::to_string(index), draw(0, 1), 1, 1, {}});
        copy.src.region.symbolic_extent.emplace(dim, Expression::symbol(index));
        copy.dst.region.symbolic_extent.emplace(dim, Expression::symbol(index));
        return;
    }
}

/// A bound of one dimension that may lie before, inside and behind the region; and perhaps zeros where it cuts something off.
void add_predicate(Problem& problem, const random::Draw& draw) {
    Copy& copy = problem.copies[0];
    const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
    if (from.dims.empty() || from.extents != to.extents) return;
    const auto last = static_cast<std::int64_t>(from.dims.size()) - 1;
    const auto i = static_cast<std::size_t>(draw(0, 1) == 0 ? last : draw(0, last));  // runs often lie along the last
    const bool is_straight = straight_stride(problem.buffers[static_cast<std::size_t>(copy.src.buffer)].layout, from.dims[i]) &&
                             straight_stride(problem.buffers[static_cast<std::size_t>(copy.dst.buffer)].layout, to.dims[i]);
    if (!is_straight || copy.src.region.symbolic_extent.count(from.dims[i]) != 0) return;
    const std::int64_t extent = from.extents[i];
    std::int64_t multiple = 1;
    while (multiple < 16 && draw(0, 2) != 0) multiple *= 2;
    const auto index = static_cast<int>(problem.symbols.size());
    problem.symbols.push_back(
        {"s" + std::to_string(index), multiple * draw(-2, extent / multiple), multiple * (extent / multiple + draw(1, 4)), multiple, {}});
    copy.zero_fill = copy.src.buffer != copy.dst.buffer && draw(0, 1) == 0;
    copy.src.region.symbolic_extent.emplace(from.dims[i], Expression::symbol(index));
    copy.src.region.clipped.insert(from.dims[i]);
    if (draw(0, 2) == 0) {  // one more of the same
        problem.symbols.push_back({"s" + std::to_string(index + 1),
                                   multiple * draw(-2, extent / multiple),
                                   multiple * (extent / multiple + draw(1, 4)),
                                   multiple,
                                   {}});
        copy.src.region.further[from.dims[i]] = {Expression::symbol(index + 1)};
    }
    const bool is_async =
        problem.buffer(copy.src).space == Space::global && problem.buffer(copy.dst).space == Space::shared && draw(0, 1) == 0;
    if (is_async) copy.completion = Completion::kernel;
    if (copy.zero_fill) return;
    copy.dst.region.symbolic_extent.emplace(to.dims[i], Expression::symbol(index));
    copy.dst.region.clipped.insert(to.dims[i]);
    if (!copy.src.region.further.empty()) copy.dst.region.further[to.dims[i]] = copy.src.region.further.begin()->second;
}

std::string list_findings(const Report& report) {
    std::string out;
    for (const Finding& f : report.copies[0].findings)
        if (f.verdict != Verdict::proved)
            out += f.obligation + " " + to_string(f.verdict) + " " + (f.counterexample ? f.counterexample->text : f.reason) + "\n";
    return out;
}

}  // namespace

TEST_CASE("random symbols") {
    CHECK(rc::check("the symbolic answer holds at every value, and none is wider for all of them", [] {
        const random::Draw draw = rapidcheck_draw();
        const std::int64_t kind = draw(0, 7);
        const bool has_rows = kind > 5;  // whose ends symbols decide: for tails, heads and what fills behind them
        Problem problem = has_rows ? random::rows(draw) : random::problem(draw);
        if (rejection(problem, problem.copies[0])) RC_DISCARD("rejected before planning");
        if (kind < 2 || kind == 6) add_predicate(problem, draw);
        else if (kind < 5 || kind == 7) add_symbolic_extent(problem, draw);
        if (kind == 4) add_predicate(problem, draw);
        if (kind == 5 && draw(0, 1) == 0) add_symbolic_one(problem, draw);
        if (!has_rows) add_symbols(problem, draw);
        if (!is_symbolic(problem, problem.copies[0])) RC_DISCARD("no symbols");
        for (const Buffer& buffer : problem.buffers)
            if (buffer.layout.is_symbolic() && buffer.space == Space::global && !buffer.symbolic_capacity)
                RC_DISCARD("a sign that a symbol decides");
        if (check_problem(problem)) RC_DISCARD("out of range");
        for (const std::string& line : test::describe(problem)) RC_LOG() << line << "\n";
        const std::vector<Values> samples = sample_values(problem, 12);
        RC_ASSERT(!samples.empty());
        const Solution solution = solve(problem);
        const CopySolution& copy = solution.copies[0];
        RC_CLASSIFY(copy.rejection.has_value(), copy.rejection ? copy.rejection->rule : "");
        RC_CLASSIFY(!copy.undecided.empty(), "undecided");
        RC_CLASSIFY(!problem.copies[0].src.region.clipped.empty(), problem.copies[0].zero_fill ? "filled" : "clipped");
        RC_CLASSIFY(copy.plan && splits_lanes(*copy.plan), "lanes split");
        RC_CLASSIFY(copy.plan && has_tails(*copy.plan), "tails");
        RC_CLASSIFY(copy.plan && has_tails(*copy.plan) && copy.plan->segments.front().start.back() != 0, "heads");
        RC_CLASSIFY(copy.plan && leaves_out(*copy.plan), "tails, filled");
        for (const Refusal& refusal : copy.refused) {
            if (!refusal.witness || refusal.witness->symbols.empty()) continue;
            RC_ASSERT(all_hold(problem.facts, refusal.witness->symbols));
            if (problem.copies[0].zero_fill) continue;  // what the width is of is not one copy
            const Problem one = at(problem, refusal.witness->symbols);
            RC_ASSERT(oracle::widest(one, one.copies[0]).width_bits < refusal.width.count);
        }
        if (!copy.plan) return;
        const Plan plan = solution.plan();
        const auto malformed = check_plan(problem, plan);
        if (malformed) RC_LOG() << malformed->text << "\n";
        RC_ASSERT(!malformed.has_value());
        const Report report = verify(problem, plan);
        RC_LOG() << list_findings(report);
        RC_TAG(report.copies[0].verdict() == Verdict::proved ? "proved" : "not proved");
        for (const Finding& finding : report.copies[0].findings) {
            // The planner looks for shared places at samples only.
            if (finding.verdict != Verdict::proved) RC_ASSERT(finding.obligation == "disjoint");
        }
        for (const Values& values : samples) {
            const Problem one = at(problem, values);
            if (moved(one.copies[0]) < Elements{1}) continue;
            const Problem whole = one.copies[0].zero_fill ? moved_part(one, one.copies[0]) : one;
            const bool is_empty = moved(whole.copies[0]) < Elements{1};
            const oracle::Answer want = is_empty ? oracle::Answer{false, 256, {}} : oracle::widest(whole, whole.copies[0]);
            const std::string fault = simulate::fault(one, one.copies[0], *at(plan.copies[0], problem, problem.copies[0], values));
            if (report.copies[0].verdict() != Verdict::proved) continue;
            RC_ASSERT(!want.overlaps);
            if (!splits_lanes(plan.copies[0])) RC_ASSERT(want.width_bits >= copy.width.count);
            RC_ASSERT(fault == "");
        }
        const Certified certified = verify_and_certify(problem, plan);
        if (!certified.plan) return;
        // What the proof uses is enough: at values that the file excludes, too.
        const Problem weaker = with_needed_assumptions(*certified.plan);
        const std::vector<Finding>& findings = certified.report.copies[0].findings;
        const bool by_values =
            std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.by == std::vector<std::string>{"exhaustive"}; });
        RC_CLASSIFY(by_values, "few values");
        VerifyOptions smt;
        smt.exhaustive = by_values;
        RC_ASSERT(verify(weaker, plan, smt).verdict() == Verdict::proved);
        for (const Values& values : samples) RC_ASSERT(are_allowed(weaker, values));
        for (const Values& values : sample_values(weaker, 12)) {
            const Problem one = at(weaker, values);
            if (moved(one.copies[0]) < Elements{1}) continue;
            RC_ASSERT(simulate::fault(one, one.copies[0], *at(plan.copies[0], weaker, weaker.copies[0], values)) == "");
        }
        const Problem last = cli::fallback(problem, 50'000'000);
        RC_ASSERT(verify(last, solve(last).plan()).verdict() == Verdict::proved);
        for (const Values& values : samples) RC_ASSERT(are_allowed(last, values));
        if (problem.buffers[0].space != Space::shared) {
            test::Bench bench(problem, plan, samples.back());
            RC_ASSERT(bench.difference() == "");
        }
    }));
}

}  // namespace tileproof
