// Result<T>: a value, or the one diagnostic that says why there is none.
//
//   copy.toml:9:17: error: unknown key 'algn' in [buffers.A] [unknown-key]
//       9 | algn = 16
//         | ^~~~
//   help: did you mean 'align'?
//
// Bad input travels as a Diagnostic; it is never an exception. Our own bugs are not diagnostics: see TILEPROOF_CHECK.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tileproof {

/// Where in a text: 1-based line and column, and how many characters to underline. line 0: no place.
struct Place {
    int line = 0;
    int column = 0;
    int length = 1;
};

/// The fallback where `place` is none.
inline const Place& or_else(const Place& place, const Place& fallback) { return place.line > 0 ? place : fallback; }

struct Diagnostic {
    std::string rule;  // kebab case, e.g. "unknown-key"
    std::string text;  // one sentence without a full stop
    Place place{};
    std::vector<std::string> notes{};
    std::vector<std::string> help{};
};

/// A named text that diagnostics point into.
struct Source {
    std::string name;  // the file as the user wrote it; "<stdin>" for standard input
    std::string text;
};

/// The text with '?' for what would move a terminal's cursor or change its colours: control characters and direction marks.
std::string printable(const std::string& text);

/// `file:line:col: error: text [rule]`, the source line, a caret, notes and help; ends with a newline.
std::string render(const Diagnostic& diagnostic, const Source& source);

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}                     // NOLINT(google-explicit-constructor)
    Result(Diagnostic diagnostic) : state_(std::move(diagnostic)) {}  // NOLINT(google-explicit-constructor)

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    /// Requires: ok().
    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    /// Requires: !ok().
    const Diagnostic& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Diagnostic> state_;
};

/// Prints what was broken and aborts: for faults of this program, never for input.
[[noreturn]] void internal_error(const char* condition, const char* file, int line);

#define TILEPROOF_CHECK(condition) ((condition) ? static_cast<void>(0) : ::tileproof::internal_error(#condition, __FILE__, __LINE__))

}  // namespace tileproof
