// JSON as a document. nlohmann's parser says what comes next and unescapes it; it does not say where that stands, so a marker
// walks over the same tokens in step with it.
#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "layouts/document_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr std::string_view between_tokens = " \t\r\n,:";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// Goes from token to token. Requires: the text is JSON as far as it is asked.
class Marker {
public:
    explicit Marker(std::string_view text) : text_(text) {
        if (text.substr(0, 3) != "\xef\xbb\xbf") return;
        at_ = 3;  // a byte order mark, which counts as a character
        column_ = 2;
    }

    struct Token {
        std::size_t begin = 0;
        std::size_t end = 0;
        Place place;
    };
    Token next() {
        while (at_ < text_.size() && between_tokens.find(text_[at_]) != std::string_view::npos) step();
        Token token{at_, at_, {line_, column_, 1}};
        for (const std::size_t end = end_of_token(); at_ < end;) step();
        token.end = at_;
        token.place.length = std::max(1, column_ - token.place.column);
        return token;
    }
    /// The place of a byte that is not before the last token.
    Place place_at(std::size_t byte) {
        while (at_ < std::min(byte, text_.size())) step();
        return {line_, column_, 1};
    }

private:
    void step() {
        if (text_[at_] == '\n') {
            ++line_;
            column_ = 0;
        }
        ++at_;
        if (at_ == text_.size() || begins_character(text_[at_])) ++column_;
    }
    std::size_t end_of_token() const {
        if (at_ == text_.size()) return at_;
        std::size_t end = at_ + 1;
        const char first = text_[at_];
        if (first == '"') {
            while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
            return std::min(end + 1, text_.size());
        }
        if (std::string_view("{}[]").find(first) != std::string_view::npos) return end;
        return std::min(text_.find_first_of(" \t\r\n,:{}[]\"", end), text_.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    int column_ = 1;
};

/// One step of a JSON pointer.
std::string pointer_step(const std::string& key) {
    std::string out = "/";
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c >= 0x20 && c < 0x7f ? c : '?';  // untrusted, and on its way to a terminal
        }
    }
    return out;
}

std::string note_of(std::string pointer, std::size_t byte) {
    constexpr std::size_t longest = 200;
    if (pointer.size() > longest) pointer = pointer.substr(0, longest) + "...";
    return "JSON pointer \"" + pointer + "\", byte " + std::to_string(byte);
}

/// Takes the parser's events and builds the tree. What returns false ends the parse with a fault.
class Builder {
public:
    explicit Builder(std::string_view text) : text_(text), marker_(text) {}

