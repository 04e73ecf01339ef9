// Candidates for each rule: copies of the problem with one thing changed by the least that can help.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

#include "layouts/address.hpp"
#include "layouts/box.hpp"
#include "layouts/register_file.hpp"
#include "solver/remedy_internal.hpp"

namespace tileproof {
namespace {

std::int64_t round_up(std::int64_t x, std::int64_t n) { return ceil_div(x, n) * n; }

Operand& operand(Copy& copy, Side side) { return side == Side::src ? copy.src : copy.dst; }

/// A layout with other extents and strides. Strides keep their order and stay clear of what lies below them; those of `aligned` iters
/// become multiples of n, save where the elements of one access lie along them. Packed strides stay packed:
///   (16,8,20):(160,20,1), n = 8   ->   (16,8,20):(192,24,1)
/// Nothing where iters interleave or overlap: then a larger stride is another tensor, not a wider pitch.
std::optional<Layout> respaced(const Layout& layout, const std::vector<std::int64_t>& extents, const std::vector<bool>& aligned,
                               std::int64_t n) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < layout.iters.size(); ++i)
        if (layout.iters[i].stride != 0 && extents[i] > 1) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(layout.iters[a].stride) < std::abs(layout.iters[b].stride); });
    Layout out = layout;
    std::int64_t end_before = 1, end = 1,
                 run = 1;  // where the iters below end, before and after; elements in one piece
    bool in_run = true;
    for (const std::size_t i : order) {
        const std::int64_t stride = std::abs(layout.iters[i].stride);
        if (stride < end_before) return std::nullopt;
        std::int64_t next = std::max(stride, end);
        in_run = in_run && stride == run && run < n;
        if (in_run) run *= extents[i];
        else if (aligned[i]) next = round_up(next, n);
        end_before = stride * layout.iters[i].extent;
        if (extents[i] > max_offset / next) return std::nullopt;
        end = next * extents[i];
        const bool backwards = layout.iters[i].stride < 0;
        out.iters[i] = {extents[i], backwards ? -next : next};
        if (backwards) out.offset += next * (extents[i] - 1) - stride * (layout.iters[i].extent - 1);
    }
    return out;
}

std::vector<std::int64_t> extents_of(const Layout& layout) {
    std::vector<std::int64_t> out;
    for (const Iter& it : layout.iters) out.push_back(it.extent);
    return out;
}

/// Which iters a region moves along, or starts off zero in.
std::vector<bool> moving(const Layout& layout, const Region& region) {
    std::vector<bool> out(layout.iters.size(), true);
    const auto dims = dims_of_iters(layout);
    for (std::size_t i = 0; dims && i < out.size(); ++i) {
        const int dim = (*dims)[i];
        out[i] = dim >= 0 && (region.extent[static_cast<std::size_t>(dim)] > 1 || region.start[static_cast<std::size_t>(dim)] > 0);
    }
    return out;
}

class Candidates {
public:
    Candidates(const Problem& original, const Problem& now, std::size_t copy, const Refusal& refusal)
        : original_(original),
          now_(now),
          number_(copy),
          copy_(now.copies[copy]),
          refusal_(refusal),
          n_(refusal.width / now.buffer(now.copies[copy].src).dtype.size) {}

    std::vector<Problem> all() {
        const std::string& rule = refusal_.rule;
        if (rule == "target") target();
        if (rule == "base-alignment") alignment();
        // Who holds what is given: with registers only the memory side may change, and no region, which is of both.
        const bool has_registers = register_side(now_, copy_).has_value();
        if (!has_registers && (rule == "region-offset" || rule == "phase")) start();
        if (rule == "stride") pitch(*refusal_.witness->side);
        if (rule == "swizzle-chunk") swizzle();
        if (!has_registers && (rule == "count" || rule == "no-partner" || rule == "not-contiguous" || rule == "stride")) row_length();
        return std::move(out_);
    }

private:
    const Buffer& buffer(Side side) const { return now_.buffer(tileproof::operand(copy_, side)); }
    Buffer& buffer(Problem& problem, Side side) const {
        return problem.buffers[static_cast<std::size_t>(tileproof::operand(copy_, side).buffer)];
    }
    const Region& region(Side side) const { return tileproof::operand(copy_, side).region; }
    Bytes width() const { return to_bytes(refusal_.width); }

