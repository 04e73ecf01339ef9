// libFuzzer target: any bytes as a problem file. What loads must be well formed and rejected or not without a crash; small problems
// must be planned and proved without a conflict between the checkers, or a proof of something that the simulation does not bear out.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "layouts/problem_file.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
    using namespace tileproof;
    const Result<Problem> problem = parse_problem({"fuzz", std::string(reinterpret_cast<const char*>(data), bytes)}, "fuzz");
    if (!problem) return 0;
    if (check_problem(problem.value())) std::abort();
    for (const Copy& copy : problem.value().copies) rejection(problem.value(), copy);
    if (problem.value().copies.size() > 2) return 0;
    VerifyOptions options{200'000};
    for (const Copy& copy : problem.value().copies) {
        if (moved(copy) > Elements{2048}) return 0;  // many small ones find more than a few large ones
        options.smt = options.smt && moved(copy) <= Elements{256};
    }
    const Solution solution = solve(problem.value(), {200'000});
    if (!solution.complete()) return 0;
    const Plan plan = solution.plan();
    if (check_plan(problem.value(), plan)) std::abort();
    const Report report = verify(problem.value(), plan, options);
    if (!report.conflicts.empty()) std::abort();
    for (std::size_t i = 0; i < plan.copies.size(); ++i) {
        const Copy& copy = problem.value().copies[i];
        const bool proved = report.copies[i].verdict() == Verdict::proved;
        const bool is_simulated = !register_side(problem.value(), copy);  // which knows memory alone
        if (is_symbolic(problem.value(), copy)) {                         // may be refuted for some values, or be left open
            for (const Values& values : sample_values(problem.value(), proved && is_simulated ? 2 : 0)) {
                const Problem one = at(problem.value(), values);
                const std::optional<CopyPlan> there = at(plan.copies[i], problem.value(), copy, values);
                if (there && !check_problem(one) && !simulate::fault(one, one.copies[i], *there).empty()) std::abort();
            }
            continue;
        }
        if (!proved) std::abort();
        if (is_simulated && !simulate::fault(problem.value(), copy, plan.copies[i]).empty()) std::abort();
    }
    return 0;
}
