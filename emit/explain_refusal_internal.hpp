// Why a wider width was refused: what the rule asks for, where the numbers of its witness come from, and a picture.
//
//   more      A 16-byte access needs a multiple of 16. A step along dimension 0 of A is 40 bytes = 8 mod 16.
//   picture   the access across the boundary of its blocks (emit/picture_internal.hpp)
//
// Recomputed from the problem and the witness; the refusal's own sentence stays the solver's.
#pragma once

#include <string>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

struct RefusalDetail {
    std::string more{};
    std::vector<std::string> picture{};
};

/// One detail a refusal; an empty one for a rule that is not known here. Looks at each element of the region once.
std::vector<RefusalDetail> refusal_details(const Problem& problem, const Copy& copy, const std::vector<Refusal>& refused);

}  // namespace tileproof
