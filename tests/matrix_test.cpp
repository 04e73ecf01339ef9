// ldmatrix and stmatrix: the table is CuTe's, the machine of the tests deals rows out alike, plans are proved and do what the definition
// says, and what is not the instruction's fragment is declined with the reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "emit/plan_json.hpp"
#include "emit/report_json.hpp"
#include "emit/view.hpp"
#include "layouts/matrix.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "solver/solve.hpp"
#include "tests/matrix_bench.hpp"
#include "tests/problems.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;

const std::vector<std::string> loading_arches{"sm_75",  "sm_80",  "sm_86",  "sm_87",  "sm_89",  "sm_90",
                                              "sm_90a", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};
const std::vector<std::string> storing_arches{"sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_110", "sm_120", "sm_120f", "sm_121"};

/// "ldmatrix.x4.trans" -> "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
std::string mnemonic_of(std::string name) {
    name.insert(name.find('.'), ".sync.aligned.m8n8");
    return name + ".shared.b16";
}

json atoms() { return json::parse(std::ifstream(std::string(TILEPROOF_TEST_DATA) + "/cute_atoms.json"))["atoms"]; }

/// The same both ways.
void both_ways(const std::string& shared, const std::string& registers, const std::string& scope, std::int64_t threads,
               const std::string& wanted) {
    CAPTURE(shared);
    CAPTURE(registers);
    CHECK(done_by("shared " + shared, "register " + registers, scope, threads) == wanted);
    std::string stored = wanted;
    stored.replace(stored.find("ldmatrix"), 2, "st");
    CHECK(done_by("register " + registers, "shared " + shared, scope, threads) == stored);
}

}  // namespace

TEST_CASE("the table: what a lane supplies and what it holds, as CuTe has it") {
    int compared = 0;
    for (const json& atom : atoms()) {
        const std::string name = atom["atom"];
        INFO(name);
        const MatrixForm* const form = matrix_form(mnemonic_of(name));
        REQUIRE(form != nullptr);
        const bool loads = form->direction == Direction::load;
        const FragmentTable supplied = atom[loads ? "src" : "dst"], held = atom[loads ? "dst" : "src"];
        REQUIRE(supplied.size() == 32);
        for (int lane = 0; lane < 32; ++lane) {
            const MatrixRow row = supplied_row(*form, lane);
            REQUIRE(supplied[static_cast<std::size_t>(lane)].size() == 8);
            REQUIRE(held[static_cast<std::size_t>(lane)].size() == static_cast<std::size_t>(elements_of_lane(*form, {16})));
            for (int n = 0; n < 8; ++n) {
                const int element = 64 * row.matrix + 8 * row.row + n;
                CHECK(supplied[static_cast<std::size_t>(lane)][static_cast<std::size_t>(n)] == element);
                const MatrixPlace place = held_at(*form, row, n, {16});
                CHECK(held[static_cast<std::size_t>(place.lane)][static_cast<std::size_t>(place.element)] == element);
                ++compared;
            }
            if (lane < form->rows * form->matrices) CHECK(supplier(*form, row) == lane);
        }
    }
    CHECK(compared == 11 * 32 * 8);
}

TEST_CASE("elements that are no units: neighbours stay together, and what .trans would tear is not whole") {
    for (const bool transposed : {false, true}) {
        const MatrixForm& form = *matrix_form(Direction::load, 4, transposed);
        CHECK(keeps_whole(form, {16}));
        CHECK(keeps_whole(form, {32}) == !transposed);  // a 32-bit element in two halves of two rows
        CHECK_FALSE(keeps_whole(form, {64}));
        for (const int bits : {4, 8, 32}) {
            if (!keeps_whole(form, {bits})) continue;
            for (int n = 0; n < elements_of_row({bits}); ++n) {
                const MatrixPlace place = held_at(form, {3, 5}, n, {bits}), unit = held_at(form, {3, 5}, n * bits / 16, {16});
                CHECK(place.lane == unit.lane);
                CHECK(place.element * bits / 16 == unit.element);
                CHECK(place.element * bits % 32 == (transposed ? 16 * 1 : n * bits / 16 % 2 * 16) + n * bits % 16);
            }
        }
    }
}

