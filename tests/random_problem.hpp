// Random concrete problems: permuted, padded, nested, swizzled, shifted, broadcast layouts; every scope and odd thread counts.
//
// `draw(lo, hi)` gives a number in lo..hi, so that a property tester can shrink what it chose.
#pragma once

#include <cstdint>
#include <functional>

#include "layouts/problem.hpp"
#include "layouts/plan.hpp"

namespace tileproof::random {

using Draw = std::function<std::int64_t(std::int64_t, std::int64_t)>;

/// One copy between two buffers. Mostly both sides split each dimension along one chain of factors, so that a canonical box
/// exists; sometimes one or both are split in any way, and the region cuts across it.
Problem problem(const Draw& draw);

/// Rows along which runs lie, of any length and from anywhere on, on both sides mostly from the same place in a wide access.
Problem rows(const Draw& draw);

/// One change somewhere in the plan of a copy: an address, a digit, a bound, a width, a swizzle, a place. May change nothing that matters.
void damage(CopyPlan& plan, const Draw& draw);

}  // namespace tileproof::random
