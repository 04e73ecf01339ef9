// Layouts over bits: each set bit of a coordinate contributes one basis value, by XOR.
//
//   bits[(1,2),(4,9)]            c = 0   1   2   3          bases[0] = {1, 2}, of the bits of r, least significant first
//   offset = XOR over set    r=0     0   4   9  13          bases[1] = {4, 9}, of the bits of c
//   bits of (r, c)             1     1   5   8  12
//                              2     2   6  11  15
//                              3     3   7  10  14
//
// Every extent is a power of two and coordinate 0 has offset 0. A swizzled layout of powers of two is one if its digits add
// without carries: then a sum is a XOR, and the swizzle is linear. The other way round, bases that some swizzle turns into
// values without common bits are ordinary strides. Example: bits[(72,144),(1,2,4,8,16,32)] is Sw<2,3,3> o (4,64):(64,1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// By dimension, then by bit of its coordinate, least significant first.
using BitBases = std::vector<std::vector<std::int64_t>>;

constexpr int max_bits = 50;  // of the coordinates of one layout: as many elements as max_offset

/// The bases of a layout that is linear over bits.
/// Errors: `not-linear`, which says what is not: an extent, an offset of coordinate 0, or two offsets that add with a carry.
/// Ensures: layout_over_bits(bases) has the same offsets.
Result<BitBases> bit_bases(const Layout& layout);

/// The layout with these bases: iters and a swizzle where there are such, so that it can be planned; otherwise Layout::bases.
/// Requires: at least one dimension, at most max_bits bits, 0 <= basis < max_offset.
Layout layout_over_bits(const BitBases& bases);

/// The same offsets for the flat index, with its bits dealt out to other dimensions.
/// Requires: `shape` has powers of two and as many elements.
BitBases regrouped(const BitBases& bases, const std::vector<std::int64_t>& shape);

}  // namespace tileproof
