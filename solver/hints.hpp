// Hints: which accesses of a copy carry the cache hints that its `cache` asks for, and why some cannot.
//
//   cache = ["nc", "L1::no_allocate"], global -> shared     the load has both
//   the same, shared -> global                              refused: nc does not go with stores
//   cache = ["L1::evict_first"], global -> global           the load and the store
//   cache = ["L2::evict_last"]                              256 bits or nothing
//
// A hint goes on every access to global memory of the copy that takes it, and one that no access takes is refused: none is left out
// in silence.
#pragma once

#include <string>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

/// Why a copy by cp.async (`async`), or by loads and stores, cannot have its hints, whatever the width; empty where it can.
std::string hints_gate(const Problem& problem, const Copy& copy, bool async);

/// Of these widths, those with which the hints go. `because` is added to where some are left out.
std::vector<Bits> hinted_widths(const Copy& copy, const std::vector<Bits>& widths, std::string& because);

/// Puts the hints into the instructions of a plan. Requires: hints_gate is empty, the widths are of hinted_widths.
void add_hints(const Problem& problem, const Copy& copy, CopyPlan& plan);

/// The words that such a copy could have on this target.
std::vector<std::string> possible_hints(const Problem& problem, const Copy& copy);

}  // namespace tileproof
