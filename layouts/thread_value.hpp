// Thread-value layouts: which element each value of each thread is, the other way round than a layout.
//
//   TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)     the 16 x 8 tile of one warp: thread t, value v hold the element number
//                                                 32 (t % 4) + t / 4 + 16 (v % 2) + 8 (v / 2), counted down the columns
//   = S[(2,8,4,2):(2,4@laneid,1@laneid,1)]        shape 16 x 8: row r, column c is in thread 4 (r % 8) + c / 2
//
// As in CuTe, leftmost is fastest: of the submodes, and of the dimensions that the numbers count through. Stride 0 means that
// several threads (or registers) hold the same elements: replicas. Threads up to 32 are lanes (laneid), up to 128 threads of a
// warpgroup (tid_in_wg), and beyond that threads of the block (tx).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// A mode's part: its stride counts elements of the tile.
struct TileMode {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};

struct ThreadValue {
    std::vector<TileMode> threads;  // leftmost first
    std::vector<TileMode> values;
    std::vector<std::int64_t> shape;
};

/// The layout that it is the inverse of. Errors: `not-invertible` (an element that no thread holds, that two places hold without a stride 0, or
/// that lies outside the shape), `thread-axes` (more than 1024 threads), `overflow`.
Result<Layout> inverted(const ThreadValue& tv);

/// The inverse of a layout of registers, where it can be written: inverted(*thread_value(l)) == l, units aside.
std::optional<ThreadValue> thread_value(const Layout& layout);

/// `TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)`
std::string to_string(const ThreadValue& tv);

}  // namespace tileproof
