#include "verify/linear_internal.hpp"

#include <algorithm>
#include <cstdlib>

#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "verify/flat_lanes_internal.hpp"

namespace tileproof {
namespace {

using smt::Theory;

std::size_t index(Side side) { return side == Side::src ? 0 : 1; }

/// For the swizzle lemma: the address definition on narrow bit-vectors.
struct BitVectors {
    using Value = z3::expr;
    z3::context& context;
    unsigned bits;
    Value constant(std::int64_t k) const { return context.bv_val(k, bits); }
    Value bit_and(const Value& a, std::int64_t k) const { return a & constant(k); }
    static Value bit_xor(const Value& a, const Value& b) { return a ^ b; }
    Value shift_left(const Value& a, int k) const { return z3::shl(a, constant(k)); }
    Value shift_right(const Value& a, int k) const { return z3::lshr(a, constant(k)); }
};

}  // namespace

LinearProofs::LinearProofs(Inquiry& z3, const Judge& judge, std::uint64_t rlimit, std::function<bool(const char*)> holds)
    : z3_(z3), judge_(judge), rlimit_(rlimit), holds_(std::move(holds)) {}

// --- terms ------------------------------------------------------------------------------------------------------------

LinearProofs::Digits LinearProofs::digits(const Segment& segment, const std::string& prefix) {
    Digits out;
    for (std::size_t i = 0; i < segment.digits.size(); ++i) {
        out.at.push_back(z3_.context().int_const((prefix + std::to_string(i)).c_str()));
        out.ranges.push_back(out.at[i] >= number(0));
        out.ranges.push_back(out.at[i] < number(segment.digits[i].extent));
    }
    return out;
}

/// Of a straight segment.
z3::expr LinearProofs::offset(const Segment& segment, Side side, const Digits& digits, bool lane_zero) {
    const AddressPlan& address = segment.side(side).address;
    z3::expr sum = number(address.offset);
    for (std::size_t i = 0; i < digits.at.size(); ++i)
        if (!lane_zero || !is_lane(segment, side, i)) smt::assign(sum, sum + digits.at[i] * number(address.strides[i]));
    return sum;
}

z3::expr LinearProofs::coordinate(const Segment& segment, std::size_t dim, const Digits& digits, bool lane_zero) {
    z3::expr sum = number(segment.start[dim]);
    for (std::size_t i = 0; i < digits.at.size(); ++i) {
        const Digit& digit = segment.digits[i];
        if (digit.dim == static_cast<int>(dim) && (!lane_zero || digit.role != Role::vec))
            smt::assign(sum, sum + digits.at[i] * number(digit.weight));
    }
    return sum;
}

void LinearProofs::add_active(std::vector<z3::expr>& query, const Segment& segment, const Digits& digits) {
    query.insert(query.end(), digits.ranges.begin(), digits.ranges.end());
    for (const Bound& bound : segment.predicate) {
        query.push_back(coordinate(segment, static_cast<std::size_t>(bound.dim), digits, true) < number(bound.below));
        if (bound.from) query.push_back(coordinate(segment, static_cast<std::size_t>(bound.dim), digits, true) >= number(*bound.from));
    }
}

z3::expr LinearProofs::inside(const Segment& segment, const Digits& digits) {
    z3::expr all = z3_.context().bool_val(true);
    const std::vector<std::int64_t> extents = judge_.extents(segment);
    for (std::size_t j = 0; j < extents.size(); ++j) {
        const z3::expr c = coordinate(segment, j, digits, false);
        smt::assign(all, all && c >= number(0) && c < number(extents[j]));
    }
    return all;
}

bool LinearProofs::unsat(Theory theory, const std::vector<z3::expr>& query) {
    return z3_.check(theory, query, {}, rlimit_).answer == smt::Answer::unsat;
}

// --- lemmas -----------------------------------------------------------------------------------------------------------

const std::optional<LinearProofs::LinearLayout>& LinearProofs::linear_layout(Side side) {
    std::optional<LinearLayout>& layout = layouts_[index(side)];
    z3_.once("the offsets of the layout, before its swizzle, are linear in the coordinates of the box", linear_[index(side)], [&] {
        layout = find_linear_layout(side);
        return layout.has_value();
    });
    return layout;
}

std::optional<LinearProofs::LinearLayout> LinearProofs::find_linear_layout(Side side) {
    const Layout& layout = judge_.buffer(side).layout;
    const Region& region = operand(judge_.copy(), side).region;
    const Box& box = judge_.plan().box;
    const auto value = [&](const std::vector<std::int64_t>& at) {
        return linear_offset(layout, logical_coordinate(judge_.copy(), side, box, at));
    };
    const std::vector<std::int64_t> origin(box.dims.size(), 0);
    LinearLayout out{value(origin), {}};
    // What one step of each factor adds, from the definition; a dimension is linear if its factors continue each other.
    std::vector<std::vector<std::int64_t>> steps(dense(region).dims.size());
    for (std::size_t j = 0; j < box.dims.size(); ++j) {
        std::int64_t radix = 1, stride = 0;
        std::vector<std::int64_t> dim_steps;
        for (std::size_t k = box.dims[j].size(); k-- > 0;) {
            std::vector<std::int64_t> at = origin;
            at[j] = radix;
            const std::int64_t step = box.dims[j][k].extent == 1 ? 0 : value(at) - out.constant;
            if (radix == 1) stride = step;
            if (box.dims[j][k].extent > 1 && step != radix * stride) return std::nullopt;
            dim_steps.push_back(step);
            radix *= box.dims[j][k].extent;
        }
        for (std::size_t k = 0; k < box.dims[j].size(); ++k)
            steps[static_cast<std::size_t>(box.dims[j][k].dim)].push_back(dim_steps[box.dims[j].size() - 1 - k]);
        out.strides.push_back(stride);
    }
    // Dimension by dimension; what each contributes at the box's origin is found from the definition too.
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::vector<std::int64_t> start = logical_coordinate(judge_.copy(), side, box, origin);
        std::vector<std::int64_t> without = start;
        without[dense(region).dims[i]] = 0;
        const std::int64_t mode_start = linear_offset(layout, start) - linear_offset(layout, without);
        if (!mode_is_linear(side, i, mode_start, steps[i])) return std::nullopt;
    }
    return out;
}

