// Copies with a side in registers: widths and rules by the definition, proofs that mutants do not pass, and code that a machine runs.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "layouts/notation.hpp"
#include "layouts/one_line.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/register_file.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/planned_copy.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_registers.hpp"
#include "tests/register_oracle.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;

/// By vec_auto: some could be done by matrix instructions (tests/matrix_test.cpp).
Problem without_matrices(const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads,
                         const std::string& arch = "sm_90") {
    Problem out = one_line(src, dst, scope, threads, arch);
    out.copies[0].dispatch = "vec_auto";
    return out;
}

Problem file(const std::string& text) { return corpus::read("registers", text).problem; }

/// Runs the code on the CPU, registers and shared memory from an image, and compares every byte with the definition.
std::string runs(const Problem& problem, const Plan& plan) {
    Bench bench(problem, plan);
    return bench.difference(true, 7);
}

/// Everything that is promised of a copy; its solution.
CopySolution holds(const Problem& problem) {
    INFO(problem_json(problem));
    const oracle::RegisterAnswer wanted = oracle::widest_with_registers(problem, problem.copies[0]);
    const Solution solution = solve(problem);
    CopySolution out = solution.copies[0];
    if (wanted.overlaps) {
        REQUIRE(out.rejection.has_value());
        CHECK(out.rejection->rule == "dst-overlaps");
        return out;
    }
    if (out.rejection) {
        CHECK((out.rejection->rule == "unsupported" || (out.rejection->rule == "sub-byte-edge" && wanted.width_bits == 0)));
        return out;
    }
    REQUIRE(out.plan.has_value());
    if (out.undecided.empty()) CHECK(out.width.count == wanted.width_bits);
    else CHECK(out.width.count < wanted.width_bits);
    std::vector<std::pair<int, std::string>> refused;
    for (const Refusal& one : out.refused) {
        refused.emplace_back(static_cast<int>(one.width.count), one.rule);
        if (one.witness && one.witness->address)
            CHECK(*one.witness->address % one.width ==
                  (one.rule == "swizzle-chunk" ? *one.witness->address % one.width : *one.witness->address % *one.witness->modulus));
    }
    CHECK(refused == wanted.refused);
    REQUIRE_FALSE(check_plan(problem, solution.plan()).has_value());
    const Certified certified = verify_and_certify(problem, solution.plan());
    for (const Finding& finding : certified.report.copies[0].findings) {
        INFO(finding.obligation, ": ", finding.counterexample ? finding.counterexample->text : finding.reason);
        CHECK(finding.verdict == Verdict::proved);
    }
    CHECK(certified.report.copies[0].widest->verdict == (out.undecided.empty() ? Verdict::proved : Verdict::refuted));
    CHECK(runs(problem, solution.plan()) == "");
    return out;
}

std::int64_t accesses(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments)
        for (std::int64_t f = 0; f < s.outer; ++f)
            for (std::int64_t t = 0; t < s.threads; ++t) out += is_active(s, digits_at(s, f, t, 0)) ? 1 : 0;
    return out;
}

int width(const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads,
          const std::string& arch = "sm_90") {
    return static_cast<int>(holds(without_matrices(src, dst, scope, threads, arch)).width.count);
}

}  // namespace

TEST_CASE("cases: other projects' copies and bug reports with registers") {
    const json cases = json::parse(std::ifstream(std::string(TILEPROOF_TEST_DATA) + "/register_cases.json"));
    REQUIRE(cases.size() == 36);
    for (const json& one : cases) {
        INFO(one["id"].get<std::string>());
        const CopySolution got = holds(without_matrices(one["src"], one["dst"], one["scope"], one["threads"], one["arch"]));
        CHECK(got.width.count == one["width_bits"]);
        CHECK(accesses(*got.plan) == one["vectors"]);
        if (!one.contains("first_misaligned")) continue;
        const json& first = one["first_misaligned"];
        const Witness& witness =
            *std::find_if(got.refused.begin(), got.refused.end(), [](const Refusal& r) { return r.rule == "stride"; })->witness;
        CHECK(to_string(*witness.side) == first["side"].get<std::string>());
        CHECK(witness.thread == first["thread"]);
        CHECK(witness.round == first["round"]);
        CHECK(to_bytes(*witness.address).count == first["byte"]);
    }
}

