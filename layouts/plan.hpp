// Plan: who moves what, when, and with which address.
//
//   box 0..1023, threads 32, vec 4, outer 8:    digits (dim, weight, extent, role, place)
//     f = round     (0, 128,  8, outer,  0)      coordinate = 128 f + 4 t + v
//     t = thread    (0,   4, 32, thread, 0)      source address = offset + 128 f + 4 t + v   (its own stride for each digit)
//     v = lane      (0,   1,  4, vec,    0)
//
// The *canonical box* of a copy (layouts/box.hpp) gives the coordinates. A digit of a role is a mixed-radix digit of that
// role's number, place 0 least significant. A plan states its addresses itself, so that it can be wrong in them.
// Offsets and strides count elements; a swizzle is applied to the sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof {

/// One factor of a box dimension: digit x `weight` is added to the coordinate of region dimension `dim`
/// (of the source region with unit dimensions dropped). A negative weight counts down from the far end.
struct BoxFactor {
    int dim = 0;
    std::int64_t weight = 1;
    std::int64_t extent = 1;
    friend bool operator==(const BoxFactor&, const BoxFactor&) = default;
};

/// Box dimensions, each a list of factors, outermost first: its coordinate is split over their extents.
struct Box {
    std::vector<std::vector<BoxFactor>> dims;
    std::vector<std::int64_t> shape() const;
    friend bool operator==(const Box&, const Box&) = default;
};

enum class Role { outer, thread, vec };
std::string to_string(Role role);

struct Digit {
    int dim = 0;
    std::int64_t weight = 1;
    std::int64_t extent = 1;
    Role role = Role::outer;
    int place = 0;
    friend bool operator==(const Digit&, const Digit&) = default;
};

/// Part of what a flat term divides: times * ((index / div) mod mod).
struct IndexPart {
    std::int64_t div = 1;
    std::int64_t mod = 1;
    std::int64_t times = 1;
    friend bool operator==(const IndexPart&, const IndexPart&) = default;
};

/// A term of a flat address: stride * ((x / div) mod mod), where x is the index, or add + the sum of `of` where that is not empty.
struct FlatTerm {
    std::int64_t div = 1;
    std::int64_t mod = 1;
    Expression stride = 0;
    std::vector<IndexPart> of{};
    std::int64_t add = 0;
    friend bool operator==(const FlatTerm&, const FlatTerm&) = default;
};

/// address(digits) = swizzle(offset + sum stride[i] * digit[i]), computed in `index_bits` bits. The order is that of Segment::digits.
/// In a flat segment: swizzle(offset + sum of terms). Behind a tail (see below) also tail_stride x where it begins.
struct AddressPlan {
    Expression offset = 0;
    std::vector<Expression> strides;
    Swizzle swizzle{};
    int index_bits = 64;
    std::vector<FlatTerm> terms{};
    Expression tail_stride = 0;
    friend bool operator==(const AddressPlan&, const AddressPlan&) = default;
};

/// What stands for the instruction of a side in registers. Its address is the register of the lane in each thread, counted in elements,
/// and has stride 0 along the threads.
constexpr const char* no_instruction = "registers";

/// An access starts at the address of lane v = 0 and covers `width` bits. With `lanes`, the vec digits of these places count along an
/// access, low first, and the others number the accesses of a round (layouts/block.hpp).
struct SidePlan {
    std::string instruction;  // "ld.global.v4.u32"
    Bits width;
    AddressPlan address;
    std::optional<std::vector<int>> lanes{};
    friend bool operator==(const SidePlan&, const SidePlan&) = default;
};

/// What becomes of an access at or behind a bound: it does not run; or it runs, reads nothing and writes zeros; or each lane that is
/// at or behind the bound gets zeros, and those before it what is read there (PTX ISA, "cp.async", src-size). Or `zeros_behind`: it reads where all
/// of its lanes are before the bound; it writes zeros where it begins behind both the bound and the begin of its segment; and the one that is
/// left, where the bound is, does not run.       8 lanes from 0, 8, ... 56 on, bound 21: 0 and 8 read, 16 does not run, 24 to 56 write zeros
enum class Beyond { nothing, zeros, zero_lanes, zeros_behind };
std::string to_string(Beyond beyond);

/// The access is before the bound iff the coordinate of `dim` at v = 0 is below `below`, and not below `from` where that is given: in copies
/// with a register side, whose layout may leave threads before the first and behind the last without an element.
struct Bound {
    int dim = 0;
    Expression below = 0;
    std::optional<std::int64_t> from{};
    Beyond beyond = Beyond::nothing;
    friend bool operator==(const Bound&, const Bound&) = default;
};

/// What wide accesses before an end with symbols leave over: the coordinates of `dim` count from where whole blocks end, which begin at the segment's start.
/// The end is `end`, but no less than that start and no more than the extent of the box.
///   end n, multiple 8, n = 45     start 0: from 40 on     start 5: from 5 + 40 on     start 6: from 6 + 32 on
struct Tail {
    int dim = 0;
    Expression end = 0;
    std::int64_t multiple = 1;  // a power of two
    friend bool operator==(const Tail&, const Tail&) = default;
};
/// How far behind the segment's start it begins in a dimension of this extent, with this value of `end`.
std::int64_t tail_begin(const Tail& tail, std::int64_t start, std::int64_t end, std::int64_t extent);

