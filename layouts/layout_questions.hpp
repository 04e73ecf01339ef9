// Questions about layouts: a yes, or the coordinates that say no.
//
//   (8,4):(4,1)  the same as  S[(8,2,2):(4,2,1)]?       yes
//   (8,4):(5,1)  onto 0..31, one to one?                no: no coordinate has the offset 4
//   (8,4):(3,1)                                         no: (0,3) and (1,0) share the offset 3
//   (8,4):(3,1), rows 0-3 and rows 4-7 disjoint?        no: (3,3) and (4,0) share the offset 12
//
// Iters, with or without a swizzle, and bits are decided by their strides and bases, however many elements there are. What is
// left is enumerated, up to `most_enumerated` elements; beyond that the answer is the fault `too-large`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/problem.hpp"
#include "layouts/result.hpp"

namespace tileproof {

constexpr Elements most_enumerated{std::int64_t{1} << 24};

struct Equality {
    bool is_equal = true;
    std::vector<std::int64_t> coordinate{};  // the first, row-major, with two offsets; empty where the shapes differ
    std::int64_t first = 0;                  // its offset in the first layout
    std::int64_t second = 0;
    /// How many have two offsets; nothing beyond `most_enumerated`, or where the shapes differ.
    std::optional<Elements> differing{};
};
/// Have both the same shape, and every coordinate the same offset?
Result<Equality> same_offsets(const Layout& first, const Layout& second);

struct Bijectivity {
    bool is_bijective = true;
    std::int64_t offset = 0;                           // the least of 0 .. size - 1 that no coordinate has, or more than one
    std::vector<std::vector<std::int64_t>> sharing{};  // two coordinates that have it; empty for a gap
};
/// Does exactly one coordinate have each offset of 0 .. size - 1?
Result<Bijectivity> bijectivity(const Layout& layout);

struct Overlapping {
    Elements shared{};                   // how many different offsets both regions have
    std::vector<std::int64_t> first{};   // the first coordinate, row-major, of the first region whose offset is shared
    std::vector<std::int64_t> second{};  // and the first one of the second region with that offset
    std::int64_t offset = 0;
};
/// Which offsets have two regions in common? Requires: both lie inside the shape.
Result<Overlapping> overlapping(const Layout& layout, const Region& first, const Region& second);

}  // namespace tileproof
