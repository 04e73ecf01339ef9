// The report at length: for each copy why its width is legal, why each wider one is not, with a picture of the first access
// that would fail; then what is proved, and on which assumptions.
//
//   load  A -> As, 128 threads  proved
//     width     64 bits: 4 elements of f16 in one access of 8 bytes. No wider access is legal.
//     runs      In A the stride along dimension 1 is 1, and in As too: a neighbour on one side is a neighbour on the other. ...
//     not 128   thread 2 in round 0 would read A[1,0], at byte 40 = 8 mod 16 [stride]
//               ...
#pragma once

#include <string>

#include "emit/view.hpp"

namespace tileproof {

/// Lines have at most 100 columns, unless a name is very long.
std::string explain_text(const View& view, bool color);

}  // namespace tileproof
