// The offsets of a layout as a table that people can read.
//
//      |  0  1  2  3            rank 2: rows and columns; higher ranks: one such grid a slice, under "[1, :, :]"
//   ---+------------            rank 1: sixteen to a row
//    0 |  0  8 16 24
//    1 |  1  9 17 25
#pragma once

#include <string>

#include "layouts/layout.hpp"

namespace tileproof::cli {

constexpr Elements most_tabulated{std::int64_t{1} << 20};

/// Requires: size(layout) <= most_tabulated.
std::string layout_table_text(const Layout& layout);
/// {"shape": [8, 4], "offsets": [0, 8, ...]}, row-major.
std::string layout_table_json(const Layout& layout);

}  // namespace tileproof::cli
