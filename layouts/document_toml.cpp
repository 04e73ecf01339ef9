#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

#include "layouts/document_internal.hpp"

namespace tileproof {
namespace {

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
            const bool is_end = is_long ? text_.substr(at_, 3) == fence : text_[at_] == quote || text_[at_] == '\n';
            if (is_end && text_[at_] != '\n') {
                at_ += is_long ? 3 : 1;
                for (int more = 0; is_long && more < 2 && text_.substr(at_, 1) == fence.substr(0, 1); ++more) ++at_;
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

Place place_of(const toml::source_region& region) {
    const auto& [begin, end, path] = region;
    const bool one_line = begin.line == end.line && end.column > begin.column;
    return {static_cast<int>(begin.line), static_cast<int>(begin.column), one_line ? static_cast<int>(end.column - begin.column) : 1};
}

Node::Kind kind_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return Node::Kind::table;
        case toml::node_type::array:
            return Node::Kind::array;
        case toml::node_type::string:
            return Node::Kind::string;
        case toml::node_type::integer:
            return Node::Kind::integer;
        case toml::node_type::floating_point:
            return Node::Kind::floating_point;
        case toml::node_type::boolean:
            return Node::Kind::boolean;
        default:
            return Node::Kind::time;
    }
}

/// The parsed file as a tree of ours.
class Converter {
public:
    explicit Converter(std::string_view text) {
        while (true) {
            const std::size_t end = text.find('\n');
            lines_.push_back(text.substr(0, end));
            if (end == std::string_view::npos) return;
            text.remove_prefix(end + 1);
        }
    }

    Node convert(const toml::node& from) const {
        Node out;
        out.kind = kind_of(from);
        out.place = place_of(from.source());
        if (const auto* integer = from.as_integer()) out.integer = integer->get();
        if (const auto* truth = from.as_boolean()) out.integer = truth->get() ? 1 : 0;
        if (const auto* text = from.as_string()) {
            out.text = text->get();
            if (is_verbatim(from.source(), out.text)) out.content_column = out.place.column + 1;
        }
        if (const toml::array* array = from.as_array())
            for (const toml::node& item : *array) out.items.push_back(convert(item));
        if (const toml::table* table = from.as_table()) members(*table, out);
        return out;
    }

private:
    void members(const toml::table& table, Node& out) const {
        for (const auto& [key, value] : table) {
            Node& member = out.items.emplace_back(convert(value));
            member.key = std::string(key.str());
            member.key_place = place_of(key.source());
        }
        // toml++ sorts keys by name.
        std::stable_sort(out.items.begin(), out.items.end(), [](const Node& a, const Node& b) {
            return std::tie(a.key_place.line, a.key_place.column) < std::tie(b.key_place.line, b.key_place.column);
        });
    }

    /// One line and no escapes: what stands between the quotes is the value.
    bool is_verbatim(const toml::source_region& at, const std::string& value) const {
        if (at.begin.line != at.end.line || at.begin.line < 1 || at.begin.line > lines_.size()) return false;
        const std::string_view line = lines_[at.begin.line - 1];
        const std::size_t begin = byte_of(line, at.begin.column), end = byte_of(line, at.end.column);
        return end == begin + value.size() + 2 && line.substr(begin + 1, value.size()) == value;
    }

    std::vector<std::string_view> lines_;
};

Diagnostic syntax_fault(const toml::parse_error& error) {
    std::string text(error.description());
    for (char& c : text)
        if (c < 0x20 || c > 0x7e) c = '?';
    if (const std::string_view prefix = "Error while parsing "; text.rfind(prefix, 0) == 0) text.erase(0, prefix.size());
    const toml::source_position at = error.source().begin;
    return {"toml-syntax", std::move(text), {static_cast<int>(at.line), static_cast<int>(at.column)}};
}

}  // namespace

Result<Document> read_toml(std::string_view text) {
    if (std::optional<Diagnostic> fault = NestingCheck(text).run()) return *std::move(fault);
    try {
        return Document{Syntax::toml, Converter(text).convert(toml::parse(text))};
    } catch (const toml::parse_error& error) {
        return syntax_fault(error);
    } catch (const std::exception& error) {
        return Diagnostic{"toml-syntax", "the file cannot be read: " + std::string(error.what())};
    }
}

}  // namespace tileproof
