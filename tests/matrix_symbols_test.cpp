// ldmatrix and stmatrix where symbols say where the rows are: planned where all rows are aligned for all values, proved for all of them, and
// run by the tests' machine at several; what is declined, with which values; and damaged plans, of which none is proved that does something else.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "emit/plan_json.hpp"
#include "emit/report_json.hpp"
#include "emit/view.hpp"
#include "layouts/matrix.hpp"
#include "layouts/problem_json.hpp"
#include "solver/solve.hpp"
#include "tests/at_samples.hpp"
#include "tests/corpus.hpp"
#include "tests/matrix_problems.hpp"
#include "tests/planned_copy.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_registers.hpp"
#include "verify/used.hpp"

namespace tileproof::test {
namespace {

const std::string operand_a = "TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)";
const std::string each = "scope = \"warp\"\ngroup = \"each\"", warp = "scope = \"warp\"";
const std::string k_loop = "k0 = { min = 0, max = 48, multiple_of = 16 }", pitch = "ld = { min = 16, max = 128, multiple_of = 8 }";

struct File {
    std::string symbols, shared;  // what follows `layout = ` of As
    std::string src = "As", dst = "R", keys = warp, launch = "", registers = "layout = \"" + operand_a + "\"", dtype = "f16",
                arch = "sm_90";
};
Problem read(const File& file) {
    return corpus::read("matrices", "[target]\narch = \"" + file.arch + "\"\n" + file.launch + "[symbols]\n" + file.symbols +
                                        "\n[buffers]\nAs = { space = \"shared\", dtype = \"" + file.dtype + "\", layout = " + file.shared +
                                        " }\nR = { space = \"register\", dtype = \"" + file.dtype + "\", " + file.registers +
                                        " }\n[[copies]]\nsrc = \"" + file.src + "\"\ndst = \"" + file.dst + "\"\n" + file.keys + "\n")
        .problem;
}
/// The copy the other way.
File back(File file) {
    std::swap(file.src, file.dst);
    return file;
}

const SidePlan& in_memory(const Problem& problem, const Segment& s) {
    return problem.buffer(problem.copies[0].src).space == Space::shared ? s.src : s.dst;
}

/// "1 x ldmatrix.x4" where the plan is proved and does the copy at many values; otherwise the variant, and why it is no other.
std::string done_by(const Problem& problem) {
    const Solution solution = solve(problem);
    const CopySolution& got = solution.copies[0];
    if (got.rejection) return got.rejection->rule + ": " + got.rejection->text;
    REQUIRE(got.plan.has_value());
    REQUIRE_FALSE(check_plan(problem, solution.plan()).has_value());
    const Certified certified = verify_and_certify(problem, solution.plan());
    CHECK(certified.report.conflicts.empty());
    CHECK(not_proved(certified.report) == "");
    CHECK(at_samples(problem, solution.plan(), 6) == "");
    if (got.variant != "ldstmatrix") return got.variant + ": " + (got.declined.empty() ? "" : got.declined.back().reason);
    CHECK(got.width == Bits{128});
    CHECK(certified.report.copies[0].widest->verdict == Verdict::proved);
    Bench bench(problem, solution.plan());
    CHECK(bench.assembly_errors({problem.target.name}) == "");
    std::string name = in_memory(problem, got.plan->segments[0]).instruction;
    for (const std::string_view part : {".sync.aligned", ".m8n8"})
        if (const std::size_t at = name.find(part); at != std::string::npos) name.erase(at, part.size());
    return std::to_string(got.plan->segments[0].outer) + " x " + name.substr(0, name.find(".shared"));
}
std::string done_by(const File& file) { return done_by(read(file)); }

/// The same both ways.
void both_ways(const File& file, const std::string& wanted) {
    CAPTURE(file.shared);
    CAPTURE(file.src);
    CHECK(done_by(file) == wanted);
    std::string stored = wanted;
    stored.replace(stored.find("ldmatrix"), 2, "st");
    CHECK(done_by(back(file)) == stored);
}

const std::string tile = "\"Sw<3,3,3> o (64,64):(64,1)\"";

}  // namespace

TEST_CASE("a loop over k, the rows of each warp, a pitch, an offset, a start in both dimensions") {
    both_ways({k_loop, tile, "As[16:32, k0:+16]"}, "1 x ldmatrix.x4");
    both_ways({k_loop, tile, "As[16*group:+16, k0:+16]", "R", each, "[launch]\nblock = 128\n"}, "1 x ldmatrix.x4");
    both_ways({"r = { min = 0, max = 48 }\nc = { min = 0, max = 48, multiple_of = 8 }", tile, "As[r:+16, c:+16]"}, "1 x ldmatrix.x4");
    both_ways({pitch, "\"(16,16):(ld,1)\", capacity = 2048"}, "1 x ldmatrix.x4");
    both_ways({pitch, "\"(16,16):(1,ld)\", capacity = 2048"}, "1 x ldmatrix.x4.trans");
    both_ways({"p = { min = 0, max = 512, multiple_of = 8 }", "\"(16,16):(24,1) + p\", capacity = 1024"}, "1 x ldmatrix.x4");
    both_ways({"p = { min = 0, max = 512, multiple_of = 8 }", "\"(16,16):(24,1) + p\", capacity = 1024, base = 32"}, "1 x ldmatrix.x4");
    both_ways({k_loop, "\"Sw<3,3,3> o (64,64):(1,64)\"", "As[k0:+16, 16:32]"}, "1 x ldmatrix.x4.trans");
    // Warps and rounds as digits of the registers, too, and both symbols of a product.
    const std::string tall = "layout = \"S[(4,2,8,2,2,4,2):(1@warpid,2,4@laneid,8,4,1@laneid,1)]\", shape = [64, 32]";
    both_ways({"k0 = { min = 0, max = 32, multiple_of = 8 }", tile, "As[:, k0:+32]", "R", "scope = \"cta\"\nthreads = 128", "", tall},
              "2 x ldmatrix.x4");
    both_ways({"k0 = { min = 0, max = 4 }\nld = { min = 64, max = 96, multiple_of = 8 }", "\"(256,32):(ld,1)\", capacity = 24576",
               "As[48*k0:+64, :]", "R", "scope = \"cta\"\nthreads = 128", "", tall},
              "2 x ldmatrix.x4");
    // One matrix, two, elements of other sizes, the forms of bytes.
    both_ways({k_loop, tile, "As[8:16, k0:+8]", "R", warp, "", "layout = \"S[(8,4,2):(4@laneid,1@laneid,1)]\", shape = [8, 8]"},
              "1 x ldmatrix.x1");
    both_ways(
        {k_loop, "\"(16,64):(1,16)\"", "As[:, k0:+8]", "R", warp, "", "layout = \"S[(2,4,2,8):(2,1@laneid,1,4@laneid)]\", shape = [16, 8]"},
        "1 x ldmatrix.x2");
    both_ways({"ld = { min = 4, max = 64, multiple_of = 4 }", "\"(8,4):(ld,1)\", capacity = 512", "As", "R", warp, "",
               "layout = \"(8,4):(4@laneid,1@laneid)\"", "f32"},
              "1 x ldmatrix.x1");
    both_ways({"ld = { min = 16, max = 64, multiple_of = 16 }", "\"(8,16):(ld,1)\", capacity = 512", "As", "R", warp, "",
               "layout = \"S[(8,4,4):(4@laneid,1@laneid,1)]\", shape = [8, 16]", "u8"},
              "1 x ldmatrix.x1");
    const File bytes{"ld = { min = 16, max = 64, multiple_of = 16 }",
                     "\"(32,16):(ld,1)\", capacity = 2048",
                     "As",
                     "R",
                     warp,
                     "",
                     "layout = \"S[(2,4,4,2,8):(4,1@laneid,1,8,4@laneid)]\", shape = [32, 16]",
                     "e4m3",
                     "sm_100a"};
    CHECK(done_by(bytes) == "1 x ldmatrix.m16n16.x2.trans");
    CHECK(done_by(back(bytes)) == "1 x stmatrix.m16n8.x4.trans");
}

TEST_CASE("blocks of a grid, and by name") {
    const std::string launch = "[launch]\ngrid = [4]\nblock = 64\nk0 = { from = \"ctaid.x\", times = 16 }\n";
    CHECK(done_by({"", tile, "As[32*group:+16, k0:+16]", "R", each, launch}) == "1 x ldmatrix.x4");
    CHECK(done_by({"", tile, "R", "As[32*group:+16, k0:+16]", each, launch}) == "1 x stmatrix.x4");
    CHECK(done_by({k_loop, tile, "As[0:16, k0:+16]", "R", warp + "\ndispatch = \"ldstmatrix\""}) == "1 x ldmatrix.x4");
    CHECK(done_by({"k0 = { min = 0, max = 48, multiple_of = 4 }", tile, "As[0:16, k0:+16]", "R", warp + "\ndispatch = \"ldstmatrix\""}) ==
          "declined: 'ldstmatrix' cannot do this copy: with k0 = 4: thread 0 in round 0 would supply the address of a row at As[0,4], byte "
          "8 = 8 mod 16");
    // Two warps that would write one place are refuted.
    const Problem clash = read({k_loop, tile, "R", "As[0:16, k0:+16]", each, "[launch]\nblock = 64\n"});
    REQUIRE(solve(clash).copies[0].variant == "ldstmatrix");
    CHECK(not_proved(verify(clash, solve(clash).plan())).find("disjoint refuted") == 0);
    const Problem overlapping = read({k_loop, tile, "R", "As[8*group:+16, k0:+16]", each, "[launch]\nblock = 64\n"});
    CHECK(not_proved(verify(overlapping, solve(overlapping).plan())).find("disjoint refuted") == 0);
}

TEST_CASE("declined, with the least values that show why") {
    const auto why = [](const File& file) {
        const std::string text = done_by(file);
        return text.substr(0, 10) == "vec_auto: " ? text.substr(10) : "not vec_auto but " + text;
    };
    for (const int multiple : {1, 2, 4}) {
        const std::string ld = std::to_string(16 + multiple);
        CHECK(why({"ld = { min = 16, max = 128, multiple_of = " + std::to_string(multiple) + " }", "\"(16,16):(ld,1)\", capacity = 2048"})
                  .rfind("with ld = " + ld + ": thread 1 in round 0 would supply the address of a row at As[1,0], byte " +
                             std::to_string(32 + 2 * multiple),
                         0) == 0);
    }
    CHECK(why({"p = { min = 0, max = 512, multiple_of = 4 }", "\"(16,16):(24,1) + p\", capacity = 1024"}) ==
          "with p = 4: thread 0 in round 0 would supply the address of a row at As[0,0], byte 8 = 8 mod 16");
    CHECK(why({"p = { min = 0, max = 512, multiple_of = 8 }", "\"(16,16):(24,1) + p\", capacity = 1024, align = 8"}) ==
          "with p = 0: rows are accesses of 16 bytes, and the base of As is aligned to 8");
    CHECK(why({"p = { min = 0, max = 512, multiple_of = 8 }", "\"(16,16):(24,1) + p\", capacity = 1024, base = 8"}) ==
          "with p = 0: thread 0 in round 0 would supply the address of a row at As[0,0], byte 8 = 8 mod 16");
    CHECK(why({"k0 = { min = 0, max = 48, multiple_of = 4 }", tile, "As[16*group:+16, k0:+16]", "R", each, "[launch]\nblock = 128\n"}) ==
          "with group = 0, k0 = 4: thread 0 in round 0 would supply the address of a row at As[0,4], byte 8 = 8 mod 16");
    // Rows of eight in chunks of four, which columns below 32 do not tear; and columns of which each moves on.
    const std::string small_chunks = "\"Sw<2,2,3> o (64,64):(64,1)\"";
    CHECK(why({k_loop, small_chunks, "As[0:16, k0:+16]"}) ==
          "with k0 = 32: thread 0 in round 0 would supply the address of a row at As[0,32], byte 72 = 8 mod 16");
    CHECK(why({"k0 = { min = 0, max = 16, multiple_of = 16 }", small_chunks, "As[0:16, k0:+16]"}) ==
          "whether each row is whole and aligned to 16 bytes for all values of the symbols is not decided");
    // Not its fragment, whatever the values are.
    CHECK(why({k_loop, tile, "As[0:32, k0:+16]", "R", warp, "", "layout = \"(32,16):(1@laneid,1)\""}).find("no thread has") ==
          std::string::npos);
    CHECK(why({k_loop, tile, "As[0:32, k0:+16]", "R", warp, "", "layout = \"(32,16):(1@laneid,1)\""})
              .find("with k0 = 0: ldmatrix brings what lies 2 elements behind As[0,0] to thread 1, where R wants As[1,0]") !=
          std::string::npos);
    // Where the region ends.
    const std::string m = "m = { min = 0, max = 16, multiple_of = 16 }";
    CHECK(why({m, tile, "As[0:16, 0:16]", "R", warp + "\npredicate = \"d0 < m\""}) ==
          "ldmatrix is run by all lanes of a warp, and where the region ends depends on symbols");
    CHECK(why({m, tile, "R", "As[0:16, 0:16]", warp + "\npredicate = \"d0 < m\""}) ==
          "stmatrix is run by all lanes of a warp, and where the region ends depends on symbols");
    // Rows that run into each other for some pitch.
    CHECK(done_by({"ld = { min = 8, max = 128, multiple_of = 8 }", "\"(16,16):(ld,1)\", capacity = 2048", "R", "As"})
              .rfind("dst-overlaps: ", 0) == 0);
}

TEST_CASE("a fact that makes the rows aligned") {
    const std::string any = "ld = { min = 16, max = 128 }";
    const std::string text = "[target]\narch = \"sm_90\"\n[symbols]\n" + any +
                             "\n[assume]\nfacts = [\"ld % 8 == 0\"]\n[buffers]\nAs = { space = \"shared\", dtype = \"f16\", layout = "
                             "\"(16,16):(ld,1)\", capacity = 2048 }\n" +
                             "R = { space = \"register\", dtype = \"f16\", layout = \"" + operand_a +
                             "\" }\n[[copies]]\nsrc = \"As\"\ndst = \"R\"\n" + warp + "\n";
    CHECK(done_by(corpus::read("fact", text).problem) == "1 x ldmatrix.x4");
}

TEST_CASE("what the proof uses is enough") {
    const Problem problem = read({"ld = { min = 16, max = 128, multiple_of = 32 }", "\"(16,16):(ld,1)\", capacity = 2048"});
    const Certified certified = verify_and_certify(problem, solve(problem).plan());
    REQUIRE(certified.plan.has_value());
    const Problem weaker = with_needed_assumptions(*certified.plan);
    CHECK(weaker.symbols[0].multiple_of == 8);
    CHECK(at_samples(weaker, certified.plan->plan(), 8) == "");
}

TEST_CASE("a plan from a file is judged as the planner's") {
    const Problem problem = read({k_loop, tile, "As[16*group:+16, k0:+16]", "R", each, "[launch]\nblock = 128\n"});
    const Solution solution = solve(problem);
    const Certified certified = verify_and_certify(problem, solution.plan());
    const std::string report = report_json({"k_loop.toml", problem, solution, certified.report});
    CHECK(report.find("\"variant\": \"ldstmatrix\"") != std::string::npos);
    const Result<PlanFile> again = parse_plan(report, problem.symbols);
    REQUIRE(again.ok());
    CHECK(again.value().plan.copies[0].segments == solution.plan().copies[0].segments);
    CHECK(not_proved(verify(problem, again.value().plan)) == "");
}

}  // namespace tileproof::test
