// Simulate: what a plan does to memory, access by access, and what the copy should do. For tests; its own evaluation throughout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof::simulate {

/// Runs the plan of one copy on elements numbered by buffer offset and compares the destination buffer with the definition.
/// Empty if every element arrived, nothing else changed, and every access was aligned (base 0 or the known residue) and inside;
/// else what went wrong first.
std::string fault(const Problem& problem, const Copy& copy, const CopyPlan& plan);

}  // namespace tileproof::simulate