TEST_CASE("the machine of the tests deals rows out as CuTe does, and as the table does") {
    for (const json& atom : atoms()) {
        const std::string name = atom["atom"];
        INFO(name);
        deals(mnemonic_of(name), atom[name[0] == 'l' ? "dst" : "src"].get<FragmentTable>(), Bytes{2}, 3);
    }
    const MatrixForm& form = *matrix_form("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16");  // CuTe's list lacks it
    FragmentTable held(32, std::vector<int>(4));
    for (int lane = 0; lane < 16; ++lane)
        for (int n = 0; n < 8; ++n) {
            const MatrixPlace place = held_at(form, supplied_row(form, lane), n, {16});
            held[static_cast<std::size_t>(place.lane)][static_cast<std::size_t>(place.element)] = 8 * lane + n;
        }
    deals(std::string(form.mnemonic), held, Bytes{2}, 4);
}

TEST_CASE("the machine of the tests wants whole warps, aligned rows, and the registers of the instruction") {
    const auto error = [](std::string from, const std::string& to, int row = 0) {
        std::string text = matrix_kernel("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4);
        if (!from.empty()) {
            REQUIRE(text.find(from) != std::string::npos);
            text.replace(text.find(from), from.size(), to);
        }
        const Result<PtxKernel> read = PtxKernel::parse(text);
        if (!read) return read.error().text;
        PtxLaunch launch;
        launch.block = 32;
        launch.global = {
            {1 << 20, 8192, {}}, {2 << 20, 512, {}}, {3 << 20, 128, std::vector<std::uint8_t>(128, static_cast<std::uint8_t>(row))}};
        launch.arguments = {1 << 20, 2 << 20, 3 << 20};
        return read.value().run(launch).error;
    };
    CHECK(error("", "") == "");
    CHECK(error("shl.b32 %r5, %r5, 4", "shl.b32 %r5, %r5, 3", 1).find("no multiple of 16") != std::string::npos);
    CHECK(error("", "", 255).find("outside the array") != std::string::npos);
    CHECK(error("%v0, %v1, %v2, %v3}, [%r5]", "%v0, %v1}, [%r5]").find("wrong number of registers") != std::string::npos);
    CHECK(error(".m8n8.x4.", ".m8n8.x3.").find("unknown instruction") != std::string::npos);
    CHECK(error(".x4.shared.b16", ".x4.b16").find("unknown instruction") != std::string::npos);
    CHECK(error("    .reg .b32 %r<8>;", "    .reg .b32 %r<8>;\n    .reg .pred %p<1>;").find("error") == std::string::npos);
    const std::string parted = "    .reg .b32 %r<8>;\n    .reg .pred %p<1>;\n    mov.u32 %r7, %tid.x;\n    setp.lt.s32 %p0, %r7, 31;\n";
    std::string text = matrix_kernel("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4);
    text.replace(text.find("    .reg .b32 %r<8>;\n"), std::string("    .reg .b32 %r<8>;\n").size(),
                 "    .reg .pred %p<1>;\n    .reg .b32 %r<8>;\n");
    text.replace(text.find("    bar.sync 0;\n    ldmatrix"), std::string("    bar.sync 0;\n    ldmatrix").size(),
                 "    mov.u32 %r7, %tid.x;\n    setp.lt.s32 %p0, %r7, 31;\n    bar.sync 0;\n    @%p0 ldmatrix");
    const Result<PtxKernel> read = PtxKernel::parse(text);
    REQUIRE(read.ok());
    PtxLaunch launch;
    launch.block = 32;
    launch.global = {{1 << 20, 8192, {}}, {2 << 20, 512, {}}, {3 << 20, 128, std::vector<std::uint8_t>(128)}};
    launch.arguments = {1 << 20, 2 << 20, 3 << 20};
    CHECK(read.value().run(launch).error.find("only a part of the warp") != std::string::npos);
}

TEST_CASE("one tile: each form, both ways, and in the code of each architecture that has it") {
    for (const bool transposed : {false, true}) {
        for (const int matrices : {1, 2, 4}) {
            const std::string n = std::to_string(matrices), rows = std::to_string(8 * matrices), trans = transposed ? ".trans" : "";
            const std::string shared = "f16 (" + rows + ",8):(8,1)";
            const std::string registers = transposed ? "f16 S[(" + n + ",4,2,8):(2,1@laneid,1,4@laneid)] shape " + rows + ",8"
                                                     : "f16 S[(" + n + ",8,4,2):(2,4@laneid,1@laneid,1)] shape " + rows + ",8";
            both_ways(shared, registers, "warp", 32, "1 x ldmatrix.x" + n + trans);
            for (const bool loads : {true, false}) {
                const Problem problem =
                    one_line(loads ? "shared " + shared : "register " + registers, loads ? "register " + registers : "shared " + shared,
                             "warp", 32, loads ? "sm_75" : "sm_90");
                Bench bench(problem, solve(problem).plan());
                CHECK(bench.text().find((loads ? "ldmatrix" : "stmatrix") + std::string(".sync.aligned.m8n8.x") + n + trans +
                                        ".shared.b16") != std::string::npos);
                CHECK(bench.text().find(loads ? ".version 6.5" : ".version 7.8") != std::string::npos);
                CHECK(bench.assembly_errors(loads ? loading_arches : storing_arches) == "");
            }
        }
    }
}

TEST_CASE("cases: tiles of other projects' matrix copies") {
    const std::string swizzle = "Sw<3,3,3> o ";
    const auto registers = [](const std::string& first, const std::string& first_stride, const std::string& n) {
        return "f16 S[(" + first + "8,4," + n + ",2):(" + first_stride + "4@laneid,1@laneid,2,1)]";
    };
    struct Case {
        std::string id, scope, shared, n, wanted;
    };
    // The same tiles as views of matrices: (lane / 4, lane % 4, matrix, half), in front of it the warp.
    for (const Case& c : {Case{"T702", "warp", swizzle + "(8,4,1,2):(8,2,8,1)", "1", "ldmatrix.x1"},
                          Case{"T703", "warp", "(8,4,2,2):(16,2,8,1)", "2", "ldmatrix.x2"},
                          Case{"T706", "warp", swizzle + "(8,4,4,2):(32,2,8,1)", "4", "ldmatrix.x4"},
                          Case{"T707", "warp", "(8,4,1,2):(1,16,8,8)", "1", "ldmatrix.x1.trans"},
                          Case{"T708", "warp", swizzle + "(8,4,1,2):(1,16,8,8)", "1", "ldmatrix.x1.trans"},
                          Case{"T709", "warp", "(8,4,2,2):(1,32,8,16)", "2", "ldmatrix.x2.trans"},
                          Case{"T712", "warp", swizzle + "(8,4,4,2):(1,64,8,32)", "4", "ldmatrix.x4.trans"},
                          Case{"T715", "warpgroup", "(4,8,4,2,2):(128,16,2,8,1)", "2", "ldmatrix.x2"},
                          Case{"T716", "warpgroup", swizzle + "(4,8,4,2,2):(128,16,2,8,1)", "2", "ldmatrix.x2"},
                          Case{"T720", "warpgroup", swizzle + "(4,8,4,1,2):(64,1,16,8,8)", "1", "ldmatrix.x1.trans"},
                          Case{"T721", "warpgroup", "(4,8,4,2,2):(128,1,32,8,16)", "2", "ldmatrix.x2.trans"},
                          Case{"T722", "warpgroup", swizzle + "(4,8,4,2,2):(128,1,32,8,16)", "2", "ldmatrix.x2.trans"},
                          Case{"T725", "cta", "(4,8,4,1,2):(64,8,2,8,1)", "1", "ldmatrix.x1"},
                          Case{"T726", "cta", swizzle + "(4,8,4,1,2):(64,8,2,8,1)", "1", "ldmatrix.x1"},
                          Case{"T727", "cta", "(4,8,4,2,2):(128,16,2,8,1)", "2", "ldmatrix.x2"},
                          Case{"T734", "cta", swizzle + "(4,8,4,2,2):(128,1,32,8,16)", "2", "ldmatrix.x2.trans"},
                          Case{"T736", "cta", swizzle + "(4,8,4,4,2):(256,1,64,8,32)", "4", "ldmatrix.x4.trans"}}) {
        CAPTURE(c.id);
        const bool warps = c.scope != "warp";
        both_ways("f16 " + c.shared + " align 1024",
                  registers(warps ? "4," : "", warps ? (c.scope == "cta" ? "1@warpid," : "1@wid_in_wg,") : "", c.n), c.scope,
                  warps ? 128 : 32, "1 x " + c.wanted);
    }

    // Eight rows of 16 bytes in tiles that others load matrices from.
    const std::string one = "f16 S[(8,4,2):(4@laneid,1@laneid,1)] shape 8,8", words = "f32 (8,4):(4@laneid,1@laneid)";
    for (const auto& tile : std::vector<std::array<std::string, 3>>{
             {"R020_24", "f16 (128,24):(24,1) align 1024 [0:8, 0:8]", one},
             {"R072_1", "f16 Sw<1,3,3> o (64,16):(16,1) align 1024 [0:8, 0:8]", one},
             {"R072_1, as bf16", "bf16 Sw<1,3,3> o (64,16):(16,1) align 1024 [0:8, 0:8]", "b" + one},
             {"R072_3", "f16 Sw<3,3,3> o (64,64):(64,1) align 1024 [0:8, 0:8]", one},
             {"R076_swz", "f16 Sw<3,3,3> o ((8,16),(8,8)):((8,512),(1,64)) align 1024 [0:8, 0:8]", one},
             {"R078a", "f32 Sw<3,2,3> o ((8,16),32):((32,256),1) align 1024 [0:8, 0:4]", words},
             {"R080_64", "f16 (128,64):(64,1) align 1024 [0:8, 0:8]", one},
             {"R080_72", "f16 (128,64):(72,1) align 1024 [0:8, 0:8]", one},
             {"R081", "f16 Sw<3,3,3> o (64,64):(64,1) align 1024 [0:8, 0:8]", one},
             {"R081, second", "f16 Sw<3,3,3> o (64,64):(64,1) align 1024 [8:16, 8:16]", one},
             {"R084_16x16", "f16 Sw<1,3,3> o (16,16):(16,1) align 1024 [0:8, 0:8]", one},
             {"L_mma_float32_128B", "f32 Sw<3,2,3> o (64,(32,8)):(32,(1,2048)) align 1024 [0:8, 0:4]", words}}) {
        CAPTURE(tile[0]);
        both_ways(tile[1], tile[2], "warp", 32, "1 x ldmatrix.x1");
    }

    // R034: accumulators of wgmma as bf16, which loads and stores would write 32 bits at a time.
    CHECK(done_by("register bf16 S[(4,2,8,16,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)] shape 64,128", "shared bf16 (64,128):(136,1)",
                  "warpgroup", 128) == "8 x stmatrix.x4");
}

TEST_CASE("operands of mma: rows of A, columns of B, by several warps and over outer tiles") {
    const std::string a = "f16 TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)";
    both_ways("f16 (16,16):(16,1)", a, "warp", 32, "1 x ldmatrix.x4");
    both_ways("f16 (16,16):(1,16)", a, "warp", 32, "1 x ldmatrix.x4.trans");
    both_ways("f16 Sw<3,3,3> o (64,64):(64,1) align 1024 [32:48, 16:32]", a, "warp", 32, "1 x ldmatrix.x4");
    // B, 16 x 8 (k, n): n-major rows of k.
    both_ways("f16 (16,8):(1,16)", "f16 S[(2,4,2,8):(2,1@laneid,1,4@laneid)] shape 16,8", "warp", 32, "1 x ldmatrix.x2");
    both_ways("f16 (16,8):(8,1)", "f16 S[(2,4,2,8):(2,1@laneid,1,4@laneid)] shape 16,8", "warp", 32, "1 x ldmatrix.x2.trans");
    // Four warps below each other, four tiles each; and the warps in columns, each with all rows (a replica), in the opposite order.
    both_ways("f16 Sw<3,3,3> o (64,64):(64,1) align 1024", "f16 S[(4,2,8,4,2,4,2):(1@warpid,2,4@laneid,8,4,1@laneid,1)] shape 64,64", "cta",
              128, "4 x ldmatrix.x4");
    CHECK(done_by("shared f16 (16,16):(24,1)", "register f16 S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)] + R[4:1@warpid] shape 16,16", "cta",
                  128) == "1 x ldmatrix.x4");
    both_ways("f16 (16,64):(64,1)", "f16 S[(2,8,4,2,4,2):(2,4@laneid,-1@warpid,4,1@laneid,1)] + 3@warpid shape 16,64", "cta", 128,
              "1 x ldmatrix.x4");
    // Numbers of matrices that four and two do not divide; outer tiles far apart; registers in any order.
    both_ways("f16 (48,8):(8,1)", "f16 S[(6,8,4,2):(2,4@laneid,1@laneid,1)] shape 48,8", "warp", 32, "3 x ldmatrix.x2");
    both_ways("f16 (40,8):(8,1)", "f16 S[(5,8,4,2):(2,4@laneid,1@laneid,1)] shape 40,8", "warp", 32, "5 x ldmatrix.x1");
    both_ways("f16 (96,8):(40,1)", "f16 S[(12,8,4,2):(-2,4@laneid,1@laneid,1)] + 22 shape 96,8", "warp", 32, "3 x ldmatrix.x4");
    both_ways("f16 (16,8):(8,1)", "f16 S[(2,8,4,2):(7,4@laneid,1@laneid,3)] + 1 shape 16,8", "warp", 32,
              "1 x ldmatrix.x2");  // halves are put together
    both_ways("f16 (8,8):(8,1)", "f16 S[(8,4,2):(4@laneid,1@laneid,-1)] + 1 shape 8,8", "warp", 32, "1 x ldmatrix.x1");  // and exchanged
    // A part of the buffer, by the second warp of three.
    Problem second = one_line("shared f16 (16,8):(8,1)", "register f16 S[(2,8,4,2):(2,4@laneid,1@laneid,1)] shape 16,8", "warp", 32);
    second.launch.block = 96;
    second.copies[0].group = 1;
    CHECK(done_by(second) == "1 x ldmatrix.x2");
    CHECK(done_by("shared f16 (8,8):(8,1)", "register f16 S[(8,4,2):(4@laneid,1@laneid,1)] + 2@warpid shape 8,8", "cta", 128) ==
          "1 x ldmatrix.x1");
}

TEST_CASE("8-bit pairs, 4-bit elements and 32-bit ones move where the maps agree") {
    both_ways("u8 (16,32):(32,1)", "u8 S[(2,8,2,4,4):(4,4@laneid,8,1@laneid,1)] shape 16,32", "warp", 32, "1 x ldmatrix.x4");
    both_ways("e4m3 (8,16):(16,1)", "e4m3 S[(8,4,4):(4@laneid,1@laneid,1)] shape 8,16", "warp", 32, "1 x ldmatrix.x1");
    both_ways("u4 (8,32):(32,1)", "u4 S[(8,4,8):(4@laneid,1@laneid,1)] shape 8,32", "warp", 32, "1 x ldmatrix.x1");
    both_ways("f32 (16,8):(8,1)", "f32 TV((4,8),(2,2)):((16,1),(8,64)) of (16,8)", "warp", 32, "1 x ldmatrix.x4");
    both_ways("u8 (8,16):(16,1)", "u8 S[(4,2,8,2):(1@laneid,2,4@laneid,1)] shape 8,16", "warp", 32,
              "1 x ldmatrix.x1.trans");  // pairs, transposed
    // Single bytes, transposed: what .trans tears apart.
    CHECK(done_by("shared u8 (16,8):(1,16)", "register u8 S[(4,4,8):(1@laneid,1,4@laneid)] shape 16,8").rfind("1 x", 0) == 0);
    CHECK(done_by("shared u8 (16,8):(8,1) align 16", "register u8 S[(4,4,8):(1@laneid,1,4@laneid)] shape 16,8") ==
          "vec_auto: no thread has 4 neighbours of src in its registers dst; no thread has 2 neighbours of src in its registers dst");
    CHECK(done_by("shared f32 (8,8):(8,1)", "register f32 S[(4,2,8):(1@laneid,1,4@laneid)] shape 8,8") ==
          "vec_auto: ldmatrix brings what lies 1 element behind src[0,0] to thread 1, where dst wants src[2,0]; ldmatrix.trans would tear "
          "elements of 32 bits apart");
}

TEST_CASE("declined, with the first thing that is in the way") {
    const std::string one = "register f16 S[(8,4,2):(4@laneid,1@laneid,1)] shape 8,8";
    // The row's address, with everything that is in it.
    CHECK(done_by("shared f16 (8,8):(20,1)", one) ==
          "vec_auto: thread 1 in round 0 would supply the address of a row at src[1,0], byte 40 = 8 mod 16");
    CHECK(done_by("shared f16 (8,12):(16,1) [:, 4:12]", one) ==
          "vec_auto: thread 0 in round 0 would supply the address of a row at src[0,4], byte 8 = 8 mod 16");
    CHECK(done_by("shared f16 (8,8):(8,1) base 8", one) ==
          "vec_auto: thread 0 in round 0 would supply the address of a row at src[0,0], byte 8 = 8 mod 16");
    CHECK(done_by("shared f16 (8,8):(8,1) align 8", one) == "vec_auto: rows are accesses of 16 bytes, and the base of src is aligned to 8");
    CHECK(done_by("shared f16 (4,8,8):(68,8,1)", "register f16 S[(4,8,4,2):(1@warpid,4@laneid,1@laneid,1)] shape 4,8,8", "cta", 128) ==
          "vec_auto: thread 32 in round 0 would supply the address of a row at src[1,0,0], byte 136 = 8 mod 16");
    CHECK(done_by("shared f16 (2,8,8):(68,8,1)", "register f16 S[(2,8,4,2):(2,4@laneid,1@laneid,1)] shape 2,8,8") ==
          "vec_auto: thread 8 in round 0 would supply the address of a row at src[1,0,0], byte 136 = 8 mod 16");
    CHECK(done_by("shared f16 Sw<3,2,3> o (8,32):(32,1) align 1024 [:, 0:8]", one) ==
          "vec_auto: ldmatrix brings what lies 4 elements behind src[1,0] to thread 6, where dst wants src[1,4]; ldmatrix.trans brings "
          "what lies 1 element behind src[0,0] to thread 4, where dst wants src[1,0]");
    // Threads that hold something else.
    CHECK(done_by("shared f16 (32,8):(8,1)", "register f16 (32,8):(1@laneid,1)") ==
          "vec_auto: ldmatrix brings what lies 2 elements behind src[0,0] to thread 1, where dst wants src[1,0]; ldmatrix.trans brings "
          "what lies 1 element behind src[0,0] to thread 4, where dst wants src[4,0]");
    CHECK(done_by("register f16 (32,8):(1@laneid,1)", "shared f16 (32,8):(8,1)") ==
          "vec_auto: stmatrix takes what goes 2 elements behind dst[0,0] from thread 1, where src has dst[1,0]; stmatrix.trans takes what "
          "goes 1 element behind dst[0,0] from thread 4, where src has dst[4,0]");
    CHECK(done_by("shared f16 (8,8):(8,1)", "register f16 S[(8,4,2):(4@laneid,-1@laneid,1)] + 3@laneid shape 8,8")
              .rfind("vec_auto: ldmatrix brings", 0) == 0);
    CHECK(done_by("shared f16 (8,4):(8,1)", "register f16 (8,4):(4@laneid,1@laneid)") ==
          "vec_auto: no thread has 2 neighbours of src in its registers dst; no register of dst has two halves to be filled from two rows");
    CHECK(done_by("shared f16 (4,8):(8,1)", "register f16 S[(4,4,2):(4@laneid,1@laneid,1)] shape 4,8") ==
          "vec_auto: of the warp of thread 0, 16 threads have nothing to move, and all have to take part");
    // Machine and people.
    CHECK(done_by(one, "shared f16 (8,8):(8,1)", "warp", 32, "sm_89") == "vec_auto: stmatrix needs sm_90 or later");
    CHECK(done_by("shared f16 (8,8):(8,1)", one, "cta", 48) ==
          "vec_auto: ldmatrix is done by whole warps, and the copy by threads 0 to 47");
    CHECK(done_by("shared f64 (8,4):(4,1)", "register f64 (8,4):(4@laneid,1@laneid)") ==
          "vec_auto: ldmatrix puts 32 bits of a row into a thread, and elements have 64");
    // Elsewhere it is not thought of.
    CHECK(done_by("global f16 (8,8):(8,1)", one) == "vec_auto: ");
}

TEST_CASE("the same question in other words has the same answer") {
    // Factors of a tile of two warps: extent, place in a thread or among them, place in memory. Each has a dimension; in which order, in how many
    // dimensions, with which units and by which name of the type is nothing to the instruction.
    struct Factor {
        std::string extent, held, memory;
    };
    std::mt19937 random(5);
    for (const bool transposed : {false, true}) {
        std::vector<Factor> factors{{"8", "4@laneid", transposed ? "1" : "24"},
                                    {"4", "1@laneid", transposed ? "48" : "2"},
                                    {"2", "1", transposed ? "24" : "1"},
                                    {"2", "2", "8"},
                                    {"3", "4", "192"},
                                    {"2", "1@warpid", "576"}};
        const std::string wanted = transposed ? "3 x ldmatrix.x2.trans" : "3 x ldmatrix.x2";
        for (int i = 0; i < 8; ++i) {
            std::shuffle(factors.begin(), factors.end(), random);
            if (i == 5) factors.insert(factors.begin() + 2, Factor{"1", "9", "7"});
            std::string shape, held, memory;
            for (const Factor& factor : factors) {
                const std::string comma = shape.empty() ? "" : ",";
                shape += comma + factor.extent, held += comma + factor.held, memory += comma + factor.memory;
            }
            const std::string dtype = i % 3 == 0 ? "f16" : i % 3 == 1 ? "bf16" : "b16";
            const std::string swizzle = i % 2 == 0 ? "" : "Sw<1,3,4> o ", offset = i % 4 == 2 ? " + 16" : "";
            both_ways(dtype + " " + swizzle + "(" + shape + "):(" + memory + ")" + offset + " align 1024",
                      dtype + " S[(" + shape + "):(" + held + ")] shape " + shape, "cta", 64, wanted);
            CHECK(done_by("shared " + dtype + " (" + shape + "):(" + memory + ") + 4 align 1024",
                          "register " + dtype + " S[(" + shape + "):(" + held + ")] shape " + shape, "cta", 64)
                      .find("byte 8 = 8 mod 16") != std::string::npos);
        }
    }
}

TEST_CASE("the example, and its plan written and read back") {
    const Loaded loaded = load_problem(TILEPROOF_EXAMPLES "/operand_a_f16.toml");
    REQUIRE(loaded.problem.ok());
    const Problem& problem = loaded.problem.value();
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].variant == "vec_auto");
    CHECK(solution.copies[1].variant == "ldstmatrix");
    CHECK(solution.copies[1].plan->segments[0].outer == 4);
    const Certified certified = verify_and_certify(problem, solution.plan());
    REQUIRE(certified.plan.has_value());
    CHECK(run_difference(problem, solution.plan()) == "");
    const std::string report = report_json({"operand_a_f16.toml", problem, solution, certified.report});
    CHECK(report.find("\"variant\": \"ldstmatrix\"") != std::string::npos);
    const Result<PlanFile> again = parse_plan(report);
    REQUIRE(again.ok());
    CHECK(again.value().plan.copies[1].segments == solution.plan().copies[1].segments);
}

