// Emitted PTX, run on the CPU and compared with the definition of a copy; and assembled by ptxas.
#include "emit/ptx.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "emit/ptx_internal.hpp"
#include "emit/ptxas.hpp"
#include "tests/ptx_bench.hpp"

namespace tileproof::test {
namespace {

constexpr auto global = Space::global;
constexpr auto shared = Space::shared;
constexpr auto outer = Role::outer;
constexpr auto thread = Role::thread;
constexpr auto vec = Role::vec;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

void check(const Bench& bench, const std::vector<std::string>& arches = {"sm_80", "sm_90", "sm_100"}) {
    INFO(bench.text());
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors(arches) == "");
}

/// A -> shared -> B, the same layouts and the same plan both ways.
Bench round_trip(const std::string& dtype, const Layout& far, const Layout& near, std::int64_t near_align, int block,
                 const SegmentSpec& spec) {
    Bench bench("sm_90", block);
    const int a = bench.add("A", global, dtype, far, 16);
    const int s = bench.add("As", shared, dtype, near, near_align);
    const int b = bench.add("B", global, dtype, far, 16);
    bench.copy("load", a, s, spec);
    bench.barrier();
    bench.copy("store", s, b, spec);
    return bench;
}

}  // namespace

TEST_CASE("row-major 32x32 f32, one warp, eight rounds of 128 bits") {
    const Bench bench = round_trip("f32", row_major({32, 32}), row_major({32, 32}), 128, 32,
                                   {{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 4, thread}, {0, 4, 8, outer}}});
    check(bench, {"sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_110", "sm_120", "sm_121"});
    const std::string text = bench.text();
    CHECK(contains(text, ".visible .entry tp_test(\n    .param .u64 p_A,\n    .param .u64 p_B\n)\n.reqntid 32, 1, 1\n"));
    CHECK(contains(text, ".version 7.8\n.target sm_90\n"));
    CHECK(contains(text, "    .shared .align 128 .b8 smem[4096];\n"));
    CHECK(count(text, "ld.global.v4.u32") == 1);  // rolled
    CHECK(!contains(text, "shr."));               // both thread digits are one: 16 t bytes
    CHECK(text == bench.text());
}

TEST_CASE("padded pitches, also with 32-bit offsets and 64-bit ones") {
    for (const int bits : {0, 32, 64}) {
        const SegmentSpec spec{{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 4, thread}, {0, 4, 8, outer}}, {}, {}, bits};
        check(round_trip("f32", strided({32, 32}, {36, 1}), strided({32, 32}, {40, 1}), 16, 32, spec));
    }
}

TEST_CASE("swizzled shared tile: the XOR outside the loop") {
    const SegmentSpec spec{{{1, 1, 8, vec}, {1, 8, 8, thread}, {0, 1, 32, thread}, {0, 32, 4, outer}}};
    const Bench bench = round_trip("f16", row_major({128, 64}), swizzle({3, 3, 3}, row_major({128, 64})), 1024, 256, spec);
    check(bench);
    const PtxKernel kernel = PtxKernel::parse(bench.text()).value();
    const auto looped = kernel.opcodes_in_loops();
    CHECK(std::count(looped.begin(), looped.end(), "xor") == 0);
    CHECK(looped.size() == 2 * 6);  // load, store, two additions, count, compare
}

TEST_CASE("swizzled shared tile: the XOR in the loop where rounds cross the swizzle") {
    // Rounds step along the row, so each moves other chunks.
    const SegmentSpec spec{{{1, 1, 8, vec}, {0, 1, 128, thread}, {1, 8, 8, outer}}};
    for (const std::int64_t align : {1024, 16}) {  // the array's start joins the sum, or cannot
        const Bench bench = round_trip("f16", row_major({128, 64}), swizzle({3, 3, 3}, row_major({128, 64})), align, 128, spec);
        check(bench);
        const auto looped = PtxKernel::parse(bench.text()).value().opcodes_in_loops();
        CHECK(std::count(looped.begin(), looped.end(), "xor") == 2);
        CHECK(std::count(looped.begin(), looped.end(), "and") == 2);
        CHECK(std::count(looped.begin(), looped.end(), "shr") == 2);
    }
}

