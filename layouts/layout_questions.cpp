#include "layouts/layout_questions.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "layouts/address.hpp"
#include "layouts/linear_bits.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/xor_basis.hpp"

namespace tileproof {
namespace {

using Coordinate = std::vector<std::int64_t>;

Diagnostic too_large(const std::string& what) { return {"too-large", what + " only by enumeration, and that ends at 2^24 elements"}; }

std::int64_t count_of(const Region& region) {
    std::int64_t count = 1;
    for (const std::int64_t extent : region.extent) count *= extent;
    return count;
}

// --- equality -----------------------------------------------------------------------------------------------------------

/// The iters without units, each joined with those that continue it, innermost first. Two layouts of one size have the same
/// linear part if and only if these are equal: the first that differs shows in an offset.
std::vector<Iter> straightened(const Layout& layout) {
    std::vector<Iter> out;
    for (std::size_t i = layout.iters.size(); i-- > 0;) {
        const Iter& it = layout.iters[i];
        if (it.extent == 1) continue;
        if (!out.empty() && it.stride == out.back().extent * out.back().stride) {
            out.back().extent *= it.extent;
        } else {
            out.push_back(it);
        }
    }
    return out;
}

/// The least flat index with two linear offsets.
std::optional<std::int64_t> first_linear_difference(const Layout& a, const Layout& b) {
    if (a.offset != b.offset) return 0;
    const std::vector<Iter> first = straightened(a), second = straightened(b);
    std::int64_t weight = 1;  // of the digit in the flat index
    for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
        if (first[i].stride != second[i].stride) return weight;
        if (first[i].extent != second[i].extent) return weight * std::min(first[i].extent, second[i].extent);
        weight *= first[i].extent;
    }
    return std::nullopt;
}

/// The same for two layouts over bits: the index that has only the first bit with two bases.
std::optional<std::int64_t> first_difference_over_bits(const BitBases& a, const BitBases& b) {
    std::int64_t weight = 1;
    for (std::size_t dim = a.size(); dim-- > 0;)
        for (std::size_t bit = 0; bit < a[dim].size(); ++bit, weight *= 2)
            if (a[dim][bit] != b[dim][bit]) return weight;
    return std::nullopt;
}

std::optional<std::int64_t> first_difference_by_enumeration(const Layout& a, const Layout& b) {
    OffsetWalk first(a), second(b);
    for (; !first.at_end(); first.step(), second.step())
        if (first.offset() != second.offset()) return first.index();
    return std::nullopt;
}

Elements count_differences(const Layout& a, const Layout& b) {
    Elements out{0};
    OffsetWalk first(a), second(b);
    for (; !first.at_end(); first.step(), second.step())
        if (first.offset() != second.offset()) ++out.count;
    return out;
}

Equality differs_at(std::optional<std::int64_t> index, const Layout& a, const Layout& b) {
    if (!index) return {};
    const Coordinate at = coordinate_of(*index, a.shape);
    Equality out{false, at, element_offset(a, at), element_offset(b, at)};
    if (size(a) <= most_enumerated) out.differing = count_differences(a, b);
    return out;
}

// --- one to one ---------------------------------------------------------------------------------------------------------

/// Iters by rising |stride|. A negative stride is one the other way round: its digit counts down.
struct Step {
    std::int64_t extent = 1;
    std::int64_t stride = 0;  // not negative
    std::size_t iter = 0;
};

std::vector<Step> steps_of(const Layout& layout) {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < layout.iters.size(); ++i)
        if (layout.iters[i].extent > 1) steps.push_back({layout.iters[i].extent, std::abs(layout.iters[i].stride), i});
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.stride < b.stride; });
    return steps;
}

/// The coordinate whose digits, counted up from the least offset, are these.
Coordinate coordinate_of_digits(const Layout& layout, const std::vector<std::int64_t>& digits) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const Iter& it = layout.iters[i];
        index = index * it.extent + (it.stride < 0 ? it.extent - 1 - digits[i] : digits[i]);
    }
    return coordinate_of(index, layout.shape);
}

/// Judges the offsets before the swizzle. The steps taken so far reach 0 .. next - 1 once each: a next step above `next` leaves
/// a gap there, one below it meets an offset that is taken, and no later step comes below that.
Bijectivity linear_bijectivity(const Layout& layout) {
    if (reach(layout)->least > 0) return {false, 0, {}};
    const std::vector<Step> steps = steps_of(layout);
    std::int64_t next = 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (step.stride > next) return {false, next, {}};
        if (step.stride < next) {
            std::vector<std::int64_t> one(layout.iters.size()), other(layout.iters.size());
            one[step.iter] = 1;
            std::int64_t rest = step.stride;
            for (std::size_t k = 0; k < i; rest /= steps[k++].extent) other[steps[k].iter] = rest % steps[k].extent;
            return {false, step.stride, {coordinate_of_digits(layout, other), coordinate_of_digits(layout, one)}};
        }
        next *= step.extent;
    }
    return {};
}

/// Judges a swizzle behind a bijection: it stays within its period blocks, so only one that is cut at the end can lose anything.
Bijectivity swizzled_bijectivity(const Layout& layout) {
    const std::int64_t count = size(layout).count, period = std::int64_t{1} << layout.swizzle.period_log2();
    for (std::int64_t offset = count - count % period; offset < count; ++offset)
        if (swizzled(Integers{}, layout.swizzle, offset) >= count) return {false, offset, {}};
    return {};
}

