#include "cli/pipeline.hpp"

#include <algorithm>
#include <iostream>

#include "cli/fallback.hpp"
#include "cli/second_opinion.hpp"
#include "emit/ptx.hpp"
#include "solver/remedy.hpp"
#include "solver/smt.hpp"
#include "solver/solve.hpp"

namespace tileproof::cli {

View Planned::view(const std::string& file) const {
    View out{file == "-" ? "<stdin>" : file,
             problem,
             solution,
             report,
             kernel,
             false,
             TILEPROOF_VERSION,
             smt::z3_version(),
             cvc5_version,
             has_query_files};
    out.uses = uses;
    out.not_assumed = not_assumed;
    return out;
}

void Planned::seek_unlocks(const CommonOptions& options) {
    if (options.fallback) return;  // a patch of the file would be weakened too
    constexpr std::uint64_t most = 5'000'000;
    add_unlocks(problem, solution, {.rlimit = options.rlimit == 0 ? most : std::min(options.rlimit, most), .context = z3.get()});
}

void Planned::seek_uses(const CommonOptions& options) {
    if (verified) uses = find_uses(*verified, options.rlimit, z3.get());
}

std::vector<std::optional<Use>> find_uses(const VerifiedPlan& verified, std::uint64_t rlimit, SolverContext* z3) {
    const Problem& problem = verified.problem();
    VerifyOptions options;
    options.rlimit = rlimit;
    options.context = z3;
    const Problem weaker =
        problem.symbols.empty() ? with_needed_alignments(problem, verified.plan()) : with_needed_assumptions(verified, options);
    return uses(problem, verified.plan(), weaker);
}

std::optional<std::vector<std::string>> weaken(const CommonOptions& options, Problem& problem) {
    if (!options.fallback) return std::nullopt;
    Problem weaker = fallback(problem, options.rlimit);
    std::vector<std::string> out = given_up(problem, weaker);
    problem = std::move(weaker);
    return out;
}

void note_if_nothing_given_up(const CommonOptions& options, const Source& source,
                              const std::optional<std::vector<std::string>>& not_assumed) {
    if (!not_assumed || !not_assumed->empty() || options.quiet) return;
    std::cerr << source.name << ": note: the fallback is the plan itself: no alignment, multiple or fact of this file can be given up\n";
}

namespace {

/// The verifier's `widest` counts here, and must agree with the planner. Where a limit cut the search, it is open. It counts for no copy
/// whose width the file names.
void settle_widest(const Problem& problem, const Solution& solution, Report& report) {
    for (CopyReport& copy : report.copies) {
        const auto asked = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& c) { return c.name == copy.name; });
        if (!asks_for_the_widest(*asked)) continue;
        const auto planned =
            std::find_if(solution.copies.begin(), solution.copies.end(), [&](const CopySolution& c) { return c.name == copy.name; });
        if (!planned->undecided.empty())
            copy.widest = Finding{"widest", Verdict::unknown, {"smt"}, {}, "wider width undecided: " + planned->undecided};
        else if (copy.widest && copy.widest->verdict == Verdict::refuted)
            report.conflicts.push_back("copy '" + copy.name +
                                       "', widest: the planner refused what is legal: " + copy.widest->counterexample->text);
        copy.widest_counts = true;
    }
}

}  // namespace

std::unique_ptr<Planned> plan_file(const CommonOptions& options, const std::string& file, int& status) {
    Loaded loaded = options.one_line ? load_one_line(*options.one_line) : load_problem(file);
    if (!loaded.problem) {
        status = fail(options, loaded.source, {loaded.problem.error()});
        return nullptr;
    }
    const Result<SecondOpinion> opinion = second_opinion(options);
    if (!opinion) {
        status = fail(options, loaded.source, {opinion.error()});
        return nullptr;
    }
    VerifyOptions verify_options = opinion.value().verify;
    auto out = std::make_unique<Planned>(Planned{std::move(loaded.source),
                                                 std::move(loaded.problem.value()),
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 opinion.value().cvc5_version,
                                                 verify_options.keep_queries});
    verify_options.context = out->z3.get();
    out->not_assumed = weaken(options, out->problem);
    out->solution = solve(out->problem, {options.rlimit, options.single, options.straight, out->z3.get()});
    for (const CopySolution& copy : out->solution.copies)
        for (const Refusal& refusal : copy.refused)
            if (refusal.witness && !refusal.witness->symbols.empty()) verify_options.telling_values.push_back(refusal.witness->symbols);
    if (out->solution.complete()) {
        Certified certified = verify_and_certify(out->problem, out->solution.plan(), verify_options);
        out->report = std::move(certified.report);
        out->verified = std::move(certified.plan);
    } else {  // the rest is judged on its own
        Plan plan{{}, out->solution.program};
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < out->solution.copies.size(); ++i) {
            if (!out->solution.copies[i].plan) continue;
            which.push_back(i);
            plan.copies.push_back(*out->solution.copies[i].plan);
        }
        if (!which.empty()) out->report = verify(with_copies(out->problem, which), plan, verify_options);
    }
    if (const auto fault = keep_queries(options, opinion.value(), out->source, out->report)) {
        status = fail(options, out->source, {*fault});
        return nullptr;
    }
    settle_widest(out->problem, out->solution, out->report);
    if (out->verified) {
        Result<KernelInfo> kernel = kernel_info(out->problem, out->verified->plan());
        if (kernel) out->kernel = kernel.value();
        else out->kernel_fault = kernel.error();
        note_if_nothing_given_up(options, out->source, out->not_assumed);
    }
    status = status_of(out->view(file));
    return out;
}

int conclude(const CommonOptions& options, const Planned& planned, int status) {
    std::vector<Diagnostic> rejections;
    for (const CopySolution& copy : planned.solution.copies)
        if (copy.rejection) rejections.push_back(*copy.rejection);
    if (planned.kernel_fault) rejections.push_back(*planned.kernel_fault);
    if (!rejections.empty()) {
        CommonOptions text_only = options;
        text_only.format = "text";
        fail(text_only, planned.source, rejections);
    }
    return planned.kernel_fault && status == proved ? static_cast<int>(refuted) : status;
}

std::vector<Diagnostic> obstacles(const View& view) {
    std::vector<Diagnostic> out;
    for (const CopySolution& copy : view.solution.copies) {
        if (copy.rejection) out.push_back(*copy.rejection);
        if (!copy.undecided.empty())
            out.push_back({"undecided", "copy '" + copy.name + "': a solver limit was hit; not decided: " + copy.undecided});
    }
    const auto add = [&](const std::string& of, const std::vector<Finding>& findings) {
        for (const Finding& finding : findings) {
            if (finding.verdict == Verdict::proved) continue;
            const std::string why = finding.counterexample ? finding.counterexample->text : finding.reason;
            out.push_back({finding.obligation, of + to_string(finding.verdict) + ": " + why});
        }
    };
    for (const CopyReport& copy : view.report.copies) add("copy '" + copy.name + "' is not proved, ", copy.counted());
    add("the program is not proved, ", view.report.program);
    for (const std::string& conflict : view.report.conflicts) out.push_back({"internal-error", "the checkers disagree: " + conflict});
    return out;
}

}  // namespace tileproof::cli
