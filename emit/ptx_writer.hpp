// PtxWriter: the text of one kernel's body, and the registers it uses.
//
//   auto sum = out.fresh(Bank::b32);                    "%r3"
//   out.op("add.s32", {sum, "%r0", "16"});              "    add.s32           %r3, %r0, 16;"
//   out.guarded("%p0").op("bra", {"L0_load_round"});    "    @%p0 bra L0_load_round;"
//
// Four banks of 0-based registers: %p predicates, %h 16 bits, %r 32 bits, %rd 64 bits; %v holds 32-bit data in flight.
// `declarations` names exactly the registers handed out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof {

enum class Bank { pred, b16, b32, b64, data };

class PtxWriter {
public:
    /// A register that nothing else uses.
    std::string fresh(Bank bank);
    /// Registers 0 .. count-1 of `data` or `b16`, shared by all accesses of the kernel.
    std::vector<std::string> reused(Bank bank, int count);

    void op(std::string_view opcode, const std::vector<std::string>& operands);
    /// The next `op` runs only where `predicate` holds; none if it is empty.
    PtxWriter& guarded(std::string_view predicate);
    void comment(std::string_view text);
    void label(std::string_view name);
    void blank();
    void indent() { ++depth_; }
    void outdent() { --depth_; }

    const std::string& text() const { return text_; }
    std::string declarations() const;

private:
    std::string text_;
    std::string guard_;
    int depth_ = 1;
    std::array<int, 5> used_{};
};

/// The low 32 bits of `n` as a signed decimal: arithmetic modulo 2^32 does not see the difference.
std::string low_32_bits(std::int64_t n);
/// "{%v0, %v1}", the operand of an access; one register stands alone.
std::string tuple(const std::vector<std::string>& registers);
/// `n` in hexadecimal, for masks.
std::string hexadecimal(std::int64_t n);
/// Letters, digits and underscores stay, other characters become underscores; at most 64 of them.
std::string identifier(std::string_view name);

}  // namespace tileproof
