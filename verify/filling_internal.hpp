// Copies that fill with zeros, judged as the copies that layouts/filling.hpp makes of them.
//
//   address.src bounds.src same-element     of what is moved
//   address.dst bounds.dst aligned.dst      of what is written; `contiguous`, `covers` and `predicate` of both, `disjoint` of what is written
//   aligned.src                             of what is moved; cp.async names its source also where it reads nothing: of what is written
//
// Where a bound lies between the lanes of one access, `bounds.src`, `covers` and `predicate` are judged lane by lane.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verify/judge_internal.hpp"

namespace tileproof {

/// What is found of one part: findings of `searched`, `overflow` perhaps, and the queries that they count in.
struct PartFindings {
    std::vector<Finding> findings;
    std::vector<Query> queries;
};
using JudgePart = std::function<PartFindings(const std::string& name, const Problem& problem, const CopyPlan& plan)>;

/// One finding per id of `searched`, and `overflow` where the parts have it. Requires: copy.zero_fill; mismatch finds nothing.
PartFindings judge_filling(const Problem& problem, const Copy& copy, const CopyPlan& plan, const JudgePart& judge);

}  // namespace tileproof