bool LinearProofs::swizzle_lemma(const Swizzle& swizzle) {
    if (swizzle.is_identity()) return true;
    auto known = std::find_if(lemmas_.begin(), lemmas_.end(), [&](const auto& lemma) { return lemma.first == swizzle; });
    if (known == lemmas_.end()) known = lemmas_.insert(lemmas_.end(), {swizzle, {}});
    return z3_.once("the swizzle moves whole chunks, keeps an offset in its period, and undoes itself", known->second,
                    [&] { return prove_swizzle_lemma(swizzle); });
}

bool LinearProofs::prove_swizzle_lemma(const Swizzle& swizzle) {
    const auto bits = static_cast<unsigned>(swizzle.period_log2() + 1);
    if (bits > 63) return false;
    const BitVectors algebra{z3_.context(), bits};
    const z3::expr x = z3_.context().bv_const("x", bits), v = z3_.context().bv_const("v", bits);
    const std::int64_t chunk = std::int64_t{1} << swizzle.base_log2, period = std::int64_t{1} << swizzle.period_log2();
    const z3::expr y = swizzled(algebra, swizzle, x);
    const z3::expr whole =
        swizzled(algebra, swizzle, (x & algebra.constant(-chunk)) + v) == swizzled(algebra, swizzle, x & algebra.constant(-chunk)) + v;
    const z3::expr home = (x & algebra.constant(-period)) == (y & algebra.constant(-period));
    const z3::expr back = swizzled(algebra, swizzle, y) == x;
    const z3::expr low = (x & algebra.constant(chunk - 1)) == (y & algebra.constant(chunk - 1));
    return unsat(Theory::bit_vectors, {z3::ult(v, algebra.constant(chunk)), !(whole && home && back && low)});
}

