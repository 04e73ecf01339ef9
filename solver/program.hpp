// Program: the copies in file order, with a barrier before each copy that depends on an earlier one.
//
//   load A -> As, store As -> B     ->   load, bar.sync, store
//
// Two copies depend if they share a buffer that one of them writes. One barrier of the whole block serves every pair across it.
#pragma once

#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

bool depend(const Copy& a, const Copy& b);

/// The program of the copies whose index is in `which` (rising).
std::vector<Step> schedule(const Problem& problem, const std::vector<std::size_t>& which);

}  // namespace tileproof
