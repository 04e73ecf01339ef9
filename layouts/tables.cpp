#include <algorithm>
#include <utility>

#include "layouts/tables_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

std::string type_name(Node::Kind kind, Syntax syntax) {
    switch (kind) {
        case Node::Kind::table:
            return syntax == Syntax::json ? "an object" : "a table";
        case Node::Kind::array:
            return "an array";
        case Node::Kind::string:
            return "a string";
        case Node::Kind::integer:
            return "an integer";
        case Node::Kind::floating_point:
            return "a floating-point number";
        case Node::Kind::boolean:
            return "a boolean";
        case Node::Kind::null:
            return "null";
        case Node::Kind::time:
            return "a date or time";
    }
    return "?";
}

std::string array_of_tables(std::string_view key, Syntax syntax) {
    return syntax == Syntax::json ? "an array of objects" : "an array of tables, [[" + std::string(key) + "]]";
}

bool is_before(const Place& a, const Place& b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); }

}  // namespace

void Faults::add(Diagnostic diagnostic) {
    ++count_;
    if (!first_ || is_before(diagnostic.place, first_->place)) first_ = std::move(diagnostic);
}

Diagnostic Text::at(Diagnostic diagnostic) const {
    const Place inner = std::exchange(diagnostic.place, place);
    if (content_column) diagnostic.place = {place.line, *content_column + inner.column - 1, inner.length};
    return diagnostic;
}

std::string hint(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = did_you_mean(word, known);
    return near.empty() ? "known are " + listed(known) : near;
}

void Table::check_keys(const std::vector<KnownKey>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const KnownKey& key : known) names.emplace_back(key.name);
    for (const Node& member : table_->items) {
        const std::string& name = member.key;
        const auto found = std::find_if(known.begin(), known.end(), [&](const KnownKey& k) { return k.name == name; });
        if (found == known.end()) {
            const bool is_section = title_.empty() && member.kind == Node::Kind::table && context_->syntax == Syntax::toml;
            std::string text = is_section ? "unknown table " : "unknown key ";
            text += in_quotes(name);
            if (!title_.empty()) text.append(" in ").append(title_);
            Diagnostic unknown{"unknown-key", std::move(text), member.key_place};
            if (std::string hint = did_you_mean(name, names); !hint.empty()) unknown.help.push_back(std::move(hint));
            fault(std::move(unknown));
        } else if (!found->later.empty()) {
            fault({"unsupported", std::string(found->later) + " (" + in_quotes(name) + ") are not supported by this version",
                   member.key_place});
        }
    }
}

void Table::require(std::string_view key, const Place& where, std::string help) {
    if (has(key) || context_->faults.count() != faults_before_) return;
    Diagnostic missing{"missing-key", (title_.empty() ? "the file" : title_) + " lacks " + in_quotes(key), where};
    if (!help.empty()) missing.help.push_back(std::move(help));
    fault(std::move(missing));
}

void Table::wrong_type(std::string_view key, const Node& node, std::string_view wanted) {
    fault(
        {"wrong-type", in_quotes(key) + " must be " + std::string(wanted) + ", not " + type_name(node.kind, context_->syntax), node.place});
}

std::optional<Text> Table::text(std::string_view key) {
    const Node* node = table_->find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind == Node::Kind::string) return Text{node->text, node->place, node->content_column};
    wrong_type(key, *node, "a string");
    return std::nullopt;
}

std::optional<std::int64_t> Table::in_range(std::string_view key, const Node& node, std::int64_t least, std::int64_t most) {
    const std::int64_t value = node.integer;
    if (value >= least && value <= most) return value;
    fault({"out-of-range",
           in_quotes(key) + " must be from " + std::to_string(least) + " to " + std::to_string(most) + ", not " + std::to_string(value),
           node.place});
    return std::nullopt;
}

std::optional<std::int64_t> Table::integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const Node* node = table_->find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind == Node::Kind::integer) return in_range(key, *node, least, most);
    wrong_type(key, *node, "an integer");
    return std::nullopt;
}

std::optional<bool> Table::flag(std::string_view key) {
    const Node* node = table_->find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind == Node::Kind::boolean) return node->integer != 0;
    wrong_type(key, *node, "true or false");
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> Table::integers(std::string_view key, std::int64_t least, std::int64_t most) {
    const Node* node = table_->find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind != Node::Kind::array) {
        wrong_type(key, *node, "an array of integers");
        return std::nullopt;
    }
    std::vector<std::int64_t> values;
    for (const Node& item : node->items) {
        if (item.kind != Node::Kind::integer) {
            wrong_type(key, item, "an array of integers");
            return std::nullopt;
        }
        const std::optional<std::int64_t> value = in_range(key, item, least, most);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

std::optional<std::size_t> Table::one_of(std::string_view key, const std::vector<std::string>& known) {
    const std::optional<Text> word = text(key);
    if (!word) return std::nullopt;
    const auto found = std::find(known.begin(), known.end(), word->value);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    Diagnostic unknown = word->fault("unknown-value", in_quotes(word->value) + " is no " + in_quotes(key));
    unknown.help.push_back(hint(word->value, known));
    fault(std::move(unknown));
    return std::nullopt;
}

std::vector<Text> Table::texts(std::string_view key) {
    const Node* node = table_->find(key);
    if (node == nullptr) return {};
    std::vector<Text> out;
    if (node->kind != Node::Kind::array) wrong_type(key, *node, "an array of strings");
    for (const Node& item : node->items) {
        if (node->kind != Node::Kind::array) break;
        if (item.kind != Node::Kind::string) {
            wrong_type(key, item, "an array of strings");
            return {};
        }
        out.push_back({item.text, item.place, item.content_column});
    }
    return out;
}

const Node* Table::table(std::string_view key) {
    const Node* node = table_->find(key);
    if (node == nullptr || node->kind == Node::Kind::table) return node;
    wrong_type(key, *node, type_name(Node::Kind::table, context_->syntax));
    return nullptr;
}

std::vector<const Node*> Table::tables(std::string_view key) {
    const Node* node = table_->find(key);
    if (node == nullptr) return {};
    const std::string wanted = array_of_tables(key, context_->syntax);
    if (node->kind != Node::Kind::array) {
        wrong_type(key, *node, wanted);
        return {};
    }
    std::vector<const Node*> all;
    for (const Node& item : node->items) {
        if (item.kind != Node::Kind::table) {
            wrong_type(key, item, wanted);
            return {};
        }
        all.push_back(&item);
    }
    return all;
}

std::vector<const Node*> Table::named_tables() {
    std::vector<const Node*> all;
    for (const Node& member : table_->items) {
        if (member.kind == Node::Kind::table) {
            all.push_back(&member);
        } else {
            wrong_type(member.key, member, type_name(Node::Kind::table, context_->syntax));
        }
    }
    return all;
}

}  // namespace tileproof
