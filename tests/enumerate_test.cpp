// Enumeration judges whole accesses by their first lane, from tables of the layouts. What such a shortcut could hide is here.
#include <doctest/doctest.h>

#include <algorithm>

#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::make_buffer;

Problem tile() { return test::one_copy(make_buffer("A", Space::global, "f32", "(32,32):(32,1)"), make_buffer("B", Space::shared, "f32", "(32,32):(32,1)"), 32); }

/// Panels of 8 elements on a pitch of 16, read and written from `start` on.
Problem panels(std::int64_t start) {
    Problem p = test::one_copy(make_buffer("A", Space::global, "f16", "(64):(1)"), make_buffer("B", Space::shared, "f16", "S[(8,8):(16,1)]", 256, {64}), 32);
    for (Operand* side : {&p.copies[0].src, &p.copies[0].dst}) side->region = {{start}, {32}};
    return p;
}

Segment& segment(Plan& plan) { return plan.copies[0].segments[0]; }

Expression& stride(Plan& plan, Side side, Role role) {
    Segment& s = segment(plan);
    const auto digit = std::find_if(s.digits.begin(), s.digits.end(), [&](const Digit& d) { return d.role == role; });
    return (side == Side::src ? s.src : s.dst).address.strides[static_cast<std::size_t>(digit - s.digits.begin())];
}

/// What enumeration says of an obligation. SMT must not contradict.
Verdict verdict(const Problem& problem, const Plan& plan, const std::string& obligation) {
    REQUIRE(!check_plan(problem, plan).has_value());
    CHECK(verify(problem, plan).conflicts.empty());
    VerifyOptions exhaustive;
    exhaustive.smt = false;
    const std::vector<Finding> findings = verify(problem, plan, exhaustive).copies[0].findings;
    return std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.obligation == obligation; })->verdict;
}

}  // namespace

TEST_CASE("a layout with gaps meets the plan in the first lanes only") {
    Problem problem = tile();
    Plan plan = solve(problem).plan();
    for (Iter& iter : problem.buffers[0].layout.iters) iter.stride *= 2;
    problem.buffers[0].capacity.count *= 2;
    for (const Role role : {Role::outer, Role::thread}) stride(plan, Side::src, role) *= 2;
    CHECK(verdict(problem, plan, "address.src") == Verdict::refuted);
    CHECK(verdict(problem, plan, "contiguous.src") == Verdict::proved);
}

TEST_CASE("lanes on one element, on one side") {
    const Problem problem = tile();
    for (const Side side : both_sides) {
        Plan plan = solve(problem).plan();
        stride(plan, side, Role::vec) = 0;
        CHECK(verdict(problem, plan, "address." + to_string(side)) == Verdict::refuted);
        CHECK(verdict(problem, plan, "contiguous." + to_string(side)) == Verdict::refuted);
    }
}

TEST_CASE("a box may split a dimension where its layout bends") {
    const Problem problem = panels(3);
    Plan plan = solve(problem).plan();
    REQUIRE(segment(plan).flat);
    plan.copies[0].box.dims = {{{0, 2, 16}}, {{0, 1, 2}}};  // the same places in the same order
    for (const char* obligation : {"address.src", "address.dst", "same-element", "covers"}) CHECK(verdict(problem, plan, obligation) == Verdict::proved);
}

TEST_CASE("lanes across a bend have the addresses that the layout gives them") {
    const Problem problem = panels(6);
    Plan plan = solve(problem).plan();
    REQUIRE(segment(plan).flat);
    segment(plan).outer = 1;
    segment(plan).vec = 4;  // more than an access of these widths has
    segment(plan).digits = {{0, 1, 4, Role::vec, 0}, {0, 4, 32, Role::thread, 0}};
    segment(plan).predicate = {{0, 32}};
    CHECK(verdict(problem, plan, "contiguous.dst") == Verdict::refuted);
    for (const char* obligation : {"address.src", "address.dst", "covers"}) CHECK(verdict(problem, plan, obligation) == Verdict::proved);
}

}  // namespace tileproof
