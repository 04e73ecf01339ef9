#include <algorithm>
#include <utility>

#include "layouts/toml_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

std::string type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "an array";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a floating-point number";
        case toml::node_type::boolean:
            return "a boolean";
        default:
            return "a date or time";
    }
}

bool is_before(const Place& a, const Place& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

/// Where the character of a 1-based column begins in a UTF-8 line.
std::size_t byte_of(std::string_view line, std::size_t column) {
    std::size_t at = 0;
    for (std::size_t passed = 1; passed < column && at < line.size(); ++passed) {
        ++at;
        while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
    }
    return at;
}

bool is_verbatim(const std::vector<std::string_view>& lines, const toml::source_region& at,
                 const std::string& value) {
    if (at.begin.line != at.end.line || at.begin.line < 1 || at.begin.line > lines.size()) return false;
    const std::string_view line = lines[at.begin.line - 1];
    const std::size_t begin = byte_of(line, at.begin.column), end = byte_of(line, at.end.column);
    return end == begin + value.size() + 2 && line.substr(begin + 1, value.size()) == value;
}

}  // namespace

void Faults::add(Diagnostic diagnostic) {
    ++count_;
    if (!first_ || is_before(diagnostic.place, first_->place)) first_ = std::move(diagnostic);
}

Diagnostic Text::at(Diagnostic diagnostic) const {
    const Place inner = std::exchange(diagnostic.place, place);
    if (is_verbatim) diagnostic.place = {place.line, place.column + inner.column, inner.length};
    return diagnostic;
}

Context make_context(std::string_view file) {
    Context context;
    while (true) {
        const std::size_t end = file.find('\n');
        context.lines.push_back(file.substr(0, end));
        if (end == std::string_view::npos) return context;
        file.remove_prefix(end + 1);
    }
}

Place place_of(const toml::source_region& region) {
    const auto& [begin, end, path] = region;
    const bool one_line = begin.line == end.line && end.column > begin.column;
    return {static_cast<int>(begin.line), static_cast<int>(begin.column),
            one_line ? static_cast<int>(end.column - begin.column) : 1};
}

void Table::check_keys(const std::vector<KnownKey>& known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const KnownKey& key : known) names.emplace_back(key.name);
    for (const auto& [key, value] : *table_) {
        const std::string_view name = key.str();
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const KnownKey& k) { return k.name == name; });
        if (found == known.end()) {
            std::string text = title_.empty() && value.is_table() ? "unknown table " : "unknown key ";
            text += in_quotes(name);
            if (!title_.empty()) text.append(" in ").append(title_);
            Diagnostic unknown{"unknown-key", std::move(text), place_of(key.source())};
            if (std::string hint = did_you_mean(name, names); !hint.empty())
                unknown.help.push_back(std::move(hint));
            fault(std::move(unknown));
        } else if (!found->later.empty()) {
            fault({"unsupported",
                   std::string(found->later) + " (" + in_quotes(name) + ") are not supported by this version",
                   place_of(key.source())});
        }
    }
}

void Table::require(std::string_view key, const Place& where, std::string help) {
    if (has(key) || context_->faults.count() != faults_before_) return;
    Diagnostic missing{"missing-key", (title_.empty() ? "the file" : title_) + " lacks " + in_quotes(key),
                       where};
    if (!help.empty()) missing.help.push_back(std::move(help));
    fault(std::move(missing));
}

void Table::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) {
    fault({"wrong-type", in_quotes(key) + " must be " + std::string(wanted) + ", not " + type_name(node),
           place_of(node.source())});
}

std::optional<Text> Table::text(std::string_view key) {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    const toml::value<std::string>* value = node->as_string();
    if (value == nullptr) {
        wrong_type(key, *node, "a string");
        return std::nullopt;
    }
    return Text{value->get(), place_of(node->source()),
                is_verbatim(context_->lines, node->source(), value->get())};
}

std::optional<std::int64_t> Table::in_range(std::string_view key, const toml::node& node, std::int64_t least,
                                            std::int64_t most) {
    const std::int64_t value = node.as_integer()->get();
    if (value >= least && value <= most) return value;
    fault({"out-of-range",
           in_quotes(key) + " must be from " + std::to_string(least) + " to " + std::to_string(most) +
               ", not " + std::to_string(value),
           place_of(node.source())});
    return std::nullopt;
}

std::optional<std::int64_t> Table::integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    if (node->is_integer()) return in_range(key, *node, least, most);
    wrong_type(key, *node, "an integer");
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> Table::integers(std::string_view key, std::int64_t least,
                                                         std::int64_t most) {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        wrong_type(key, *node, "an array of integers");
        return std::nullopt;
    }
    std::vector<std::int64_t> values;
    for (const toml::node& item : *array) {
        if (!item.is_integer()) {
            wrong_type(key, item, "an array of integers");
            return std::nullopt;
        }
        const std::optional<std::int64_t> value = in_range(key, item, least, most);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

const toml::table* Table::table(std::string_view key) {
    const toml::node* node = table_->get(key);
    if (node != nullptr && !node->is_table()) wrong_type(key, *node, "a table");
    return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> Table::tables(std::string_view key) {
    const toml::node* node = table_->get(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    if (array == nullptr) {
        wrong_type(key, *node, "an array of tables, [[" + std::string(key) + "]]");
        return {};
    }
    std::vector<const toml::table*> all;
    for (const toml::node& item : *array) {
        if (!item.is_table()) {
            wrong_type(key, item, "an array of tables, [[" + std::string(key) + "]]");
            return {};
        }
        all.push_back(item.as_table());
    }
    return all;
}

std::vector<Table::Named> Table::named_tables() {
    std::vector<Named> all;
    for (const auto& [key, value] : *table_) {
        const toml::table* table = value.as_table();
        if (table == nullptr) {
            wrong_type(key.str(), value, "a table");
        } else {
            all.push_back({std::string(key.str()), place_of(key.source()), table});
        }
    }
    // toml++ sorts keys by name.
    std::sort(all.begin(), all.end(),
              [](const Named& a, const Named& b) { return is_before(a.place, b.place); });
    return all;
}

}  // namespace tileproof
