// A copy that fills with zeros, as copies that do not.
//
//   src = "A[row:+128, :]"   dst = "As"   predicate = "row + d0 < m"   zero_fill = true
//
//   moved      A[row:+128, :] -> As where row + d0 < m           what is read, and where it goes
//   written    all of As, from a twin of As                      every access that runs, whatever it writes
//   whole      A[row:+128, :] -> As, with A as long as that      the widths of accesses that run whether they read or not
//
// Registers are written by no access of memory where nothing is read. So what they are written from, in the second of these, has its elements as
// the lanes count them; and no step behind the bounds has to be aligned, in the third.
//
// A plan fills right if it is a plan of `moved` where it reads and a plan of `written` where it runs: what is read covers the part
// before the bounds and touches nothing else, no byte is written twice, and every byte of the region is written; so what is written
// without being read is exactly the complement.
#pragma once

#include <optional>

#include "layouts/plan.hpp"

namespace tileproof {

/// Each problem has this copy alone. Requires: mismatch(problem, copy) finds nothing.
Problem moved_part(const Problem& problem, const Copy& copy);
/// `reads`: the twin has the base of the source, for accesses that name their source even where they read nothing.
Problem written_part(const Problem& problem, const Copy& copy, bool reads);
Problem whole_part(const Problem& problem, const Copy& copy);
/// Requires, where the destination is in registers: bounds that are numbers.
Problem grouped_part(const Problem& problem, const Copy& copy);

/// Nothing where the box of the plan has no place for a bound that is a number, or a tail counts along one. `copy`: on its register file, of
/// which the box is.
std::optional<CopyPlan> moved_part(const Copy& copy, const CopyPlan& plan);
/// Bounds that leave an access out stay.
CopyPlan written_part(const CopyPlan& plan, bool reads);
/// The same of registers, whose elements have this size.
CopyPlan written_registers(const CopyPlan& plan, Bits element);
/// Each lane an access of its own, of one element of this size.
CopyPlan by_lanes(CopyPlan plan, Bits element);

/// Whether a bound of the plan has lanes of one access on both sides.
bool splits_lanes(const CopyPlan& plan);

}  // namespace tileproof
