// smt_symbols: what symbols, expressions and facts are in Z3, in one place, as integers and as bit-vectors.
//
//   smt::IntegerSymbols s(context, symbols);
//   s.term(expression)  s.range(query)  s.facts(query, facts)        for all values: add the negation, expect unsat
//
// The solver sees names s0, s1, ... only. Shared by solver/ and verify/ as the meaning of the words, like the address definition.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "layouts/fact.hpp"
#include "solver/smt.hpp"

namespace tileproof::smt {

/// Who is asked: a session, or somebody who keeps count of the questions.
struct Ask {
    z3::context& context;
    std::function<Outcome(Theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted)> check;
};
Ask asking(Session& z3);

class IntegerSymbols {
public:
    IntegerSymbols(z3::context& context, const std::vector<Symbol>& symbols);
    /// Linear: a product of symbols is a variable of its own. What the ranges say of it (that (x - least x)(y - least y) >= 0 and
    /// the like, McCormick 1976) is kept for `finish`. So unsat holds for the products too, and a model need not.
    z3::expr term(const Expression& expression);
    const std::vector<z3::expr>& symbols() const { return terms_; }
    /// Ranges, multiples and facts, save those that divide by a symbol.
    void assume(std::vector<z3::expr>& query, const std::vector<Fact>& facts);
    /// What is known of the products. Comes last.
    void finish(std::vector<z3::expr>& query) const { query.insert(query.end(), products_known_.begin(), products_known_.end()); }

private:
    z3::expr monomial(const Monomial& monomial);
    std::optional<z3::expr> remainder(const FactSide& side, std::vector<z3::expr>& query);
    z3::context& context_;
    const std::vector<Symbol>& symbols_;
    std::vector<z3::expr> terms_;
    std::map<Monomial, z3::expr> products_;
    std::vector<z3::expr> products_known_;
    int helpers_ = 0;
};

/// expression >= 0 for all values that the facts allow. By intervals where those are enough. sat: `values` has some of all symbols, in order, at which it
/// is not; but where facts or the expression have products, they need not be.
Outcome nonnegative(const Ask& ask, const Expression& expression, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts);

/// Is some expression no multiple of its modulus (a power of two, at most 2^12) for some values? unsat: never. sat: `values` has such
/// values of all symbols, in order. First the low bits alone, with what ranges and facts say of those; then as many as hold all that they compare.
Outcome some_misaligned(const Ask& ask, const std::vector<Expression>& expressions, std::int64_t modulus,
                        const std::vector<Symbol>& symbols, const std::vector<Fact>& facts);

/// Values that respect ranges, multiples and facts: unsat where there are none. sat with values that may not respect facts about
/// products or symbolic remainders: to be looked at.
Outcome satisfiable(const Ask& ask, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts);

}  // namespace tileproof::smt