/// The segment that walks the box: round and thread digits for every dimension, the lanes along the last one.
std::optional<Segment> LinearProofs::unflattened(const Segment& segment) const {
    if (!segment.flat) return segment;
    const std::vector<std::int64_t>& shape = judge_.box_shape();
    const std::int64_t n = segment.vec;
    Segment out;
    out.start.assign(shape.size(), 0);
    out.vec = n;
    out.src = segment.src;
    out.dst = segment.dst;
    // An access starts at a multiple of n, in a last dimension that is a multiple of n; its lanes follow.
    if (segment.start[0] % n != 0 || shape.back() % n != 0) return std::nullopt;
    std::vector<std::int64_t> src(shape.size(), 0), dst(shape.size(), 0);
    for (const Side side : both_sides) {
        std::vector<std::int64_t>& strides = side == Side::src ? src : dst;
        for (const FlatTerm& term : segment.side(side).address.terms) {
            std::size_t dim = shape.size();
            std::int64_t weight = 1;
            while (dim > 0 && (weight != term.div || shape[dim - 1] != term.mod)) weight *= shape[--dim];
            if (dim == 0 || !term.of.empty() || strides[dim - 1] != 0) return std::nullopt;
            strides[dim - 1] = term.stride;
        }
        (side == Side::src ? out.src : out.dst).address.terms.clear();
    }
    const auto add = [&](std::size_t dim, std::int64_t weight, std::int64_t extent, Role role, int place) {
        out.digits.push_back({static_cast<int>(dim), weight, extent, role, place});
        out.src.address.strides.push_back(weight * src[dim]);
        out.dst.address.strides.push_back(weight * dst[dim]);
    };
    for (const Digit& digit : segment.digits) {
        if (digit.role == Role::vec) add(shape.size() - 1, digit.weight, digit.extent, Role::vec, digit.place);
        else if (digit.weight % n != 0) return std::nullopt;
    }
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        const bool last = dim + 1 == shape.size();
        add(dim, last ? n : 1, last ? shape[dim] / n : shape[dim], Role::outer, static_cast<int>(dim));
    }
    // The lanes' weights are 1, p, pq, ...: together they add 0 .. n-1 to the index.
    std::int64_t lanes = 1;
    for (int place = 0; lanes < n; ++place) {
        const Digit* const digit = digit_at(segment, Role::vec, place);
        if (digit == nullptr || (digit->weight != lanes && digit->extent > 1)) return std::nullopt;
        lanes *= digit->extent;
    }
    return out;
}

const std::vector<Segment>* LinearProofs::straight() {
    z3_.once("", straightened_, [&] {
        std::vector<Segment> all;
        for (const Segment& segment : segments()) {
            const auto one = unflattened(segment);
            if (!one || (segment.flat && !holds_("predicate"))) return false;
            all.push_back(*one);
        }
        straight_ = std::move(all);
        return true;
    });
    return straight_ ? &*straight_ : nullptr;
}

/// No differences below the extents, not all 0, cancel out: sum stride * difference = 0.
bool LinearProofs::unsat_differences(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
    std::vector<z3::expr> query;
    z3::expr sum = number(0), some = z3_.context().bool_val(false);
    for (std::size_t j = 0; j < extents.size(); ++j) {
        const z3::expr d = z3_.context().int_const(("d" + std::to_string(j)).c_str());
        query.push_back(d > number(-extents[j]));
        query.push_back(d < number(extents[j]));
        smt::assign(sum, sum + d * number(strides[j]));
        smt::assign(some, some || d != number(0));
    }
    query.push_back(sum == number(0));
    query.push_back(some);
    return unsat(Theory::linear, query);
}

/// Do different coordinates of the region have different linear offsets?
bool LinearProofs::layout_injective(Side side) {
    if (const auto& layout = linear_layout(side)) return unsat_differences(judge_.box_shape(), layout->strides);
    // Otherwise of the whole layout: coordinates and iter digits are in bijection.
    const Layout& layout = judge_.buffer(side).layout;
    if (layout.is_over_bits()) return false;
    std::vector<std::int64_t> extents, strides;
    for (const Iter& iter : layout.iters) {
        extents.push_back(iter.extent);
        strides.push_back(iter.stride);
    }
    return unsat_differences(extents, strides);
}

