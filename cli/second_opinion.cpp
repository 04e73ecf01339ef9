#include "cli/second_opinion.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/files.hpp"
#include "emit/cvc5.hpp"
#include "solver/smt.hpp"

namespace tileproof::cli {
namespace {

namespace fs = std::filesystem;

Diagnostic cannot_write(const std::string& path, const std::string& why) {
    return {"cannot-write", printable(path) + " cannot be written: " + why};
}

std::optional<Diagnostic> write(const fs::path& path, const std::string& text) {
    if (replace_file(path.string(), text, default_mode())) return std::nullopt;
    return cannot_write(path.string(), std::strerror(errno));
}

std::optional<Diagnostic> write_answers(const fs::path& folder, const Query& query, const SecondOpinion& opinion) {
    const std::string version = opinion.cvc5_version.empty() ? "" : " " + opinion.cvc5_version;
    return write(folder / (query.name + ".answers"), "Z3 " + smt::z3_version() + ": " + to_string(query.answer) + "\n" +
                                                         opinion.verify.second->name + version + ": " + to_string(query.second->answer) +
                                                         "\n");
}

/// A folder that nobody else has.
Result<std::string> new_folder() {
    std::error_code failed;
    const fs::path place = fs::temp_directory_path(failed);
    std::string name = ((failed ? fs::path("/tmp") : place) / "tileproof-disagreement-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return cannot_write(name, std::strerror(errno));
    return name;
}

}  // namespace

Result<SecondOpinion> second_opinion(const CommonOptions& options) {
    SecondOpinion out;
    out.verify.rlimit = options.rlimit;
    if (options.strict) {
        const Result<std::string> program = find_cvc5();
        if (!program) return program.error();
        const double milliseconds = std::ceil(std::clamp(options.cvc5_limit, 0.001, 1e6) * 1000);
        const std::chrono::milliseconds limit(static_cast<std::int64_t>(milliseconds));
        out.verify.second = cvc5(program.value(), limit);
        out.cvc5_version = cvc5_version(program.value(), limit).value_or("");
    }
    if (!options.smt2_dir.empty()) {
        out.verify.keep_queries = true;
        std::error_code failed;
        fs::create_directories(options.smt2_dir, failed);
        if (failed || !fs::is_directory(options.smt2_dir, failed))
            return cannot_write(options.smt2_dir, failed ? failed.message() : "it is not a folder");
    }
    return out;
}

std::optional<Diagnostic> keep_queries(const CommonOptions& options, const SecondOpinion& opinion, const Source& source,
                                       const Report& report) {
    std::string folder = options.smt2_dir;
    std::vector<const Query*> queries;
    for (const CopyReport& copy : report.copies)
        for (const Query& query : copy.queries) queries.push_back(&query);
    for (const Query& query : report.queries) queries.push_back(&query);
    const bool disputed = std::any_of(queries.begin(), queries.end(), [](const Query* query) { return query->is_disputed(); });
    if (folder.empty() && !disputed) return std::nullopt;
    if (folder.empty()) {
        const Result<std::string> made = new_folder();
        if (!made) return made.error();
        folder = made.value();
    }
    for (const Query* query : queries) {
        if (options.smt2_dir.empty() && !query->is_disputed()) continue;
        if (auto fault = write(fs::path(folder) / (query->name + ".smt2"), query->text)) return fault;
        if (!query->is_disputed()) continue;
        if (auto fault = write_answers(folder, *query, opinion)) return fault;
    }
    if (disputed) {
        CommonOptions text_only = options;
        text_only.format = "text";
        fail(text_only, source,
             {{"internal-error",
               "Z3 and " + opinion.verify.second->name + " disagree; the queries and both answers are in " + printable(folder)}});
    }
    return std::nullopt;
}

}  // namespace tileproof::cli
