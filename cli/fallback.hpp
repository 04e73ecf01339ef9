// The fallback: the problem that is left when everything is given up that a plan can do without.
//
//   A aligned to 256 bytes, ld a multiple of 64, facts: bs >= 128*ld, ld >= 128        tp_rows             128 bits
//   A aligned to an element, ld anything in its range, fact bs >= 128*ld               tp_rows_fallback     16 bits
//
// Its kernel runs where the guard of the other says no. What it still assumes (here a fact without which rows would overlap, always
// ranges and capacities) is what the caller has to make true for any kernel of this copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof::cli {

constexpr int most_plans = 24;  // that are looked at; what is not settled by then stays

/// A global base is aligned to its element only; each `multiple_of` is 1 and each fact gone, unless no plan is proved without it.
/// Ensures: fallback(fallback(p)) assumes what fallback(p) assumes. Requires: check_problem finds nothing.
Problem fallback(const Problem& problem, std::uint64_t rlimit);

/// What `problem` assumes and `weaker`, made from it, does not, in the words of the report.
std::vector<std::string> given_up(const Problem& problem, const Problem& weaker);

}  // namespace tileproof::cli
