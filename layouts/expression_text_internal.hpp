// Expressions as people write them: integers, symbols, `+ - *` and parentheses.
//
//   32*ld + 8        (row + 1)*ld        -p
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "layouts/cursor_internal.hpp"
#include "layouts/expression.hpp"
#include "layouts/fact.hpp"
#include "layouts/result.hpp"

namespace tileproof {

/// How much of an expression: a sum, or a product alone where `+` means something else.
enum class Grammar { sum, product };

/// Reads the longest expression that begins here. `what` is what was expected instead.
/// Faults: the cursor's syntax rule, `overflow` (a value that may leave +-2^50, a degree above 4), `unknown-symbol`.
std::optional<Expression> read_expression(Cursor& in, const std::vector<Symbol>& symbols, std::string_view what, Grammar grammar);

/// "ld >= 128", "(2*ld) % 16 == 0". Faults as above, and `fact-modulus` for a modulus that may not be positive.
Result<Fact> read_fact(std::string_view text, const std::vector<Symbol>& symbols);

}  // namespace tileproof
