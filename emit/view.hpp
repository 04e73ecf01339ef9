// View: everything that a report shows, gathered. Reports are of what was asked, planned and found, proved or not.
#pragma once

#include <optional>
#include <string>

#include "emit/ptx.hpp"
#include "layouts/solution.hpp"
#include "verify/report.hpp"
#include "verify/used.hpp"

namespace tileproof {

enum class Outcome { proved, refuted, unknown, rejected };
std::string to_string(Outcome outcome);

struct View {
    std::string file;
    const Problem& problem;
    const Solution& solution;  // of a foreign plan: its copies without refusals
    const Report& report;      // of the copies that have plans, in the order of the solution
    std::optional<KernelInfo> kernel{};
    bool foreign = false;  // the plan came from a file
    std::string tool_version{};
    std::string z3_version{};
    std::string cvc5_version{};                             // if it was asked
    bool has_query_files = false;                           // the queries of the report are in files of their names
    std::vector<std::optional<Use>> uses{};                 // of the assumptions, where it was found out
    std::optional<std::vector<std::string>> not_assumed{};  // under --fallback: what the file says and this plan does without

    struct Shown {
        Assumption assumption;
        std::optional<Use> use{};
        /// "(symbol; needed: ld is from 64 to 65536, a multiple of 8)"
        std::string note() const;
    };
    /// What the proof rests on.
    std::vector<Shown> shown_assumptions() const;

    /// The report of a copy; null if it has no plan.
    const CopyReport* report_of(const std::string& copy) const;
    Outcome outcome_of(const CopySolution& copy) const;
    Outcome outcome() const;
};

/// The narrowest run that a plan moves as it is: of plans without blocks, its narrowest access.
Bits narrowest(const CopyPlan& plan);

}  // namespace tileproof
