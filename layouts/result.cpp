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
    return printable(text.substr(begin, text.find('\n', begin) - begin));
}

/// The part of a long line around `column`, so that the caret stays on the screen.
std::pair<std::string, int> window(std::string line, int column) {
    constexpr int widest = 110;
    if (static_cast<int>(line.size()) <= widest) return {std::move(line), column};
    const int begin = std::max(0, column - 1 - widest / 2);
    return {line.substr(static_cast<std::size_t>(begin), widest), column - begin};
}

}  // namespace

std::string printable(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U; };
        if (byte(0) == '\t') {
            out += ' ';
        } else if (byte(0) < 0x20 || byte(0) == 0x7f) {
            out += '?';
        } else if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {  // U+0080..U+009F
            out += '?';
            i += 1;
        } else if (byte(0) == 0xe2 &&
                   ((byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae) || (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9))) {
            out += '?';  // U+202A..U+202E, U+2066..U+2069
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string render(const Diagnostic& diagnostic, const Source& source) {
    std::string out = printable(source.name) + ":";
    const Place& at = diagnostic.place;
    if (at.line > 0) out += std::to_string(at.line) + ":" + std::to_string(at.column) + ":";
    out += " error: " + printable(diagnostic.text) + " [" + diagnostic.rule + "]\n";
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
    for (const std::string& note : diagnostic.notes) out += "note: " + printable(note) + "\n";
    for (const std::string& help : diagnostic.help) out += "help: " + printable(help) + "\n";
    return out;
}

void internal_error(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "tileproof: internal error: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace tileproof
