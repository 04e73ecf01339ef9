#include "layouts/linear_bits.hpp"

#include <algorithm>
#include <cstdlib>

#include "layouts/address.hpp"
#include "layouts/units.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

/// All bits of the flat index, least significant first.
std::vector<std::int64_t> flat_bases(const BitBases& bases) {
    std::vector<std::int64_t> all;
    for (std::size_t dim = bases.size(); dim-- > 0;) all.insert(all.end(), bases[dim].begin(), bases[dim].end());
    return all;
}

/// Whether no two of the swizzled values have a bit in common, so that their XORs are their sums.
bool add_without_carries(const std::vector<std::int64_t>& values, const Swizzle& swizzle) {
    std::int64_t taken = 0;
    for (const std::int64_t value : values) {
        const std::int64_t moved = swizzled(Integers{}, swizzle, value);
        if ((taken & moved) != 0) return false;
        taken |= moved;
    }
    return true;
}

/// The swizzle of fewest bits that turns the bases into strides: it is its own inverse.
std::optional<Swizzle> swizzle_behind(const std::vector<std::int64_t>& values) {
    if (add_without_carries(values, {})) return Swizzle{};
    for (int bits = 1; 2 * bits <= max_period_log2; ++bits) {
        for (int distance = bits; bits + distance <= max_period_log2; ++distance) {
            for (int base = 0; base + bits + distance <= max_period_log2; ++base) {
                for (const int shift : {distance, -distance}) {
                    const Swizzle swizzle{bits, base, shift};
                    if (add_without_carries(values, swizzle)) return swizzle;
                }
            }
        }
    }
    return std::nullopt;
}

/// One iter for each run of bits of which each doubles the one before, outermost first.
std::vector<Iter> iters_of(const std::vector<std::int64_t>& strides) {
    if (strides.empty()) return {{1, 0}};
    std::vector<Iter> iters;
    for (const std::int64_t stride : strides) {
        if (!iters.empty() && stride == iters.back().extent * iters.back().stride) {
            iters.back().extent *= 2;
        } else {
            iters.push_back({2, stride});
        }
    }
    std::reverse(iters.begin(), iters.end());
    return iters;
}

/// A coordinate with one bit set, and its offset before the swizzle.
struct OneBit {
    std::vector<std::int64_t> coordinate;
    std::int64_t offset = 0;
};

Diagnostic carry(const OneBit& a, const OneBit& b) {
    return {"not-linear", "the offsets of " + tuple_of(a.coordinate) + " and " + tuple_of(b.coordinate) + ", " + std::to_string(a.offset) +
                              " and " + std::to_string(b.offset) + ", add with a carry, and over bits they are joined by XOR"};
}

}  // namespace

Result<BitBases> bit_bases(const Layout& layout) {
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim)
        if (!is_power_of_two(layout.shape[dim]))
            return Diagnostic{"not-linear", "dimension " + std::to_string(dim) + " has the extent " + std::to_string(layout.shape[dim]) +
                                                ", and over bits every extent is a power of two"};
    if (layout.offset != 0)
        return Diagnostic{"not-linear", "coordinate 0 has the offset " +
                                            std::to_string(element_offset(layout, std::vector<std::int64_t>(layout.shape.size()))) +
                                            ", and over bits it has 0"};
    BitBases bases(layout.shape.size());
    std::vector<OneBit> seen;
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim) {
        for (std::int64_t bit = 1; bit < layout.shape[dim]; bit *= 2) {
            OneBit one{std::vector<std::int64_t>(layout.shape.size()), 0};
            one.coordinate[dim] = bit;
            one.offset = linear_offset(layout, one.coordinate);
            if (!layout.is_over_bits())
                for (const OneBit& other : seen)
                    if ((other.offset & one.offset) != 0) return carry(other, one);
            bases[dim].push_back(swizzled(Integers{}, layout.swizzle, one.offset));
            seen.push_back(std::move(one));
        }
    }
    return bases;
}

Layout layout_over_bits(const BitBases& bases) {
    Layout layout;
    for (const std::vector<std::int64_t>& dim : bases) layout.shape.push_back(std::int64_t{1} << dim.size());
    const std::optional<Swizzle> swizzle = swizzle_behind(flat_bases(bases));
    if (!swizzle) {
        layout.bases = bases;
        return layout;
    }
    layout.swizzle = *swizzle;
    for (std::vector<std::int64_t> strides : bases) {
        for (std::int64_t& stride : strides) stride = swizzled(Integers{}, *swizzle, stride);
        const std::vector<Iter> mode = iters_of(strides);
        layout.iters.insert(layout.iters.end(), mode.begin(), mode.end());
    }
    return layout;
}

BitBases regrouped(const BitBases& bases, const std::vector<std::int64_t>& shape) {
    const std::vector<std::int64_t> all = flat_bases(bases);
    BitBases out(shape.size());
    auto next = all.begin();
    for (std::size_t dim = shape.size(); dim-- > 0;) {
        const auto end = next + floor_log2(shape[dim]);
        out[dim].assign(next, end);
        next = end;
    }
    return out;
}

}  // namespace tileproof
