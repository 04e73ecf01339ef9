// Near misses: plans that break one condition of the verifier, by as little as possible. One element too many runs, only the
// second segment is wrong, only the lanes are, two wrongs cancel. What breaks more would also be caught by a verifier that
// checks less (tests/flaws breaks it on purpose).
#include <doctest/doctest.h>

#include "tests/broken_plan.hpp"

namespace tileproof {
namespace {

using namespace test;

// --- problems ---------------------------------------------------------------------------------------------------------

/// 25 threads of 32 move one element each.
Problem odd() { return one_copy(make_buffer("A", G, "f32", "(25):(1)"), make_buffer("B", S, "f32", "(25):(1)"), 32); }
Problem one_thread() {
    Problem p = moved_down();
    p.copies[0].threads = p.launch.block = 1;
    return p;
}
/// 8 elements from element 1: the last one lies in the next block.
Problem across_a_block() {
    Problem p = one_copy(make_buffer("A", G, "f32", "((8,2)):((1,100))"), make_buffer("B", S, "f32", "(8):(1)"), 8);
    p.copies[0].src.region = {{1}, {8}};
    return p;
}
Problem across_a_block_to() {
    Problem p = one_copy(make_buffer("A", G, "f32", "(8):(1)"), make_buffer("B", S, "f32", "((8,2)):((1,100))"), 32);
    p.copies[0].dst.region = {{1}, {8}};
    return p;
}
/// Rows of 40 in a pitch of 64: the swizzle reaches into the padding.
Problem padded_swizzle() {
    return one_copy(make_buffer("A", G, "f16", "(4,40):(40,1)"), make_buffer("B", S, "f16", "Sw<3,3,3> o (4,40):(64,1)", 1024), 16);
}
/// One period of the swizzle, its last chunk unused before the swizzle.
Problem whole_period() {
    return one_copy(make_buffer("A", G, "f16", "(8,56):(56,1)"), make_buffer("B", S, "f16", "Sw<3,3,3> o (8,56):(64,1)", 1024), 8);
}
/// The swizzle exchanges halves of an access, on both sides alike; accesses begin 4 elements into a block of addresses.
Problem swizzled_below() {
    Problem p = one_copy(make_buffer("A", S, "f16", "Sw<1,1,3> o (64):(1) + 4"), make_buffer("B", S, "f16", "Sw<1,1,3> o (64):(1) + 4"), 8);
    for (Buffer& buffer : p.buffers) {
        buffer.base = Bytes{8};
        buffer.capacity = {80};
    }
    return p;
}
Problem sparse() { return one_copy(make_buffer("A", G, "f32", "(32):(1)"), make_buffer("B", S, "f32", "(32):(1) + 4096"), 8); }
Problem transposed() { return one_copy(make_buffer("A", G, "f32", "(8,8):(8,1)"), make_buffer("B", S, "f32", "(8,8):(1,8)"), 16); }
Problem padded_rows(const char* src, const char* dst) {
    return one_copy(make_buffer("A", G, "f32", src), make_buffer("B", S, "f32", dst), 32);
}
/// From A to S and from S to B, in the other order: S is read before it is written.
Problem read_then_write() {
    Problem p = tile();
    std::swap(p.copies[0], p.copies[1]);
    return p;
}
/// The first copy by 32 threads, the second by 16.
Problem fewer_threads() {
    Problem p = tile();
    p.copies[1].threads = 16;
    return p;
}
Problem write_twice() {
    Problem p = tile();
    p.copies[1].src = {2, p.copies[1].dst.region};
    p.copies[1].dst = {1, p.copies[1].dst.region};
    return p;
}

// --- plans by hand ----------------------------------------------------------------------------------------------------

SidePlan side_plan(const Problem& problem, Side side, std::int64_t bits, AddressPlan address) {
    const Space space = problem.buffer(operand(problem.copies[0], side)).space;
    return {std::string(access_form(side == Side::src ? Direction::load : Direction::store, space, Bits{bits})->mnemonic), Bits{bits},
            std::move(address)};
}

/// A plan of one segment with these digits and strides, from coordinate 0.
void set_straight(const Problem& problem, Plan& plan, const Box& box, std::int64_t bits, const std::vector<Digit>& digits,
                  const std::vector<Expression>& src, const std::vector<Expression>& dst) {
    Segment s;
    s.start.assign(box.dims.size(), 0);
    s.digits = digits;
    for (const Digit& d : digits) (d.role == Role::outer ? s.outer : d.role == Role::thread ? s.threads : s.vec) *= d.extent;
    s.src = side_plan(problem, Side::src, bits, {0, src});
    s.dst = side_plan(problem, Side::dst, bits, {0, dst});
    plan.copies[0].box = box;
    plan.copies[0].segments = {s};
}

/// 32 threads with 4 elements each by the row-major index of the box; rows of `row` elements.
void set_flat(const Problem& problem, Plan& plan, std::int64_t rows, std::int64_t row, std::int64_t src_pitch, std::int64_t dst_pitch) {
    Segment s;
    s.flat = true;
    s.start = {0};
    s.threads = 32;
    s.vec = 4;
    s.digits = {{0, 4, 32, Role::thread, 0}, {0, 1, 4, Role::vec, 0}};
    s.predicate = {{0, rows * row}};
    const auto address = [&](std::int64_t pitch) { return AddressPlan{0, {}, {}, 64, {{1, row, 1}, {row, rows, pitch}}}; };
    s.src = side_plan(problem, Side::src, 128, address(src_pitch));
    s.dst = side_plan(problem, Side::dst, 128, address(dst_pitch));
    plan.copies[0].box = {{{{0, 1, rows}}, {{1, 1, row}}}};
    plan.copies[0].segments = {s};
}

Problem flat_rows() { return padded_rows("(4,12):(16,1)", "(4,12):(12,1)"); }
void make_flat(Problem& problem, Plan& plan) { set_flat(problem, plan, 4, 12, 16, 12); }

/// The second half of the rounds in a segment of its own. Requires: one outer digit of even extent, the last place.
Segment& split(Plan& plan) {
    const std::size_t i = index(plan, Role::outer);
    Segment& first = segment(plan);
    const std::int64_t half = first.digits[i].extent /= 2;
    first.outer /= 2;
    Segment second = first;
    second.start[static_cast<std::size_t>(first.digits[i].dim)] += half * first.digits[i].weight;
    second.src.address.offset += half * first.src.address.strides[i];
    second.dst.address.offset += half * first.dst.address.strides[i];
    plan.copies[0].segments.push_back(second);
    return plan.copies[0].segments[1];
}

/// Lanes as two digits of 2, with these strides on one side: 2 and 1 exchange lanes 1 and 2.
void split_lanes(Plan& plan, Side side, std::int64_t low, std::int64_t high) {
    const std::size_t i = index(plan, Role::vec);
    Segment& s = segment(plan);
    s.digits[i].extent = 2;
    Digit second = s.digits[i];
    second.place = 1;
    second.weight = 2;
    s.digits.push_back(second);
    for (const Side each : both_sides) {
        std::vector<Expression>& strides = (each == Side::src ? s.src : s.dst).address.strides;
        strides.push_back(each == side ? high : 2);
        if (each == side) strides[i] = low;
    }
}

void set_rows_pitch(Problem& problem, Plan& plan, std::int64_t pitch) {
    problem.buffers[1].layout.iters[0].stride = pitch;
    Segment& s = segment(plan);
    for (std::size_t i = 0; i < s.digits.size(); ++i)
        if (s.digits[i].dim == 0) s.dst.address.strides[i] = pitch * s.digits[i].weight;
}

void set_outer(Plan& plan, std::int64_t weight) {
    const std::size_t i = index(plan, Role::outer);
    segment(plan).digits[i].weight = segment(plan).src.address.strides[i] = segment(plan).dst.address.strides[i] = weight;
}

void move_source(Problem& problem, Plan& plan, std::int64_t to) {
    problem.copies[0].src.region.start = {to};
    segment(plan).src.address.offset = to;
}

// --- the plans --------------------------------------------------------------------------------------------------------

using All = std::vector<Broken>;

constexpr std::int64_t far = std::int64_t{1} << 40;

void regions(All& all) {
    const auto add = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, std::move(damage)});
    };
    add("predicate", "one element after the region", odd(), [](Problem&, Plan& p) { segment(p).predicate[0].below = 26; });
    add("predicate", "one element before the region", odd(), [](Problem&, Plan& p) { segment(p).start[0] = -1; });
    add("predicate", "columns past the region, onto the next row", rows(), [](Problem&, Plan& p) { segment(p).start[1] += 8; });
    add("predicate", "a bound of 2^40", few(), [](Problem&, Plan& p) { segment(p).predicate[0].below = far; });
    add("predicate", "threads 2^40 apart", odd(), [](Problem&, Plan& p) {
        digit(p, Role::thread).weight = far;
        segment(p).predicate.clear();
    });
    add("predicate", "only the second segment runs past the region", tile(), [](Problem&, Plan& p) { split(p).start[0] += 4; });
    add("predicate", "a flat segment without its bound", flat_rows(), [](Problem& problem, Plan& p) {
        make_flat(problem, p);
        segment(p).predicate.clear();
    });
    add("covers", "the last element cut off", odd(), [](Problem&, Plan& p) { segment(p).predicate[0].below = 24; });
    add("covers", "the first element left out", odd(), [](Problem&, Plan& p) {
        segment(p).start[0] = 1;
        segment(p).src.address.offset = segment(p).dst.address.offset = 1;
    });
    add("covers", "a dimension without digits", rows(), [](Problem&, Plan& p) {
        for (Digit& d : segment(p).digits) {
            if (d.dim != 0) continue;
            (d.role == Role::outer ? segment(p).outer : segment(p).threads) /= d.extent;
            d.extent = 1;
        }
    });
    add("covers", "a gap in the middle", padded_rows("(12):(1)", "(12):(1)"), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 12}}}}, 128, {{0, 8, 2, Role::thread, 0}, {0, 1, 4, Role::vec, 0}}, {8, 1}, {8, 1});
    });
    add("bounds.src", "an offset of 2^40", tile(), [](Problem&, Plan& p) { segment(p).src.address.offset = far; });
    add("bounds.src", "rounds 2^40 apart", tile(), [](Problem&, Plan& p) { segment(p).src.address.strides[index(p, Role::outer)] = far; });
    add("bounds.src", "only the second segment, by one element", tile(), [](Problem& problem, Plan& p) {
        split(p);
        problem.buffers[0].capacity.count -= 1;
    });
    add("bounds.dst", "a swizzle that moves an access past the end", padded_swizzle(),
        [](Problem& problem, Plan&) { problem.buffers[1].capacity.count = 248; });
    add("bounds.dst", "a swizzle that moves half an access past the end", whole_period(),
        [](Problem&, Plan& p) { segment(p).dst.address.offset = 4; });
}

