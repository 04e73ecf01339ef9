// Widest: whether a wider access than the plan's would be legal too, by the definition and element by element.
//
//   f16 rows of pitch 20, asked above 32 bits      64 bits: 320 runs of 4 elements, each a whole aligned block on both sides
//                         asked above 64 bits      none: element (1,0) is 4 elements into a block of 128 bits, where a head should be
//
// A run is what lies in one block of destination addresses. Here the elements are sorted by destination, so that a run is n
// neighbours of that order. Shares with the planner only where a layout puts an element and what the machine has.
#pragma once

#include <cstdint>
#include <optional>

#include "layouts/problem.hpp"

namespace tileproof {

struct WiderWidth {
    std::optional<Bits> width{};  // the widest legal one above what was asked
    std::int64_t runs = 0;        // that it takes
    bool looked = false;          // at elements; otherwise tables settled it
};

/// Whether accesses of n elements are legal for all elements of a copy with a side in registers.
bool are_register_runs(const Problem& problem, const Copy& copy, std::int64_t n);

/// Requires: check_problem finds nothing, and the copy has no rejection.
WiderWidth wider_width(const Problem& problem, const Copy& copy, Bits than);

}  // namespace tileproof
