// Flat addresses: the instructions that turn the index of an access into its offset.
//
//   800 ((i / 77) mod 77) + 2 (i mod 77)      div.u32  rem.u32  mul.lo  rem.u32  mad.lo        shifts and masks for powers of two
//
// Done anew in each round: dividing by constants is multiplying to ptxas.
#pragma once

#include <string>

#include "emit/ptx_writer.hpp"
#include "layouts/plan.hpp"

namespace tileproof {

/// A register with scale * (offset + sum of terms at `index`), before the swizzle. `scale`: bytes of an element, to count in bytes;
/// 1, to count in elements. `wide`: in 64 bits; `index` has that width.
std::string write_flat_sum(PtxWriter& out, const AddressPlan& address, std::int64_t scale, const std::string& index, bool wide);

/// "800 (i / 77 % 77) + 2 (i % 77)"; the swizzle apart.
std::string describe_flat(const AddressPlan& address, std::int64_t scale);

}  // namespace tileproof
