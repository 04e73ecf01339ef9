// Parts: coordinates and offsets of (f, t, v) are sums over digits, so sums of a part for f, one for t and one for v.
//
//   thread digits of weights 8 and 64, extents 4 and 2       t      0  1  2  3  4  5  6  7
//                                                            part   0  8 16 24 64 72 80 88
//
// A position numbers the box coordinates, with a weight for each dimension. In a flat segment the only coordinate is the index;
// its offsets are no sums of parts.
#pragma once

#include <cstdint>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

/// What one value of f, t or v adds: to the linear offset of each side, to the position and to each coordinate.
struct Part {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    std::int64_t position = 0;
    std::vector<std::int64_t> coordinate;
};

/// The parts of 0 .. count-1.
struct PartTable {
    std::vector<std::int64_t> src, dst, position, coordinates;  // of the last, `rank` for each value
    std::size_t rank = 0;

    std::size_t count() const { return src.size(); }
    std::int64_t coordinate(std::size_t value, std::size_t dim) const { return coordinates[value * rank + dim]; }
};

/// The digits of one role, place by place.
class Parts {
public:
    /// `weights`: of the coordinates in the position.
    Parts(const Segment& segment, Role role, const std::vector<std::int64_t>& weights);

    /// The part of one value. `out` keeps its memory from call to call.
    void find(std::int64_t value, Part& out) const;
    PartTable table() const;
    /// The ends of what the role adds to a coordinate. Each digit moves one coordinate, so one value reaches all the least at once.
    std::int64_t least(std::size_t dim) const { return least_[dim]; }
    std::int64_t greatest(std::size_t dim) const { return greatest_[dim]; }

private:
    struct Step {
        std::int64_t extent, src, dst, position, weight;
        std::size_t dim;
    };
    std::vector<Step> steps_;
    std::vector<std::int64_t> least_, greatest_;
};

}  // namespace tileproof
