// Documents: what a problem is written in, whatever the syntax. A tree of values, each of which knows where it stands.
//
//   align = 16          {"align": 16}          --src '... align 16'
//       all are         Node{integer, 16, place of the 16} with the key `align`
//
// layouts/tables_internal.hpp reads a tree; layouts/document_toml.cpp, layouts/document_json.cpp and layouts/one_line.cpp make one.
// No tree nests more than `deepest` levels, so that recursion over it is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/result.hpp"

namespace tileproof {

struct Node {
    enum class Kind { table, array, string, integer, floating_point, boolean, null, time };

    Kind kind = Kind::table;
    std::string key;  // in a table
    Place key_place{};
    Place place{};                        // of the value: a literal with its quotes, the header or the bracket of a table
    std::int64_t integer = 0;             // of a boolean, 1 or 0
    std::string text{};                   // of a string
    std::optional<int> content_column{};  // of its first character, where the file has the very characters of `text` in one line
    std::vector<Node> items{};            // of an array or a table, in file order
    std::size_t begin = 0;                // bytes of the text, its key included; known for JSON
    std::size_t end = 0;

    /// The value of a key of this table, or null.
    const Node* find(std::string_view name) const;
};

enum class Syntax { toml, json, options };

struct Document {
    Syntax syntax = Syntax::toml;
    Node root;
};

/// How a document spells a table: "[buffers.A]", "/buffers/A", "--src". A member of `copies` is its number.
std::string title_of(Syntax syntax, const std::string& section, const std::string& member);

constexpr int deepest = 32;

/// Errors: `toml-syntax`, `nesting`. Requires: `text` is UTF-8.
Result<Document> read_toml(std::string_view text);

/// Errors: `json-syntax`, `nesting`, `duplicate-key`, `overflow`. Requires: `text` is UTF-8.
Result<Document> read_json(std::string_view text);
/// The diagnostic with a note of the JSON pointer and the byte that its place stands for.
Diagnostic with_pointer(Diagnostic diagnostic, std::string_view text, const Node& root);

/// Bytes before the character of a 1-based column in a UTF-8 line.
std::size_t byte_of(std::string_view line, std::size_t column);

}  // namespace tileproof
