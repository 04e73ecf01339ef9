#include "verify/definition_internal.hpp"

#include <algorithm>
#include <cstdlib>

#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/plan_address.hpp"

namespace tileproof {
namespace {

using smt::Answer;
using smt::Theory;

/// Bits that hold every value of every term, sign included.
unsigned wide_enough(const Judge& judge) {
    Wide largest = 512;
    const auto take = [&](Wide n) { largest = std::max(largest, n < 0 ? -n : n); };
    for (const Side side : both_sides) {
        const Buffer& buffer = judge.buffer(side);
        const Reach ends = *reach(buffer.layout);
        take(Wide{ends.greatest} + (Wide{1} << buffer.layout.swizzle.period_log2()));
        take(size(buffer.layout).count);
        take(buffer.capacity.count);
    }
    for (const Segment& segment : judge.plan().segments) {
        for (const Side side : both_sides) {
            const AddressPlan& address = segment.side(side).address;
            Wide sum = std::abs(address.offset) + (Wide{1} << address.swizzle.period_log2());
            for (std::size_t i = 0; i < address.strides.size(); ++i) sum += Wide{std::abs(address.strides[i])} * segment.digits[i].extent;
            for (const FlatTerm& term : address.terms) {
                sum += Wide{std::abs(term.stride)} * term.mod;
                Wide divided = term.add;
                for (const IndexPart& part : term.of) divided += Wide{part.times} * part.mod;
                take(divided);
                take(std::max(term.div, term.mod));
                for (const IndexPart& part : term.of) take(std::max(part.div, part.mod));
            }
            take(sum);
        }
        for (const std::int64_t start : segment.start) take(start);
        Wide sum = 0;
        for (const Digit& digit : segment.digits) sum += Wide{std::abs(digit.weight)} * digit.extent;
        for (const std::int64_t start : segment.start) take(sum + std::abs(start));
        for (const Bound& bound : segment.predicate) {
            take(bound.below);
            take(bound.from.value_or(0));
        }
        take(Wide{segment.outer} * segment.threads);
    }
    largest *= std::max<std::int64_t>(8, judge.element().count);  // an address in bits
    unsigned bits = 4;                                            // a sign, and room for one more addition or two
    while (largest > 0) {
        largest >>= 1;
        ++bits;
    }
    return bits;
}

}  // namespace

z3::expr DefinitionProofs::Algebra::quotient(const Value& a, std::int64_t k) const {
    return is_power_of_two(k) ? z3::lshr(a, constant(floor_log2(k))) : z3::udiv(a, constant(k));
}

z3::expr DefinitionProofs::Algebra::remainder(const Value& a, std::int64_t k) const {
    return is_power_of_two(k) ? a & constant(k - 1) : z3::urem(a, constant(k));
}

DefinitionProofs::DefinitionProofs(Inquiry& z3, const Judge& judge) : z3_(z3), judge_(judge), algebra_{z3.context(), wide_enough(judge)} {}

// --- terms ------------------------------------------------------------------------------------------------------------

DefinitionProofs::Access DefinitionProofs::access(std::size_t segment, const std::string& prefix) {
    Access out{segment, {}, {}};
    const Segment& s = judge_.plan().segments[segment];
    for (std::size_t i = 0; i < s.digits.size(); ++i) {
        out.digits.push_back(z3_.context().bv_const((prefix + std::to_string(i)).c_str(), algebra_.bits));
        out.assumed.push_back(z3::ult(out.digits[i], number(s.digits[i].extent)));
    }
    const std::vector<z3::expr> first = sums(out, true);
    for (const Bound& bound : s.predicate) {
        out.assumed.push_back(first[static_cast<std::size_t>(bound.dim)] < number(bound.below));
        if (bound.from) out.assumed.push_back(first[static_cast<std::size_t>(bound.dim)] >= number(*bound.from));
    }
    return out;
}

DefinitionProofs::Access DefinitionProofs::other_lane(const Access& access, Side of) {
    Access out = access;
    const Segment& s = judge_.plan().segments[access.segment];
    for (std::size_t i = 0; i < s.digits.size(); ++i) {
        if (!is_lane(s, of, i)) continue;
        out.digits[i] = z3_.context().bv_const(("w" + std::to_string(i)).c_str(), algebra_.bits);
        out.assumed.push_back(z3::ult(out.digits[i], number(s.digits[i].extent)));
    }
    return out;
}

z3::expr DefinitionProofs::offset(const Access& access, Side side, bool lane_zero) const {
    const Segment& s = judge_.plan().segments[access.segment];
    std::vector<z3::expr> digits = access.digits;
    for (std::size_t i = 0; lane_zero && i < digits.size(); ++i)
        if (is_lane(s, side, i)) smt::assign(digits[i], number(0));
    const z3::expr index = s.flat ? sums(access, lane_zero)[0] : number(0);
    return swizzled(algebra_, s.side(side).address.swizzle, planned_linear_offset(algebra_, s, side, digits, index));
}

z3::expr DefinitionProofs::start(const Access& access, Side side) const {
    const z3::expr first = offset(access, side, true);
    if (!judge_.rounds_down(access.segment, side)) return first;
    const z3::expr residue = number(judge_.base_residue(side) / judge_.element());
    return ((first + residue) & number(-elements(access, side))) - residue;
}

z3::expr DefinitionProofs::place(const Access& access, Side side) const {
    const Segment& s = judge_.plan().segments[access.segment];
    z3::expr sum = number(0);
    std::int64_t radix = 1;
    for (const std::size_t i : lane_digits(s, side)) {
        smt::assign(sum, sum + access.digits[i] * number(radix));
        radix *= s.digits[i].extent;
    }
    return sum;
}

std::vector<z3::expr> DefinitionProofs::coordinate(const Access& access, bool lane_zero) const {
    const std::vector<z3::expr> at = sums(access, lane_zero);
    if (!judge_.plan().segments[access.segment].flat) return at;
    const std::vector<std::int64_t>& shape = judge_.box_shape();
    std::vector<z3::expr> out(shape.size(), at[0]);
    z3::expr rest = at[0];
    for (std::size_t i = shape.size(); i-- > 1;) {
        smt::assign(out[i], algebra_.remainder(rest, shape[i]));
        smt::assign(rest, algebra_.quotient(rest, shape[i]));
    }
    smt::assign(out[0], rest);
    return out;
}

/// start + sum of weight * digit: the coordinate, or the index of a flat segment.
std::vector<z3::expr> DefinitionProofs::sums(const Access& access, bool lane_zero) const {
    const Segment& s = judge_.plan().segments[access.segment];
    std::vector<z3::expr> out;
    for (const std::int64_t start : s.start) out.push_back(number(start));
    for (std::size_t i = 0; i < s.digits.size(); ++i) {
        if (lane_zero && s.digits[i].role == Role::vec) continue;
        z3::expr& c = out[static_cast<std::size_t>(s.digits[i].dim)];
        smt::assign(c, c + access.digits[i] * number(s.digits[i].weight));
    }
    return out;
}

z3::expr DefinitionProofs::inside(const std::vector<z3::expr>& coordinate) const {
    z3::expr all = z3_.context().bool_val(true);
    for (std::size_t j = 0; j < coordinate.size(); ++j)
        smt::assign(all, all && coordinate[j] >= number(0) && coordinate[j] < number(judge_.box_shape()[j]));
    return all;
}

/// Box coordinate -> factors -> logical coordinate -> layout. Meaningful inside the box.
z3::expr DefinitionProofs::layout(const std::vector<z3::expr>& coordinate, Side side) const {
    const Region& region = operand(judge_.copy(), side).region;
    const std::vector<std::size_t> dims = dense(region).dims;
    const Box& box = judge_.plan().box;
    std::vector<z3::expr> logical;
    for (const std::int64_t start : region.start) logical.push_back(number(start));
    for (std::size_t j = 0; j < box.dims.size(); ++j) {
        z3::expr rest = coordinate[j];
        for (std::size_t k = box.dims[j].size(); k-- > 0;) {
            const BoxFactor& factor = box.dims[j][k];
            const z3::expr digit = k == 0 ? rest : algebra_.remainder(rest, factor.extent);
            if (k != 0) smt::assign(rest, algebra_.quotient(rest, factor.extent));
            z3::expr& c = logical[dims[static_cast<std::size_t>(factor.dim)]];
            smt::assign(
                c, c + (factor.weight > 0 ? digit * number(factor.weight) : (number(factor.extent - 1) - digit) * number(-factor.weight)));
        }
    }
    return element_offset(algebra_, judge_.buffer(side).layout, logical);
}

/// Two accesses touch a common cell.
z3::expr DefinitionProofs::meet(const z3::expr& a, std::int64_t a_elements, const z3::expr& b, std::int64_t b_elements) const {
    const auto cell = [&](const z3::expr& offset) {
        return judge_.cell_log2() == 0 ? offset : z3::ashr(offset, number(judge_.cell_log2()));
    };
    return cell(a) <= cell(b + number(b_elements - 1)) && cell(b) <= cell(a + number(a_elements - 1));
}

// --- queries ----------------------------------------------------------------------------------------------------------

Spot DefinitionProofs::spot(std::size_t segment, const std::vector<std::int64_t>& digits) const {
    const Segment& s = judge_.plan().segments[segment];
    Spot out{segment, 0, 0, 0};
    for (const Role role : {Role::outer, Role::thread, Role::vec}) {
        std::int64_t number = 0, radix = 1;
        for (int place = 0; const Digit* digit = digit_at(s, role, place); ++place) {
            number += radix * digits[index_of(s, *digit)];
            radix *= digit->extent;
        }
        (role == Role::outer ? out.round : role == Role::thread ? out.thread : out.lane) = number;
    }
    return out;
}

template <class Build, class Replay>
Finding DefinitionProofs::each_segment(const char* id, Side side, Build&& build, Replay&& replay) {
    for (std::size_t g = 0; g < segments(); ++g) {
        const Access a = access(g, "d");
        const Access other = other_lane(a, side);
        std::vector<z3::expr> query = a.assumed;
        build(a, other, query);
        std::vector<z3::expr> wanted = a.digits;
        wanted.insert(wanted.end(), other.digits.begin(), other.digits.end());
        const smt::Outcome outcome = z3_.check(Theory::bit_vectors, query, wanted);
        if (outcome.answer == Answer::unsat) continue;
        if (outcome.answer == Answer::unknown) return unknown(id, outcome.reason);
        const auto middle = outcome.values.begin() + static_cast<std::ptrdiff_t>(a.digits.size());
        auto found = replay(spot(g, {outcome.values.begin(), middle}), spot(g, {middle, outcome.values.end()}));
        if (!found) return unknown(id, "the solver's counterexample does not replay");
        return {id, Verdict::refuted, {"smt"}, std::move(found)};
    }
    return proved(id);
}

template <class Build, class Replay>
Finding DefinitionProofs::each_pair(const char* id, Side second_side, Build&& build, Replay&& replay) {
    for (std::size_t g = 0; g < segments(); ++g) {
        for (std::size_t h = 0; h < segments(); ++h) {
            const Access a = access(g, "a"), b = access(h, "b");
            std::vector<z3::expr> query = a.assumed;
            query.insert(query.end(), b.assumed.begin(), b.assumed.end());
            build(a, b, query);
            std::vector<z3::expr> wanted = a.digits;
            wanted.insert(wanted.end(), b.digits.begin(), b.digits.end());
            const smt::Outcome outcome = z3_.check(Theory::bit_vectors, query, wanted);
            if (outcome.answer == Answer::unsat) continue;
            if (outcome.answer == Answer::unknown) return unknown(id, outcome.reason);
            const auto middle = outcome.values.begin() + static_cast<std::ptrdiff_t>(a.digits.size());
            const Spot first = judge_.head(spot(g, {outcome.values.begin(), middle}), Side::dst),
                       second = judge_.head(spot(h, {middle, outcome.values.end()}), second_side);
            auto found = replay(first, second);
            if (!found) return unknown(id, "the solver's counterexample does not replay");
            return {id, Verdict::refuted, {"smt"}, std::move(found)};
        }
    }
    return proved(id);
}

Finding DefinitionProofs::address(Side side) {
    return each_segment(
        side == Side::src ? "address.src" : "address.dst", side,
        [&](const Access& a, const Access&, std::vector<z3::expr>& query) {
            const auto c = coordinate(a, false);
            query.push_back(inside(c));
            query.push_back(offset(a, side, false) != layout(c, side));
        },
        [&](const Spot& at, const Spot&) { return judge_.address(at, side); });
}

Finding DefinitionProofs::bounds(Side side) {
    return each_segment(
        side == Side::src ? "bounds.src" : "bounds.dst", side,
        [&](const Access& a, const Access&, std::vector<z3::expr>& query) {
            const z3::expr first = start(a, side);
            query.push_back(first < number(0) || first + number(elements(a, side)) > number(judge_.buffer(side).capacity.count));
        },
        [&](const Spot& at, const Spot&) { return judge_.bounds(judge_.head(at, side), side); });
}

Finding DefinitionProofs::aligned(Side side) {
    return each_segment(
        side == Side::src ? "aligned.src" : "aligned.dst", side,
        [&](const Access& a, const Access&, std::vector<z3::expr>& query) {
            const Buffer& buffer = judge_.buffer(side);
            const Bits width = judge_.plan().segments[a.segment].side(side).width;
            // An unknown base is any multiple of its alignment.
            const z3::expr unknown_part = z3_.context().bv_const("base", algebra_.bits) * number(to_bits(buffer.align).count);
            const z3::expr base = buffer.base ? number(judge_.base_residue(side).count) : unknown_part;
            query.push_back(((base + start(a, side) * number(judge_.element().count)) & number(width.count - 1)) != number(0));
        },
        [&](const Spot& at, const Spot&) { return judge_.aligned(judge_.head(at, side), side); });
}

Finding DefinitionProofs::contiguous(Side side) {
    return each_segment(
        side == Side::src ? "contiguous.src" : "contiguous.dst", side,
        [&](const Access& a, const Access& other, std::vector<z3::expr>& query) {
            const std::int64_t n = elements(a, side);
            const Segment& s = judge_.plan().segments[a.segment];
            if (lanes_of(s, side) != n) return;  // any access that runs is wrong
            const z3::expr place = offset(a, side, false) - start(a, side);
            if (is_block(s)) return query.push_back(place != this->place(a, side));
            query.insert(query.end(), other.assumed.begin(), other.assumed.end());
            z3::expr wrong = place < number(0) || place >= number(n);
            if (side == Side::dst) smt::assign(wrong, wrong || place != offset(a, Side::src, false) - start(a, Side::src));
            z3::expr different = z3_.context().bool_val(false);
            for (std::size_t i = 0; i < a.digits.size(); ++i) smt::assign(different, different || a.digits[i] != other.digits[i]);
            query.push_back(wrong || (different && offset(a, side, false) == offset(other, side, false)));
        },
        [&](const Spot& at, const Spot& other) { return judge_.contiguous(at, side, other.lane); });
}

Finding DefinitionProofs::same_element() {
    return each_segment(
        "same-element", Side::dst,
        [&](const Access& a, const Access&, std::vector<z3::expr>& query) {
            const auto c = coordinate(a, false);
            query.push_back(inside(c));
            const z3::expr read = layout(c, Side::src) - start(a, Side::src), written = layout(c, Side::dst) - start(a, Side::dst);
            if (is_block(judge_.plan().segments[a.segment]))
                return query.push_back(read != place(a, Side::src) || written != place(a, Side::dst));
            query.push_back(read != written || written < number(0) || written >= number(elements(a, Side::dst)));
        },
        [&](const Spot& at, const Spot&) { return judge_.same_element(at); });
}

Finding DefinitionProofs::predicate() {
    return each_segment(
        "predicate", Side::dst,
        [&](const Access& a, const Access&, std::vector<z3::expr>& query) { query.push_back(!inside(coordinate(a, false))); },
        [&](const Spot& at, const Spot&) { return judge_.predicate(at); });
}

Finding DefinitionProofs::disjoint() {
    return each_pair(
        "disjoint", Side::dst,
        [&](const Access& a, const Access& b, std::vector<z3::expr>& query) {
            if (a.segment == b.segment) {
                z3::expr different = z3_.context().bool_val(false);
                const Segment& s = judge_.plan().segments[a.segment];
                for (std::size_t i = 0; i < s.digits.size(); ++i)
                    if (!is_lane(s, Side::dst, i)) smt::assign(different, different || a.digits[i] != b.digits[i]);
                query.push_back(different);
            }
            query.push_back(meet(start(a, Side::dst), elements(a, Side::dst), start(b, Side::dst), elements(b, Side::dst)));
        },
        [&](const Spot& a, const Spot& b) { return judge_.disjoint(a, b); });
}

Finding DefinitionProofs::no_alias() {
    if (judge_.copy().src.buffer != judge_.copy().dst.buffer) return proved("no-alias");
    const auto count = [&](const Access& a, Role role) {  // f or t as a number
        const Segment& s = judge_.plan().segments[a.segment];
        z3::expr sum = number(0);
        std::int64_t radix = 1;
        for (int place = 0; const Digit* digit = digit_at(s, role, place); ++place) {
            smt::assign(sum, sum + a.digits[index_of(s, *digit)] * number(radix));
            radix *= digit->extent;
        }
        return sum;
    };
    return each_pair(
        "no-alias", Side::src,
        [&](const Access& write, const Access& read, std::vector<z3::expr>& query) {
            const z3::expr later = read.segment != write.segment ? z3_.context().bool_val(read.segment > write.segment)
                                                                 : count(read, Role::outer) > count(write, Role::outer);
            query.push_back(count(write, Role::thread) != count(read, Role::thread) || later);
            query.push_back(meet(start(write, Side::dst), elements(write, Side::dst), start(read, Side::src), elements(read, Side::src)));
        },
        [&](const Spot& write, const Spot& read) { return judge_.no_alias(write, read); });
}

/// For every dimension (or the index) the reachable coordinates below the first gap. With digits by rising weight, 0 .. R-1 reached
/// and a next weight w <= R reach R + w (e - 1); a next weight above R leaves R out for good. Refutes with such a coordinate, or
/// one cut off by a bound; a proof is the linear argument's business, since every plan without gaps and overlaps has it.
Finding DefinitionProofs::covers() {
    const Segment& s = judge_.plan().segments.front();
    const std::vector<std::int64_t> extents = judge_.extents(s);
    std::vector<std::int64_t> candidate(extents.size(), 0);
    for (std::size_t j = 0; segments() == 1 && j < candidate.size(); ++j) {
        std::vector<Digit> digits;
        for (const Digit& digit : s.digits)
            if (digit.dim == static_cast<int>(j)) digits.push_back(digit);
        std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
        std::int64_t reached = 1;
        for (const Digit& digit : digits)
            if (digit.weight >= 1 && digit.weight <= reached) reached += digit.weight * (digit.extent - 1);
        for (const std::int64_t goal : {std::int64_t{0}, s.start[j] + reached, extents[j] - 1}) {
            if (goal < 0 || goal >= extents[j]) continue;
            candidate[j] = goal;
            if (auto found = judge_.uncovered(s.flat ? unravel(judge_.box_shape(), goal) : candidate))
                return {"covers", Verdict::refuted, {"smt"}, std::move(found)};
        }
        candidate[j] = 0;
    }
    return unknown("covers", "the digits do not form a mixed radix in every dimension");
}

}  // namespace tileproof
