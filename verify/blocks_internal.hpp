// Blocks: different blocks of a grid touch different bytes of global memory, for all values of the symbols; and the groups of a block that
// each perform a copy write different bytes, in shared memory too.
//
//   C[row:+128, :], row = 128*ctaid.x, pitch ld >= 64        digits of an element's offset, and what each reaches
//     column   64 x 1       0 .. 63
//     row     128 x ld      0 .. 127*ld + 63
//     block    64 x 128*ld  128*ld > 127*ld + 63: blocks are apart
//
// The index of the block is one more digit of the offset, and its step the coefficient of the launch's symbols; so is the group's. In
// some order each digit's stride exceeds what the ones before it reach; then equal offsets have equal digits, and so belong to one team.
// Digits below those of the teams may run into each other: that is for a copy's own `disjoint` to judge.
// Of a dimension in which the layout bends, all of it counts: more than is touched, so that the answer `false` proves nothing.
#pragma once

#include <optional>

#include "layouts/grid.hpp"
#include "verify/report.hpp"
#include "verify/strides_internal.hpp"

namespace tileproof {

/// The elements of the copy's destination are other ones in each team. In shared memory only the groups of one block are compared:
/// each block has its own. False: not proved.
/// Requires: a valid swizzle, and offsets that are not negative; bytes hold elements of one region only.
bool teams_are_apart(const Problem& problem, const Copy& copy, const IsNonnegative& is_nonnegative);

/// Two teams whose destinations are the same bytes, because the destination does not depend on some index of theirs. It needs no values of
/// the symbols, and names the least allowed if it finds them.
std::optional<Counterexample> same_in_all_teams(const Problem& problem, const Copy& copy);

/// Two teams that write the same element of the copy's destination. Looked at are as many as the budget allows, with these values of what
/// is passed in; the answer nothing proves nothing.
std::optional<Counterexample> clash_of_teams(const Problem& problem, const Copy& copy, const Values& values);

/// Whether several teams perform the copy whose destinations have to be apart.
bool has_teams(const Problem& problem, const Copy& copy);

/// `synchronised` over blocks. No barrier reaches from one block to another, so what two copies touch in global memory, and one of
/// them writes, has to be apart in different blocks. Requires: `found` is of the single block; `copies` are judged.
/// `is_nonnegative` may be empty: then nothing is proved.
Finding synchronised_over_blocks(const Problem& problem, Finding found, const std::vector<CopyReport>& copies,
                                 const IsNonnegative& is_nonnegative);

}  // namespace tileproof
