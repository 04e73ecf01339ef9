// Plans as JSON: the `copies` and `program` of a report, written and read back.
//
//   {"copies": [{"name": "load", "box": ..., "segments": [...], "participants": ...}], "program": [{"copy": "load"}, ...]}
//
// Reading is for plans by others: everything is checked, nothing is trusted. One object of `copies` is accepted as well.
#pragma once

#include <string>

#include "layouts/plan.hpp"
#include "layouts/result.hpp"

namespace tileproof {

struct PlanFile {
    Plan plan;
    bool single_copy = false;  // one copy object, without a program
};

/// Errors: `json-syntax` (with line and column), `plan-json` and `plan-summary` (with a JSON pointer), `nesting`, `file-too-large`, `unsupported`.
Result<PlanFile> parse_plan(const std::string& text, const std::vector<Symbol>& symbols = {});

}  // namespace tileproof
