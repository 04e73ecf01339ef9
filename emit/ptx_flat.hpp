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

/// A register with offset + sum of terms at `index`, in bytes, before the swizzle.
/// `wide`: in 64 bits; `index` has that width.
std::string write_flat_sum(PtxWriter& out, const AddressPlan& address, Bytes element, const std::string& index, bool wide);

/// "800 (i / 77 % 77) + 2 (i % 77)", in bytes; the swizzle apart.
std::string describe_flat(const AddressPlan& address, Bytes element);

}  // namespace tileproof
