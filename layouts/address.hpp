// The address definition, once: usable with integers and with solver expressions.
//
//   coordinate --flatten--> flat index --split--> digits --x strides--> linear offset --swizzle--> element offset
//   coordinate --bits x bases, XOR--> linear offset                     of a layout over bits
//
// An Algebra supplies the few operations needed, all on non-negative quotients and masks:
//   constant(k)  add(a,b)  times(a,k)  quotient(a,k)  remainder(a,k)  bit_and(a,k)  bit_xor(a,b)  shift_left(a,k)  shift_right(a,k)
// `Integers` below is the plain one; verify/ has the bit-vector one. Everything counts elements from the buffer's start.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/swizzle.hpp"

namespace tileproof {

struct Integers {
    using Value = std::int64_t;
    static Value constant(std::int64_t k) { return k; }
    static Value add(Value a, Value b) { return a + b; }
    static Value times(Value a, std::int64_t k) { return a * k; }
    static Value quotient(Value a, std::int64_t k) { return a / k; }
    static Value remainder(Value a, std::int64_t k) { return a % k; }
    static Value bit_and(Value a, std::int64_t k) { return a & k; }
    static Value bit_xor(Value a, Value b) { return a ^ b; }
    static Value shift_left(Value a, int k) { return a << k; }
    static Value shift_right(Value a, int k) { return a >> k; }
};

/// Linear offsets with symbols in them. Coordinates must be numbers wherever they are divided.
struct Expressions {
    using Value = Expression;
    static Value constant(const Expression& k) { return k; }
    static Value add(const Value& a, const Value& b) { return a.plus(b); }
    static Value times(const Value& a, const Expression& k) { return a.times(k); }
    static Value quotient(const Value& a, std::int64_t k) { return std::int64_t{a} / k; }
    static Value remainder(const Value& a, std::int64_t k) { return std::int64_t{a} % k; }
    static Value bit_and(const Value& a, std::int64_t k) { return std::int64_t{a} & k; }
    static Value bit_xor(const Value& a, const Value& b) { return std::int64_t{a} ^ std::int64_t{b}; }
    static Value shift_left(const Value& a, int k) { return std::int64_t{a} << k; }
    static Value shift_right(const Value& a, int k) { return std::int64_t{a} >> k; }
};

/// Sw<B,M,S>(x). Requires: swizzle.is_valid(), x >= 0.
template <class Algebra>
typename Algebra::Value swizzled(const Algebra& algebra, const Swizzle& swizzle, const typename Algebra::Value& x) {
    if (swizzle.is_identity()) return x;
    const auto source = algebra.bit_and(x, swizzle.source_mask());
    return algebra.bit_xor(
        x, swizzle.shift_log2 >= 0 ? algebra.shift_right(source, swizzle.shift_log2) : algebra.shift_left(source, -swizzle.shift_log2));
}

/// The XOR of the bases of the coordinate's set bits. Requires: layout.is_over_bits().
template <class Algebra>
typename Algebra::Value offset_over_bits(const Algebra& algebra, const Layout& layout,
                                         const std::vector<typename Algebra::Value>& coordinate) {
    auto sum = algebra.constant(0);
    for (std::size_t dim = 0; dim < layout.bases.size(); ++dim) {
        for (std::size_t bit = 0; bit < layout.bases[dim].size(); ++bit) {
            const std::int64_t basis = layout.bases[dim][bit];
            if (basis == 0) continue;
            const auto is_set = algebra.bit_and(algebra.shift_right(coordinate[dim], static_cast<int>(bit)), 1);
            const auto next = algebra.bit_xor(sum, algebra.times(is_set, basis));
            sum = next;  // copied: terms of Z3 4.8.12 leak where they are moved onto others
        }
    }
    return sum;
}

/// The offset before the swizzle. Requires: 0 <= coordinate[i] < shape[i].
template <class Algebra>
typename Algebra::Value linear_offset(const Algebra& algebra, const Layout& layout,
                                      const std::vector<typename Algebra::Value>& coordinate) {
    if (layout.is_over_bits()) return offset_over_bits(algebra, layout, coordinate);
    auto sum = algebra.constant(layout.offset);
    std::size_t iter = layout.iters.size();
    std::int64_t room = 1;  // elements of `flat` not yet split off
    auto flat = algebra.constant(0);
    // Innermost dimension first: a dimension joins the flat index before the iters that reach into it are split off.
    for (std::size_t dim = layout.shape.size(); dim-- > 0;) {
        flat = algebra.add(flat, algebra.times(coordinate[dim], room));
        room *= layout.shape[dim];
        while (iter > 0 && room % layout.iters[iter - 1].extent == 0 && (room > 1 || layout.iters[iter - 1].extent == 1)) {
            const Iter& it = layout.iters[--iter];
            room /= it.extent;
            if (it.extent == 1) continue;
            if (room == 1) {
                sum = algebra.add(sum, algebra.times(flat, it.stride));
                flat = algebra.constant(0);
            } else {
                sum = algebra.add(sum, algebra.times(algebra.remainder(flat, it.extent), it.stride));
                flat = algebra.quotient(flat, it.extent);
            }
        }
    }
    return sum;
}

/// The element offset of a coordinate. Requires: as linear_offset.
template <class Algebra>
typename Algebra::Value element_offset(const Algebra& algebra, const Layout& layout,
                                       const std::vector<typename Algebra::Value>& coordinate) {
    return swizzled(algebra, layout.swizzle, linear_offset(algebra, layout, coordinate));
}

inline std::int64_t element_offset(const Layout& layout, const std::vector<std::int64_t>& coordinate) {
    return element_offset(Integers{}, layout, coordinate);
}
inline std::int64_t linear_offset(const Layout& layout, const std::vector<std::int64_t>& coordinate) {
    return linear_offset(Integers{}, layout, coordinate);
}

}  // namespace tileproof