Bijectivity bijectivity_over_bits(const BitBases& bases, const std::vector<std::int64_t>& shape) {
    XorBasis basis;
    int bits = 0;
    for (std::size_t dim = bases.size(); dim-- > 0;) {
        for (const std::int64_t value : bases[dim]) {
            const std::int64_t dependent = basis.add(value);  // bits of the flat index, least first
            if (dependent != 0) return {false, 0, {Coordinate(shape.size()), coordinate_of(dependent, shape)}};
            ++bits;
        }
    }
    for (int bit = 0; bit < bits; ++bit)
        if (!basis.reaches(std::int64_t{1} << bit)) return {false, std::int64_t{1} << bit, {}};
    return {};
}

Bijectivity bijectivity_by_enumeration(const Layout& layout) {
    const auto count = static_cast<std::size_t>(size(layout).count);
    std::vector<unsigned char> times(count);  // that each offset occurs; 2 stands for more
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) {
        const auto offset = static_cast<std::size_t>(walk.offset());
        if (offset < count && times[offset] < 2) ++times[offset];
    }
    const auto wrong = std::find_if(times.begin(), times.end(), [](unsigned char n) { return n != 1; });
    if (wrong == times.end()) return {};
    Bijectivity out{false, wrong - times.begin(), {}};
    if (*wrong == 0) return out;
    for (OffsetWalk walk(layout); out.sharing.size() < 2; walk.step())
        if (walk.offset() == out.offset) out.sharing.push_back(walk.coordinate());
    return out;
}

/// Whether strides or bases show that no two coordinates share an offset. False says nothing.
bool is_surely_one_to_one(const Layout& layout) {
    if (const Result<BitBases> bases = bit_bases(layout)) {
        XorBasis basis;
        bool independent = true;
        for (const std::vector<std::int64_t>& dim : bases.value())
            for (const std::int64_t value : dim) independent = basis.add(value) == 0 && independent;
        return independent;
    }
    std::int64_t farthest = 0;  // that the smaller steps reach
    for (const Step& step : steps_of(layout)) {
        if (step.stride <= farthest) return false;
        farthest += (step.extent - 1) * step.stride;
    }
    return !layout.is_over_bits();
}

// --- overlap ------------------------------------------------------------------------------------------------------------

/// Of a layout that is one to one: the coordinates that both regions have.
Overlapping common_box(const Layout& layout, const Region& first, const Region& second) {
    Overlapping out{{1}, {}, {}, 0};
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim) {
        const std::int64_t begin = std::max(first.start[dim], second.start[dim]);
        const std::int64_t end = std::min(first.start[dim] + first.extent[dim], second.start[dim] + second.extent[dim]);
        if (begin >= end) return {};
        out.shared = out.shared * (end - begin);
        out.first.push_back(begin);
    }
    out.second = out.first;
    out.offset = element_offset(layout, out.first);
    return out;
}

Coordinate coordinate_in(const Region& region, std::ptrdiff_t index) {
    Coordinate at = coordinate_of(index, region.extent);
    for (std::size_t dim = 0; dim < at.size(); ++dim) at[dim] += region.start[dim];
    return at;
}

Overlapping overlapping_by_enumeration(const Layout& layout, const Region& first, const Region& second) {
    const std::vector<std::int64_t> mine = offsets_of(layout, first), others = offsets_of(layout, second);
    const auto sorted = [](std::vector<std::int64_t> offsets) {
        std::sort(offsets.begin(), offsets.end());
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
        return offsets;
    };
    std::vector<std::int64_t> shared;
    {
        const std::vector<std::int64_t> a = sorted(mine), b = sorted(others);
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
    }
    if (shared.empty()) return {};
    Overlapping out{{static_cast<std::int64_t>(shared.size())}, {}, {}, 0};
    const auto found = std::find_if(mine.begin(), mine.end(),
                                    [&](std::int64_t offset) { return std::binary_search(shared.begin(), shared.end(), offset); });
    out.offset = *found;
    out.first = coordinate_in(first, found - mine.begin());
    out.second = coordinate_in(second, std::find(others.begin(), others.end(), out.offset) - others.begin());
    return out;
}

}  // namespace

Result<Equality> same_offsets(const Layout& first, const Layout& second) {
    if (first.shape != second.shape) return Equality{false, {}, 0, 0};
    const bool same_swizzle = first.swizzle == second.swizzle || (first.swizzle.is_identity() && second.swizzle.is_identity());
    if (same_swizzle && !first.is_over_bits() && !second.is_over_bits())
        return differs_at(first_linear_difference(first, second), first, second);
    const Result<BitBases> a = bit_bases(first), b = bit_bases(second);
    if (a && b) return differs_at(first_difference_over_bits(a.value(), b.value()), first, second);
    if (size(first) > most_enumerated) return too_large("layouts with different swizzles are compared");
    return differs_at(first_difference_by_enumeration(first, second), first, second);
}

Result<Bijectivity> bijectivity(const Layout& layout) {
    if (!layout.is_over_bits()) {
        const Bijectivity linear = linear_bijectivity(layout);
        if (layout.swizzle.is_identity()) return linear;
        if (linear.is_bijective) return swizzled_bijectivity(layout);
    }
    if (const Result<BitBases> bases = bit_bases(layout)) return bijectivity_over_bits(bases.value(), layout.shape);
    if (size(layout) > most_enumerated) return too_large("a swizzled layout with gaps or carries is judged");
    return bijectivity_by_enumeration(layout);
}

Result<Overlapping> overlapping(const Layout& layout, const Region& first, const Region& second) {
    if (is_surely_one_to_one(layout)) return common_box(layout, first, second);
    const std::int64_t most = most_enumerated.count, mine = count_of(first), others = count_of(second);
    if (mine > most || others > most - mine) return too_large("regions of such a layout are compared");
    return overlapping_by_enumeration(layout, first, second);
}

}  // namespace tileproof
