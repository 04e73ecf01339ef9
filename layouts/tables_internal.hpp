// Tables of a document, read value by value, with the place where each stands.
//
//   table.check_keys({{"space"}, {"dtype"}, {"stages", "staged buffers"}});      unknown-key, or unsupported with "staged buffers"
//   const auto dtype = table.text("dtype");                                      Text, or a fault: wrong-type, missing-key
//
// Faults go to one `Faults`, which keeps the first in file order. Columns count characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/document_internal.hpp"
#include "layouts/result.hpp"

namespace tileproof {

class Faults {
public:
    void add(Diagnostic diagnostic);
    bool any() const { return first_.has_value(); }
    /// Requires: any().
    const Diagnostic& first() const { return *first_; }
    /// How many were added: tells whether a stretch of reading went well.
    int count() const { return count_; }

private:
    std::optional<Diagnostic> first_;
    int count_ = 0;
};

/// A string value.
struct Text {
    std::string value;
    Place place;                          // of the literal, quotes included
    std::optional<int> content_column{};  // as in Node

    /// The diagnostic, with a place in `value` moved to where that stands in the file.
    Diagnostic at(Diagnostic diagnostic) const;
    /// A diagnostic about the whole value.
    Diagnostic fault(std::string rule, std::string text) const { return {std::move(rule), std::move(text), place}; }
};

struct KnownKey {
    std::string_view name;
    std::string_view later{};  // what this version lacks for it; empty for a key that it reads
};

struct Context {
    Syntax syntax = Syntax::toml;
    Faults faults{};
};

/// A hint for a word out of a fixed list: the nearest, or all of them.
std::string hint(const std::string& word, const std::vector<std::string>& known);

class Table {
public:
    /// `title` is how the document spells it: "[buffers.A]", "/buffers/A", "--src"; empty for the document itself.
    Table(const Node& table, std::string title, Context& context)
        : table_(&table), title_(std::move(title)), context_(&context), faults_before_(context.faults.count()) {}

    const std::string& title() const { return title_; }
    Place header() const { return table_->place; }
    bool has(std::string_view key) const { return table_->find(key) != nullptr; }
    /// Place of a value. Requires: has(key).
    Place place(std::string_view key) const { return table_->find(key)->place; }

    void check_keys(const std::vector<KnownKey>& known);
    /// A fault unless the key is there. Silent if the table has another fault, which may be the same one (a misspelt key).
    void require(std::string_view key, const Place& where, std::string help = {});

    /// Each reader gives nothing, without a fault, where the key is absent.
    std::optional<Text> text(std::string_view key);
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
    std::optional<bool> flag(std::string_view key);
    std::optional<std::vector<std::int64_t>> integers(std::string_view key, std::int64_t least, std::int64_t most);
    /// The place of the word in a list that has to have it.
    std::optional<std::size_t> one_of(std::string_view key, const std::vector<std::string>& known);
    /// The strings of an array of strings; none where it is absent.
    std::vector<Text> texts(std::string_view key);
    const Node* table(std::string_view key);
    /// The tables of an array of tables; none where it is absent.
    std::vector<const Node*> tables(std::string_view key);
    /// The tables in this one, by their names, in file order.
    std::vector<const Node*> named_tables();

    void fault(Diagnostic diagnostic) { context_->faults.add(std::move(diagnostic)); }
    /// The key is there and holds something else than `wanted`.
    void wrong_type(std::string_view key, const Node& node, std::string_view wanted);
    bool is_string(std::string_view key) const { return has(key) && table_->find(key)->kind == Node::Kind::string; }
    /// Whether the key is there and holds this very string.
    bool says(std::string_view key, std::string_view word) const { return is_string(key) && table_->find(key)->text == word; }

private:
    std::optional<std::int64_t> in_range(std::string_view key, const Node& node, std::int64_t least, std::int64_t most);

    const Node* table_;
    std::string title_;
    Context* context_;
    int faults_before_;
};

}  // namespace tileproof
