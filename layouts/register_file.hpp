// Register files: a copy with a side in registers as a copy between memories.
//
//   R  f32, (32,4):(1@laneid,1), read by warp 2          pitch 8, a power of two at least twice what a thread holds
//   element (3,1): thread 67 of the block, register 1    place 67 * 8 + 1 in the register file of R
//
// The place of register r (counted in elements) of thread t of the block is t * pitch + r. So a register buffer is a memory with
// the layout of its places, on which every definition of the other files works: what an element's place is, what a copy does, which
// elements a plan moves. Replicas of a destination become dimensions in front, with stride 0 in the source: each place is an element
// of its own that is written. Of a source's replicas, the first is read. A copy by each group is that of the first group: the others hold
// the same registers, so many threads further on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/placement.hpp"
#include "layouts/plan.hpp"
#include "layouts/problem.hpp"

namespace tileproof {

/// The side that is in registers; nothing where none is. (`rejection` leaves no copies with two.)
std::optional<Side> register_side(const Problem& problem, const Copy& copy);
/// The side in memory of a copy with registers; nothing where none is in registers.
std::optional<Side> memory_side(const Problem& problem, const Copy& copy);

/// Elements from one thread's registers to the next one's in the register file of a buffer.
std::int64_t pitch(const Buffer& buffer);
/// 32-bit registers of a buffer in each thread.
std::int64_t register_words(const Buffer& buffer);

/// The thread of the block from which the axes of this side count. Requires: a register buffer.
std::int64_t first_thread(const Problem& problem, const Copy& copy, Side side);

/// The copy alone, its register buffer as a memory of `block` threads. The other buffers stay, with their numbers. Without a register side,
/// the copy alone.
Problem on_register_file(const Problem& problem, const Copy& copy);

/// The plan with the places that its register side computes: those of thread t of the scope lie t * pitch further on.
CopyPlan on_register_file(const Problem& problem, const Copy& copy, const CopyPlan& plan);

/// What an element of the region is held by that does not take part in the copy, if any: `thread-outside`.
std::optional<Diagnostic> outside_scope(const Problem& problem, const Copy& copy);

/// The image of what a block holds on chip: the shared buffers as they are placed, and behind them the register files.
struct ChipImage {
    std::vector<Bytes> offsets;  // by buffer index; 0 for global ones
    Bytes total{};
};
ChipImage chip_image(const Problem& problem);
/// Bytes of a register file: of all threads of the block.
Bytes file_bytes(const Problem& problem, const Buffer& buffer);

constexpr std::int64_t most_register_words = 255;  // of a thread

}  // namespace tileproof
