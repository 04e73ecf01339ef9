// Enumeration judges whole accesses by their first lane, from tables of the layouts. What such a shortcut could hide is here.
#include <doctest/doctest.h>

#include <algorithm>

#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::make_buffer;

Problem tile() {
    return test::one_copy(make_buffer("A", Space::global, "f32", "(32,32):(32,1)"),
                          make_buffer("B", Space::shared, "f32", "(32,32):(32,1)"), 32);
}

/// Rows of 32 on another pitch: two dimensions.
Problem padded() {
    return test::one_copy(make_buffer("A", Space::global, "f32", "(32,32):(32,1)"),
                          make_buffer("B", Space::shared, "f32", "(32,32):(36,1)"), 32);
}

/// Panels of 8 elements on a pitch of 16, read and written from `start` on.
Problem panels(std::int64_t start) {
    Problem p = test::one_copy(make_buffer("A", Space::global, "f16", "(64):(1)"),
                               make_buffer("B", Space::shared, "f16", "S[(8,8):(16,1)]", 256, {64}), 32);
    for (Operand* side : {&p.copies[0].src, &p.copies[0].dst}) side->region = {{start}, {32}};
    return p;
}

Segment& segment(Plan& plan) { return plan.copies[0].segments[0]; }

SidePlan& side_of(Segment& s, Side side) { return side == Side::src ? s.src : s.dst; }

Expression& stride(Plan& plan, Side side, Role role) {
    Segment& s = segment(plan);
    const auto digit = std::find_if(s.digits.begin(), s.digits.end(), [&](const Digit& d) { return d.role == role; });
    return side_of(s, side).address.strides[static_cast<std::size_t>(digit - s.digits.begin())];
}

/// Leaves the first round only.
void take_one_round(Segment& s) {
    for (std::size_t i = s.digits.size(); i-- > 0;) {
        if (s.digits[i].role != Role::outer) continue;
        s.digits.erase(s.digits.begin() + static_cast<std::ptrdiff_t>(i));
        for (const Side side : both_sides) {
            std::vector<Expression>& strides = side_of(s, side).address.strides;
            strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    s.outer = 1;
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

TEST_CASE("lanes that leave the box above are seen, though their access begins inside") {
    const Problem problem = padded();
    Plan plan = solve(problem).plan();
    take_one_round(segment(plan));
    segment(plan).start[1] += 2;
    for (const Side side : both_sides) side_of(segment(plan), side).address.offset += 2;
    CHECK(verdict(problem, plan, "predicate") == Verdict::refuted);
}

TEST_CASE("accesses that leave the box below are seen, though the row before ends there") {
    const Problem problem = padded();
    Plan plan = solve(problem).plan();
    Segment& s = segment(plan);
    take_one_round(s);
    const auto columns =
        std::find_if(s.digits.begin(), s.digits.end(), [](const Digit& d) { return d.role == Role::thread && d.dim == 1; });
    REQUIRE(columns->weight == 4);
    REQUIRE(columns->extent == 8);
    columns->weight = -4;  // from column 24 down to -4
    s.start = {1, 24};
    for (const Side side : both_sides) {
        AddressPlan& address = side_of(s, side).address;
        address.strides[static_cast<std::size_t>(columns - s.digits.begin())] = -4;
        address.offset += side == Side::src ? 32 + 24 : 36 + 24;
    }
    CHECK(verdict(problem, plan, "predicate") == Verdict::refuted);
    CHECK(verdict(problem, plan, "aligned.src") == Verdict::proved);
}

TEST_CASE("runs that do not lie alike are judged lane by lane") {
    // Rows of 3 on a pitch of 10, read as runs of 4: each begins where the plan says, and goes on elsewhere.
    Problem problem =
        test::one_copy(make_buffer("A", Space::global, "u8", "(3,4):(1,10)"), make_buffer("B", Space::shared, "u8", "(12):(1)"), 32);
    problem.buffers[0].layout.shape = {12};
    problem.buffers[0].layout.iters = {{4, 10}, {3, 1}};
    problem.copies[0].src.region = {{0}, {12}};
    Plan plan = solve(problem).plan();
    plan.copies[0].box.dims = {{{0, 1, 12}}};
    Segment s = segment(plan);
    s.flat = false;
    s.start = {0};
    s.outer = 1;
    s.threads = 32;
    s.vec = 4;
    s.digits = {{0, 4, 32, Role::thread, 0}, {0, 1, 4, Role::vec, 0}};
    s.predicate = {{0, 12}};
    for (const Side side : both_sides) {
        side_of(s, side).width = Bits{32};
        side_of(s, side).address = {};
        side_of(s, side).address.strides = {side == Side::src ? 11 : 4, 1};
    }
    plan.copies[0].segments = {s};
    CHECK(verdict(problem, plan, "address.src") == Verdict::refuted);
    CHECK(verdict(problem, plan, "address.dst") == Verdict::proved);
    CHECK(verdict(problem, plan, "covers") == Verdict::proved);
}

TEST_CASE("dimensions and iters may cut each other") {
    struct Case {
        const char* iters;
        std::vector<std::int64_t> shape;
    };
    // Whole iters over two dimensions; dimensions that cut an iter where it does not divide.
    for (const Case& one : {Case{"S[(64):(2)]", {8, 8}}, Case{"S[(3,4):(8,1)]", {2, 6}}, Case{"S[(4,6):(10,1)]", {3, 8}}}) {
        CAPTURE(one.iters);
        const std::string dense =
            "(" + std::to_string(one.shape[0]) + "," + std::to_string(one.shape[1]) + "):(" + std::to_string(one.shape[1]) + ",1)";
        for (const bool backwards : {false, true}) {
            Buffer bent = make_buffer("A", Space::global, "u8", one.iters, 256, one.shape),
                   straight = make_buffer("B", Space::shared, "u8", dense);
            if (backwards) std::swap(bent.space, straight.space);
            const Problem problem = backwards ? test::one_copy(straight, bent, 32) : test::one_copy(bent, straight, 32);
            const Plan plan = solve(problem).plan();
            for (const char* obligation : {"address.src", "address.dst", "same-element", "covers"})
                CHECK(verdict(problem, plan, obligation) == Verdict::proved);
        }
    }
}

TEST_CASE("a box may split a dimension where its layout bends") {
    const Problem problem = panels(3);
    Plan plan = solve(problem).plan();
    REQUIRE(segment(plan).flat);
    plan.copies[0].box.dims = {{{0, 2, 16}}, {{0, 1, 2}}};  // the same places in the same order
    for (const char* obligation : {"address.src", "address.dst", "same-element", "covers"})
        CHECK(verdict(problem, plan, obligation) == Verdict::proved);
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

TEST_CASE("a swizzle of a flat segment that exchanges lanes is seen by both checkers") {
    const Problem problem = panels(6);
    Plan plan = solve(problem).plan();
    REQUIRE(segment(plan).flat);
    REQUIRE(segment(plan).vec == 2);
    segment(plan).src.address.swizzle = {1, 0, 2};
    CHECK(verdict(problem, plan, "contiguous.dst") == Verdict::refuted);
    VerifyOptions smt;
    smt.exhaustive = false;
    const Report report = verify(problem, plan, smt);
    for (const Finding& f : report.copies[0].findings)
        if (f.obligation == "contiguous.dst") CHECK(f.verdict != Verdict::proved);
}

}  // namespace tileproof
