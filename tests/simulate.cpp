#include "tests/simulate.hpp"

#include <algorithm>
#include <map>

#include "tests/oracle.hpp"

namespace tileproof::simulate {
namespace {

using Number = std::int64_t;
using Memory = std::map<Number, Number>;  // element offset -> token; absent: untouched
constexpr Number zero = -1;               // the token of what is filled

Number xor_bits(Number x, const Swizzle& s) {
    Number out = x;
    for (int bit = 0; bit < s.bits_log2; ++bit) {
        const int low = s.base_log2 + bit, far = low + (s.shift_log2 < 0 ? -s.shift_log2 : s.shift_log2);
        const int from = s.shift_log2 >= 0 ? far : low, to = s.shift_log2 >= 0 ? low : far;
        if (((x >> from) & 1) != 0) out ^= Number{1} << to;
    }
    return out;
}

struct Numbers {
    Number round, thread, lane;
};

std::vector<Number> split(const Segment& s, const Numbers& at) {
    std::vector<Number> out;
    for (const Digit& digit : s.digits) {
        Number number = digit.role == Role::outer ? at.round : digit.role == Role::thread ? at.thread : at.lane;
        for (const Digit& lower : s.digits)
            if (lower.role == digit.role && lower.place < digit.place) number /= lower.extent;
        out.push_back(number % digit.extent);
    }
    return out;
}

Number address(const Segment& s, const AddressPlan& plan, const std::vector<Number>& digits) {
    Number sum = plan.offset;
    if (!s.flat) {
        for (std::size_t i = 0; i < digits.size(); ++i) sum += plan.strides[i] * digits[i];
        return xor_bits(sum, plan.swizzle);
    }
    Number index = s.start[0];
    for (std::size_t i = 0; i < digits.size(); ++i) index += s.digits[i].weight * digits[i];
    for (const FlatTerm& term : plan.terms) {
        Number x = term.add;
        for (const IndexPart& part : term.of) x += part.times * (index / part.div % part.mod);
        if (term.of.empty()) x = index;
        sum += term.stride * (x / term.div % term.mod);
    }
    return xor_bits(sum, plan.swizzle);
}

/// A coordinate of the lane with these digits.
Number along(const Segment& s, int dim, const std::vector<Number>& digits) {
    Number c = s.start[static_cast<std::size_t>(dim)];
    for (std::size_t i = 0; i < digits.size(); ++i)
        if (s.digits[i].dim == dim) c += s.digits[i].weight * digits[i];
    return c;
}

bool is_before(const Segment& s, const Bound& bound, const std::vector<Number>& digits) {
    return along(s, bound.dim, digits) < bound.below;
}

bool runs(const Segment& s, const std::vector<Number>& digits) {
    for (const Bound& bound : s.predicate) {
        const Number c = along(s, bound.dim, digits);
        if (bound.beyond == Beyond::nothing && !(c < bound.below)) return false;
        if (bound.beyond != Beyond::zeros_behind) continue;
        // All lanes before the bound, or the first behind it and not the first of all.
        const bool is_whole = c + s.vec - 1 < bound.below, is_behind = c > bound.below && c > s.start[static_cast<std::size_t>(bound.dim)];
        if (!is_whole && !is_behind) return false;
    }
    return true;
}

/// Whether this lane is read, of an access that runs.
bool is_read(const Segment& s, const Numbers& at) {
    for (const Bound& bound : s.predicate) {
        if (bound.beyond == Beyond::nothing) continue;
        Numbers where{at.round, at.thread, 0};
        if (bound.beyond == Beyond::zero_lanes) where = at;
        if (bound.beyond == Beyond::zeros_behind) where.lane = s.vec - 1;
        if (!is_before(s, bound, split(s, where))) return false;
    }
    return true;
}

/// What one access of a block has: lane numbers of the block, by place.
std::map<Number, std::vector<Number>> accesses(const Segment& s, const SidePlan& side) {
    std::map<int, const Digit*> vec;  // by place
    for (const Digit& digit : s.digits)
        if (digit.role == Role::vec) vec[digit.place] = &digit;
    std::vector<int> inside;
    if (side.lanes) inside = *side.lanes;
    else
        for (const auto& [place, digit] : vec) inside.push_back(place);
    std::map<Number, std::vector<Number>> out;
    for (Number lane = 0; lane < s.vec; ++lane) {
        std::map<int, Number> value;
        Number weight = 1, first = 0, number = 0, radix = 1;
        for (const auto& [place, digit] : vec) {
            value[place] = lane / weight % digit->extent;
            if (std::find(inside.begin(), inside.end(), place) == inside.end()) first += value[place] * weight;
            weight *= digit->extent;
        }
        for (const int place : inside) {
            number += value[place] * radix;
            radix *= vec.at(place)->extent;
        }
        auto& lanes = out[first];
        lanes.resize(static_cast<std::size_t>(radix), -1);
        lanes[static_cast<std::size_t>(number)] = lane;
    }
    return out;
}

/// One round of a thread: all loads into registers, then all stores. Empty, or what goes wrong.
std::string run_block(const Problem& problem, const Copy& copy, const Segment& s, Number f, Number t, Memory& result) {
    std::map<Number, Number> registers;
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        const Number element = buffer.dtype.size.count, width = s.side(side).width.count, base = buffer.base ? 8 * buffer.base->count : 0;
        for (const auto& [first, lanes] : accesses(s, s.side(side))) {
            const Number start = base + address(s, s.side(side).address, split(s, {f, t, first})) * element;
            if (static_cast<Number>(lanes.size()) * element != width || width < 8) return "no such access";
            if (start % width != 0 || (!buffer.base && 8 * buffer.align.count < width)) return "misaligned " + to_string(side);
            if (start - base < 0 || start - base + width > buffer.capacity.count * element) return "out of bounds " + to_string(side);
            for (std::size_t place = 0; place < lanes.size(); ++place) {
                const Number at = (start - base) / element + static_cast<Number>(place);
                if (side == Side::src) registers[lanes[place]] = at;
                else if (!result.emplace(at, registers.at(lanes[place])).second) return "written twice";
            }
        }
    }
    return "";
}

}  // namespace

