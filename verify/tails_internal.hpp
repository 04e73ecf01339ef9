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

#include "layouts/box.hpp"
#include "verify/inquiry_internal.hpp"

namespace tileproof {

class TailProofs {
public:
    /// `bounds`: what the region ends at in the dimensions of the plan's box. Requires: check_plan finds nothing; no bound of the region exceeds
    /// the box, unless it clips; all outlive this. `telling`: gets values of the symbols at which a question has the wrong answer.
    TailProofs(Inquiry& inquiry, const CopyPlan& plan, const BoxBounds& bounds, const std::vector<Symbol>& symbols,
               const std::vector<Fact>& facts, std::vector<Values>& telling)
        : inquiry_(inquiry), plan_(plan), bounds_(bounds), symbols_(symbols), facts_(facts), shape_(plan.box.shape()), telling_(telling) {}

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

    Inquiry& inquiry_;
    const CopyPlan& plan_;
    const BoxBounds& bounds_;
    const std::vector<Symbol>& symbols_;
    const std::vector<Fact>& facts_;
    std::vector<std::int64_t> shape_;
    std::vector<Values>& telling_;
};

}  // namespace tileproof
