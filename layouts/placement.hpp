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

struct Placement {
    std::vector<Bytes> offsets;  // by buffer index; 0 for those that are not shared
    Bytes total{};
    Bytes align{16};
};
Placement place_shared(const Problem& problem);

}  // namespace tileproof
