// Blocks: the registers of one round of a thread, and how the accesses of each side take them up.
//
//   f32 from rows to columns, vec digits of 4 (place 0) and of 4 (place 1), 16 registers:
//     src lanes [0]    4 loads of 4 elements    register 4 i + j is lane j of load i
//     dst lanes [1]    4 stores of 4 elements   and lane i of store j
//   f16, vec digits of 8 and of 2:  src lanes [0, 1], one load of 256 bits;  dst lanes [0], two stores of 128 bits
//
// A side's `lanes` are the places of the vec digits that count along one access, low first; the other vec digits number its accesses.
// A side that says nothing has all of them, by place. Where neither side says anything there is no block: one access a side, and a
// lane is where the address puts it, in the same place on both sides. In a block each lane lies where the digits say, and the sides
// may differ: registers change their names at no cost. All loads of a block come before its stores.
#pragma once

#include <cstdint>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

/// Whether some side says which digits are its lanes.
bool is_block(const Segment& segment);

/// Indices in `segment.digits` of the vec digits that count along one access of a side, low first. A place that no vec digit has is left
/// out (check_plan refuses it).
std::vector<std::size_t> lane_digits(const Segment& segment, Side side);
/// Whether digit i counts along one access of this side.
bool is_lane(const Segment& segment, Side side, std::size_t i);
/// Elements of one access: the product of the extents of its lane digits.
std::int64_t lanes_of(const Segment& segment, Side side);

/// Lane v of a block, as one side sees it: lane `place` of the access that begins with lane `head`.
struct Lane {
    std::int64_t head = 0;
    std::int64_t place = 0;
};
/// Requires: 0 <= lane < segment.vec. Without a block: {0, lane}.
Lane lane_of(const Segment& segment, Side side, std::int64_t lane);
/// By lane of the block.
std::vector<Lane> lanes_by_number(const Segment& segment, Side side);
/// The first lanes of the accesses of a side in one round, in rising order.
std::vector<std::int64_t> heads_of(const Segment& segment, Side side);

/// Accesses of both sides in one round of a thread.
std::int64_t accesses_in_a_round(const Segment& segment);
/// Width of the runs that both sides move as they are: lane j of the source's access is lane j of the destination's. Without a block the
/// narrower access.
Bits run_width(const Segment& segment);

/// Why the lanes of a segment cannot be: not vec digits, or one twice; a block in a flat segment or of more than `most_block_bits`. Empty
/// where nothing is wrong.
constexpr Bits most_block_bits{64 * 32};
std::string block_fault(const Segment& segment, Bits element);

}  // namespace tileproof
