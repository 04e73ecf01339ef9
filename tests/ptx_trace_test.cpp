// Random plans: the accesses that the emitted code makes, one by one and in order, against the plan's own arithmetic.
//
//   thread t, round f, active:  load at  base + planned_offset(src, digits(f, t)),  store at  base + planned_offset(dst, ...)
//
// These plans copy nothing sensible (lanes overlap, strides run backwards, offsets go negative where nobody is active); what
// counts is that text and plan say the same.
#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "emit/ptx_address.hpp"
#include "emit/ptx_internal.hpp"
#include "layouts/address.hpp"
#include "tests/ptx_interpreter.hpp"

namespace tileproof::test {
namespace {

/// Of a segment with strides.
std::int64_t straight_offset(const AddressPlan& address, const std::vector<std::int64_t>& digits) {
    Segment segment;
    segment.src.address = address;
    return planned_offset(segment, Side::src, digits);
}

constexpr std::uint64_t global_base = (std::uint64_t{1} << 45) + 32;

class RandomPlan {
public:
    explicit RandomPlan(std::uint32_t seed) : random_(seed) {}

    std::int64_t upto(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random_); }
    template <class T>
    T one_of(const std::vector<T>& choices) {
        return choices[static_cast<std::size_t>(upto(static_cast<std::int64_t>(choices.size()) - 1))];
    }

    /// Digits, strides, swizzles and bounds of a segment of `threads` threads or fewer.
    Segment segment(const DType& dtype, Bits width, std::int64_t most_threads, const std::array<Space, 2>& spaces) {
        Segment out;
        const std::size_t rank = static_cast<std::size_t>(1 + upto(2));
        for (std::size_t i = 0; i < rank; ++i) out.start.push_back(upto(9) - 2);
        out.vec = width.count / dtype.size.count;
        if (out.vec > 1) out.digits.push_back({0, 1, out.vec, Role::vec, 0});
        add_digits(out, Role::thread, out.threads, most_threads, rank);
        add_digits(out, Role::outer, out.outer, 40, rank);
        std::shuffle(out.digits.begin(), out.digits.end(), random_);
        for (std::int64_t bounds = upto(2); bounds > 0; --bounds)
            out.predicate.push_back({static_cast<int>(upto(static_cast<std::int64_t>(rank) - 1)), upto(60)});
        for (const Side side : both_sides) {
            SidePlan& plan = side == Side::src ? out.src : out.dst;
            const Space space = spaces[static_cast<std::size_t>(side)];
            plan.width = width;
            plan.instruction = access_form(side == Side::src ? Direction::load : Direction::store, space, width)->mnemonic;
            plan.address = address(out, dtype, space);
        }
        return out;
    }

private:
    void add_digits(Segment& out, Role role, std::int64_t& product, std::int64_t most, std::size_t rank) {
        int place = 0;
        for (std::int64_t digits = upto(4); digits > 0; --digits) {
            const std::int64_t extent = one_of<std::int64_t>({1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 32});
            if (product * extent > most) continue;
            product *= extent;
            out.digits.push_back({static_cast<int>(upto(static_cast<std::int64_t>(rank) - 1)), upto(20) - 3, extent, role, place++});
        }
    }

    AddressPlan address(const Segment& segment, const DType& dtype, Space space) {
        AddressPlan out;
        const bool far = space == Space::global && upto(9) == 0;
        std::int64_t continued = segment.vec * one_of<std::int64_t>({1, 1, 2, 3});  // stride of a digit that goes on where others end
        for (const Digit& digit : segment.digits) {
            const std::int64_t kind = upto(9);
            std::int64_t stride = kind < 4   ? continued
                                  : kind < 7 ? segment.vec * (std::int64_t{1} << upto(7))
                                  : kind < 9 ? segment.vec * (upto(80) - 20)
                                             : 0;
            if (far) stride *= std::int64_t{1} << upto(26);
            out.strides.push_back(digit.role == Role::vec ? 1 : stride);
            if (digit.role != Role::vec) continued *= digit.extent;
        }
        if (upto(2) > 0) {
            const int base = floor_log2(segment.vec) + static_cast<int>(upto(3));
            const int bits = 1 + static_cast<int>(upto(2));
            const int shift = bits + static_cast<int>(upto(2));
            out.swizzle = {bits, base, upto(3) == 0 ? -shift : shift};
        }
        make_active_offsets_positive(segment, out);
        const std::int64_t bytes = largest(segment, out) * std::max<std::int64_t>(1, dtype.size.count / 8);
        const bool small = bytes < std::int64_t{1} << 31;
        out.index_bits = space == Space::shared || (small && upto(1) == 0) ? 32 : 64;
        return out;
    }