TEST_CASE("swizzled on both sides, towards higher bits, and with half the rounds crossing") {
    const Layout up = swizzle({2, 2, -3}, row_major({64, 32})), down = swizzle({2, 3, 3}, row_major({64, 32}));
    for (const int bits : {32, 64}) {
        check(
            round_trip("f32", down, up, 16, 64, {{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 8, thread}, {0, 8, 8, outer}}, {}, {}, bits}));
        check(round_trip("f32", up, down, 512, 64, {{{1, 1, 4, vec}, {0, 1, 64, thread}, {1, 4, 8, outer}}, {}, {}, bits}));
        check(round_trip("f32", up, down, 16, 32,
                         {{{1, 1, 4, vec}, {1, 4, 4, thread}, {0, 1, 8, thread}, {1, 16, 2, outer}, {0, 8, 8, outer}}, {}, {}, bits}));
    }
}

TEST_CASE("a small tile that its swizzle does not move") {
    const Bench bench =
        round_trip("f16", row_major({1, 64}), swizzle({3, 3, 3}, row_major({1, 64})), 1024, 8, {{{1, 1, 8, vec}, {1, 8, 8, thread}}});
    check(bench);
}

TEST_CASE("4x6 f32 by 32 threads: six accesses, the rest predicated off") {
    const Bench bench = round_trip("f32", row_major({24}), row_major({24}), 16, 32, {{{0, 1, 4, vec}, {0, 4, 32, thread}}, {{0, 24}}});
    check(bench);
    CHECK(count(bench.text(), "setp.lt.s32") == 2);
    CHECK(count(bench.text(), "@%p") == 4);
}

TEST_CASE("predicates that change from round to round, on two dimensions") {
    // 20 rows by 4 x 8 threads in rounds of 8 rows; 24 columns by 4 threads of 4 in rounds of 16.
    const SegmentSpec spec{{{1, 1, 4, vec}, {1, 4, 4, thread}, {0, 1, 8, thread}, {1, 16, 2, outer}, {0, 8, 3, outer}}, {{0, 20}, {1, 24}}};
    const Bench bench = round_trip("f32", strided({20, 24}, {28, 1}), strided({20, 24}, {32, 1}), 16, 32, spec);
    check(bench);
    CHECK(count(bench.text(), "and.pred") == 2);
}

TEST_CASE("a bound that always holds costs nothing") {
    CHECK(!contains(
        round_trip("f32", row_major({128}), row_major({128}), 16, 32, {{{0, 1, 4, vec}, {0, 4, 32, thread}}, {{0, 128}}}).text(), "setp"));
}

TEST_CASE("thread extents that are no powers of two") {
    // 24 threads as 6 x 4, then 96 as 6 x 16.
    check(round_trip("f32", strided({16, 24}, {28, 1}), strided({16, 24}, {36, 1}), 16, 24,
                     {{{1, 1, 4, vec}, {1, 4, 6, thread}, {0, 1, 4, thread}, {0, 4, 4, outer}}}));
    check(round_trip("f32", strided({16, 24}, {28, 1}), strided({16, 24}, {36, 1}), 16, 96,
                     {{{1, 1, 4, vec}, {1, 4, 6, thread}, {0, 1, 16, thread}}}));
    const Bench three = round_trip("f16", strided({6, 10, 12}, {400, 24, 1}), strided({6, 10, 12}, {180, 16, 1}), 16, 90,
                                   {{{2, 1, 4, vec}, {2, 4, 3, thread}, {1, 1, 5, thread}, {0, 1, 6, thread}, {1, 5, 2, outer}}});
    check(three);
    CHECK(contains(three.text(), "div.u32"));
    CHECK(contains(three.text(), "rem.u32"));
}

TEST_CASE("three nested loops in the order of the rounds") {
    const Bench bench = round_trip("f32", strided({4, 6, 40}, {300, 44, 1}), strided({4, 6, 40}, {240, 40, 1}), 16, 2,
                                   {{{2, 1, 4, vec}, {2, 4, 2, thread}, {2, 8, 5, outer}, {1, 1, 6, outer}, {0, 1, 4, outer}}});
    check(bench);
    CHECK(contains(bench.text(), "L0_load_round0:\n"));
    CHECK(contains(bench.text(), "L0_load_round2:\n"));
}

