// Predicates as people write them: bounds on the coordinates of a copy's region.
//
//   predicate = "row + d0 < m, d1 < n"      src = "A[row:+128, k:+64]"
//
// d0, d1, ... count from the start of the region along its dimensions, those of extent 1 left out. Here row m - row and those behind it
// are not copied, and neither is column n: the region ends where its extent or a bound ends it, whichever comes first. At a bound of 0
// or below nothing is left.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// The coordinate of dimension `dim` is below this.
struct CoordinateBound {
    std::size_t dim = 0;
    Expression below = 0;
    std::size_t column = 1;  // of the text, where it begins
    std::size_t length = 1;
};

/// Errors: `predicate-syntax`, `predicate-bound`, `unknown-symbol`, `overflow`; a diagnostic's place has line 1 and a column counted in `text`.
Result<std::vector<CoordinateBound>> read_predicate(std::string_view text, const std::vector<Symbol>& symbols);

/// Cuts the regions of the copy. Bounds that are numbers make extents smaller, others clip them.
/// Errors: `predicate-bound`, `zero-extent`; the place has line 1 and a column, as above.
std::optional<Diagnostic> apply_predicate(Copy& copy, const std::vector<CoordinateBound>& bounds, const std::vector<Symbol>& symbols);

/// Bounds that depend on symbols, of one coordinate.
constexpr std::size_t most_bounds = 4;
Diagnostic too_many_bounds(std::size_t dim, const Place& place);
/// Of a copy whose region ends where symbols say, within which a predicate has zeros begin.
Diagnostic fills_up_to_symbols(const std::string& copy, const Place& place);

/// "d0 < m - row, d1 < n"; empty without one. What numbers cut off is no longer part of the regions.
std::string predicate_text(const Copy& copy, const std::vector<Symbol>& symbols);

}  // namespace tileproof
