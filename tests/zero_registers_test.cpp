// Copies into registers that fill with zeros what a predicate cuts off: the registers of the region are all written.
#include <doctest/doctest.h>

#include <functional>

#include "layouts/filling.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/register_plan.hpp"
#include "solver/solve.hpp"
#include "tests/broken_plan.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/corpus.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_registers.hpp"
#include "tests/register_oracle.hpp"

namespace tileproof {
namespace {

using namespace test;

struct Fill {
    std::string registers;  // the layout of R, and more keys
    std::string a;          // the layout of A, and more keys
    std::string predicate;
    std::string symbols = "";
    std::string dtype = "f16";
    std::string src = "A";
    std::string keys = "scope = \"warp\"";
    std::string launch = "";
    std::string dst = "R";
    std::string space = "global";
};

std::string text_of(const Fill& fill) {
    const auto buffer = [&](const char* name, const std::string& space, const std::string& layout) {
        return std::string("[buffers.") + name + "]\nspace = \"" + space + "\"\ndtype = \"" + fill.dtype + "\"\nlayout = " + layout + "\n";
    };
    return "[target]\narch = \"sm_90\"\n[launch]\n" + fill.launch + "\n[symbols]\n" + fill.symbols + "\n" +
           buffer("A", fill.space, fill.a) + buffer("R", "register", fill.registers) + "[[copies]]\nsrc = \"" + fill.src + "\"\ndst = \"" +
           fill.dst + "\"\n" + fill.keys + "\npredicate = \"" + fill.predicate + "\"\nzero_fill = true\n";
}

Problem problem_of(const Fill& fill) {
    const Source source{"copy.toml", text_of(fill)};
    INFO(source.text);
    Result<Problem> problem = parse_problem(source, "copy");
    INFO((problem ? std::string() : render(problem.error(), source)));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

const std::string row_a_lane = "\"(32,16):(1@laneid,1)\"";  // one a lane
const std::string packed = "\"(32,16):(16,1)\"";
const std::string fragment = "\"TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)\"";
const std::string accumulators = "\"S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]\"\nshape = [64, 32]";
const std::string operand_a = "\"TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)\"";
const std::string any_m = "m = { min = 0, max = 40 }";

struct Case {
    std::string what;
    Fill fill;
    std::int64_t width;
    std::string rule;                           // of the next wider one
    std::vector<Beyond> beyond{Beyond::zeros};  // of the bounds
};

std::vector<Case> cases() {
    const Beyond zeros = Beyond::zeros, nothing = Beyond::nothing;
    const std::string tiles =
        "row = { min = 0, max = 960, multiple_of = 16 }\nm = { min = 1, max = 1000 }\nn = { min = 0, max = 64, multiple_of = 2 }\nld = { "
        "min = 64, max = 4096, multiple_of = 8 }";
    const std::string c = "\"(1000,64):(ld,1)\"\ncapacity = \"m*ld\"";
    return {
        {"rows", {row_a_lane, packed, "d0 < 20"}, 128, "target"},
        {"one row", {row_a_lane, packed, "d0 < 1"}, 128, "target"},
        {"columns by eights", {row_a_lane, packed, "d1 < 8"}, 128, "target"},
        {"columns by fours", {row_a_lane, packed, "d1 < 12"}, 64, "no-partner"},
        {"any column", {row_a_lane, packed, "d1 < 5"}, 16, "no-partner"},
        {"rows and columns", {row_a_lane, packed, "d0 < 7, d1 < 2"}, 32, "no-partner", {zeros, zeros}},
        {"a pitch that one row does not mind", {row_a_lane, "\"(32,16):(17,1)\"", "d0 < 1"}, 128, "target"},
        {"rows by symbols", {row_a_lane, packed, "d0 < m", any_m}, 128, "target"},
        {"columns by symbols", {row_a_lane, packed, "d1 < m", "m = { min = 0, max = 40, multiple_of = 4 }"}, 64, "no-partner"},
        {"a fragment", {fragment, "\"(16,8):(8,1)\"", "d0 < m", any_m, "f32"}, 64, "no-partner"},
        {"columns of a fragment", {fragment, "\"(16,8):(8,1)\"", "d1 < 3", "", "f32"}, 32, "register-order"},
        {"halves that lie apart",
         {"\"S[(4,2,8):(8@laneid,2,1@laneid)]\"\nshape = [8, 8]\ncapacity = 8", "\"(8,8):(8,1)\"", "d0 < 3"},
         16,
         "no-partner",
         {zeros}},
        {"an operand, from shared memory",
         {operand_a, "\"Sw<3,3,3> o (64,64):(64,1)\"", "d0 < m, d1 < 8", any_m, "f16", "A[16:32, 32:48]", "scope = \"warp\"", "", "R",
          "shared"},
         32,
         "no-partner",
         {zeros, zeros}},
        {"accumulators, any row",
         {accumulators, c, "row + d0 < m", tiles, "f32", "A[row:+64, 0:32]", "scope = \"warpgroup\""},
         64,
         "no-partner"},
        {"accumulators, any row and even columns",
         {accumulators, c, "row + d0 < m, d1 < n", tiles, "f32", "A[row:+64, 0:32]", "scope = \"warpgroup\""},
         64,
         "no-partner",
         {zeros, zeros}},
        {"the least of three",
         {row_a_lane, packed, "d0 < m, d0 < n, d0 < 29, d1 < n", "m = { min = 0, max = 40 }\nn = { min = 0, max = 40, multiple_of = 4 }"},
         64,
         "no-partner",
         {zeros, zeros, zeros, zeros}},
        {"registers in another order",
         {"\"S[(32,2,2):(1@laneid,1,2)]\"\nshape = [32, 4]", "\"(32,4):(4,1)\"", "d0 < 20", "", "f32"},
         128,
         "target"},
        {"replicas", {"\"S[(8,4):(1@laneid,1)] + R[4:8@laneid]\"", "\"(8,4):(4,1)\"", "d0 < 3", "", "f32"}, 128, "target"},
        {"replicas, by symbols", {"\"S[(8,4):(1@laneid,1)] + R[4:8@laneid]\"", "\"(8,4):(4,1)\"", "d0 < m", any_m, "f32"}, 128, "target"},
        {"every fourth lane",
         {"\"(8,4):(4@laneid,1) + 3@laneid\"", "\"(8,4):(4,1)\"", "d0 < 5", "", "f32"},
         128,
         "target",
         {nothing, zeros}},
        {"part of what a thread has",
         {row_a_lane, packed, "d0 < m", any_m, "f16", "A[:, 0:4]", "scope = \"warp\"", "", "R[:, 4:8]"},
         64,
         "no-partner"},
        {"one thread has all", {"\"(4,8):(8,1)\"", "\"(4,8):(8,1)\"", "d0 < 3", "", "u8"}, 64, "no-partner", {nothing, zeros}},
        {"elements of 4 bits",
         {row_a_lane, "\"(32,16):(32,1)\"", "d1 < m", "m = { min = 0, max = 16, multiple_of = 8 }", "u4"},
         32,
         "no-partner"},
        {"elements of 64 bits",
         {"\"(32,4):(1@laneid,1)\"", "\"(32,4):(4,1)\"", "d1 < m, d0 < 9", "m = { min = 0, max = 9 }", "f64"},
         64,
         "no-partner",
         {zeros, zeros}},
        {"each warp",
         {row_a_lane, "\"(128,16):(16,1)\"", "32*group + d0 < m", "m = { min = 0, max = 140 }", "f16", "A[32*group:+32, :]",
          "scope = \"warp\"\ngroup = \"each\"", "block = 128"},
         128,
         "target"}};
}

Plan planned(const Problem& problem) {
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    return solution.plan();
}

/// The code does the copy, and enumeration agrees; or what is wrong.
std::string fault_at(const Problem& problem, const Plan& plan, const Values& values) {
    const std::string difference = Bench(problem, plan, values).difference(true, 7);
    if (!difference.empty()) return difference;
    const Problem one = at(problem, values);
    if (check_problem(one)) return "";  // nothing is read
    Plan there = plan;
    there.copies[0] = *at(plan.copies[0], problem, on_register_file(problem, problem.copies[0]).copies[0], values);
    return open_findings(verify(one, there, exhaustive_alone()));
}

}  // namespace

TEST_CASE("zeros in registers: the widest for all values of the symbols, proved, and right at each that is tried") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.fill);
        REQUIRE(problem.copies[0].zero_fill);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK(solution.copies[0].width.count == one.width);
        REQUIRE(!solution.copies[0].refused.empty());
        CHECK(solution.copies[0].refused.back().rule == one.rule);
        const Plan plan = solution.plan();
        CHECK(!check_plan(problem, plan));
        std::vector<Beyond> beyond;
        for (const Bound& bound : plan.copies[0].segments[0].predicate) beyond.push_back(bound.beyond);
        CHECK(beyond == one.beyond);
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        REQUIRE(report.copies[0].widest);
        CHECK(report.copies[0].widest->verdict == Verdict::proved);
        CHECK(open_findings(verify(problem, plan, smt_alone())) == "");
        for (const Values& values : sample_values(problem, 12)) {
            CAPTURE(to_string(values, problem.symbols));
            CHECK(fault_at(problem, plan, values) == "");
        }
    }
}

