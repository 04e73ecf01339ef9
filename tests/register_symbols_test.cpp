// Copies between registers and memory where symbols say where the memory is: the widest of all values, proofs for all of them that
// damaged plans do not pass, and code that a machine runs at several.
#include <doctest/doctest.h>

#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/at_samples.hpp"
#include "tests/corpus.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_registers.hpp"
#include "tests/register_oracle.hpp"
#include "verify/used.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

/// Everything that is promised; its solution.
CopySolution holds(const Problem& problem) {
    INFO(problem_json(problem));
    const Solution solution = solve(problem);
    CopySolution out = solution.copies[0];
    if (out.rejection) {
        CHECK((out.rejection->rule == "unsupported" || out.rejection->rule == "dst-overlaps" || out.rejection->rule == "sub-byte-edge"));
        return out;
    }
    for (const Refusal& refusal : out.refused) {
        if (!refusal.witness || refusal.witness->symbols.empty()) continue;
        const Values& values = refusal.witness->symbols;
        CHECK(are_allowed(problem, values));
        const Problem one = at(problem, values);
        const oracle::RegisterAnswer wanted = oracle::widest_with_registers(one, one.copies[0]);
        INFO("at ", to_string(values, problem.symbols));
        CHECK((wanted.overlaps || wanted.width_bits < refusal.width.count));
        const auto same =
            std::find_if(wanted.refused.begin(), wanted.refused.end(), [&](const auto& each) { return each.first == refusal.width.count; });
        const bool is_small = same != wanted.refused.end() && same->second == "count" &&
                              !problem.copies[0].src.region.clipped.empty();  // what a predicate leaves
        if (!wanted.overlaps && same != wanted.refused.end() && !is_small) CHECK(same->second == refusal.rule);
    }
    if (!out.plan) {
        CHECK_FALSE(out.undecided.empty());
        return out;
    }
    REQUIRE_FALSE(check_plan(problem, solution.plan()).has_value());
    const Certified certified = verify_and_certify(problem, solution.plan());
    CHECK(certified.report.conflicts.empty());
    const bool has_swizzle =
        std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& b) { return !b.layout.swizzle.is_identity(); });
    for (const Finding& finding : certified.report.copies[0].findings) {
        if (finding.verdict == Verdict::proved) continue;
        INFO(finding.obligation, ": ", finding.counterexample ? finding.counterexample->text : finding.reason);
        // The planner looks for shared places at samples only; and a swizzle keeps inside its last whole period for sure.
        CHECK((finding.obligation == "disjoint" || (finding.obligation.rfind("bounds", 0) == 0 && has_swizzle)));
    }
    if (certified.report.copies[0].verdict() != Verdict::proved) return out;
    for (const Values& values : sample_values(problem, 12)) {
        const Problem one = at(problem, values);
        if (moved(one.copies[0]) >= Elements{1}) CHECK(oracle::widest_with_registers(one, one.copies[0]).width_bits >= out.width.count);
    }
    CHECK(at_samples(problem, solution.plan(), 4) == "");
    return out;
}

/// Of buffers and copies; R is in registers.
Problem file(const std::string& symbols, const std::string& buffers, const std::string& src, const std::string& dst,
             const std::string& keys = "scope = \"warp\"", const std::string& launch = "") {
    return corpus::read("registers", "[target]\narch = \"sm_90\"\n" + launch + "[symbols]\n" + symbols + "\n[buffers]\n" + buffers +
                                         "\n[[copies]]\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\n" + keys + "\n")
        .problem;
}

const std::string rows = "R = { space = \"register\", dtype = \"f16\", layout = \"(32,16):(1@laneid,1)\" }\n";
std::string global(const std::string& layout, const std::string& more = "") {
    return "A = { space = \"global\", dtype = \"f16\", layout = \"" + layout + "\"" + more + " }";
}
std::string pitch_of(int multiple) { return "ld = { min = 16, max = 4096, multiple_of = " + std::to_string(multiple) + " }"; }

}  // namespace

