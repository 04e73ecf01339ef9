// Placement: where the shared buffers lie in the block's shared memory, one after the other in file order.
//
//   As 4096 bytes, aligned 128   ->  0
//   Bs  100 bytes, aligned  16   ->  4096          total 4208 (rounded up to 16), aligned 128
//
// A buffer with a known base residue starts at that residue modulo 256.
#pragma once

#include <vector>

#include "layouts/problem.hpp"

namespace tileproof {

/// The most that `.align` gives a shared array: it counts from the start of the block's own shared memory, which is at 0x400
/// (seen on an H200, whatever `.align` says). A kernel that needs more rounds the array's address up, within room set aside for that.
constexpr Bytes most_shared_align{1024};

struct Placement {
    std::vector<Bytes> offsets;  // by buffer index; 0 for those that are not shared
    Bytes total{};
    Bytes align{16};

    /// Room to round the base up to `align`.
    Bytes slack() const { return align > most_shared_align ? align - most_shared_align : Bytes{0}; }
    /// What the block has to have.
    Bytes allocated() const { return total + slack(); }
};
Placement place_shared(const Problem& problem);

}  // namespace tileproof
