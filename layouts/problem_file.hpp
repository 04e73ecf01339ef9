// Problem files: TOML or JSON -> Problem, with diagnostics that point at the fault.
//
//   [target]                        [[copies]]
//   arch = "sm_90"                  src = "A[0:128, 0:64]"
//   [buffers.A]                     dst = "As"
//   space = "global"                scope = "cta"
//   dtype = "f16"                   threads = 256
//   layout = "(128,64):(64,1)"
//
// A text that begins with '{' is JSON of the same structure; its diagnostics have a note with the JSON pointer and the byte.
// Input is untrusted: at most 1 MiB, nesting at most 32, no key that is not known.
#pragma once

#include <string>

#include "layouts/problem.hpp"

namespace tileproof {

constexpr Bytes largest_file{1 << 20};

struct Loaded {
    Source source;
    Result<Problem> problem;
};

/// Reads `path`; "-" is standard input. Without a readable file the diagnostic has no place.
Loaded load_problem(const std::string& path);

/// Reads a problem from text. `stem` names the entry point.
Result<Problem> parse_problem(const Source& source, const std::string& stem);

}  // namespace tileproof
