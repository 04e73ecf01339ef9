// Structure: obligations that a look at the problem and the plan decides, without elements and without a solver.
#pragma once

#include <vector>

#include "verify/judge_internal.hpp"

namespace tileproof {

/// `legal`, `participants`, `overflow` of one copy.
std::vector<Finding> judge_structure(const Problem& problem, const Judge& judge);

/// `assumptions`, `synchronised`, `converged`, `fits` of the file.
std::vector<Finding> judge_program(const Problem& problem, const Plan& plan);

}  // namespace tileproof
