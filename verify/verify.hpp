// verify: problem x plan -> report. Judges any plan, whoever wrote it, from the problem alone.
//
//   auto report = verify(problem, plan);            // every obligation, by SMT and by enumeration
//   auto proved = verify_and_certify(problem, plan);  // and, if all are proved, the only thing that emit/ accepts
//
// Nothing is global, so calls may run in parallel, each with a solver context of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "solver/solver_context.hpp"
#include "verify/query.hpp"
#include "verify/report.hpp"

namespace tileproof {

struct VerifyOptions {
    std::uint64_t rlimit = 50'000'000;  // Z3 resource units for one query; 0: no limit
    bool smt = true;
    bool exhaustive = true;     // left out for copies of more than 2^24 elements
    bool keep_queries = false;  // in the report, as SMT-LIB 2
    /// Where given, nothing is proved by Z3 alone: every query of a proof is put to this solver too, and kept. An obligation that
    /// they do not both decide is unknown, whatever enumeration says; one that they dispute is a conflict.
    std::optional<SecondSolver> second{};
    std::vector<Values> telling_values{};  // of the symbols: where a wider width is known to fail, if the caller knows
    bool require_widest = false;           // whether a plan that could be wider is refuted; it is decided with `exhaustive` alone
    SolverContext* context = nullptr;      // one of its own where there is none
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
