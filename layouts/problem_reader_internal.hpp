// From a parsed TOML document to a Problem. layouts/problem_file.cpp has the steps before: bytes, text, syntax.
#pragma once

#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// `file` is the text that `document` was parsed from. Reports the first fault in file order of what the keys say, and after
/// that what check_problem finds.
Result<Problem> read_problem(const toml::table& document, std::string_view file, const std::string& stem);

}  // namespace tileproof
