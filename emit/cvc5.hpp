// cvc5: a second SMT solver, run as a child process, to decide again what Z3 decided.
//
//   VerifyOptions options;
//   options.second = cvc5("/usr/bin/cvc5", 60s);     // each query a process of its own, some 10 ms
//
//   prints "sat" | "unsat" | "unknown", alone, and exits with 0      that is its answer
//   ends otherwise, prints anything else, or is not done in time     unknown, with the reason
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "layouts/result.hpp"
#include "verify/query.hpp"

namespace tileproof {

/// $TILEPROOF_CVC5 (then nothing else is tried), then PATH. `cvc5-missing` says how to get one.
Result<std::string> find_cvc5();

constexpr std::chrono::milliseconds cvc5_time_limit = std::chrono::seconds(60);

/// "1.0.3", if the program says so.
std::optional<std::string> cvc5_version(const std::string& program, std::chrono::milliseconds limit = cvc5_time_limit);

/// `limit` is for one query.
SecondSolver cvc5(const std::string& program, std::chrono::milliseconds limit = cvc5_time_limit);

}  // namespace tileproof
