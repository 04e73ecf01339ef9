#include "layouts/box.hpp"

#include <algorithm>
#include <cstdlib>

#include "layouts/address.hpp"

namespace tileproof {
namespace {

/// A piece of one region dimension on which both sides are linear.
struct Piece {
    std::vector<BoxFactor> factors;  // outermost first
    std::int64_t extent = 1;
    bool is_bounded = false;  // by a symbolic extent
    Expression src = 0;       // stride of the piece's own index
    Expression dst = 0;
};

/// Weights (above 1) at which this mode bends inside [start, start + extent), or nothing where the region cuts an iter.
std::optional<std::vector<std::int64_t>> bends(const std::vector<Iter>& mode, std::int64_t start, std::int64_t extent) {
    std::vector<std::int64_t> weights;
    std::int64_t weight = 1;
    for (std::size_t i = mode.size(); i-- > 1;) {
        const Iter& inner = mode[i];
        const Iter& outer = mode[i - 1];
        // Iters that continue each other do not bend; compare with the whole straight run below.
        weight *= inner.extent;
        if (outer.stride == inner.stride.times(inner.extent)) continue;
        if (start / weight == (start + extent - 1) / weight) continue;  // inside one block
        if (start % weight != 0 || extent % weight != 0) return std::nullopt;
        weights.push_back(weight);
    }
    return weights;
}

bool is_symbolic_extent(const Region& region, std::size_t dim) {
    return region.clipped.count(dim) != 0 || !extent_of(region, dim).is_constant();
}

/// Offsets of one side along its logical dimension `dim`, everything else at the region's start.
Expression offset_at(const Layout& layout, const Region& region, std::size_t dim, std::int64_t step) {
    std::vector<Expression> at = region.start;
    at[dim] += step;
    return linear_offset(Expressions{}, layout, at);
}

struct Cutter {
    const Layout& src;
    const Layout& dst;
    const Region& src_region;
    const Region& dst_region;
    std::vector<std::vector<Iter>> src_modes;
    std::vector<std::vector<Iter>> dst_modes;

    /// Pieces of region dimension `dim`, outermost first.
    std::optional<std::vector<Piece>> cut(int dim, std::size_t src_dim, std::size_t dst_dim) const {
        const std::int64_t extent = src_region.extent[src_dim];
        auto weights = bends(src_modes[src_dim], src_region.start[src_dim], extent);
        const auto more = bends(dst_modes[dst_dim], dst_region.start[dst_dim], extent);
        if (!weights || !more) return std::nullopt;
        weights->insert(weights->end(), more->begin(), more->end());
        weights->push_back(1);
        std::sort(weights->begin(), weights->end());
        weights->erase(std::unique(weights->begin(), weights->end()), weights->end());
        weights->push_back(extent);
        const bool is_bounded = is_symbolic_extent(src_region, src_dim);
        if (is_bounded && weights->size() > 2) return std::nullopt;  // a bound on a bent dimension bounds no piece of it
        std::vector<Piece> pieces;
        for (std::size_t i = weights->size() - 1; i-- > 0;) {
            const std::int64_t weight = (*weights)[i], above = (*weights)[i + 1];
            if (above % weight != 0) return std::nullopt;  // no common refinement
            Piece piece;
            piece.extent = above / weight;
            piece.factors = {{dim, weight, piece.extent}};
            piece.is_bounded = is_bounded;
            piece.src = offset_at(src, src_region, src_dim, weight) - offset_at(src, src_region, src_dim, 0);
            piece.dst = offset_at(dst, dst_region, dst_dim, weight) - offset_at(dst, dst_region, dst_dim, 0);
            pieces.push_back(piece);
        }
        return pieces;
    }
};

/// Turns every piece around that runs backwards in the destination, whatever the symbols are, and has an end that is known.
void turn_around(std::vector<Piece>& pieces, CanonicalBox& box, const std::vector<Symbol>& symbols) {
    for (Piece& piece : pieces) {
        if (piece.is_bounded || interval(piece.dst, symbols).greatest >= 0) continue;
        box.src.offset = box.src.offset + piece.src.times(piece.extent - 1);
        box.dst.offset = box.dst.offset + piece.dst.times(piece.extent - 1);
        piece.src = piece.src.times(-1);
        piece.dst = piece.dst.times(-1);
        piece.factors.front().weight = -piece.factors.front().weight;
    }
}

/// Merges pieces that continue each other on both sides, neighbours or not. The merged one keeps the place of its outermost piece.
/// A bounded piece stays outermost: behind a bound there is nothing that could continue it.
void merge(std::vector<Piece>& pieces) {
    for (bool merged = true; merged;) {
        merged = false;
        for (std::size_t outer = 0; outer < pieces.size() && !merged; ++outer) {
            for (std::size_t inner = 0; inner < pieces.size() && !merged; ++inner) {
                const Piece& in = pieces[inner];
                Piece& out = pieces[outer];
                if (inner == outer || in.is_bounded || !(out.src == in.src.times(in.extent)) || !(out.dst == in.dst.times(in.extent)))
                    continue;
                out.factors.insert(out.factors.end(), in.factors.begin(), in.factors.end());
                out.extent *= in.extent;
                out.src = in.src;
                out.dst = in.dst;
                pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(inner));
                merged = true;
            }
        }
    }
}

}  // namespace

