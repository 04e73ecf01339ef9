// Partition: who takes which element, as [outer, threads, vec] digits of the canonical box.
//
//   box 32 x 32, vec 4, 32 threads    ->   columns: 8 threads of 4    rows: 4 threads, 8 rounds
//   box 24, vec 4, 32 threads         ->   32 threads of 4, the last 26 predicated off
//
// Each box dimension takes a share of the threads; the shares multiply to the thread count, and what a share does not
// cover is done in rounds: the fewest (Z3: one fewer is unsat). Of the shares that need no more, the largest is taken for each
// dimension in rising order of global stride (the destination's where both sides are global). The plan is unique.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/box.hpp"
#include "layouts/plan.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// The fewest rounds of `threads` threads over these accesses, each dimension with a share of the threads: what share_threads finds. No
/// accesses: 1, by one thread.
std::int64_t fewest_rounds(const std::vector<std::int64_t>& accesses, std::int64_t threads);

/// How many threads each box dimension takes, given how many accesses lie along it.
/// `order`: the dimensions by falling preference for threads. Nothing where a solver limit was hit.
/// Ensures: the product of the shares is `threads`; no other shares need fewer rounds (the product of ceil(accesses / share)).
std::optional<std::vector<std::int64_t>> share_threads(smt::Session& z3, const std::vector<std::int64_t>& accesses, std::int64_t threads,
                                                       const std::vector<std::size_t>& order);

/// A part of the box: of the dimension `dim`, along which runs lie, the coordinates from `begin` on, `extent` of them.
/// Without `dim` it is all of the box, an element at a time.
struct Slice {
    Bits width;
    std::optional<std::size_t> dim{};
    std::int64_t begin = 0;
    std::int64_t extent = 0;  // a multiple of the elements of an access
};
/// The segment that moves it, along the dimensions of the box. Nothing where a solver limit was hit. Requires: the width is legal there.
std::optional<Segment> box_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const Slice& slice);

/// Lanes of a thread in one round, and which of their digits count along an access of each side (layouts/block.hpp).
struct Blocks {
    struct Digit {  // of a vec digit: its place is its index
        std::size_t dim = 0;
        std::int64_t weight = 1;
        std::int64_t extent = 1;  // above 1
    };
    Bits src_width, dst_width;
    std::vector<Digit> digits{};
    std::optional<std::vector<int>> src_lanes{}, dst_lanes{};
};
/// The segment that moves the box, or a slice of it, in such blocks. Nothing where a solver limit was hit. Requires: they are legal there, and
/// the digits of a dimension multiply to a divisor of its extent.
std::optional<Segment> blocks_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                                      const Blocks& blocks, const Slice* slice = nullptr);

/// The plan of a copy at a legal width, in one segment. Nothing where a solver limit was hit.
std::optional<CopyPlan> partition(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width);

}  // namespace tileproof
