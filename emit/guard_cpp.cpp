// The guard as C++11. Every name of the user's has the prefix of the kernel's parameters, so that none is a keyword or one of ours.
#include <algorithm>

#include <fmt/format.h>

#include "emit/guard.hpp"

namespace tileproof {
namespace {

/// The symbols as the text names them.
std::vector<Symbol> prefixed(std::vector<Symbol> symbols) {
    for (Symbol& symbol : symbols) symbol.name = "p_" + symbol.name;
    return symbols;
}

class CppGuard {
public:
    explicit CppGuard(const Guard& guard) : guard_(guard), symbols_(prefixed(guard.problem.symbols)) {}

    std::string text() {
        std::string body;
        for (const Check& check : guard_.checks) {
            body += "    // " + check.text + "\n";
            for (const Condition& condition : check.conditions)
                body += "    if (!(" + std::visit([this](const auto& c) { return formula(c); }, condition) + ")) return false;\n";
        }
        const std::string signature = "inline bool " + guard_.name + "(" + parameters(body) + ")";
        return head() + "#pragma once\n\n#include <cstdint>\n\n" + signature + " {\n" + helpers() + body + "    return true;\n}\n";
    }

private:
    std::string head() const {
        const std::string& entry = guard_.kernel.entry;
        std::string out = fmt::format(
            "// tileproof: may {} be launched with these arguments? For the host; they are the kernel's, in its order.\n//\n", entry);
        out +=
            "// Where this returns true, all that the kernel's proof assumes holds, save what only the caller can know, below. The "
            "conditions are\n"
            "// the assumptions that the proof uses, one for one. Ranges come first; within them no sum or product below leaves 64 bits.\n";
        out += "//\n// Not checked, and still assumed:\n";
        for (const std::string& assumption : guard_.unchecked) out += "//   " + assumption + "\n";
        return out +
               fmt::format("//   the launch is of blocks of {} {}\n", guard_.kernel.block, guard_.kernel.block == 1 ? "thread" : "threads");
    }

    /// What no condition mentions has no name.
    std::string parameters(const std::string& body) const {
        std::string out;
        for (const Parameter& parameter : guard_.kernel.parameters) {
            const std::string name = "p_" + parameter.name;
            out += out.empty() ? "" : ", ";
            out += parameter.type == "u64" ? "const void* " : "std::int64_t ";
            out += is_word_of(body, name) ? name : "/*" + name + "*/";
        }
        return out;
    }

    static bool is_word_of(const std::string& text, const std::string& name) {
        const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
        }
        return false;
    }

    std::string helpers() const {
        std::string out;
        if (has_address_)
            out +=
                "    const auto address = [](const void* pointer) { return "
                "static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer)); };\n";
        if (has_room_)
            out +=
                "    const auto room = [](std::int64_t bytes) { return bytes < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(bytes); "
                "};\n";
        if (has_remainder_)
            out +=
                "    // From 0 to modulus - 1, whatever the sign of n.\n"
                "    const auto remainder = [](std::int64_t n, std::int64_t modulus) { return n % modulus < 0 ? n % modulus + modulus : n "
                "% modulus; };\n";
        return out;
    }

    const std::string& symbol(int index) const { return symbols_[static_cast<std::size_t>(index)].name; }
    std::string address(int buffer) {
        has_address_ = true;
        return "address(p_" + guard_.problem.buffers[static_cast<std::size_t>(buffer)].name + ")";
    }

    std::string formula(const IsInRange& c) { return fmt::format("{0} >= {1} && {0} <= {2}", symbol(c.symbol), c.min, c.max); }
    std::string formula(const IsMultiple& c) { return fmt::format("{} % {} == 0", symbol(c.symbol), c.of); }
    std::string formula(const Fact& c) { return side(c.left) + " " + to_string(c.comparison) + " " + side(c.right); }
    std::string formula(const HasResidue& c) { return fmt::format("{} % {} == {}", address(c.buffer), c.modulus.count, c.residue.count); }
    std::string formula(const LieApart& c) {
        const std::string a = address(c.a), b = address(c.b);
        return fmt::format("{1} - {0} >= {2} && {0} - {1} >= {3}", a, b, room(c.room_a), room(c.room_b));
    }
    std::string side(const FactSide& s) {
        const std::string value = to_string(s.expression, symbols_);
        if (!s.modulus) return value;
        has_remainder_ = true;
        return fmt::format("remainder({}, {})", value, to_string(*s.modulus, symbols_));
    }
    std::string room(const Room& r) {
        has_room_ = true;
        const std::string sum = to_string(r.sum, symbols_);
        return r.divisor_log2 == 0 ? fmt::format("room({})", sum) : fmt::format("room(({}) / {})", sum, 1 << r.divisor_log2);
    }

    const Guard& guard_;
    std::vector<Symbol> symbols_;
    bool has_address_ = false;
    bool has_room_ = false;
    bool has_remainder_ = false;
};

}  // namespace

std::string guard_cpp(const Guard& guard) { return CppGuard(guard).text(); }

}  // namespace tileproof
