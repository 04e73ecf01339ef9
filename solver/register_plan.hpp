// Register plan: a copy between registers and memory. Who moves what is given: each thread moves what its registers hold.
//
//   A f16 (128,64):(72,1) -> R one row a thread       128 bits: 8 lanes, 8 rounds; thread t reads A[t, 8 f + v] into register 8 f + v
//   R mma fragment of 16 x 8 f32 -> As row-major       64 bits: thread t writes registers 0 1, then 2 3, at (t/4, 2 (t%4)) and (t/4 + 8, 2 (t%4))
//
// The canonical box is that of the copy on its register file (layouts/register_file.hpp): each of its dimensions steps through threads
// or through registers. Thread dimensions become thread digits; a digit that the layout leaves out (every fourth lane holds a row) leads out
// of the box unless it has the one value that is held. Register dimensions become lanes, along rising addresses of memory, and rounds.
//
//   rows 16 w + 8 i + l of a fragment, below m     the box of the plan has one dimension of 64 rows, in which w, i and l are digits
//
// So a predicate with symbols is a bound of one coordinate, wherever threads and registers come and go along it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/box.hpp"
#include "layouts/matrix.hpp"
#include "layouts/solution.hpp"

namespace tileproof {

/// The canonical box of the copy on its register file; with symbols, starts are folded into offsets. Of a region that a predicate bounds, all of
/// it, and a dimension along a part of what is bounded is along nothing else. Nothing where there is none.
std::optional<CanonicalBox> register_box(const Problem& problem, const Copy& copy);

/// The plan at one width. Nothing where lanes or threads are no digits of the box. Whether the width is legal is not looked at.
/// Requires: register_box(problem, copy); the width exists there.
std::optional<CopyPlan> plan_registers(const Problem& problem, const Copy& copy, Bits width);

/// What is said of a copy for which there is no plan at any width that is legal.
Diagnostic no_digits_of(const Copy& copy);

/// Width, refusals and plan, by enumeration. `widths`: to be tried, widest first. Requires: rejection(problem, copy) finds nothing;
/// register_side(problem, copy); not is_symbolic(problem, copy).
CopySolution solve_registers(const Problem& problem, const Copy& copy, const std::vector<Bits>& widths);

/// What no plan with registers serves: two elements with one destination, unless symbols say where it is, or regions without a canonical box.
std::optional<Diagnostic> register_rejection(const Problem& problem, const Copy& copy);

/// Lanes, threads and rounds for a matrix instruction, if they are digits of the box and its matrices divide what a thread holds. Whether
/// the registers are its fragment is another question. Requires: register_rejection finds nothing; keeps_whole(form, element).
std::optional<CopyPlan> plan_matrices(const Problem& problem, const Copy& copy, const MatrixForm& form, std::string& why_not);

}  // namespace tileproof