TEST_CASE("zeros in registers: plans are written as they are read, and assembled") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.fill);
        const Result<Problem> again = parse_problem({"again.json", problem_json(problem)}, "copy");
        REQUIRE(again.ok());
        CHECK(again.value().copies[0].zero_fill);
        CHECK(problem_json(again.value()) == problem_json(problem));
        CHECK(Bench(problem, planned(problem)).assembly_errors() == "");
    }
    const auto fault = [](const Fill& fill) {
        const Result<Problem> problem = parse_problem({"copy.toml", text_of(fill)}, "copy");
        return problem ? "none" : problem.error().rule + ": " + problem.error().text;
    };
    CHECK(fault({row_a_lane, packed, "d0 < 4", "", "f16", "R", "scope = \"warp\"", "", "A"}) ==
          "unsupported: copy0 fills memory with zeros, and stores registers");
    CHECK(fault({row_a_lane, packed, "d0 < 0"}) == "zero-extent: the predicate leaves nothing of the region, whatever its symbols are");
}

TEST_CASE("zeros in registers: matrix instructions do not fill") {
    Fill fill{operand_a, "\"(16,16):(16,1)\"", "d0 < 8", "", "f16", "A", "scope = \"warp\"", "", "R", "shared"};
    const std::string why = "matrix instructions bring whole matrices, and the copy fills with zeros";
    const Problem open = problem_of(fill);
    const Solution solution = solve(open);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].variant == "vec_auto");
    REQUIRE(solution.copies[0].declined.size() == 1);
    CHECK(solution.copies[0].declined[0].reason == why);
    fill.keys += "\ndispatch = \"ldstmatrix\"";
    const Problem named = problem_of(fill);
    const Solution none = solve(named);
    REQUIRE(none.copies[0].rejection);
    CHECK(none.copies[0].rejection->text == "'ldstmatrix' cannot do this copy: " + why);
    Plan plan = solution.plan();
    segment(plan).src.instruction = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
    REQUIRE(check_plan(open, plan));
    CHECK(check_plan(open, plan)->text == "the plan of copy 'copy0' has matrix instructions, and they fill nothing with zeros");
}

