// The registers of a block: loaded access by access, put together anew where elements change their words, stored access by access.
//
//   f32, 4 x 4     ld.global.v4.u32 {%v0, %v1, %v2, %v3} ...  st.shared.v4.u32 {%v0, %v4, %v8, %v12}     names alone
//   f16, 2 x 2     ld.global.u32 %v0, ld.global.u32 %v1       prmt.b32 %v2, %v0, %v1, 0x5410             a pair of each
#pragma once

#include <string>
#include <vector>

#include "emit/ptx_writer.hpp"
#include "layouts/block.hpp"

namespace tileproof {

/// Why the registers of a block cannot be put together: elements of one byte that would have to part. Empty where they can.
std::string block_limit(const Segment& segment, Bits element);

/// Loads and stores one round. `from`, `to`: the address of each access ("%rd1+16"), in the order of heads_of. `active`: the predicate,
/// or empty. Requires: a proved plan, is_block(segment), and block_limit is empty.
void write_block(PtxWriter& out, const Segment& segment, Bits element, const std::vector<std::string>& from,
                 const std::vector<std::string>& to, const std::string& active);

}  // namespace tileproof
