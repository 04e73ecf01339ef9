// Rows of matrices as accesses: a segment with a matrix instruction, told row by row.
//
//   ldmatrix .x4 of f16          thread 32 w + 4 r + q, lane 2 j + h     has element 2 q + h of row r of matrix j
//   the same, as rows            thread w, round 32 f + 8 j + r          accesses that row: lane 2 q + h is its element
//
// Bits of lanes and of lane numbers are bits of rows and of places in a row, so the digits of the one are digits of the other: the same
// elements, coordinates and addresses on both sides. What is proved of the accesses of the second is proved of the rows of the first, if
// the same of them run: a bound compares the coordinate of a lane there, and that of the first element of a row here.
#pragma once

#include <optional>
#include <vector>

#include "layouts/plan.hpp"
#include "verify/inquiry_internal.hpp"

namespace tileproof {

struct MatrixRows {
    Segment rows;  // vec: the elements of a row; threads: the warps; outer: rounds times rows
    // What adds to the coordinate:
    std::vector<Digit> by_turn;  // rounds and warps
    std::vector<Digit> by_lane;  // the lanes of a warp
    std::vector<Digit> by_row;   // the rows of an instruction
};
/// Nothing where the segment does not fit the instruction of `stored`, which `contiguous` refutes. Requires: check_plan finds nothing, save
/// that the register side may be one on its register file; `stored` has a matrix instruction.
std::optional<MatrixRows> matrix_rows(const Segment& segment, Side stored, Bits element);

/// A plan told row by row where it has matrices.
struct PlanByRows {
    CopyPlan plan;
    std::vector<MatrixRows> matrices{};  // of its segments with a matrix instruction
    bool fits = true;                    // each of them
};
/// `stored`: the side in memory of a copy with registers; nothing fits another copy.
PlanByRows by_rows(CopyPlan plan, std::optional<Side> stored, Bits element);

/// Whether in every warp and round either all lanes run and all rows too, or none, for all values of the symbols.
bool warps_run_whole(Inquiry& inquiry, const MatrixRows& of, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts);

}  // namespace tileproof