    void add(const std::function<bool(Problem&)>& change) {
        Problem next = now_;
        if (change(next)) out_.push_back(std::move(next));
    }

    /// Puts the layout in place; capacities go with it.
    static bool replace(Buffer& buffer, const std::optional<Layout>& layout) {
        if (!layout || *layout == buffer.layout) return false;
        const std::optional<Reach> ends = reach(*layout);
        if (!ends || ends->least < 0 || !layout->swizzle.is_valid() || layout->swizzle.period_log2() > max_period_log2) return false;
        buffer.layout = *layout;
        buffer.capacity = buffer.capacity_is_default ? span(*layout) : std::max(buffer.capacity, span(*layout));
        return true;
    }

    void target() {
        add([&](Problem& next) {
            PtxVersion needed{};
            int arch = next.target.number;
            for (const Side side : both_sides) {
                if (buffer(side).space == Space::registers) continue;
                const AccessForm* form =
                    access_form(side == Side::src ? Direction::load : Direction::store, buffer(side).space, refusal_.width);
                if (form == nullptr) return false;
                needed = std::max(needed, form->least_ptx);
                arch = std::max(arch, form->least_arch);
            }
            if (arch > next.target.number) next.target = *find_arch("sm_" + std::to_string(arch));
            needed = std::max(needed, next.target.least_ptx);
            if (next.ptx && *next.ptx < needed) next.ptx = needed;
            return true;
        });
    }

    /// Both sides at once: neither helps alone.
    void alignment() {
        add([&](Problem& next) {
            for (const Side side : both_sides) {
                Buffer& one = buffer(next, side);
                if (one.space == Space::registers || one.base || one.align >= width()) continue;
                one.align = width();
                one.align_is_default = false;
            }
            return true;
        });
    }

    // The first run's head is off its alignment, on the side of the witness.

    Bits residue() const { return *refusal_.witness->address % refusal_.width; }

    void start() {
        const Side side = *refusal_.witness->side;
        stated_base(side);
        layout_offset(side);
        const std::vector<std::size_t> dims = dims_by_blame(side);
        for (const std::size_t dim : dims)
            if (is_to_blame(side, dim) && step(side, dim) % n_ != 0 && std::abs(step(side, dim)) != 1) pitch(side);
        if (copy_.src.buffer != copy_.dst.buffer)
            for (const std::size_t dim : dims) region_start(side, dim);
        base_residue(side);
    }

    void stated_base(Side side) {
        if (!buffer(side).base || residue().count % 8 != 0) return;
        add([&](Problem& next) {
            Buffer& one = buffer(next, side);
            const Bytes down = to_bytes(residue()), up = width() - down;
            const bool can_go_down = *one.base >= down, can_go_up = *one.base + up <= Bytes{255};
            if (!can_go_down && !can_go_up) return false;
            one.base = can_go_down && (down <= up || !can_go_up) ? *one.base - down : *one.base + up;
            if (*one.base % width() != Bytes{0}) return true;
            one.base = std::nullopt;  // an alignment promises less than a residue
            one.align = width();
            one.align_is_default = false;
            return true;
        });
    }

    /// Where the layout's own offset is all that is off.
    void layout_offset(Side side) {
        const std::int64_t offset = buffer(side).layout.offset;
        const Bits without = *refusal_.witness->address - to_bits(Elements{offset}, buffer(side).dtype.size);
        if (offset % n_ == 0 || without % refusal_.width != Bits{0}) return;
        for (const std::int64_t next_offset : {offset - offset % n_, round_up(offset, n_)}) {
            add([&](Problem& next) {
                Layout layout = buffer(side).layout;
                layout.offset = next_offset;
                return replace(buffer(next, side), layout);
            });
        }
    }

