// LayoutTable: the element offset that the layout of one side gives every place of the box, in plain integers.
//
//   box 128 x 64, layout (128,64):(64,1), runs of 8        heads   0 8 16 ... 8184      one for each run of 8 positions
//                                                          within  0 1 2 3 4 5 6 7      the same in every run
//   linear offset at a position = heads[position / 8] + within[position % 8]
//
// Linear offsets are sums over the factors of the box where no iter is cut askew by a dimension and no dimension's digits carry
// into each other; then a table is built up factor by factor. Otherwise every place is asked of the definition, in runs of one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/address.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

/// Positions number the places of the box: row-major, but with the dimension `innermost` last.
struct BoxOrder {
    std::vector<std::size_t> dims;      // outermost first
    std::vector<std::int64_t> weights;  // of each dimension, in the box's order
};
BoxOrder box_order(const std::vector<std::int64_t>& box_shape, std::size_t innermost);

class LayoutTable {
public:
    /// `run`: the run length to try. A power of two.
    LayoutTable(const Judge& judge, Side side, const BoxOrder& order, std::int64_t run);

    /// 1 where the places of a run do not lie alike in all of them.
    std::int64_t run() const { return static_cast<std::int64_t>(within_.size()); }
    /// Whether the linear offsets of a run are consecutive.
    bool is_straight() const { return is_straight_; }
    std::int64_t head(std::int64_t position) const { return heads_[static_cast<std::size_t>(position >> run_log2_)]; }
    std::int64_t offset(std::int64_t position) const {
        const std::size_t place = static_cast<std::size_t>(position) & (within_.size() - 1);
        return swizzled(Integers{}, swizzle_, head(position) + within_[place]);
    }

private:
    const Swizzle& swizzle_;
    std::vector<std::int64_t> heads_, within_;
    int run_log2_ = 0;
    bool is_straight_ = false;
};

}  // namespace tileproof