/// Whether a predicate leaves element k of the region, in row-major order, to zeros.
static bool is_cut_off(const Region& region, Number k) {
    for (std::size_t dim = region.extent.size(); dim-- > 0; k /= region.extent[dim])
        if (region.clipped.count(dim) != 0 && k % region.extent[dim] >= region.symbolic_extent.at(dim)) return true;
    return false;
}

std::string fault(const Problem& problem, const Copy& copy, const CopyPlan& plan) {
    const Buffer& src = problem.buffer(copy.src);
    const Buffer& dst = problem.buffer(copy.dst);
    const Number element = src.dtype.size.count;  // addresses in bits
    const Number buffer_end = src.capacity.count;
    Memory result, expected;
    for (const Segment& s : plan.segments) {
        for (Number f = 0; f < s.outer; ++f) {
            for (Number t = 0; t < s.threads; ++t) {
                const std::vector<Number> digits = split(s, {f, t, 0});
                if (!runs(s, digits)) continue;
                if (s.src.lanes || s.dst.lanes) {
                    if (const std::string wrong = run_block(problem, copy, s, f, t, result); !wrong.empty()) return wrong;
                    continue;
                }
                Number at[2];
                for (const Side side : both_sides) {
                    const Buffer& buffer = side == Side::src ? src : dst;
                    const SidePlan& access = s.side(side);
                    const Number width = access.width.count, base = buffer.base ? 8 * buffer.base->count : 0;
                    Number& start = at[side == Side::src ? 0 : 1];
                    start = base + address(s, access.address, digits) * element;
                    const Swizzle& swizzle = access.address.swizzle;
                    if (swizzle.bits_log2 > 0 && (Number{1} << swizzle.base_log2) * element < width) start -= start % width;
                    if (width < 8) return "no such access";
                    const bool counts =
                        side == Side::dst || is_async(s.src.instruction) || is_read(s, {f, t, 0});  // what does not run has no address
                    if (counts && (start % width != 0 || (!buffer.base && 8 * buffer.align.count < width)))
                        return "misaligned " + to_string(side);
                    start -= base;
                    const bool touches = side == Side::dst || is_read(s, {f, t, 0});
                    const Number touched = side == Side::dst || is_read(s, {f, t, s.vec - 1}) ? width : element;
                    if (touches && (start < 0 || start + touched > buffer.capacity.count * element))
                        return "out of bounds " + to_string(side);
                }
                if (s.src.width != s.dst.width) return "widths differ";
                for (Number lane = 0; lane * element < s.src.width.count; ++lane) {
                    const Number to = at[1] / element + lane;
                    const Number from = is_read(s, {f, t, lane}) ? at[0] / element + lane : zero;
                    if (from != zero && from >= buffer_end) return "out of bounds src";
                    if (!result.emplace(to, from).second) return "written twice";
                }
            }
        }
    }
    const std::vector<Number> from = oracle::offsets(src.layout, copy.src.region, true),
                              to = oracle::offsets(dst.layout, copy.dst.region, true);
    for (std::size_t k = 0; k < from.size(); ++k) expected[to[k]] = is_cut_off(copy.src.region, static_cast<Number>(k)) ? zero : from[k];
    return result == expected ? "" : "the destination differs";
}

}  // namespace tileproof::simulate
