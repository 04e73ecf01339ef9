#include <algorithm>
#include <charconv>
#include <utility>

#include "layouts/cursor_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::size_t Cursor::at() {
    while (next_ < text_.size() && is_space(text_[next_])) ++next_;
    return next_;
}

bool Cursor::sees(char mark, std::size_t ahead) {
    const std::size_t position = at() + ahead;
    return position < text_.size() && text_[position] == mark;
}

bool Cursor::sees_number() {
    std::size_t position = at();
    if (sees('-') || sees('+')) ++position;
    return position < text_.size() && is_digit(text_[position]);
}

std::string_view Cursor::sees_name() {
    const std::size_t begin = at();
    if (begin == text_.size() || is_digit(text_[begin]) || !is_word(text_[begin])) return {};
    return text(begin, end_of_next());
}

bool Cursor::accept(char mark) {
    if (!sees(mark)) return false;
    end_of_last_ = ++next_;
    return true;
}

bool Cursor::expect(char mark) { return accept(mark) || fail_expected(std::string{'\'', mark, '\''}); }

std::string_view Cursor::name() {
    const std::string_view word = sees_name();
    if (!word.empty()) end_of_last_ = next_ += word.size();
    return word;
}

std::optional<std::int64_t> Cursor::integer(std::string_view what) {
    if (!sees_number()) {
        fail_expected(what);
        return std::nullopt;
    }
    const std::size_t begin = next_;
    const std::size_t digits = begin + (is_digit(text_[begin]) ? 0 : 1);
    std::size_t end = digits;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    std::int64_t value = 0;
    const char* first = text_.data() + (text_[begin] == '+' ? digits : begin);
    if (std::from_chars(first, text_.data() + end, value).ec != std::errc{}) {
        const std::string_view written = text(begin, end);
        fail("overflow", in_quotes(written) + " does not fit into a signed 64-bit integer", begin, end);
        return std::nullopt;
    }
    end_of_last_ = next_ = end;
    return value;
}

bool Cursor::fail(std::string rule, std::string text, std::size_t begin, std::size_t end) {
    if (!fault_) {
        const Place place{1, static_cast<int>(begin) + 1, std::max(1, static_cast<int>(end - begin))};
        fault_ = Diagnostic{std::move(rule), std::move(text), place};
    }
    return false;
}

bool Cursor::fail_expected(std::string_view what) {
    const std::size_t begin = at(), end = end_of_next();
    const std::string found = at_end() ? "the end" : in_quotes(text(begin, end));
    return fail(syntax_rule_, "expected " + std::string(what) + ", found " + found, begin, end);
}

bool Cursor::help(std::string text) {
    if (fault_) fault_->help.push_back(std::move(text));
    return false;
}

/// One past the token that comes next: a whole word or number, or one mark.
std::size_t Cursor::end_of_next() {
    std::size_t end = at();
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end == at() && end < text_.size() ? end + 1 : end;
}

}  // namespace tileproof
