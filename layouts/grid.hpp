// Grid: the blocks of a launch, and the symbols that a block computes from its index instead of getting them passed.
//
//   [launch]  grid = [64]                                    64 blocks, numbers 0 to 63
//             row = { from = "ctaid.x", times = 128 }        row is 0, 128, ..., 8064: the 128 rows of a block
//
//   row*ld + 8      rest 8, step 128*ld in x: what a block's offset grows by from one block to the next
//
// Such a symbol has the range 0..(extent-1)*times and is a multiple of `times`; whatever is proved for all values of the symbols is
// then proved for every block. What one block is to another is verify/blocks_internal.hpp's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof {

using Block = std::array<std::int64_t, 3>;  // x, y, z

/// All blocks of the grid. Fits: the extents are at most 2^31 - 1, 65535 and 65535.
std::int64_t block_count(const Launch& launch);
/// x is fastest. Requires: 0 <= number < block_count(launch).
Block block_at(const Launch& launch, std::int64_t number);
/// "block 5", or "block (1,0,2)" where the grid has more than one dimension.
std::string to_string(const Block& block, const Launch& launch);
/// "128*ctaid.x"
std::string to_string(const BlockIndex& index);

/// Whether a fact is about what blocks compute. No caller can promise such a thing: it has to follow from the other facts.
bool is_of_launch(const Fact& fact, const std::vector<Symbol>& symbols);

/// The range and the multiple that the launch gives a symbol.
SymbolRange range_of(const BlockIndex& index, const Launch& launch);

/// These values with those that this block computes in place of the launch's.
Values in_block(const std::vector<Symbol>& symbols, Values values, const Block& block);
/// Whether symbols that come from one dimension of the grid have values of one block.
bool is_of_one_block(const std::vector<Symbol>& symbols, const Values& values);
/// "ld = 64": those that are passed in, alone.
std::string passed_text(const Values& values, const std::vector<Symbol>& symbols);

/// rest + the sum of step[d] * (index of the block in dimension d); neither depends on the block.
struct ByBlock {
    Expression rest = 0;
    std::array<Expression, 3> step{0, 0, 0};  // 0 in dimensions of one block
    bool is_constant() const { return step == std::array<Expression, 3>{0, 0, 0}; }
};
/// Nothing where the expression is not linear in the indices of blocks, or a step is beyond 2^50.
std::optional<ByBlock> by_block(const Expression& expression, const Problem& problem);

/// An upper bound over all blocks, the greatest value where each step has one sign: row*ld + 128 is at most 8064*ld + 128. Nothing where
/// a sign is open, or the expression is not linear.
std::optional<Expression> greatest_of_blocks(const Expression& expression, const Problem& problem);

constexpr std::array<std::int64_t, 3> largest_grid{2147483647, 65535, 65535};

}  // namespace tileproof
