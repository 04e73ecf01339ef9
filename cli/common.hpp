// What the sub-commands share: options, exit statuses, how an error is shown.
//
//   0 all proved   1 refuted or rejected   2 bad usage or input, no GPU   3 unknown   4 checkers disagree, internal error
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/view.hpp"
#include "layouts/one_line.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/solution.hpp"
#include "verify/report.hpp"

namespace tileproof::cli {

enum Status { proved = 0, refuted = 1, bad_input = 2, unknown = 3, internal = 4 };

struct CommonOptions {
    std::string format = "text";  // text | json
    std::string color = "auto";   // auto | always | never
    std::uint64_t rlimit = 50'000'000;
    bool quiet = false;
    bool strict = false;                // every query of a proof is decided by cvc5 too
    double cvc5_limit = 60;             // seconds for one query
    std::string smt2_dir{};             // where the queries go; empty: nowhere
    bool fallback = false;              // plan with the weakest assumptions instead
    bool single = false;                // one width for each copy
    bool straight = false;              // no blocks of registers
    std::optional<OneLine> one_line{};  // the problem, where no file has it

    bool json() const { return format == "json"; }
};

/// `--color`, then NO_COLOR and CLICOLOR_FORCE, then whether standard output is a terminal.
bool use_color(const CommonOptions& options);

/// Shows diagnostics on standard error, and with --format json as an object on standard output; returns `status`.
int fail(const CommonOptions& options, const Source& source, const std::vector<Diagnostic>& diagnostics, Status status = bad_input);

/// Whether these arguments ask for JSON, as far as that shows before they are understood.
bool asks_for_json(int argc, const char* const* argv);

void print(const std::string& text);

/// What checkers disagree on, on standard error: for when no report says it.
void complain(const View& view);

/// The status that a view's outcome and conflicts call for.
Status status_of(const View& view);

/// The problem with only the copies at these places.
Problem with_copies(const Problem& problem, const std::vector<std::size_t>& which);

/// A whole file, at most `limit`, "-" for standard input; for plans. Errors: `file-unreadable`, `file-too-large`.
Result<std::string> read_text(const std::string& path, std::size_t limit);

}  // namespace tileproof::cli
