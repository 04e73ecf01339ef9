// solve: problem -> solution. For each copy the widest legal access, the partition into [outer, threads, vec], and
// the reason why each wider width was refused; for the file, the barriers between dependent copies.
//
//   auto solution = solve(problem);
//   solution.copies[0].width                 // Bits{128}
//   solution.copies[0].refused[0].rule       // "target"
//   solution.plan()                          // hand it to verify()
//
// Deterministic: the same problem gives the same plan on every machine. Nothing here is trusted by the verifier.
#pragma once

#include <cstdint>

#include "layouts/solution.hpp"
#include "solver/solver_context.hpp"

namespace tileproof {

struct SolveOptions {
    std::uint64_t rlimit = 50'000'000;  // Z3 resource units for one query; 0: no limit
    bool single = false;                // one width for a whole copy, also where edges alone make it narrow (solver/cut.hpp)
    bool straight = false;              // lane j to lane j, one access a side: no blocks of registers (solver/blocks.hpp)
    SolverContext* context = nullptr;   // one of its own where there is none
};

/// Requires: check_problem finds nothing.
Solution solve(const Problem& problem, const SolveOptions& options = {});

}  // namespace tileproof
