// The canonical box of a copy: its region, cut where the layouts bend and merged where they do not.
//
//   32x32 tile of pitch 32 on both sides      one dimension of 1024, strides 1 | 1
//   32x32 tile, pitch 64 -> pitch 32          two dimensions 32 x 32, strides (64,1) | (32,1)
//   4x6 column-major on both sides            one dimension of 24
//   n x 32 of 128 x 32, pitch 32 on both      one dimension of 4096, of which the first 32*n are the region
//
// Both layouts are linear on it, swizzles aside: offset = offset(0) + sum stride[i] * coordinate[i]. Dimensions that
// run backwards in the destination are turned around (a negative factor weight), so destination strides are never negative.
// Strides and offsets may depend on symbols; pieces are merged only where they continue each other for all of their values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

struct BoxSide {
    Expression offset = 0;            // linear offset (elements) of box coordinate 0
    std::vector<Expression> strides;  // elements, one per box dimension
};

/// What the coordinates of a box dimension lie below, for those that a symbolic extent of the region bounds, or a predicate. Of several, the
/// least is the end; what is no predicate's comes first.
struct BoxBound {
    Expression below;
    bool clips = false;  // it is a predicate's, and may be beyond the end of the box
    friend bool operator==(const BoxBound&, const BoxBound&) = default;
};
using BoxBounds = std::map<std::size_t, std::vector<BoxBound>>;

struct CanonicalBox {
    Box box;
    BoxSide src;
    BoxSide dst;
    BoxBounds bounds{};

    const BoxSide& side(Side s) const { return s == Side::src ? src : dst; }
};

/// Nothing where no such box exists: a region cuts across an iter, iters do not nest into the dimensions, or the two
/// layouts split a dimension in ways without a common refinement (4 x 6 against 6 x 4).
/// Requires: rejection(problem, copy) finds nothing; region starts are numbers (layouts/symbolic.hpp folds others away).
std::optional<CanonicalBox> canonical_box(const Problem& problem, const Copy& copy);

/// Where a box that splits the region has the symbolic extent of a dimension: as the outermost factor of a box dimension, whole and
/// forwards. Nothing where it is not so: then no bound on a box coordinate says what the extent says.
struct FactorPlace {
    std::size_t dim = 0;
    std::size_t factor = 0;  // in Box::dims[dim]
};
std::optional<FactorPlace> symbolic_factor(const Region& region, std::size_t dim, const Box& box);

/// Adds that bound k is the least of these.
void add_least(const std::vector<BoxBound>& bounds, std::size_t k, std::vector<Fact>& facts);

/// All symbolic extents of a region in a box that splits it. Nothing where one has no place.
std::optional<BoxBounds> bounds(const Region& region, const Box& box);

/// Extents of the source region with unit dimensions dropped, and the logical dimension each came from.
struct DenseRegion {
    std::vector<std::int64_t> extents;
    std::vector<std::size_t> dims;
};
DenseRegion dense(const Region& region);

}  // namespace tileproof
