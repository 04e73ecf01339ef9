#include <algorithm>

#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "cli/second_opinion.hpp"
#include "emit/plan_json.hpp"
#include "emit/report_json.hpp"
#include "emit/report_text.hpp"
#include "solver/smt.hpp"
#include "verify/verify.hpp"

namespace tileproof::cli {
namespace {

/// A single copy object is judged against that copy of the file alone.
Result<Problem> problem_for(const Problem& problem, const PlanFile& file) {
    if (!file.single_copy) return problem;
    const std::string& name = file.plan.copies.front().copy;
    const auto found = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& copy) { return copy.name == name; });
    if (found == problem.copies.end()) return Diagnostic{"plan-copies", "the problem has no copy '" + name + "'"};
    return with_copies(problem, {static_cast<std::size_t>(found - problem.copies.begin())});
}

/// Copies that no plan can do: shown as `plan` shows them.
std::optional<int> show_rejections(const CommonOptions& options, const std::string& file, const Source& source, const Problem& problem) {
    Solution solution;
    std::vector<Diagnostic> rejections;
    for (const Copy& copy : problem.copies) {
        CopySolution one;
        one.name = copy.name;
        one.rejection = rejection(problem, copy);
        if (one.rejection) rejections.push_back(*one.rejection);
        else one.undecided = "the plan, since another copy is rejected";
        solution.copies.push_back(std::move(one));
    }
    if (rejections.empty()) return std::nullopt;
    const Report report;
    const View view{file == "-" ? "<stdin>" : file, problem, solution, report, {}, true, TILEPROOF_VERSION, smt::z3_version()};
    if (options.json()) print(report_json(view));
    CommonOptions text_only = options;
    text_only.format = "text";
    return fail(text_only, source, rejections, refuted);
}

}  // namespace

int verify_command(const CommonOptions& options, const std::string& file, const std::string& plan_file, bool require_widest) {
    if (file == "-" && plan_file == "-")
        return fail(options, {"<command line>", ""}, {Diagnostic{"usage", "FILE and --plan cannot both be standard input"}});
    Loaded loaded = load_problem(file);
    if (!loaded.problem) return fail(options, loaded.source, {loaded.problem.error()});
    const auto not_assumed = weaken(options, loaded.problem.value());
    const Result<std::string> text = read_text(plan_file, 16U << 20);
    const std::string plan_name = plan_file == "-" ? "<stdin>" : plan_file;
    if (!text) return fail(options, {plan_name, ""}, {text.error()});
    const Source plan_source{plan_name, text.value()};
    const Result<PlanFile> read = parse_plan(text.value(), loaded.problem.value().symbols);
    if (!read) return fail(options, plan_source, {read.error()});
    const Plan& plan = read.value().plan;
    const Result<Problem> asked = problem_for(loaded.problem.value(), read.value());
    if (!asked) return fail(options, plan_source, {asked.error()});
    const Problem& problem = asked.value();
    if (const std::optional<int> rejected = show_rejections(options, file, loaded.source, problem)) return *rejected;
    if (const auto fault = check_plan(problem, plan)) return fail(options, plan_source, {*fault});

    Solution solution;
    solution.program = plan.program;
    for (const CopyPlan& copy : plan.copies) {
        CopySolution one;
        one.name = copy.copy;
        one.width = narrowest(copy);
        one.plan = copy;
        solution.copies.push_back(std::move(one));
    }
    const Result<SecondOpinion> opinion = second_opinion(options);
    if (!opinion) return fail(options, loaded.source, {opinion.error()});
    VerifyOptions verify_options = opinion.value().verify;
    verify_options.require_widest = require_widest;
    SolverContext z3;
    verify_options.context = &z3;
    const Certified certified = verify_and_certify(problem, plan, verify_options);
    if (const auto fault = keep_queries(options, opinion.value(), loaded.source, certified.report))
        return fail(options, loaded.source, {*fault});
    View view{file == "-" ? "<stdin>" : file,
              problem,
              solution,
              certified.report,
              {},
              true,
              TILEPROOF_VERSION,
              smt::z3_version(),
              opinion.value().cvc5_version,
              opinion.value().verify.keep_queries};
    if (certified.plan) {
        if (const Result<KernelInfo> kernel = kernel_info(problem, plan)) view.kernel = kernel.value();
        if (options.json() || !options.quiet) view.uses = find_uses(*certified.plan, options.rlimit, &z3);
    }
    view.not_assumed = not_assumed;
    if (options.json()) print(report_json(view));
    else if (!options.quiet) print(report_text(view, use_color(options)));
    else complain(view);
    note_if_nothing_given_up(options, loaded.source, not_assumed);
    return status_of(view);
}

}  // namespace tileproof::cli
