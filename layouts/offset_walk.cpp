#include "layouts/offset_walk.hpp"

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

std::vector<std::int64_t> offsets_of(const Layout& layout, const Region& region) {
    std::vector<std::int64_t> out, at = constants(region.start);
    std::int64_t count = 1;
    for (const std::int64_t extent : region.extent) count *= extent;
    out.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        out.push_back(element_offset(layout, at));
        for (std::size_t dim = at.size(); dim-- > 0;) {
            if (++at[dim] < region.start[dim] + region.extent[dim]) break;
            at[dim] = region.start[dim];
        }
    }
    return out;
}

}  // namespace tileproof
