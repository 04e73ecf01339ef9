// The sub-commands, one function each; main.cpp gives them their arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/common.hpp"

namespace tileproof::cli {

/// plan FILE: plan and prove every copy.
int plan_command(const CommonOptions& options, const std::string& file);

/// verify FILE --plan PLAN.json: prove somebody's plan. `require_widest`: refute it if a wider access would be legal.
int verify_command(const CommonOptions& options, const std::string& file, const std::string& plan_file, bool require_widest);

/// emit FILE: the PTX of a proved plan, or its guard ("c++", "ptx"), to `output` or standard output.
int emit_command(const CommonOptions& options, const std::string& file, const std::string& output, const std::string& guard);

/// explain NAME: a problem file (or options.one_line) at length, or a rule. A rule's name counts only where no file has it.
int explain_command(const CommonOptions& options, const std::string& name);

/// explain --list: every rule in a line.
int list_rules_command(const CommonOptions& options);

struct LayoutArguments {
    std::string notation;
    std::string shape{};  // "128,64"; empty: the notation says it
    // Exactly one of these:
    bool table = false;
    std::optional<std::string> equal{};  // another layout
    bool bijective = false;
    std::vector<std::string> overlap{};    // two regions
    std::optional<std::string> convert{};  // cute | tirx | bits
};

/// layout NOTATION: the offsets of a layout, a question about it, or another notation for it. 0 yes, 1 no, 2 bad input.
int layout_command(const CommonOptions& options, const LayoutArguments& arguments);

}  // namespace tileproof::cli