    bool null() { return scalar(Node::Kind::null); }
    bool boolean(bool truth) { return scalar(Node::Kind::boolean, truth ? 1 : 0); }
    bool number_integer(std::int64_t value) { return scalar(Node::Kind::integer, value); }
    bool number_unsigned(std::uint64_t value) {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return overflow(marker_.next());
        return scalar(Node::Kind::integer, static_cast<std::int64_t>(value));
    }
    bool number_float(double, const std::string& written) {
        // An integer beyond 64 bits comes as a floating-point number too.
        if (written.find_first_of(".eE") == std::string::npos) return overflow(marker_.next());
        return scalar(Node::Kind::floating_point);
    }
    bool string(std::string& value) {
        const Marker::Token token = marker_.next();
        Node node = make(Node::Kind::string, token);
        if (text_.substr(token.begin + 1, token.end - token.begin - 2) == value) node.content_column = token.place.column + 1;
        node.text = std::move(value);
        return add(std::move(node));
    }
    template <class Binary>
    bool binary(const Binary&) {
        return false;  // does not occur in text
    }
    bool start_object(std::size_t) { return open(Node::Kind::table); }
    bool start_array(std::size_t) { return open(Node::Kind::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        const Marker::Token token = marker_.next();
        if (!keys_.back().insert(name).second)
            return fail("duplicate-key", "there is another " + in_quotes(name) + " in this object", token, pointer_step(name));
        key_ = std::move(name);
        key_token_ = token;
        return true;
    }
    template <class Exception>
    bool parse_error(std::size_t read, const std::string&, const Exception& error) {
        return fail("json-syntax", plain_words(error.what()), token_at_fault(read), "");
    }

    Result<Document> result() {
        if (fault_) return *std::move(fault_);
        return Document{Syntax::json, std::move(root_)};
    }

private:
    /// `[json.exception.parse_error.101] parse error at line 1, column 9: syntax error ...; last read: '...'; expected ...`
    static std::string plain_words(std::string text) {
        for (const std::string_view prefix : {"] ", ": syntax error"})
            if (const std::size_t at = text.find(prefix); at != std::string::npos) text.erase(0, at + 2);
        if (const std::size_t at = text.find("; last read: "); at != std::string::npos) {
            const std::size_t behind = text.rfind("; expected ");
            text.erase(at, behind == std::string::npos || behind < at ? std::string::npos : behind - at);
        }
        constexpr std::size_t longest = 200;
        if (text.size() > longest) text = text.substr(0, longest) + "...";
        for (char& c : text)
            if (c < 0x20 || c > 0x7e) c = '?';
        return text;
    }
    /// Of `read` bytes the last ends the token that the parser does not like.
    Marker::Token token_at_fault(std::size_t read) {
        if (read > text_.size() || read == 0) return {text_.size(), text_.size(), marker_.place_at(text_.size())};
        const std::size_t last = read - 1;
        if (between_tokens.find(text_[last]) != std::string_view::npos) return {last, read, marker_.place_at(last)};
        Marker::Token token = marker_.next();
        while (token.end <= last) token = marker_.next();
        return token;
    }

    Node make(Node::Kind kind, const Marker::Token& token) {
        Node node;
        node.kind = kind;
        node.place = token.place;
        node.begin = token.begin;
        node.end = token.end;
        if (!open_.empty() && open_.back().kind == Node::Kind::table) {
            node.key = std::move(key_);
            node.key_place = key_token_.place;
            node.begin = key_token_.begin;
        }
        return node;
    }
    bool scalar(Node::Kind kind, std::int64_t integer = 0) {
        Node node = make(kind, marker_.next());
        node.integer = integer;
        return add(std::move(node));
    }
    bool open(Node::Kind kind) {
        const Marker::Token token = marker_.next();
        if (open_.size() == static_cast<std::size_t>(deepest))
            return fail("nesting", "nested more than " + std::to_string(deepest) + " deep", token, next_step());
        open_.push_back(make(kind, token));
        keys_.emplace_back();
        return true;
    }
    bool close() {
        Node node = std::move(open_.back());
        node.end = marker_.next().end;
        open_.pop_back();
        keys_.pop_back();
        return add(std::move(node));
    }
    bool add(Node node) {
        (open_.empty() ? root_ : open_.back().items.emplace_back()) = std::move(node);
        return true;
    }
    bool overflow(const Marker::Token& token) {
        const std::string_view written = text_.substr(token.begin, token.end - token.begin);
        return fail("overflow", in_quotes(written) + " does not fit into a signed 64-bit integer", token, next_step());
    }
    /// From a node to what is in it and comes next.
    static std::string step_into(const Node& node, const std::string& key) {
        return pointer_step(node.kind == Node::Kind::table ? key : std::to_string(node.items.size()));
    }
    std::string next_step() const { return open_.empty() ? "" : step_into(open_.back(), key_); }
    /// `last` is the step of the pointer below what is open.
    bool fail(std::string rule, std::string text, const Marker::Token& at, const std::string& last) {
        fault_ = Diagnostic{std::move(rule), std::move(text), at.place};
        std::string pointer;
        for (std::size_t i = 1; i < open_.size(); ++i) pointer += step_into(open_[i - 1], open_[i].key);
        fault_->notes.push_back(note_of(pointer + last, at.begin));
        return false;
    }

    std::string_view text_;
    Marker marker_;
    std::vector<Node> open_;  // from the root inwards
    std::vector<std::set<std::string>> keys_;
    std::string key_;
    Marker::Token key_token_;
    Node root_;
    std::optional<Diagnostic> fault_;
};

std::size_t byte_at(std::string_view text, const Place& place) {
    std::size_t begin = 0;
    for (int line = 1; line < place.line; ++line) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string_view::npos) break;
        begin = end + 1;
    }
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    return begin + byte_of(line, static_cast<std::size_t>(std::max(place.column, 1)));
}

}  // namespace

Result<Document> read_json(std::string_view text) {
    Builder builder(text);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.result();
}

Diagnostic with_pointer(Diagnostic diagnostic, std::string_view text, const Node& root) {
    const std::size_t byte = byte_at(text, diagnostic.place);
    std::string pointer;
    for (const Node* node = &root; node != nullptr;) {
        const auto inside =
            std::find_if(node->items.begin(), node->items.end(), [&](const Node& item) { return byte >= item.begin && byte < item.end; });
        if (inside == node->items.end()) break;
        pointer += pointer_step(node->kind == Node::Kind::table ? inside->key : std::to_string(inside - node->items.begin()));
        node = &*inside;
    }
    diagnostic.notes.push_back(note_of(std::move(pointer), byte));
    return diagnostic;
}

}  // namespace tileproof
