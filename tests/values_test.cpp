// Few values: where the symbols have so few values that each can be looked at, enumeration decides what no proof does; nothing that
// looks at several teams, and nothing that rests on an empty region.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layouts/symbolic.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/symbol_problems.hpp"
#include "verify/used.hpp"

namespace tileproof {
namespace {

using namespace test;

const std::string tile_64 = "layout = \"(64,64):(64,1)\"";

Problem within(const std::string& symbols, const std::string& a, const std::string& src, const std::string& dst,
               const std::string& more = "") {
    return parsed("[target]\narch = \"sm_90\"\n[launch]\nblock = 64\n[symbols]\n" + symbols +
                      "\n[buffers.A]\nspace = \"shared\"\ndtype = \"f16\"\n" + a + "\n[[copies]]\nsrc = \"" + src + "\"\ndst = \"" + dst +
                      "\"\nscope = \"warp\"\n" + more,
                  "within");
}

Plan planned(const Problem& problem) {
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    return solution.plan();
}

const Segment& segment(const Plan& plan) { return plan.copies[0].segments[0]; }

Finding found(const Problem& problem, const Plan& plan, const std::string& id, const VerifyOptions& options = {}) {
    const Report report = verify(problem, plan, options);
    CHECK(report.conflicts.empty());
    for (const Finding& finding : report.copies[0].findings)
        if (finding.obligation == id) return finding;
    FAIL("no finding ", id);
    return {};
}

/// Groups of 12 rows of 32 elements: 768 elements are no whole periods of the swizzle.
Problem swizzled_groups() {
    return parsed(R"toml([target]
arch = "sm_90"
[launch]
block = 64
[buffers.A]
space = "global"
dtype = "f16"
layout = "(24,32):(32,1)"
[buffers.As]
space = "shared"
dtype = "f16"
layout = "Sw<3,3,3> o (24,32):(32,1)"
[[copies]]
src = "A[12*group:+12, :]"
dst = "As[12*group:+12, :]"
scope = "warp"
group = "each"
)toml",
                  "swizzled_groups");
}

}  // namespace

TEST_CASE("values: all of them, or none") {
    const auto all = [](const std::string& symbols, const std::string& facts, std::size_t most) {
        return all_values(problem_of("v", symbols, facts, rows, tile), most);
    };
    CHECK(all("ld = { min = 64, max = 96, multiple_of = 8 }", "", 5) == std::vector<Values>{{64}, {72}, {80}, {88}, {96}});
    CHECK(!all("ld = { min = 64, max = 96, multiple_of = 8 }", "", 4));
    CHECK(all("ld = { min = 64, max = 96, multiple_of = 8 }", "\"ld % 16 == 0\"", 4) == std::vector<Values>{{64}, {80}, {96}});
    CHECK(all("ld = { min = 64, max = 65 }\np = { min = -7, max = 7, multiple_of = 3 }", "\"p != 0\"", 8) ==
          std::vector<Values>{{64, -6}, {64, -3}, {64, 3}, {64, 6}, {65, -6}, {65, -3}, {65, 3}, {65, 6}});
    CHECK(!all(any_ld, "\"ld == 64\"", 64));  // one, but nobody looks for it among all
    CHECK(all("ld = { min = 65, max = 71, multiple_of = 8 }", "", 64) == std::vector<Values>{});
}

TEST_CASE("values: what no proof decides is decided at each") {
    const Problem groups = swizzled_groups();
    CHECK(found(groups, planned(groups), "bounds.dst").by == std::vector<std::string>{"exhaustive"});
    CHECK(verify(groups, planned(groups)).verdict() == Verdict::proved);

    const auto rows_of = [](const std::string& range) {
        return within("ld = { " + range + " }", "layout = \"(64,64):(ld,1)\"\ncapacity = 65536", "A[0:16, :]", "A[32:48, :]");
    };
    const Problem few = rows_of("min = 64, max = 568, multiple_of = 8"), many = rows_of("min = 64, max = 576, multiple_of = 8");
    const Finding at_each = found(few, planned(few), "no-alias");
    CHECK(at_each.verdict == Verdict::proved);
    CHECK(at_each.by == std::vector<std::string>{"exhaustive"});
    CHECK(verify(few, planned(few)).verdict() == Verdict::proved);
    const Finding at_some = found(many, planned(many), "no-alias");
    CHECK(at_some.verdict == Verdict::unknown);
    CHECK(at_some.reason.find("none of 16 samples refutes it") != std::string::npos);

    VerifyOptions enumeration_alone, smt_alone;
    enumeration_alone.smt = false;
    smt_alone.exhaustive = false;
    CHECK(found(few, planned(few), "no-alias", enumeration_alone).verdict == Verdict::proved);
    CHECK(found(few, planned(few), "no-alias", smt_alone).verdict == Verdict::unknown);
    // With two solvers it is one opinion.
    VerifyOptions strict;
    strict.second = SecondSolver{"never", [](const std::string&) { return SecondAnswer{SolverAnswer::unsat, ""}; }};
    CHECK(found(few, planned(few), "no-alias", strict).verdict == Verdict::unknown);
}

