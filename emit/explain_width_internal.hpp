// Why a width is legal: the runs, the dimension along which they lie, what aligns them, what the swizzles do to them.
#pragma once

#include <string>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

/// A head for the margin and a paragraph.
struct Ground {
    std::string head;
    std::string text;
};

/// Requires: the copy has a plan, and all its obligations are proved.
std::vector<Ground> grounds(const Problem& problem, const Copy& copy, const CopySolution& solution);

}  // namespace tileproof
