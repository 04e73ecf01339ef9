#include "layouts/problem_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "layouts/problem_reader_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr int deepest = 32;

Diagnostic unreadable(const std::string& why) {
    return {"file-unreadable", "the file cannot be read: " + why};
}

Diagnostic too_large() {
    return {"file-too-large",
            "more than " + std::to_string(largest_file.count) + " bytes is no problem file"};
}

/// A file descriptor, closed at the end of its scope unless it is standard input.
class Input {
public:
    explicit Input(int fd) : fd_(fd) {}
    ~Input() {
        if (fd_ > STDIN_FILENO) close(fd_);
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    Input(Input&&) = delete;
    Input& operator=(Input&&) = delete;
    int fd() const { return fd_; }

private:
    int fd_;
};

/// Everything that can be read, but at most one byte more than a problem file may have, so that no device is read for ever.
std::optional<std::string> read_all(int fd) {
    std::string text;
    std::array<char, 1 << 16> chunk{};
    while (text.size() <= static_cast<std::size_t>(largest_file.count)) {
        const ssize_t got = read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return text;
}

Result<std::string> read_file(const std::string& path) {
    const auto why = [] { return std::generic_category().message(errno); };
    // O_NONBLOCK: opening a pipe that nobody writes to must not wait. Reading one may: somebody has it open then.
    const Input input(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (input.fd() < 0) return unreadable(why());
    struct stat status {};
    if (fstat(input.fd(), &status) != 0) return unreadable(why());
    if (S_ISDIR(status.st_mode)) return unreadable("it is a directory");
    if (path != "-") {
        if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
            return unreadable("it is not a regular file");
        if (fcntl(input.fd(), F_SETFL, O_RDONLY) != 0) return unreadable(why());
    }
    std::optional<std::string> text = read_all(input.fd());
    if (!text) return unreadable(why());
    if (text->size() > static_cast<std::size_t>(largest_file.count)) return too_large();
    return *std::move(text);
}

/// Bytes of the UTF-8 character that begins `text`, or 0 where none does. Overlong forms, surrogates and what is beyond
/// U+10FFFF are none.
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool is_excluded = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                             (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
    return is_excluded ? 0 : size;
}

/// Where the text stops being text: a NUL, or bytes that are no UTF-8.
std::optional<Diagnostic> check_text(std::string_view text) {
    Place place{1, 1, 1};
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0) return Diagnostic{"not-text", "the file is no text: these bytes are no UTF-8", place};
        if (text[0] == '\0') return Diagnostic{"not-text", "the file is no text: it has a zero byte", place};
        if (text[0] == '\n') {
            ++place.line;
            place.column = 0;
        }
        ++place.column;
        text.remove_prefix(size);
    }
    return std::nullopt;
}

/// How deep tables, arrays and dotted keys nest, found without a parser, because the parser recurses as deep as they do.
/// It knows of TOML only strings and comments; where the text is not TOML, the two may part, after the parser's first error.
class NestingCheck {
public:
    explicit NestingCheck(std::string_view text) : text_(text) {}

    std::optional<Diagnostic> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                skip_line();
            } else if (c == '"' || c == '\'') {
                skip_string(c);
            } else {
                count(c);
                step();
            }
            if (brackets_ + dots_ > deepest) {
                const Place place{line_, static_cast<int>(at_ - line_begin_), 1};
                return Diagnostic{"nesting", "nested more than " + std::to_string(deepest) + " deep", place};
            }
        }
        return std::nullopt;
    }

private:
    void step() {
        if (text_[at_++] != '\n') return;
        ++line_;
        line_begin_ = at_;
    }
    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n') step();
    }
    void skip_string(char quote) {
        const std::string fence(3, quote);
        const bool is_long = text_.substr(at_, 3) == fence;
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const bool is_end =
                is_long ? text_.substr(at_, 3) == fence : text_[at_] == quote || text_[at_] == '\n';
            if (is_end && text_[at_] != '\n') {
                at_ += is_long ? 3 : 1;
                for (int more = 0; is_long && more < 2 && text_.substr(at_, 1) == fence.substr(0, 1); ++more)
                    ++at_;
                return;
            }
            if (is_end) return;  // a line's end also ends a short string that lacks its quote
            if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) step();
            step();
        }
    }
    void count(char c) {
        if (c == '[' || c == '{') ++brackets_;
        if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
        if (c == '.') ++dots_;
        if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots_ = 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
    int brackets_ = 0;
    int dots_ = 0;
};

std::optional<Diagnostic> check_source(std::string_view text) {
    if (text.size() > static_cast<std::size_t>(largest_file.count)) return too_large();
    if (std::optional<Diagnostic> fault = check_text(text)) return fault;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{') {
        const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        const std::size_t line_begin = text.rfind('\n', first) + 1;  // npos + 1 is 0
        return Diagnostic{"unsupported",
                          "problem files in JSON are not supported by this version",
                          {static_cast<int>(lines) + 1, static_cast<int>(first - line_begin) + 1}};
    }
    return NestingCheck(text).run();
}

Diagnostic syntax_fault(const toml::parse_error& error) {
    std::string text(error.description());
    for (char& c : text)
        if (c < 0x20 || c > 0x7e) c = '?';
    if (const std::string_view prefix = "Error while parsing "; text.rfind(prefix, 0) == 0)
        text.erase(0, prefix.size());
    const toml::source_position at = error.source().begin;
    return {"toml-syntax", std::move(text), {static_cast<int>(at.line), static_cast<int>(at.column)}};
}

/// The name of the entry point after `tp_`: the file's name without its extension, in letters, digits and '_'.
std::string stem_of(const std::string& path) {
    if (path == "-") return "stdin";
    std::string stem = std::filesystem::path(path).stem().string();
    for (char& c : stem)
        if (!is_identifier(std::string{'_', c})) c = '_';
    return stem.empty() ? "copy" : stem;
}

}  // namespace

Result<Problem> parse_problem(const Source& source, const std::string& stem) {
    if (std::optional<Diagnostic> fault = check_source(source.text)) return *std::move(fault);
    try {
        const toml::table document = toml::parse(source.text, source.name);
        return read_problem(document, source.text, stem);
    } catch (const toml::parse_error& error) {
        return syntax_fault(error);
    } catch (const std::exception& error) {
        return Diagnostic{"toml-syntax", "the file cannot be read: " + std::string(error.what())};
    }
}

Loaded load_problem(const std::string& path) {
    Source source{path == "-" ? "<stdin>" : path, {}};
    Result<std::string> text = read_file(path);
    if (!text) return {std::move(source), text.error()};
    source.text = std::move(text.value());
    Result<Problem> problem = parse_problem(source, stem_of(path));
    return {std::move(source), std::move(problem)};
}

}  // namespace tileproof
