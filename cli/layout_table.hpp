// The offsets of a layout as a table that people can read.
//
//      |  0  1  2  3            rank 2: rows and columns; higher ranks: one such grid a slice, under "[1, :, :]"
//   ---+------------            rank 1: sixteen to a row
//    0 |  0  8 16 24
//    1 |  1  9 17 25
//
// Of a layout with threads each cell is thread:register, "3:12"; replicas are dimensions in front.
#pragma once

#include <string>

#include "layouts/layout.hpp"

namespace tileproof::cli {

constexpr Elements most_tabulated{std::int64_t{1} << 20};

/// Requires: size(layout) <= most_tabulated.
std::string layout_table_text(const Layout& layout);
/// {"shape": [8, 4], "offsets": [0, 8, ...]}, row-major. With threads, offsets are registers, and "threads" has the thread of each; with
/// replicas, "replicas": [2], both lists go through those first.
std::string layout_table_json(const Layout& layout);

}  // namespace tileproof::cli
