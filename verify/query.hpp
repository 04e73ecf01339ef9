// Queries: what Z3 was asked, as texts that any SMT solver reads, and what a second solver says to them.
//
//   load.aligned.src.1   (set-logic QF_BV) (declare-fun d0 () (_ BitVec 7)) ... (check-sat)     Z3: unsat     cvc5: unsat
//
// A query asks for something that fails, so a proof needs `unsat`. The obligations of a plan are proved if their queries are
// unsat; why these queries are enough is said in verify/linear_internal.hpp and verify/definition_internal.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace tileproof {

enum class SolverAnswer { sat, unsat, unknown };
std::string to_string(SolverAnswer answer);

struct SecondAnswer {
    SolverAnswer answer = SolverAnswer::unknown;
    std::string reason{};  // of unknown: "cvc5 did not decide within 60 s"
};

/// Another solver than Z3. `decide` gets a whole SMT-LIB 2 script with one (check-sat); an exception of it counts as unknown.
struct SecondSolver {
    std::string name;  // as reports show it: "cvc5"
    std::function<SecondAnswer(const std::string& script)> decide{};
};

struct Query {
    std::string name{};  // copy, obligation and number, "load.aligned.src.1"; letters, digits, '_', '.', '-'; unique in a report
    std::string text{};  // the script, with comments that say what it is about
    SolverAnswer answer = SolverAnswer::unknown;  // of Z3
    std::optional<SecondAnswer> second{};         // of the second solver, which is asked what Z3 calls unsat

    /// One says sat, the other unsat.
    bool is_disputed() const { return second && second->answer != SolverAnswer::unknown && second->answer != answer; }
};

}  // namespace tileproof
