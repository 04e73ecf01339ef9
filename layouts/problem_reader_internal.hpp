// From a document to a Problem. layouts/problem_file.cpp has the steps before: bytes, text, syntax.
#pragma once

#include <string>

#include "layouts/document_internal.hpp"
#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// Reports the first fault in file order of what the keys say, and after that what check_problem finds.
Result<Problem> read_problem(const Document& document, const std::string& stem);

}  // namespace tileproof
