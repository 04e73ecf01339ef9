// A segment that counts from a tail, as one that does not: where the tail begins is one more symbol, whose register is written first.
//
//   from n rounded down to a multiple of 8 on, below n - 1       and.b64  %rd5, %rd3, -8;       the begin
//                                                                offset + begin, and below n - 1 - begin
#pragma once

#include "emit/ptx_internal.hpp"

namespace tileproof {

/// Requires: the segment has a tail.
struct TailFrame {
    TailFrame(PtxWriter& out, const KernelFrame& outer, const Box& box, const Segment& with_tail);
    TailFrame(const TailFrame&) = delete;
    TailFrame& operator=(const TailFrame&) = delete;

    Problem problem;  // with that symbol
    KernelFrame frame;
    Segment segment;
};

}  // namespace tileproof
