// The cases: bug reports and other projects' tests as problem files, with the widths and refusals that are right.
//
// tests/data/cases/expected.json lists for each case the widest legal width and, for each wider one, the rule and the witness.
// Every plan is proved by both checkers, simulated, and its PTX is run on the CPU (tests/ptx_interpreter.hpp).
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "layouts/address.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "tests/oracle.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path data = TILEPROOF_TEST_DATA;

Problem load(const fs::path& path) {
    const Loaded loaded = load_problem(path.string());
    REQUIRE_MESSAGE(loaded.problem.ok(), render(loaded.problem.error(), loaded.source));
    return loaded.problem.value();
}

std::vector<fs::path> files_in(const char* folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(data / folder))
        if (entry.path().extension() == ".toml") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

void check_witness(const Refusal& got, const json& want) {
    if (!want.contains("witness")) return;
    const json& witness = want["witness"];
    REQUIRE(got.witness.has_value());
    if (witness.contains("side")) CHECK((got.witness->side ? to_string(*got.witness->side) : "") == witness["side"].get<std::string>());
    if (witness.contains("thread")) CHECK(got.witness->thread == witness["thread"]);
    if (witness.contains("round")) CHECK(got.witness->round == witness["round"]);
    if (witness.contains("coordinate")) CHECK(json(got.witness->coordinate) == witness["coordinate"]);
    if (witness.contains("byte")) CHECK(to_bytes(*got.witness->address).count == witness["byte"]);
    if (witness.contains("modulus")) CHECK(to_bytes(*got.witness->modulus).count == witness["modulus"]);
    if (witness.contains("residue")) CHECK(to_bytes(*got.witness->address % *got.witness->modulus).count == witness["residue"]);
}

void check_case(const Problem& problem, const CopySolution& got, const json& want) {
    if (want.contains("rejected")) {
        REQUIRE(got.rejection.has_value());
        CHECK(got.rejection->rule == want["rejected"].get<std::string>());
        return;
    }
    REQUIRE(got.plan.has_value());
    CHECK(got.width.count == want["width_bits"]);
    CHECK(moved(problem.copies[0]).count * problem.buffers[0].dtype.size.count / got.width.count == want["accesses"]);
    REQUIRE(got.refused.size() == want["refused"].size());
    for (std::size_t i = 0; i < got.refused.size(); ++i) {
        CHECK(got.refused[i].width.count == want["refused"][i]["width_bits"]);
        CHECK(got.refused[i].rule == want["refused"][i]["rule"].get<std::string>());
        check_witness(got.refused[i], want["refused"][i]);
    }
}

void check_proved(const Problem& problem, const Solution& solution) {
    const Certified certified = verify_and_certify(problem, solution.plan());
    CHECK(certified.report.conflicts.empty());
    CHECK(certified.plan.has_value());
    for (std::size_t i = 0; i < problem.copies.size(); ++i)
        CHECK(simulate::fault(problem, problem.copies[i], *solution.copies[i].plan) == "");
    for (const CopyReport& copy : certified.report.copies)
        for (const Finding& finding : copy.findings) CHECK_MESSAGE(finding.verdict == Verdict::proved, finding.obligation);
}

