// Matrix plan: a copy between shared memory and registers by ldmatrix or stmatrix (layouts/matrix.hpp), if the registers are what the
// instruction deals out.
//
//   As f16 (16,16):(16,1) -> R TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)     ldmatrix .x4: thread 4 r + c / 2 holds (r, c), (r + 8, c), ...
//   the same, As column-major                                                       ldmatrix .x4.trans
//   the same, As with rows of 40 bytes                                              declined: row 1 is at byte 40 = 8 mod 16
//   As[16*group:+16, k0:+16], k0 a multiple of 8 of rows of 64                      ldmatrix .x4, whatever k0 and the group are
//   As u8 (16,16):(16,1) -> R S[(4,4,2,8):(1@laneid,1,4,4@laneid)], sm_100a         ldmatrix .m16n16.x1.trans; on sm_100 declined, with what it needs
//
// Lanes, threads and rounds are digits as for any copy with registers. Without .trans the 32 bits of a register are neighbours in memory; with
// it 16 bits are, and any two rows make up a register; or a byte, with any four rows (two, to store), and a second piece of each 8 bytes behind. Whether eight threads or four then hold a row in the order of the instruction, and
// where the row begins, is looked at row by row (solver/row_faults.hpp). As many matrices at once as divide what a thread holds.
#pragma once

#include <optional>
#include <string>

#include "layouts/machine.hpp"
#include "layouts/solution.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// load from shared memory to registers, store back; nothing between others.
std::optional<Direction> matrix_direction(const Problem& problem, const Copy& copy);

/// Why no matrix instruction serves this copy, whatever the registers hold; empty where one may. Requires: rejection(problem, copy) finds
/// nothing.
std::string ldstmatrix_gate(const Problem& problem, const Copy& copy);

/// Either a solution (a plan, or a rejection that holds for every variant), or why there is none.
struct MatrixAttempt {
    CopySolution solution{};
    std::string why_not{};
};
/// Requires: the gate lets the copy through.
MatrixAttempt solve_matrices(smt::Session& z3, const Problem& problem, const Copy& copy);

}  // namespace tileproof
