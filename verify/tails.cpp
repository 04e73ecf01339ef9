#include "verify/tails_internal.hpp"

#include <algorithm>

#include "solver/smt_symbols.hpp"

namespace tileproof {

class TailProofs::Query {
public:
    explicit Query(const TailProofs& of) : of_(of), context_(of.inquiry_.context()), symbols_(context_, of.symbols_) {
        symbols_.assume(conjunction_, of.facts_);
    }

    z3::expr number(std::int64_t n) const { return context_.int_val(n); }
    z3::expr variable(const std::string& name) const { return context_.int_const(name.c_str()); }
    z3::expr term(const Expression& e) { return symbols_.term(e); }
    void require(const z3::expr& holds) { conjunction_.push_back(holds); }

    /// Where a segment counts from in each dimension.
    std::vector<z3::expr> begin(const Segment& s, const std::string& name) {
        std::vector<z3::expr> out;
        for (const std::int64_t start : s.start) out.push_back(number(start));
        if (!s.tail) return out;
        const auto dim = static_cast<std::size_t>(s.tail->dim);
        const z3::expr left = term(s.tail->end.plus(-s.start[dim])),
                       most = number(std::max<std::int64_t>(0, of_.shape_[dim] - s.start[dim]));
        const z3::expr inside = variable(name + "_left"), steps = variable(name + "_steps");
        require((left >= 0 && left <= most && inside == left) || (left < 0 && inside == 0) || (left > most && inside == most));
        const z3::expr first = steps * number(s.tail->multiple);
        require(first <= inside && inside < first + number(s.tail->multiple));
        smt::assign(out[dim], out[dim] + first);
        return out;
    }

    /// Whether a bound lets an access run whose first lane is at this coordinate, in a segment that begins at that one.
    z3::expr lets_run(const Segment& s, const Bound& bound, const z3::expr& begins, const z3::expr& first) {
        const z3::expr below = term(bound.below);
        if (bound.beyond != Beyond::zeros_behind) return first < below;
        return first + number(s.vec) <= below || (first > below && first > begins);
    }

    /// The coordinates of a lane of an access that runs.
    std::vector<z3::expr> running_lane(const Segment& s, const std::string& name) {
        const std::vector<z3::expr> begins = begin(s, name);
        std::vector<z3::expr> first = begins, lane = begins;
        for (std::size_t i = 0; i < s.digits.size(); ++i) {
            const Digit& digit = s.digits[i];
            const z3::expr d = variable(name + std::to_string(i));
            require(d >= 0 && d < number(digit.extent));
            const auto dim = static_cast<std::size_t>(digit.dim);
            smt::assign(lane[dim], lane[dim] + d * number(digit.weight));
            if (digit.role != Role::vec) smt::assign(first[dim], first[dim] + d * number(digit.weight));
        }
        for (const Bound& bound : s.predicate) {
            const auto dim = static_cast<std::size_t>(bound.dim);
            require(lets_run(s, bound, begins[dim], first[dim]));
        }
        return lane;
    }

    z3::expr is_of_region(const std::vector<z3::expr>& coordinate) {
        z3::expr all = context_.bool_val(true);
        for (std::size_t j = 0; j < coordinate.size(); ++j) {
            smt::assign(all, all && coordinate[j] >= 0 && coordinate[j] < number(of_.shape_[j]));
            const auto bound = of_.bounds_.find(j);
            for (const BoxBound& one : bound != of_.bounds_.end() ? bound->second : std::vector<BoxBound>{})
                smt::assign(all, all && coordinate[j] < term(one.below));
        }
        return all;
    }