    void make_active_offsets_positive(const Segment& segment, AddressPlan& address) {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        AddressPlan plain = address;
        plain.swizzle = {};
        for (std::int64_t f = 0; f < segment.outer; ++f)
            for (std::int64_t t = 0; t < segment.threads; ++t)
                if (const auto digits = digits_at(segment, f, t, 0); is_active(segment, digits))
                    least = std::min(least, straight_offset(plain, digits));
        address.offset = least == std::numeric_limits<std::int64_t>::max() ? 0 : segment.vec * upto(30) - least;
    }

public:
    static std::int64_t largest(const Segment& segment, const AddressPlan& address) {
        std::int64_t most = 8;  // whole bytes of any type
        for (std::int64_t f = 0; f < segment.outer; ++f)
            for (std::int64_t t = 0; t < segment.threads; ++t)
                if (const auto digits = digits_at(segment, f, t, 0); is_active(segment, digits))
                    most = std::max(most, straight_offset(address, digits) + segment.vec);
        return most;
    }

private:
    std::mt19937 random_;
};

struct Case {
    Problem problem;
    Plan plan;
};

/// A copy between two buffers after a shared buffer that shifts the others.
Case random_case(std::uint32_t seed) {
    RandomPlan random(seed);
    Case out;
    Problem& problem = out.problem;
    problem.stem = "random";
    problem.target = find_arch("sm_100").value();
    const DType dtype = find_dtype(random.one_of<std::string>({"u4", "u8", "f16", "f32", "f64", "b128"})).value();
    const std::array<Space, 2> spaces{random.one_of<Space>({Space::global, Space::shared}),
                                      random.one_of<Space>({Space::global, Space::shared})};
    std::vector<Bits> widths;
    for (const Bits width : access_widths())
        if (width >= dtype.size && has_access(problem.target, spaces[0], width) && has_access(problem.target, spaces[1], width))
            widths.push_back(width);
    const Bits width = random.one_of(widths);
    const Segment segment = random.segment(dtype, width, 128, spaces);

    const auto threads = static_cast<int>(segment.threads);
    const int first = random.upto(2) == 0 ? 32 * static_cast<int>(random.upto(2)) : 0;
    problem.launch.block = first + threads + (random.upto(2) == 0 ? static_cast<int>(random.upto(64)) : 0);
    Buffer filler;
    filler.name = "filler";
    filler.space = Space::shared;
    filler.dtype = find_dtype("u8").value();
    filler.capacity = {random.upto(1) * random.upto(300)};
    problem.buffers.push_back(filler);
    Copy copy;
    copy.name = "copy";
    for (const Side side : both_sides) {
        Buffer buffer;
        buffer.name = to_string(side);
        buffer.space = spaces[static_cast<std::size_t>(side)];
        buffer.dtype = dtype;
        buffer.align = {random.one_of<std::int64_t>({32, 128, 1024, 4096})};
        buffer.capacity = {RandomPlan::largest(segment, segment.side(side).address)};
        (side == Side::src ? copy.src : copy.dst).buffer = static_cast<int>(problem.buffers.size());
        problem.buffers.push_back(buffer);
    }
    problem.copies.push_back(copy);
    out.plan.copies.push_back({"copy", {first, threads}, {}, {segment}});
    out.plan.program.emplace_back(CopyStep{"copy"});
    return out;
}

std::vector<PtxAccess> expected(const Case& of) {
    const CopyPlan& plan = of.plan.copies[0];
    const Segment& segment = plan.segments[0];
    const Placement placement = place_shared(of.problem);
    // The array starts at 3 x 1024 where more than 1024 is asked for: the kernel rounds that up.
    const std::uint64_t rounding = placement.align.count > 1024 ? 4096 - 3 * 1024 : 0;
    std::vector<PtxAccess> out;
    for (std::int64_t t = 0; t < segment.threads; ++t) {
        for (std::int64_t f = 0; f < segment.outer; ++f) {
            const auto digits = digits_at(segment, f, t, 0);
            if (!is_active(segment, digits)) continue;
            for (const Side side : both_sides) {
                const auto number = static_cast<std::size_t>(operand(of.problem.copies[0], side).buffer);
                const Buffer& buffer = of.problem.buffers[number];
                const std::int64_t byte = planned_offset(segment, side, digits) * buffer.dtype.size.count / 8;
                const bool shared = buffer.space == Space::shared;
                const std::uint64_t base =
                    shared ? rounding + static_cast<std::uint64_t>(placement.offsets[number].count) : number * global_base;
                const int bytes = static_cast<int>(segment.src.width.count / 8);
                std::uint64_t address = base + static_cast<std::uint64_t>(byte);
                // A swizzle that reaches below the access: it starts at its block.
                const Swizzle& swizzle = segment.side(side).address.swizzle;
                if (!swizzle.is_identity() &&
                    to_bits(Elements{std::int64_t{1} << swizzle.base_log2}, buffer.dtype.size) < segment.side(side).width)
                    address -= address % static_cast<std::uint64_t>(bytes);
                out.push_back({plan.participants.first + static_cast<int>(t), side == Side::dst, shared, address, bytes});
            }
        }
    }
    return out;
}

std::string trouble(const Case& of, const std::string& text) {
    const Result<PtxKernel> kernel = PtxKernel::parse(text);
    if (!kernel) return kernel.error().text;
    if (!kernel.value().unused_registers().empty()) return "unused register " + kernel.value().unused_registers()[0];
    for (const std::string& opcode : kernel.value().opcodes_in_loops())
        if (opcode == "div" || opcode == "rem") return "a loop divides";
    PtxLaunch launch;
    launch.block = of.problem.launch.block;
    launch.look_for_races = false;
    launch.dynamic_shared = static_cast<std::uint64_t>(kernel_info(of.problem, of.plan).value().shared.count);
    for (std::size_t i = 0; i < of.problem.buffers.size(); ++i) {
        const Buffer& buffer = of.problem.buffers[i];
        if (buffer.space != Space::global) continue;
        launch.arguments.push_back(i * global_base);
        launch.global.push_back(
            {i * global_base, static_cast<std::uint64_t>(ceil_div(to_bits(buffer.capacity, buffer.dtype.size).count, 8))});
    }
    const PtxOutcome outcome = kernel.value().run(launch);
    if (!outcome.error.empty()) return outcome.error;
    const std::vector<PtxAccess> wanted = expected(of);
    const auto [got, want] = std::mismatch(outcome.trace.begin(), outcome.trace.end(), wanted.begin(), wanted.end());
    if (got == outcome.trace.end() && want == wanted.end()) return {};
    return "access " + std::to_string(got - outcome.trace.begin()) + " of " + std::to_string(wanted.size()) + " differs";
}

}  // namespace

