// verify: problem x plan -> report. Judges any plan, whoever wrote it, from the problem alone.
//
//   auto report = verify(problem, plan);            // every obligation, by SMT and by enumeration
//   auto proved = verify_and_certify(problem, plan);  // and, if all are proved, the only thing that emit/ accepts
//
// A Z3 context of its own for every call; nothing is global, so calls may run in parallel.
#pragma once

#include <cstdint>
#include <optional>

#include "verify/report.hpp"

namespace tileproof {

struct VerifyOptions {
    std::uint64_t rlimit = 50'000'000;  // Z3 resource units for one query; 0: no limit
    bool smt = true;
    bool exhaustive = true;  // left out for copies of more than 2^24 elements
};

/// Requires: check_problem and check_plan find nothing. Copies with a `rejection` (layouts/problem.hpp) are judged too: where the two
/// sides do not match, `same-element` is refuted and nothing else is asked; `swizzle-period` refutes `address`; the other kinds are
/// what the obligations say of the plan (a capacity below the span does no harm to a region that ends before it).
Report verify(const Problem& problem, const Plan& plan, const VerifyOptions& options = {});

struct Certified {
    Report report;
    std::optional<VerifiedPlan> plan;  // present iff report.verdict() is proved
};
Certified verify_and_certify(const Problem& problem, const Plan& plan, const VerifyOptions& options = {});

}  // namespace tileproof
