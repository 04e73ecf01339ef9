// Symbolic copies: the widest access that is legal for every value of the symbols, and its partition.
//
//   f16 rows of pitch ld, ld a multiple of 4:   128 bits refused: with ld = 68, row 1 starts at byte 136 = 8 mod 16
//                                               64 bits: every stride is a multiple of four elements, whatever ld is
//
// A run needs a dimension with strides 1 on both sides, which no symbol changes. Then a width is legal if the offset and every
// other stride of both sides are multiples of it for all values: decided by Z3. What is refused is refused by an example: the
// least values of the symbols, in file order, where enumeration (solver/refusal.hpp) finds a fault.
#pragma once

#include "layouts/solution.hpp"
#include "solver/blocks.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// `widths`: to be tried, widest first. `is_async`: by cp.async. Requires: rejection(problem, copy) finds nothing;
/// is_symbolic(problem, copy), or copy.zero_fill.
CopySolution solve_symbolic(smt::Session& z3, const Problem& problem, const Copy& copy, const std::vector<Bits>& widths, const Forms& forms,
                            bool is_async);

}  // namespace tileproof
