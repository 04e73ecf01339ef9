// Addresses with symbols: what the parts by monomial add, each times the monomial's value.
//
//   offset 0, strides 8 (t % 8) + ld (t / 8), a round 32*ld          mul.lo.s64  %rd5, %rd3, 32;       32*ld, once
//                                                                    mad.lo.s64  %rd6, %rd4, %rd3, %rd6;
// In elements and in 64 bits; the verifier has proved that nothing leaves those.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/ptx_sum.hpp"
#include "emit/ptx_writer.hpp"
#include "layouts/plan.hpp"

namespace tileproof {

/// Registers with the values of symbols and of products of them, each computed once.
class SymbolRegisters {
public:
    explicit SymbolRegisters(const std::map<int, std::string>& symbols) : symbols_(symbols) {}
    /// A 64-bit register with the monomial's value. Requires: not empty.
    const std::string& monomial(PtxWriter& out, const Monomial& monomial);
    /// A 64-bit register with the value, or the number that it is.
    std::string value(PtxWriter& out, const Expression& expression);

private:
    const std::map<int, std::string>& symbols_;  // by index
    std::map<Monomial, std::string> products_{};
};

struct SymbolicSum {
    std::string name;                // a register of its own with the linear offset in the first round
    std::vector<std::string> steps;  // per loop, outermost first: a register or a number that each pass adds; empty: nothing
};
/// Requires: a straight segment.
SymbolicSum write_symbolic_sum(PtxWriter& out, ThreadSums& sums, SymbolRegisters& symbols, const Segment& segment,
                               const AddressPlan& address);

}  // namespace tileproof