void addresses(All& all) {
    const auto add = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, std::move(damage)});
    };
    add("address.src", "the start moved, the address not", odd(), [](Problem&, Plan& p) { segment(p).start[0] = 1; });
    add("address.src", "the start of the region left out", moved_down(), [](Problem&, Plan& p) { segment(p).src.address.offset = 0; });
    add("address.src", "only the lanes are wrong", tile(),
        [](Problem&, Plan& p) { segment(p).src.address.strides[index(p, Role::vec)] = 2; });
    add("address.dst", "only the second segment is wrong", tile(), [](Problem&, Plan& p) { split(p).dst.address.offset += 4; });
    add("address.src", "rows on a pitch taken for dense", rows(), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 16}, {1, 1, 32}}}}, 128,
                     {{0, 256, 2, Role::outer, 0}, {0, 8, 32, Role::thread, 0}, {0, 1, 8, Role::vec, 0}}, {256, 8, 1}, {256, 8, 1});
    });
    add("address.src", "the last element lies in another block", across_a_block(), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 8}}}}, 32, {{0, 1, 8, Role::thread, 0}}, {1}, {1});
        segment(p).src.address.offset = 1;
    });
    add("address.src", "lanes of the second segment go down a column, their addresses along a row", rows(), [](Problem&, Plan& p) {
        Segment& second = split(p);
        second.start[0] -= 7;
        second.src.address.offset -= 7 * 40;
        second.dst.address.offset -= 7 * 32;
        second.digits[index(p, Role::vec)].dim = 0;
    });
    add("address.src", "the second segment begins one column further, its addresses do not", rows(), [](Problem&, Plan& p) {
        Segment& second = split(p);
        second.start[1] = 1;
        second.predicate.push_back({1, 25});
    });
    add("contiguous.src", "swizzled reads that begin half an access off",
        one_copy(make_buffer("A", S, "f16", "Sw<3,3,3> o (32,64):(64,1)", 1024), make_buffer("B", G, "f16", "(32,64):(64,1)"), 64),
        [](Problem& problem, Plan& p) {
            problem.buffers[0].layout.offset = 4;
            problem.buffers[0].capacity.count += 512;
            segment(p).src.address.offset = 4;
        });
    add("aligned.src", "one element further", tile(), [](Problem&, Plan& p) { segment(p).src.address.offset = 1; });
    add("aligned.dst", "threads half an access apart", tile(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::thread)] = 2; });
    add("aligned.src", "only the second segment, by one element", tile(), [](Problem&, Plan& p) { split(p).src.address.offset += 1; });
    add("contiguous.src", "two lanes, two elements apart",
        one_copy(make_buffer("A", G, "f64", "(64):(1)"), make_buffer("B", S, "f64", "(64):(1)"), 32),
        [](Problem&, Plan& p) { segment(p).src.address.strides[index(p, Role::vec)] = 2; });
    add("contiguous.src", "lanes in reverse on both sides", tile(), [](Problem&, Plan& p) {
        for (AddressPlan* address : {&segment(p).src.address, &segment(p).dst.address}) {
            address->offset = 3;
            address->strides[index(p, Role::vec)] = -1;
        }
    });
    for (const Side side : both_sides)
        add("contiguous.dst", "two lanes exchanged on one side", tile(), [side](Problem&, Plan& p) { split_lanes(p, side, 2, 1); });
    add("contiguous.src", "the upper half of the lanes elsewhere", tile(), [](Problem&, Plan& p) { split_lanes(p, Side::src, 1, 4); });
    add("contiguous.dst", "accesses that begin inside a chunk of the swizzle", swizzled_tile(),
        [](Problem&, Plan& p) { segment(p).dst.address.offset = 4; });
    add("contiguous.dst", "accesses that begin inside a chunk, at an aligned address", swizzled_tile(), [](Problem& problem, Plan& p) {
        problem.buffers[1].base = Bytes{8};
        segment(p).dst.address.offset = 4;
    });
    add("same-element", "the source one access further", tile(), [](Problem&, Plan& p) { segment(p).src.address.offset = 4; });
    add("same-element", "both sides one access further", tile(),
        [](Problem&, Plan& p) { segment(p).src.address.offset = segment(p).dst.address.offset = 4; });
    add("same-element", "both sides one access before", tile(),
        [](Problem&, Plan& p) { segment(p).src.address.offset = segment(p).dst.address.offset = -4; });
    add("contiguous.src", "right addresses that are not neighbours", transposed(), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 8}}, {{1, 1, 8}}}}, 128,
                     {{1, 1, 8, Role::thread, 0}, {0, 4, 2, Role::thread, 1}, {0, 1, 4, Role::vec, 0}}, {1, 32, 8}, {8, 4, 1});
    });
    add("same-element", "right addresses that are not neighbours", transposed(), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 8}}, {{1, 1, 8}}}}, 128,
                     {{0, 1, 8, Role::thread, 0}, {1, 4, 2, Role::thread, 1}, {1, 1, 4, Role::vec, 0}}, {8, 4, 1}, {1, 32, 8});
    });
}

