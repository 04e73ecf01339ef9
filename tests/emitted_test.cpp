// Every example, case and tile, emitted for three architectures: ptxas takes the text, and run on the CPU it copies right.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "emit/ptx.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> problem_files() {
    std::vector<fs::path> out;
    for (const fs::path& folder :
         {fs::path(TILEPROOF_TEST_DATA) / "cases", fs::path(TILEPROOF_TEST_DATA) / "tiles", fs::path(TILEPROOF_EXAMPLES)})
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".toml") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

/// The problem of a file, for another target.
Problem load(const fs::path& path, const char* arch) {
    const Loaded loaded = load_problem(path.string());
    REQUIRE_MESSAGE(loaded.problem.ok(), render(loaded.problem.error(), loaded.source));
    Problem out = loaded.problem.value();
    out.target = *find_arch(arch);
    out.ptx.reset();
    return out;
}

/// Such a file means something only with given contents of shared memory and registers.
bool reads_before_writing(const Problem& problem) {
    for (std::size_t i = 0; i < problem.copies.size(); ++i) {
        bool written = problem.buffer(problem.copies[i].src).space == Space::global;
        for (std::size_t j = 0; j < i; ++j) written = written || problem.copies[j].dst.buffer == problem.copies[i].src.buffer;
        if (!written) return true;
    }
    return false;
}

bool has_division(const std::string& text) { return text.find("div.") != std::string::npos || text.find("rem.") != std::string::npos; }

bool all_powers_of_two(const Plan& plan) {
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments) {
            if (segment.flat) return false;
            for (const Digit& digit : segment.digits)
                if (digit.role == Role::thread && !is_power_of_two(digit.extent)) return false;
        }
    return true;
}

}  // namespace

TEST_CASE("what is proved is emitted, assembled and right") {
    int emitted = 0, overlapping = 0;
    for (const fs::path& file : problem_files()) {
        for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
            CAPTURE(file.filename().string());
            CAPTURE(std::string(arch));
            const Problem problem = load(file, arch);
            const Solution solution = solve(problem);
            if (!solution.complete()) {
                CHECK(solution.copies[0].rejection->rule == "dst-overlaps");
                ++overlapping;
                continue;
            }
            const Certified certified = verify_and_certify(problem, solution.plan());
            REQUIRE(certified.plan.has_value());
            test::Bench bench(problem, solution.plan(), sample_values(problem, 1).front());
            const Result<std::string> text = emit_ptx(*certified.plan);
            REQUIRE(text.ok());
            CHECK(text.value() == bench.text());
            CHECK(bench.assembly_errors({arch}) == "");
            CHECK((reads_before_writing(problem) ? bench.difference(true, 1) : bench.difference()) == "");
            if (all_powers_of_two(bench.plan)) CHECK(!has_division(text.value()));
            ++emitted;
        }
    }
    CHECK(overlapping == 3);  // one case, three times
    CHECK(emitted >= 3 * (67 + 21 + 1));
}

}  // namespace tileproof
