#include "layouts/problem_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layouts/document_internal.hpp"
#include "layouts/problem_reader_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

Diagnostic unreadable(const std::string& why) { return {"file-unreadable", "the file cannot be read: " + why}; }

Diagnostic too_large() { return {"file-too-large", "more than " + std::to_string(largest_file.count) + " bytes is no problem file"}; }

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
        if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return unreadable("it is not a regular file");
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
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool is_excluded = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                             (first == 0xf4 && second >= 0x90);
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

std::optional<Diagnostic> check_source(std::string_view text) {
    if (text.size() > static_cast<std::size_t>(largest_file.count)) return too_large();
    return check_text(text);
}

/// A byte order mark may come first.
bool is_json(std::string_view text) {
    const std::string_view mark = "\xef\xbb\xbf";
    if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
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
    if (!is_json(source.text)) {
        const Result<Document> document = read_toml(source.text);
        return document ? read_problem(document.value(), stem) : document.error();
    }
    const Result<Document> document = read_json(source.text);
    if (!document) return document.error();
    Result<Problem> problem = read_problem(document.value(), stem);
    if (!problem) return with_pointer(problem.error(), source.text, document.value().root);
    return problem;
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
