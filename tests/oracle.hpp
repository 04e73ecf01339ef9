// Oracle: the widest legal width of a small copy and why each wider one is refused, by looking at every run.
//
// The definition read literally, on lists of elements; slow on purpose. It shares no code with layouts/, solver/ or verify/
// beyond the plain values of a problem: it has its own address evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof::oracle {

struct Refused {
    int width_bits = 0;
    std::string rule;
    std::optional<std::string> side{};
    std::optional<std::int64_t> run{}, address{};  // in bits, base residue included
};

struct Answer {
    bool overlaps = false;         // two elements share a destination
    int width_bits = 0;            // 0: none is legal
    std::vector<Refused> refused;  // wider widths, widest first
};

Answer widest(const Problem& problem, const Copy& copy);

/// Element offset of each element of a region, in row-major order of the region.
std::vector<std::int64_t> offsets(const Layout& layout, const Region& region, bool with_swizzle);

/// The fewest rounds that any split of `threads` over the accesses of each dimension needs: every split is tried.
std::int64_t fewest_rounds(const std::vector<std::int64_t>& accesses, std::int64_t threads);

}  // namespace tileproof::oracle
