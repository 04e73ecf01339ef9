#include "cli/common.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "emit/report_json.hpp"

namespace tileproof::cli {

bool use_color(const CommonOptions& options) {
    if (options.color != "auto") return options.color == "always";
    const auto set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    if (set("NO_COLOR")) return false;
    if (set("CLICOLOR_FORCE") && std::strcmp(std::getenv("CLICOLOR_FORCE"), "0") != 0) return true;
    return isatty(STDOUT_FILENO) != 0;
}

bool asks_for_json(int argc, const char* const* argv) {
    bool out = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--format" && i + 1 < argc) out = std::strcmp(argv[i + 1], "json") == 0;
        if (word.rfind("--format=", 0) == 0) out = word == "--format=json";
    }
    return out;
}

void print(const std::string& text) {
    std::cout << text;
    std::cout.flush();
}

int fail(const CommonOptions& options, const Source& source, const std::vector<Diagnostic>& diagnostics, Status status) {
    for (const Diagnostic& diagnostic : diagnostics) std::cerr << render(diagnostic, source);
    if (options.json()) print(error_json(source, diagnostics));
    return status;
}

void complain(const View& view) {
    for (const std::string& conflict : view.report.conflicts)
        std::cerr << "tileproof: internal error: the checkers disagree: " << conflict << "\n";
}

Status status_of(const View& view) {
    if (!view.report.conflicts.empty()) return internal;
    switch (view.outcome()) {
        case Outcome::proved:
            return proved;
        case Outcome::unknown:
            return unknown;
        case Outcome::refuted:
        case Outcome::rejected:
            break;
    }
    return refuted;
}

Problem with_copies(const Problem& problem, const std::vector<std::size_t>& which) {
    Problem out = problem;
    note_written(out);
    out.copies.clear();
    for (const std::size_t i : which) out.copies.push_back(problem.copies[i]);
    return out;
}

Result<std::string> read_text(const std::string& path, std::size_t limit) {
    const auto too_large = [&] { return Diagnostic{"file-too-large", "the file is larger than " + std::to_string(limit >> 20) + " MiB"}; };
    if (path == "-") {
        std::string text(limit + 1, '\0');
        std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
        if (std::cin.bad()) return Diagnostic{"file-unreadable", "standard input cannot be read"};
        text.resize(static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > limit) return too_large();
        return text;
    }
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return Diagnostic{"file-unreadable", std::strerror(errno)};
    if (!S_ISREG(info.st_mode)) return Diagnostic{"file-unreadable", "this is not a regular file"};
    if (static_cast<std::size_t>(info.st_size) > limit) return too_large();
    std::ifstream in(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())) && !in.eof())
        return Diagnostic{"file-unreadable", "the file cannot be read"};
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

}  // namespace tileproof::cli
