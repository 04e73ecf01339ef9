// Expression: an integer that may depend on symbols, the run-time integers of a problem. A polynomial with integer coefficients.
//
//   ld                      one symbol
//   32*ld + 8               what a step of 32 rows and 8 columns adds to an offset
//   row*ld                  a product of symbols
//
// Most problems have no symbols, so an Expression converts to the integer that it then is; one that has symbols must never be taken
// for a number, and that conversion ends the program (TILEPROOF_CHECK). Arithmetic of two Expressions stays an Expression.
// Values are the symbols' values, by index. Coefficients beyond 2^62 are the caller's to avoid: see `magnitude`.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/result.hpp"
#include "layouts/units.hpp"

namespace tileproof {

/// What a symbol may be computed from, instead of being passed in: `times` x the index of the block in one dimension of the grid, or
/// the number of the group of threads in its block.
struct LaunchIndex {
    int dim = 0;  // ctaid.x, ctaid.y, ctaid.z, group
    std::int64_t times = 1;
    bool is_group() const { return dim == 3; }
};

struct SymbolRange {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t multiple_of = 1;
};

/// A run-time integer: min <= value <= max, a multiple of multiple_of.
struct Symbol {
    std::string name;  // [A-Za-z_][A-Za-z0-9_]*
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t multiple_of = 1;
    Place place{};
    std::optional<LaunchIndex> index{};    // of a symbol of the launch; its range then follows from grid and block
    std::optional<SymbolRange> claimed{};  // what [symbols] says of such a symbol: not assumed, but proved or refuted
};

using Values = std::vector<std::int64_t>;  // by symbol index

/// Symbol indices, rising; one that is there twice is squared. Empty: 1.
using Monomial = std::vector<int>;

class Expression {
public:
    Expression(std::int64_t constant = 0) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
    static Expression symbol(int index) { return product({index}); }
    /// The symbols of a monomial, multiplied.
    static Expression product(Monomial monomial);

    bool is_constant() const { return terms_.empty(); }
    /// Requires: is_constant().
    operator std::int64_t() const {  // NOLINT(google-explicit-constructor)
        TILEPROOF_CHECK(terms_.empty());
        return constant_;
    }
    std::int64_t coefficient(const Monomial& monomial) const;
    /// Those with a coefficient other than 0, the empty one included, in a fixed order.
    std::vector<Monomial> monomials() const;

    Expression plus(const Expression& other) const;
    Expression times(const Expression& other) const;
    Expression minus(const Expression& other) const { return plus(other.times(-1)); }
    Expression& operator+=(std::int64_t n) { return *this = plus(n); }
    Expression& operator-=(std::int64_t n) { return *this = plus(-n); }
    Expression& operator*=(std::int64_t n) { return *this = times(n); }

    /// Requires: a value for each symbol, and that the result and every product fit.
    std::int64_t at(const Values& values) const;

    struct Term {
        Monomial monomial;
        std::int64_t coefficient = 0;
        friend bool operator==(const Term&, const Term&) = default;
    };
    bool same(const Expression& other) const { return constant_ == other.constant_ && terms_ == other.terms_; }

private:
    std::int64_t constant_ = 0;
    std::vector<Term> terms_;  // sorted by monomial; no coefficient is 0
};

// Only between two Expressions: with a plain integer on one side, the other is taken for one too.
template <std::same_as<Expression> A, std::same_as<Expression> B>
bool operator==(const A& a, const B& b) {
    return a.same(b);
}
template <std::same_as<Expression> A, std::same_as<Expression> B>
Expression operator+(const A& a, const B& b) {
    return a.plus(b);
}
template <std::same_as<Expression> A, std::same_as<Expression> B>
Expression operator-(const A& a, const B& b) {
    return a.minus(b);
}
template <std::same_as<Expression> A, std::same_as<Expression> B>
Expression operator*(const A& a, const B& b) {
    return a.times(b);
}

/// Least and greatest value of an expression over the ranges and multiples of the symbols, each monomial on its own: an interval that holds
/// all values, and for linear expressions without a symbol twice the least one. Saturates at +-2^120.
struct Interval {
    Wide least = 0;
    Wide greatest = 0;
};
Interval interval(const Expression& expression, const std::vector<Symbol>& symbols);

bool mentions(const Expression& expression, int symbol);

/// The greatest number that divides all values; 0 for the expression 0. 8*k + 16*m: 8, or more if k is a multiple of something.
std::int64_t divisor(const Expression& expression, const std::vector<Symbol>& symbols);

/// The sum of the sizes of all coefficients: what is bounded here stays far from the ends of int64 when it is added and scaled.
Wide weight(const Expression& expression);
/// The product, unless a coefficient or a value of it may leave +-`most`.
std::optional<Expression> checked_product(const Expression& a, const Expression& b, const std::vector<Symbol>& symbols, Wide most);

/// "32*ld + row*ld - 8"
std::string to_string(const Expression& expression, const std::vector<Symbol>& symbols);

/// Reads what to_string writes, and other sums and products with parentheses. Errors: `expression-syntax`, `unknown-symbol`,
/// `overflow`; a diagnostic's place has line 1 and a column counted in `text`.
Result<Expression> parse_expression(std::string_view text, const std::vector<Symbol>& symbols);

/// "ld = 68, row = 0"
std::string to_string(const Values& values, const std::vector<Symbol>& symbols);

/// The integers that these are. Requires: all are constant.
std::vector<std::int64_t> constants(const std::vector<Expression>& expressions);
bool all_constant(const std::vector<Expression>& expressions);

}  // namespace tileproof