TEST_CASE("the pitch decides the width") {
    for (const auto& [multiple, width] : {std::pair{1, 16}, std::pair{2, 32}, std::pair{4, 64}, std::pair{8, 128}, std::pair{24, 128}}) {
        const Problem problem = file(pitch_of(multiple), rows + global("(32,16):(ld,1)"), "R", "A");
        const CopySolution out = holds(problem);
        CHECK(out.width.count == width);
        CHECK(out.undecided == "");
        CHECK(not_proved(verify(problem, solve(problem).plan())) == "");
        const Problem back = file(pitch_of(multiple), rows + global("(32,16):(ld,1)"), "A", "R");
        CHECK(holds(back).width.count == width);
        CHECK(not_proved(verify(back, solve(back).plan())) == "");
        if (multiple >= 8) continue;
        REQUIRE_FALSE(out.refused.empty());
        CHECK(out.refused.back().rule == "stride");
        CHECK(out.refused.back().witness->symbols == Values{multiple == 1 ? 17 : multiple == 2 ? 18 : 20});
        CHECK(out.refused.back().witness->thread == 1);
    }
}

TEST_CASE("regions that start at symbols, offsets, and the index of the block") {
    const std::string many = "r = { min = 0, max = 96 }\nc = { min = 0, max = 112, multiple_of = 8 }\n" + pitch_of(8);
    CHECK(holds(file(many, rows + global("(128,128):(ld,1)", ", capacity = \"128*ld + 128\""), "A[r:+32, c:+16]", "R")).width.count == 128);
    CHECK(holds(file("c = { min = 0, max = 112, multiple_of = 4 }", rows + global("(32,128):(128,1)"), "A[:, c:+16]", "R")).width.count ==
          64);
    CHECK(holds(file("p = { min = 0, max = 64, multiple_of = 2 }", rows + global("(32,16):(16,1) + p"), "R", "A")).width.count == 32);
    const std::string launch =
        "[launch]\ngrid = [4, 2]\nrow = { from = \"ctaid.x\", times = 32 }\ncol = { from = \"ctaid.y\", times = 16 }\n";
    const Problem tiles = file("ld = { min = 32, max = 4096, multiple_of = 8 }", rows + global("(128,32):(ld,1)"), "R",
                               "A[row:+32, col:+16]", "scope = \"warp\"", launch);
    CHECK(solve(tiles).copies[0].width.count == 128);
    CHECK(not_proved(verify(tiles, solve(tiles).plan())) == "");
    Bench bench(tiles, solve(tiles).plan());
    for (const std::int64_t ld : {32, 72}) {
        bench.values = {0, 0, 0};
        for (std::size_t i = 0; i < tiles.symbols.size(); ++i)
            if (!tiles.symbols[i].index) bench.values[i] = ld;
        CHECK(bench.difference(true, 7) == "");
    }
    CHECK(bench.assembly_errors() == "");
    // Two blocks would write one place.
    const Problem clash = file("ld = { min = 16, max = 4096, multiple_of = 8 }", rows + global("(128,32):(ld,1)"), "R", "A[row:+32, 0:16]",
                               "scope = \"warp\"", launch);
    CHECK(not_proved(verify(clash, solve(clash).plan())).find("disjoint refuted") == 0);
}