void flat_segments(All& all) {
    const auto add = [&](const char* id, const char* what, std::function<void(Segment&)> damage) {
        all.push_back({id, what, flat_rows(), [damage](Problem& problem, Plan& p) {
                           make_flat(problem, p);
                           damage(segment(p));
                       }});
    };
    add("aligned.src", "a flat start between accesses", [](Segment& s) {
        s.start[0] = 2;
        s.predicate[0].below = 45;
    });
    add("aligned.src", "flat threads five elements apart", [](Segment& s) {
        s.digits[0].weight = 5;
        s.predicate[0].below = 45;
    });
    add("address.src", "a modulus off by one", [](Segment& s) { s.src.address.terms[0].mod = 11; });
    add("address.src", "a divisor off by one", [](Segment& s) { s.src.address.terms[1].div = 11; });
    add("address.src", "a term twice", [](Segment& s) { s.src.address.terms.push_back(s.src.address.terms[0]); });
    add("address.src", "an index that is shifted before it is split", [](Segment& s) {
        s.src.address.terms[0].of = {{1, 48, 1}};
        s.src.address.terms[0].add = 4;
    });
    all.push_back({"disjoint", "blocks of a layout that overlap by one element", across_a_block_to(), [](Problem& problem, Plan& p) {
                       problem.buffers[1].layout.iters[0].stride = 7;
                       set_flat(problem, p, 1, 8, 0, 7);
                       p.copies[0].box = {{{{0, 1, 8}}}};
                       Segment& s = segment(p);
                       s.vec = s.digits[1].extent = s.digits[0].weight = 1;
                       s.src = side_plan(problem, Side::src, 32, s.src.address);
                       s.dst = side_plan(problem, Side::dst, 32, {0, {}, {}, 64, {{1, 8, 1, {{1, 8, 1}}, 1}, {8, 2, 7, {{1, 8, 1}}, 1}}});
                   }});
    all.push_back({"contiguous.src", "rows that hold no whole number of accesses", padded_rows("(4,6):(8,1)", "(4,6):(6,1)"),
                   [](Problem& problem, Plan& p) { set_flat(problem, p, 4, 6, 8, 6); }});
}

