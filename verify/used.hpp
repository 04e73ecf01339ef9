// Used: what of its assumptions a proof needs. Each is weakened in turn and the same plan verified again, by SMT alone.
//
//   ld is from 64 to 65536, a multiple of 64      ->  "ld is from 64 to 65536, a multiple of 8" is enough
//   ld >= 128                                     ->  not used: everything is proved without it
//   the base of A is a multiple of 256 bytes      ->  16 bytes, as wide as the plan's accesses of A
//
// Nothing is read off a solver's core. What is left is a problem of its own, for which the plan is proved once more; so a guard that
// checks this much is enough (emit/guard.hpp). It is least in the sense that no single fact, multiple or alignment of it can be
// weakened further; of two facts of which either would do, the first goes.
//
// Ranges stay as they are: the proof that no address overflows rests on each. A symbol that nothing mentions any more is unbounded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/verify.hpp"

namespace tileproof {

constexpr int most_verifications = 64;  // while looking; what is not settled by then counts as used

/// The problem with each alignment of a global buffer no larger than the plan needs: the widest access, at least an element.
/// A base that is known exactly becomes such an alignment, where it is one. No proof is needed to see this: what is known of a base
/// is asked by `aligned` alone, and by the size of an element.
Problem with_needed_alignments(const Problem& problem, const Plan& plan);

/// The problem with the weakest assumptions that were found. Ensures: the copies are proved for it, those without symbols by what
/// proved them before. The same input gives the same answer, whatever the time it takes.
Problem with_needed_assumptions(const VerifiedPlan& verified, const VerifyOptions& options = {});

/// The plan, proved once more for that problem; `verified` itself where that does not succeed.
VerifiedPlan reduced(const VerifiedPlan& verified, const VerifyOptions& options = {});

/// Whether addresses, extents, capacities or facts mention the symbol.
bool occurs(const Problem& problem, const Plan& plan, int symbol);

/// What becomes of one assumption.
struct Use {
    bool used = true;
    std::string needed{};  // where less is enough: what
};
/// For each of assumptions(problem), in order; nothing for those that are not looked at: capacities, distinct-buffers, exclusive.
/// Requires: `weaker` comes from the functions above.
std::vector<std::optional<Use>> uses(const Problem& problem, const Plan& plan, const Problem& weaker);

}  // namespace tileproof
