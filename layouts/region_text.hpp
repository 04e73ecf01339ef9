// A region as people write it, of something whose shape is known.
//
//   [3, 0:64, :, 5:+32]        row 3, columns 0 to 63, all of dimension 2, 32 places from 5 on
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// `whose` names in diagnostics what the region is of. Requires: `shape` is not empty.
/// Errors: `region-syntax`, `region-rank`, `region-outside`, `region-reversed`, `zero-extent`, `overflow`, `unsupported`.
/// A diagnostic's place has line 1 and a column counted in `text`.
/// Ensures: the region has an extent of at least 1 in each dimension, and lies inside the shape.
Result<Region> read_region(std::string_view text, const std::vector<std::int64_t>& shape, const std::string& whose);

/// The other way round: `A` for all of the buffer, else `A[3, 0:64]`.
std::string region_text(const Buffer& buffer, const Region& region, const std::vector<Symbol>& symbols = {});

}  // namespace tileproof
