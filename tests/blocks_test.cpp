// Blocks that the planner chooses: which, when none, what reports say of them, and plans read back.
#include <doctest/doctest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "emit/plan_json.hpp"
#include "emit/view.hpp"
#include "layouts/block.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/broken_plan.hpp"
#include "tests/program.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"

namespace tileproof::test {
namespace {

/// "4 of 128 to 4 of 128, 32 bits, 1 round"; without blocks "128 bits, 4 rounds".
std::string summary(const CopySolution& copy) {
    REQUIRE(copy.plan.has_value());
    std::string out;
    const Segment& s = copy.plan->segments.front();
    std::int64_t rounds = 0;
    for (const Segment& one : copy.plan->segments) rounds += one.outer;
    const auto text = [&](Side side) {
        return std::to_string(heads_of(s, side).size()) + " of " + std::to_string(s.side(side).width.count);
    };
    if (is_block(s)) out = text(Side::src) + " to " + text(Side::dst) + ", ";
    return out + std::to_string(narrowest(*copy.plan).count) + " bits, " + std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
}

struct Planned {
    std::string what, src, dst, wanted, straight;
    Space from = G, to = S;
    std::string dtype = "f32", arch = "sm_90";
    int threads = 256, src_align = 256, dst_align = 1024;
};

Problem problem_for(const Planned& p) {
    return one_copy(make_buffer("A", p.from, p.dtype, p.src, p.src_align), make_buffer("B", p.to, p.dtype, p.dst, p.dst_align), p.threads,
                    p.arch);
}

const std::vector<Planned>& planned() {
    static const std::vector<Planned> all{
        {"rows to columns", "(64,64):(64,1)", "(64,64):(1,64)", "4 of 128 to 4 of 128, 32 bits, 1 round", "32 bits, 16 rounds"},
        {"columns to rows", "(64,64):(1,64)", "(64,64):(64,1)", "4 of 128 to 4 of 128, 32 bits, 1 round", "32 bits, 16 rounds", S, G},
        {"a pitch of odd pairs", "(64,64):(66,1)", "(64,64):(1,64)", "4 of 64 to 2 of 128, 32 bits, 2 rounds", "32 bits, 16 rounds"},
        {"more threads than blocks of 4x4", "(32,32):(32,1)", "(32,32):(1,32)", "2 of 64 to 2 of 64, 32 bits, 1 round",
         "32 bits, 4 rounds"},
        {"a base of less", "(64,64):(64,1)", "(64,64):(1,64)", "2 of 32 to 1 of 64, 32 bits, 8 rounds", "32 bits, 16 rounds", G, S, "f32",
         "sm_90", 256, 4, 8},
        {"an odd pitch", "(64,64):(65,1)", "(64,64):(1,64)", "4 of 32 to 1 of 128, 32 bits, 4 rounds", "32 bits, 16 rounds"},
        {"one for each thread", "(4,8):(8,1)", "(4,8):(1,4)", "32 bits, 1 round", "32 bits, 1 round", G, S, "f32", "sm_90", 32},
        {"f16", "(128,64):(64,1)", "(128,64):(1,128)", "8 of 128 to 8 of 128, 16 bits, 1 round", "16 bits, 64 rounds", G, S, "f16", "sm_90",
         128},
        {"pairs stay together", "(64,32,2):(64,2,1)", "(64,32,2):(2,128,1)", "4 of 128 to 4 of 128, 32 bits, 1 round", "32 bits, 16 rounds",
         G, S, "f16", "sm_90", 128},
        {"into a swizzle", "(64,64):(64,1)", "Sw<3,2,3> o (64,64):(1,64)", "4 of 128 to 4 of 128, 32 bits, 1 round", "32 bits, 16 rounds"},
        {"into a swizzle of pairs", "(64,64):(64,1)", "Sw<3,1,3> o (64,64):(1,64)", "2 of 128 to 4 of 64, 32 bits, 2 rounds",
         "32 bits, 16 rounds"},
        {"256 bits and twice 128", "(128,64):(64,1)", "Sw<3,3,3> o (128,64):(64,1)", "1 of 256 to 2 of 128, 128 bits, 4 rounds",
         "128 bits, 8 rounds", G, S, "f16", "sm_100", 128},
        {"twice 128 and 256 bits", "(128,64):(64,1)", "(128,64):(64,1)", "2 of 128 to 1 of 256, 128 bits, 4 rounds", "128 bits, 8 rounds",
         S, G, "f16", "sm_100", 128},
        {"256 bits over two panels", "(128,8,8):(64,8,1)", "(128,8,8):(8,1024,1)", "1 of 256 to 2 of 128, 128 bits, 4 rounds",
         "128 bits, 8 rounds", G, S, "f16", "sm_100", 128},
        {"a base of 16 bytes has none", "(128,64):(64,1)", "(128,64):(64,1)", "128 bits, 8 rounds", "128 bits, 8 rounds", G, S, "f16",
         "sm_100", 128, 16},
        {"nor has sm_90", "(128,64):(64,1)", "(128,64):(64,1)", "128 bits, 8 rounds", "128 bits, 8 rounds", G, S, "f16", "sm_90", 128},
        {"nor fewer than two accesses for each thread", "(128,64):(64,1)", "(128,64):(64,1)", "128 bits, 1 round", "128 bits, 1 round", G,
         S, "f16", "sm_100", 1024},
        {"a padded side", "(128,16):(20,1)", "(128,16):(16,1)", "2 of 64 to 1 of 128, 64 bits, 2 rounds", "64 bits, 4 rounds", G, S, "f16",
         "sm_90", 128},
        {"a swizzle that moves nothing of so little", "(32,16):(1,32)", "Sw<1,1,8> o (32,16):(16,1)",
         "4 of 64 to 4 of 64, 16 bits, 1 round", "16 bits, 16 rounds", G, S, "f16", "sm_90", 32},
        {"lanes in another order", "(64,2,2):(4,1,2)", "(64,2,2):(4,2,1)", "1 of 128 to 1 of 128, 32 bits, 2 rounds", "32 bits, 8 rounds",
         G, S, "f32", "sm_90", 32},
        {"e2m1 keeps its bytes", "(64,32,2):(64,2,1)", "(64,32,2):(2,128,1)", "8 of 64 to 8 of 64, 8 bits, 1 round", "8 bits, 64 rounds", G,
         S, "e2m1", "sm_90", 32},
    };
    return all;
}

}  // namespace

TEST_CASE("blocks: those with the fewest accesses of a thread, and only where they are fewer") {
    for (const Planned& p : planned()) {
        CAPTURE(p.what);
        const Problem problem = problem_for(p);
        const Solution solution = solve(problem), straight = solve(problem, {.straight = true});
        CHECK(summary(solution.copies[0]) == p.wanted);
        CHECK(summary(straight.copies[0]) == p.straight);
        CHECK(solution.copies[0].width == straight.copies[0].width);
        CHECK(solution.copies[0].straight_accesses.has_value() == (p.wanted != p.straight));
        CHECK_FALSE(straight.copies[0].straight_accesses.has_value());
        const Plan plan = solution.plan();
        CHECK(!check_plan(problem, plan));
        check_proved(problem, plan);
        CHECK(simulate::fault(problem, problem.copies[0], plan.copies[0]) == "");
        Bench bench(problem, plan);
        CHECK((p.from == S ? bench.difference(true, 1) : bench.difference()) == "");
        CHECK(bench.assembly_errors({p.arch}) == "");
        const CopyReport report = verify(problem, plan, {}).copies[0];
        CHECK(report.widest->verdict == Verdict::proved);
    }
}

TEST_CASE("blocks: what refuses a width says where one has it all the same") {
    const auto text = [](std::size_t i, std::int64_t width) {
        const Solution solution = solve(problem_for(planned()[i]));
        for (const Refusal& refusal : solution.copies[0].refused)
            if (refusal.width.count == width) return refusal.text;
        return std::string("not refused");
    };
    const auto ends_with = [](const std::string& all, const std::string& end) {
        return all.size() >= end.size() && all.substr(all.size() - end.size()) == end;
    };
    CHECK(text(0, 128).find("blocks") == std::string::npos);
    CHECK(ends_with(text(11, 256), "shared memory; in blocks of registers A has accesses of 256 bits"));
    CHECK(ends_with(text(12, 256), "shared memory; in blocks of registers B has accesses of 256 bits"));
    CHECK(text(14, 256).find("blocks") == std::string::npos);
}

TEST_CASE("blocks: none by cp.async, by name, an element at a time, within one buffer") {
    Problem tile = problem_for(planned()[0]);
    for (const char* dispatch : {"ldgsts", "fallback"}) {
        tile.copies[0].dispatch = dispatch;
        const Solution solution = solve(tile);
        REQUIRE(solution.complete());
        CHECK_FALSE(is_block(solution.copies[0].plan->segments[0]));
    }
    Problem within = one_copy(make_buffer("A", G, "f16", "(64,80):(80,1)"), make_buffer("A", G, "f16", "(64,80):(80,1)"), 32);
    within.buffers.pop_back();
    within.copies[0].dst.buffer = 0;
    within.copies[0].src.region = {{0, 4}, {64, 32}};
    within.copies[0].dst.region = {{0, 40}, {64, 32}};
    CHECK_FALSE(is_block(solve(within).copies[0].plan->segments[0]));
    Problem apart = one_copy(make_buffer("A", G, "f16", "(64,80):(80,1)"), make_buffer("B", G, "f16", "(64,80):(80,1)"), 32);
    apart.copies[0].src.region = within.copies[0].src.region;
    apart.copies[0].dst.region = within.copies[0].dst.region;
    CHECK(is_block(solve(apart).copies[0].plan->segments[0]));
}

TEST_CASE("blocks: cache hints go on the accesses of each side that take them") {
    Problem problem = problem_for(planned()[11]);
    problem.copies[0].cache = {"nc", "L1::no_allocate", "L2::128B"};
    const Solution solution = solve(problem);
    const Segment& s = solution.copies[0].plan->segments[0];
    CHECK(s.src.instruction == "ld.global.nc.L1::no_allocate.L2::128B.v8.b32");
    CHECK(s.dst.instruction == "st.shared.v4.u32");
    check_proved(problem, solution.plan());
    Bench bench(problem, solution.plan());
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors({"sm_100"}) == "");
}