TEST_CASE("zeros in registers: plans that are not quite right are not proved") {
    struct Miss {
        std::string obligation, what;
        Fill fill;
        std::function<void(Problem&, Plan&)> damage;
    };
    const Fill half{row_a_lane, packed, "d0 < 16"}, columns{row_a_lane, packed, "d1 < 8"},
        rest{row_a_lane + "\ncapacity = 32", packed, "d0 < m", any_m},
        twice{"\"S[(8,4):(1@laneid,1)] + R[4:8@laneid]\"", "\"(8,4):(4,1)\"", "d0 < 3", "", "f32"};
    const Fill gaps{"\"(8,4):(4@laneid,1) + 3@laneid\"", "\"(8,4):(4,1)\"", "d0 < 5", "", "f32"};
    const Fill each{
        row_a_lane,           "\"(128,16):(16,1)\"\ncapacity = \"16*m\"", "32*group + d0 < m", "m = { min = 1, max = 128 }", "f16",
        "A[32*group:+32, :]", "scope = \"warp\"\ngroup = \"each\"",       "block = 128"};
    const auto zeros = [](Plan& p) -> Bound& {
        return *std::find_if(segment(p).predicate.begin(), segment(p).predicate.end(),
                             [](const Bound& b) { return b.beyond == Beyond::zeros; });
    };
    const auto outer = [](Plan& p) -> Expression& { return segment(p).dst.address.strides[index(p, Role::outer)]; };
    const std::vector<Miss> misses{
        {"covers", "zeros where the source has rows", half, [=](Problem&, Plan& p) { zeros(p).below = 12; }},
        {"covers", "zeros over data, by symbols", rest, [=](Problem&, Plan& p) { zeros(p).below += -1; }},
        {"covers", "zeros over all data", half, [=](Problem&, Plan& p) { zeros(p).below = 0; }},
        {"predicate", "rows are read behind the bound", half, [=](Problem&, Plan& p) { zeros(p).below = 24; }},
        {"predicate", "rows are read behind the bound, by symbols", rest, [=](Problem&, Plan& p) { zeros(p).below += 1; }},
        {"predicate",
         "one of two bounds",
         {row_a_lane, packed, "d0 < m, d0 < 2*m - 8", any_m},
         [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"predicate", "all is read", half, [](Problem&, Plan& p) { segment(p).predicate.clear(); }},
        {"covers", "nothing is filled", half, [=](Problem&, Plan& p) { zeros(p).beyond = Beyond::nothing; }},
        {"covers", "nothing is filled, by symbols", rest, [=](Problem&, Plan& p) { zeros(p).beyond = Beyond::nothing; }},
        {"covers", "the last rows are not filled", half,
         [](Problem&, Plan& p) {
             segment(p).predicate.push_back({segment(p).predicate[0].dim, 31});
         }},
        {"covers", "the last columns are not filled", columns,
         [=](Problem&, Plan& p) {
             segment(p).predicate.push_back({zeros(p).dim, 8});
         }},
        {"covers", "replicas are not filled", twice,
         [](Problem&, Plan& p) {
             segment(p).predicate.push_back({digit(p, Role::vec).dim == 0 ? 1 : 0, 3});
         }},
        {"predicate", "zeros in threads that hold nothing", gaps,
         [](Problem&, Plan& p) { std::erase_if(segment(p).predicate, [](const Bound& b) { return b.beyond == Beyond::nothing; }); }},
        {"address.dst", "zeros in registers of another column", columns, [=](Problem&, Plan& p) { outer(p) = 4; }},
        {"bounds.dst", "zeros in registers that the buffer does not have", rest, [=](Problem&, Plan& p) { outer(p) = 25; }},
        {"disjoint", "zeros over what was read", columns, [=](Problem&, Plan& p) { outer(p) = 0; }},
        {"contiguous.dst", "registers that depend on the thread", half,
         [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::thread)] = 1; }},
        {"same-element", "the row before", half, [](Problem&, Plan& p) { segment(p).src.address.offset += 16; }},
        {"aligned.src", "a pitch that is aligned less, and is read with", half, [](Problem& q, Plan&) { q.buffers[0].align = Bytes{8}; }},
        {"bounds.src", "an element less in memory", each,
         [](Problem& q, Plan&) { q.buffers[0].symbolic_capacity = q.buffers[0].symbolic_capacity->plus(-1); }},
        {"predicate", "zeros that nobody asked for", half,
         [](Problem& q, Plan&) {
             q.copies[0].zero_fill = false;
             q.copies[0].src.region.clipped.clear();
             q.copies[0].src.region.symbolic_extent.clear();
         }},
    };
    for (const Miss& one : misses) {
        CAPTURE(one.what);
        Problem problem = problem_of(one.fill);
        Plan plan = planned(problem);
        REQUIRE(verify(problem, plan).verdict() == Verdict::proved);
        one.damage(problem, plan);
        REQUIRE(!check_problem(problem));
        REQUIRE(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        INFO(open_findings(report));
        CHECK(report.conflicts.empty());
        CHECK(finding(report, one.obligation).verdict == Verdict::refuted);
        for (const VerifyOptions& options : {smt_alone(), exhaustive_alone()})
            CHECK(verify(problem, plan, options).verdict() != Verdict::proved);
    }
    // Registers of one row too many, in a thread that the region does not have: nothing in the digits shows it.
    const Problem problem = problem_of(half);
    Plan plan = planned(problem);
    zeros(plan).beyond = Beyond::zero_lanes;
    REQUIRE(check_plan(problem, plan));
    CHECK(check_plan(problem, plan)->text == "the plan of copy 'copy0' splits the lanes of an access that is no cp.async");
}