TEST_CASE("pitches that misalign rows, of which others read 16 bytes at once") {
    CHECK(width("global f32 (32,8):(9,1)", "register f32 (32,8):(1@laneid,1)", "warp", 32) == 32);
    CHECK(width("global f16 (32,8):(10,1)", "register f16 (32,8):(1@laneid,1)", "warp", 32) == 32);
    CHECK(width("global f16 (32,8):(20,1)", "register f16 (32,8):(1@laneid,1)", "warp", 32) == 64);
    CHECK(width("register f16 (32,8):(1@laneid,1)", "shared f16 (32,8):(24,1)", "warp", 32) == 128);
}

TEST_CASE("registers with gaps, in any order, and narrow elements that are no neighbours") {
    CHECK(width("global f32 (32,2,2):(4,2,1)", "register f32 S[(32,2,2):(1@laneid,2,4)]", "warp", 32) == 128);
    CHECK(width("register f32 (32,4):(1@laneid,-2) + 6", "global f32 (32,4):(4,1)", "warp", 32) == 128);
    CHECK(width("global f32 (32,4):(4,-1) + 3", "register f32 (32,4):(1@laneid,1)", "warp", 32) == 128);
    CHECK(width("register f32 (32,2,2):(1@laneid,1,2)", "shared f32 (32,2,2):(4,-2,-1) + 3", "warp", 32) == 128);
    CHECK(width("global f16 (32,8):(8,1)", "register f16 (32,8):(1@laneid,3)", "warp", 32) == 128);  // every third half
    CHECK(width("register u8 (32,(2,8)):(1@laneid,(8,1))", "global u8 (32,16):(16,1)", "warp", 32) == 128);
    CHECK(width("global u4 (32,8):(8,1)", "register u4 (32,8):(1@laneid,5) + 3", "warp", 32) == 32);
    CHECK(width("register f64 (32,2):(1@laneid,3)", "shared f64 (32,2):(2,1)", "warp", 32) == 128);
    CHECK(width("global f16 (32,1):(1,1)", "register f16 (32,1):(1@laneid,1) + 1", "warp", 32) == 16);
    CHECK(width("register u8 (32,1):(1@laneid,1) + 2", "shared u8 (32,1):(1,1)", "warp", 32) == 8);
    CHECK(width("global f32 (32,8):(8,1) align 32", "register f32 (32,8):(1@laneid,1)", "warp", 32, "sm_100") == 256);
    CHECK(width("global f32 (32,8):(8,1) align 32", "register f32 (32,8):(1@laneid,1)", "warp", 32, "sm_90") == 128);
}

TEST_CASE("threads that are not all, not in order, or not from the first on") {
    CHECK(width("global f32 (8,4):(4,1)", "register f32 (8,4):(4@laneid,1)", "warp", 32) == 128);  // every fourth
    CHECK(width("global f32 (8,4):(4,1)", "register f32 (8,4):(4@laneid,1) + 3@laneid", "warp", 32) == 128);
    CHECK(width("global f32 (32,4):(4,1)", "register f32 (32,4):(-1@laneid,1) + 31@laneid", "warp", 32) == 128);
    CHECK(width("register f32 (32,4):(-1@laneid,1) + 31@laneid", "global f32 (32,4):(4,1)", "warp", 32) == 128);
    CHECK(width("register f32 (32,4):(1@laneid,1) [9:21, :]", "global f32 (12,4):(4,1)", "warp", 32) == 128);
    CHECK(width("global f32 (32,4):(4,1)", "register f32 (32,4):(1@laneid,1) + 1@warpid", "cta", 96) == 128);  // the middle of three warps
    CHECK(width("global f32 (4,8,4):(32,4,1)", "register f32 S[(4,8,4):(1@laneid,4@laneid,1)]", "warp", 32) == 128);
    CHECK(width("register f32 (3,8,2):(1@warpid,4@laneid,1) + 2@laneid", "shared f32 (3,8,2):(16,2,1)", "cta", 128) == 64);
    CHECK(width("global f32 (16):(1)", "register f32 (16):(1)", "cta", 64) == 128);  // all in one thread
    CHECK(width("global f32 (1,4):(4,1)", "register f32 (1,4):(1@laneid,1) + 7@laneid", "warp", 32) == 128);
}

