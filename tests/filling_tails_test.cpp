// Zeros behind an end that symbols decide, by loads and stores: wide accesses on both sides of it, and narrower ones where it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/broken_plan.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/corpus.hpp"
#include "tests/planned_copy.hpp"
#include "tests/random_problem.hpp"
#include "tests/tail_plans.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using namespace test;

const std::string fills = "zero_fill = true\n";

/// n columns of 64, and zeros behind them.
Tile filled(const std::string& n = "min = -9, max = 90", const std::string& dtype = "f16", const std::string& more = "") {
    return {"n = { " + n + " }", "", "\"(32,128):(128,1)\"", "\"(32,64):(64,1)\"", "A[:, 0:64]", "As", "d1 < n", "", dtype, fills + more};
}
/// The last columns of rows of k, from k0 on.
Tile last_columns(const std::string& dtype = "f16", const std::string& k = "min = 0, max = 4096") {
    return {"ld = { min = 64, max = 4096, multiple_of = 32 }\nk = { " + k + " }\nk0 = { min = 0, max = 4096, multiple_of = 64 }",
            "\"k <= ld\"",
            "\"(32,4096):(ld,1)\"\ncapacity = \"31*ld + k\"",
            "\"Sw<3,4,3> o (32,64):(64,1)\"",
            "A[:, k0:+64]",
            "As",
            "d1 + k0 < k",
            "",
            dtype,
            fills};
}
/// Rows and columns of a last tile.
Tile both() {
    return {"m = { min = 97, max = 100 }\nn = { min = 195, max = 300 }",
            "",
            "\"(100,256):(256,1)\"",
            "\"(32,64):(64,1)\"",
            "A[96:+32, 192:+64]",
            "As",
            "d0 < m - 96, 192 + d1 < n",
            "",
            "f16",
            fills};
}
/// Of 20 rows of 32, by a number.
Tile rows_of_numbers() {
    return {"n = { min = 0, max = 64 }", "", "\"(32,64):(64,1)\"", "\"(32,64):(72,1)\"", "A", "As", "d0 < 20, d1 < n", "", "f16", fills};
}
/// Blocks begin at column 8, and end at column 120.
Tile edges(const std::string& n = "min = -9, max = 150") {
    return {
        "n = { " + n + " }", "", "\"(32,192):(192,1)\"", "\"(32,128):(128,1)\"", "A[:, 3:124]", "As[:, 3:124]", "d1 < n", "", "f16", fills};
}
Tile line(std::int64_t extent) {
    const std::string n = std::to_string(extent);
    return {
        "n = { min = -3, max = 4096 }", "", "\"(4096):(1)\"", "\"(" + n + "):(1)\"", "A[0:" + n + "]", "As", "d0 < n", "", "f16", fills};
}

struct Case {
    std::string what;
    Tile tile;
    std::vector<std::int64_t> widths;
    std::vector<std::int64_t> rounds;
    std::int64_t single;
};

std::vector<Case> cases() {
    return {{"columns", filled(), {128, 64, 16}, {4, 1, 2}, 32},
            {"columns, at most all but one", filled("min = -9, max = 63"), {128, 64, 16}, {4, 1, 2}, 32},
            {"columns by fours", filled("min = -8, max = 88, multiple_of = 4"), {128, 64}, {4, 1}, 8},
            {"bytes", filled("min = -9, max = 90", "u8"), {128, 32, 8}, {2, 2, 2}, 32},
            {"halves of bytes, by twos", filled("min = -8, max = 90, multiple_of = 2", "u4"), {128, 32, 8}, {1, 2, 2}, 16},
            {"words", filled("min = -9, max = 90", "f32"), {128, 32}, {8, 2}, 32},
            {"columns from anywhere on, and a swizzle", last_columns(), {128, 64, 16}, {4, 1, 2}, 32},
            {"rows and columns", both(), {128, 64, 16}, {4, 1, 2}, 32},
            {"rows by a number", rows_of_numbers(), {128, 64, 16}, {4, 1, 2}, 32},
            {"edges on both sides", edges(), {128, 64, 16, 16, 16}, {7, 1, 2, 2, 3}, 61},
            {"edges on both sides, the first whole", edges("min = 5, max = 121"), {128, 64, 16, 16, 16, 64}, {7, 1, 2, 2, 1, 1}, 61},
            {"a line, and more threads than the tail has accesses", line(1024), {128, 16}, {2, 1}, 16},
            {"a line with a rest", line(1020), {128, 16, 16}, {2, 1, 1}, 16}};
}

}  // namespace

