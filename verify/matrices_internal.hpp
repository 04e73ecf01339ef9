// Matrix instructions: what the machine and the threads have to be for them. What they move is judged with the registers
// (verify/registers_internal.hpp), row by row.
#pragma once

#include <optional>

#include "layouts/matrix.hpp"
#include "verify/inquiry_internal.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

/// `legal`, for the side in memory. `judge` is of the copy on its register file.
std::optional<Counterexample> illegal_matrix(const Problem& problem, const Judge& judge, const Segment& segment, Side side,
                                             const MatrixForm& form);

/// `converged`: every matrix instruction is reached by whole warps, all of whose lanes run. Unknown where there are too many threads
/// and rounds to look at each, and where a bound depends on symbols and none of their samples refutes it.
Finding judge_converged_matrices(const Problem& problem, const Plan& plan);

/// Whether all lanes of a warp run its matrix instructions, or none, for all values of the symbols. Requires: the copies are done by whole warps.
bool matrices_converge(Inquiry& inquiry, const Problem& problem, const Plan& plan);

}  // namespace tileproof