    /// Offset of a coordinate that is zero but for one dimension, the layout's own offset left out.
    std::int64_t reach_along(Side side, std::size_t dim, std::int64_t x) const {
        std::vector<std::int64_t> at(region(side).start.size(), 0);
        at[dim] = x;
        return linear_offset(buffer(side).layout, at) - buffer(side).layout.offset;
    }
    std::int64_t step(Side side, std::size_t dim) const { return buffer(side).layout.shape[dim] > 1 ? reach_along(side, dim, 1) : 0; }
    bool is_to_blame(Side side, std::size_t dim) const { return reach_along(side, dim, region(side).start[dim]) % n_ != 0; }

    /// Those whose start is off first, and among equals the last first.
    std::vector<std::size_t> dims_by_blame(Side side) const {
        std::vector<std::size_t> out(region(side).start.size());
        std::iota(out.rbegin(), out.rend(), std::size_t{0});
        std::stable_partition(out.begin(), out.end(), [&](std::size_t dim) { return is_to_blame(side, dim); });
        return out;
    }

    /// The nearest start below that aligns the first run's head, else the nearest above.
    void region_start(Side side, std::size_t dim) {
        const std::int64_t start = region(side).start[dim], last = buffer(side).layout.shape[dim] - region(side).extent[dim];
        const std::int64_t here = reach_along(side, dim, start), most = std::min<std::int64_t>(last, start + refusal_.width.count);
        const auto aligns = [&](std::int64_t other) {
            const Bits shift = to_bits(Elements{reach_along(side, dim, other) - here}, buffer(side).dtype.size);
            return (*refusal_.witness->address + shift) % refusal_.width == Bits{0};
        };
        std::int64_t found = start;
        for (std::int64_t other = start; other-- > std::max<std::int64_t>(0, start - refusal_.width.count) && found == start;)
            if (aligns(other)) found = other;
        for (std::int64_t other = start + 1; other <= most && found == start; ++other)
            if (aligns(other)) found = other;
        if (found == start) return;
        add([&](Problem& next) {
            operand(next.copies[number_], side).region.start[dim] = found;
            return true;
        });
    }

    void base_residue(Side side) {
        const Buffer& stated = original_.buffer(tileproof::operand(copy_, side));
        if (buffer(side).base || buffer(side).swizzle_on_address || residue().count % 8 != 0) return;
        const Bytes base = width() - to_bytes(residue());
        const bool is_free = stated.align_is_default || stated.space == Space::shared;
        if (stated.align > Bytes{256} || (!is_free && base % stated.align != Bytes{0})) return;
        add([&](Problem& next) {
            buffer(next, side).base = base;
            return true;
        });
    }

    void pitch(Side side) {
        add([&](Problem& next) {
            const Layout& layout = buffer(side).layout;
            return replace(buffer(next, side), respaced(layout, extents_of(layout), moving(layout, region(side)), n_));
        });
    }

    void swizzle() {
        const Side at_fault = refusal_.witness->side.value_or(Side::dst);
        for (const Side side : {at_fault, opposite(at_fault)}) {
            const Swizzle& swizzle = buffer(side).layout.swizzle;
            if (swizzle.is_identity() || (std::int64_t{1} << swizzle.base_log2) >= n_) continue;
            set_swizzle(side, {swizzle.bits_log2, swizzle.base_log2 + 1, swizzle.shift_log2});
        }
        const Swizzle &src = buffer(Side::src).layout.swizzle, &dst = buffer(Side::dst).layout.swizzle;
        if (src.is_identity() || dst.is_identity() || src == dst) return;
        set_swizzle(Side::dst, src);
        set_swizzle(Side::src, dst);
    }