TEST_CASE("blocks: with symbols") {
    const auto plan_of = [](const std::string& symbols, const std::string& a, const std::string& b, const std::string& src = "A",
                            const std::string& dst = "B") {
        const std::string buffer = " = { space = \"global\", dtype = \"f32\", ";
        const Result<Problem> read = parse_problem(
            {"copy.toml", "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols + "\n[buffers]\nA" + buffer + a + " }\nB" + buffer + b +
                              " }\n[[copies]]\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\nscope = \"cta\"\nthreads = 64\n"},
            "copy");
        REQUIRE_MESSAGE(read.ok(), read.error().text);
        const Problem& problem = read.value();
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        const Plan plan = solution.plan();
        const Report report = verify(problem, plan, {});
        for (const Finding& finding : all_findings(report))
            CHECK_MESSAGE(finding.verdict == Verdict::proved, finding.obligation << " " << finding.reason);
        CHECK(report.conflicts.empty());
        Bench bench(problem, plan);
        for (const Values& values : sample_values(problem, 4)) {
            bench.values = values;
            CHECK(bench.difference() == "");
        }
        CHECK(bench.assembly_errors({"sm_90"}) == "");
        return summary(solution.copies[0]);
    };
    const std::string tall = "layout = \"(32,32):(1,32)\"";
    CHECK(plan_of("ld = { min = 32, max = 4096, multiple_of = 4 }", "layout = \"(32,32):(ld,1)\"", tall) ==
          "4 of 128 to 4 of 128, 32 bits, 1 round");
    CHECK(plan_of("ld = { min = 32, max = 4096, multiple_of = 2 }", "layout = \"(32,32):(ld,1)\"", tall) ==
          "4 of 64 to 2 of 128, 32 bits, 2 rounds");
    CHECK(plan_of("ld = { min = 32, max = 4096 }", "layout = \"(32,32):(ld,1)\"", tall) == "4 of 32 to 1 of 128, 32 bits, 4 rounds");
    CHECK(plan_of("n = { min = 0, max = 32, multiple_of = 4 }", "layout = \"(32,32):(36,1)\"", tall, "A[0:n, :]", "B[0:n, :]") ==
          "4 of 128 to 4 of 128, 32 bits, 1 round");
    CHECK(plan_of("n = { min = 0, max = 32 }", "layout = \"(32,32):(36,1)\"", tall, "A[0:n, :]", "B[0:n, :]") ==
          "1 of 128 to 4 of 32, 32 bits, 4 rounds");
    CHECK(plan_of("r = { min = 0, max = 32, multiple_of = 4 }", "layout = \"(64,32):(32,1)\"", tall, "A[r:+32, :]", "B") ==
          "4 of 128 to 4 of 128, 32 bits, 1 round");
}

