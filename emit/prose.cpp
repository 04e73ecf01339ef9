#include <fmt/format.h>

#include "emit/prose_internal.hpp"

namespace tileproof {

std::string Paint::verdict(const std::string& text) const {
    return wrap(text == "proved" ? "1;32" : text == "unknown" ? "1;33" : "1;31", text);
}

std::string Paint::wrap(const char* code, const std::string& text) const {
    return on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string paragraph(std::string_view text, std::size_t indent) {
    std::string out;
    const std::string margin(indent, ' ');
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view rest = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        std::string line;
        while (!rest.empty()) {
            const std::size_t space = rest.find(' ');
            const std::string_view word = rest.substr(0, space);
            rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
            if (!line.empty() && indent + line.size() + 1 + word.size() > page_columns) {
                while (line.ends_with(' ')) line.pop_back();  // of two spaces where the line ends
                out += margin + line + "\n";
                line.clear();
            }
            if (!line.empty()) line += ' ';
            line += word;
        }
        out += line.empty() ? "\n" : margin + line + "\n";
    }
    return out;
}

std::string row(const std::string& head, std::string_view text, const Paint& paint) {
    std::string out = paragraph(text, text_column);
    if (out.empty()) return out;
    const std::string gap(text_column - 2 - head.size(), ' ');
    out.replace(0, text_column, "  " + paint.bold(head) + gap);
    return out;
}

std::string indented(const std::vector<std::string>& lines, std::size_t indent) {
    std::string out;
    for (const std::string& line : lines) out += line.empty() ? "\n" : std::string(indent, ' ') + line + "\n";
    return out;
}

std::string counted(std::int64_t n, const std::string& one) { return std::to_string(n) + " " + one + (n == 1 ? "" : "s"); }

}  // namespace tileproof
