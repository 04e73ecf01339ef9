#include "solver/flat.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "layouts/address.hpp"
#include "solver/refusal.hpp"

namespace tileproof {
namespace {

/// A flat segment without its addresses: lanes, then threads, then rounds, along the index.
Segment flat_segment(std::int64_t elements, std::int64_t vec, std::int64_t threads) {
    Segment out;
    out.flat = true;
    out.start = {0};
    out.vec = vec;
    out.threads = threads;
    out.outer = ceil_div(elements, vec * threads);
    const auto add = [&](std::int64_t weight, std::int64_t extent, Role role) {
        if (extent > 1) out.digits.push_back({0, weight, extent, role, 0});
    };
    add(1, vec, Role::vec);
    add(vec, threads, Role::thread);
    add(vec * threads, out.outer, Role::outer);
    if (out.outer * threads * vec != elements) out.predicate.push_back({0, elements});
    return out;
}

void finish(Segment& segment, const Problem& problem, const Copy& copy, Bits width) {
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        SidePlan& plan = side == Side::src ? segment.src : segment.dst;
        plan.width = width;
        plan.instruction = access_form(side == Side::src ? Direction::load : Direction::store, buffer.space, width)->mnemonic;
        plan.address.swizzle = buffer.layout.swizzle;
        // 32 bits wherever every offset, in bytes and in elements, and everything that is divided, stays below 2^31.
        Wide most = std::max<std::int64_t>(plan.address.offset, 0) + (Wide{1} << buffer.layout.swizzle.period_log2()) + 256,
             least = std::min<std::int64_t>(plan.address.offset, 0);
        Wide divided = segment.outer * segment.threads * segment.vec;
        for (const FlatTerm& term : plan.address.terms) {
            (term.stride > 0 ? most : least) += Wide{term.stride} * (term.mod - 1);
            Wide sum = term.add;
            for (const IndexPart& part : term.of) sum += Wide{part.times} * (part.mod - 1);
            divided = std::max(divided, sum);
        }
        const Wide limit = (Wide{1} << 31) / std::max<std::int64_t>(1, buffer.dtype.size / Bits{8});
        plan.address.index_bits = most < limit && -least < limit && divided < limit ? 32 : 64;
    }
}

/// Iters that continue each other merged, innermost last; those of extent 1 left out.
std::vector<Iter> coalesced(const std::vector<Iter>& iters) {
    std::vector<Iter> out;
    for (const Iter& it : iters) {
        if (it.extent == 1) continue;
        if (!out.empty() && out.back().stride == it.extent * it.stride) out.back() = {out.back().extent * it.extent, it.stride};
        else out.push_back(it);
    }
    return out;
}

/// Where a dimension of the region stands in the index of the box.
struct IndexDim {
    std::size_t dim = 0;  // of the layout's shape
    std::int64_t div = 1;
    std::int64_t mod = 1;
};

/// Writes offset and terms of one side: every iter's digit of the flat index of the shape, as far as the region can change it.
void add_terms(AddressPlan& address, const Layout& layout, const Region& region, const std::vector<IndexDim>& index) {
    std::vector<std::int64_t> weights(layout.shape.size());  // of each dimension in the flat index of the shape
    std::int64_t weight = 1;
    for (std::size_t i = weights.size(); i-- > 0; weight *= layout.shape[i]) weights[i] = weight;
    address.offset = layout.offset;
    const std::vector<Iter> iters = coalesced(layout.iters);
    std::int64_t radix = 1;  // of the iter in the flat index
    for (std::size_t m = iters.size(); m-- > 0; radix *= iters[m].extent) {
        const Iter& it = iters[m];
        if (it.stride == 0) continue;
        // Dimensions whose weight is a multiple of the iter's whole reach do not change its digit; dimensions below one whose
        // weight divides the iter's radix cannot carry into it.
        std::int64_t unit = 1;
        for (const std::int64_t w : weights)
            if (radix % w == 0) unit = std::max(unit, w);
        FlatTerm term{radix / unit, it.extent, it.stride, {}, 0};
        std::int64_t most = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (weights[i] < unit || weights[i] % (radix * it.extent) == 0) continue;
            term.add += region.start[i] * (weights[i] / unit);
            most += (region.start[i] + region.extent[i] - 1) * (weights[i] / unit);
            const auto at = std::find_if(index.begin(), index.end(), [&](const IndexDim& d) { return d.dim == i; });
            if (at != index.end()) term.of.push_back({at->div, at->mod, weights[i] / unit});
        }
        const std::int64_t low = term.add / term.div, high = most / term.div;
        if (low == high) {  // the region does not change this digit
            address.offset += low % it.extent * it.stride;
            continue;
        }
        if (low / it.extent == high / it.extent) {  // the digit does not wrap round
            address.offset -= low / it.extent * it.extent * it.stride;
            term.mod = high + 1;
        }
        if (term.div == 1 && low / it.extent == high / it.extent) {  // not divided at all: a sum of the dimensions' own terms
            address.offset += term.add * it.stride;
            for (const IndexPart& part : term.of) address.terms.push_back({part.div, part.mod, it.stride * part.times, {}, 0});
            continue;
        }
        // One dimension from its start: a plain digit of the index.
        if (term.of.size() == 1 && term.add == 0 && term.of[0].times == 1 && (term.div == 1 || term.of[0].mod % term.div == 0)) {
            const IndexPart part = term.of[0];
            const std::int64_t room = part.mod / term.div;
            if (room <= term.mod || room % term.mod == 0) term = {part.div * term.div, std::min(room, term.mod), it.stride, {}, 0};
        }
        address.terms.push_back(term);
    }
}

