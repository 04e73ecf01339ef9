// Tails: several widths before an end that symbols decide. Where a width is narrow only because the end may be no multiple of it, a body of
// wide accesses runs as far as whole ones lie before the end, and tails of narrower ones move what is left, counted from there.
//
//   n of 64 columns of f16, any n       body    accesses at 0, 8, 16, ...      that lie before n as a whole: 8*i < n - 7
//                                       tail    elements from 8*(n/8) on       7 of each row at most
//                                       tails   or a pair at a time from 8*(n/8) on, and then one element at 2*(n/2)
//
//   columns 3 to n, pitch 64                head    an element at a time up to the first block of 8, where the body begins, and what its tails count from
//
//   n of 64 columns, zeros behind it    body    accesses that lie before n as a whole, and those behind 8*(n/8), which write zeros
//                                       tail    the 8 elements from 8*(n/8) on, read or filled each by itself
//
// Each tail begins where the accesses before it end: where whole multiples of theirs end, from the begin of the body on. Rounds decide, as in solver/cut.hpp,
// counted for the worst n. With n elements an access, a body or tail needs: strides 1|1 along the dimension, every other stride a multiple of n on
// both sides, the same place in a block of n on both sides, and swizzles whose chunks are multiples of n. The last width is what is legal for all; where
// the end may lie in the head, nothing else is right there.
#pragma once

#include <optional>
#include <vector>

#include "solver/cut.hpp"

namespace tileproof {

/// A plan with tails, if it has fewer rounds than `single`, the plan at the width that is legal for all: the fewest rounds, then the fewest
/// segments. Nothing also where a solver limit was hit. `widths`: those that may be used, widest first.
/// Requires: no two elements share a destination; the copy fills with zeros by loads and stores, if it does; `single` has one segment. Bounds of other
/// dimensions are as box_segment has them: where zeros begin is the caller's to say.
std::optional<CopyPlan> with_tails(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                                   const std::vector<Bits>& widths, const CopyPlan& single, const PlaceInBlock& place);

}  // namespace tileproof
