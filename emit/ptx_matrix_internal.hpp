// Matrix instructions in PTX: whose address each lane supplies.
//
//   x4, f16, thread t holds (t / 4, 2 (t % 4) + v % 2) of matrix v / 2      address of thread 4 (t % 8) of the warp, lane 2 (t % 32 / 8):
//   matrices 1024 bytes apart, rows 128                                     1024 (t % 32 / 8) + 128 (t % 8)
//
// A segment's addresses belong to the lanes that hold elements; the code computes those of the rows that each lane supplies.
#pragma once

#include "layouts/matrix.hpp"
#include "layouts/plan.hpp"

namespace tileproof {

/// The segment whose thread t, at lane 0, has on `stored` the address that thread t supplies in `segment`. Its box coordinates and its other
/// side mean nothing. Requires: check_plan finds nothing; the instruction of `stored` is `form`, and legal.
Segment supplied_rows(const Segment& segment, Side stored, const MatrixForm& form, Bits element);

}  // namespace tileproof