TEST_CASE("replicas: a destination's are all written, a source's are read once") {
    const CopySolution load =
        holds(without_matrices("global f32 (8,4):(4,1)", "register f32 S[(8,4):(1@laneid,1)] + R[4:8@laneid]", "warp", 32));
    CHECK(load.width.count == 128);
    CHECK(accesses(*load.plan) == 32);
    const CopySolution store =
        holds(without_matrices("register f32 S[(8,4):(1@laneid,1)] + R[4:8@laneid]", "global f32 (8,4):(4,1)", "warp", 32));
    CHECK(store.width.count == 128);
    CHECK(accesses(*store.plan) == 8);
    const CopySolution twice =
        holds(without_matrices("global f32 (8,4):(4,1)", "register f32 S[(8,4):(4@laneid,1)] + R[(2,2):(4,2@laneid)]", "warp", 32));
    CHECK(twice.width.count == 128);
    CHECK(accesses(*twice.plan) == 32);
}

TEST_CASE("places that are read several times are in several accesses") {
    CHECK(width("global f32 (32,2,2):(4,1,0)", "register f32 S[(32,2,2):(1@laneid,1,2)]", "warp", 32) == 64);
    CHECK(width("global f32 (32,4):(0,1)", "register f32 (32,4):(1@laneid,1)", "warp", 32) == 128);
    CHECK(width("register f32 (32,4):(1@laneid,0)", "global f32 (32,4):(4,1)", "warp", 32) == 128);
}

TEST_CASE("fragments of mma and wgmma") {
    CHECK(width("register f32 TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)", "shared f32 (16,8):(8,1)", "warp", 32) == 64);
    CHECK(width("register f16 TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)", "shared f16 (16,16):(16,1)", "warp", 32) == 32);
    CHECK(width("shared f16 (8,16):(1,8)", "register f16 TV((4,8),(2,2)):((16,1),(8,64)) of (8,16)", "warp", 32) == 16);
}

TEST_CASE("swizzles that keep runs, tear them, or order registers differently in different threads") {
    CHECK(width("register f16 (128,64):(1@tid_in_wg,1)", "shared f16 Sw<3,3,3> o (128,64):(64,1) align 1024", "warpgroup", 128) == 128);
    CHECK(width("register f16 (128,8):(1@tid_in_wg,1)", "shared f16 Sw<3,2,3> o (128,8):(8,1) align 1024", "warpgroup", 128) == 64);
    // Every other element moves eight further, in the same order of registers everywhere: no block is filled.
    CHECK(width("register f32 (8,4):(1@laneid,1)", "shared f32 Sw<1,0,-3> o (8,4):(16,1)", "warp", 32) == 32);
    // Chunks of two, exchanged in every access alike: one order of registers serves all.
    CHECK(width("register f32 (8,4):(1@laneid,1)", "shared f32 Sw<1,1,1> o (8,4):(8,1) + 4", "warp", 32) == 128);
    CHECK(width("register f32 (8,4):(1@laneid,1)", "shared f32 Sw<1,1,1> o (8,4):(4,1)", "warp", 32) == 64);  // in every other row
}

TEST_CASE("programs: registers stay from copy to copy, and need no barrier") {
    const Problem problem = file(R"toml(
[target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,16):(20,1)" }
R  = { space = "register", dtype = "f16", layout = "(64,16):(1@tx,1)" }
S  = { space = "shared", dtype = "f16", layout = "(64,16):(16,1)" }
Q  = { space = "register", dtype = "f16", layout = "S[(2,32,16):(1@warpid,1@laneid,2)] + 1", shape = [64, 16] }
B  = { space = "global", dtype = "f16", layout = "(64,16):(16,1)" }
C  = { space = "global", dtype = "f16", layout = "(64,16):(16,1)" }
[[copies]]
src = "A"
dst = "R"
scope = "cta"
threads = 64
[[copies]]
src = "R"
dst = "C"
scope = "cta"
threads = 64
[[copies]]
src = "R"
dst = "S"
scope = "cta"
threads = 64
[[copies]]
src = "S"
dst = "Q"
scope = "cta"
threads = 64
[[copies]]
src = "Q[32:64, :]"
dst = "B[32:64, :]"
scope = "warp"
group = 1
[[copies]]
src = "Q[0:32, :]"
dst = "B[0:32, :]"
scope = "warp"
)toml");
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(verify_and_certify(problem, solution.plan()).plan.has_value());
    CHECK(std::count_if(solution.program.begin(), solution.program.end(), [](const Step& step) {
              return std::holds_alternative<Barrier>(step);
          }) == 2);  // before S -> Q, and between the two that write B
    Bench bench(problem, solution.plan());
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors() == "");
}

