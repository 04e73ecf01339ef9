#include "layouts/solution.hpp"

#include <algorithm>

namespace tileproof {

bool Solution::complete() const {
    return std::all_of(copies.begin(), copies.end(), [](const CopySolution& copy) { return copy.plan.has_value(); });
}

Plan Solution::plan() const {
    TILEPROOF_CHECK(complete());
    Plan plan{{}, program};
    for (const CopySolution& copy : copies) plan.copies.push_back(*copy.plan);
    return plan;
}

}  // namespace tileproof