TEST_CASE("zeros behind tails: fewer rounds, proved for all values of the symbols, and right at each that is tried") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        REQUIRE(problem.copies[0].zero_fill);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        const Plan plan = solution.plan();
        const CopyPlan& copy = plan.copies[0];
        CHECK(widths(copy) == one.widths);
        CHECK(rounds_of_each(copy) == one.rounds);
        CHECK(solution.copies[0].single_rounds == one.single);
        CHECK(leaves_out(copy));
        const auto malformed = check_plan(problem, plan);
        REQUIRE_MESSAGE(!malformed, malformed->text);
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        REQUIRE(report.copies[0].widest);
        CHECK(report.copies[0].widest->verdict == Verdict::proved);
        CHECK(open_findings(verify(problem, plan, smt_alone())) == "");
        CHECK(rounds(planned(problem, true).copies[0]) == one.single);
        Bench bench(problem, plan);
        CHECK(bench.assembly_errors() == "");
        for (const Values& values : sample_values(problem, 20)) {
            CAPTURE(to_string(values, problem.symbols));
            CHECK(fault_at(problem, copy, values) == "");
            CHECK(difference(problem, plan, values) == "");
        }
    }
}

TEST_CASE("zeros behind tails: every number of columns") {
    for (const Tile& tile : {filled(), edges(), edges("min = 5, max = 121"), line(1020)}) {
        const Problem problem = problem_of(tile);
        const Plan plan = planned(problem);
        const Symbol& n = problem.symbols[0];
        for (std::int64_t value = n.min; value <= std::min<std::int64_t>(n.max, 140); ++value) {
            CAPTURE(value);
            CHECK(fault_at(problem, plan.copies[0], {value}) == "");
            CHECK(difference(problem, plan, {value}) == "");
        }
    }
}

TEST_CASE("zeros behind tails: where the access that is left out is always the same, no segment counts from a tail") {
    const Problem problem = problem_of(filled("min = 17, max = 19", "f32"));
    Plan plan = planned(problem);
    REQUIRE(widths(plan.copies[0]) == std::vector<std::int64_t>{128, 32});
    Segment& s = plan.copies[0].segments[1];
    REQUIRE(s.tail == Tail{1, Expression::symbol(0), 4});
    s.tail.reset();
    s.start[1] = 16;
    for (SidePlan* side : {&s.src, &s.dst}) {
        side->address.offset = side->address.offset + side->address.tail_stride.times(16);
        side->address.tail_stride = 0;
    }
    REQUIRE(!check_plan(problem, plan));
    CHECK(open_findings(verify(problem, plan, smt_alone())) == "");
    for (std::int64_t n = 17; n <= 19; ++n) CHECK(difference(problem, plan, {n}) == "");
    Problem more = problem;
    more.symbols[0].max = 20;
    CHECK(finding(verify(more, plan), "covers").verdict == Verdict::refuted);
}

TEST_CASE("zeros behind tails: a region that leaves its layout, and not its buffer") {
    for (const bool fill : {true, false}) {
        Tile tile = both();
        tile.symbols = "m = { min = 97, max = 130 }\nn = { min = 195, max = 300 }";
        tile.a = "\"(100,256):(256,1)\"\ncapacity = 33280";
        if (!fill) tile.more = "";
        const Problem problem = problem_of(tile);
        for (const bool single : {true, false}) {
            const Report report = verify(problem, planned(problem, single));
            CHECK(report.conflicts.empty());
            CHECK(finding(report, "bounds.src").verdict == Verdict::refuted);
        }
    }
}

