// Regions as people write them: `A` is all of A, and
//
//   A[3, 0:64, :, 5:+32]       row 3, columns 0 to 63, all of dimension 2, 32 places from 5 on
//
// One entry a dimension. Starts may be expressions over the symbols; extents are numbers: `A[r:+32]`, `A[r:r+32]`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// What a region can refer to.
struct NamedShapes {
    std::map<std::string, int, std::less<>> number_of{};  // index into `shapes` and Problem::buffers
    std::vector<std::vector<std::int64_t>> shapes{};      // empty where the buffer itself is at fault
};

/// Errors: `region-syntax`, `region-rank`, `region-outside`, `region-reversed`, `zero-extent`, `overflow`, `unknown-buffer`, `unsupported`.
/// A diagnostic's place has line 1 and a column counted in `text`; Operand::place is left for the caller.
/// Where the buffer is at fault only the syntax is judged.
/// `may_reach_out`: ends behind the buffer are left to who knows what a predicate cuts off, and to check_problem.
Result<Operand> read_operand(std::string_view text, const NamedShapes& buffers, const std::vector<Symbol>& symbols = {},
                             bool may_reach_out = false);

}  // namespace tileproof