TEST_CASE("blocks: on the command line, in JSON and read back") {
    const std::string file = quoted(TILEPROOF_EXAMPLES "/transpose_f32.toml");
    const std::string text = run("plan " + file).out;
    for (const char* line : {"\n  width    32 bits: 16 elements x 256 threads x 1 round\n", "\n  src      4 x ld.global.v4.u32",
                             "\n  dst      4 x st.shared.v4.u32",
                             "\n  blocks   4x4 elements in registers: 4 loads of 128 bits and 4 stores of 128 bits a round, where straight "
                             "runs are 32 bits; 8 accesses a thread, not 32\n"})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
    const std::string explained = run("explain " + file).out;
    CHECK_MESSAGE(explained.find("\n  blocks ") != std::string::npos, explained);
    CHECK(run("explain --straight " + file).out.find("\n  blocks ") == std::string::npos);
    CHECK(run("plan --straight " + file).out.find("width    32 bits: 1 element x 256 threads x 16 rounds") != std::string::npos);
    const nlohmann::json report = nlohmann::json::parse(run("plan --format json " + file).out);
    const nlohmann::json& copy = report["copies"][0];
    CHECK(copy["width_bits"] == 32);
    CHECK(copy["vec"] == 16);
    CHECK(copy["straight"] == nlohmann::json{{"width_bits", 32}, {"accesses", 32}});
    CHECK(copy["segments"][0]["src"]["lanes"] == nlohmann::json{0});
    CHECK(copy["segments"][0]["dst"]["lanes"] == nlohmann::json{1});
    CHECK(copy["segments"][0]["src"]["width_bits"] == 128);
    const Folder folder;
    const auto verify_with = [&](const nlohmann::json& plan, const std::string& options = "") {
        std::ofstream(folder / "plan.json") << plan.dump();
        return run("verify " + options + file + " --plan " + quoted((folder / "plan.json").string()));
    };
    CHECK(verify_with(report, "--require-widest ").status == 0);
    CHECK(run("plan --strict --rlimit 0 " + file).status != 4);
    nlohmann::json wrong = report;
    wrong["copies"][0]["width_bits"] = 128;
    CHECK(verify_with(wrong).err.find("[plan-summary]") != std::string::npos);
    wrong = report;
    wrong["copies"][0].erase("width_bits");
    wrong["copies"][0]["segments"][0]["src"]["lanes"] = {1};
    CHECK(verify_with(wrong).status == 1);
    wrong["copies"][0]["segments"][0]["src"]["lanes"] = {7};
    CHECK(verify_with(wrong).err.find("[plan-shape]") != std::string::npos);
    wrong["copies"][0]["segments"][0]["src"]["lanes"] = "0";
    CHECK(verify_with(wrong).err.find("[plan-json]") != std::string::npos);
    const std::string ptx = run("emit " + file).out, straight = run("emit --straight " + file).out;
    CHECK(ptx.find("(4 of 128 bits to 4 of 128 bits) x 1 round") != std::string::npos);
    CHECK(straight.find("32 bits x 16 rounds") != std::string::npos);
    const std::string wide = run("emit " + quoted(TILEPROOF_EXAMPLES "/wide_loads_f16.toml")).out;
    CHECK(wide.find("ld.global.v8.b32") != std::string::npos);
    CHECK(wide.find("st.shared.v4.u32") != std::string::npos);
}

}  // namespace tileproof::test
