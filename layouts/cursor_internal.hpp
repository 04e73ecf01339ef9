// Cursor: reads numbers, names and marks from a short text, and keeps the first fault with its column.
//
//   Cursor in("A[3, 0:64]", "region-syntax");
//   in.name() == "A"   in.accept('[')   in.integer("a start") == 3   in.expect(':')  ->  fault: expected ':', found ','
//
// White space before a token is skipped. What reads stops at the first fault: every reader says whether it succeeded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "layouts/result.hpp"

namespace tileproof {

class Cursor {
public:
    /// `syntax_rule` is the rule of the faults that the cursor finds itself.
    Cursor(std::string_view text, std::string syntax_rule) : text_(text), syntax_rule_(std::move(syntax_rule)) {}

    /// Where the next token begins.
    std::size_t at();
    /// Where the last token ended.
    std::size_t end_of_last() const { return end_of_last_; }
    bool at_end() { return at() == text_.size(); }
    /// Whether the next character is `mark`; `ahead` looks further, without skipping white space there.
    bool sees(char mark, std::size_t ahead = 0);
    /// Whether a digit is next, or a sign with a digit behind it.
    bool sees_number();
    /// The identifier that comes next, or an empty word.
    std::string_view sees_name();

    /// Takes `mark` if it is next.
    bool accept(char mark);
    /// Takes `mark`, or fails.
    bool expect(char mark);
    /// Takes the identifier that comes next, or takes nothing.
    std::string_view name();
    /// A decimal integer with an optional sign. Faults: `overflow`, or the syntax rule with "expected `what`".
    std::optional<std::int64_t> integer(std::string_view what);
    /// Moves on to `position`, or back to it.
    void move_to(std::size_t position) { next_ = position; }

    /// Records a fault at [begin, end); the first one stays. Returns false, so that a reader can end with it.
    bool fail(std::string rule, std::string text, std::size_t begin, std::size_t end);
    /// "expected `what`, found '...'" at the next token.
    bool fail_expected(std::string_view what);
    /// Adds a hint to the fault.
    bool help(std::string text);

    std::string_view text(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }
    const std::optional<Diagnostic>& fault() const { return fault_; }

private:
    std::size_t end_of_next();

    std::string_view text_;
    std::string syntax_rule_;
    std::size_t next_ = 0;
    std::size_t end_of_last_ = 0;
    std::optional<Diagnostic> fault_;
};

}  // namespace tileproof
