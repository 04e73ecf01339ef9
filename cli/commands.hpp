// The sub-commands, one function each; main.cpp gives them their arguments.
#pragma once

#include <string>

#include "cli/common.hpp"

namespace tileproof::cli {

/// plan FILE: plan and prove every copy.
int plan_command(const CommonOptions& options, const std::string& file);

/// verify FILE --plan PLAN.json: prove somebody's plan.
int verify_command(const CommonOptions& options, const std::string& file, const std::string& plan_file);

/// emit FILE: the PTX of a proved plan, to `output` or standard output.
int emit_command(const CommonOptions& options, const std::string& file, const std::string& output);

}  // namespace tileproof::cli
