// Remedy: the smallest change of a problem under which a refused width is legal.
//
//   base-alignment   align = 8                     base of A aligned to 16 bytes                          {"buffers": {"A": {"align": 16}}}
//   stride           rows of 16 halves, pitch 20   pitch of A a multiple of 8 elements (24 instead of 20)  {"buffers": {"A": {"layout": ...}}}
//   region-offset    A[:, 4:20]                    start column of A a multiple of 8 (0 instead of 4)      {"copies": [...]}
//
// For each rule there are few candidates, tried in a fixed order that asks what the author of a kernel can change at what cost:
//   1. another target;
//   2. a promise about a base, which costs a look at the caller: an alignment, or the residue where the file states one;
//   3. the layout's own constant offset, or a pitch: cheap for a tile in shared memory, an allocation elsewhere;
//   4. a start of the region: other elements are copied, and in a loop over tiles that is its first index and step;
//   5. more elements: rows that end at a multiple, the padding copied too;
//   6. a base that is off by what the region is off: true of few pointers, so last; never against an alignment that the file states.
// A refusal that lies behind another is lifted likewise, so an unlock may be several changes. Each change is the least of its kind.
// An unlock is never guessed: the patch is applied to the problem as JSON, read with all the checks of a file, and solved; the width
// must be legal for this copy, no other copy of its buffers may get narrower, it may write nothing that another copy touches and it
// did not, and shared memory must hold what it held.
// Not called by solve: who shows refusals asks for it.
#pragma once

#include <cstdint>
#include <optional>

#include "layouts/solution.hpp"
#include "solver/solver_context.hpp"

namespace tileproof {

struct RemedyOptions {
    std::uint64_t rlimit = 5'000'000;           // Z3 resource units for one query of the check
    Elements largest{std::int64_t{1} << 20};    // copies of more elements are left alone
    Elements looked_at{std::int64_t{1} << 22};  // in all attempts on one refusal together
    SolverContext* context = nullptr;           // one for each attempt where there is none
};

/// Nothing where nothing helps, or nothing was found within the limits.
/// Requires: check_problem finds nothing; the refusal is one of this copy, solved as it is; the copy is not larger than options.largest.
std::optional<Unlock> find_unlock(const Problem& problem, const Copy& copy, const Refusal& refusal, const RemedyOptions& options = {});

/// Looks for the unlock of each refusal of the solution. Those of larger copies stay unsought, save where no change can help.
/// Requires: the solution is that of the problem.
void add_unlocks(const Problem& problem, Solution& solution, const RemedyOptions& options = {});

}  // namespace tileproof
