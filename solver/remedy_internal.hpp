// What the parts of the remedy search share: candidates by rule, and the words for what changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

/// Changes of `now` that may lift this refusal of copy number `copy`, best first. `original` is what the file says: the search may
/// have changed some of it already.
std::vector<Problem> remedies(const Problem& original, const Problem& now, std::size_t copy,
                              const Refusal& refusal);

/// "pitch of A a multiple of 8 elements (24 instead of 20) and base of A aligned to 16 bytes"
std::string remedy_text(const Problem& before, const Problem& after, std::size_t copy, Bits width);

/// The dimension of the shape that each iter belongs to; -1 for iters of extent 1. Nothing where one reaches over two dimensions.
std::optional<std::vector<int>> dims_of_iters(const Layout& layout);

}  // namespace tileproof
