// Lanes of a flat segment: do they follow each other, whatever the index of the access? By the divisors alone, without a solver.
//
//   n = 8 lanes, heads at multiples of 8      (i/16 % 4) * 100    the same in all lanes: 16 is a multiple of 8
//                                             (i % 16) * 1        grows by 1 from lane to lane: no carry within 8 lanes of 16
//                                             (i/4 % 2) * 9       neither: not decided here
#pragma once

#include "layouts/plan.hpp"

namespace tileproof {

/// Lane v of each access lies v elements from lane 0, before the swizzle. False where that is not so or not plain.
/// Requires: a flat segment that passes check_plan.
bool lanes_follow(const Segment& segment, const AddressPlan& address);

}  // namespace tileproof