TEST_CASE("zeros behind tails: where none is planned") {
    const auto segments = [](const Tile& tile) { return planned(problem_of(tile)).copies[0].segments.size(); };
    CHECK(segments(filled("min = -8, max = 88, multiple_of = 8")) == 1);
    CHECK(segments(filled("min = -9, max = 90", "f16", "completion = \"kernel\"\n")) == 1);  // cp.async has zeros in any lanes
    CHECK(segments(line(128)) == 1);
    Tile apart = filled();
    apart.as = "\"(32,64):(65,1)\"";
    CHECK(segments(apart) == 1);
}

TEST_CASE("zeros behind tails: plans that are not quite right are not proved") {
    const auto bound = [](CopyPlan& p, std::size_t segment, int dim = 1) -> Bound& {
        auto& all = p.segments.at(segment).predicate;
        return *std::find_if(all.begin(), all.end(), [&](const Bound& b) { return b.dim == dim; });
    };
    const auto last = [](CopyPlan& p) -> Segment& { return p.segments.at(2); };
    const std::vector<Miss> misses{
        {"disjoint", "zeros over what the tail moves", filled(), [=](Problem&, CopyPlan& p) { bound(p, 0).beyond = Beyond::zeros; }},
        {"covers", "zeros behind the end left out", filled(),
         [=](Problem&, CopyPlan& p) {
             bound(p, 0) = {1, bound(p, 0).below.plus(-7)};
         }},
        {"predicate", "an access that reads over the end", filled(), [=](Problem&, CopyPlan& p) { bound(p, 0).below += 1; }},
        {"covers", "an access that is left out, and ends before the end", filled(), [=](Problem&, CopyPlan& p) { bound(p, 0).below -= 1; }},
        {"disjoint", "zeros where a tail reads", filled(), [=](Problem&, CopyPlan& p) { bound(p, 1).below -= 4; }},
        {"covers", "no zeros in the last tail", filled(), [=](Problem&, CopyPlan& p) { bound(p, 2).beyond = Beyond::nothing; }},
        {"predicate", "a tail that reads what is behind the end", filled(), [=](Problem&, CopyPlan& p) { bound(p, 2).below += 1; }},
        {"covers", "a tail that writes zeros for the last element", filled(), [=](Problem&, CopyPlan& p) { bound(p, 2).below -= 1; }},
        {"predicate", "a tail behind the box", filled(), [=](Problem&, CopyPlan& p) { last(p).predicate.pop_back(); }},
        {"predicate", "a tail that reads whatever is there", filled(),
         [=](Problem&, CopyPlan& p) { last(p).predicate.erase(last(p).predicate.begin()); }},
        {"covers", "no tail", filled(), [](Problem&, CopyPlan& p) { p.segments.resize(1); }},
        {"covers", "one tail of two", filled(), [](Problem&, CopyPlan& p) { p.segments.pop_back(); }},
        {"disjoint", "a tail twice", filled(), [](Problem&, CopyPlan& p) { p.segments.push_back(p.segments.back()); }},
        {"covers", "a tail from half an access on", filled(), [=](Problem&, CopyPlan& p) { p.segments[1].tail->multiple = 4; }},
        {"disjoint", "a tail from two accesses before", filled(), [=](Problem&, CopyPlan& p) { p.segments[1].tail->multiple = 16; }},
        {"covers", "a tail from behind another end", filled(), [=](Problem&, CopyPlan& p) { last(p).tail->end += 4; }},
        {"disjoint", "threads that write zeros behind their tail", line(1024),
         [=](Problem&, CopyPlan& p) {
             Segment& s = p.segments[1];
             s.digits.back().weight = 8;
             for (SidePlan* side : {&s.src, &s.dst}) side->address.strides.back() = 8;
         }},
        {"covers", "no rest", edges(), [](Problem&, CopyPlan& p) { p.segments.erase(p.segments.begin() + 3); }},
        {"covers", "no head", edges(), [](Problem&, CopyPlan& p) { p.segments.pop_back(); }},
        {"covers", "a rest without zeros", edges(), [=](Problem&, CopyPlan& p) { bound(p, 3).beyond = Beyond::nothing; }},
        {"predicate", "a head that reads over the end", edges(), [=](Problem&, CopyPlan& p) { bound(p, 4).below += 1; }},
        {"disjoint", "tails that count from 0", edges(),
         [=](Problem&, CopyPlan& p) {
             for (std::size_t i : {std::size_t{1}, std::size_t{2}}) {
                 Segment& s = p.segments[i];
                 for (SidePlan* side : {&s.src, &s.dst}) side->address.offset -= s.start[1];
                 s.start[1] = 0;
             }
         }},
        {"predicate", "rows that are not there", both(), [=](Problem&, CopyPlan& p) { bound(p, 1, 0).below += 1; }},
        {"covers", "rows that are not filled", both(), [=](Problem&, CopyPlan& p) { bound(p, 0, 0).beyond = Beyond::nothing; }},
        {"covers", "rows of a number that are not filled", rows_of_numbers(),
         [=](Problem&, CopyPlan& p) { bound(p, 0, 0).beyond = Beyond::nothing; }},
        {"predicate", "rows of a number, one more", rows_of_numbers(), [=](Problem&, CopyPlan& p) { bound(p, 2, 0).below += 1; }},
        {"address.src", "a tail that stays at the first columns of its source", filled(),
         [=](Problem&, CopyPlan& p) { last(p).src.address.tail_stride = 0; }},
        {"address.dst", "zeros a column on", filled(), [=](Problem&, CopyPlan& p) { last(p).dst.address.offset += 1; }},
        {"aligned.dst", "zeros between blocks", filled(), [=](Problem&, CopyPlan& p) { p.segments[0].dst.address.offset += 4; }},
        {"bounds.src", "a buffer an element shorter", last_columns(),
         [](Problem& q, CopyPlan&) { q.buffers[0].symbolic_capacity = q.buffers[0].symbolic_capacity->plus(-1); }},
        {"bounds.dst", "a tile that holds what is moved", filled("min = -9, max = 60"),
         [](Problem& q, CopyPlan&) { q.buffers[1].capacity = Elements{31 * 64 + 60}; }},
        // What moves ends at row 20, and the tail of a plan of all rows would begin elsewhere.
        {"covers", "a tail along a bound that is a number", rows_of_numbers(), [=](Problem&, CopyPlan& p) { last(p).tail->dim = 0; },
         Verdict::unknown},
    };
    for (const Miss& one : misses) check_miss(one);
}

