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
    bool require_widest = false;  // whether a plan that could be wider is refuted; it is decided with `exhaustive` alone
};

/// Requires: check_problem and check_plan find nothing, and no copy has a rejection.
Report verify(const Problem& problem, const Plan& plan, const VerifyOptions& options = {});

struct Certified {
    Report report;
    std::optional<VerifiedPlan> plan;  // present iff report.verdict() is proved
};
Certified verify_and_certify(const Problem& problem, const Plan& plan, const VerifyOptions& options = {});

}  // namespace tileproof