void pairs(All& all) {
    const auto add = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, std::move(damage)});
    };
    add("disjoint", "threads on top of each other", tile(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::thread)] = 0; });
    add("disjoint", "threads half an access apart", tile(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::thread)] = 2; });
    add("disjoint", "rounds that overlap, at the right addresses", tile(), [](Problem&, Plan& p) { set_outer(p, 64); });
    add("disjoint", "rounds that overlap by one access, at the right addresses", tile(), [](Problem&, Plan& p) { set_outer(p, 124); });
    add("disjoint", "accesses twice as wide", rows(), [](Problem&, Plan& p) { segment(p).dst.width = {256}; });
    add("disjoint", "columns past the region, onto the next row", rows(), [](Problem&, Plan& p) {
        Segment& s = segment(p);
        const auto in_rounds = [](const Digit& d) { return d.role == Role::outer; };
        s.digits.push_back({1, 32, 2, Role::outer, static_cast<int>(std::count_if(s.digits.begin(), s.digits.end(), in_rounds))});
        s.outer *= 2;
        s.src.address.strides.push_back(32);
        s.dst.address.strides.push_back(32);
    });
    add("disjoint", "a layout whose rows overlap", rows(), [](Problem& problem, Plan& p) { set_rows_pitch(problem, p, 24); });
    add("disjoint", "a layout whose rows overlap by one element", rows(),
        [](Problem& problem, Plan& p) { set_rows_pitch(problem, p, 31); });
    add("disjoint", "a layout over bits that ignores one", padded_rows("(32):(1)", "(32):(1)"), [](Problem& problem, Plan& p) {
        problem.buffers[1].layout = {{32}, {}, 0, {}, {{1, 2, 4, 8, 0}}};
        set_straight(problem, p, {{{{0, 1, 32}}}}, 128, {{0, 4, 4, Role::thread, 0}, {0, 16, 2, Role::thread, 1}, {0, 1, 4, Role::vec, 0}},
                     {4, 16, 1}, {4, 0, 1});
    });
    add("disjoint", "the second segment begins with the last element of the first", odd(), [](Problem& problem, Plan& p) {
        set_straight(problem, p, {{{{0, 1, 25}}}}, 32, {{0, 1, 13, Role::thread, 0}}, {1}, {1});
        Segment second = segment(p);
        second.start[0] = second.src.address.offset = second.dst.address.offset = 12;
        p.copies[0].segments.push_back(second);
    });
    for (const char* id : {"disjoint", "aligned.dst"})
        add(id, "pairs of nibbles that begin inside a byte",
            one_copy(make_buffer("A", G, "u4", "(64):(1)"), make_buffer("B", S, "u4", "(64):(1)"), 32), [](Problem& problem, Plan& p) {
                problem.buffers[1].layout.offset = 1;
                problem.buffers[1].capacity = {66};
                set_straight(problem, p, {{{{0, 1, 64}}}}, 8, {{0, 2, 32, Role::thread, 0}, {0, 1, 2, Role::vec, 0}}, {2, 1}, {2, 1});
                segment(p).dst.address.offset = 1;
            });
    add("disjoint", "three segments, the last two the same", tile(), [](Problem&, Plan& p) {
        const Segment second = split(p);
        p.copies[0].segments.push_back(second);
    });
    add("disjoint", "two segments that share half an access", tile(), [](Problem&, Plan& p) {
        Segment& s = split(p);
        s.start[0] -= 2;
        for (Expression* at : {&s.src.address.offset, &s.dst.address.offset}) *at -= 2;
    });
    add("no-alias", "regions that overlap by one element", moved_down(), [](Problem& problem, Plan& p) { move_source(problem, p, 127); });
    add("no-alias", "regions that overlap by one element, the source below", moved_down(), [](Problem& problem, Plan& p) {
        problem.copies[0].dst.region.start = {127};
        segment(p).dst.address.offset = 127;
        move_source(problem, p, 0);
    });
    add("no-alias", "a row that crosses the column it is copied to", moved_down(), [](Problem& problem, Plan& p) {
        problem.buffers[0].layout.shape = {16, 16};
        problem.buffers[0].layout.iters = {{16, 16}, {16, 1}};
        problem.copies[0].src.region = {{3, 0}, {1, 16}};
        problem.copies[0].dst.region = {{0, 5}, {16, 1}};
        set_straight(problem, p, {{{{0, 1, 16}}}}, 32, {{0, 1, 16, Role::thread, 0}}, {1}, {16});
        segment(p).src.address.offset = 48;
        segment(p).dst.address.offset = 5;
    });
    add("no-alias", "regions that lie apart, addresses that do not", moved_down(),
        [](Problem&, Plan& p) { segment(p).src.address.offset = 4; });
    add("no-alias", "one thread that reads what it wrote in the round before", one_thread(), [](Problem& problem, Plan& p) {
        problem.copies[0].dst.region.start = {4};
        segment(p).dst.address.offset = 4;
        move_source(problem, p, 0);
    });
    add("no-alias", "one thread that reads what it wrote in the segment before", one_thread(), [](Problem& problem, Plan& p) {
        for (auto* region : {&problem.copies[0].src.region, &problem.copies[0].dst.region}) region->extent = {8};
        problem.copies[0].dst.region.start = {4};
        set_straight(problem, p, {{{{0, 1, 8}}}}, 128, {{0, 4, 2, Role::outer, 0}, {0, 1, 4, Role::vec, 0}}, {4, 1}, {4, 1});
        move_source(problem, p, 0);
        segment(p).dst.address.offset = 4;
        split(p);
    });
}

