// The part of the notations that has its own file: `[(1,2,4,8),(16,32)]` behind the word `bits`.
#pragma once

#include "layouts/cursor_internal.hpp"
#include "layouts/linear_bits.hpp"

namespace tileproof {

/// Reads the lists of basis values; says whether that succeeded, and leaves the fault in `in`.
bool read_bases(Cursor& in, BitBases& bases);

}  // namespace tileproof
