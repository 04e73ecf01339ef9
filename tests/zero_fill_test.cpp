// Copies that fill with zeros what a predicate cuts off: by loads and stores, and by cp.async with a source size.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "emit/plan_json.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/broken_plan.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"

namespace tileproof {
namespace {

using namespace test;

const std::string by_loads = "zero_fill = true\n";
const std::string by_async = "zero_fill = true\ncompletion = \"kernel\"\n";

/// Rows of 64, of which m - row are left, in blocks of 32.
Tile last_rows(const std::string& how) {
    return {"ld = { min = 64, max = 4096, multiple_of = 8 }\nm = { min = 0, max = 120 }",
            "",
            "\"(120,64):(ld,1)\"\ncapacity = \"m*ld\"",
            "\"Sw<3,3,3> o (32,64):(64,1)\"",
            "A[row:+32, :]",
            "As",
            "row + d0 < m",
            "grid = [4]\nrow = { from = \"ctaid.x\", times = 32 }",
            "f16",
            how};
}
/// Columns from k0 on, of which k - k0 are left.
Tile last_columns(const std::string& how, std::int64_t multiple_of, const std::string& dtype = "f16") {
    return {"ld = { min = 64, max = 4096, multiple_of = 32 }\nk = { min = 0, max = 4096, multiple_of = " + std::to_string(multiple_of) +
                " }\nk0 = { min = 0, max = 4096, multiple_of = 64 }",
            "\"k <= ld\"",
            "\"(32,4096):(ld,1)\"\ncapacity = \"31*ld + k\"",
            "\"(32,64):(96,1)\"",
            "A[:, k0:+64]",
            "As",
            "d1 + k0 < k",
            "",
            dtype,
            how};
}
Tile of_numbers(const std::string& how, const std::string& predicate) {
    return {"", "", "\"(32,64):(64,1)\"", "\"(32,64):(72,1)\"", "A", "As", predicate, "", "f16", how};
}
Tile line(const std::string& how, const std::string& predicate = "d0 < m") {
    return {
        "m = { min = 0, max = 4096 }", "", "\"(4096):(1)\"\ncapacity = \"m\"", "\"(20):(1)\"", "A[0:20]", "As", predicate, "", "f16", how};
}
Tile few_numbers() { return {"", "", "\"(4096):(1)\"", "\"(20):(1)\"", "A[0:20]", "As", "d0 < 7", "", "f16", by_loads}; }
/// 16 bytes a row, of which the first 16 of 32 are there.
Tile rows_of_bytes() { return {"", "", "\"(16,16):(16,1)\"", "\"(32,16):(16,1)\"", "A[0:32, :]", "As", "d0 < 16", "", "u8", by_async}; }
/// Pitches that only one row needs not to mind.
Tile one_row(const std::string& how) {
    return {"m = { min = 0, max = 1 }", "", "\"(8,64):(66,1)\"", "\"(8,64):(72,1)\"", "A", "As", "d0 < m", "", "f16", how};
}

/// 60 elements by 64 threads, whose index would be one round.
Tile padded() { return {"", "", "\"(6,10):(16,1)\"", "\"(6,10):(14,1)\"", "A", "As", "d0 < 4, d1 < 7", "", "f16", by_loads}; }

/// A pitch that is a multiple of 8 elements where anything is read, and is written with everywhere.
Tile tied_pitch() {
    return {"m = { min = -1, max = 1 }\ns = { min = 38, max = 40 }",
            "\"s == m + 39\"",
            "\"(8,37):(40,1)\"",
            "\"(8,37):(s,1)\"\ncapacity = 320",
            "A",
            "As",
            "d0 < m",
            "",
            "f16",
            by_loads};
}

/// Rows and columns that each end at the least of two bounds.
Tile two_each(const std::string& how, std::int64_t multiple_of) {
    return {"m = { min = 0, max = 40 }\nn = { min = 0, max = 72, multiple_of = " + std::to_string(multiple_of) +
                " }\nk = { min = 0, max = 72, multiple_of = " + std::to_string(multiple_of) + " }",
            "",
            "\"(32,64):(64,1)\"",
            "\"(32,64):(72,1)\"",
            "A",
            "As",
            "d0 < m, d0 < 20, d1 < n, d1 < k",
            "",
            "f16",
            how};
}
Tile two_ends(const std::string& how, std::int64_t multiple_of) {
    Tile out = two_each(how, multiple_of);
    out.symbols.erase(0, out.symbols.find('\n') + 1);
    out.predicate = "d1 < n, d1 < k";
    return out;
}
/// What is filled ends where symbols say, and the predicate bounds the other dimension.
Tile up_to_n(const std::string& how) {
    return {"m = { min = 0, max = 40 }\nn = { min = 0, max = 64, multiple_of = 8 }",
            "",
            "\"(32,64):(64,1)\"",
            "\"(32,64):(72,1)\"",
            "A[:, 0:n]",
            "As[:, 0:n]",
            "d0 < m",
            "",
            "f16",
            how};
}

struct Case {
    std::string what;
    Tile tile;
    std::int64_t width;
    std::string rule;            // of the next wider one
    std::vector<Beyond> beyond;  // of the bounds of the first segment
};

std::vector<Case> cases() {
    const Beyond zeros = Beyond::zeros, lanes = Beyond::zero_lanes, behind = Beyond::zeros_behind, nothing = Beyond::nothing;
    return {{"rows, by loads", last_rows(by_loads), 128, "target", {zeros}},
            {"rows, by cp.async", last_rows(by_async), 128, "", {zeros}},
            {"columns by eights, by loads", last_columns(by_loads, 8), 128, "target", {zeros}},
            {"columns by fours, by loads", last_columns(by_loads, 4), 64, "no-partner", {behind}},
            {"any column, by loads", last_columns(by_loads, 1), 16, "no-partner", {behind}},
            {"columns by eights, by cp.async", last_columns(by_async, 8), 128, "", {zeros}},
            {"any column, by cp.async", last_columns(by_async, 1), 128, "", {lanes}},
            {"any column of 64 bits, by cp.async", last_columns(by_async, 1, "f64"), 128, "", {lanes}},
            {"columns of 4 bits by eights, by loads", last_columns(by_loads, 8, "u4"), 32, "no-partner", {behind}},
            {"columns of 4 bits by eights, by cp.async", last_columns(by_async, 8, "u4"), 32, "no-partner", {zeros}},
            {"numbers, by loads", of_numbers(by_loads, "d0 < 20, d1 < 36"), 64, "no-partner", {zeros, zeros}},
            {"numbers, by cp.async", of_numbers(by_async, "d0 < 20, d1 < 37"), 128, "", {zeros, lanes}},
            {"fewer than threads, by loads", line(by_loads), 16, "no-partner", {zeros, nothing}},
            {"fewer than threads, by cp.async", line(by_async), 64, "no-partner", {lanes, nothing}},
            {"rows of 16 bytes", rows_of_bytes(), 128, "", {zeros, nothing}},
            {"numbers, where padding each dimension costs rounds", padded(), 16, "no-partner", {zeros, nothing, zeros, nothing}},
            {"a pitch that only what is read makes even, by loads", tied_pitch(), 16, "no-partner", {zeros, nothing}},
            {"a pitch that one row does not mind, by loads", one_row(by_loads), 128, "target", {zeros}},
            {"a pitch that cp.async minds where it reads nothing", one_row(by_async), 32, "stride", {zeros}},
            {"the least of two, by loads", two_each(by_loads, 8), 128, "target", {zeros, zeros, zeros, zeros}},
            {"the least of two, by fours, by loads", two_each(by_loads, 4), 64, "no-partner", {zeros, zeros, zeros, zeros}},
            {"the least of two, any, by cp.async", two_each(by_async, 1), 128, "", {zeros, zeros, lanes, lanes}},
            {"up to an end with symbols, by loads", up_to_n(by_loads), 128, "target", {zeros, nothing}},
            {"up to an end with symbols, by cp.async", up_to_n(by_async), 128, "", {zeros, nothing}}};
}

/// Threads of 8 columns and 8 rows, 4 rounds of rows; the rounds in two digits, of which the second moves rows 16 to 31.
Plan in_two_digits(const Problem& problem) {
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    Plan plan = solution.plan();
    Segment& s = segment(plan);
    const std::size_t i = index(plan, Role::outer);
    REQUIRE(s.digits[i] == Digit{0, 8, 4, Role::outer, 0});
    s.digits[i].extent = 2;
    s.digits.push_back({0, 16, 2, Role::outer, 1});
    for (AddressPlan* address : {&s.src.address, &s.dst.address}) address->strides.push_back(address->strides[i].times(2));
    CHECK(open_findings(verify(problem, plan)) == "");
    return plan;
}

std::string difference(const Problem& problem, const Plan& plan, const Values& values) { return Bench(problem, plan, values).difference(); }

}  // namespace

TEST_CASE("zeros: the widest for all values of the symbols, proved, and right at each that is tried") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        REQUIRE(problem.copies[0].zero_fill);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK(solution.copies[0].width.count == one.width);
        if (!one.rule.empty()) {
            REQUIRE(!solution.copies[0].refused.empty());
            CHECK(solution.copies[0].refused.back().rule == one.rule);
        }
        const Plan plan = solution.plan();
        CHECK(!check_plan(problem, plan));
        const std::vector<Bound>& bounds = plan.copies[0].segments[0].predicate;
        std::vector<Beyond> beyond;
        for (const Bound& bound : bounds) beyond.push_back(bound.beyond);
        CHECK(beyond == one.beyond);
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        REQUIRE(report.copies[0].widest);
        CHECK(report.copies[0].widest->verdict == Verdict::proved);
        VerifyOptions smt;
        smt.exhaustive = false;
        CHECK(open_findings(verify(problem, plan, smt)) == "");
        const bool has_columns = one.tile.src == "A[:, k0:+64]";
        for (const Values& values : sample_values(problem, has_columns ? 30 : 16)) {
            CAPTURE(to_string(values, problem.symbols));
            CHECK(difference(problem, plan, values) == "");
            const Problem there = at(problem, values);
            CHECK(simulate::fault(there, there.copies[0], *at(plan.copies[0], problem, problem.copies[0], values)) == "");
        }
    }
}