TEST_CASE("warp 1 of two, and one thread alone") {
    Bench bench("sm_90", 64);
    const int a = bench.add("A", global, "f32", row_major({32, 32}), 16);
    const int s = bench.add("As", shared, "f32", row_major({32, 32}), 16);
    const int b = bench.add("B", global, "f32", row_major({32, 32}), 16);
    bench.copy("load", a, s, {{{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 4, thread}, {0, 4, 8, outer}}}}, {32, 32});
    bench.barrier(3);
    bench.copy("store", s, b, {{{{1, 1, 4, vec}, {1, 4, 8, outer}, {0, 1, 32, outer}}}}, {63, 1});
    check(bench);
    CHECK(contains(bench.text(), "bar.sync            3;"));
    CHECK(contains(bench.text(), "@%p0 bra            L0_load_end;"));
}

TEST_CASE("a block of one thread") {
    const Bench bench = round_trip("f32", row_major({4, 8}), swizzle({1, 2, 1}, row_major({4, 8})), 16, 1,
                                   {{{1, 1, 4, vec}, {1, 4, 2, outer}, {0, 1, 4, outer}}});
    check(bench);
    CHECK(!contains(bench.text(), "%tid"));
}

TEST_CASE("every width, from 8 to 128 bits") {
    for (const std::int64_t lanes : {1, 2, 4, 8, 16}) {
        const SegmentSpec spec{
            {{1, 1, lanes, vec}, {1, lanes, 16 / lanes, thread}, {0, 1, 2 * lanes, thread}, {0, 2 * lanes, 32 / lanes, outer}}};
        check(round_trip("u8", strided({64, 16}, {48, 1}), row_major({64, 16}), 16, 32, spec));
    }
    check(round_trip("u16", strided({64, 16}, {18, 1}), row_major({64, 16}), 16, 32,
                     {{{1, 1, 1, vec}, {1, 1, 16, thread}, {0, 1, 2, thread}, {0, 2, 32, outer}}}));
    check(round_trip("b128", strided({64, 4}, {5, 1}), row_major({64, 4}), 16, 32,
                     {{{1, 1, 1, vec}, {1, 1, 4, thread}, {0, 1, 8, thread}, {0, 8, 8, outer}}}));
    check(round_trip("f64", strided({64, 4}, {6, 1}), row_major({64, 4}), 16, 32,
                     {{{1, 1, 2, vec}, {1, 2, 2, thread}, {0, 1, 16, thread}, {0, 16, 4, outer}}}));
}

TEST_CASE("types below a byte: addresses in bytes, or in elements where parts of them are no bytes") {
    check(round_trip("u4", strided({32, 32}, {48, 1}), row_major({32, 32}), 16, 32,
                     {{{1, 1, 8, vec}, {1, 8, 4, thread}, {0, 1, 8, thread}, {0, 8, 4, outer}}}));
    check(round_trip("b1", row_major({32, 64}), swizzle({1, 5, 3}, row_major({32, 64})), 256, 32,
                     {{{1, 1, 32, vec}, {1, 32, 2, thread}, {0, 1, 16, thread}, {0, 16, 2, outer}}}));
    // Sw<1,0,9> would exchange neighbours from element 512 on; this tile ends there, and eight lanes are 32 bits.
    const Bench bench = round_trip("u4", row_major({16, 32}), swizzle({1, 0, 9}, row_major({16, 32})), 1024, 32,
                                   {{{1, 1, 8, vec}, {1, 8, 4, thread}, {0, 1, 8, thread}, {0, 8, 2, outer}}});
    check(bench);
    CHECK(contains(bench.text(), "to As, element swizzled("));
    // A thread digit of stride 1 whose second half is predicated off.
    check(round_trip("u4", row_major({256}), row_major({256}), 16, 64,
                     {{{0, 1, 8, vec}, {0, 8, 32, thread}, {0, 256, 2, thread}}, {{0, 256}}}));
}

TEST_CASE("256 bits on sm_100, which needs PTX 8.8") {
    Bench bench("sm_100", 32);
    const int a = bench.add("A", global, "f32", strided({16, 32}, {40, 1}), 32);
    const int b = bench.add("B", global, "f32", row_major({16, 32}), 32);
    bench.copy("move", a, b, {{{1, 1, 8, vec}, {1, 8, 4, thread}, {0, 1, 8, thread}, {0, 8, 2, outer}}});
    check(bench, {"sm_100", "sm_100a", "sm_103", "sm_120"});
    CHECK(contains(bench.text(), ".version 8.8\n.target sm_100\n"));
    CHECK(contains(bench.text(), "ld.global.v8.b32"));
    bench.problem.ptx = PtxVersion{8, 6};
    const auto refused = write_ptx(bench.problem, bench.plan);
    REQUIRE(!refused);
    CHECK(refused.error().rule == "ptx-version");
    CHECK(contains(refused.error().text, "ld.global.v8.b32 needs PTX 8.8"));
    bench.problem.ptx = PtxVersion{9, 0};
    CHECK(contains(bench.text(), ".version 9.0\n"));
}

