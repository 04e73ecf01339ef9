#include "tests/random_problem.hpp"

#include <algorithm>
#include <numeric>

namespace tileproof::random {
namespace {

using Number = std::int64_t;

template <class T>
T pick(const Draw& draw, const std::vector<T>& from) {
    return from[static_cast<std::size_t>(draw(0, static_cast<Number>(from.size()) - 1))];
}

template <class T>
void shuffle(const Draw& draw, std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[static_cast<std::size_t>(draw(0, static_cast<Number>(i) - 1))]);
}

/// Outermost first; the product is the extent of the dimension.
using Chain = std::vector<Number>;

/// Some neighbours of the chain merged.
Chain grouped(const Draw& draw, const Chain& chain) {
    Chain out;
    for (const Number factor : chain) {
        if (!out.empty() && draw(0, 1) == 1) out.back() *= factor;
        else out.push_back(factor);
    }
    return out;
}

struct Built {
    Layout layout;
    Region region;
};

/// A layout over the chains: strides in a random order of the iters, with padding; single-iter dimensions may be larger than
/// the region. `may_broadcast`: some strides are 0 (a source). `tame`: padding, starts and offsets that keep wide accesses possible.
Built build(const Draw& draw, const std::vector<Chain>& chains, bool may_broadcast, bool tame) {
    Built out;
    std::vector<std::size_t> order;
    std::vector<std::size_t> inner;  // iters that close a dimension, often the contiguous ones
    const auto unit = [&] {
        if (draw(0, 5) != 0) return;
        out.layout.shape.push_back(draw(1, 3));
        out.region.start.push_back(draw(0, out.layout.shape.back() - 1));
        out.region.extent.push_back(1);
        order.push_back(out.layout.iters.size());
        out.layout.iters.push_back({out.layout.shape.back(), 0});
    };
    unit();
    for (const Chain& chain : chains) {
        const Number extent = std::accumulate(chain.begin(), chain.end(), Number{1}, std::multiplies<>());
        Chain iters = grouped(draw, chain);
        out.region.extent.push_back(extent);
        out.region.start.push_back(0);
        if (iters.size() == 1 && draw(0, 2) == 0) {
            const Number before = tame ? 16 * draw(0, 1) : pick<Number>(draw, {0, 1, 2, 3, 4, 8, 16});
            out.region.start.back() = before;
            iters[0] += before + (tame ? 16 * draw(0, 1) : draw(0, 4));
        }
        out.layout.shape.push_back(std::accumulate(iters.begin(), iters.end(), Number{1}, std::multiplies<>()));
        for (const Number factor : iters) {
            order.push_back(out.layout.iters.size());
            out.layout.iters.push_back({factor, 0});
        }
        inner.push_back(order.back());
        unit();
    }
    // Innermost iters first mostly, so that wide accesses are common; sometimes any order.
    std::reverse(order.begin(), order.end());
    if (draw(0, tame ? 15 : 3) == 0) shuffle(draw, order);
    Number next = 1;
    for (const std::size_t i : order) {
        Iter& iter = out.layout.iters[i];
        iter.stride = next;
        next *= iter.extent;
        if (next > 1 && draw(0, 3) == 0) next += tame ? pick<Number>(draw, {16, 8, 32}) : pick<Number>(draw, {1, 2, 3, 4, 8, 16});
        if (may_broadcast && draw(0, 15) == 0) iter.stride = 0;
        if (!tame && draw(0, 40) == 0) iter.stride = draw(0, 9);
        if (draw(0, 15) == 0) {
            out.layout.offset += iter.stride * (iter.extent - 1);
            iter.stride = -iter.stride;
        }
    }
    if (draw(0, 3) == 0) out.layout.offset += tame ? 16 * draw(1, 3) : pick<Number>(draw, {1, 2, 3, 4, 5, 8, 12, 16, 64});
    if (draw(0, 2) == 0) {
        Swizzle& s = out.layout.swizzle;
        s.bits_log2 = static_cast<int>(draw(1, 3));
        s.base_log2 = static_cast<int>(tame ? draw(2, 4) : draw(0, 4));
        s.shift_log2 = static_cast<int>(draw(s.bits_log2, s.bits_log2 + 2));
        if (draw(0, 3) == 0) s.shift_log2 = -s.shift_log2;
    }
    return out;
}

/// A layout that need not nest: any iters whose product is that of a shape at least as large as the region; the region lies anywhere in it.
Built build_irregular(const Draw& draw, const std::vector<Number>& extents, bool tame) {
    Built out;
    Number room = 1;
    for (const Number extent : extents) {
        const Number before = draw(0, 2) == 0 ? draw(0, 4) : 0;
        out.region.start.push_back(before);
        out.region.extent.push_back(extent);
        out.layout.shape.push_back(extent + before + (draw(0, 2) == 0 ? draw(0, 3) : 0));
        room *= out.layout.shape.back();
    }
    while (room > 1) {
        Number factor = 2;
        while (room % factor != 0) ++factor;
        while (room % (factor * 2) == 0 && draw(0, 2) != 0) factor *= 2;
        while (room / factor % 3 == 0 && room % (factor * 3) == 0 && draw(0, 2) == 0) factor *= 3;
        out.layout.iters.push_back({factor, 0});
        room /= factor;
    }
    if (out.layout.iters.empty()) out.layout.iters.push_back({1, 0});
    shuffle(draw, out.layout.iters);
    std::vector<std::size_t> order(out.layout.iters.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (draw(0, tame ? 7 : 2) == 0) shuffle(draw, order);
    Number next = 1;
    for (const std::size_t i : order) {
        out.layout.iters[i].stride = next;
        next *= out.layout.iters[i].extent;
        if (next > 1 && draw(0, 3) == 0) next += tame ? 16 : draw(1, 5);
    }
    if (draw(0, 3) == 0) out.layout.offset = tame ? 16 * draw(1, 2) : draw(1, 9);
    if (draw(0, 3) == 0) out.layout.swizzle = {static_cast<int>(draw(1, 3)), static_cast<int>(draw(0, 4)), 3};
    return out;
}

/// Rows whose edges alone are no multiples of a width: the last dimension starts at `start` and has an odd extent, and rows lie a
/// multiple of 32 elements apart.
Built build_edged(const Draw& draw, const std::vector<Number>& extents, Number start) {
    Built out;
    Number next = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
        const Number before = i + 1 == extents.size() ? start : draw(0, 1);
        out.region.start.insert(out.region.start.begin(), before);
        out.region.extent.insert(out.region.extent.begin(), extents[i]);
        out.layout.shape.insert(out.layout.shape.begin(), before + extents[i] + draw(0, 1));
        out.layout.iters.insert(out.layout.iters.begin(), {out.layout.shape.front(), next});
        next = (next * out.layout.shape.front() + 31) / 32 * 32;
    }
    if (draw(0, 3) == 0) out.layout.swizzle = {static_cast<int>(draw(1, 3)), static_cast<int>(draw(2, 5)), 3};
    if (draw(0, 3) == 0) out.layout.offset = 32 * draw(1, 2);
    return out;
}

/// Every element becomes `count` neighbours, in a dimension of their own.
void refine(Built& built, Number count) {
    for (Iter& iter : built.layout.iters) iter.stride *= count;
    built.layout.offset *= count;
    built.layout.iters.push_back({count, 1});
    built.layout.shape.push_back(count);
    built.region.start.push_back(0);
    built.region.extent.push_back(count);
    if (!built.layout.swizzle.is_identity()) built.layout.swizzle.base_log2 += floor_log2(count);
}

Buffer buffer(const Draw& draw, const char* name, Space space, const DType& dtype, const Built& built, bool tame) {
    Buffer out;
    out.name = name;
    out.space = space;
    out.dtype = dtype;
    out.layout = built.layout;
    const Number element = std::max<Number>(1, dtype.size.count / 8);
    out.align = {std::max(element, tame ? 64 : pick<Number>(draw, {16, 128, 256, 16, 1024, 32, 8, 4}))};
    if (!tame && draw(0, 7) == 0) out.base = Bytes{draw(0, 255 / element) * element};
    out.capacity = Elements{span(out.layout).count + (draw(0, 3) == 0 ? draw(0, 20) : 0)};
    return out;
}

/// The copy between two buffers, and who performs it.
void add_copy(const Draw& draw, Problem& out, const Built& src, const Built& dst) {
    Copy copy;
    copy.name = "copy0";
    copy.src = {0, src.region};
    copy.dst = {1, dst.region};
    copy.scope = pick<Scope>(draw, {Scope::warp, Scope::cta, Scope::warpgroup, Scope::thread, Scope::cta, Scope::cta});
    copy.threads = copy.scope == Scope::thread      ? 1
                   : copy.scope == Scope::warp      ? 32
                   : copy.scope == Scope::warpgroup ? 128
                                                    : static_cast<int>(pick<Number>(draw, {32, 64, 128, 256, 96, 24, 12, 7, 127, 33, 1}));
    if (copy.scope != Scope::cta) copy.group = static_cast<int>(draw(0, 2));
    out.copies = {copy};
    const Participants people = participants(copy, out.launch);
    out.launch.block = people.first + people.count + static_cast<int>(draw(0, 1)) * 5;
}

}  // namespace

