// Blocks of registers, by hand: what each checker says of them, what they do when simulated and run, and how they go wrong.
#include <doctest/doctest.h>

#include "emit/plan_json.hpp"
#include "emit/ptx_internal.hpp"
#include "layouts/block.hpp"
#include "tests/broken_plan.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"

namespace tileproof::test {
namespace {

constexpr auto outer = Role::outer;
constexpr auto thread = Role::thread;
constexpr auto vec = Role::vec;
constexpr Swizzle sw333{3, 3, 3};

struct Example {
    std::string what;
    Bench bench;
    Bits src{}, dst{}, run{};
    std::int64_t accesses = 0;  // of both sides, in a round
};

Example example(std::string what, const std::string& arch, int threads, const std::string& dtype, Space from, const Layout& src, Space to,
                const Layout& dst, SegmentSpec segment, Bits src_width, Bits dst_width, Bits run, std::int64_t accesses) {
    Bench bench(arch, threads);
    const int a = bench.add("A", from, dtype, src, 256), b = bench.add("B", to, dtype, dst, 1024);
    bench.copy("copy0", a, b, segment);
    return {std::move(what), std::move(bench), src_width, dst_width, run, accesses};
}

/// rows to columns: blocks of a x b elements, a along the rows of the source.
SegmentSpec transpose(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t columns) {
    SegmentSpec out{{{1, 1, a, vec}, {0, 1, b, vec}, {1, a, columns / a, thread}, {0, b, rows / b, thread}}};
    out.src_lanes = {0};
    out.dst_lanes = {1};
    return out;
}

std::vector<Example> examples() {
    std::vector<Example> out;
    out.push_back(example("f32 transposed", "sm_90", 64, "f32", G, row_major({32, 32}), S, strided({32, 32}, {1, 32}),
                          transpose(4, 4, 32, 32), {128}, {128}, {32}, 8));
    out.push_back(example("f32 transposed, padded pitches", "sm_90", 64, "f32", G, strided({32, 32}, {36, 1}), S,
                          strided({32, 32}, {1, 40}), transpose(4, 4, 32, 32), {128}, {128}, {32}, 8));
    out.push_back(example("f32 transposed into a swizzle", "sm_90", 64, "f32", G, row_major({32, 32}), S,
                          swizzle({3, 2, 3}, strided({32, 32}, {1, 32})), transpose(4, 4, 32, 32), {128}, {128}, {32}, 8));
    out.push_back(example("f64 transposed", "sm_90", 64, "f64", G, row_major({16, 16}), S, strided({16, 16}, {1, 16}),
                          transpose(2, 2, 16, 16), {128}, {128}, {64}, 4));
    out.push_back(example("f16 transposed in pairs", "sm_90", 64, "f16", G, row_major({16, 16}), S, strided({16, 16}, {1, 16}),
                          transpose(2, 2, 16, 16), {32}, {32}, {16}, 4));
    out.push_back(example("f16 transposed", "sm_90", 32, "f16", G, row_major({64, 32}), S, strided({64, 32}, {1, 64}),
                          transpose(8, 8, 64, 32), {128}, {128}, {16}, 16));
    out.push_back(example("u8 transposed", "sm_90", 64, "u8", G, row_major({32, 32}), S, strided({32, 32}, {1, 32}),
                          transpose(4, 4, 32, 32), {32}, {32}, {8}, 8));
    out.push_back(example("u8, wide to narrow", "sm_90", 32, "u8", G, row_major({16, 32}), S, strided({16, 32}, {1, 16}),
                          transpose(8, 2, 16, 32), {64}, {16}, {8}, 10));
    out.push_back(example("u8, single bytes", "sm_90", 32, "u8", S, strided({8, 16}, {1, 9}), G, row_major({8, 16}),
                          {{{1, 1, 4, vec}, {1, 4, 4, thread}, {0, 1, 8, thread}}, {}, {}, 0, std::vector<int>{}, std::vector<int>{0}}, {8},
                          {32}, {8}, 5));
    SegmentSpec wide{{{1, 1, 8, vec}, {1, 8, 2, vec}, {1, 16, 4, thread}, {0, 1, 16, thread}, {0, 16, 2, outer}}};
    wide.dst_lanes = {0};
    out.push_back(example("256 bits, global to shared", "sm_100", 64, "f16", G, row_major({32, 64}), S, swizzle(sw333, row_major({32, 64})),
                          wide, {256}, {128}, {128}, 3));
    SegmentSpec back{{{1, 1, 8, vec}, {1, 8, 2, vec}, {1, 16, 4, thread}, {0, 1, 16, thread}, {0, 16, 2, outer}}};
    back.src_lanes = {0};
    out.push_back(example("shared to 256 bits, global", "sm_100", 64, "f16", S, swizzle(sw333, row_major({32, 64})), G, row_major({32, 64}),
                          back, {128}, {256}, {128}, 3));
    SegmentSpec panels{{{2, 1, 8, vec}, {1, 1, 2, vec}, {1, 2, 4, thread}, {0, 1, 16, thread}, {0, 16, 2, outer}}};
    panels.dst_lanes = {0};
    out.push_back(example("256 bits of two panels", "sm_100", 64, "f16", G, row_major({32, 8, 8}), S, strided({32, 8, 8}, {8, 256, 1}),
                          panels, {256}, {128}, {128}, 3));
    SegmentSpec packed{{{1, 1, 32, vec}, {1, 32, 2, vec}, {0, 1, 32, thread}}};
    packed.dst_lanes = {0};
    out.push_back(
        example("256 bits of e2m1", "sm_100", 32, "e2m1", G, row_major({32, 64}), S, row_major({32, 64}), packed, {256}, {128}, {128}, 3));
    SegmentSpec renamed{{{1, 1, 2, vec}, {2, 1, 2, vec}, {0, 1, 32, thread}}};
    renamed.src_lanes = {0, 1};
    renamed.dst_lanes = {1, 0};
    out.push_back(example("lanes in another order", "sm_90", 32, "f32", G, strided({32, 2, 2}, {4, 1, 2}), S,
                          strided({32, 2, 2}, {4, 2, 1}), renamed, {128}, {128}, {32}, 2));
    out.push_back(example("lanes in another order, f16", "sm_90", 32, "f16", G, strided({32, 2, 2}, {4, 1, 2}), S,
                          strided({32, 2, 2}, {4, 2, 1}), renamed, {64}, {64}, {16}, 2));
    SegmentSpec tail = transpose(4, 4, 32, 32);
    tail.digits.back().extent = 4;
    tail.digits.push_back({0, 16, 2, outer});
    tail.predicate = {{0, 20}};
    out.push_back(example("rows behind a bound", "sm_90", 32, "f32", G, row_major({20, 32}), S, strided({20, 32}, {1, 20}), tail, {128},
                          {128}, {32}, 8));
    SegmentSpec loops{{{1, 1, 4, vec}, {0, 1, 4, vec}, {1, 4, 4, thread}, {0, 4, 8, thread}, {1, 16, 4, outer}, {0, 32, 2, outer}}};
    loops.src_lanes = {0};
    loops.dst_lanes = {1};
    out.push_back(example("rounds in two loops, swizzled on both sides", "sm_90", 32, "f32", S, swizzle({3, 2, 4}, row_major({64, 64})), G,
                          swizzle({2, 2, 3}, strided({64, 64}, {1, 64})), loops, {128}, {128}, {32}, 8));
    return out;
}

Problem symbolic_problem(Problem problem, Plan& plan) {
    problem.symbols = {{"ld", 32, 128, 4}};
    const Expression ld = Expression::symbol(0);
    problem.buffers[0].layout.iters[0].stride = ld;
    problem.buffers[0].symbolic_capacity = ld.times(32);
    AddressPlan& address = plan.copies[0].segments[0].src.address;
    address.strides[1] = ld;
    address.strides[3] = ld.times(4);
    return problem;
}

}  // namespace

TEST_CASE("Blocks: what they are") {
    for (const Example& e : examples()) {
        CAPTURE(e.what);
        const Segment& s = e.bench.plan.copies[0].segments[0];
        CHECK(is_block(s));
        CHECK(s.src.width == e.src);
        CHECK(s.dst.width == e.dst);
        CHECK(run_width(s) == e.run);
        CHECK(accesses_in_a_round(s) == e.accesses);
        CHECK(heads_of(s, Side::src).size() + heads_of(s, Side::dst).size() == static_cast<std::size_t>(e.accesses));
        for (const Side side : both_sides) {  // every lane has one place in one access
            std::vector<std::pair<std::int64_t, std::int64_t>> seen;
            for (const Lane& lane : lanes_by_number(s, side)) seen.push_back({lane.head, lane.place});
            std::sort(seen.begin(), seen.end());
            CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
            CHECK(seen.back().second + 1 == lanes_of(s, side));
        }
    }
}

TEST_CASE("Blocks: each checker proves them, and they move every element") {
    for (const Example& e : examples()) {
        CAPTURE(e.what);
        const Bench& bench = e.bench;
        const auto malformed = check_plan(bench.problem, bench.plan);
        REQUIRE_MESSAGE(!malformed, malformed->text);
        check_proved(bench.problem, bench.plan);
        CHECK(simulate::fault(bench.problem, bench.problem.copies[0], bench.plan.copies[0]) == "");
        const bool reads_shared = bench.problem.buffers[0].space == S;
        CHECK((reads_shared ? bench.difference(true, 1) : bench.difference()) == "");
        CHECK(bench.assembly_errors({e.src == Bits{256} || e.dst == Bits{256} ? "sm_100" : "sm_80"}) == "");
    }
}

TEST_CASE("Blocks: registers of other names where words stay whole, and prmt where they do not") {
    const std::vector<Example> all = examples();
    const auto text = [&](const std::string& what) {
        return std::find_if(all.begin(), all.end(), [&](const Example& e) { return e.what == what; })->bench.text();
    };
    CHECK(text("f32 transposed").find("{%v0, %v4, %v8, %v12}") != std::string::npos);
    CHECK(text("f32 transposed").find("prmt") == std::string::npos);
    CHECK(text("f16 transposed in pairs").find("0x5410") != std::string::npos);
    CHECK(text("f16 transposed in pairs").find("0x7632") != std::string::npos);
    CHECK(text("256 bits, global to shared").find("ld.global.v8.b32") != std::string::npos);
    CHECK(text("256 bits, global to shared").find("prmt") == std::string::npos);
}

TEST_CASE("Blocks: elements that share a byte are not parted") {
    SegmentSpec segment{{{1, 1, 8, vec}, {0, 1, 8, vec}, {1, 8, 4, thread}, {0, 8, 8, thread}}};
    segment.src_lanes = {0};
    segment.dst_lanes = {1};
    Bench bench("sm_90", 32);
    const int a = bench.add("A", G, "u4", row_major({64, 32}), 256), b = bench.add("B", S, "u4", strided({64, 32}, {1, 64}), 256);
    bench.copy("copy0", a, b, segment);
    check_proved(bench.problem, bench.plan);
    const Result<std::string> text = write_ptx(bench.problem, bench.plan);
    REQUIRE(!text.ok());
    CHECK(text.error().rule == "unsupported");
}

TEST_CASE("Blocks: rows too far apart for one register of an address") {
    for (const std::int64_t pitch : {std::int64_t{1} << 26, std::int64_t{1} << 27, std::int64_t{1} << 28,
                                     std::int64_t{1} << 29}) {  // 3 rows are 2^31 bytes from 2^28 on
        Bench bench = example("far", "sm_90", 1, "f32", G, strided({4, 4}, {pitch, 1}), S, strided({4, 4}, {1, 4}),
                              {{{1, 1, 4, vec}, {0, 1, 4, vec}}, {}, {}, 0, std::vector<int>{0}, std::vector<int>{1}}, {}, {}, {}, 0)
                          .bench;
        check_proved(bench.problem, bench.plan);
        CAPTURE(bench.text());
        CHECK(bench.assembly_errors({"sm_90"}) == "");
        const bool is_one = bench.text().find("+" + std::to_string(4 * pitch) + "]") != std::string::npos;
        CHECK(is_one == (pitch < (std::int64_t{1} << 27)));
    }
}

TEST_CASE("Blocks: whose width is another is no block to emit, and no fault either") {
    Bench bench = examples()[0].bench;
    bench.plan.copies[0].segments[0].src.width = Bits{64};
    const Result<std::string> text = write_ptx(bench.problem, bench.plan);
    REQUIRE(!text.ok());
    CHECK(text.error().rule == "unsupported");
}

TEST_CASE("Blocks: a pitch that is a symbol") {
    Bench bench = examples()[0].bench;
    bench.problem = symbolic_problem(bench.problem, bench.plan);
    for (const VerifyOptions& options : {smt_alone(), VerifyOptions{}}) {
        const Report report = verify(bench.problem, bench.plan, options);
        CHECK(report.conflicts.empty());
        for (const Finding& finding : all_findings(report)) CHECK_MESSAGE(finding.verdict == Verdict::proved, finding.obligation);
    }
    bench.values = {36};
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors({"sm_90"}) == "");
    Plan off = bench.plan;
    off.copies[0].segments[0].src.address.strides[1] = Expression::symbol(0).plus(1);
    CHECK(refuted(verify(bench.problem, off, VerifyOptions{}), "address.src"));
    bench.problem.symbols[0].multiple_of = 2;  // rows begin between accesses
    CHECK(refuted(verify(bench.problem, bench.plan, VerifyOptions{}), "aligned.src"));
}