TEST_CASE("random plans: the text does what the plan says") {
    std::array<int, 3> finishes{};
    int ran = 0, dynamic = 0, narrow = 0;
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        const Case made = random_case(seed);
        const Result<std::string> text = write_ptx(made.problem, made.plan);
        if (!text) {
            CHECK(text.error().rule == "shared-memory");
            continue;
        }
        ++ran;
        dynamic += kernel_info(made.problem, made.plan).value().dynamic_shared ? 1 : 0;
        const Segment& segment = made.plan.copies[0].segments[0];
        for (const Side side : both_sides) {
            const Buffer& buffer = made.problem.buffer(operand(made.problem.copies[0], side));
            const SideForm form = side_form(segment, segment.side(side), buffer.dtype.size, buffer.space);
            ++finishes[static_cast<std::size_t>(form.finish)];
            narrow += buffer.space == Space::global && !form.wide ? 1 : 0;
        }
        const std::string found = trouble(made, text.value());
        if (found.empty()) continue;
        FAIL_CHECK("seed " << seed << ": " << found << "\n" << text.value());
        break;
    }
    CHECK(ran > 2000);
    CHECK(dynamic > 20);
    CHECK(narrow > 100);
    for (const int times : finishes) CHECK(times > 300);
}

TEST_CASE("first rounds out of reach: only the second is active") {
    // Coordinate 1 - f below 1: f = 1. Its address is 0; that of round 0 leaves 32 bits, or is negative.
    for (const Swizzle swizzle : {Swizzle{}, Swizzle{1, 3, 2}}) {
        for (const std::int64_t far : {std::int64_t{1} << 40, std::int64_t{1} << 32, -(std::int64_t{1} << 40), std::int64_t{-64}}) {
            for (const Space space : {Space::global, Space::shared}) {
                Case made = random_case(0);
                made.problem.launch.block = 32;
                made.plan.copies[0].participants = {0, 32};
                Segment& segment = made.plan.copies[0].segments[0];
                segment = {{1}, 2, 32, 1, {{0, 0, 32, Role::thread, 0}, {0, -1, 2, Role::outer, 0}}, {{0, 1}}, {}, {}};
                for (std::size_t i = 1; i < 3; ++i) {
                    made.problem.buffers[i].space = space;
                    made.problem.buffers[i].dtype = find_dtype("u8").value();
                    made.problem.buffers[i].capacity = {64};
                    made.problem.buffers[i].name = i == 1 ? "a" : "b";
                }
                segment.src = {std::string(access_form(Direction::load, space, {8})->mnemonic), {8}, {far, {1, -far}, swizzle, 32}};
                segment.dst = {std::string(access_form(Direction::store, space, {8})->mnemonic), {8}, {far, {1, -far}, swizzle, 32}};
                made.problem.copies[0].src.buffer = 1;
                made.problem.copies[0].dst.buffer = 2;
                CHECK(trouble(made, write_ptx(made.problem, made.plan).value()) == "");
            }
        }
    }
}

