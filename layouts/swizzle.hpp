// Swizzle: an XOR of address bits into lower (or higher) address bits, in CuTe's parameters.
//
//   Sw<B,M,S>(x) = x ^ ((x & (((1<<B)-1) << (M + max(0,S)))) >> S)       S < 0 shifts the other way
//
//            M+S+B     M+S         M+B      M       0
//   x =  ... [ yyyyyyy ] ......... [ zzzzzz ] ......     z becomes z ^ y; everything else stays
//
// x counts elements from the start of the buffer. Example: Sw<3,3,3>(64 + 1) = 64 + 8 + 1.
// Valid iff B = 0 or |S| >= B: then it is its own inverse. The chunk (2^M elements) moves as a whole; the
// pattern repeats every 2^(M+B+|S|) elements and never leaves such a block.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tileproof {

struct Swizzle {
    int bits_log2 = 0;   // B: 2^B chunks take part
    int base_log2 = 0;   // M: a chunk has 2^M elements
    int shift_log2 = 0;  // S: distance between source and target bits

    friend bool operator==(const Swizzle&, const Swizzle&) = default;

    bool is_identity() const { return bits_log2 == 0; }
    bool is_valid() const {
        return bits_log2 >= 0 && base_log2 >= 0 && (bits_log2 == 0 || std::abs(shift_log2) >= bits_log2) &&
               base_log2 + bits_log2 + std::abs(shift_log2) <= 40;
    }
    /// log2 of the elements after which the pattern repeats. Requires: is_valid().
    int period_log2() const { return is_identity() ? 0 : base_log2 + bits_log2 + std::abs(shift_log2); }
    /// The bits of x that are read: B bits from M (or M + S for S > 0).
    std::int64_t source_mask() const { return ((std::int64_t{1} << bits_log2) - 1) << (base_log2 + (shift_log2 > 0 ? shift_log2 : 0)); }
};

/// `Sw<3,3,3>`
std::string to_string(const Swizzle& swizzle);

}  // namespace tileproof