TEST_CASE("fragments, gaps, replicas and shared memory") {
    const std::string fragment = "R = { space = \"register\", dtype = \"f32\", layout = \"TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)\" }\n";
    CHECK(holds(file("ld = { min = 8, max = 512, multiple_of = 2 }",
                     fragment + "A = { space = \"global\", dtype = \"f32\", layout = \"(16,8):(ld,1)\" }", "R", "A"))
              .width.count == 64);
    CHECK(holds(file("ld = { min = 8, max = 512 }", fragment + "A = { space = \"global\", dtype = \"f32\", layout = \"(16,8):(ld,1)\" }",
                     "R", "A"))
              .width.count == 32);
    CHECK(holds(file("ld = { min = 8, max = 64, multiple_of = 2 }",
                     fragment + "A = { space = \"shared\", dtype = \"f32\", layout = \"(16,8):(ld,1)\", capacity = 1024 }", "A", "R"))
              .width.count == 64);
    const std::string gaps = "R = { space = \"register\", dtype = \"f32\", layout = \"(8,4):(4@laneid,1) + 3@laneid\" }\n";
    for (const bool loads : {false, true}) {
        const Problem problem =
            file("ld = { min = 4, max = 512, multiple_of = 4 }",
                 gaps + "A = { space = \"global\", dtype = \"f32\", layout = \"(8,4):(ld,1)\" }", loads ? "A" : "R", loads ? "R" : "A");
        CHECK(holds(problem).width.count == 128);
        CHECK(not_proved(verify(problem, solve(problem).plan())) == "");
    }
    const std::string backwards = "R = { space = \"register\", dtype = \"f32\", layout = \"(32,4):(-1@laneid,1) + 31@laneid\" }\n";
    const Problem turned = file("ld = { min = 4, max = 512, multiple_of = 4 }",
                                backwards + "A = { space = \"global\", dtype = \"f32\", layout = \"(32,4):(ld,1)\" }", "R", "A");
    CHECK(holds(turned).width.count == 128);
    CHECK(not_proved(verify(turned, solve(turned).plan())) == "");
    const std::string twice = "R = { space = \"register\", dtype = \"f32\", layout = \"S[(8,4):(1@laneid,1)] + R[4:8@laneid]\" }\n";
    for (const bool loads : {false, true}) {
        const Problem problem =
            file("ld = { min = 4, max = 512, multiple_of = 4 }",
                 twice + "A = { space = \"global\", dtype = \"f32\", layout = \"(8,4):(ld,1)\" }", loads ? "A" : "R", loads ? "R" : "A");
        CHECK(holds(problem).width.count == 128);
        CHECK(not_proved(verify(problem, solve(problem).plan())) == "");
    }
    CHECK(holds(file("ld = { min = 64, max = 512, multiple_of = 8 }",
                     "R = { space = \"register\", dtype = \"f16\", layout = \"(32,64):(1@laneid,1)\" }\nA = { space = \"shared\", dtype = "
                     "\"f16\", layout = \"Sw<3,3,3> o (32,64):(ld,1)\", capacity = 16384 }",
                     "R", "A"))
              .width.count == 128);
}