TEST_CASE("Blocks: what breaks one is found by each checker") {
    struct Damage {
        std::string obligation, what;
        std::size_t example;
        std::function<void(Problem&, Segment&)> damage;
    };
    const std::vector<Damage> all{
        {"address.src", "the second load a row further", 0, [](Problem&, Segment& s) { s.src.address.strides[1] = 64; }},
        {"address.dst", "the second store a column further", 0, [](Problem&, Segment& s) { s.dst.address.strides[0] = 64; }},
        {"contiguous.src", "lanes that lie a row apart", 0, [](Problem&, Segment& s) { s.src.lanes = {1}; }},
        {"contiguous.dst", "lanes that lie a column apart", 0, [](Problem&, Segment& s) { s.dst.lanes = {0}; }},
        {"contiguous.dst", "lanes in the order of the source", 13,
         [](Problem&, Segment& s) {
             s.dst.lanes = {0, 1};
         }},
        {"contiguous.src", "as many lanes as the block has", 0, [](Problem&, Segment& s) { s.src.lanes.reset(); }},
        {"contiguous.dst", "half an access", 9,
         [](Problem&, Segment& s) {
             s.dst.width = Bits{64};
             s.dst.instruction = "st.shared.v2.u32";
         }},
        {"same-element", "registers of another order", 13,
         [](Problem&, Segment& s) {
             s.src.lanes = {1, 0};
         }},
        {"same-element", "the stores in another order", 0, [](Problem&, Segment& s) { s.dst.lanes = {0}; }},
        {"same-element", "the loads in another order", 0, [](Problem&, Segment& s) { s.src.lanes = {1}; }},
        {"aligned.src", "a pitch between", 0,
         [](Problem& p, Segment& s) {
             p.buffers[0].layout.iters[0].stride = 33, p.buffers[0].capacity.count += 31, s.src.address.strides[1] = 33,
             s.src.address.strides[3] = 132;
         }},
        {"aligned.dst", "a base of less", 0, [](Problem& p, Segment&) { p.buffers[1].align = Bytes{8}; }},
        {"bounds.src", "a buffer that ends with the first loads", 0, [](Problem& p, Segment&) { p.buffers[0].capacity.count -= 1; }},
        {"bounds.dst", "a buffer that ends with the first stores", 0, [](Problem& p, Segment&) { p.buffers[1].capacity.count -= 1; }},
        {"disjoint", "two stores of a round in one place", 0,
         [](Problem& p, Segment& s) { p.buffers[1].layout.iters[1].stride = 0, s.dst.address.strides[0] = 0; }},
        {"predicate", "a bound within a block", 15, [](Problem&, Segment& s) { s.predicate[0].below = 21; }},
        {"covers", "a bound before the last block", 15, [](Problem&, Segment& s) { s.predicate[0].below = 16; }},
        {"overflow", "an index too narrow", 0,
         [](Problem&, Segment& s) { s.src.address.offset = std::int64_t{1} << 40, s.src.address.index_bits = 32; }},
        {"legal", "another instruction", 0, [](Problem&, Segment& s) { s.dst.instruction = "st.shared.v2.u32"; }},
    };
    for (const Damage& one : all) {
        CAPTURE(one.obligation);
        CAPTURE(one.what);
        Bench bench = examples()[one.example].bench;
        one.damage(bench.problem, bench.plan.copies[0].segments[0]);
        REQUIRE(!check_plan(bench.problem, bench.plan));
        CHECK(refuted(verify(bench.problem, bench.plan, smt_alone()), one.obligation));
        CHECK(refuted(verify(bench.problem, bench.plan, exhaustive_alone()), one.obligation));
        const Report both = verify(bench.problem, bench.plan, {});
        CHECK(both.conflicts.empty());
        CHECK(refuted(both, one.obligation));
    }
}

