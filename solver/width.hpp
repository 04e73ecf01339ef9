// Width: the widest access that is legal for every element of a copy.
//
//   f16 rows of pitch 20 on both sides:   128 bits? row 1 starts at byte 40 = 8 mod 16    no
//                                          64 bits? every row starts at a multiple of 8    yes
//
// A width of n elements is legal iff every run (the n elements of an aligned block of destination addresses) is
// complete, is a block of the source too, each lane in the same place, and is consecutive on both sides with the swizzles left
// out. On the canonical box (maximally merged, destination offsets distinct) that is equivalent to three things:
//   1. one dimension has stride 1 on both sides and an extent that n divides        (or n = 1)
//   2. with that dimension at 0, every linear address is a multiple of the width     decided by Z3, on the low bits
//   3. the swizzles keep each run in one block, lanes in the same places            decided by Z3
// Why 1 is needed: the element above the least destination address must be its neighbour on both sides, so some dimension
// has strides 1|1; a run that leaves it would continue in a dimension that `merge` had merged into it. Why 2: a row that
// starts inside a block needs a row that ends there, and so on down to the first row, which has none before it.
// tests/ compares all of this with an enumeration that knows nothing of boxes.
#pragma once

#include <optional>
#include <string>

#include "layouts/box.hpp"
#include "layouts/problem.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

enum class Legality { legal, refused, undecided };

/// Judges one width that the target has, for a region of at least that many bits.
Legality judge_width(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width);

/// The dimension along which runs of n elements lie (strides 1|1, extent a multiple of n). Nothing for n = 1.
std::optional<std::size_t> run_dimension(const CanonicalBox& box, std::int64_t n);

/// Whether two elements of the region share a destination; then also the diagnostic `dst-overlaps`.
struct Overlap {
    enum { none, found, undecided } answer = undecided;
    Diagnostic diagnostic{};
};
Overlap destination_overlap(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box);

}  // namespace tileproof