TEST_CASE("a predicate cuts the tail off, wherever registers and threads come and go along it") {
    const std::string symbols =
        "row = { min = 0, max = 960, multiple_of = 16 }\nm = { min = 1, max = 1000 }\nn = { min = 0, max = 64, multiple_of = 2 }\nld = { "
        "min = 64, max = 4096, multiple_of = 8 }";
    const std::string accumulators =
        "R = { space = \"register\", dtype = \"f32\", layout = \"S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]\", shape = [64, "
        "32] }\n";
    const std::string c = "A = { space = \"global\", dtype = \"f32\", layout = \"(1000,64):(ld,1)\", capacity = \"m*ld\" }";
    for (const bool loads : {false, true}) {
        const std::string src = loads ? "A[row:+64, 0:32]" : "R", dst = loads ? "R" : "A[row:+64, 0:32]";
        for (const auto& one : {std::pair{"row + d0 < m", 64}, std::pair{"row + d0 < m, d1 < n", 64},
                                std::pair{"row + d0 < m, d1 < n + 1", 32}, std::pair{"row + d0 < m, d0 < n, d1 < n, d1 < n + row", 64}}) {
            const std::string predicate = one.first;
            const std::int64_t width = one.second;
            INFO(src, " ", predicate);
            const Problem problem = file(symbols, accumulators + c, src, dst, "scope = \"warpgroup\"\npredicate = \"" + predicate + "\"");
            CHECK(holds(problem).width.count == width);
            CHECK(not_proved(verify(problem, solve(problem).plan())) == "");
            for (const Values& values : {Values{0, 1, 32, 64}, Values{960, 1000, 2, 72}, Values{48, 97, 64, 64}, Values{16, 20, 0, 128}})
                CHECK(fault_at(problem, solve(problem).plan(), values) == "");
        }
    }
    const std::string straight = "m = { min = 0, max = 40, multiple_of = 4 }";
    const Problem columns = file(straight, rows + global("(32,16):(16,1)"), "R", "A", "scope = \"warp\"\npredicate = \"d1 < m\"");
    CHECK(holds(columns).width.count == 64);
    CHECK(not_proved(verify(columns, solve(columns).plan())) == "");
    const Problem one_row = file(straight, rows + global("(32,16):(16,1)"), "A", "R", "scope = \"warp\"\npredicate = \"d0 < m\"");
    CHECK(holds(one_row).width.count == 128);
    Bench bench(one_row, solve(one_row).plan());
    CHECK(bench.assembly_errors() == "");
    // Lanes along one dimension in two digits: four rows are neighbours, in registers 0 2 1 3.
    const std::string in_two = "R = { space = \"register\", dtype = \"f32\", layout = \"S[(2,2,32):(1,2,1@laneid)]\", shape = [4, 32] }\n";
    const Problem two =
        file("m = { min = 0, max = 8, multiple_of = 2 }", in_two + "A = { space = \"global\", dtype = \"f32\", layout = \"(4,32):(1,4)\" }",
             "R", "A", "scope = \"warp\"\npredicate = \"d0 < m\"");
    CHECK(holds(two).width.count == 64);
    CHECK(not_proved(verify(two, solve(two).plan())) == "");
    // Registers of a dimension that the region does not have.
    CHECK(parse_problem(
              {"x.toml", "[target]\narch = \"sm_90\"\n[symbols]\nm = { min = 0, max = 40 }\n[buffers]\n" + rows + global("(64,16):(16,1)") +
                             "\n[[copies]]\nsrc = \"A[0:64, :]\"\ndst = \"R[0:64, :]\"\nscope = \"warp\"\npredicate = \"d0 < m\"\n"},
              "x")
              .error()
              .rule == "region-outside");
}

TEST_CASE("each group of the block has registers of its own") {
    const std::string launch = "[launch]\nblock = 128\n", each = "scope = \"warp\"\ngroup = \"each\"",
                      ld = "ld = { min = 16, max = 4096, multiple_of = 8 }";
    const auto runs_in_all = [](const Problem& problem, const std::map<std::string, std::int64_t>& values) {
        Bench bench(problem, solve(problem).plan());
        for (const Symbol& symbol : problem.symbols) bench.values.push_back(symbol.index ? 0 : values.at(symbol.name));
        CHECK(not_proved(verify(problem, bench.plan)) == "");
        CHECK(bench.assembly_errors() == "");
        return bench.difference(true, 7);
    };
    for (const bool loads : {false, true}) {
        const std::string tile = "A[32*group:+32, :]";
        const Problem problem = file(ld, rows + global("(128,16):(ld,1)"), loads ? tile : "R", loads ? "R" : tile, each, launch);
        CHECK(solve(problem).copies[0].width == Bits{128});
        for (const std::int64_t pitch : {16, 24}) CHECK(runs_in_all(problem, {{"ld", pitch}}) == "");
    }
    // All of them load the same.
    const Problem same = file(ld, rows + global("(32,16):(20,1)"), "A", "R", each, launch);
    CHECK(solve(same).copies[0].width == Bits{64});
    CHECK(runs_in_all(same, {{"ld", 16}}) == "");
    const Problem clash = file(ld, rows + global("(32,16):(24,1)"), "R", "A", each, launch);
    CHECK(not_proved(verify(clash, solve(clash).plan())).find("disjoint refuted") == 0);
    const Problem threads = file(ld, "R = { space = \"register\", dtype = \"f16\", layout = \"(16):(1)\" }\n" + global("(128,16):(ld,1)"),
                                 "R", "A[group, :]", "scope = \"thread\"\ngroup = \"each\"", launch);
    CHECK(solve(threads).copies[0].width == Bits{128});
    CHECK(runs_in_all(threads, {{"ld", 40}}) == "");
    const std::string accumulators =
        "R = { space = \"register\", dtype = \"f32\", layout = \"S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]\", shape = [64, "
        "32] }\n";
    const Problem groups =
        file(ld + "\nm = { min = 1, max = 128 }",
             accumulators + "A = { space = \"global\", dtype = \"f32\", layout = \"(128,16):(ld,1)\", capacity = \"m*ld\" }", "R[:, 0:16]",
             "A[64*group:+64, :]", "scope = \"warpgroup\"\ngroup = \"each\"\npredicate = \"64*group + d0 < m\"", "[launch]\nblock = 256\n");
    CHECK(solve(groups).copies[0].width == Bits{64});
    CHECK(runs_in_all(groups, {{"ld", 16}, {"m", 100}}) == "");
    // Threads of the block, or of more than the group, are not each group's.
    for (const char* layout : {"(32,16):(1@tx,1)", "(32,16):(1@tid_in_wg,1)"}) {
        const std::string text = "[target]\narch = \"sm_90\"\n" + launch +
                                 "[buffers]\nR = { space = \"register\", dtype = \"f16\", layout = \"" + layout + "\" }\n" +
                                 global("(128,16):(16,1)") + "\n[[copies]]\nsrc = \"R\"\ndst = \"A[32*group:+32, :]\"\n" + each + "\n";
        CHECK(parse_problem({"x.toml", text}, "x").error().rule == "thread-outside");
    }
}

