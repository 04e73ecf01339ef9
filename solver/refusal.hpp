// Refusal: why a width is not legal, with the first run that breaks it, by enumeration of the region.
//
//   f16, pitch 20, 4 threads, 128 bits:  `stride`, run 2 = thread 2 of round 0, element (1,0), byte 40 = 8 mod 16
//
// Runs are numbered by their heads (the element of lowest address) in row-major order of the region. The rules are tried in
// the order of design: target, count, base-alignment, swizzle-chunk, then the first illegal run with the swizzles left out:
// region-offset, phase, stride, not-contiguous, no-partner. Uses nothing of the box or of Z3.
#pragma once

#include "layouts/solution.hpp"

namespace tileproof {

/// A refusal that needs no look at the elements (`target`, `count`, `base-alignment`), if one applies.
std::optional<Refusal> early_refusal(const Problem& problem, const Copy& copy, Bits width);

/// The refusal of an illegal width. Requires: no early refusal; no two elements share a destination; the width is illegal.
Refusal explain_refusal(const Problem& problem, const Copy& copy, Bits width, bool legal_without_swizzles);

}  // namespace tileproof