TEST_CASE("zeros in registers: a plan is not the widest where what is read, and what is filled, has wider runs") {
    const Problem problem = problem_of(Fill{"\"S[(4,32):(1,1@laneid)]\"", "\"(4,32):(1,4)\"", "d1 < 20", "", "f32"});
    CHECK(solve(problem).copies[0].width.count == 128);
    const std::optional<CopyPlan> narrow = plan_registers(problem, problem.copies[0], Bits{32});
    REQUIRE(narrow);
    Plan plan = planned(problem);
    plan.copies[0] = *narrow;
    const Report report = verify(problem, plan);
    CHECK(open_findings(report) == "");
    CHECK(report.copies[0].widest->verdict == Verdict::refuted);
}

TEST_CASE("zeros in registers: what is read decides on the order, and lanes that only fill have any") {
    // Behind the bound the swizzle would order the registers otherwise: nothing is read there.
    const Fill fill{
        "\"(16,4):(1@laneid,1)\"", "\"Sw<1,1,2> o (16,4):(4,1)\"", "d0 < 2", "", "f32", "A", "scope = \"warp\"", "", "R", "shared"};
    const Problem problem = problem_of(fill);
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].width.count == 128);
    CHECK(open_findings(verify(problem, solution.plan())) == "");
    CHECK(verify(problem, solution.plan()).copies[0].widest->verdict == Verdict::proved);
    CHECK(fault_at(problem, solution.plan(), {}) == "");
}

