// Report: what the verifier found, obligation by obligation; and VerifiedPlan, which only the verifier can make.
//
//   aligned.src   proved   by smt, exhaustive
//   covers        refuted  by smt, exhaustive     element (3,5) is moved by no access
//
// Three verdicts; `unknown` is never rounded up. A refutation carries a counterexample that was replayed in plain integers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/plan.hpp"
#include "verify/query.hpp"

namespace tileproof {

struct VerifyOptions;
struct Certified;

enum class Verdict { proved, refuted, unknown };
std::string to_string(Verdict verdict);

struct Counterexample {
    std::string text;  // one sentence with numbers
    std::optional<Side> side{};
    std::optional<std::int64_t> segment{};
    std::optional<std::int64_t> round{};
    std::optional<std::int64_t> thread{};
    std::optional<std::int64_t> lane{};
    std::vector<std::int64_t> coordinate{};  // relative to the region's start, unit dimensions dropped
    std::optional<Bits> address{};           // from the buffer's base, base residue included
    std::optional<Bits> modulus{};           // what the address should be a multiple of
    Values symbols{};                        // by index; empty without symbols
    std::vector<std::array<std::int64_t, 4>>
        teams{};  // the two that clash: block x, y, z, and group; then `symbols` are those of the first
};

/// How often an obligation fails, counted by enumeration: "288 of 384 accesses".
struct Failures {
    std::int64_t failing = 0;
    std::int64_t all = 0;
    std::string unit{};  // "accesses" that run, "lanes" of those, or "elements" of the region
};

struct Finding {
    std::string obligation;  // an id of verify/obligation.hpp
    Verdict verdict = Verdict::unknown;
    std::vector<std::string> by{};  // "structure", "smt", the second solver's name, "exhaustive"
    std::optional<Counterexample> counterexample{};
    std::string reason{};                // why unknown
    std::optional<Failures> failures{};  // of a refuted one that was counted
    std::vector<std::size_t> queries{};  // of its report's `queries`: the proof rests on them, or they are why there is none
};

struct CopyReport {
    std::string name;
    std::vector<Finding> findings;    // whether the plan is right
    std::int64_t active_threads = 0;  // threads that run at least one access
    std::vector<Query> queries{};     // if they are kept, see VerifyOptions
    std::optional<Finding> widest{};  // whether a wider one would be: the obligation `widest`
    bool widest_counts = false;       // for the verdict; else it is for information

    Verdict verdict() const;
    /// The findings that the verdict is made of.
    std::vector<Finding> counted() const;
};

struct Report {
    std::vector<CopyReport> copies;
    std::vector<Finding> program;        // synchronised, converged, fits, assumptions
    std::vector<Query> queries{};        // of `program`, if they are kept
    std::vector<std::string> conflicts;  // checkers that disagree: an internal error
    Verdict verdict() const;
};

/// A problem and a plan for it whose every obligation is proved.
class VerifiedPlan {
public:
    const Problem& problem() const { return problem_; }
    const Plan& plan() const { return plan_; }
    const Report& report() const { return report_; }

private:
    friend Certified verify_and_certify(const Problem& problem, const Plan& plan, const VerifyOptions& options);
    VerifiedPlan(Problem problem, Plan plan, Report report);
    Problem problem_;
    Plan plan_;
    Report report_;
};

}  // namespace tileproof
