// Whether a width is legal for a copy with a side in registers. Elements are filed by block of memory; no runs are numbered.
#include <algorithm>
#include <map>
#include <vector>

#include "layouts/address.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "verify/widest_internal.hpp"

namespace tileproof {
namespace {

struct Held {
    std::int64_t place;     // in the block, swizzle left out
    std::int64_t swizzled;  // address after the swizzle, base included, in elements
    std::int64_t thread;
    std::int64_t reg;
};

/// Each register goes with the same others, in the same order, wherever it goes.
class Company {
public:
    bool keeps(const std::vector<std::int64_t>& registers) {
        for (const std::int64_t reg : registers)
            if (known_.try_emplace(reg, registers).first->second != registers) return false;
        return true;
    }

private:
    std::map<std::int64_t, std::vector<std::int64_t>> known_;
};

bool one_access(std::vector<Held> access, std::int64_t n, Company& straight, Company& swizzled) {
    std::vector<std::int64_t> registers;
    for (std::int64_t j = 0; j < n; ++j) {
        const Held& lane = access[static_cast<std::size_t>(j)];
        if (lane.place != j || lane.thread != access[0].thread || lane.swizzled / n != access[0].swizzled / n) return false;
        registers.push_back(lane.reg);
    }
    if (!straight.keeps(registers)) return false;
    std::sort(access.begin(), access.end(), [](const Held& a, const Held& b) { return a.swizzled < b.swizzled; });
    for (std::size_t j = 0; j < access.size(); ++j) registers[j] = access[j].reg;
    return swizzled.keeps(registers);
}

}  // namespace

bool are_register_runs(const Problem& problem, const Copy& copy, std::int64_t n) {
    const Side held = *register_side(problem, copy), stored = opposite(held);
    const Problem file = on_register_file(problem, copy);
    const Buffer& memory = file.buffer(operand(file.copies[0], stored));
    Layout linear = memory.layout;
    linear.swizzle = {};
    const std::vector<std::int64_t> offsets = offsets_of(linear, operand(file.copies[0], stored).region);
    const std::vector<std::int64_t> places =
        offsets_of(file.buffer(operand(file.copies[0], held)).layout, operand(file.copies[0], held).region);
    const std::int64_t residue = to_bits(memory.base.value_or(Bytes{0})) / memory.dtype.size,
                       step = pitch(problem.buffer(operand(copy, held)));
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Held>> blocks;  // of a thread where registers are written
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        const std::int64_t at = offsets[k] + residue;
        blocks[{held == Side::dst ? places[k] / step : 0, at / n}].push_back(
            {at % n, swizzled(Integers{}, memory.layout.swizzle, offsets[k]) + residue, places[k] / step, places[k] % step});
    }
    Company straight, swizzled;
    for (auto& [block, all] : blocks) {
        if (static_cast<std::int64_t>(all.size()) % n != 0) return false;
        std::stable_sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.place < b.place; });
        const std::size_t times = all.size() / static_cast<std::size_t>(n);  // how often each place is read
        for (std::size_t i = 0; i < times; ++i) {
            std::vector<Held> access;
            for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) access.push_back(all[j * times + i]);
            if (!one_access(std::move(access), n, straight, swizzled)) return false;
        }
    }
    // Two elements with one destination: no width is legal.
    std::vector<std::int64_t> written = held == Side::dst ? places : offsets;
    std::sort(written.begin(), written.end());
    return std::adjacent_find(written.begin(), written.end()) == written.end();
}

}  // namespace tileproof