TEST_CASE("values: the one that is wrong is found") {
    // Row 50 moves one column on, in its own row, and all others to it.
    const Problem problem = within("r = { min = 0, max = 63 }", tile_64, "A[r:+1, 0:32]", "A[50:51, 1:33]");
    const Finding alias = found(problem, planned(problem), "no-alias");
    CHECK(alias.verdict == Verdict::refuted);
    REQUIRE(alias.counterexample.has_value());
    CHECK(alias.counterexample->symbols == Values{50});
    const Problem without = within("r = { min = 0, max = 48 }", tile_64, "A[r:+1, 0:32]", "A[50:51, 1:33]");
    CHECK(found(without, planned(without), "no-alias").verdict == Verdict::proved);
}

TEST_CASE("values: what several groups do is not seen in one of them") {
    // Group 0 writes the rows that group 1 reads.
    const Problem problem = within("", tile_64, "A[16*group:+16, :]", "A[16*group + 16:+16, :]", "group = \"each\"\n");
    CHECK(found(problem, planned(problem), "no-alias").verdict != Verdict::proved);
}

TEST_CASE("values: where the region is empty nothing may run") {
    const Problem problem = problem_of("e", "n = { min = 0, max = 64, multiple_of = 64 }", "", tile, tile, "f16", "A[:, 0:n]", "B[:, 0:n]");
    Plan plan = planned(problem);
    CHECK(verify(problem, plan).verdict() == Verdict::proved);
    plan.copies[0].segments[0].predicate.clear();  // right where all columns are there; where there is none, it moves them too
    const Finding predicate = found(problem, plan, "predicate");
    CHECK(predicate.verdict == Verdict::refuted);
    REQUIRE(predicate.counterexample.has_value());
    CHECK(predicate.counterexample->text ==
          "with n = 0: lane 0 of thread 0 in round 0 runs at box coordinate (0,0), outside the box (16,0)");
    for (const char* id : {"covers", "disjoint"}) CHECK(found(problem, plan, id).verdict == Verdict::unknown);
}

TEST_CASE("values: what lies outside its layout is right in nothing") {
    const Problem problem =
        problem_of("o", "n = { min = 0, max = 128, multiple_of = 64 }", "", tile, tile, "f16", "A[:, 0:n]", "B[:, 0:n]");
    const Plan plan = planned(problem);
    CHECK(found(problem, plan, "bounds.dst").verdict == Verdict::refuted);
    for (const char* id : {"address.dst", "covers", "disjoint"}) CHECK(found(problem, plan, id).verdict == Verdict::unknown);
}

TEST_CASE("values: nothing is weakened that only they decide") {
    // Rows 0, 8, 16, ... of a swizzled tile are where they would be without the swizzle, and no others.
    const std::string swizzled = "layout = \"Sw<3,3,3> o (64,64):(64,1)\"\nalign = 1024";
    const Problem problem = within("r = { min = 0, max = 56, multiple_of = 8 }",
                                   swizzled + "\n[buffers.B]\nspace = \"global\"\ndtype = \"f16\"\n" + tile_64, "B[r:+1, :]", "A[r:+1, :]");
    Plan plan = planned(problem);
    for (Segment& s : plan.copies[0].segments) s.dst.address.swizzle = Swizzle();
    const Certified certified = verify_and_certify(problem, plan);
    REQUIRE(certified.plan.has_value());
    CHECK(found(problem, plan, "address.dst").by == std::vector<std::string>{"exhaustive"});
    CHECK(with_needed_assumptions(*certified.plan).symbols[0].multiple_of == 8);
}

TEST_CASE("values: extents that may be 0, and dimensions of extent 1") {
    // A dimension of extent 1 has no iters.
    const Problem one = problem_of("one", "p = { min = 0, max = 1 }", "", "layout = \"(4,16):(64,1)\"", "layout = \"(1,16):(72,1)\"", "f16",
                                   "A[0:p, :]", "B[0:p, :]");
    CHECK(verify(one, planned(one)).verdict() == Verdict::proved);
    CHECK(segment(planned(one)).src.width == Bits{128});
    // Nothing is filled where the region is empty.
    const Problem fills = parsed(
        "[target]\narch = \"sm_90\"\n[symbols]\nn = { min = 0, max = 16 }\nk = { min = 0, max = 66, multiple_of = 2 }\n"
        "[buffers]\nA = { space = \"global\", dtype = \"f16\", layout = \"(16,66):(66,1)\" }\n"
        "B = { space = \"shared\", dtype = \"f16\", layout = \"(16,66):(66,1)\" }\n"
        "[[copies]]\nsrc = \"A[0:n, :]\"\ndst = \"B[0:n, :]\"\nscope = \"warp\"\npredicate = \"d1 < k\"\nzero_fill = true\n",
        "fills");
    CHECK(verify(fills, planned(fills)).verdict() == Verdict::proved);
    CHECK(segment(planned(fills)).src.width == Bits{32});
}