Problem rows(const Draw& draw) {
    Problem out;
    out.stem = "random";
    const auto [from, to] = pick<std::pair<Space, Space>>(
        draw, {{Space::global, Space::shared}, {Space::shared, Space::global}, {Space::global, Space::global}});
    out.target = *find_arch(pick<std::string>(draw, {"sm_90", "sm_80", "sm_100"}));
    const DType dtype = *find_dtype(pick<std::string>(draw, {"f16", "f32", "u8", "f64", "f16"}));
    std::vector<Number> extents{draw(9, 200)};
    if (draw(0, 3) != 0) extents.insert(extents.begin(), draw(2, 20));
    const Number start = draw(0, 1) * draw(1, 9);
    const Built src = build_edged(draw, extents, start), dst = build_edged(draw, extents, draw(0, 3) == 0 ? draw(0, 9) : start);
    out.buffers = {buffer(draw, "A", from, dtype, src, true), buffer(draw, "B", to, dtype, dst, true)};
    add_copy(draw, out, src, dst);
    return out;
}

Problem problem(const Draw& draw) {
    std::vector<Chain> chains;
    Number total = 1;
    for (Number rank = draw(1, 3); rank > 0; --rank) {
        Chain chain;
        for (Number factors = draw(1, 3); factors > 0; --factors) {
            const Number factor = pick<Number>(draw, {8, 4, 2, 16, 3, 5, 32, 6, 7, 9, 11});
            if (total * factor > 1536) continue;
            chain.push_back(factor);
            total *= factor;
        }
        if (chain.empty()) chain.push_back(1);
        chains.push_back(chain);
    }
    Problem out;
    out.stem = "random";
    const auto [from, to] = pick<std::pair<Space, Space>>(
        draw,
        {{Space::global, Space::shared}, {Space::shared, Space::global}, {Space::global, Space::global}, {Space::shared, Space::shared}});
    out.target = *find_arch(pick<std::string>(draw, {"sm_90", "sm_80", "sm_100", "sm_120"}));
    const DType dtype = *find_dtype(pick<std::string>(draw, {"f16", "f32", "u8", "f64", "f16", "f32", "b4", "b1", "b2", "b128"}));
    const bool tame = draw(0, 1) == 0;
    const bool irregular = draw(0, 3) == 0;
    std::vector<Number> extents;
    for (const Chain& chain : chains) extents.push_back(std::accumulate(chain.begin(), chain.end(), Number{1}, std::multiplies<>()));
    Built src = irregular ? build_irregular(draw, extents, tame) : build(draw, chains, true, tame);
    Built dst = irregular && draw(0, 1) == 0 ? build_irregular(draw, extents, tame) : build(draw, chains, false, tame);
    if (draw(0, 4) == 0) {
        while (extents.size() > 1 && extents.back() == 1) extents.pop_back();
        if (total <= 512 && extents.back() % 2 == 0) extents.back() += draw(0, 1) * 2 - 1;
        const Number start = draw(0, 9);
        src = build_edged(draw, extents, start);
        dst = build_edged(draw, extents, draw(0, 3) == 0 ? draw(0, 9) : start);
    }
    if (dtype.size < Bits{8} && draw(0, 3) != 0)  // otherwise hardly any has whole bytes to move
        for (Built* side : {&src, &dst}) refine(*side, Bits{8} / dtype.size);
    out.buffers = {buffer(draw, "A", from, dtype, src, tame), buffer(draw, "B", to, dtype, dst, tame)};
    add_copy(draw, out, src, dst);
    return out;
}