DenseRegion dense(const Region& region) {
    DenseRegion out;
    for (std::size_t i = 0; i < region.extent.size(); ++i) {
        if (region.extent[i] == 1 && region.symbolic_extent.count(i) == 0) continue;
        out.extents.push_back(region.extent[i]);
        out.dims.push_back(i);
    }
    return out;
}

std::optional<CanonicalBox> canonical_box(const Problem& problem, const Copy& copy) {
    const Layout& src = problem.buffer(copy.src).layout;
    const Layout& dst = problem.buffer(copy.dst).layout;
    auto src_modes = split_modes(src), dst_modes = split_modes(dst);
    if (!src_modes || !dst_modes) return std::nullopt;
    const Cutter cutter{src, dst, copy.src.region, copy.dst.region, std::move(*src_modes), std::move(*dst_modes)};
    const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        const auto cut = cutter.cut(static_cast<int>(i), from.dims[i], to.dims[i]);
        if (!cut) return std::nullopt;
        pieces.insert(pieces.end(), cut->begin(), cut->end());
    }
    CanonicalBox out;
    out.src.offset = linear_offset(Expressions{}, src, copy.src.region.start);
    out.dst.offset = linear_offset(Expressions{}, dst, copy.dst.region.start);
    turn_around(pieces, out, problem.symbols);
    merge(pieces);
    for (Piece& piece : pieces) {
        out.box.dims.push_back(std::move(piece.factors));
        out.src.strides.push_back(piece.src);
        out.dst.strides.push_back(piece.dst);
    }
    if (pieces.empty()) {  // a single element: one dimension of one
        out.box.dims.emplace_back();
        out.src.strides.push_back(0);
        out.dst.strides.push_back(0);
    }
    std::optional<BoxBounds> bounded = bounds(copy.src.region, out.box);
    if (!bounded) return std::nullopt;
    out.bounds = std::move(*bounded);
    return out;
}

std::optional<FactorPlace> symbolic_factor(const Region& region, std::size_t dim, const Box& box) {
    std::optional<FactorPlace> out;
    const DenseRegion logical = dense(region);
    for (std::size_t i = 0; i < box.dims.size(); ++i) {
        for (std::size_t k = 0; k < box.dims[i].size(); ++k) {
            const BoxFactor& factor = box.dims[i][k];
            if (logical.dims[static_cast<std::size_t>(factor.dim)] != dim || factor.extent != region.extent[dim]) continue;
            const bool is_outermost = std::all_of(box.dims[i].begin(), box.dims[i].begin() + static_cast<std::ptrdiff_t>(k),
                                                  [](const BoxFactor& f) { return f.extent == 1; });
            if (out || !is_outermost || factor.weight != 1) return std::nullopt;
            out = {i, k};
        }
    }
    return out;
}

void add_least(const std::vector<BoxBound>& bounds, std::size_t k, std::vector<Fact>& facts) {
    for (std::size_t i = 0; i < bounds.size(); ++i)
        if (i != k) facts.push_back({{bounds[k].below}, Comparison::less_equal, {bounds[i].below}});
}

std::optional<BoxBounds> bounds(const Region& region, const Box& box) {
    BoxBounds out;
    for (const auto& [dim, extent] : region.symbolic_extent) {
        if (!is_symbolic_extent(region, dim)) continue;
        const std::optional<FactorPlace> place = symbolic_factor(region, dim, box);
        if (!place) return std::nullopt;
        std::int64_t inner = 1;
        for (std::size_t k = place->factor + 1; k < box.dims[place->dim].size(); ++k) inner *= box.dims[place->dim][k].extent;
        std::vector<BoxBound> all;
        for (const Expression& bound : bounds_of(region, dim))
            all.push_back({bound.times(inner), !all.empty() || region.clipped.count(dim) != 0});
        if (!out.emplace(place->dim, std::move(all)).second) return std::nullopt;
    }
    return out;
}

}  // namespace tileproof