TEST_CASE("asked for by name") {
    const auto named = [](const std::string& src, const std::string& dst, const std::string& dispatch) {
        Problem problem = one_line(src, dst, "warp", 32);
        problem.copies[0].dispatch = dispatch;
        return solve(problem).copies[0];
    };
    const std::string shared = "shared f16 (8,8):(8,1)", one = "register f16 S[(8,4,2):(4@laneid,1@laneid,1)] shape 8,8";
    CHECK(named(shared, one, "ldstmatrix").variant == "ldstmatrix");
    const CopySolution reg = named(shared, one, "vec_auto");
    CHECK(reg.variant == "vec_auto");
    CHECK(reg.width == Bits{32});
    CHECK(reg.declined.empty());
    const CopySolution global = named("global f16 (8,8):(8,1)", one, "ldstmatrix");
    REQUIRE(global.rejection.has_value());
    CHECK(global.rejection->rule == "declined");
    CHECK(global.rejection->text ==
          "'ldstmatrix' cannot do this copy: ldmatrix copies from shared memory to registers, stmatrix back, and neither from global to "
          "register");
    const CopySolution torn = named("shared f16 (8,8):(12,1)", one, "ldstmatrix");
    REQUIRE(torn.rejection.has_value());
    CHECK(torn.rejection->text ==
          "'ldstmatrix' cannot do this copy: thread 1 in round 0 would supply the address of a row at src[1,0], byte 24 = 8 mod 16");
    CHECK(named("shared f16 (8,8):(8,1)", "register f16 S[(8,4,2):(4@laneid,1@laneid,0)] shape 8,8", "ldstmatrix").rejection->rule ==
          "dst-overlaps");
    Problem old = one_line(shared, one, "warp", 32, "sm_75");
    old.ptx = PtxVersion{6, 4};
    CHECK(solve(old).copies[0].declined.at(0).reason == "ldmatrix needs PTX 6.5 or later");
    old.ptx = PtxVersion{6, 5};
    CHECK(solve(old).copies[0].declined.empty());
}

}  // namespace tileproof::test