TEST_CASE("random zeros in registers: what is proved does the copy, and nothing wider is legal") {
    RandomRegisters draw{std::mt19937(31)};
    int planned_ones = 0, proved = 0, refuted = 0, open = 0, changed = 0, symbolic = 0, narrow = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 700; i < most; ++i) {
        CAPTURE(i);
        std::optional<Problem> problem = draw.draw();
        if (!problem || problem->buffer(problem->copies[0].dst).space != Space::registers) continue;
        if (draw.below(2) == 0) draw.add_predicate(*problem);
        if (draw.below(2) == 0) draw.add_symbols(*problem);
        if (!draw.fill(*problem) || check_problem(*problem) || rejection(*problem, problem->copies[0]) ||
            sample_values(*problem, 1).empty())
            continue;
        INFO(problem_json(*problem));
        const Solution solution = solve(*problem);
        if (!solution.complete()) continue;
        ++planned_ones;
        const bool has_symbols = is_symbolic(*problem, problem->copies[0]);
        symbolic += has_symbols ? 1 : 0;
        Plan plan = solution.plan();
        REQUIRE_FALSE(check_plan(*problem, plan).has_value());
        const Certified right = verify_and_certify(*problem, plan);
        CHECK(right.report.conflicts.empty());
        for (const Finding& finding : right.report.copies[0].findings) {
            INFO(finding.obligation, ": ", finding.counterexample ? finding.counterexample->text : finding.reason);
            CHECK(finding.verdict != Verdict::refuted);
        }
        if (!has_symbols) {
            CHECK(right.report.copies[0].widest->verdict == Verdict::proved);
            const Problem read = moved_part(*problem, problem->copies[0]);
            const std::int64_t of_read = oracle::widest_with_registers(read, read.copies[0]).width_bits;
            CHECK(of_read >= solution.copies[0].width.count);
            narrow += of_read > solution.copies[0].width.count ? 1 : 0;
        }
        if (right.plan)
            for (const Values& values : sample_values(*problem, 3)) CHECK(fault_at(*problem, plan, values) == "");
        draw.damage(plan.copies[0].segments[0]);
        if (draw.below(4) == 0)
            for (Bound& bound : plan.copies[0].segments[0].predicate)
                bound.beyond = bound.beyond == Beyond::zeros ? Beyond::nothing : Beyond::zeros;
        if (check_plan(*problem, plan)) continue;
        const Certified damaged = verify_and_certify(*problem, plan);
        for (const std::string& conflict : damaged.report.conflicts) FAIL_CHECK(conflict);
        const Verdict verdict = damaged.report.verdict();
        (verdict == Verdict::proved ? proved : verdict == Verdict::refuted ? refuted : open) += 1;
        if (!damaged.plan) continue;
        changed += plan.copies[0].segments == solution.plan().copies[0].segments ? 0 : 1;
        for (const Values& values : sample_values(*problem, 6)) CHECK(fault_at(*problem, plan, values) == "");
    }
    MESSAGE(planned_ones, " planned (", symbolic, " with symbols, ", narrow, " narrower than what is read); damaged: ", proved, " proved (",
            changed, " of them not the planner's), ", refuted, " refuted, ", open, " open");
    CHECK(planned_ones > 60);
    CHECK(symbolic > 20);
    CHECK(refuted > 40);
}

}  // namespace tileproof