void programs(All& all) {
    const auto add = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, std::move(damage)});
    };
    const auto barrier = [](Plan& p) -> Barrier& { return std::get<Barrier>(p.program[1]); };
    const auto no_barrier = [](Problem&, Plan& p) { p.program.erase(p.program.begin() + 1); };
    add("legal", "256 bits on sm_100 before PTX 8.8",
        one_copy(make_buffer("A", G, "f32", "(256):(1)"), make_buffer("B", G, "f32", "(256):(1)"), 32, "sm_100"),
        [](Problem& problem, Plan&) {
            problem.ptx = PtxVersion{8, 7};
        });
    const auto overflow = [&](const char* what, std::function<void(AddressPlan&)> change) {
        for (const Side side : both_sides)
            add("overflow", what, tile(), [side, change](Problem&, Plan& p) {
                AddressPlan& address = (side == Side::src ? segment(p).src : segment(p).dst).address;
                address.index_bits = 32;
                change(address);
            });
    };
    overflow("2 GiB into the buffer, in 32 bits", [](AddressPlan& address) { address.offset = std::int64_t{1} << 29; });
    overflow("2 GiB before the buffer, in 32 bits", [](AddressPlan& address) { address.offset = -(std::int64_t{1} << 29); });
    overflow("rounds 2 GiB apart, in 32 bits",
             [](AddressPlan& address) { address.strides[0] = address.strides[1] = std::int64_t{1} << 29; });
    add("overflow", "an index of 2^31, in 32 bits", flat_rows(), [](Problem& problem, Plan& p) {
        make_flat(problem, p);
        segment(p).start[0] = std::int64_t{1} << 31;
        segment(p).src.address.index_bits = 32;
    });
    add("participants", "a segment of half of the threads", tile(), [](Problem&, Plan& p) {
        digit(p, Role::thread).extent /= 2;
        segment(p).threads /= 2;
    });
    add("participants", "a block smaller than the scope by one thread", tile(), [](Problem& problem, Plan&) { problem.launch.block -= 1; });
    add("synchronised", "the barrier after both copies", tile(), [](Problem&, Plan& p) { std::swap(p.program[1], p.program[2]); });
    add("synchronised", "a barrier of one thread too few", tile(), [barrier](Problem&, Plan& p) { barrier(p).threads -= 1; });
    add("synchronised", "read, then written, without a barrier", read_then_write(), no_barrier);
    add("synchronised", "written twice without a barrier", write_twice(), no_barrier);
    add("converged", "a barrier of fewer threads than the block", tile(), [barrier](Problem&, Plan& p) { barrier(p).threads -= 1; });
    for (const int id : {-1, 16})
        add("converged", "a barrier that does not exist", tile(), [barrier, id](Problem&, Plan& p) { barrier(p).id = id; });
    add("synchronised", "a barrier of the threads of the second copy", fewer_threads(),
        [barrier](Problem&, Plan& p) { barrier(p).threads = 16; });
    add("fits", "one byte more than a block has", tile(),
        [](Problem& problem, Plan&) { problem.buffers[1].capacity.count = problem.target.shared_per_block.count / 4 + 1; });
}

}  // namespace