TEST_CASE("cache hints are on the memory side's instruction, and in the code") {
    const Problem problem = file(R"toml(
[target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(64,16):(20,1)" }
R = { space = "register", dtype = "f16", layout = "S[(64,16):(1@tx,2)]" }
B = { space = "global", dtype = "f16", layout = "(64,16):(16,1)" }
[[copies]]
src = "A"
dst = "R"
scope = "cta"
threads = 64
cache = ["nc", "L2::128B"]
[[copies]]
src = "R"
dst = "B"
scope = "cta"
threads = 64
cache = "L1::no_allocate"
)toml");
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(verify_and_certify(problem, solution.plan()).plan.has_value());
    Bench bench(problem, solution.plan());
    const std::string text = bench.text();
    CHECK(text.find("ld.global.nc.L2::128B.v2.u32") != std::string::npos);
    CHECK(text.find("st.global.L1::no_allocate.v4.u32") != std::string::npos);
    CHECK(text.find("ld.global.v2") == std::string::npos);
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors() == "");
    Plan without = solution.plan();
    without.copies[1].segments[0].dst.instruction = "st.global.v4.u32";
    CHECK_FALSE(verify_and_certify(problem, without).plan.has_value());
}

TEST_CASE("the example") {
    const Loaded loaded = load_problem(TILEPROOF_EXAMPLES "/accumulators_f32.toml");
    REQUIRE(loaded.problem.ok());
    const Problem& problem = loaded.problem.value();
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].width == Bits{64});
    CHECK(solution.copies[1].width == Bits{128});
    CHECK(verify_and_certify(problem, solution.plan()).plan.has_value());
    CHECK(runs(problem, solution.plan()) == "");
}

TEST_CASE("without an image registers that nothing has written are 0, and only those") {
    Problem problem = without_matrices("register f32 (32,4):(1@laneid,1)", "global f32 (32,4):(4,1)", "warp", 32);
    Bench bench(problem, solve(problem).plan());
    const std::string plain = bench.text(), with_image = bench.text({true});
    CHECK(plain.find("mov.b32             %q0_3, 0;") != std::string::npos);
    CHECK(with_image.find("%q0_3, 0;") == std::string::npos);
    CHECK(with_image.find("ld.global.u32       %q0_3") != std::string::npos);
    CHECK(bench.assembly_errors() == "");
}

TEST_CASE("what is refused, and where") {
    const auto rejected = [](const Problem& problem) { return solve(problem).copies[0].rejection.value_or(Diagnostic{"", ""}).rule; };
    CHECK(rejected(without_matrices("register f32 (8):(1)", "register f32 (8):(1)", "thread", 1)) == "unsupported");
    CHECK(rejected(without_matrices("global f32 (32,4):(4,1)", "register f32 (32,4):(1@laneid,0)", "warp", 32)) == "dst-overlaps");
    CHECK(rejected(without_matrices("global f32 (32,2):(2,1)", "register f32 (32,2):(1@laneid,1) capacity 1", "warp", 32)) ==
          "capacity-below-span");
    const auto faulty = [](const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads) {
        const Loaded loaded = load_one_line({src, dst, scope, threads, "sm_90"});
        REQUIRE_FALSE(loaded.problem.ok());
        return loaded.problem.error();
    };
    const Diagnostic outside = faulty("global f32 (64,4):(4,1)", "register f32 (64,4):(1@tx,1)", "warp", 32);
    CHECK(outside.rule == "thread-outside");
    CHECK(outside.text == "element (32,0) of dst is held by thread 32 of the block, and copy0 is done by threads 0 to 31");
    CHECK(faulty("global f32 (32,4):(4@laneid,1)", "register f32 (32,4):(1@laneid,1)", "warp", 32).rule == "thread-axes");
    CHECK(faulty("global f32 (32,256):(256,1)", "register f32 (32,256):(1@laneid,1)", "warp", 32).rule == "too-large");
    CHECK(faulty("global f32 (32,4):(4,1)", "register f32 (32,4):(1@laneid,1) align 16", "warp", 32).rule == "register-key");
    CHECK(faulty("global f32 (32,4):(4,1)", "register f32 Sw<1,0,1> o (32,4):(4,1)", "warp", 32).rule == "unsupported");
}

