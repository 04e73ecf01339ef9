#include "verify/layout_table_internal.hpp"

#include <algorithm>

#include "layouts/box.hpp"

namespace tileproof {
namespace {

using Numbers = std::vector<std::int64_t>;

/// What the digit of one factor adds to the linear offset.
struct Factor {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
    Numbers adds{};  // where it is no multiple of a stride

    std::int64_t at(std::int64_t digit) const { return adds.empty() ? stride * digit : adds[static_cast<std::size_t>(digit)]; }
};

/// Every value so far, with every digit of one more factor.
void extend(Numbers& sums, const Factor& factor) {
    const std::size_t lower = sums.size();
    sums.resize(lower * static_cast<std::size_t>(factor.extent));
    std::int64_t* to = sums.data() + lower;
    for (std::int64_t digit = 1; digit < factor.extent; ++digit) {
        const std::int64_t add = factor.at(digit);
        for (std::size_t i = 0; i < lower; ++i) *to++ = sums[i] + add;
    }
}

/// Part of an iter that lies in one logical dimension: the coordinate's digit (x / radix) mod extent adds a stride.
struct IterPart {
    std::int64_t radix = 1;
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};

/// The iters of each logical dimension, innermost first; nothing where a dimension cuts one askew. In the flat index a dimension
/// counts in steps of the shape inside it, an iter in steps of the iters inside it.
std::optional<std::vector<std::vector<IterPart>>> iter_parts(const Layout& layout) {
    if (layout.is_over_bits()) return std::nullopt;
    std::vector<std::vector<IterPart>> out(layout.shape.size());
    std::size_t iter = layout.iters.size();
    std::int64_t iter_step = 1, dim_step = 1;
    for (std::size_t dim = layout.shape.size(); dim-- > 0;) {
        const std::int64_t dim_end = dim_step * layout.shape[dim];
        for (std::int64_t from = dim_step; from < dim_end;) {
            const Iter& it = layout.iters[iter - 1];
            const std::int64_t iter_end = iter_step * it.extent, to = std::min(iter_end, dim_end);
            if (to > from) {
                if (from % iter_step != 0 || to % from != 0) return std::nullopt;
                out[dim].push_back({from / dim_step, to / from, it.stride * (from / iter_step)});
                from = to;
            }
            if (iter_end <= from) {
                iter_step = iter_end;
                --iter;
            }
        }
        dim_step = dim_end;
    }
    return out;
}

/// What one logical dimension adds to the linear offset at its region's coordinates.
class Dimension {
public:
    Dimension(const std::vector<IterPart>& parts, std::int64_t start, std::int64_t extent) : start_(start) {
        const std::int64_t straight = parts.empty() ? 1 : parts[0].extent;
        if (start / straight == (start + extent - 1) / straight) {
            stride_ = parts.empty() ? 0 : parts[0].stride;
            return;
        }
        Numbers digits;
        std::int64_t sum = 0;
        for (const IterPart& part : parts) {
            digits.push_back(start / part.radix % part.extent);
            sum += digits.back() * part.stride;
        }
        for (std::int64_t x = 0; x < extent; ++x) {
            adds_.push_back(sum);
            for (std::size_t i = 0; i < parts.size(); ++i) {
                sum += parts[i].stride;
                if (++digits[i] < parts[i].extent) break;
                sum -= parts[i].extent * parts[i].stride;
                digits[i] = 0;
            }
        }
    }