TEST_CASE("xor_is_invariant is exact on small plans") {
    std::mt19937 random(7);
    const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    int invariant = 0;
    for (int i = 0; i < 3000; ++i) {
        const int bits = 1 + upto(2);
        const int shift = bits + upto(2);
        const Swizzle swizzle{bits, upto(3), upto(3) == 0 ? -shift : shift};
        Affine sum{upto(40)};
        std::int64_t divisor = 1;
        for (int k = upto(2); k > 0; --k) {
            sum.thread.push_back({divisor, 2 + upto(6), upto(1) == 0 ? 1 << upto(8) : 1 + upto(70)});
            divisor *= sum.thread.back().extent;
        }
        std::vector<std::int64_t> loops;
        for (int k = upto(2); k > 0; --k) {
            loops.push_back(2 + upto(6));
            sum.rounds.push_back(upto(3) == 0 ? upto(70) : 1 << upto(9));
        }
        std::vector<std::int64_t> threads{sum.constant}, rounds{0};
        const auto extend = [](std::vector<std::int64_t>& values, std::int64_t stride, std::int64_t extent) {
            std::vector<std::int64_t> out;
            for (const std::int64_t value : values)
                for (std::int64_t k = 0; k < extent; ++k) out.push_back(value + k * stride);
            values = out;
        };
        for (const ThreadTerm& term : sum.thread) extend(threads, term.coefficient, term.extent);
        for (std::size_t k = 0; k < loops.size(); ++k) extend(rounds, sum.rounds[k], loops[k]);
        bool holds = true;
        for (const std::int64_t t : threads)
            for (const std::int64_t r : rounds)
                holds = holds && swizzled(Integers{}, swizzle, t + r) == swizzled(Integers{}, swizzle, t) + r;
        invariant += holds ? 1 : 0;
        CHECK(xor_is_invariant(sum, loops, swizzle) == holds);
    }
    CHECK(invariant > 500);
    CHECK(invariant < 2500);
}

TEST_CASE("affine sums: merged thread digits, nested steps, ranges, words") {
    Segment segment;
    segment.digits = {{0, 1, 8, Role::thread, 0}, {1, 1, 4, Role::thread, 1}, {0, 8, 3, Role::outer, 0}, {1, 4, 5, Role::outer, 1}};
    segment.threads = 32;
    segment.outer = 15;
    const Affine merged = affine(segment, 7, {2, 16, 100, -1000});
    CHECK(merged == Affine{7, {{1, 32, 2}}, {-1000, 100}});
    CHECK(describe(merged, 32) == "2 t - 1000 i0 + 100 i1 + 7");
    const Affine apart = affine(segment, 0, {2, 20, 0, 0});
    CHECK(apart == Affine{0, {{1, 8, 2}, {8, 4, 20}}, {0, 0}});
    CHECK(describe(apart, 32) == "20 (t / 8) + 2 (t % 8)");
    CHECK(describe(Affine{}, 32) == "0");
    CHECK(loop_extents(segment) == std::vector<std::int64_t>{5, 3});
    CHECK(steps(merged, {5, 3}) == std::vector<std::int64_t>{-1300, 100});
    CHECK(reach(merged, {5, 3}).least == 7 - 4000);
    CHECK(reach(merged, {5, 3}).greatest == 7 + 62 + 200);
    CHECK(first_round_reach(merged).greatest == 7 + 62);
}

}  // namespace tileproof::test