/// Do different digits give different coordinates?
bool LinearProofs::digits_injective(const Segment& segment) {
    std::vector<z3::expr> query;
    z3::expr some = z3_.context().bool_val(false);
    std::vector<z3::expr> sums(segment.start.size(), number(0));
    for (std::size_t i = 0; i < segment.digits.size(); ++i) {
        const Digit& digit = segment.digits[i];
        const z3::expr d = z3_.context().int_const(("d" + std::to_string(i)).c_str());
        query.push_back(d > number(-digit.extent));
        query.push_back(d < number(digit.extent));
        smt::assign(some, some || d != number(0));
        z3::expr& sum = sums[static_cast<std::size_t>(digit.dim)];
        smt::assign(sum, sum + d * number(digit.weight));
    }
    for (const z3::expr& sum : sums) query.push_back(sum == number(0));
    query.push_back(some);
    return unsat(Theory::linear, query);
}

/// Do two segments reach no common coordinate?
bool LinearProofs::segments_apart(const Segment& a, const Segment& b) {
    if (a.flat != b.flat) return false;
    const Digits da = digits(a, "a"), db = digits(b, "b");
    std::vector<z3::expr> query;
    add_active(query, a, da);
    add_active(query, b, db);
    for (std::size_t j = 0; j < a.start.size(); ++j) query.push_back(coordinate(a, j, da, false) == coordinate(b, j, db, false));
    return unsat(Theory::linear, query);
}

// --- obligations ------------------------------------------------------------------------------------------------------

bool LinearProofs::address(Side side) {
    const auto& layout = linear_layout(side);
    if (!layout || straight() == nullptr) return false;
    for (const Segment& s : *straight()) {
        if (s.side(side).address.swizzle != judge_.buffer(side).layout.swizzle) return false;
        const Digits d = digits(s, "d");
        std::vector<z3::expr> query;
        add_active(query, s, d);
        query.push_back(inside(s, d));
        z3::expr expected = number(layout->constant);
        for (std::size_t j = 0; j < layout->strides.size(); ++j)
            smt::assign(expected, expected + coordinate(s, j, d, false) * number(layout->strides[j]));
        query.push_back(offset(s, side, d, false) != expected);
        if (!unsat(Theory::linear, query)) return false;
    }
    return true;
}

bool LinearProofs::aligned(Side side) {
    return z3_.once("every access starts at a multiple of its width", aligned_[index(side)], [&] { return prove_aligned(side); });
}

bool LinearProofs::contiguous(Side side) {
    return z3_.once("the lanes of an access follow each other", contiguous_[index(side)], [&] { return prove_contiguous(side); });
}

bool LinearProofs::prove_aligned(Side side) {
    if (straight() == nullptr) return false;
    const Bits element = judge_.element();
    for (const Segment& s : *straight()) {
        const SidePlan& plan = s.side(side);
        if (!judge_.buffer(side).base && to_bits(judge_.buffer(side).align) < plan.width) return false;
        if (plan.width <= Bits{8} && plan.width <= element) continue;
        // A swizzle whose chunk holds the access leaves the low bits alone.
        const Swizzle& swizzle = plan.address.swizzle;
        if (!swizzle.is_identity() && (element * (std::int64_t{1} << swizzle.base_log2) < plan.width || !swizzle_lemma(swizzle)))
            return false;
        const auto bits = static_cast<unsigned>(floor_log2(plan.width.count));
        const auto low = [&](std::int64_t n) { return z3_.context().bv_val(n, bits); };
        z3::expr address = low(judge_.base_residue(side).count) + low(plan.address.offset) * low(element.count);
        std::vector<z3::expr> query;
        for (std::size_t i = 0; i < s.digits.size(); ++i) {
            if (is_lane(s, side, i)) continue;
            const z3::expr d = z3_.context().bv_const(("d" + std::to_string(i)).c_str(), bits);
            if (s.digits[i].extent < plan.width.count) query.push_back(z3::ult(d, low(s.digits[i].extent)));
            smt::assign(address, address + d * low(plan.address.strides[i]) * low(element.count));
        }
        query.push_back(address != low(0));
        if (!unsat(Theory::bit_vectors, query)) return false;
    }
    return true;
}