namespace {

void damage_term(FlatTerm& term, Number change, const Draw& draw) {
    switch (draw(0, 3)) {
        case 0:
            term.stride += change;
            break;
        case 1:
            term.div = std::max<Number>(1, term.div + change);
            break;
        case 2:
            term.mod = std::max<Number>(1, term.mod + change);
            break;
        default:
            if (!term.of.empty()) term.add = std::max<Number>(0, term.add + change);
            break;
    }
}

}  // namespace

void damage(CopyPlan& plan, const Draw& draw) {
    Segment& s = plan.segments[static_cast<std::size_t>(draw(0, static_cast<Number>(plan.segments.size()) - 1))];
    SidePlan& side = draw(0, 1) == 0 ? s.src : s.dst;
    const Number small = pick<Number>(draw, {1, -1, 2, 4, -4, 8, 16});
    const auto any = [&](auto& items) -> auto& { return items[static_cast<std::size_t>(draw(0, static_cast<Number>(items.size()) - 1))]; };
    switch (draw(0, 12)) {
        case 0:
            side.address.offset += small;
            break;
        case 1:
            if (!side.address.strides.empty()) any(side.address.strides) += small;
            else if (!side.address.terms.empty()) damage_term(any(side.address.terms), small, draw);
            break;
        case 2:
            if (!s.digits.empty()) any(s.digits).weight += small;
            break;
        case 3:
            side.width = {pick<Number>(draw, {8, 16, 32, 64, 128, 256, 4})};
            break;
        case 4:
            if (!s.predicate.empty()) s.predicate.pop_back();
            break;
        case 5:
            if (!s.predicate.empty()) any(s.predicate).below += small;
            else s.predicate.push_back({0, draw(0, 40)});
            break;
        case 6:
            side.address.swizzle = {static_cast<int>(draw(0, 3)), static_cast<int>(draw(0, 4)), 3};
            break;
        case 7:
            if (side.address.strides.size() > 1) std::swap(any(side.address.strides), any(side.address.strides));
            break;
        case 8:
            if (s.digits.size() > 1) std::swap(any(s.digits).weight, any(s.digits).weight);
            break;
        case 9:  // a digit dropped, or doubled
            if (!s.digits.empty()) {
                Digit& digit = any(s.digits);
                Number& count = digit.role == Role::outer ? s.outer : digit.role == Role::thread ? s.threads : s.vec;
                const bool drop = draw(0, 1) == 0;
                count = count / digit.extent * (drop ? 1 : digit.extent * 2);
                digit.extent = drop ? 1 : digit.extent * 2;
            }
            break;
        case 10:
            any(s.start) += small;
            break;
        case 11: {  // the lanes of an access: other ones, or in another order
            std::vector<int> places;
            for (const Digit& digit : s.digits)
                if (digit.role == Role::vec)
                    places.insert(places.begin() + static_cast<std::ptrdiff_t>(draw(0, static_cast<Number>(places.size()))),
                                  static_cast<int>(places.size()));
            places.resize(static_cast<std::size_t>(draw(0, static_cast<Number>(places.size()))));
            side.lanes = std::move(places);
            break;
        }
        default:
            plan.segments.push_back(s);
            break;
    }
}

}  // namespace tileproof::random