TEST_CASE("zeros behind tails: random damage is not proved where it does harm") {
    std::mt19937 engine(17);
    const random::Draw draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
    };
    DamageTally tally;
    for (const Tile& tile : {filled(), filled("min = -8, max = 88, multiple_of = 4"), edges(), rows_of_numbers(), line(1024)}) {
        const Problem problem = problem_of(tile);
        const Plan good = planned(problem);
        const std::vector<Values> samples = sample_values(problem, 60);
        for (int i = 0, most = corpus::is_long_run() ? 400 : 24; i < most; ++i) {
            Plan plan = good;
            CopyPlan& copy = plan.copies[0];
            Segment& s = copy.segments[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(copy.segments.size()) - 1))];
            Bound& bound = s.predicate[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(s.predicate.size()) - 1))];
            switch (draw(0, 6)) {
                case 0:
                    bound.beyond = static_cast<Beyond>(draw(0, 3));
                    break;
                case 1:
                    bound.below += draw(-8, 8);
                    break;
                case 2:
                    bound.dim = static_cast<int>(draw(0, static_cast<std::int64_t>(copy.box.dims.size()) - 1));
                    break;
                case 3:
                    if (s.tail) s.tail->multiple = std::int64_t{1} << draw(0, 5);
                    break;
                case 4:
                    if (s.tail) s.tail->end += draw(-9, 9);
                    break;
                case 5:
                    s.start.back() += draw(-2, 2);
                    break;
                default:
                    random::damage(copy, draw);
                    break;
            }
            CAPTURE(i);
            tally.judge(problem, plan, good, [&](const Problem&, const Plan& damaged) {
                std::string fault;
                for (const Values& values : samples)
                    if (fault.empty()) fault = fault_at(problem, damaged.copies[0], values);
                return fault;
            });
        }
    }
    MESSAGE(tally.proved, " proved (", tally.changed, " of them not the planner's), ", tally.refuted, " refuted");
    CHECK(tally.refuted > 50);
    CHECK(tally.changed > 0);
}

