// Wording: pieces of sentences that diagnostics share.
//
//   in_quotes("al\ngn")                        -> 'al?gn'        whatever an input contains, a terminal sees plain characters
//   did_you_mean("algn", {"align", "base"}) -> "did you mean 'align'?"
//   listed({"A", "B", "C"})                 -> "A, B and C"
//   address_text(Bits{320}, Bits{128})      -> "byte 40 = 8 mod 16"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/units.hpp"

namespace tileproof {

/// The word in single quotes, shortened if it is long, with '?' for what is not printable ASCII.
std::string in_quotes(std::string_view word);

/// The nearest candidate as a question, or an empty string where none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "A", "A and B", "A, B and C".
std::string listed(const std::vector<std::string>& words);

/// "(128,64)"
std::string tuple_of(const std::vector<std::int64_t>& numbers);

/// "byte 40"; "bit 324" where the address is not a whole number of bytes.
std::string address_text(Bits address);
/// The same with what remains modulo an access of `width`: "byte 40 = 8 mod 16", "bit 324 = 68 mod 128".
std::string address_text(Bits address, Bits width);
/// What remains alone: "8 mod 16", "68 mod 128 bits".
std::string residue_text(Bits residue, Bits width);

/// Whether it is [A-Za-z_][A-Za-z0-9_]*.
bool is_identifier(std::string_view word);

}  // namespace tileproof
