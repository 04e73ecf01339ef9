// Cut: several widths in one copy. Where a width is narrow only because of an edge, the runs' dimension is cut into a body of wide
// accesses and narrower pieces at its ends.
//
//   rows of 33 f16, pitch 40 on both sides       16 bits for all          33 accesses a row
//                                                128 bits and 16          4 + 1
//   columns 3 to 62 of f16, on both sides        blocks of 8 begin at columns 8, 16, ..., 56: head 5, body 48, tail 7
//                                                head 1 + 4, tail 4 + 2 + 1, or each an element at a time, whichever takes fewer rounds
//   from column 3 to column 5                    no common block: the width for all
//
// With n elements an access, a body needs: strides 1|1 along the cut dimension, every other stride a multiple of n on both sides, the
// same place in a block of n on both sides, and swizzles that keep blocks: chunks and base are multiples of n, or nothing of the region is
// moved. (Of blocks of which some are torn, the others are not looked for.) Pieces are then aligned to their own widths.
// Rounds decide: as many as the accesses of one thread. A piece may reach into a wider one where its last round has room for that.
// The narrowest piece is as wide as what is legal for the whole region: if all could be wider, the region could.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "layouts/box.hpp"
#include "layouts/plan.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// Where coordinate 0 of a box dimension lies in its block of n elements, if that is one place for all rows and both sides, and
/// swizzles keep such blocks.
using PlaceInBlock = std::function<std::optional<std::int64_t>(std::size_t dim, std::int64_t n)>;
/// Of a concrete copy.
std::optional<std::int64_t> place_in_block(const Problem& problem, const Copy& copy, const CanonicalBox& box, std::size_t dim,
                                           std::int64_t n);

/// Whether the swizzle of a buffer moves blocks of n elements of addresses as a whole, or nothing of a box of this shape there.
bool keeps_blocks(const Buffer& buffer, std::int64_t n, const std::vector<std::int64_t>& shape, const BoxSide& at);

/// A plan that cuts a dimension, the widest pieces first, if it has fewer rounds than `single`, the plan at the width that is legal for
/// all: the fewest rounds, then the fewest segments, then the fewest accesses. Nothing also where a solver limit was hit.
/// `widths`: those that may be used, widest first. Requires: no two elements share a destination.
std::optional<CopyPlan> cut(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                            const std::vector<Bits>& widths, const CopyPlan& single, const PlaceInBlock& place);

}  // namespace tileproof
