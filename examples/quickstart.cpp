// The whole road as a library: parse a problem, solve it into a plan, verify into a report, certify, emit.
#include <iostream>

#include "emit/ptx.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "verify/verify.hpp"

int main(int argc, char** argv) {
    using namespace tileproof;
    const Loaded file = load_problem(argc > 1 ? argv[1] : "-");
    if (!file.problem) {
        std::cerr << render(file.problem.error(), file.source);
        return 2;
    }
    const Problem& problem = file.problem.value();
    const Solution solution = solve(problem);
    for (const CopySolution& copy : solution.copies) {
        std::cout << "// " << copy.name << ": " << copy.width.count << " bits\n";
        for (const Refusal& refusal : copy.refused) std::cout << "//   not " << refusal.width.count << ": " << refusal.text << "\n";
    }
    if (!solution.complete()) return 1;

    const Certified certified = verify_and_certify(problem, solution.plan());
    if (!certified.plan) return certified.report.verdict() == Verdict::refuted ? 1 : 3;
    const Result<std::string> ptx = emit_ptx(*certified.plan);  // takes only what is proved
    if (!ptx) return 1;
    std::cout << ptx.value();
    return 0;
}