TEST_CASE("Blocks: in one buffer, loads of a round come before its stores, and no others do") {
    const auto on_itself = [](Bench bench) {
        bench.problem.buffers.pop_back();
        bench.problem.copies[0].dst.buffer = 0;
        return bench;
    };
    // Rows of the lower half move up.
    Bench rows("sm_90", 32);
    const int r = rows.add("A", S, "f32", row_major({64, 8}), 256), q = rows.add("B", S, "f32", row_major({64, 8}), 256);
    SegmentSpec pairs{{{1, 1, 4, vec}, {1, 4, 2, vec}, {0, 1, 32, thread}}};
    pairs.dst_lanes = {0};
    pairs.src_lanes = {0};
    rows.copy("copy0", r, q, pairs);
    rows.problem.copies[0].src.region = {{32, 0}, {32, 8}};
    rows.problem.copies[0].dst.region = {{0, 0}, {32, 8}};
    rows.plan.copies[0].box = {{{{0, 1, 32}}, {{1, 1, 8}}}};
    rows.plan.copies[0].segments[0].src.address.offset = 256;
    rows = on_itself(rows);
    check_proved(rows.problem, rows.plan);
    // Each row up by one: another thread reads what this one writes.
    rows.problem.copies[0].src.region = {{1, 0}, {32, 8}};
    rows.plan.copies[0].segments[0].src.address.offset = 8;
    CHECK(refuted(verify(rows.problem, rows.plan, smt_alone()), "no-alias"));
    CHECK(refuted(verify(rows.problem, rows.plan, exhaustive_alone()), "no-alias"));
    // One thread that moves four rows down by one: in a block all is read first, in rounds it is not.
    Bench down("sm_90", 1);
    const int c = down.add("A", S, "f32", row_major({5, 4}), 256), d = down.add("B", S, "f32", row_major({5, 4}), 256);
    SegmentSpec block{{{1, 1, 4, vec}, {0, 1, 4, vec}}};
    block.src_lanes = {0};
    block.dst_lanes = {0};
    down.copy("copy0", c, d, block);
    down.problem.copies[0].src.region = {{0, 0}, {4, 4}};
    down.problem.copies[0].dst.region = {{1, 0}, {4, 4}};
    down.plan.copies[0].box = {{{{0, 1, 4}}, {{1, 1, 4}}}};
    down.plan.copies[0].segments[0].dst.address.offset = 4;
    down = on_itself(down);
    check_proved(down.problem, down.plan);
    Plan rounds = down.plan;
    Segment& s = rounds.copies[0].segments[0];
    s.src.lanes.reset();
    s.dst.lanes.reset();
    s.digits[1].role = outer;
    s.digits[1].place = 0;
    s.outer = 4;
    s.vec = 4;
    CHECK(refuted(verify(down.problem, rounds, smt_alone()), "no-alias"));
    CHECK(refuted(verify(down.problem, rounds, exhaustive_alone()), "no-alias"));
}

