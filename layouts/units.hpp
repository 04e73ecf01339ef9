// Units: a count that knows what it counts.
//
//   Bits{128} == to_bits(Bytes{16})        width of a 16-byte access
//   to_bits(Elements{8}, Bits{16})         eight f16 elements: Bits{128}
//
// Quantities of one unit add and compare; different units never mix without a named conversion.
// Extents, strides and offsets inside layouts are plain integers counted in elements.
#pragma once

#include <compare>
#include <cstdint>

namespace tileproof {

template <class Unit>
struct Quantity {
    std::int64_t count = 0;

    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.count + b.count}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.count - b.count}; }
    friend constexpr Quantity operator*(Quantity a, std::int64_t times) { return {a.count * times}; }
    /// How often `b` fits into `a`, rounded down. Requires: b.count > 0.
    friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count / b.count; }
    friend constexpr Quantity operator%(Quantity a, Quantity b) { return {a.count % b.count}; }
};

using Elements = Quantity<struct ElementUnit>;
using Bytes = Quantity<struct ByteUnit>;
using Bits = Quantity<struct BitUnit>;

constexpr Bits to_bits(Bytes bytes) { return {bytes.count * 8}; }
constexpr Bits to_bits(Elements elements, Bits element) { return {elements.count * element.count}; }
/// The byte that holds a bit: rounded down. Requires: 0 <= bits.
constexpr Bytes to_bytes(Bits bits) { return {bits.count / 8}; }
constexpr Bytes to_bytes(Elements elements, Bits element) { return to_bytes(to_bits(elements, element)); }
/// What packed elements take: rounded up. Requires: 0 <= elements.
constexpr Bytes bytes_to_hold(Elements elements, Bits element) { return {(to_bits(elements, element).count + 7) / 8}; }

/// Wide enough for any product of two int64.
__extension__ using Wide = __int128;

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
/// floor(log2(n)). Requires: n > 0.
constexpr int floor_log2(std::int64_t n) {
    int log = 0;
    while (n >>= 1) ++log;
    return log;
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace tileproof