/// Lane v lies v elements from the start of its access.
bool LinearProofs::prove_contiguous(Side side) {
    if (straight() == nullptr) {
        for (std::size_t g = 0; g < segments().size(); ++g) {
            const Segment& s = segments()[g];
            const AddressPlan& address = s.side(side).address;
            if (!s.flat || !address.swizzle.is_identity() || judge_.access_elements(g, side) != s.vec || !lanes_follow(s, address))
                return false;
        }
        return true;
    }
    for (std::size_t g = 0; g < segments().size(); ++g) {
        const Segment& s = (*straight())[g];
        const SidePlan& plan = s.side(side);
        if (lanes_of(s, side) != judge_.access_elements(g, side)) return false;
        if (!plan.address.swizzle.is_identity()) {
            // The access starts at a multiple of n elements and a chunk has a multiple of n: the lanes stay in one chunk.
            const bool starts_aligned = judge_.base_residue(side) % plan.width == Bits{0} && aligned(side);
            if (judge_.rounds_down(g, side) || !starts_aligned || !swizzle_lemma(plan.address.swizzle)) return false;
        }
        const Digits d = digits(s, "d");
        std::vector<z3::expr> query = d.ranges;
        z3::expr sum = number(0), lane = number(0);
        std::int64_t radix = 1;
        for (const std::size_t i : lane_digits(s, side)) {
            smt::assign(sum, sum + d.at[i] * number(plan.address.strides[i]));
            smt::assign(lane, lane + d.at[i] * number(radix));
            radix *= s.digits[i].extent;
        }
        query.push_back(sum != lane);
        if (!unsat(Theory::linear, query)) return false;
    }
    return true;
}

bool LinearProofs::bounds(Side side) {
    if (straight() == nullptr) return false;
    for (std::size_t g = 0; g < segments().size(); ++g) {
        const Segment& s = (*straight())[g];
        const Swizzle& swizzle = s.side(side).address.swizzle;
        std::int64_t capacity = judge_.buffer(side).capacity.count;
        if (!swizzle.is_identity()) {
            // The lanes fill the access, and each stays in its period block: whole blocks below the capacity are inside.
            if (!contiguous(side) || !swizzle_lemma(swizzle)) return false;
            capacity = capacity >> swizzle.period_log2() << swizzle.period_log2();
        }
        const Digits d = digits(s, "d");
        std::vector<z3::expr> query;
        add_active(query, s, d);
        const z3::expr first = offset(s, side, d, true);
        query.push_back(first < number(0) || first + number(judge_.access_elements(g, side)) > number(capacity));
        if (!unsat(Theory::linear, query)) return false;
    }
    return true;
}

bool LinearProofs::same_element() {
    // L = P = A + v on both sides. (Without blocks `contiguous.dst` alone says: each lane in the same place on both sides, in its access.)
    if (std::any_of(segments().begin(), segments().end(), is_block) && !holds_("contiguous.src")) return false;
    return holds_("address.src") && holds_("address.dst") && holds_("contiguous.dst");
}

bool LinearProofs::predicate() {
    for (const Segment& s : segments()) {
        const Digits d = digits(s, "d");
        std::vector<z3::expr> query;
        add_active(query, s, d);
        query.push_back(!inside(s, d));
        if (!unsat(Theory::linear, query)) return false;
    }
    return true;
}

/// The condition that segment g moves nothing to the coordinates. The digits of a dimension are named by the coordinate
/// itself: where their weights are 1, e0, e0 e1, ... the lower ones are determined (division with remainder always succeeds)
/// and the top one is whatever is left, in range or not. A digit that counts down counts up from its other end.
z3::expr LinearProofs::missed_by(const Segment& s, std::size_t g, const std::vector<z3::expr>& coordinates, std::vector<z3::expr>& query,
                                 bool& chained) {
    z3::context& context = z3_.context();
    z3::expr missed = context.bool_val(false);
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < s.digits.size(); ++i)
            if (s.digits[i].dim == static_cast<int>(j) && s.digits[i].extent > 1) order.push_back(i);
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return std::abs(s.digits[a].weight) < std::abs(s.digits[b].weight); });
        std::int64_t least = s.start[j], first = s.start[j];
        for (const std::size_t i : order) {
            const std::int64_t far = std::min<std::int64_t>(0, s.digits[i].weight * (s.digits[i].extent - 1));
            least += far;
            if (s.digits[i].role != Role::vec) first += far;
        }
        z3::expr sum = number(least), first_lane = number(first);
        std::int64_t radix = 1;
        for (const std::size_t i : order) {
            const Digit& digit = s.digits[i];
            const std::int64_t size = std::abs(digit.weight);
            if (size != radix) {
                chained = false;
                return missed;
            }
            radix *= digit.extent;
            const z3::expr q = context.int_const(("q" + std::to_string(g) + "_" + std::to_string(i)).c_str());
            const z3::expr in_range = q >= number(0) && q < number(digit.extent);
            if (i == order.back()) smt::assign(missed, missed || !in_range);
            else query.push_back(in_range);
            smt::assign(sum, sum + q * number(size));
            if (digit.role != Role::vec) smt::assign(first_lane, first_lane + q * number(size));
        }
        if (order.empty()) smt::assign(missed, missed || coordinates[j] != sum);
        else query.push_back(coordinates[j] == sum);
        for (const Bound& bound : s.predicate) {
            if (bound.dim != static_cast<int>(j)) continue;
            smt::assign(missed, missed || first_lane >= number(bound.below));
            if (bound.from) smt::assign(missed, missed || first_lane < number(*bound.from));
        }
    }
    return missed;
}

