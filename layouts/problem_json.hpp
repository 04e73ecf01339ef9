// A problem as the file that says it, and a change of it as a patch of that file.
//
//   problem_json(p)    {"target": {"arch": "sm_90"}, "buffers": {"A": {"space": "global", "dtype": "f16", "layout": "(64,16):(20,1)", "align": 16}, ...}, ...}
//   merge_patch(p, q)  {"buffers": {"A": {"layout": "(64,16):(24,1)"}}}
//   patched(p, that)   q
//
// Patches are JSON merge patches (RFC 7386): a member replaces its namesake, null removes it, an array is replaced whole. Whatever
// they set they set completely, so that they fit any file that says the same problem, in other words or other notations.
#pragma once

#include <string>

#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// TIRx notation where the problem states a shape, else CuTe where that can be.
/// Ensures: parse_problem of it gives the problem back, places aside. Requires: check_problem finds nothing.
std::string problem_json(const Problem& problem);

/// What turns a file that says `before` into one that says `after`; "{}" where they are equal.
/// Requires: both have the same buffers and copies by name, in the same order.
std::string merge_patch(const Problem& before, const Problem& after);

/// The problem that the patched file says, read with all the checks and limits of a file. Requires: the patch is JSON.
Result<Problem> patched(const Problem& problem, const std::string& patch);

}  // namespace tileproof