TEST_CASE("several segments, one of them predicated") {
    Bench bench("sm_90", 32);
    const int a = bench.add("A", global, "f32", strided({10, 32}, {32, 1}), 16);
    const int b = bench.add("B", global, "f32", strided({10, 32}, {36, 1}), 16);
    bench.copy("a-b", a, b,
               {{{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 4, thread}, {0, 4, 2, outer}}},
                {{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 4, thread}}, {{0, 10}}, {8, 0}}},
               {0, 32});
    check(bench);
    CHECK(contains(bench.text(), "L0_a_b_s0_round:\n"));
    CHECK(contains(bench.text(), "// segment 2 of 2"));
}

TEST_CASE("shared memory above 48 KiB is asked for at the launch, and has its limits") {
    const SegmentSpec spec{{{1, 1, 4, vec}, {1, 4, 16, thread}, {0, 1, 16, thread}, {0, 16, 16, outer}}};
    Bench bench("sm_90", 256);
    const int a = bench.add("A", global, "f32", row_major({256, 64}), 16);
    const int s = bench.add("As", shared, "f32", row_major({256, 64}), 1024);
    const int t = bench.add("Bs", shared, "u8", row_major({100}), 16);
    const int b = bench.add("B", global, "f32", row_major({256, 64}), 16);
    const int q = bench.add("Q", global, "u8", row_major({100}), 4);
    bench.copy("load", a, s, spec);
    bench.copy("small", q, t, {{{0, 1, 4, vec}, {0, 4, 256, thread}}, {{0, 100}}});
    bench.barrier();
    bench.copy("store", s, b, spec);
    check(bench);
    CHECK(contains(bench.text(), ".extern .shared .align 1024 .b8 smem[];"));
    CHECK(contains(bench.text(), "smem+65536;"));
    const KernelInfo info = kernel_info(bench.problem, bench.plan).value();
    CHECK(info.dynamic_shared);
    CHECK(info.shared == Bytes{65536 + 112});
    bench.problem.target = find_arch("sm_75").value();
    const auto refused = write_ptx(bench.problem, bench.plan);
    REQUIRE(!refused);
    CHECK(refused.error().rule == "shared-memory");
}

TEST_CASE("more alignment than .align gives shared memory: the kernel rounds its address up") {
    // Sw<3,4,4> on f16 repeats every 4096 bytes; the rounds cross it.
    for (const std::int64_t rows : {128, 512}) {
        const Layout near = swizzle({3, 4, 4}, row_major({rows, 64}));
        Bench bench = round_trip("f16", row_major({rows, 64}), near, 4096, 128,
                                 {{{1, 1, 8, vec}, {0, 1, 128, thread}, {1, 8, 8, outer}, {0, 128, rows / 128, outer}}});
        check(bench);
        const KernelInfo info = kernel_info(bench.problem, bench.plan).value();
        CHECK(info.shared == Bytes{rows * 128 + 3072});
        CHECK(info.dynamic_shared == (rows == 512));
        CHECK(contains(bench.text(), ".align 1024 .b8 smem["));
        CHECK(contains(bench.text(), "and.b32             %r1, %r1, -4096;"));
        bench.problem.buffers[1].align = {1 << 20};
        const auto refused = write_ptx(bench.problem, bench.plan);
        REQUIRE(!refused);
        CHECK(refused.error().rule == "shared-memory");
    }
}

TEST_CASE("exactly 48 KiB stays static") {
    const Bench bench = round_trip("f32", row_major({192, 64}), row_major({192, 64}), 16, 256,
                                   {{{1, 1, 4, vec}, {1, 4, 16, thread}, {0, 1, 16, thread}, {0, 16, 12, outer}}});
    check(bench);
    CHECK(contains(bench.text(), "    .shared .align 16 .b8 smem[49152];"));
    CHECK(!kernel_info(bench.problem, bench.plan).value().dynamic_shared);
}