TEST_CASE("registers of all buffers have to fit a thread") {
    const Problem problem = without_matrices("global f32 (1024,100):(100,1)", "register f32 (1024,100):(1@tx,1)", "cta", 1024);
    const Report report = verify(problem, solve(problem).plan());
    const auto fits = std::find_if(report.program.begin(), report.program.end(), [](const Finding& f) { return f.obligation == "fits"; });
    CHECK(fits->verdict == Verdict::refuted);
    CHECK(report.copies[0].verdict() == Verdict::proved);
}

TEST_CASE("what would lift a refusal is a change of the memory side, and is tried") {
    const auto unlocks = [](const Problem& problem) {
        Solution solution = solve(problem);
        add_unlocks(problem, solution);
        std::map<std::int64_t, std::string> out;
        for (const Refusal& one : solution.copies[0].refused) out[one.width.count] = one.unlock ? one.unlock->text : "";
        return out;
    };
    const auto pitch = unlocks(without_matrices("global f16 (32,16):(20,1)", "register f16 (32,16):(1@laneid,1)", "warp", 32));
    CHECK(pitch.at(128) == "pitch of src a multiple of 8 elements (24 instead of 20)");
    CHECK(pitch.at(256) ==
          "sm_100 or later, base of src aligned to 32 bytes and pitch of src a multiple of 16 elements (32 instead of 20)");
    CHECK(unlocks(without_matrices("global f32 (32,8):(8,1) align 8", "register f32 (32,8):(1@laneid,1)", "warp", 32)).at(128) ==
          "base of src aligned to 16 bytes");
    CHECK(unlocks(without_matrices("register f32 TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)", "shared f32 (16,8):(8,1)", "warp", 32))
              .at(128) == "");
}

TEST_CASE("problems with registers are written and read back") {
    for (const char* dst : {"register f32 S[(2,8,4,2):(2,4@laneid,1@laneid,1)] shape 16,8",
                            "register f32 S[(8,4):(1@laneid,1)] + R[4:8@laneid] capacity 9", "register f32 (32,4):(1@laneid,1)"}) {
        INFO(dst);
        const std::string text = std::string(dst);
        const std::string src = text.find("16,8") != std::string::npos    ? "global f32 (16,8):(8,1)"
                                : text.find("(8,4)") != std::string::npos ? "global f32 (8,4):(4,1)"
                                                                          : "global f32 (32,4):(4,1)";
        const Problem problem = without_matrices(src, dst, "warp", 32);
        const Result<Problem> again = patched(problem, "{}");
        REQUIRE(again.ok());
        CHECK(again.value().buffers[1].layout == problem.buffers[1].layout);
        CHECK(again.value().buffers[1].capacity == problem.buffers[1].capacity);
        CHECK(again.value().buffers[1].space == Space::registers);
    }
}

TEST_CASE("random copies with registers: the width is the definition's, the plan is proved, the code does it") {
    RandomRegisters draw{std::mt19937(20)};
    int planned = 0, refused_wider = 0, rejected = 0, unsupported = 0, open = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 500; i < most; ++i) {
        CAPTURE(i);
        const std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        const CopySolution got = holds(*problem);
        (got.plan ? planned : rejected) += 1;
        unsupported += got.rejection && got.rejection->rule == "unsupported" ? 1 : 0;
        open += got.undecided.empty() ? 0 : 1;
        for (const Refusal& one : got.refused) refused_wider += one.rule.rfind("register", 0) == 0 ? 1 : 0;
    }
    MESSAGE(planned, " planned, ", rejected, " rejected (", unsupported, " unsupported), ", open, " wider open, ", refused_wider,
            " refused for their registers");
    CHECK(planned > 150);
    CHECK(refused_wider > 20);
    CHECK(open * 20 < planned);
    CHECK(unsupported * 4 < planned);  // regions that cut through iters, most of them
}

TEST_CASE("random damage to plans with registers: what is proved still does the copy") {
    RandomRegisters draw{std::mt19937(21)};
    DamageTally tally;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 600; i < most; ++i) {
        CAPTURE(i);
        const std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        const Solution solution = solve(*problem);
        if (!solution.complete()) continue;
        Plan plan = solution.plan();
        draw.damage(plan.copies[0].segments[0]);
        INFO(problem_json(*problem));
        tally.judge(*problem, plan, solution.plan(), runs);
    }
    tally.check();
}

}  // namespace tileproof::test
