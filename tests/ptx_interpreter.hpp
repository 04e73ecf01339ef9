// A small PTX machine for tests: runs one kernel on the CPU, block after block, and a block thread by thread between barriers.
//
//   ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%r7];      each access is checked: inside its buffer, aligned to its width,
//                                                     no register read before it is written, no race with another thread or block
//
// ldmatrix and stmatrix run when all lanes of the warp have come to them; lanes supply addresses of rows and get what PTX deals out.
// What cp.async copies is read and written when its thread waits for it, and not at all if it does not.
// What is read as non-coherent (ld.global.nc) may be written by nobody, at any time.
// A device function is run as a kernel of one thread: its parameters are passed as they are, and what it returns is kept.
//
// It reads text and knows nothing of the emitter. It knows the instructions of plain copies and refuses all others.
// Where hardware would forgive, it does not: the shared array starts at an odd multiple of its alignment, parameters are
// generic addresses that only cvta turns into global ones, and register widths must match the instruction's type.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layouts/result.hpp"

namespace tileproof::test {

struct PtxOperand {
    enum class Kind { reg, number, symbol, special, memory, tuple };
    Kind kind = Kind::number;
    int reg = -1;                     // reg; memory: the register in brackets, or -1
    std::int64_t number = 0;          // number; symbol, memory: what is added
    std::string name{};               // symbol, special, memory of a symbol
    std::vector<PtxOperand> parts{};  // tuple
};

struct PtxInstruction {
    int guard = -1;  // predicate register
    bool guard_negated = false;
    std::string opcode;
    std::vector<std::string> suffixes;  // of the opcode: {"shared", "v4", "u32"}
    std::vector<PtxOperand> operands;
    int line = 0;
};

struct PtxRegister {
    std::string name;
    int bits = 0;  // 1: predicate
};

/// Global memory that the kernel may touch. Without `bytes` it reads as a pattern and forgets what is written.
struct PtxAllocation {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::vector<std::uint8_t> bytes{};
};

struct PtxAccess {
    int thread = 0;
    bool store = false;
    bool shared = false;
    std::uint64_t address = 0;  // shared: from the start of the array
    int bytes = 0;
    friend bool operator==(const PtxAccess&, const PtxAccess&) = default;
};

struct PtxLaunch {
    int block = 1;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::vector<PtxAllocation> global{};
    std::vector<std::uint64_t> arguments{};  // global addresses; passed as generic ones
    std::uint64_t dynamic_shared = 0;
    bool look_for_races = true;
};

struct PtxOutcome {
    std::string error{};                      // empty: all threads of all blocks returned
    std::vector<std::uint8_t> shared{};       // of the last block
    std::vector<PtxAccess> trace{};           // block after block; a thread's accesses in its order
    std::int64_t barriers = 0;                // of all blocks
    std::optional<std::uint64_t> returned{};  // of a function
};

class PtxKernel {
public:
    static Result<PtxKernel> parse(const std::string& text);

    /// Changes the bytes of `launch.global`.
    PtxOutcome run(PtxLaunch& launch) const;

    const std::string& entry() const { return entry_; }
    /// The name of what a function returns; empty for a kernel.
    const std::string& result() const { return result_; }
    /// Declared registers that no instruction names.
    std::vector<std::string> unused_registers() const;
    /// Opcodes between a label and a branch back to it.
    std::vector<std::string> opcodes_in_loops() const;

    const std::vector<PtxInstruction>& instructions() const { return code_; }
    const std::vector<PtxRegister>& registers() const { return registers_; }
    int target(const std::string& label) const;
    std::uint64_t shared_align() const { return shared_align_; }
    bool extern_shared() const { return extern_shared_; }
    std::uint64_t shared_size() const { return shared_size_; }
    const std::string& shared_name() const { return shared_name_; }
    const std::vector<std::string>& parameters() const { return parameters_; }
    bool is_number(std::size_t parameter) const { return is_number_[parameter]; }

private:
    friend class PtxReader;
    std::string entry_;
    std::string result_;
    int block_ = 0;
    std::vector<std::string> parameters_;
    std::vector<bool> is_number_;  // by parameter: .s64, a symbol, and no address
    std::vector<PtxRegister> registers_;
    std::map<std::string, int> register_numbers_;
    std::vector<PtxInstruction> code_;
    std::map<std::string, int> labels_;
    std::string shared_name_;
    std::uint64_t shared_align_ = 1;
    std::uint64_t shared_size_ = 0;
    bool extern_shared_ = false;
};

}  // namespace tileproof::test
