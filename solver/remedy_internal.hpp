// What the parts of the remedy search share: candidates by rule, and the words for what changed.
#pragma once

#include "solver/remedy.hpp"
#include <cstddef>
#include <string>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

/// Changes of `now` that may lift this refusal of copy number `copy`, best first. `original` is what the file says: the search may
/// have changed some of it already.
std::vector<Problem> remedies(const Problem& original, const Problem& now, std::size_t copy, const Refusal& refusal);

/// "pitch of A a multiple of 8 elements (24 instead of 20) and base of A aligned to 16 bytes"
std::string remedy_text(const Problem& before, const Problem& after, std::size_t copy, Bits width);

/// The dimension of the shape that each iter belongs to; -1 for iters of extent 1. Nothing where one reaches over two dimensions.
std::optional<std::vector<int>> dims_of_iters(const Layout& layout);

/// Looks for what lifts the refusals of a copy with symbols that some of their values show: "ld a multiple of 8". First one symbol,
/// in file order, with the least multiple that does; then all at once. Other refusals of such copies stay unsought.
void add_symbol_unlocks(const Problem& problem, const Copy& copy, CopySolution& solution, const RemedyOptions& options);

}  // namespace tileproof