bool LinearProofs::covers() {
    const std::vector<std::int64_t> extents = judge_.extents(segments().front());
    std::vector<z3::expr> coordinates, query;
    for (std::size_t j = 0; j < extents.size(); ++j) {
        coordinates.push_back(z3_.context().int_const(("c" + std::to_string(j)).c_str()));
        query.push_back(coordinates[j] >= number(0));
        query.push_back(coordinates[j] < number(extents[j]));
    }
    for (std::size_t g = 0; g < segments().size(); ++g) {
        bool chained = segments()[g].flat == segments().front().flat;
        if (chained) query.push_back(missed_by(segments()[g], g, coordinates, query, chained));
        if (!chained) return false;
    }
    return unsat(Theory::linear, query);
}

/// Whether the accesses of a side are unions of whole cells, given that their lanes fill them.
bool LinearProofs::fills_cells(Side side) {
    if (judge_.cell_log2() == 0) return true;
    for (const Segment& s : segments())
        if (s.side(side).width < Bits{8}) return false;
    return holds_(side == Side::src ? "aligned.src" : "aligned.dst");
}

bool LinearProofs::disjoint() {
    // Accesses are their lanes; lanes have different coordinates; those have different linear offsets; swizzles keep them different.
    if (!holds_("address.dst") || !holds_("contiguous.dst") || !holds_("predicate") || !fills_cells(Side::dst)) return false;
    if (!swizzle_lemma(judge_.buffer(Side::dst).layout.swizzle)) return false;
    return coordinates_differ() && layout_injective(Side::dst);
}

bool LinearProofs::coordinates_differ() {
    for (std::size_t g = 0; g < segments().size(); ++g) {
        if (!digits_injective(segments()[g])) return false;
        for (std::size_t h = 0; h < g; ++h)
            if (!segments_apart(segments()[h], segments()[g])) return false;
    }
    return true;
}

bool LinearProofs::no_alias() {
    if (judge_.copy().src.buffer != judge_.copy().dst.buffer) return true;
    // One buffer, one swizzle: enough that no two linear offsets meet at all.
    for (const Side side : both_sides)
        if (!linear_layout(side)) return false;
    for (const char* id : {"address.src", "address.dst", "contiguous.src", "contiguous.dst", "predicate"})
        if (!holds_(id)) return false;
    if (!fills_cells(Side::src) || !fills_cells(Side::dst)) return false;
    if (!swizzle_lemma(judge_.buffer(Side::dst).layout.swizzle)) return false;
    std::vector<z3::expr> query;
    z3::expr apart = number(layouts_[0]->constant - layouts_[1]->constant);
    for (std::size_t j = 0; j < judge_.box_shape().size(); ++j) {
        for (const Side side : both_sides) {
            const z3::expr c = z3_.context().int_const(((side == Side::src ? "s" : "d") + std::to_string(j)).c_str());
            query.push_back(c >= number(0));
            query.push_back(c < number(judge_.box_shape()[j]));
            const z3::expr term = c * number(layouts_[index(side)]->strides[j]);
            smt::assign(apart, side == Side::src ? apart + term : apart - term);
        }
    }
    query.push_back(apart == number(0));
    return unsat(Theory::linear, query);
}

}  // namespace tileproof
