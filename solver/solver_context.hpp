// Solver context: what Z3 needs before it can be asked. Making one takes longer than most queries, since Z3 fills 16 MB of tables for
// each, so calls that follow each other may share one.
//
//   SolverContext z3;
//   const Solution solution = solve(problem, {.context = &z3});
//   const Report report = verify(problem, solution.plan(), {.context = &z3});
//
// It is made when the first query needs it. Calls share nothing else: every query is asserted anew, by itself. Which of several
// counterexamples is found may depend on what was asked before, and so may which query hits a limit; nothing else does.
#pragma once

#include <memory>

namespace tileproof {

namespace smt {
class Session;
}

/// Not for two calls at the same time.
class SolverContext {
public:
    SolverContext();
    ~SolverContext();
    SolverContext(const SolverContext&) = delete;
    SolverContext& operator=(const SolverContext&) = delete;
    SolverContext(SolverContext&&) = delete;
    SolverContext& operator=(SolverContext&&) = delete;

private:
    friend class smt::Session;
    struct Z3;
    std::unique_ptr<Z3> z3_;
};

}  // namespace tileproof