TEST_CASE("values: widths are decided at each") {
    // Lanes of 64 bits lie across chunks of 4 elements; in these rows the swizzle moves whole ones.
    const Problem rows_8 = parsed(
        "[target]\narch = \"sm_90\"\n[symbols]\na = { min = 1, max = 21, multiple_of = 2 }\n[buffers]\n"
        "A = { space = \"shared\", dtype = \"u8\", layout = \"Sw<2,2,2> o (56,24):(32,1)\" }\n"
        "B = { space = \"shared\", dtype = \"u8\", layout = \"(8,8):(8,1)\" }\n"
        "[[copies]]\nsrc = \"A[a + 8:+8, 0:+8]\"\ndst = \"B\"\nscope = \"cta\"\nthreads = 24\n",
        "rows_8");
    CHECK(segment(planned(rows_8)).src.width == Bits{64});
    CHECK(verify(rows_8, planned(rows_8)).verdict() == Verdict::proved);
    // Of the three ends that there are the last that is tried is odd.
    const Problem ends = parsed(
        "[target]\narch = \"sm_90\"\n[symbols]\nm = { min = 17, max = 23 }\nn = { min = 16, max = 18 }\nk = { min = 0, max = 5 }\n"
        "[buffers]\nA = { space = \"global\", dtype = \"f16\", layout = \"(10,32):(32,1)\" }\n"
        "B = { space = \"shared\", dtype = \"f16\", layout = \"(10,32):(32,1)\" }\n"
        "[[copies]]\nsrc = \"A[0:5, 0:25]\"\ndst = \"B[0:5, 0:25]\"\nscope = \"warp\"\npredicate = \"d1 < n\"\n",
        "ends");
    const Solution solution = solve(ends);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].undecided.empty());
    REQUIRE(!solution.copies[0].refused.empty());
    CHECK(solution.copies[0].refused.back().text.rfind("with m = 17, n = 17, k = 0: ", 0) == 0);
}

TEST_CASE("values: a swizzle below the width, the same on both sides at each, is undone in code too") {
    // Rows that lie a multiple of 4 apart have the same order within 4 elements.
    const Problem problem = parsed(
        "[target]\narch = \"sm_90\"\n[symbols]\na = { min = 0, max = 7 }\n[buffers]\n"
        "A = { space = \"global\", dtype = \"u8\", layout = \"Sw<2,0,5> o (64,32):(32,1)\" }\n"
        "B = { space = \"global\", dtype = \"u8\", layout = \"Sw<2,0,5> o (64,32):(32,1)\" }\n"
        "[[copies]]\nsrc = \"A[a + 4:+8, :]\"\ndst = \"B[a:+8, :]\"\nscope = \"warp\"\n",
        "swizzled");
    const Plan plan = planned(problem);
    CHECK(segment(plan).src.width == Bits{128});
    CHECK(verify(problem, plan).verdict() == Verdict::proved);
    for (std::int64_t a = 0; a < 8; ++a) CHECK(Bench(problem, plan, {a}).difference() == "");
    // A row further, and the orders differ.
    Problem other = problem;
    other.copies[0].src.region.start[0] = other.copies[0].src.region.start[0].plus(1);
    CHECK(segment(planned(other)).src.width == Bits{8});
}

TEST_CASE("values: what is said of the launch has to follow from what is left") {
    const Problem problem = parsed(
        "[target]\narch = \"sm_90\"\n[launch]\ngrid = [1]\nrow = { from = \"ctaid.x\", times = 8 }\n"
        "[symbols]\nm = { min = 0, max = 64 }\n[assume]\nfacts = [\"m % 8 == 0\", \"(m + row) % 8 == 0\"]\n"
        "[buffers]\nA = { space = \"global\", dtype = \"f16\", layout = \"(4,128):(128,1)\" }\n"
        "B = { space = \"global\", dtype = \"f16\", layout = \"(4,128):(128,1)\" }\n"
        "[[copies]]\nsrc = \"A[:, m:+64]\"\ndst = \"B[:, m:+64]\"\nscope = \"warp\"\n",
        "launch");
    const Certified certified = verify_and_certify(problem, planned(problem));
    REQUIRE(certified.plan.has_value());
    const Problem weaker = with_needed_assumptions(*certified.plan);
    CHECK(all_values(weaker, 64) == std::vector<Values>{{0, 0}, {0, 8}, {0, 16}, {0, 24}, {0, 32}, {0, 40}, {0, 48}, {0, 56}, {0, 64}});
    CHECK(std::any_of(weaker.facts.begin(), weaker.facts.end(),
                      [&](const Fact& fact) { return to_string(fact, weaker.symbols) == "(m) % 8 == 0"; }));
}

TEST_CASE("values: an address that no plan file could say is not proved") {
    const Problem problem = problem_of("far", "p = { min = 1073741824, max = 1073741832, multiple_of = 8 }", "",
                                       "layout = \"(16,16):(p,1)\", capacity = 100000000000", "layout = \"(16,16):(16,1)\"", "f16",
                                       "A[1073741832 - p:+1, :]", "B[0:+1, :]");
    CHECK(found(problem, planned(problem), "overflow").verdict == Verdict::unknown);
}

}  // namespace tileproof
