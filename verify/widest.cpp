#include <algorithm>
#include <numeric>
#include <vector>

#include "layouts/address.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "verify/widest_internal.hpp"

namespace tileproof {
namespace {

/// Whether tables allow the width: the machine has it, the region is large enough, and the bases are aligned for it.
bool is_possible(const Problem& problem, const Copy& copy, Bits width) {
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        if (width < buffer.dtype.size || !has_access(problem.target, buffer.space, width)) return false;
        if (problem.ptx && *problem.ptx < least_ptx(buffer.space, width)) return false;
        if (buffer.space != Space::registers && !buffer.base && to_bits(buffer.align) < width) return false;
        if (to_bits(moved(copy), buffer.dtype.size) < width) return false;
    }
    return true;
}

/// The elements of the region by rising destination, each with where it lies: swizzles left out, base residues included.
class Placed {
public:
    Placed(const Problem& problem, const Copy& copy) {
        for (const Side side : both_sides) {
            const Buffer& buffer = problem.buffer(operand(copy, side));
            Places& places = side == Side::src ? src_ : dst_;
            Layout linear = buffer.layout;
            linear.swizzle = {};
            places.swizzle = buffer.layout.swizzle;
            places.residue = to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size;
            places.offsets = offsets_of(linear, operand(copy, side).region);
        }
        if (!std::is_sorted(dst_.offsets.begin(), dst_.offsets.end())) sort();
        overlaps_ = std::adjacent_find(dst_.offsets.begin(), dst_.offsets.end()) != dst_.offsets.end();
    }

    /// Whether blocks of n elements are legal accesses for all of them.
    bool are_runs(std::int64_t n) const {
        if (overlaps_) return false;
        const std::size_t count = dst_.offsets.size(), run = static_cast<std::size_t>(n);
        // Most widths fail here: in a legal run each element has the same place in its block on both sides.
        for (std::size_t k = 0; k < count; ++k)
            if ((src_.linear(k) - dst_.linear(k)) % n != 0) return false;
        if (count % run != 0) return false;
        for (std::size_t head = 0; head < count; head += run)
            if (!is_run(src_, head, n) || !is_run(dst_, head, n) || !are_lanes_kept(head, n)) return false;
        return true;
    }

private:
    struct Places {
        std::vector<std::int64_t> offsets;
        Swizzle swizzle;
        std::int64_t residue = 0;  // of the base, in elements
        std::int64_t linear(std::size_t k) const { return offsets[k] + residue; }
        std::int64_t actual(std::size_t k) const { return swizzled(Integers{}, swizzle, offsets[k]) + residue; }
    };

    void sort() {
        std::vector<std::size_t> order(dst_.offsets.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return dst_.offsets[a] < dst_.offsets[b]; });
        for (Places* side : {&src_, &dst_}) {
            std::vector<std::int64_t> sorted;
            sorted.reserve(order.size());
            for (const std::size_t k : order) sorted.push_back(side->offsets[k]);
            side->offsets = std::move(sorted);
        }
    }

    /// Swizzles left out: aligned and consecutive.
    static bool is_run(const Places& side, std::size_t head, std::int64_t n) {
        if (side.linear(head) % n != 0) return false;
        for (std::int64_t j = 1; j < n; ++j)
            if (side.linear(head + static_cast<std::size_t>(j)) != side.linear(head) + j) return false;
        return true;
    }

    /// With the swizzles: one block on each side, each lane in the same place.
    bool are_lanes_kept(std::size_t head, std::int64_t n) const {
        for (std::size_t k = head; k < head + static_cast<std::size_t>(n); ++k) {
            if (src_.actual(k) / n != src_.actual(head) / n || dst_.actual(k) / n != dst_.actual(head) / n) return false;
            if (src_.actual(k) % n != dst_.actual(k) % n) return false;
        }
        return true;
    }

    Places src_, dst_;
    bool overlaps_ = false;  // two elements share a destination: then no width is legal
};

}  // namespace

WiderWidth wider_width(const Problem& problem, const Copy& copy, Bits than) {
    WiderWidth out;
    const bool has_registers = register_side(problem, copy).has_value();
    std::optional<Placed> elements;
    for (const Bits width : access_widths()) {
        if (width <= than) break;
        if (!is_possible(problem, copy, width)) continue;
        if (!has_registers && !elements) elements.emplace(problem, copy);
        out.looked = true;
        const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
        if (has_registers ? !are_register_runs(problem, copy, n) : !elements->are_runs(n)) continue;
        out.width = width;
        out.runs = moved(copy).count / n;
        break;
    }
    return out;
}

}  // namespace tileproof
