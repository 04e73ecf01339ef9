#include "layouts/one_line.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "layouts/cursor_internal.hpp"
#include "layouts/document_internal.hpp"
#include "layouts/problem_reader_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_identifier(std::string{'_', c}); }

/// Where the layout that begins at `begin` ends: before a word or a bracket that no layout has there. A word behind something
/// complete is a key, unless it is `o` or `of`; a `[` behind a name opens that name's list, and one behind anything else a region.
std::size_t end_of_layout(std::string_view text, std::size_t begin) {
    enum class Last { mark, name, complete } last = Last::mark;
    int depth = 0;
    std::size_t end = begin;  // of the last token
    for (std::size_t i = begin; i < text.size();) {
        const char c = text[i];
        if (c == ' ') {
            ++i;
            continue;
        }
        std::size_t stop = i + 1;
        if (is_word(c)) {
            while (stop < text.size() && is_word(text[stop])) ++stop;
            const std::string_view word = text.substr(i, stop - i);
            const bool is_number = is_digit(c) || (c == '_' && word.size() > 1 && is_digit(word[1]));
            const bool joins = word == "o" || word == "of";
            if (!is_number && !joins && depth == 0 && last != Last::mark) return end;
            last = is_number ? Last::complete : joins ? Last::mark : Last::name;
        } else if (c == '(' || c == '<' || c == '[') {
            if (c == '[' && depth == 0 && last != Last::name) return end;
            ++depth;
            last = Last::mark;
        } else if (c == ')' || c == '>' || c == ']') {
            --depth;
            last = Last::complete;
        } else {
            last = Last::mark;
        }
        end = i = stop;
    }
    return end;
}

/// One side, as a table of a problem file.
class SideReader {
public:
    /// `text` is what stands in the line `line` from column `indent` + 1 on.
    SideReader(std::string_view text, const std::string& name, int line, int indent)
        : text_(text), in_(text, "option-syntax"), line_(line), indent_(indent) {
        buffer_.key = name;
        buffer_.key_place = buffer_.place = {line, 1, indent - 1};
        operand_ = string_node(name, name, 0, 0);
        operand_.place = buffer_.place;
    }

    std::optional<Diagnostic> read() {
        if (read_word("space", "the memory space, global, shared or register") && read_word("dtype", "the element type") && read_layout() &&
            read_rest())
            return std::nullopt;
        Diagnostic fault = *in_.fault();
        fault.place = {line_, fault.place.column + indent_, fault.place.length};
        return fault;
    }
    Node& buffer() { return buffer_; }
    Node& operand() { return operand_; }

private:
    Place place(std::size_t begin, std::size_t end) const {
        return {line_, indent_ + static_cast<int>(begin) + 1, std::max(1, static_cast<int>(end - begin))};
    }
    Node string_node(const std::string& key, std::string_view value, std::size_t begin, std::size_t end) const {
        Node node;
        node.kind = Node::Kind::string;
        node.key = key;
        node.text = std::string(value);
        node.key_place = node.place = place(begin, end);
        node.content_column = node.place.column;
        return node;
    }
    Node integer_node(std::int64_t value, std::size_t begin) const {
        Node node;
        node.kind = Node::Kind::integer;
        node.integer = value;
        node.place = place(begin, in_.end_of_last());
        return node;
    }

    /// A word that may be missing at the end: then the reader of the table says that it is.
    bool read_word(const std::string& key, const std::string& what) {
        const std::size_t begin = in_.at();
        const std::string_view word = in_.name();
        if (!word.empty()) buffer_.items.push_back(string_node(key, word, begin, in_.end_of_last()));
        return !word.empty() || in_.at_end() || in_.fail_expected(what);
    }
    bool read_layout() {
        const std::size_t begin = in_.at(), end = end_of_layout(text_, begin);
        if (end > begin) buffer_.items.push_back(string_node("layout", text_.substr(begin, end - begin), begin, end));
        in_.move_to(end);
        return true;
    }
    bool read_rest() {
        while (!in_.at_end())
            if (!(in_.sees('[') ? read_region() : read_key())) return false;
        return true;
    }
    bool read_region() {
        const std::size_t begin = in_.at(), bracket = text_.find(']', begin);
        const std::size_t end = bracket == std::string_view::npos ? text_.size() : bracket + 1;
        if (operand_.text != operand_.key) return in_.fail("duplicate-key", "there is another region", begin, end);
        operand_.text += text_.substr(begin, end - begin);
        operand_.place = place(begin, end);
        operand_.content_column = operand_.place.column - static_cast<int>(operand_.key.size());
        in_.move_to(end);
        return true;
    }
    bool read_key() {
        const std::size_t begin = in_.at();
        const std::string key(in_.name());
        if (key.empty()) return in_.fail_expected("a region such as [0:64, :], or a key such as align");
        const std::size_t end = in_.end_of_last();
        if (buffer_.find(key) != nullptr) return in_.fail("duplicate-key", "there is another " + in_quotes(key), begin, end);
        Node value;
        if (!read_value(key, value)) return false;
        value.key = key;
        value.key_place = place(begin, end);
        buffer_.items.push_back(std::move(value));
        return true;
    }
    bool read_value(const std::string& key, Node& value) {
        const std::size_t begin = in_.at();
        if (key == "shape") return read_shape(value);
        if (in_.sees_number()) {
            const std::optional<std::int64_t> number = in_.integer("a number");
            if (number) value = integer_node(*number, begin);
            return number.has_value();
        }
        const std::string_view word = in_.name();
        if (word.empty()) return in_.fail_expected("what " + in_quotes(key) + " is");
        value = string_node(key, word, begin, in_.end_of_last());
        return true;
    }
    /// `128,64`
    bool read_shape(Node& value) {
        const std::size_t begin = in_.at();
        value.kind = Node::Kind::array;
        do {
            const std::size_t at = in_.at();
            const std::optional<std::int64_t> extent = in_.integer("an extent");
            if (!extent) return false;
            value.items.push_back(integer_node(*extent, at));
        } while (in_.accept(','));
        value.place = place(begin, in_.end_of_last());
        return true;
    }