TEST_CASE("near misses: good plans of the unusual kinds are proved by each checker") {
    for (const Problem& problem : {odd(), swizzled_below(), padded_swizzle(), whole_period(), across_a_block(), across_a_block_to(),
                                   transposed(), sparse(), fewer_threads(), write_twice(), read_then_write()}) {
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        check_proved(problem, solution.plan());
    }
    Problem problem = flat_rows();
    Plan plan = solve(problem).plan();
    make_flat(problem, plan);
    check_proved(problem, plan);
    problem = tile();
    plan = solve(problem).plan();
    split(plan);
    check_proved(problem, plan);
    // In place: every access reads what it writes.
    problem = moved_down();
    plan = solve(problem).plan();
    move_source(problem, plan, 0);
    check_proved(problem, plan);
    CHECK(segment(plan).src.width == Bits{128});
}

TEST_CASE("near misses: each is refuted by each checker") {
    All all;
    for (const auto& group : {programs, regions, addresses, flat_segments, pairs}) group(all);
    CHECK(all.size() > 50);
    for (const Broken& broken : all) check_refuted(broken);
}

TEST_CASE("near misses: what hits a resource limit proves none of them") {
    All all;
    for (const auto& group : {programs, regions, addresses, flat_segments, pairs}) group(all);
    VerifyOptions options = smt_alone();
    options.rlimit = 1;
    for (const Broken& broken : all) {
        INFO(broken.obligation, ": ", broken.what);
        Problem problem = broken.problem;
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        Plan plan = solution.plan();
        broken.damage(problem, plan);
        CHECK(verify(problem, plan, options).verdict() != Verdict::proved);
    }
}

}  // namespace tileproof