TEST_CASE("what is refused, why, and what would help") {
    Problem problem = file("ld = { min = 16, max = 4096, multiple_of = 4 }", rows + global("(32,16):(ld,1)"), "R", "A");
    Solution solution = solve(problem);
    add_unlocks(problem, solution);
    const Refusal& refused = solution.copies[0].refused.back();
    CHECK(refused.width == Bits{128});
    CHECK(refused.text.rfind("with ld = 20: thread 1 in round 0 would write A[1,0], at byte 40", 0) == 0);
    REQUIRE(refused.unlock.has_value());
    CHECK(refused.unlock->text == "ld a multiple of 8");
    CHECK(refused.unlock->patch == "{\"symbols\":{\"ld\":{\"multiple_of\":8}}}");
    // Rows that run into each other for some pitch only.
    problem = file("ld = { min = 8, max = 4096, multiple_of = 8 }", rows + global("(32,16):(ld,1)"), "R", "A");
    REQUIRE(solve(problem).copies[0].rejection.has_value());
    CHECK(solve(problem).copies[0].rejection->rule == "dst-overlaps");
    CHECK(solve(problem).copies[0].rejection->text.find("with ld = 8") != std::string::npos);
    // Registers that symbols would choose.
    const auto fault = [](const std::string& text) { return parse_problem({"x.toml", text}, "x").error().text; };
    const std::string head = "[target]\narch = \"sm_90\"\n[symbols]\nk = { min = 0, max = 8 }\n[buffers]\n";
    CHECK(fault(head + "R = { space = \"register\", dtype = \"f16\", layout = \"(32,16):(1@laneid,k)\" }\n" + global("(32,16):(16,1)") +
                "\n[[copies]]\nsrc = \"A\"\ndst = \"R\"\nscope = \"warp\"\n")
              .find("must be numbers") != std::string::npos);
    CHECK(fault(head + rows + global("(32,8):(8,1)") + "\n[[copies]]\nsrc = \"A\"\ndst = \"R[:, k:+8]\"\nscope = \"warp\"\n")
              .find("which registers it is must be known") != std::string::npos);
    problem = file("ld = { min = 64, max = 512, multiple_of = 8 }",
                   "R = { space = \"register\", dtype = \"f16\", layout = \"(32,8):(1@laneid,1)\" }\nA = { space = \"shared\", dtype = "
                   "\"f16\", layout = \"(32,8):(ld,1)\", capacity = 16384 }",
                   "A", "R");
    solution = solve(problem);
    REQUIRE(solution.copies[0].declined.size() == 1);
    CHECK(solution.copies[0].declined[0].variant == "ldstmatrix");
    CHECK(solution.copies[0].width == Bits{128});
}

