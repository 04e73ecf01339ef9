// Refusal: why a width is not legal, with the first run that breaks it, by enumeration of the region.
//
//   f16, pitch 20, 4 threads, 128 bits:  `stride`, run 2 = thread 2 of round 0, element (1,0), byte 40 = 8 mod 16
//
// Runs are numbered by their heads (the element of lowest address) in row-major order of the region. The rules are tried in
// the order of design: target, count, base-alignment, swizzle-chunk, then the first illegal run with the swizzles left out:
// region-offset, phase, stride, not-contiguous, no-partner. Uses nothing of the box or of Z3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

/// A refusal that needs no look at the elements (`target`, `count`, `base-alignment`), if one applies.
std::optional<Refusal> early_refusal(const Problem& problem, const Copy& copy, Bits width);

/// The first fault of a width, or nothing if it is legal, as every width of a copy of nothing is. Requires: no early refusal; no two
/// elements share a destination.
std::optional<Refusal> find_refusal(const Problem& problem, const Copy& copy, Bits width);

/// `sub-byte-edge`: elements smaller than a byte, of which not even 8 bits can be moved at once. A narrower store would have to
/// read the byte first, and two threads that share a byte would lose one of their elements.
/// Requires: every width is refused; the last of them is 8 bits.
Diagnostic sub_byte_edge(const Problem& problem, const Copy& copy, const std::vector<Refusal>& refused);

/// Linear offset of each element of a region, in row-major order: before the swizzle.
std::vector<std::int64_t> linear_offsets(const Layout& layout, const Region& region);

}  // namespace tileproof
