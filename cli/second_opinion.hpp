// --strict and --smt2-dir: queries decided again by cvc5, and kept as files for anyone else's solver.
//
//   tileproof plan copy.toml --strict --smt2-dir queries
//     queries/load.aligned.src.1.smt2         each query that a finding rests on
//     queries/load.aligned.src.1.answers      only where Z3 and cvc5 disagree: who says what
#pragma once

#include <optional>
#include <string>

#include "cli/common.hpp"
#include "verify/verify.hpp"

namespace tileproof::cli {

struct SecondOpinion {
    VerifyOptions verify;
    std::string cvc5_version{};  // empty: cvc5 is not asked, or does not say
};

/// What the options ask of the verifier; makes the folder. Errors: `cvc5-missing`, `cannot-write`.
Result<SecondOpinion> second_opinion(const CommonOptions& options);

/// Writes the queries of a report into the folder. Disputed ones are kept in any case, if need be in a new folder, which a
/// message on standard error names. Error: `cannot-write`.
std::optional<Diagnostic> keep_queries(const CommonOptions& options, const SecondOpinion& opinion, const Source& source,
                                       const Report& report);

}  // namespace tileproof::cli