TEST_CASE("known residues of a base modulo 256") {
    Bench bench = round_trip("f32", row_major({32, 32}), row_major({32, 32}), 16, 32,
                             {{{1, 1, 2, vec}, {1, 2, 16, thread}, {0, 1, 2, thread}, {0, 2, 16, outer}}});
    for (Buffer& buffer : bench.problem.buffers) buffer.base = Bytes{buffer.space == shared ? 72 : 8};
    check(bench);
    CHECK(contains(bench.text(), "smem+72;"));
    CHECK(contains(bench.text(), ".align 256 .b8 smem[4176];"));
}

TEST_CASE("names from files cannot break the text") {
    Bench bench = round_trip("f32", row_major({32, 4}), row_major({32, 4}), 16, 32, {{{1, 1, 4, vec}, {0, 1, 32, thread}}});
    bench.problem.stem = "my file-1\n} .entry";
    bench.problem.copies[0].name = "load\n    trap;\n//";
    bench.plan.copies[0].copy = bench.problem.copies[0].name;
    bench.plan.program[0] = CopyStep{bench.problem.copies[0].name};
    bench.problem.copies[1].name = std::string(5000, 'x');
    bench.plan.copies[1].copy = bench.problem.copies[1].name;
    bench.plan.program[2] = CopyStep{bench.problem.copies[1].name};
    for (std::size_t i = 0; i < 3; ++i) bench.problem.buffers[i].name = std::array{"add", "bar", "tid"}[i];
    check(bench);
    CHECK(contains(bench.text(), ".entry tp_my_file_1____entry("));
    CHECK(!contains(bench.text(), "trap;"));
}

TEST_CASE("a copy from shared to shared memory, without parameters, and buffers that no copy uses") {
    Bench bench("sm_90", 32);
    const int s = bench.add("S", shared, "f32", row_major({32, 4}), 16);
    const int t = bench.add("T", shared, "f32", strided({32, 4}, {8, 1}), 16);
    bench.copy("move", s, t, {{{1, 1, 4, vec}, {0, 1, 32, thread}}});
    check(bench);
    CHECK(contains(bench.text(), ".visible .entry tp_test()\n"));
    bench.add("unused", global, "f32", row_major({4}), 16);
    check(bench);
    CHECK(contains(bench.text(), ".param .u64 p_unused\n"));
    CHECK(!contains(bench.text(), "ld.param"));
}

TEST_CASE("these tests can fail: wrong plans and broken texts are noticed") {
    const auto make = [] {
        return round_trip("f32", row_major({32, 32}), row_major({32, 32}), 128, 64,
                          {{{1, 1, 4, vec}, {1, 4, 8, thread}, {0, 1, 8, thread}, {0, 8, 4, outer}}});
    };
    CHECK(make().difference() == "");
    Bench wrong = make();
    wrong.plan.copies[0].segments[0].src.address.offset = 4;
    CHECK(contains(wrong.difference(), "outside"));
    wrong = make();
    wrong.plan.copies[0].segments[0].src.address.strides[2] = 16;
    CHECK(contains(wrong.difference(), "differs"));
    wrong = make();
    wrong.plan.copies[0].segments[0].src.address.offset = 1;
    CHECK(contains(wrong.difference(), "no multiple of 16"));
    wrong = make();
    wrong.plan.copies[1].segments[0].digits[1].place = 1;  // other threads store: too early without the barrier
    wrong.plan.copies[1].segments[0].digits[2].place = 0;
    CHECK(wrong.difference() == "");
    wrong.plan.program.erase(wrong.plan.program.begin() + 1);
    CHECK(contains(wrong.difference(), "race"));
    wrong = make();
    wrong.plan.copies[0].participants.count = 64;
    wrong.plan.copies[0].segments[0].predicate = {{0, 31}};
    CHECK(contains(wrong.difference(), "differs"));
}

TEST_CASE("ptxas refuses what is no PTX, and says where") {
    CHECK(find_ptxas().has_value());
    const Result<Assembled> refused = assemble(".version 7.8\n.target sm_90\n.address_size 64\nnonsense\n", "sm_90");
    REQUIRE(!refused);
    CHECK(refused.error().rule == "ptxas-failed");
    REQUIRE(refused.error().notes.size() == 1);
    CHECK(contains(refused.error().notes[0], "line 4"));
    const Result<Assembled> late = assemble(".version 7.8\n", "sm_90", std::chrono::milliseconds(0));
    REQUIRE(!late);
    CHECK(late.error().rule == "ptxas-timeout");
}

}  // namespace tileproof::test