    void set_swizzle(Side side, const Swizzle& swizzle) {
        add([&](Problem& next) {
            Buffer& one = buffer(next, side);
            Layout layout = one.layout;
            layout.swizzle = swizzle;
            if (!replace(one, layout)) return false;
            const Bytes period = to_bytes(Elements{std::int64_t{1} << swizzle.period_log2()}, one.dtype.size);
            if (one.space == Space::shared && (one.align_is_default || one.swizzle_on_address)) one.align = std::max(one.align, period);
            return true;
        });
    }

    /// A dimension of the region along which both sides have stride 1, as its place among the dimensions of extent above 1.
    std::optional<std::size_t> row(const DenseRegion& src, const DenseRegion& dst) const {
        for (std::size_t i = src.dims.size(); i-- > 0;)
            if (std::abs(step(Side::src, src.dims[i])) == 1 && std::abs(step(Side::dst, dst.dims[i])) == 1) return i;
        return std::nullopt;
    }

    /// Rows that end at a multiple of n: within the shape if that has the room, else with a longer shape and what follows from it.
    /// Rows of half an access or less are left alone: most of what would then be copied is padding.
    void row_length() {
        const DenseRegion src = dense(copy_.src.region), dst = dense(copy_.dst.region);
        if (src.dims.size() != dst.dims.size()) return;
        const std::optional<std::size_t> i = row(src, dst);
        if (!i || src.extents[*i] % n_ == 0 || 2 * src.extents[*i] <= round_up(src.extents[*i], n_)) return;
        add([&](Problem& next) {
            for (const Side side : both_sides) {
                const std::size_t dim = side == Side::src ? src.dims[*i] : dst.dims[*i];
                Region& longer = operand(next.copies[number_], side).region;
                longer.extent[dim] = round_up(src.extents[*i], n_);
                const std::int64_t room = buffer(side).layout.shape[dim];
                if (longer.start[dim] + longer.extent[dim] > room && copy_.src.buffer != copy_.dst.buffer)
                    longer.start[dim] -= longer.start[dim] % n_;
                const std::int64_t end = longer.start[dim] + longer.extent[dim];
                if (end > room && !lengthen(buffer(next, side), dim, end)) return false;
            }
            return true;
        });
    }

    static bool lengthen(Buffer& buffer, std::size_t dim, std::int64_t extent) {
        const auto dims = dims_of_iters(buffer.layout);
        if (!dims || std::count(dims->begin(), dims->end(), static_cast<int>(dim)) != 1) return false;
        std::vector<std::int64_t> extents = extents_of(buffer.layout);
        extents[static_cast<std::size_t>(std::find(dims->begin(), dims->end(), static_cast<int>(dim)) - dims->begin())] = extent;
        std::optional<Layout> layout = respaced(buffer.layout, extents, std::vector<bool>(extents.size(), false), 1);
        if (layout) layout->shape[dim] = extent;
        return replace(buffer, layout);
    }

    const Problem& original_;
    const Problem& now_;
    std::size_t number_;
    const Copy& copy_;
    const Refusal& refusal_;
    std::int64_t n_;  // elements of an access
    std::vector<Problem> out_{};
};

}  // namespace

std::optional<std::vector<int>> dims_of_iters(const Layout& layout) {
    std::vector<int> out(layout.iters.size(), -1);
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim) {
        for (std::int64_t room = layout.shape[dim]; room > 1; ++next) {
            const std::int64_t extent = layout.iters[next].extent;
            if (room % extent != 0) return std::nullopt;
            room /= extent;
            if (extent > 1) out[next] = static_cast<int>(dim);
        }
    }
    return out;
}

std::vector<Problem> remedies(const Problem& original, const Problem& now, std::size_t copy, const Refusal& refusal) {
    return Candidates(original, now, copy, refusal).all();
}

}  // namespace tileproof