TEST_CASE("zeros: plans are written as they are read, and assembled") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        const Result<Problem> again = parse_problem({"again.json", problem_json(problem)}, "copy");
        REQUIRE(again.ok());
        CHECK(again.value().copies[0].zero_fill);
        CHECK(problem_json(again.value()) == problem_json(problem));
        Bench bench(problem, solve(problem).plan());
        CHECK(bench.assembly_errors() == "");
    }
    CHECK(!problem_of(of_numbers(by_loads, "d0 < 32")).copies[0].zero_fill);  // nothing is cut off
    CHECK(fault_of(of_numbers(by_loads, "")) == "predicate-bound: 'zero_fill' fills what a predicate leaves out, and there is none");
    CHECK(fault_of(of_numbers(by_loads, "d0 < 0")) == "zero-extent: the predicate leaves nothing of the region, whatever its symbols are");
    Tile within = of_numbers(by_loads, "d0 < 4");
    within.dst = "A";
    CHECK(fault_of(within) == "unsupported: copy0 fills with zeros within one buffer");
    Tile along = up_to_n(by_loads);
    along.predicate = "d1 < m";
    CHECK(fault_of(along) == "unsupported: copy0 fills with zeros a region that ends where symbols say, along what the predicate bounds");
}

TEST_CASE("zeros: plans that are not quite right are not proved") {
    struct Miss {
        std::string obligation, what;
        Tile tile;
        std::function<void(Problem&, Plan&)> damage;
        bool in_two = false;
    };
    const std::string half = "d0 < 16";
    const std::vector<Miss> misses{
        {"covers", "zeros where the source has rows", of_numbers(by_loads, half),
         [](Problem&, Plan& p) { segment(p).predicate[0].below = 12; }},
        {"predicate", "rows are read behind the bound", of_numbers(by_loads, half),
         [](Problem&, Plan& p) { segment(p).predicate[0].below = 24; }},
        {"covers", "nothing is filled", of_numbers(by_loads, half),
         [](Problem&, Plan& p) { segment(p).predicate[0].beyond = Beyond::nothing; }},
        {"covers", "the last rows are not filled", of_numbers(by_loads, half),
         [](Problem&, Plan& p) {
             segment(p).predicate.push_back({0, 31});
         }},
        {"predicate", "all is moved", of_numbers(by_loads, half), [](Problem&, Plan& p) { segment(p).predicate.clear(); }},
        {"predicate", "zeros behind the region", few_numbers(), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"bounds.dst", "a tile that holds what is moved", of_numbers(by_loads, half),
         [](Problem& q, Plan&) { q.buffers[1].capacity = Elements{16 * 72}; }},
        {"address.dst", "zeros a row too far", of_numbers(by_loads, half),
         [](Problem& q, Plan& p) {
             segment(p).dst.address.strides.back() += 72;
             q.buffers[1].capacity = Elements{4096};
         },
         true},
        {"disjoint", "zeros over what was moved", of_numbers(by_loads, half),
         [](Problem&, Plan& p) { segment(p).dst.address.strides.back() = 0; }, true},
        {"aligned.dst", "zeros between blocks", of_numbers(by_loads, half),
         [](Problem&, Plan& p) { segment(p).dst.address.strides.back() += 1; }, true},
        {"aligned.src", "cp.async names what is not aligned, and does not read it", of_numbers(by_async, half),
         [](Problem&, Plan& p) { segment(p).src.address.strides.back() += 1; }, true},
        {"same-element", "the row before", of_numbers(by_loads, half), [](Problem&, Plan& p) { segment(p).src.address.offset += 64; }},
        {"predicate", "lanes on both sides of a bound, taken as one", last_columns(by_async, 1),
         [](Problem&, Plan& p) { segment(p).predicate[0].beyond = Beyond::zeros; }},
        {"predicate", "a lane too many", last_columns(by_async, 1), [](Problem&, Plan& p) { segment(p).predicate[0].below += 1; }},
        {"covers", "a lane too few", last_columns(by_async, 1), [](Problem&, Plan& p) { segment(p).predicate[0].below += -1; }},
        {"bounds.src", "an element less in memory", last_columns(by_async, 1),
         [](Problem& q, Plan&) { q.buffers[0].symbolic_capacity = q.buffers[0].symbolic_capacity->plus(-1); }},
        {"predicate", "one of two bounds, by loads", two_ends(by_loads, 8), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"predicate", "one of two bounds between lanes", two_ends(by_async, 1), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"predicate", "a lane too many behind the second of two", two_ends(by_async, 1),
         [](Problem&, Plan& p) { segment(p).predicate[1].below += 1; }},
        {"covers", "a lane too few before the second of two", two_ends(by_async, 1),
         [](Problem&, Plan& p) { segment(p).predicate[1].below += -1; }},
        {"predicate", "zeros up to the end of the layout", up_to_n(by_loads),
         [](Problem&, Plan& p) { segment(p).predicate[1].beyond = Beyond::zeros; }},
        {"predicate", "rows that are not there, by symbols", last_rows(by_loads),
         [](Problem&, Plan& p) { segment(p).predicate[0].below += 1; }},
        {"predicate", "zeros that nobody asked for", of_numbers("", half),
         [](Problem&, Plan& p) {
             segment(p).predicate.push_back({0, 16, {}, Beyond::zeros});
         }},
    };
    for (const Miss& one : misses) {
        CAPTURE(one.what);
        Problem problem = problem_of(one.tile);
        Plan plan = one.in_two ? in_two_digits(problem) : solve(problem).plan();
        REQUIRE(verify(problem, plan).verdict() == Verdict::proved);
        one.damage(problem, plan);
        REQUIRE(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        INFO(open_findings(report));
        CHECK(report.conflicts.empty());
        CHECK(finding(report, one.obligation).verdict == Verdict::refuted);
        for (VerifyOptions options : {smt_alone(), exhaustive_alone()}) CHECK(verify(problem, plan, options).verdict() != Verdict::proved);
    }
    // Loads that do not run have no address.
    const Problem problem = problem_of(of_numbers(by_loads, half));
    Plan plan = in_two_digits(problem);
    segment(plan).src.address.strides.back() += 1;
    CHECK(open_findings(verify(problem, plan)) == "");
    CHECK(difference(problem, plan, {}) == "");
}

TEST_CASE("zeros: accesses that cannot write them are malformed") {
    const auto fault = [](const Tile& tile, const std::function<void(Plan&)>& damage) {
        const Problem problem = problem_of(tile);
        Plan plan = solve(problem).plan();
        REQUIRE(!check_plan(problem, plan));
        damage(plan);
        const std::optional<Diagnostic> found = check_plan(problem, plan);
        return found ? found->text : "none";
    };
    const std::string whose = "the plan of copy 'copy0' ";
    const auto split = [](Plan& p) { segment(p).predicate[0].beyond = Beyond::zero_lanes; };
    CHECK(fault(last_columns(by_loads, 8), split) == whose + "splits the lanes of an access that is no cp.async");
    CHECK(fault(last_columns(by_async, 8), split) == "none");
    CHECK(fault(last_columns(by_async, 8, "u4"), split) == whose + "splits the lanes of an access to parts of bytes");
    CHECK(fault(last_rows(by_async), split) == whose + "splits lanes that do not count up along the bound");
    CHECK(fault(last_columns(by_async, 1), [](Plan& p) { segment(p).predicate.push_back(segment(p).predicate[0]); }) == "none");
    CHECK(fault(last_columns(by_async, 1), [](Plan& p) { segment(p).src.address.strides[index(p, Role::vec)] = 2; }) ==
          whose + "splits lanes that do not count up in memory");
    CHECK(fault(last_columns(by_async, 1), [](Plan& p) {
              segment(p).dst.address.swizzle = {1, 2, 3};
          }) == whose + "splits lanes that do not count up in memory");
}

TEST_CASE("zeros: what would lift a refusal") {
    const Problem problem = problem_of(last_columns(by_loads, 4));
    Solution solution = solve(problem);
    add_unlocks(problem, solution);
    const Refusal& wider = solution.copies[0].refused.back();
    REQUIRE(wider.unlock);
    CHECK(wider.unlock->text == "k a multiple of 8");
}

}  // namespace tileproof
