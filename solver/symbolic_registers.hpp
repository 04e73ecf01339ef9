// Symbolic registers: a copy between registers and memory where symbols say where the memory's elements are.
//
//   C f16 (128,64):(ldc,1), ldc a multiple of 8; row t is held by thread t       128 bits: every row starts at a multiple of 8 elements
//   the same, ldc a multiple of 4                                                128 bits refused: with ldc = 68, thread 1 would write at byte 136
//
// Lanes have strides that are numbers, so what an access consists of, and which registers it names, is the same for all values of the
// symbols. Then a width is legal if the offset and every other stride of the memory are multiples of it for all values: decided by Z3.
// What is refused is refused by an example, the least values where enumeration (solver/register_refusal.hpp) finds a fault.
#pragma once

#include <vector>

#include "layouts/solution.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// `widths`: to be tried, widest first. Requires: rejection(problem, copy) finds nothing; register_side(problem, copy), is_symbolic(problem, copy) or copy.zero_fill.
CopySolution solve_symbolic_registers(smt::Session& z3, const Problem& problem, const Copy& copy, const std::vector<Bits>& widths);

}  // namespace tileproof
