// Blocks: wider accesses than runs allow. A thread loads and stores a block of the box, each side in accesses of its own.
//
//   f32, rows to columns       runs of 32 bits; blocks of 4 x 4: 4 loads and 4 stores of 128 bits instead of 16 and 16
//   f16, sm_100 to shared      runs of 128 bits; 256 bits of global memory are two accesses of 128 in shared memory
//   f16 rows of pitch 20       runs of 64 bits; where the other side is dense, two of 64 bits there are one of 128
//
// On the canonical box the elements that follow each other in one side's memory lie along dimensions of strides 1, e, e f, ...: a
// *chain*. An access takes the first n elements of its side's chain; the block is the least box that holds an access of each side. Every
// thread's block is the same but for where it lies, and each side is judged alone: the first access and every step to another are
// multiples of the width.
#pragma once

#include <functional>

#include "layouts/box.hpp"
#include "layouts/solution.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// What plans may look like, beside one segment with lane j to lane j.
struct Forms {
    bool single = false;  // no several widths (solver/cut.hpp)
    bool blocks = false;
};

/// Whether an expression is a multiple of n, a power of two, for all values of the symbols.
using IsMultiple = std::function<bool(const Expression& expression, std::int64_t n)>;
/// Of a number.
bool is_multiple(const Expression& number, std::int64_t n);

/// Replaces the plan by one in blocks, if a thread then has fewer loads and stores: the fewest, then the smallest blocks, then the widest
/// loads. The runs that both sides move as they are stay as wide as `solution.width`. Says so where a width that one side then has is refused
/// because the other has none (`target`).
/// `widths`: those that accesses may have, widest first. Requires: solution has a plan at the widest legal width; the buffers differ.
void try_blocks(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const std::vector<Bits>& widths,
                const IsMultiple& is_multiple, CopySolution& solution);

}  // namespace tileproof