/// A flat segment has one dimension, the row-major index of the box, whatever the box: for layouts that do not nest into the
/// region, and where padding each dimension would cost rounds.
struct Segment {
    std::vector<std::int64_t> start;  // box coordinate, or index; along a tail it counts from there
    std::int64_t outer = 1;
    std::int64_t threads = 1;
    std::int64_t vec = 1;
    std::vector<Digit> digits;
    std::vector<Bound> predicate;
    SidePlan src;
    SidePlan dst;
    bool flat = false;
    std::optional<Tail> tail{};

    const SidePlan& side(Side s) const { return s == Side::src ? src : dst; }
    friend bool operator==(const Segment&, const Segment&) = default;
};

struct CopyPlan {
    std::string copy;  // its name in the problem
    Participants participants;
    Box box;
    std::vector<Segment> segments;
};

struct Barrier {
    int id = 0;
    int threads = 0;
    friend bool operator==(const Barrier&, const Barrier&) = default;
};
struct CopyStep {
    std::string copy;
    friend bool operator==(const CopyStep&, const CopyStep&) = default;
};
/// Each thread waits for its own asynchronous copies, all but the latest `pending` ones. (Each is a group of cp.async.)
struct Wait {
    int pending = 0;
    friend bool operator==(const Wait&, const Wait&) = default;
};
using Step = std::variant<CopyStep, Barrier, Wait>;

struct Plan {
    std::vector<CopyPlan> copies;
    std::vector<Step> program;  // what each thread of the block runs, in this order
};

/// Whether accesses are cp.async, which a thread has to wait for.
bool is_asynchronous(const CopyPlan& plan);

/// Whether accesses are rows of matrix instructions (layouts/matrix.hpp). In such a segment lane v of thread t is element v of what the
/// thread holds of the matrices, and what a row's supplier computes is the address of the lane that holds its first element.
bool has_matrices(const CopyPlan& plan);
/// Whether each thread digit ends at a lane that divides the warp, or at a whole number of warps: then the lanes that supply the
/// addresses of rows are digits too.
bool splits_at_warps(const Segment& segment);

/// The digit of this role and place, or null.
const Digit* digit_at(const Segment& segment, Role role, int place);
/// Where in `segment.digits` it is. Requires: it is one of them.
std::size_t index_of(const Segment& segment, const Digit& digit);

// What follows is of segments without a tail: with values for the symbols (layouts/symbolic.hpp) it is a part of `start`.

/// What a copy's digits are at (round, thread, lane), in the order of `segment.digits`.
std::vector<std::int64_t> digits_at(const Segment& segment, std::int64_t round, std::int64_t thread, std::int64_t lane);
/// start + sum of weight x digit: a box coordinate, or the index of a flat segment.
std::vector<std::int64_t> coordinate(const Segment& segment, const std::vector<std::int64_t>& digits);
/// The box coordinate of a row-major index. An index outside the box gives a first coordinate outside. Requires: index >= 0.
std::vector<std::int64_t> unravel(const std::vector<std::int64_t>& box_shape, std::int64_t index);
/// Whether the bound lets an access run whose lane 0 has this coordinate along it.
bool lets_run(const Segment& segment, const Bound& bound, std::int64_t coordinate);
/// Whether the predicate lets (round, thread) run; `digits` are those at lane 0.
bool is_active(const Segment& segment, const std::vector<std::int64_t>& digits);
/// Lanes 0 to this, exclusive, are read; the others, of an access that runs, get zeros.
std::int64_t lanes_read(const Segment& segment, const std::vector<std::int64_t>& digits);
/// Whether some bound depends on symbols.
bool has_symbolic_bounds(const Segment& segment);
/// Whether some segment counts from a tail.
bool has_tails(const CopyPlan& plan);
/// Whether some segment leaves an access out, where a bound is.
bool leaves_out(const CopyPlan& plan);
/// Whether some access writes zeros.
bool fills_with_zeros(const CopyPlan& plan);
/// Element offset that the plan computes on one side for these digits.
std::int64_t planned_offset(const Segment& segment, Side side, const std::vector<std::int64_t>& digits);
/// Logical coordinate of a box coordinate in the buffer of one side. Requires: inside the box.
std::vector<std::int64_t> logical_coordinate(const Copy& copy, Side side, const Box& box, const std::vector<std::int64_t>& box_coordinate);

/// Structural faults of a plan for this problem, e.g. from a file: extents that do not multiply up, places with gaps, unknown
/// copies, a box that is not a splitting of the region. What is left can be judged by the obligations.
std::optional<Diagnostic> check_plan(const Problem& problem, const Plan& plan);

}  // namespace tileproof
