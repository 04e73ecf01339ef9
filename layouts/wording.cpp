#include "layouts/wording.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tileproof {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Least number of insertions, deletions and replacements that turn one word into the other, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string in_quotes(std::string_view word) {
    constexpr std::size_t longest = 60;
    std::string shown(word.substr(0, longest));
    for (char& c : shown)
        if (c < 0x20 || c > 0x7e) c = '?';
    return "'" + shown + (word.size() > longest ? "...'" : "'");
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest = 64;  // the table is quadratic, and nobody means a longer word
    constexpr std::size_t shortest = 3;  // of two letters, any other two are near
    if (word.size() < shortest || word.size() > longest) return {};
    const std::string* nearest = nullptr;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::string& candidate : candidates) {
        if (candidate.size() > longest) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < least) {
            least = distance;
            nearest = &candidate;
        }
    }
    // A third of the letters may be wrong; beyond that a guess only misleads.
    if (nearest == nullptr || least > word.size() / 3) return {};
    return "did you mean " + in_quotes(*nearest) + "?";
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
        out += words[i];
    }
    return out;
}

std::string tuple_of(const std::vector<std::int64_t>& numbers) {
    std::string out = "(";
    for (const std::int64_t number : numbers) out += (out.size() > 1 ? "," : "") + std::to_string(number);
    return out + ")";
}

std::string address_text(Bits address) {
    const bool whole = address.count % 8 == 0;
    return whole ? "byte " + std::to_string(to_bytes(address).count) : "bit " + std::to_string(address.count);
}

std::string address_text(Bits address, Bits width) {
    const std::int64_t unit = address.count % 8 == 0 && width.count % 8 == 0 ? 8 : 1;
    return address_text(address) + " = " + std::to_string(address % width / Bits{unit}) + " mod " + std::to_string(width / Bits{unit});
}

std::string residue_text(Bits residue, Bits width) {
    const bool whole = residue.count % 8 == 0 && width.count % 8 == 0;
    const std::int64_t unit = whole ? 8 : 1;
    return std::to_string(residue / Bits{unit}) + " mod " + std::to_string(width / Bits{unit}) + (whole ? "" : " bits");
}

bool is_identifier(std::string_view word) {
    return !word.empty() && is_letter(word[0]) && std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace tileproof
