// Register sides: the obligations of a copy between registers and memory, in plain integers, access by access.
//
//   thread 3, round 1, lane 2      the plan:    register 6, element offset 42 of A
//                                  the layouts: element (3,6) is in register 6 of thread 3, and at 42 of A
//
// On the register file (layouts/register_file.hpp) addresses, coverage and disjointness are what they are for memories. Two things are
// not: an access of registers is no block but a list, and that list is part of the instruction. So the register of a lane must not
// depend on the thread, and neither may the order of the lanes in memory: `contiguous` of the register side. And each must be one
// of the buffer's: `bounds`. Registers need no alignment.
// This enumeration is the definition. SMT proves a copy on its register file as it proves one between memories (symbolic_internal.hpp), for
// all values of the symbols; which registers an access names is seen in its digits. Rows of matrices are enumerated alone.
#pragma once

#include <cstdint>
#include <vector>

#include "layouts/plan.hpp"
#include "verify/report.hpp"

namespace tileproof {

/// One finding per id of `searched` (verify/judge_internal.hpp), in that order.
/// Requires: register_side(problem, copy), the other side in memory; no symbols; check_problem and check_plan find nothing.
std::vector<Finding> judge_registers(const Problem& problem, const Copy& copy, const CopyPlan& plan);

/// The registers that the digits of a segment name, as its register side computes them.
struct Names {
    std::int64_t least = 0, greatest = 0;
    bool are_the_same_in_all_threads = true;
};
/// Requires: not on the register file.
Names names_of(const Segment& segment, Side held);

/// Threads that run some access, whatever their bounds are.
std::int64_t threads_that_run(const CopyPlan& plan);

}  // namespace tileproof
