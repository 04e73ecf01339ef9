// Flat: plans over the row-major index of a box, for what does not nest and where padding each dimension would cost rounds.
//
//   5 x 5 accesses, 32 threads      digits: shares 8 x 4 need two rounds      flat: 25 accesses, one round
//   index i = 4-vector of thread t in round f;   coordinate = ((i / div) mod mod) for each dimension
//
// Where a canonical box exists its dimensions are the terms. Elsewhere the terms are the iters of the layouts, read off the
// region's coordinates: stride * (((start + coordinate) / weight) mod extent).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "layouts/box.hpp"
#include "layouts/plan.hpp"
#include "layouts/solution.hpp"

namespace tileproof {

/// The flat plan of a linear copy at a legal width, lanes along `run` (nothing for single elements).
/// `order`: box dimensions by falling preference for neighbouring threads.
CopyPlan flat_plan(const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width, std::optional<std::size_t> run,
                   const std::vector<std::size_t>& order);

/// Plans a copy without a canonical box, by looking at every element: width, refusals, `dst-overlaps`, plan.
/// Requires: rejection(problem, copy) finds nothing.
CopySolution solve_irregular(const Problem& problem, const Copy& copy, const std::vector<Bits>& widths);

}  // namespace tileproof
