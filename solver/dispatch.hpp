// Dispatch: the ways to do a copy, in order of priority, and why the others do not serve.
//
//   completion = "kernel", global -> shared       ldgsts {128, 64, 32 bits}, then vec_auto
//   dispatch = "vec_64b", one thread, 64 bits     vec_64b {64 bits} alone
//   dispatch = "fallback"                         fallback {an element}, over all threads
//
// A variant is a set of widths and the instructions for them; which of the widths is legal, and the partition, is found as always.
#pragma once

#include <string>
#include <vector>

#include "layouts/solution.hpp"

namespace tileproof {

struct Variant {
    std::string name;
    std::vector<Bits> widths;  // to be tried, widest first
};

struct Dispatch {
    std::vector<Variant> candidates{};
    std::vector<Declined> declined{};
};
/// The variants whose gates let the copy through. Requires: rejection(problem, copy) finds nothing.
Dispatch dispatch(const Problem& problem, const Copy& copy);

/// Puts the variant's instructions into a plan for it. Requires: the width is one of the variant's.
void choose_instructions(const Variant& variant, CopyPlan& plan);

/// Why a variant that passed its gate has no plan.
std::string reason_of(const Variant& variant, const CopySolution& tried);

}  // namespace tileproof