/// Are all aligned groups of n elements along one dimension of the region runs, linearly, on both sides?
bool runs_along(const std::vector<std::int64_t>& src, const std::vector<std::int64_t>& dst, std::int64_t weight, std::int64_t extent,
                std::int64_t n) {
    if (extent % n != 0) return false;
    for (std::size_t k = 0; k < src.size(); ++k) {
        const std::int64_t at = static_cast<std::int64_t>(k) / weight % extent;
        if (at % n == 0) continue;
        const std::size_t before = k - static_cast<std::size_t>(weight);
        if (src[k] != src[before] + 1 || dst[k] != dst[before] + 1) return false;
    }
    return true;
}

std::optional<Diagnostic> overlap(const Problem& problem, const Copy& copy, const std::vector<std::int64_t>& dst) {
    std::vector<std::int64_t> sorted = dst;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return std::nullopt;
    const auto first = std::find(dst.begin(), dst.end(), *twice), second = std::find(first + 1, dst.end(), *twice);
    const Region& region = copy.dst.region;
    const auto where = [&](std::int64_t k) {
        std::vector<std::int64_t> at(region.extent.size());
        for (std::size_t i = at.size(); i-- > 0; k /= region.extent[i]) at[i] = region.start[i] + k % region.extent[i];
        return fmt::format("({})", fmt::join(at, ","));
    };
    return Diagnostic{"dst-overlaps",
                      fmt::format("elements {} and {} of {} share a place", where(first - dst.begin()), where(second - dst.begin()),
                                  problem.buffer(copy.dst).name),
                      copy.dst.place};
}

}  // namespace

CopyPlan flat_plan(const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width, std::optional<std::size_t> run,
                   const std::vector<std::size_t>& order) {
    const std::vector<std::int64_t> shape = box.box.shape();
    std::vector<std::size_t> dims(order.rbegin(), order.rend());  // the one that neighbouring threads should take last
    if (run) std::rotate(std::find(dims.begin(), dims.end(), *run), std::find(dims.begin(), dims.end(), *run) + 1, dims.end());
    Segment segment = flat_segment(moved(copy).count, width / problem.buffer(copy.src).dtype.size, copy.threads);
    CopyPlan out{copy.name, participants(copy, problem.launch), {}, {}};
    for (const std::size_t dim : dims) out.box.dims.push_back(box.box.dims[dim]);
    for (const Side side : both_sides) {
        AddressPlan& address = side == Side::src ? segment.src.address : segment.dst.address;
        address.offset = box.side(side).offset;
        std::int64_t weight = moved(copy).count;
        for (const std::size_t dim : dims) {
            weight /= shape[dim];
            if (shape[dim] > 1 && box.side(side).strides[dim] != 0)
                address.terms.push_back({weight, shape[dim], box.side(side).strides[dim], {}, 0});
        }
    }
    finish(segment, problem, copy, width);
    out.segments = {std::move(segment)};
    return out;
}

CopySolution solve_irregular(const Problem& problem, const Copy& copy, const std::vector<Bits>& widths) {
    CopySolution out;
    out.name = copy.name;
    const Bits element = problem.buffer(copy.src).dtype.size;
    const std::vector<std::int64_t> src = linear_offsets(problem.buffer(copy.src).layout, copy.src.region);
    const std::vector<std::int64_t> dst = linear_offsets(problem.buffer(copy.dst).layout, copy.dst.region);
    if ((out.rejection = overlap(problem, copy, dst))) return out;
    const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
    const std::size_t rank = from.extents.size();
    for (const Bits width : widths) {
        if (width < element) break;
        std::optional<Refusal> refused = early_refusal(problem, copy, width);
        if (!refused) refused = find_refusal(problem, copy, width);
        if (refused) {
            out.refused.push_back(std::move(*refused));
            continue;
        }
        // The dimension along which the lanes lie goes last.
        const std::int64_t n = width / element;
        std::size_t run = rank;
        std::int64_t weight = 1;
        for (std::size_t i = rank; i-- > 0; weight *= from.extents[i])
            if (run == rank && runs_along(src, dst, weight, from.extents[i], n)) run = i;
        if (run == rank) {
            if (out.undecided.empty())
                out.undecided =
                    fmt::format("how to plan {} bits, which are legal: the runs lie along no dimension of the region", width.count);
            continue;
        }
        std::vector<std::size_t> dims(rank);
        std::iota(dims.begin(), dims.end(), std::size_t{0});
        std::rotate(dims.begin() + static_cast<std::ptrdiff_t>(run), dims.begin() + static_cast<std::ptrdiff_t>(run) + 1, dims.end());
        Segment segment = flat_segment(moved(copy).count, n, copy.threads);
        CopyPlan plan{copy.name, participants(copy, problem.launch), {}, {}};
        std::vector<IndexDim> src_index, dst_index;
        std::int64_t div = moved(copy).count;
        for (const std::size_t i : dims) {
            div /= from.extents[i];
            plan.box.dims.push_back({{static_cast<int>(i), 1, from.extents[i]}});
            src_index.push_back({from.dims[i], div, from.extents[i]});
            dst_index.push_back({to.dims[i], div, to.extents[i]});
        }
        add_terms(segment.src.address, problem.buffer(copy.src).layout, copy.src.region, src_index);
        add_terms(segment.dst.address, problem.buffer(copy.dst).layout, copy.dst.region, dst_index);
        finish(segment, problem, copy, width);
        plan.segments = {std::move(segment)};
        out.width = width;
        out.plan = std::move(plan);
        break;
    }
    return out;
}

}  // namespace tileproof
