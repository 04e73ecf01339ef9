// The report as JSON, schema tileproof.report/1: keys in a fixed order, no times, the same bytes for the same input.
#pragma once

#include <string>
#include <vector>

#include "emit/view.hpp"

namespace tileproof {

std::string report_json(const View& view);

/// {"schema": ..., "verdict": "error", "diagnostics": [...]}
std::string error_json(const Source& source, const std::vector<Diagnostic>& diagnostics);

}  // namespace tileproof
