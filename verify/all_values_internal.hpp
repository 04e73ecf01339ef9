// What proofs for all values of the symbols of a region have in common: who is asked, what is assumed, and what becomes of a wrong answer.
#pragma once

#include <vector>

#include "layouts/box.hpp"
#include "verify/inquiry_internal.hpp"

namespace tileproof {

/// Whether the answer is never; values at which it is not may tell why.
inline bool is_impossible(const smt::Outcome& found, std::vector<Values>& telling) {
    if (found.answer == smt::Answer::sat && !found.values.empty()) telling.push_back(found.values);
    return found.answer == smt::Answer::unsat;
}

class ForAllValues {
public:
    /// `bounds`: what the region ends at in the dimensions of the plan's box. `telling`: gets values of the symbols at which a question
    /// has the wrong answer. Requires: check_plan finds nothing; all outlive this.
    ForAllValues(Inquiry& inquiry, const CopyPlan& plan, const BoxBounds& bounds, const std::vector<Symbol>& symbols,
                 const std::vector<Fact>& facts, std::vector<Values>& telling)
        : inquiry_(inquiry), plan_(plan), bounds_(bounds), symbols_(symbols), facts_(facts), shape_(plan.box.shape()), telling_(telling) {}

protected:
    bool is_impossible(const smt::Outcome& found) const { return tileproof::is_impossible(found, telling_); }

    Inquiry& inquiry_;
    const CopyPlan& plan_;
    const BoxBounds& bounds_;
    const std::vector<Symbol>& symbols_;
    const std::vector<Fact>& facts_;
    std::vector<std::int64_t> shape_;
    std::vector<Values>& telling_;
};

}  // namespace tileproof
