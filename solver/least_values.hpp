// Least values: the smallest example of symbols at which an address is misaligned.
//
//   f16 rows of pitch ld, ld a multiple of 4 from 64 on; 128 bits want multiples of 8      ld = 68
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layouts/fact.hpp"

namespace tileproof {

/// Expressions that have to be multiples of something wherever the facts hold.
struct Multiples {
    std::vector<Expression> expressions;
    std::vector<Fact> facts;
};

/// The least values of the symbols, the first symbol first, at which one of these is no multiple of n; nothing within the tries.
std::optional<Values> least_misaligned(const std::vector<Symbol>& symbols, const Multiples& must_be, std::int64_t n);

}  // namespace tileproof