TEST_CASE("what the proof uses is enough") {
    const Problem problem = file(pitch_of(16), rows + global("(32,16):(ld,1)"), "R", "A");
    const Certified certified = verify_and_certify(problem, solve(problem).plan());
    REQUIRE(certified.plan.has_value());
    const Problem weaker = with_needed_assumptions(*certified.plan);
    CHECK(weaker.symbols[0].multiple_of == 8);
    CHECK(at_samples(weaker, certified.plan->plan(), 6) == "");
}

TEST_CASE("random registers and memory with symbols: what is proved holds at every value, and nothing wider is legal for all") {
    RandomRegisters draw{std::mt19937(22)};
    int planned = 0, proved = 0, undecided = 0, refused_with_values = 0, narrow = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 500; i < most; ++i) {
        CAPTURE(i);
        std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        if (draw.below(3) == 0) draw.add_predicate(*problem);
        draw.add_symbols(*problem);
        const Copy& copy = problem->copies[0];
        if (!is_symbolic(*problem, copy) || check_problem(*problem) || rejection(*problem, copy) || sample_values(*problem, 1).empty())
            continue;
        const CopySolution got = holds(*problem);
        if (!got.plan) continue;
        ++planned;
        undecided += got.undecided.empty() ? 0 : 1;
        proved += verify(*problem, solve(*problem).plan()).copies[0].verdict() == Verdict::proved ? 1 : 0;
        for (const Refusal& one : got.refused) refused_with_values += one.witness && !one.witness->symbols.empty() ? 1 : 0;
        narrow += got.width < Bits{128} ? 1 : 0;
    }
    MESSAGE(planned, " planned, ", proved, " proved, ", undecided, " wider open, ", refused_with_values, " refused by an example, ", narrow,
            " below 128 bits");
    CHECK(planned > 60);
    CHECK(proved * 10 > planned * 9);
    CHECK(undecided * 20 < planned);
    CHECK(refused_with_values > 40);
}

TEST_CASE("random damage to plans of registers and symbols: what is proved still does the copy") {
    RandomRegisters draw{std::mt19937(23)};
    int proved = 0, refuted = 0, open = 0, changed = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 900; i < most; ++i) {
        CAPTURE(i);
        std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        if (draw.below(3) == 0) draw.add_predicate(*problem);
        draw.add_symbols(*problem);
        if (!is_symbolic(*problem, problem->copies[0]) || check_problem(*problem) || rejection(*problem, problem->copies[0]) ||
            sample_values(*problem, 1).empty())
            continue;
        const Solution solution = solve(*problem);
        if (!solution.complete()) continue;
        Plan plan = solution.plan();
        draw.damage(plan.copies[0].segments[0]);
        if (draw.below(3) == 0 && !problem->symbols.empty()) {
            AddressPlan& address = draw.below(2) == 0 ? plan.copies[0].segments[0].src.address : plan.copies[0].segments[0].dst.address;
            const Expression symbol = Expression::symbol(static_cast<int>(draw.below(static_cast<std::int64_t>(problem->symbols.size()))));
            Expression& where =
                address.strides.empty() || draw.below(2) == 0
                    ? address.offset
                    : address.strides[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(address.strides.size())))];
            where = where + symbol.times(draw.one_of<std::int64_t>({1, -1, 8}));
        }
        if (check_plan(*problem, plan)) continue;
        INFO(problem_json(*problem));
        const Certified certified = verify_and_certify(*problem, plan);
        for (const std::string& conflict : certified.report.conflicts) FAIL_CHECK(conflict);
        const Verdict verdict = certified.report.verdict();
        (verdict == Verdict::proved ? proved : verdict == Verdict::refuted ? refuted : open) += 1;
        if (!certified.plan) continue;
        changed += plan.copies[0].segments == solution.plan().copies[0].segments ? 0 : 1;
        CHECK(at_samples(*problem, plan, 8) == "");
    }
    MESSAGE(proved, " proved (", changed, " of them not the planner's), ", refuted, " refuted, ", open, " open");
    CHECK(refuted > 60);
    CHECK(changed > 3);
    CHECK(open * 4 < refuted);
}

}  // namespace tileproof::test