    bool is_straight() const { return adds_.empty(); }
    std::int64_t at(std::int64_t x) const { return is_straight() ? stride_ * x : adds_[static_cast<std::size_t>(x - start_)]; }
    /// A step of `weight` from `origin` for each digit.
    Factor factor(std::int64_t origin, std::int64_t weight, std::int64_t extent) const {
        if (is_straight()) return {extent, stride_ * weight};
        Factor out{extent};
        for (std::int64_t digit = 0; digit < extent; ++digit) out.adds.push_back(at(origin + digit * weight) - at(origin));
        return out;
    }

private:
    std::int64_t start_;
    std::int64_t stride_ = 0;
    Numbers adds_;
};

/// Does the dimension add, for all digits of its factors together, the sum of what it adds for each?
bool is_sum(const Dimension& dimension, std::int64_t origin, const std::vector<BoxFactor>& steps, const std::vector<Factor>& factors) {
    if (dimension.is_straight() || steps.size() == 1) return true;
    Numbers coordinates{origin}, sums{dimension.at(origin)};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        extend(coordinates, {steps[i].extent, steps[i].weight});
        extend(sums, factors[i]);
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (dimension.at(coordinates[i]) != sums[i]) return false;
    return true;
}

/// The factors of the box, innermost first; nothing where linear offsets are no sums over them.
std::optional<std::vector<Factor>> table_factors(const Judge& judge, Side side, const BoxOrder& order) {
    const auto parts = iter_parts(judge.buffer(side).layout);
    if (!parts) return std::nullopt;
    const Region& region = operand(judge.copy(), side).region;
    const Box& box = judge.plan().box;
    const std::vector<std::size_t> logical = dense(region).dims;
    const Numbers origin = logical_coordinate(judge.copy(), side, box, Numbers(box.dims.size(), 0));
    std::vector<Dimension> dimensions;
    for (const std::size_t dim : logical) dimensions.emplace_back((*parts)[dim], region.start[dim], region.extent[dim]);
    std::vector<Factor> out;
    std::vector<std::vector<BoxFactor>> steps(logical.size());
    std::vector<std::vector<Factor>> factors(logical.size());
    for (std::size_t i = order.dims.size(); i-- > 0;) {
        const std::vector<BoxFactor>& mine = box.dims[order.dims[i]];
        for (std::size_t k = mine.size(); k-- > 0;) {
            if (mine[k].extent == 1) continue;
            const auto dim = static_cast<std::size_t>(mine[k].dim);
            out.push_back(dimensions[dim].factor(origin[logical[dim]], mine[k].weight, mine[k].extent));
            steps[dim].push_back(mine[k]);
            factors[dim].push_back(out.back());
        }
    }
    for (std::size_t dim = 0; dim < logical.size(); ++dim)
        if (!is_sum(dimensions[dim], origin[logical[dim]], steps[dim], factors[dim])) return std::nullopt;
    return out;
}

/// Cuts a factor into `inner` digits and the rest. False where the digits of a run add other things in another run.
bool cut(const Factor& factor, std::int64_t inner, Factor& low, Factor& high) {
    if (factor.extent % inner != 0) return false;
    low = {inner, factor.stride};
    high = {factor.extent / inner, factor.stride * inner};
    if (factor.adds.empty()) return true;
    for (std::int64_t digit = 0; digit < inner; ++digit) low.adds.push_back(factor.at(digit));
    for (std::int64_t digit = 0; digit < factor.extent; digit += inner) high.adds.push_back(factor.at(digit));
    for (std::int64_t digit = 0; digit < factor.extent; ++digit)
        if (factor.at(digit) != high.at(digit / inner) + low.at(digit % inner)) return false;
    return true;
}

/// Fills `within` from the innermost factors and leaves the others. False where no factors multiply to the run.
bool take_run(std::vector<Factor>& factors, std::int64_t run, Numbers& within) {
    std::size_t taken = 0;
    while (static_cast<std::int64_t>(within.size()) < run) {
        if (taken == factors.size()) return false;
        Factor& next = factors[taken];
        const std::int64_t missing = run / static_cast<std::int64_t>(within.size());
        if (missing % next.extent == 0) {
            extend(within, next);
            ++taken;
            continue;
        }
        Factor low, high;
        if (!cut(next, missing, low, high)) return false;
        extend(within, low);
        next = std::move(high);
    }
    factors.erase(factors.begin(), factors.begin() + static_cast<std::ptrdiff_t>(taken));
    return true;
}

Numbers by_definition(const Judge& judge, Side side, const BoxOrder& order) {
    const Numbers& shape = judge.box_shape();
    Numbers out, at(shape.size(), 0);
    for (;;) {
        out.push_back(linear_offset(judge.buffer(side).layout, logical_coordinate(judge.copy(), side, judge.plan().box, at)));
        std::size_t i = order.dims.size();
        while (i > 0 && ++at[order.dims[i - 1]] == shape[order.dims[i - 1]]) at[order.dims[--i]] = 0;
        if (i == 0) return out;
    }
}

}  // namespace

BoxOrder box_order(const Numbers& box_shape, std::size_t innermost) {
    BoxOrder out;
    for (std::size_t dim = 0; dim < box_shape.size(); ++dim)
        if (dim != innermost) out.dims.push_back(dim);
    out.dims.push_back(innermost);
    out.weights.resize(box_shape.size());
    std::int64_t weight = 1;
    for (std::size_t i = out.dims.size(); i-- > 0; weight *= box_shape[out.dims[i]]) out.weights[out.dims[i]] = weight;
    return out;
}

LayoutTable::LayoutTable(const Judge& judge, Side side, const BoxOrder& order, std::int64_t run)
    : swizzle_(judge.buffer(side).layout.swizzle), within_{0} {
    std::optional<std::vector<Factor>> factors = table_factors(judge, side, order);
    if (factors) {
        std::vector<Factor> outer = *factors;
        if (take_run(outer, run, within_)) factors = std::move(outer);
        else within_.assign(1, 0);
        std::size_t count = 1;
        for (const Factor& factor : *factors) count *= static_cast<std::size_t>(factor.extent);
        heads_.reserve(count);
        heads_.push_back(linear_offset(judge.buffer(side).layout,
                                       logical_coordinate(judge.copy(), side, judge.plan().box, Numbers(order.dims.size(), 0))));
        for (const Factor& factor : *factors) extend(heads_, factor);
    } else {
        heads_ = by_definition(judge, side, order);
    }
    run_log2_ = floor_log2(this->run());
    is_straight_ = true;
    for (std::size_t v = 0; v < within_.size(); ++v) is_straight_ = is_straight_ && within_[v] == static_cast<std::int64_t>(v);
}

}  // namespace tileproof
