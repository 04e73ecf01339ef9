// Copies as problem files state them: operands, predicate, who does it, by which variant, with which cache hints.
#pragma once

#include <array>
#include <vector>

#include "layouts/problem.hpp"
#include "layouts/region_text_internal.hpp"
#include "layouts/tables_internal.hpp"

namespace tileproof {

constexpr int most_threads = 1024;

constexpr std::array scope_names{"thread", "warp", "warpgroup", "cta"};
constexpr std::array threads_of_scope{1, warp_threads, warpgroup_threads, 0};  // 0: the file says it

/// Faults are left in the table's context. Requires: the copy has its default name.
void read_copy(Table table, const NamedShapes& names, const std::vector<Symbol>& symbols, Copy& copy);

}  // namespace tileproof
