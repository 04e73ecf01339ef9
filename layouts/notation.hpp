// Notations: layouts as people write them.
//
//   CuTe    ((8,16),64):((64,512),1)           one top-level mode a dimension, leftmost submode fastest; _8:_1 is accepted
//           Sw<3,3,3> o (128,64):(64,1)        swizzled; Sw<3,3,3> o 4 o (8,8):(8,1) starts at offset 4
//   TIRx    S[(128,8,8):(8,1024,1)] + 8        iters outermost first; S[32,32] is row-major
//           swizzle(3,3,3) o S[32,32]          (per_element, swizzle_len, atom_len) = Sw<swizzle_len, per_element, atom_len>
//           S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:4@warpid] + 5@warpid        of registers: what each digit counts
//   bits    bits[(1,2,4,8),(16,32)]            one list a dimension: what each bit of the coordinate adds by XOR, least bit first
//   TV      TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)     CuTe's from threads and values to elements, inverted (layouts/thread_value.hpp)
//
// Either prefix goes with every body; `+ n` binds tighter than `o`, and does not go with bits. Reading a printed CuTe or TIRx
// layout gives the same layout back; reading bits gives one with the same offsets, as iters and a swizzle where that can be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// Reads any notation. `shape`: the logical shape if it is not one dimension per top-level mode (or per iter).
/// Errors: `layout-syntax`, `overflow`, `zero-extent`, `rank`, `invalid-swizzle`, `negative-offset`, `shape-mismatch`, `thread-axes`,
/// `not-invertible` (a thread-value layout), `unsupported`.
/// A diagnostic's place has line 1 and a column counted in `text`.
/// Strides and offsets may be expressions over `symbols` (`unknown-symbol`); a sum among strides stands in parentheses with others.
Result<Layout> read_layout(std::string_view text, const std::vector<std::int64_t>& shape = {}, const std::vector<Symbol>& symbols = {});

/// CuTe notation: `Sw<3,3,3> o 4 o ((8,16),64):((64,512),1)`. Requires: modes(layout) exists, no threads.
std::string to_cute(const Layout& layout, const std::vector<Symbol>& symbols = {});
/// TIRx notation: `swizzle(3,3,3) o S[(16,8,64):(512,64,1)] + 4`. The shape is not part of it. Requires: not over bits.
std::string to_tirx(const Layout& layout, const std::vector<Symbol>& symbols = {});
/// Bits notation: `bits[(1,2,4,8),(16,32)]`. Errors: `not-linear`, as bit_bases has them (layouts/linear_bits.hpp).
Result<std::string> to_bits(const Layout& layout);

enum class Notation { cute, tirx, bits };
/// The layout in a notation, whatever it was read from. CuTe's of a layout with threads is the thread-value layout. An iter that reaches over two dimensions is split for CuTe if it can be.
/// Errors: `not-linear`; `inexpressible`, which says what the notation has no word for.
Result<std::string> written(const Layout& layout, Notation notation, const std::vector<Symbol>& symbols = {});

}  // namespace tileproof
