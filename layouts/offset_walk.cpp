#include "layouts/offset_walk.hpp"

#include <algorithm>

#include "layouts/address.hpp"

namespace tileproof {

std::vector<std::int64_t> coordinate_of(std::int64_t index, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out(shape.size());
    for (std::size_t dim = shape.size(); dim-- > 0; index /= shape[dim]) out[dim] = index % shape[dim];
    return out;
}

OffsetWalk::OffsetWalk(const Layout& layout)
    : layout_(&layout), size_(size(layout).count), linear_(layout.offset), digits_(layout.iters.size()) {
    std::int64_t all = 0;
    for (std::size_t dim = layout.bases.size(); dim-- > 0;)
        for (const std::int64_t basis : layout.bases[dim]) carry_bases_.push_back(all ^= basis);
}

void OffsetWalk::step() {
    ++index_;
    if (at_end()) return;
    if (layout_->is_over_bits()) {  // one more: the bits up to the lowest set one flip
        std::size_t lowest = 0;
        while ((index_ >> lowest & 1) == 0) ++lowest;
        linear_ ^= carry_bases_[lowest];
        return;
    }
    for (std::size_t i = digits_.size(); i-- > 0;) {
        const Iter& it = layout_->iters[i];
        linear_ += it.stride;
        if (++digits_[i] < it.extent) return;
        linear_ -= it.extent * std::int64_t{it.stride};
        digits_[i] = 0;
    }
}

std::int64_t OffsetWalk::offset() const { return swizzled(Integers{}, layout_->swizzle, linear_); }

namespace {

/// Where every iter belongs to one dimension: what each coordinate of the region adds, by dimension. Linear offsets are sums of these.
std::vector<std::vector<std::int64_t>> tables_of(const Layout& layout, const Region& region) {
    std::vector<std::vector<std::int64_t>> out(region.start.size());
    std::vector<std::int64_t> at(region.start.size(), 0);
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
        for (std::int64_t x = 0; x < region.extent[dim]; ++x) {
            at[dim] = region.start[dim] + x;
            out[dim].push_back(linear_offset(layout, at) - layout.offset);
        }
        at[dim] = 0;
    }
    return out;
}

/// The first coordinate of a region, and the next in row-major order.
struct Counter {
    const Region& region;
    std::size_t rank;  // of the leading dimensions that count
    std::vector<std::int64_t> at;
    void step() {
        for (std::size_t dim = rank; dim-- > 0;) {
            if (++at[dim] < region.start[dim] + region.extent[dim]) return;
            at[dim] = region.start[dim];
        }
    }
};

}  // namespace

std::vector<std::int64_t> offsets_of(const Layout& layout, const Region& region) {
    std::vector<std::int64_t> out;
    std::int64_t count = 1;
    for (const std::int64_t extent : region.extent) count *= extent;
    if (count == 0) return out;
    out.reserve(static_cast<std::size_t>(count));
    if (layout.is_over_bits() || !split_modes(layout)) {
        Counter counter{region, region.start.size(), constants(region.start)};
        for (std::int64_t i = 0; i < count; ++i, counter.step()) out.push_back(element_offset(layout, counter.at));
        return out;
    }
    const std::vector<std::vector<std::int64_t>> tables = tables_of(layout, region);
    Counter counter{region, region.start.size() - 1, constants(region.start)};
    for (std::int64_t row = 0; row < count / region.extent.back(); ++row, counter.step()) {
        std::int64_t sum = layout.offset;
        for (std::size_t dim = 0; dim + 1 < tables.size(); ++dim)
            sum += tables[dim][static_cast<std::size_t>(counter.at[dim] - region.start[dim])];
        for (const std::int64_t last : tables.back()) out.push_back(swizzled(Integers{}, layout.swizzle, sum + last));
    }
    return out;
}

std::int64_t least_offset(const Layout& layout, const Region& region) {
    Layout linear = layout;
    linear.swizzle = {};
    const std::vector<std::int64_t> all = offsets_of(linear, region);
    return all.empty() ? 0 : *std::min_element(all.begin(), all.end());
}

}  // namespace tileproof