TEST_CASE("Blocks: what cannot be one is refused before it is judged") {
    struct Fault {
        std::string text;
        std::function<void(Segment&)> damage;
    };
    const std::vector<Fault> all{
        {"no vec digits", [](Segment& s) { s.src.lanes = {2}; }},
        {"a digit twice",
         [](Segment& s) {
             s.src.lanes = {0, 0};
         }},
        {"64 registers", [](Segment& s) { s.digits[0].extent = 64, s.vec = 256, s.digits[2].extent = 1, s.threads = 8; }},
        {"flat segment",
         [](Segment& s) {
             s.flat = true, s.start = {0}, s.src.address.strides.clear(), s.dst.address.strides.clear();
             for (Digit& d : s.digits) d.dim = 0;
         }},
        {"load and store", [](Segment& s) { s.src.instruction = s.dst.instruction = "cp.async.cg.shared.global"; }},
    };
    for (const Fault& one : all) {
        CAPTURE(one.text);
        Bench bench = examples()[0].bench;
        one.damage(bench.plan.copies[0].segments[0]);
        const auto malformed = check_plan(bench.problem, bench.plan);
        REQUIRE(malformed.has_value());
        CHECK(malformed->rule == "plan-shape");
        CHECK_MESSAGE(malformed->text.find(one.text) != std::string::npos, malformed->text);
    }
}

}  // namespace tileproof::test