    /// A condition that holds wherever no lane of the segment that runs has these coordinates. Of a dimension's digits those are looked at whose weights
    /// are 1, e0, e0 e1, ...: the lower ones are what division leaves, which always succeeds, and the top one is the quotient, in range or not. Others are 0.
    z3::expr missed_by(const Segment& s, const std::string& name, const std::vector<z3::expr>& coordinate) {
        const std::vector<z3::expr> begins = begin(s, name);
        z3::expr missed = context_.bool_val(false);
        for (std::size_t j = 0; j < coordinate.size(); ++j) {
            const std::vector<std::size_t> order = chain(s, j);
            z3::expr lane = begins[j], first = begins[j];
            for (const std::size_t i : order) {
                const auto& [dim, weight, extent, whose, place] = s.digits[i];
                const z3::expr q = variable(name + std::to_string(i));
                if (i == order.back()) smt::assign(missed, missed || q < 0 || q >= number(extent));
                else require(q >= 0 && q < number(extent));
                smt::assign(lane, lane + q * number(weight));
                if (whose != Role::vec) smt::assign(first, first + q * number(weight));
            }
            if (order.empty()) smt::assign(missed, missed || lane != coordinate[j]);
            else require(lane == coordinate[j]);
            for (const Bound& bound : s.predicate)
                if (bound.dim == static_cast<int>(j)) smt::assign(missed, missed || !lets_run(s, bound, begins[j], first));
        }
        return missed;
    }

    bool is_impossible() {
        symbols_.finish(conjunction_);
        return of_.is_impossible(of_.inquiry_.check(smt::Theory::linear, conjunction_, symbols_.symbols()));
    }

private:
    /// The digits of a dimension that make a mixed radix, the lowest first.
    static std::vector<std::size_t> chain(const Segment& s, std::size_t dim) {
        std::vector<std::size_t> order, out;
        for (std::size_t i = 0; i < s.digits.size(); ++i)
            if (s.digits[i].dim == static_cast<int>(dim) && s.digits[i].extent > 1) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.digits[a].weight < s.digits[b].weight; });
        std::int64_t radix = 1;
        for (const std::size_t i : order) {
            if (s.digits[i].weight != radix) continue;
            radix *= s.digits[i].extent;
            out.push_back(i);
        }
        return out;
    }

    const TailProofs& of_;
    z3::context& context_;
    smt::IntegerSymbols symbols_;
    std::vector<z3::expr> conjunction_{};
};

bool TailProofs::stay_inside() {
    return std::all_of(plan_.segments.begin(), plan_.segments.end(), [&](const Segment& s) {
        Query query(*this);
        const std::vector<z3::expr> lane = query.running_lane(s, "d");
        query.require(!query.is_of_region(lane));
        return query.is_impossible();
    });
}

bool TailProofs::cover() {
    Query query(*this);
    std::vector<z3::expr> coordinate;
    for (std::size_t j = 0; j < shape_.size(); ++j) coordinate.push_back(query.variable("c" + std::to_string(j)));
    query.require(query.is_of_region(coordinate));
    for (std::size_t g = 0; g < plan_.segments.size(); ++g)
        query.require(query.missed_by(plan_.segments[g], "d" + std::to_string(g) + "_", coordinate));
    return query.is_impossible();
}

bool TailProofs::segments_are_apart() {
    for (std::size_t g = 0; g < plan_.segments.size(); ++g) {
        for (std::size_t h = 0; h < g; ++h) {
            Query query(*this);
            const std::vector<z3::expr> a = query.running_lane(plan_.segments[h], "a"), b = query.running_lane(plan_.segments[g], "b");
            for (std::size_t j = 0; j < shape_.size(); ++j) query.require(a[j] == b[j]);
            if (!query.is_impossible()) return false;
        }
    }
    return true;
}

bool TailProofs::have_addresses(Side side, const Expression& constant, const std::vector<Expression>& strides) const {
    return std::all_of(plan_.segments.begin(), plan_.segments.end(), [&](const Segment& s) {
        const AddressPlan& address = s.side(side).address;
        Expression first = constant;
        for (std::size_t j = 0; j < strides.size(); ++j) first = first + strides[j].times(s.start[j]);
        if (!(address.offset == first)) return false;
        for (std::size_t i = 0; i < s.digits.size(); ++i) {
            const Digit& digit = s.digits[i];
            if (digit.extent > 1 && !(address.strides[i] == strides[static_cast<std::size_t>(digit.dim)].times(digit.weight))) return false;
        }
        return !s.tail || address.tail_stride == strides[static_cast<std::size_t>(s.tail->dim)];
    });
}

}  // namespace tileproof