TEST_CASE("zeros behind tails: random tiles, at ends around every multiple") {
    std::mt19937 engine(13);
    const auto any = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
    };
    int with_tails = 0;
    for (int i = 0, most = corpus::is_long_run() ? 300 : 14; i < most; ++i) {
        const std::int64_t rows = any(1, 48), first = any(0, 2) == 0 ? any(1, 7) : 0,
                           extent = 8 * any(1, 20) + (any(0, 2) == 0 ? any(0, 7) : 0), pitch = (first + extent + 7) / 8 * 8 + 8 * any(0, 3);
        const std::int64_t multiple = std::int64_t{1} << (any(0, 2) == 0 ? any(0, 3) : 0);
        const std::string columns = std::to_string(first) + ":" + std::to_string(first + extent),
                          shape = "\"(" + std::to_string(rows) + ",";
        Tile tile{"n = { min = -8, max = " + std::to_string(extent + 40) + ", multiple_of = " + std::to_string(multiple) + " }",
                  "",
                  shape + "512):(512,1)\"",
                  shape + std::to_string(pitch) + "):(" + std::to_string(pitch) + ",1)\"",
                  "A[:, " + columns + "]",
                  "As[:, " + columns + "]",
                  ""};
        tile.dtype = std::vector<std::string>{"u8", "f16", "f16", "f32", "f64"}[static_cast<std::size_t>(any(0, 4))];
        tile.predicate = std::string("d") + (rows == 1 ? "0" : "1") + " < n" +
                         (rows > 1 && any(0, 2) == 0 ? ", d0 < " + std::to_string(any(1, rows)) : "");
        tile.more = fills;
        const Problem problem = problem_of(tile);
        CAPTURE(text_of(tile));
        const Plan plan = planned(problem);
        with_tails += leaves_out(plan.copies[0]) ? 1 : 0;
        REQUIRE(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        const Symbol& n = problem.symbols[0];
        for (std::int64_t value = n.min; value <= n.max; ++value) {
            if (value % n.multiple_of != 0) continue;
            CAPTURE(value);
            CHECK(fault_at(problem, plan.copies[0], {value}) == "");
            if (value < 2 || value % 8 == 0 || std::abs(value - extent) < 2) CHECK(difference(problem, plan, {value}) == "");
        }
    }
    CHECK(with_tails > 8);
}

TEST_CASE("zeros behind tails: what cannot be one is malformed") {
    const auto fault = [](const Tile& tile, const std::function<void(CopyPlan&)>& damage) {
        const Problem problem = problem_of(tile);
        Plan plan = planned(problem);
        REQUIRE(!check_plan(problem, plan));
        damage(plan.copies[0]);
        const std::optional<Diagnostic> found = check_plan(problem, plan);
        return found ? found->text : "none";
    };
    const std::string whose = "the plan of copy 'copy0' ";
    const auto leave_out = [](Expression below, int dim) {
        return [=](CopyPlan& p) { p.segments[0].predicate = {{dim, below, {}, Beyond::zeros_behind}}; };
    };
    const Expression n = Expression::symbol(0);
    CHECK(fault(filled(), leave_out(n.plus(-7), 1)) == "none");
    CHECK(fault(filled(), leave_out(40, 1)) == whose + "leaves an access out where a number is");
    CHECK(fault(filled(), leave_out(n, 0)) == whose + "leaves out an access whose lanes do not count up along the bound");
    CHECK(fault(filled(), [](CopyPlan& p) { p.segments[0].predicate.push_back(p.segments[0].predicate[0]); }) ==
          whose + "leaves accesses out at two bounds");
    CHECK(fault(filled(), [](CopyPlan& p) { p.segments[0].predicate[0].from = 0; }) ==
          whose + "has a bound with a least coordinate, which only copies of registers have");
    const Tile by_async = filled("min = -9, max = 90", "f16", "completion = \"kernel\"\n");
    CHECK(fault(by_async, leave_out(n, 1)) == whose + "leaves a cp.async out where a bound is");
    CHECK(
        fault(by_async, [&](CopyPlan& p) {
            p.segments[0].tail = Tail{1, n, 8};
        }) == whose + "has a tail, which only copies between memories have, and those by cp.async only where they fill nothing with zeros");
}

}  // namespace tileproof
