#include "layouts/filling.hpp"

#include <algorithm>

#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

Problem alone(const Problem& problem, const Copy& copy) {
    Problem out = problem;
    note_written(out);
    out.copies = {copy};
    out.copies[0].zero_fill = false;
    return out;
}

void clear_bounds(Region& region) {
    for (const std::size_t dim : region.clipped) region.symbolic_extent.erase(dim);
    region.clipped.clear();
    region.further.clear();
}

/// What bounds that are numbers leave of a dimension.
std::int64_t left_of(const Region& region, std::size_t dim) {
    std::int64_t out = region.extent[dim];
    for (const Expression& below : cuts_of(region, dim))
        if (below.is_constant()) out = std::clamp<std::int64_t>(below, 0, out);
    return out;
}

/// A buffer in memory with the elements of a region in a row, and all of it.
Buffer in_a_row(const Buffer& like, const std::vector<std::int64_t>& extents, Region& region) {
    Buffer out = like;
    out.layout = {extents, {}};
    std::int64_t count = 1;
    for (std::size_t dim = extents.size(); dim-- > 0; count *= extents[dim])
        out.layout.iters.insert(out.layout.iters.begin(), {extents[dim], count});
    out.capacity = Elements{count};
    out.symbolic_capacity.reset();
    region = {std::vector<Expression>(extents.size(), 0), extents};
    return out;
}

}  // namespace

Problem moved_part(const Problem& problem, const Copy& copy) {
    Problem out = alone(problem, copy);
    Copy& one = out.copies[0];
    const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        if (copy.src.region.clipped.count(from.dims[i]) == 0) continue;
        std::vector<Expression> bounds = cuts_of(copy.src.region, from.dims[i]);
        std::erase_if(bounds, [](const Expression& below) { return below.is_constant(); });
        for (Region* region : {&one.src.region, &one.dst.region}) {
            const std::size_t dim = region == &one.src.region ? from.dims[i] : to.dims[i];
            region->extent[dim] = left_of(copy.src.region, from.dims[i]);
            region->further.erase(dim);
            region->clipped.erase(dim);
            region->symbolic_extent[dim] =
                bounds.empty() ? Expression(region->extent[dim]) : bounds[0];  // a dimension also where one place is left
            if (!bounds.empty()) region->clipped.insert(dim);
            if (bounds.size() > 1) region->further[dim].assign(bounds.begin() + 1, bounds.end());
        }
    }
    return out;
}

Problem written_part(const Problem& problem, const Copy& copy, bool reads) {
    Problem out = alone(problem, copy);
    Copy& one = out.copies[0];
    if (register_side(problem, copy) == Side::dst) {
        out.buffers.push_back(in_a_row(problem.buffer(copy.src), copy.dst.region.extent, one.src.region));
        one.src.buffer = static_cast<int>(out.buffers.size()) - 1;
        return out;
    }
    Buffer twin = problem.buffer(copy.dst);
    if (const Buffer& src = problem.buffer(copy.src); reads) {
        twin.name = src.name;
        twin.align = src.align;
        twin.base = src.base;
    }
    out.buffers.push_back(std::move(twin));
    one.src = copy.dst;
    one.src.buffer = static_cast<int>(out.buffers.size()) - 1;
    return out;
}

Problem whole_part(const Problem& problem, const Copy& copy) {
    Problem out = alone(problem, copy);
    Operand& src = out.copies[0].src;
    Buffer longer = problem.buffer(src);
    reach_out(longer.layout, src.region);
    out.buffers.push_back(std::move(longer));
    src.buffer = static_cast<int>(out.buffers.size()) - 1;
    clear_bounds(src.region);
    return out;
}

Problem grouped_part(const Problem& problem, const Copy& copy) {
    Problem out = whole_part(problem, copy);
    if (register_side(problem, copy) != Side::dst) return out;
    Layout& layout = out.buffers.back().layout;
    layout.swizzle = {};
    auto modes = *split_modes(layout);  // straight along what a predicate bounds
    for (const std::size_t dim : copy.src.region.clipped)
        if (left_of(copy.src.region, dim) < 2) modes[dim] = {{layout.shape[dim], 2 * most_elements.count}};
    layout.iters.clear();
    for (const std::vector<Iter>& mode : modes) layout.iters.insert(layout.iters.end(), mode.begin(), mode.end());
    return out;
}

std::optional<CopyPlan> moved_part(const Copy& copy, const CopyPlan& plan) {
    CopyPlan out = plan;
    const Region& region = copy.src.region;
    for (const std::size_t dim : region.clipped) {
        if (left_of(region, dim) == region.extent[dim]) continue;
        const std::optional<FactorPlace> place = symbolic_factor(region, dim, plan.box);
        if (!place) return std::nullopt;
        const auto counts_along = [&](const Segment& s) { return s.tail && static_cast<std::size_t>(s.tail->dim) == place->dim; };
        if (std::any_of(plan.segments.begin(), plan.segments.end(), counts_along)) return std::nullopt;  // what is left would end elsewhere
        out.box.dims[place->dim][place->factor].extent = left_of(region, dim);
    }
    for (Segment& segment : out.segments) {
        for (Bound& bound : segment.predicate) {
            if (bound.beyond == Beyond::zeros_behind) bound.below += 1 - segment.vec;
            bound.beyond = Beyond::nothing;
        }
    }
    return out;
}

CopyPlan written_part(const CopyPlan& plan, bool reads) {
    CopyPlan out = plan;
    for (Segment& s : out.segments) {
        const auto fills = [](const Bound& bound) { return bound.beyond == Beyond::zeros || bound.beyond == Beyond::zero_lanes; };
        s.predicate.erase(std::remove_if(s.predicate.begin(), s.predicate.end(), fills), s.predicate.end());
        if (!reads) s.src = s.dst;
    }
    return out;
}

CopyPlan written_registers(const CopyPlan& plan, Bits element) {
    CopyPlan out = written_part(plan, true);
    for (Segment& s : out.segments) {
        s.src.width = to_bits(Elements{s.vec}, element);
        s.src.address = {0, std::vector<Expression>(s.digits.size(), 0)};
        std::int64_t radix = 1;
        for (const std::size_t i : lane_digits(s, Side::src)) {
            s.src.address.strides[i] = radix;
            radix *= s.digits[i].extent;
        }
    }
    return out;
}

CopyPlan by_lanes(CopyPlan plan, Bits element) {
    for (Segment& s : plan.segments) {
        const auto is_outer = [](const Digit& digit) { return digit.role == Role::outer; };
        const auto outer = static_cast<int>(std::count_if(s.digits.begin(), s.digits.end(), is_outer));
        for (Digit& digit : s.digits) {
            if (digit.role != Role::vec) continue;
            digit.role = Role::outer;
            digit.place += outer;
        }
        s.outer *= s.vec;
        s.vec = 1;
        s.src.width = s.dst.width = element;
    }
    return plan;
}

bool splits_lanes(const CopyPlan& plan) {
    const auto splits = [](const Bound& bound) { return bound.beyond == Beyond::zero_lanes; };
    return std::any_of(plan.segments.begin(), plan.segments.end(),
                       [&](const Segment& s) { return std::any_of(s.predicate.begin(), s.predicate.end(), splits); });
}

}  // namespace tileproof