    std::string_view text_;
    Cursor in_;
    int line_;
    int indent_;
    Node buffer_;
    Node operand_;
};

/// What a terminal shows as one line.
std::string in_one_line(std::string text) {
    for (char& c : text) {
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
        if (c < 0x20 || c > 0x7e) c = '?';
    }
    return text;
}

/// Options with their values, written into one line of the source and as nodes.
class OptionsLine {
public:
    explicit OptionsLine(int line) : line_(line) {}

    Node add(const std::string& option, const std::string& value) {
        Node node = flag(option);
        node.kind = Node::Kind::string;
        text_ += ' ';
        node.place = {line_, static_cast<int>(text_.size()) + 1, std::max(1, static_cast<int>(value.size()))};
        node.content_column = node.place.column;
        node.text = value;
        text_ += value;
        return node;
    }
    /// An option without a value: `--zero-fill` for the key `zero_fill`.
    Node flag(const std::string& key) {
        std::string option = key;
        std::replace(option.begin(), option.end(), '_', '-');
        if (!text_.empty()) text_ += ' ';
        Node node;
        node.kind = Node::Kind::boolean;
        node.integer = 1;
        node.key = key;
        node.key_place = node.place = {line_, static_cast<int>(text_.size()) + 1, static_cast<int>(option.size()) + 2};
        text_ += "--" + option;
        return node;
    }
    const std::string& text() const { return text_; }

private:
    int line_;
    std::string text_;
};

Node table_of(const std::string& key, std::vector<Node> items, Node::Kind kind = Node::Kind::table) {
    Node node;
    node.kind = kind;
    node.key = key;
    node.key_place = node.place = {3, 1, 1};
    node.items = std::move(items);
    return node;
}

}  // namespace

Loaded load_one_line(const OneLine& line) {
    const std::string src = in_one_line(line.src), dst = in_one_line(line.dst);
    OptionsLine options(3);
    std::vector<Node> copy{options.add("scope", in_one_line(line.scope))};
    if (line.threads) {
        Node threads = options.add("threads", std::to_string(*line.threads));
        threads.kind = Node::Kind::integer;
        threads.integer = *line.threads;
        copy.push_back(std::move(threads));
    }
    if (line.predicate) copy.push_back(options.add("predicate", in_one_line(*line.predicate)));
    if (line.zero_fill) copy.push_back(options.flag("zero_fill"));
    const Node arch = options.add("arch", in_one_line(line.arch));
    Source source{"<command line>", "--src " + src + "\n--dst " + dst + "\n" + options.text() + "\n"};
    if (source.text.size() > static_cast<std::size_t>(largest_file.count))
        return {std::move(source), Diagnostic{"file-too-large", "options of more than 1 MiB are no copy"}};

    constexpr int indent = 6;  // of what follows `--src `
    SideReader from(src, "src", 1, indent), to(dst, "dst", 2, indent);
    for (SideReader* side : {&from, &to})
        if (std::optional<Diagnostic> fault = side->read()) return {std::move(source), *std::move(fault)};
    copy.push_back(std::move(from.operand()));
    copy.push_back(std::move(to.operand()));
    const Document document{
        Syntax::options, table_of("", {table_of("target", {arch}), table_of("buffers", {std::move(from.buffer()), std::move(to.buffer())}),
                                       table_of("copies", {table_of("", std::move(copy))}, Node::Kind::array)})};
    Result<Problem> problem = read_problem(document, "copy");
    return {std::move(source), std::move(problem)};
}

}  // namespace tileproof
