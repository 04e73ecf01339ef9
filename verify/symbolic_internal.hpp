// Symbolic proofs: the obligations of a copy for all values of the symbols at once.
//
//   address      equal part by part: for each monomial, the coefficients make a plan and a layout without symbols (layouts/symbolic.hpp)
//   aligned      offset and strides are multiples of the width for all values
//   bounds       the least and the greatest offset of the box lie inside the capacity for all values
//   disjoint     each stride of the box exceeds what the smaller ones reach together, for all values; over blocks see blocks_internal.hpp
//
// Every proof is for all values that ranges, multiples and facts allow. What is not proved is looked for at samples of the symbols,
// where the ordinary enumeration judges; a sample that fails refutes. Where the samples are all values that there are, what is right at
// each is proved; otherwise the answer is unknown. What is proved is looked at there too: a sample at which it is false is a conflict.
#pragma once

#include <memory>
#include <vector>

#include "verify/inquiry_internal.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

/// Whether no sum of an address, in elements or bytes, leaves the index: by intervals, each monomial on its own.
bool cannot_overflow(const Problem& problem, const Copy& copy, const CopyPlan& plan);

/// What SMT says of each id of `searched`, in that order: proved or unknown. Of a copy with a side in registers also where nothing depends on symbols.
/// `telling`: gets values of the symbols, of models of what is not proved; they need not be allowed, nor refute anything.
std::vector<Finding> prove_symbolic(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan,
                                    std::vector<Values>& telling);

/// One finding per id of `searched`, in that order, and then `overflow`. `inquiry` may be null: then only samples are judged.
/// `enumeration_decides`: whether what is right at all values counts, where no proof says so.
/// Requires: is_symbolic(problem, copy) or is_symbolic(plan); check_problem and check_plan find nothing.
std::vector<Finding> judge_symbolic(Inquiry* inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan,
                                    bool enumeration_decides, std::vector<std::string>& conflicts);

/// The proofs of one copy, asked again under other assumptions. What is proved without a look at the values of symbols (the lemmas, and
/// without symbolic extents `address`, `predicate` and `covers`) is proved once or taken from a report; the rest is decided each time.
class ProofsAnew {
public:
    /// Requires: as judge_symbolic; `report` is of this copy and plan; all but it outlive this.
    ProofsAnew(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan, const CopyReport& report);
    ~ProofsAnew();
    /// Whether every id of `searched`, and `overflow`, is proved with these symbols and facts.
    bool hold(const std::vector<Symbol>& symbols, const std::vector<Fact>& facts);

private:
    struct Proofs;
    std::unique_ptr<Proofs> proofs_;
};

/// `assumptions`: some values of the symbols respect ranges, multiples and facts; and what the file says of symbols that the launch
/// computes is true in every block. Without an inquiry only samples and `telling` values are looked at.
Finding judge_assumptions(Inquiry* inquiry, const Problem& problem, const std::vector<Values>& telling = {});

}  // namespace tileproof
