#include "emit/ptx_writer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tileproof {
namespace {

struct BankRow {
    std::string_view type;
    std::string_view prefix;
};

constexpr std::array bank_rows{BankRow{".pred", "%p"}, BankRow{".b16", "%h"}, BankRow{".b32", "%r"}, BankRow{".b64", "%rd"},
                               BankRow{".b32", "%v"}};

constexpr std::size_t opcode_column = 20;

}  // namespace

std::string PtxWriter::fresh(Bank bank) {
    const auto row = static_cast<std::size_t>(bank);
    return std::string(bank_rows[row].prefix) + std::to_string(used_[row]++);
}

std::vector<std::string> PtxWriter::reused(Bank bank, int count) {
    const auto row = static_cast<std::size_t>(bank);
    used_[row] = std::max(used_[row], count);
    std::vector<std::string> out;
    out.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out.push_back(std::string(bank_rows[row].prefix) + std::to_string(i));
    return out;
}

void PtxWriter::op(std::string_view opcode, const std::vector<std::string>& operands) {
    std::string line(static_cast<std::size_t>(4 * depth_), ' ');
    if (!guard_.empty()) line += "@" + std::exchange(guard_, {}) + " ";
    line += opcode;
    const std::size_t column = static_cast<std::size_t>(4 * depth_) + opcode_column;
    if (!operands.empty()) line.append(line.size() < column ? column - line.size() : 1, ' ');
    for (std::size_t i = 0; i < operands.size(); ++i) line += (i == 0 ? "" : ", ") + operands[i];
    text_ += line + ";\n";
}

PtxWriter& PtxWriter::guarded(std::string_view predicate) {
    guard_ = predicate;
    return *this;
}

void PtxWriter::comment(std::string_view text) {
    text_ += std::string(static_cast<std::size_t>(4 * depth_), ' ') + "// " + std::string(text) + "\n";
}

void PtxWriter::label(std::string_view name) { text_ += std::string(name) + ":\n"; }

void PtxWriter::blank() { text_ += "\n"; }

std::string PtxWriter::declarations() const {
    std::string out;
    for (std::size_t row = 0; row < bank_rows.size(); ++row) {
        if (used_[row] == 0) continue;
        out += "    .reg " + std::string(bank_rows[row].type) + std::string(6 - bank_rows[row].type.size(), ' ') +
               std::string(bank_rows[row].prefix) + "<" + std::to_string(used_[row]) + ">;\n";
    }
    return out;
}

std::string low_32_bits(std::int64_t n) {
    return std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(n))));
}

std::string tuple(const std::vector<std::string>& registers) {
    std::string out;
    for (const std::string& name : registers) out += (out.empty() ? "" : ", ") + name;
    return registers.size() > 1 ? "{" + out + "}" : out;
}

std::string hexadecimal(std::int64_t n) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    auto rest = static_cast<std::uint64_t>(n);
    do {
        out.insert(out.begin(), digits[rest % 16]);
        rest /= 16;
    } while (rest != 0);
    return "0x" + out;
}

std::string identifier(std::string_view name) {
    constexpr std::size_t longest = 64;
    std::string out;
    for (const char c : name.substr(0, longest)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out += plain ? c : '_';
    }
    return out;
}

}  // namespace tileproof
