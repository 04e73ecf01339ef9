// Register refusal: why a width is not legal for a copy with a side in registers, by enumeration of the region.
//
//   f32, (32,9):(9,1) -> one row a lane, 128 bits      `stride`, run 3: thread 1 in round 0, element (1,0), byte 36 = 4 mod 16
//
// A run is what one access moves: the elements of one aligned block of memory, and of one thread. It is legal if it fills the block,
// and one instruction for all threads can do it: the registers of any two runs, in the order of their addresses, are the same or
// have none in common. Rules, in this order: region-offset or stride (the block), register-thread (two threads), register-order,
// not-contiguous (a hole), no-partner (the run would leave the region); and swizzle-chunk if the width is legal with the swizzle left out.
// The thread of a witness is the one that holds the run; its round counts the runs of that thread.
#pragma once

#include <optional>

#include "layouts/solution.hpp"

namespace tileproof {

/// The first fault of a width, or nothing if it is legal, as every width of a copy of nothing is. Requires: register_side(problem,
/// copy); no early refusal; no two elements share a destination.
std::optional<Refusal> find_register_refusal(const Problem& problem, const Copy& copy, Bits width);

}  // namespace tileproof
