// The address that a plan computes, once: usable with integers and with solver expressions (the algebras of layouts/address.hpp).
//
//   digits    offset + sum stride[i] * digit[i]
//   flat      offset + sum stride * ((x / div) mod mod),  x = index, or add + sum times * ((index / div) mod mod)
//
// Before the swizzle; element offsets. In a flat segment everything that is divided is non-negative (check_plan).
#pragma once

#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

template <class Algebra>
typename Algebra::Value flat_term(const Algebra& algebra, const FlatTerm& term, const typename Algebra::Value& index) {
    const auto digit = [&](const typename Algebra::Value& x, std::int64_t div, std::int64_t mod) {
        return algebra.remainder(div == 1 ? x : algebra.quotient(x, div), mod);
    };
    if (term.of.empty()) return algebra.times(digit(index, term.div, term.mod), term.stride);
    auto x = algebra.constant(term.add);
    for (const IndexPart& part : term.of) {
        const auto next = algebra.add(x, algebra.times(digit(index, part.div, part.mod), part.times));
        x = next;
    }
    return algebra.times(digit(x, term.div, term.mod), term.stride);
}

/// `index` is start[0] + sum weight * digit; only a flat segment looks at it.
template <class Algebra>
typename Algebra::Value planned_linear_offset(const Algebra& algebra, const Segment& segment, Side side,
                                              const std::vector<typename Algebra::Value>& digits, const typename Algebra::Value& index) {
    const AddressPlan& address = segment.side(side).address;
    auto sum = algebra.constant(address.offset);
    const auto add = [&](const typename Algebra::Value& term) {
        const auto next = algebra.add(sum, term);
        sum = next;
    };
    if (segment.flat)
        for (const FlatTerm& term : address.terms) add(flat_term(algebra, term, index));
    else
        for (std::size_t i = 0; i < digits.size(); ++i) add(algebra.times(digits[i], address.strides[i]));
    return sum;
}

}  // namespace tileproof
