#include "layouts/result.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tileproof {
namespace {

std::string line_of(const std::string& text, int line) {
    std::size_t begin = 0;
    for (int i = 1; i < line; ++i) {
        begin = text.find('\n', begin);
        if (begin == std::string::npos) return {};
        ++begin;
    }
    std::string found = text.substr(begin, text.find('\n', begin) - begin);
    for (char& c : found) {  // untrusted: nothing that moves the cursor reaches a terminal
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return found;
}

/// The part of a long line around `column`, so that the caret stays on the screen.
std::pair<std::string, int> window(std::string line, int column) {
    constexpr int widest = 110;
    if (static_cast<int>(line.size()) <= widest) return {std::move(line), column};
    const int begin = std::max(0, column - 1 - widest / 2);
    return {line.substr(static_cast<std::size_t>(begin), widest), column - begin};
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Source& source) {
    std::string out = source.name + ":";
    const Place& at = diagnostic.place;
    if (at.line > 0) out += std::to_string(at.line) + ":" + std::to_string(at.column) + ":";
    out += " error: " + diagnostic.text + " [" + diagnostic.rule + "]\n";
    if (at.line > 0) {
        auto [line, column] = window(line_of(source.text, at.line), at.column);
        if (!line.empty()) {
            const std::string number = std::to_string(at.line);
            const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
            const auto room = static_cast<int>(line.size()) - column;
            const auto tail = static_cast<std::size_t>(std::clamp(at.length - 1, 0, std::max(0, room)));
            out += margin + number + " | " + line + "\n";
            out += std::string(margin.size() + number.size(), ' ') + " | " +
                   std::string(static_cast<std::size_t>(std::max(0, column - 1)), ' ') + "^" + std::string(tail, '~') + "\n";
        }
    }
    for (const std::string& note : diagnostic.notes) out += "note: " + note + "\n";
    for (const std::string& help : diagnostic.help) out += "help: " + help + "\n";
    return out;
}

void internal_error(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "tileproof: internal error: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace tileproof
