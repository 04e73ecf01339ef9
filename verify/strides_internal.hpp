// Strides: offsets that are sums of digits times strides are equal only where the digits are, for all values of the symbols.
//
//   128 rows of 64, pitch ld >= 64        64 x 1 reaches 63; ld > 63, so rows are apart
//
// In some order each stride exceeds what the ones before it reach together (a mixed-radix number). Tried are rising least and rising
// greatest values of the strides' sizes.
#pragma once

#include <functional>
#include <vector>

#include "layouts/expression.hpp"

namespace tileproof {

/// Whether an expression is at least 0 for all values of the symbols; false where that is not known.
using IsNonnegative = std::function<bool(const Expression&)>;

/// A digit 0 .. extent-1 that moves an offset by a stride.
struct Stride {
    Expression stride = 0;
    std::int64_t extent = 1;
    bool is_team = false;  // the digit is an index of a team: of a block in the grid, of a group in its block
};

/// Different digits, different offsets. False: not proved. Requires: no extent 1.
bool strides_are_apart(std::vector<Stride> digits, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative);

/// The same for the digits of teams alone: those before the first of them may run into each other.
bool teams_differ(std::vector<Stride> digits, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative);

}  // namespace tileproof
