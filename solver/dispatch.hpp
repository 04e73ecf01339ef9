// Dispatch: the ways to do a copy, in order of priority, and why the others do not serve.
//
//   completion = "kernel", global -> shared       ldgsts {128, 64, 32 bits}, then vec_auto
//   shared -> register, or back                   ldstmatrix {rows of 128 bits}, then vec_auto
//   dispatch = "vec_64b", one thread, 64 bits     vec_64b {64 bits} alone
//   dispatch = "fallback"                         fallback {an element}, over all threads
//   cache = "cg", with a completion               ldgsts {128 bits} alone: other variants and widths have no such hint
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
    std::string limited_by{};  // the cache hint that leaves out others
};

struct Dispatch {
    std::vector<Variant> candidates{};
    std::vector<Declined> declined{};
    bool hints_decline = false;  // the last of them, because of cache hints
};
/// The variants whose gates let the copy through. Requires: rejection(problem, copy) finds nothing.
Dispatch dispatch(const Problem& problem, const Copy& copy);

/// Puts the variant's instructions, and the copy's cache hints, into a plan for it. Requires: the width is one of the variant's.
void choose_instructions(const Problem& problem, const Copy& copy, const Variant& variant, CopyPlan& plan);

/// What to say where every variant declines: `cache-hint` or `declined`. Requires: there are no candidates, or each was tried.
Diagnostic nothing_serves(const Problem& problem, const Copy& copy, const Dispatch& choice);

/// Why a variant that passed its gate has no plan.
std::string reason_of(const Variant& variant, const CopySolution& tried);

}  // namespace tileproof
