// Program: the copies in file order, with a barrier before each copy that depends on an earlier one, and a wait of each thread for
// its own asynchronous copies before that barrier.
//
//   load A -> As, store As -> B                          load, bar.sync, store
//   load0 and load1 by cp.async, store0, store1          load0, load1, wait for all but 1, bar.sync, store0, wait for all, bar.sync, store1
//
// Two copies depend if they share a buffer of memory that one of them writes. One barrier of the whole block serves every pair across it. What
// no copy depends on is waited for at the end, unless the caller does.
#pragma once

#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

/// Registers of a thread are nobody else's, and it uses them in the order of the program: they make no copies depend on each other.
bool depend(const Problem& problem, const Copy& a, const Copy& b);

/// The program of the copies that have plans. `copies`: one for each of the problem's.
std::vector<Step> schedule(const Problem& problem, const std::vector<CopySolution>& copies);

}  // namespace tileproof
