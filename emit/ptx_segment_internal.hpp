// What the writers of one segment share: the registers that exist, and which of them each round moves along.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "emit/ptx_address.hpp"
#include "emit/ptx_internal.hpp"
#include "emit/ptx_sum.hpp"
#include "emit/ptx_symbolic.hpp"

namespace tileproof {

/// A register that each pass of each loop moves along.
struct Moving {
    std::string name;
    bool wide = false;
    std::vector<std::int64_t> steps;            // per loop, outermost first
    std::vector<std::string> symbolic_steps{};  // instead of them: registers or numbers; empty: nothing
};

struct SegmentFrame {
    PtxWriter& out;
    const KernelFrame& frame;
    const Copy& copy;
    const Segment& segment;
    std::vector<std::int64_t> loops;  // extents, outermost first
    ThreadSums sums;
    SymbolRegisters symbols;
    std::vector<Moving> moving{};

    const Buffer& buffer(Side side) const { return frame.problem->buffer(operand(copy, side)); }
};

inline bool fits_int32(std::int64_t n) {
    return n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace tileproof
