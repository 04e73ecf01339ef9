// A problem as lines of text, so that two can be compared whatever they were read from. Places are left out.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "layouts/notation.hpp"
#include "layouts/problem.hpp"

namespace tileproof::test {

inline std::string describe(const Buffer& buffer, const std::vector<Symbol>& symbols) {
    const auto number = [](std::int64_t n) { return " " + std::to_string(n); };
    std::string out = buffer.name + (buffer.space == Space::global ? " global " : " shared ") + buffer.dtype.name + " ";
    out += written(buffer.layout, buffer.layout.is_over_bits() ? Notation::bits : Notation::tirx, symbols).value() + " of";
    for (const std::int64_t extent : buffer.layout.shape) out += number(extent);
    out += " align" + number(buffer.align.count) + (buffer.align_is_default ? " default" : "");
    if (buffer.base) out += " base" + number(buffer.base->count);
    out += " capacity" + number(buffer.capacity.count) + (buffer.capacity_is_default ? " default" : "");
    if (buffer.symbolic_capacity) out += " exactly " + to_string(*buffer.symbolic_capacity, symbols);
    return out + (buffer.swizzle_on_address ? " on address" : "");
}

inline std::string describe(const Problem& problem, const Operand& operand) {
    std::string out = problem.buffer(operand).name + "[";
    for (std::size_t i = 0; i < operand.region.start.size(); ++i) {
        out += to_string(operand.region.start[i], problem.symbols) + ":+" + std::to_string(operand.region.extent[i]);
        if (const auto symbolic = operand.region.symbolic_extent.find(i); symbolic != operand.region.symbolic_extent.end())
            out += (operand.region.clipped.count(i) != 0 ? "(to " : "(") + to_string(symbolic->second, problem.symbols) + ")";
        out += " ";
    }
    return out + "]";
}

/// Buffers and symbols sorted by name: their order in a file is of no interest here.
inline std::vector<std::string> describe(const Problem& problem) {
    std::vector<std::string> out;
    for (const Buffer& buffer : problem.buffers) out.push_back(describe(buffer, problem.symbols));
    std::sort(out.begin(), out.end());
    out.push_back(problem.stem + " for " + problem.target.name + " block " + std::to_string(problem.launch.block) +
                  (problem.launch.block_is_default ? " default" : "") + (problem.ptx ? " PTX " + to_string(*problem.ptx) : ""));
    std::vector<Symbol> symbols = problem.symbols;
    std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) { return a.name < b.name; });
    for (const Symbol& s : symbols)
        out.push_back(s.name + " from " + std::to_string(s.min) + " to " + std::to_string(s.max) + " by " + std::to_string(s.multiple_of));
    for (const Fact& fact : problem.facts) out.push_back(to_string(fact, problem.symbols));
    for (const Copy& copy : problem.copies)
        out.push_back(copy.name + ": " + describe(problem, copy.src) + " -> " + describe(problem, copy.dst) + " by " +
                      to_string(copy.scope) + " " + std::to_string(copy.threads) + " group " + std::to_string(copy.group) + " " +
                      copy.dispatch + (copy.zero_fill ? " zeros" : ""));
    return out;
}

}  // namespace tileproof::test
