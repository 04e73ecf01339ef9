#include "tests/matrix_bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "layouts/matrix.hpp"
#include "layouts/problem_json.hpp"
#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

std::string matrix_kernel(const std::string& mnemonic, int registers) {
    const bool loads = mnemonic[0] == 'l';
    std::string tuple, in, out;
    for (int i = 0; i < registers; ++i) {
        const std::string name = "%v" + std::to_string(i), at = "[%rd2+" + std::to_string(4 * i) + "]";
        tuple += (i > 0 ? ", " : "") + name;
        in += "    ld.global.u32 " + name + ", " + at + ";\n";
        out += "    st.global.u32 " + at + ", " + name + ";\n";
    }
    const auto copy_memory = [](bool to_shared) {
        std::string text;
        for (int i = 0; i < 64; ++i) {
            const std::string at = "+" + std::to_string(128 * i) + "]", global = "[%rd1" + at, shared = "[%r2" + at;
            text += to_shared ? "    ld.global.u32 %r4, " + global + ";\n    st.shared.u32 " + shared + ", %r4;\n"
                              : "    ld.shared.u32 %r4, " + shared + ";\n    st.global.u32 " + global + ", %r4;\n";
        }
        return text;
    };
    return ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry deal(\n    .param .u64 memory,\n    .param .u64 lanes,\n    "
           ".param .u64 rows\n)\n.reqntid 32\n{\n"
           "    .reg .b32 %r<8>;\n    .reg .b32 %v<4>;\n    .reg .b64 %rd<8>;\n    .shared .align 128 .b8 smem[8192];\n"
           "    mov.u32 %r0, %tid.x;\n    shl.b32 %r1, %r0, 2;\n    mov.u32 %r3, smem;\n    add.s32 %r2, %r3, %r1;\n"
           "    ld.param.u64 %rd0, [memory];\n    cvta.to.global.u64 %rd0, %rd0;\n    cvt.u64.u32 %rd3, %r1;\n    add.s64 %rd1, %rd0, "
           "%rd3;\n"
           "    ld.param.u64 %rd4, [lanes];\n    cvta.to.global.u64 %rd4, %rd4;\n    shl.b64 %rd5, %rd3, 2;\n    add.s64 %rd2, %rd4, "
           "%rd5;\n"
           "    ld.param.u64 %rd6, [rows];\n    cvta.to.global.u64 %rd6, %rd6;\n    add.s64 %rd6, %rd6, %rd3;\n    ld.global.u32 %r5, "
           "[%rd6];\n    shl.b32 %r5, %r5, 4;\n    add.s32 %r5, %r3, %r5;\n" +
           copy_memory(true) + in + "    bar.sync 0;\n    " + mnemonic +
           (loads ? " {" + tuple + "}, [%r5];\n" : " [%r5], {" + tuple + "};\n") + "    bar.sync 0;\n" + out + copy_memory(false) +
           "    ret;\n}\n";
}

void deals(const std::string& mnemonic, const FragmentTable& fragment, Bytes unit, unsigned seed) {
    const auto bytes_of_unit = static_cast<std::size_t>(unit.count), of_row = 16 / bytes_of_unit;
    const Result<PtxKernel> read = PtxKernel::parse(matrix_kernel(mnemonic, static_cast<int>(fragment[0].size() * bytes_of_unit / 4)));
    REQUIRE_MESSAGE(read.ok(), (read ? "" : read.error().text));
    std::mt19937 random(seed);
    const auto bytes = [&](std::size_t count) {
        std::vector<std::uint8_t> out(count);
        for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random());
        return out;
    };
    std::vector<int> rows(512);
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random);
    std::vector<std::uint8_t> row_bytes(128);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        row_bytes[4 * lane] = static_cast<std::uint8_t>(rows[lane]);
        row_bytes[4 * lane + 1] = static_cast<std::uint8_t>(rows[lane] >> 8);
    }
    const std::vector<std::uint8_t> memory = bytes(8192), lanes = bytes(512);
    PtxLaunch launch;
    launch.block = 32;
    launch.global = {{1 << 20, 8192, memory}, {2 << 20, 512, lanes}, {3 << 20, 128, row_bytes}};
    launch.arguments = {1 << 20, 2 << 20, 3 << 20};
    const PtxOutcome outcome = read.value().run(launch);
    REQUIRE(outcome.error == "");
    std::vector<std::uint8_t> memory_after = memory, lanes_after = lanes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t value = 0; value < fragment[lane].size(); ++value) {
            const auto element = static_cast<std::size_t>(fragment[lane][value]);
            const std::size_t in_memory = of_row * static_cast<std::size_t>(rows[element / of_row]) + element % of_row,
                              in_lane = 16 / bytes_of_unit * lane + value;
            const bool loads = mnemonic[0] == 'l';
            for (std::size_t byte = 0; byte < bytes_of_unit; ++byte)
                (loads ? lanes_after[bytes_of_unit * in_lane + byte] : memory_after[bytes_of_unit * in_memory + byte]) =
                    loads ? memory[bytes_of_unit * in_memory + byte] : lanes[bytes_of_unit * in_lane + byte];
        }
    }
    CHECK(launch.global[0].bytes == memory_after);
    CHECK(launch.global[1].bytes == lanes_after);
}

CopySolution holds(const Problem& problem) {
    INFO(problem_json(problem));
    const Solution solution = solve(problem);
    const CopySolution& out = solution.copies[0];
    REQUIRE(out.plan.has_value());
    REQUIRE_FALSE(check_plan(problem, solution.plan()).has_value());
    const Certified certified = verify_and_certify(problem, solution.plan());
    for (const Finding& finding : certified.report.copies[0].findings) {
        INFO(finding.obligation, ": ", finding.counterexample ? finding.counterexample->text : finding.reason);
        CHECK(finding.verdict == Verdict::proved);
    }
    CHECK(certified.plan.has_value());
    CHECK(certified.report.copies[0].widest->verdict == Verdict::proved);
    CHECK(run_difference(problem, solution.plan()) == "");
    return out;
}

std::string done_by(const Problem& problem) {
    const CopySolution got = holds(problem);
    if (got.variant != "ldstmatrix") return got.variant + ": " + (got.declined.empty() ? "" : got.declined.back().reason);
    CHECK(got.width == Bits{128});
    CHECK(got.declined.empty());
    const Segment& s = got.plan->segments.front();
    std::string name = s.side(problem.buffer(problem.copies[0].src).space == Space::shared ? Side::src : Side::dst).instruction;
    for (const std::string_view part : {".sync.aligned", ".m8n8"})
        if (const std::size_t at = name.find(part); at != std::string::npos) name.erase(at, part.size());
    name.erase(name.find(".shared"));
    return std::to_string(s.outer) + " x " + name;
}

std::string done_by(const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads,
                    const std::string& arch) {
    return done_by(one_line(src, dst, scope, threads, arch));
}

}  // namespace tileproof::test
