// Fact: a relation between expressions that the user promises to hold at run time.
//
//   ld >= 128      (2*ld) % 16 == 0      p % 8 == q % 8      n % ld == 0
//
// `%` gives the remainder from 0 to modulus - 1, whatever the sign of what is divided.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/expression.hpp"

namespace tileproof {

enum class Comparison { equal, unequal, less, less_equal, greater, greater_equal };
std::string to_string(Comparison comparison);

/// One side of a fact: an expression, or its remainder.
struct FactSide {
    Expression expression;
    std::optional<Expression> modulus{};  // always positive
};

struct Fact {
    FactSide left;
    Comparison comparison = Comparison::equal;
    FactSide right;
    std::string text{};  // as it was written
    Place place{};
};

bool holds(const Fact& fact, const Values& values);

/// The comparison, of numbers or of terms that stand for them.
template <class T>
auto compared(const T& a, Comparison comparison, const T& b) {
    switch (comparison) {
        case Comparison::equal:
            return a == b;
        case Comparison::unequal:
            return a != b;
        case Comparison::less:
            return a < b;
        case Comparison::less_equal:
            return a <= b;
        case Comparison::greater:
            return a > b;
        case Comparison::greater_equal:
            break;
    }
    return a >= b;
}
bool all_hold(const std::vector<Fact>& facts, const Values& values);
/// "(2*ld) % 16 == 0"
std::string to_string(const Fact& fact, const std::vector<Symbol>& symbols);

}  // namespace tileproof