/// Distinct 32-byte sectors that each warp touches in each round, summed.
std::int64_t global_sectors(const Problem& problem, const Copy& copy, const CopyPlan& plan, Side side) {
    const Segment& s = plan.segments[0];
    const std::int64_t element = problem.buffer(operand(copy, side)).dtype.size.count / 8;
    std::int64_t sum = 0;
    for (std::int64_t f = 0; f < s.outer; ++f) {
        for (std::int64_t warp = 0; warp * 32 < s.threads; ++warp) {
            std::set<std::int64_t> sectors;
            for (std::int64_t t = warp * 32; t < std::min(s.threads, warp * 32 + 32); ++t) {
                const std::int64_t byte = planned_offset(s, side, digits_at(s, f, t, 0)) * element;
                for (std::int64_t b = byte; b < byte + s.side(side).width.count / 8; ++b) sectors.insert(b / 32);
            }
            sum += static_cast<std::int64_t>(sectors.size());
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("cases: width, refusals, witnesses, proofs") {
    const json expected = json::parse(std::ifstream(data / "cases" / "expected.json"))["cases"];
    const std::vector<fs::path> files = files_in("cases");
    CHECK(files.size() == 68);
    CHECK(expected.size() == files.size());
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        const Problem problem = load(file);
        REQUIRE(problem.copies.size() == 1);
        const Solution solution = solve(problem);
        check_case(problem, solution.copies[0], expected.at(file.stem().string()));
        if (solution.complete()) check_proved(problem, solution);
    }
}

TEST_CASE("tiles: 21 round trips, all 128 bits, with the fewest sectors") {
    const std::vector<fs::path> files = files_in("tiles");
    CHECK(files.size() == 21);
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        const Problem problem = load(file);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        check_proved(problem, solution);
        REQUIRE(solution.program.size() == 3);
        CHECK(std::holds_alternative<Barrier>(solution.program[1]));
        for (std::size_t i = 0; i < 2; ++i) {
            const Copy& copy = problem.copies[i];
            const CopySolution& got = solution.copies[i];
            CHECK(got.width == Bits{128});
            REQUIRE(got.refused.size() == 1);
            CHECK(got.refused[0].rule == "target");
            const Side side = i == 0 ? Side::src : Side::dst;
            const Bytes bytes = to_bytes(moved(copy), problem.buffers[0].dtype.size);
            CHECK(global_sectors(problem, copy, *got.plan, side) == bytes.count / 32);
        }
    }
}

TEST_CASE("a K-tiled destination: elements 8..15 of row 0 land at element offset 1024") {
    const Problem problem = load(data / "cases" / "T3_ktile.toml");
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    const CopyPlan& plan = *solution.copies[0].plan;
    const Segment& s = plan.segments[0];
    std::set<std::int64_t> found;
    for (std::int64_t f = 0; f < s.outer; ++f)
        for (std::int64_t t = 0; t < s.threads; ++t)
            for (std::int64_t v = 0; v < s.vec; ++v) {
                const auto digits = digits_at(s, f, t, v);
                const auto at = logical_coordinate(problem.copies[0], Side::dst, plan.box, coordinate(s, digits));
                if (at[0] == 0 && at[1] >= 8 && at[1] < 16) found.insert(planned_offset(s, Side::dst, digits));
            }
    CHECK(found == std::set<std::int64_t>{1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031});
}

TEST_CASE("24 elements by 32 threads: 128 bits, six threads, one access each") {
    const Problem problem = load(data / "cases" / "T401.toml");
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    const Report report = verify(problem, solution.plan());
    CHECK(solution.copies[0].width == Bits{128});
    CHECK(solution.copies[0].plan->segments[0].outer == 1);
    CHECK(report.copies[0].active_threads == 6);
}

TEST_CASE("256 bits: between global buffers on sm_100 and later, if the base allows it") {
    const auto width = [](const char* arch, const char* dst_space, int align) {
        const std::string text =
            std::string("[target]\narch = \"") + arch +
            "\"\n[buffers.A]\nspace = \"global\"\ndtype = \"f32\"\nlayout = \"(1024):(1)\"\nalign = " + std::to_string(align) +
            "\n[buffers.B]\nspace = \"" + dst_space +
            "\"\ndtype = \"f32\"\nlayout = \"(1024):(1)\"\nalign = 128\n[[copies]]\nsrc = \"A\"\ndst = \"B\"\nscope = \"warp\"\n";
        const Result<Problem> problem = parse_problem({"test", text}, "test");
        REQUIRE(problem.ok());
        const Solution solution = solve(problem.value());
        REQUIRE(solution.complete());
        CHECK(verify(problem.value(), solution.plan()).verdict() == Verdict::proved);
        return solution.copies[0].width.count;
    };
    CHECK(width("sm_100", "global", 32) == 256);
    CHECK(width("sm_100", "global", 16) == 128);
    CHECK(width("sm_100", "shared", 32) == 128);
    CHECK(width("sm_90", "global", 32) == 128);
    CHECK(width("sm_120", "global", 256) == 256);
}

TEST_CASE("flat segments where padding costs rounds, or nothing nests") {
    struct Case {
        std::string src, src_region, dst, dst_region;
        int threads;
        std::int64_t width, rounds;
        bool flat;
    };
    const std::vector<Case> cases{
        {"(5,5):(7,1)", "", "(5,5):(5,1)", "", 32, 32, 1, true},
        {"(33,33):(40,1)", "", "(33,33):(34,1)", "", 32, 32, 35, true},
        {"(32,33):(40,1)", "", "(32,33):(34,1)", "", 32, 32, 33, false},
        {"(4,6):(6,1)", "", "(4,6):(6,1)", "", 32, 128, 1, false},
        // rows 3..10 of a dimension that is split in blocks of 8
        {"((8,2),8):((8,100),1)", "[3:11, :]", "(8,8):(8,1)", "", 32, 128, 1, true},
        {"((8,2),8):((8,100),1)", "[8:16, :]", "(8,8):(8,1)", "", 32, 128, 1, false},
        // 24 = 4 x 6 against 6 x 4
        {"((6,4)):((1,8))", "", "((4,6)):((1,8))", "", 32, 64, 1, true},
        // dense data under another shape
        {"S[24]", "", "S[4,6]", "", 32, 128, 1, false},
    };
    for (const Case& c : cases) {
        CAPTURE(c.src + c.src_region + " -> " + c.dst);
        const std::string shape = c.src == "S[24]" ? "shape = [4, 6]\n" : "";
        const std::string text = "[target]\narch = \"sm_90\"\n[buffers.A]\nspace = \"global\"\ndtype = \"f32\"\nlayout = \"" + c.src +
                                 "\"\n" + shape + "align = 256\n[buffers.B]\nspace = \"shared\"\ndtype = \"f32\"\nlayout = \"" + c.dst +
                                 "\"\nalign = 256\n[[copies]]\nsrc = \"A" + c.src_region +
                                 "\"\ndst = \"B\"\nscope = \"cta\"\nthreads = " + std::to_string(c.threads) + "\n";
        const Result<Problem> problem = parse_problem({"test", text}, "test");
        REQUIRE_MESSAGE(problem.ok(), problem.error().text);
        const Solution solution = solve(problem.value(), {.single = true});
        REQUIRE(solution.complete());
        const Segment& s = solution.copies[0].plan->segments[0];
        CHECK(solution.copies[0].width.count == c.width);
        CHECK(s.outer == c.rounds);
        CHECK(s.flat == c.flat);
        check_proved(problem.value(), solution);
    }
}

TEST_CASE("solving twice gives the same plan") {
    for (const fs::path& file : files_in("cases")) {
        const Problem problem = load(file);
        const Solution once = solve(problem), again = solve(problem);
        CHECK(once.copies[0].plan.has_value() == again.copies[0].plan.has_value());
        if (once.copies[0].plan) CHECK(once.copies[0].plan->segments == again.copies[0].plan->segments);
    }
}

}  // namespace tileproof
