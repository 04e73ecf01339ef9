// Prose: paragraphs for a terminal, at most 100 columns wide, under heads in a margin.
//
//   runs      The region is one straight line of 1024 elements in A and in As: a neighbour on one
//             side is a neighbour on the other.
//
// Only heads and single words are painted, so that escape sequences never count as columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/units.hpp"

namespace tileproof {

class Paint {
public:
    explicit Paint(bool on) : on_(on) {}
    std::string bold(const std::string& text) const { return wrap("1", text); }
    std::string dim(const std::string& text) const { return wrap("2", text); }
    /// Green for "proved", yellow for "unknown", red for anything else.
    std::string verdict(const std::string& text) const;

private:
    std::string wrap(const char* code, const std::string& text) const;
    bool on_;
};

constexpr std::size_t page_columns = 100;

/// The words of `text` in lines that start at column `indent` and end before `page_columns`; "\n" in the text breaks a line.
/// A word longer than a line stays whole. Ends with a newline unless the text is empty.
std::string paragraph(std::string_view text, std::size_t indent);

/// "  head      text", the text at text_column and wrapped. Requires: head is shorter than the margin.
std::string row(const std::string& head, std::string_view text, const Paint& paint);

/// Each line at column `indent`.
std::string indented(const std::vector<std::string>& lines, std::size_t indent);

/// "1 element", "4 elements".
std::string counted(std::int64_t n, const std::string& one);

constexpr std::size_t text_column = 12;

/// What addresses are counted in for people: bytes; bits where elements are smaller than a byte.
struct AddressUnit {
    explicit AddressUnit(Bits element) : bits(element < Bits{8} ? 1 : 8) {}
    std::int64_t bits;
    std::int64_t of(Bits address) const { return address / Bits{bits}; }
    std::string name() const { return bits == 1 ? "bit" : "byte"; }
    std::string counted(std::int64_t n) const { return tileproof::counted(n, name()); }
};

}  // namespace tileproof
