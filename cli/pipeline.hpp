// The main road: read a problem, solve it, verify the plan. What plan, emit and run have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/common.hpp"
#include "verify/verify.hpp"

namespace tileproof::cli {

struct Planned {
    Source source;
    Problem problem;
    Solution solution;
    Report report;                           // of the copies that have plans
    std::optional<VerifiedPlan> verified;    // of the whole file
    std::optional<KernelInfo> kernel;        // if verified
    std::optional<Diagnostic> kernel_fault;  // why the verified plan has no kernel (a stated PTX version that is too low)
    std::string cvc5_version;                // of the second solver, where one was asked
    bool has_query_files = false;
    std::vector<std::optional<Use>> uses{};
    std::optional<std::vector<std::string>> not_assumed{};
    std::unique_ptr<SolverContext> z3 = std::make_unique<SolverContext>();  // of all that is asked about this file

    View view(const std::string& file) const;
    /// What would lift each refusal, for those who show it.
    void seek_unlocks(const CommonOptions& options);
    /// Which assumptions the proof uses, for those who show it.
    void seek_uses(const CommonOptions& options);
};

/// Which assumptions the proof of a verified plan uses. Without symbols that shows in the plan; with them it is proved again and again.
std::vector<std::optional<Use>> find_uses(const VerifiedPlan& verified, std::uint64_t rlimit, SolverContext* z3);

/// Under --fallback, makes the problem the weakest (cli/fallback.hpp) and says what it then does not assume.
std::optional<std::vector<std::string>> weaken(const CommonOptions& options, Problem& problem);
/// Says so on standard error, where that is nothing.
void note_if_nothing_given_up(const CommonOptions& options, const Source& source,
                              const std::optional<std::vector<std::string>>& not_assumed);

/// The problem of the file, or of options.one_line. Nothing where the file could not be read: `fail` has then been called and `status` is set.
std::unique_ptr<Planned> plan_file(const CommonOptions& options, const std::string& file, int& status);

/// What plan and explain end with: rejections on standard error with the place in the file, as a compiler shows them. The exit status.
int conclude(const CommonOptions& options, const Planned& planned, int status);

/// The diagnostics of what stands in the way of using the plan: rejections, refutations, what is undecided.
std::vector<Diagnostic> obstacles(const View& view);

}  // namespace tileproof::cli
