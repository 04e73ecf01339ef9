// Tails: plans whose segments count from an end with symbols, for all values of the symbols at once.
//
//   columns 0 to 63, n of them in the region       body   8*d,  d < 8, runs where 8*d < n - 7
//                                                  tail   8*b + e,  e < 7, runs where 8*b + e < n      b the integer of 0 <= n - 8*b < 8
//
// Which coordinates run is decided in linear integer arithmetic over digits, coordinates and symbols, in which where a tail begins is an integer of its own
// that satisfies its definition. Addresses are decided by coefficients: in each digit and along the tail the plan adds what the layout does.
// Each method answers true only for a proof.
#pragma once

#include <string>
#include <vector>

#include "verify/all_values_internal.hpp"

namespace tileproof {

class TailProofs : ForAllValues {
public:
    /// As ForAllValues. Requires: no bound of the region exceeds the box, unless it clips.
    using ForAllValues::ForAllValues;

    /// Lanes of accesses that run have coordinates of the region.
    bool stay_inside();
    /// Every coordinate of the region is that of some lane that runs.
    bool cover();
    /// Lanes that run, of two segments, have different coordinates.
    bool segments_are_apart();
    /// offset and strides are those of a layout that is linear in the coordinates of the box.
    bool have_addresses(Side side, const Expression& constant, const std::vector<Expression>& strides) const;

private:
    /// The terms of one query.
    class Query;
};

}  // namespace tileproof
