// Grid: who performs a copy. The blocks of a launch, the groups of threads in a block, and the symbols that they compute from their
// indices instead of getting them passed.
//
//   [launch]  grid = [64]                                    64 blocks, numbers 0 to 63
//             row = { from = "ctaid.x", times = 128 }        row is 0, 128, ..., 8064: the 128 rows of a block
//   a warp, group = "each", in a block of 256                8 groups: `group` is 0 to 7
//
//   row*ld + 16*group   rest 0, step 128*ld in x, 16 in the group: what an offset grows by from one index to the next
//
// Such a symbol has the range 0..(extent-1)*times and is a multiple of `times`; whatever is proved for all values of the symbols is
// then proved for every block and group. What they are to one another is verify/blocks_internal.hpp's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof {

/// Threads that perform a copy together: x, y and z of their block, and the number of their group in it.
using Team = std::array<std::int64_t, 4>;
constexpr std::size_t group_dim = 3;
constexpr std::string_view group_name = "group";  // of the symbol

/// The teams that perform a copy: extents as those of a team's indices.
struct Teams {
    Team extent{1, 1, 1, 1};
    Scope scope = Scope::cta;

    /// Fits: the extents are at most 2^31 - 1, 65535, 65535 and 1024.
    Wide count() const;
    /// x is fastest, groups are slowest. Requires: 0 <= number < count().
    Team at(std::int64_t number) const;
};
/// Each block of the grid as a whole.
Teams blocks_of(const Launch& launch);
/// In each block of the grid the group that performs the copy, or all of them.
Teams teams_of(const Launch& launch, const Copy& copy);
/// All blocks of the grid.
std::int64_t block_count(const Launch& launch);
/// "block 5", or "block (1,0,2)" where the grid has more than one dimension; "warp 3", "warp 3 of block 5" where there are several groups.
std::string to_string(const Team& team, const Teams& teams);
/// "128*ctaid.x", "tid.x / 32"
std::string to_string(const LaunchIndex& index, const Launch& launch);

/// Whether an expression changes with an index of the team.
bool depends_on(const Expression& expression, std::size_t dim, const std::vector<Symbol>& symbols);
/// Whether an expression or a fact is about what blocks and groups compute.
bool is_of_launch(const Expression& expression, const std::vector<Symbol>& symbols);
/// The same. No caller can promise such a thing: it has to follow from the other facts.
bool is_of_launch(const Fact& fact, const std::vector<Symbol>& symbols);

/// The range and the multiple that the launch gives a symbol.
SymbolRange range_of(const LaunchIndex& index, const Launch& launch);

/// These values with those that this team computes in place of the launch's.
Values in_team(const std::vector<Symbol>& symbols, Values values, const Team& team);
/// Whether symbols that come from one index have values of one team.
bool is_of_one_team(const std::vector<Symbol>& symbols, const Values& values);
/// "ld = 64": those that are passed in, alone.
std::string passed_text(const Values& values, const std::vector<Symbol>& symbols);

/// rest + the sum of step[d] * (index d of the team); neither depends on those indices.
struct ByTeam {
    Expression rest = 0;
    std::array<Expression, 4> step{0, 0, 0, 0};  // 0 where there is one index
    bool is_constant() const { return step == std::array<Expression, 4>{0, 0, 0, 0}; }
};
/// By the indices from `first_dim` on; the others are symbols as any. Nothing where the expression is not linear in these indices, or a
/// step is beyond 2^50.
std::optional<ByTeam> by_team(const Expression& expression, const Problem& problem, std::size_t first_dim = 0);

/// An upper bound over all blocks and groups, the greatest value where each step has one sign: row*ld + 128 is at most 8064*ld + 128. Nothing where
/// a sign is open, or the expression is not linear.
std::optional<Expression> greatest_of_blocks(const Expression& expression, const Problem& problem);

constexpr std::array<std::int64_t, 3> largest_grid{2147483647, 65535, 65535};

}  // namespace tileproof
