// The questions about symbols, each at random and beside brute force: every value of the symbols in turn. Ranges lie around zero and far
// from it, so that the bit-vectors have few bits and many.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "layouts/symbolic.hpp"
#include "solver/smt_symbols.hpp"

namespace tileproof {
namespace {

class Draw {
public:
    explicit Draw(std::uint32_t seed) : engine_(seed) {}
    std::int64_t from(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool one_in(std::int64_t n) { return from(1, n) == 1; }

    /// Up to three symbols with at most a dozen values each.
    std::vector<Symbol> symbols() {
        std::vector<Symbol> out;
        for (std::int64_t i = from(1, 3); i > 0; --i) {
            Symbol s;
            s.name = std::string(1, static_cast<char>('a' + out.size()));
            const std::int64_t far = one_in(3) ? std::int64_t{1} << from(5, 21) : 0;
            s.multiple_of = one_in(2) ? 1 : from(2, 12);
            s.min = from(-9, 9) + (one_in(2) ? far : -far);
            s.max = s.min + from(0, 11) * s.multiple_of;
            out.push_back(s);
        }
        return out;
    }
    Expression expression(const std::vector<Symbol>& of, std::int64_t most) {
        Expression out = from(-most, most);
        for (std::int64_t terms = from(1, 2); terms > 0; --terms) {
            Monomial monomial{static_cast<int>(from(0, static_cast<std::int64_t>(of.size()) - 1))};
            if (one_in(4)) monomial.push_back(static_cast<int>(from(0, static_cast<std::int64_t>(of.size()) - 1)));
            std::sort(monomial.begin(), monomial.end());
            out = out + Expression::product(monomial).times(from(-most, most));
        }
        return out;
    }
    std::vector<Fact> facts(const std::vector<Symbol>& of) {
        std::vector<Fact> out;
        for (std::int64_t n = from(0, 2); n > 0; --n) {
            Fact fact;
            fact.left.expression = expression(of, 4);
            if (one_in(2)) fact.left.modulus = Expression(from(1, 16));
            const std::int64_t by = from(0, static_cast<std::int64_t>(of.size()) - 1);
            if (fact.left.modulus && one_in(3) && of[static_cast<std::size_t>(by)].min > 0)
                fact.left.modulus = Expression::symbol(static_cast<int>(by)).times(from(1, 40));
            fact.comparison = static_cast<Comparison>(from(0, 5));
            fact.right.expression = fact.left.modulus ? Expression(from(0, 5)) : expression(of, 4);
            out.push_back(fact);
        }
        return out;
    }

private:
    std::mt19937 engine_;
};

bool has_products(const Expression& e) {
    const std::vector<Monomial> all = e.monomials();
    return std::any_of(all.begin(), all.end(), [](const Monomial& m) { return m.size() > 1; });
}

}  // namespace

TEST_CASE("symbols: what Z3 answers is what the values say") {
    constexpr std::uint32_t seed = 20261130;
    MESSAGE("seed ", seed);
    Draw draw(seed);
    SolverContext shared;
    int never = 0, sometimes = 0, negative = 0, nonnegative = 0, none = 0;
    for (int i = 0; i < 400; ++i) {
        CAPTURE(i);
        Problem problem;
        problem.symbols = draw.symbols();
        problem.facts = draw.facts(problem.symbols);
        const std::optional<std::vector<Values>> all = all_values(problem, 4096);
        REQUIRE(all.has_value());
        smt::Session z3(50'000'000, &shared);

        std::vector<Expression> expressions{draw.expression(problem.symbols, 24)};
        if (draw.one_in(3)) expressions.push_back(draw.expression(problem.symbols, 24));
        const std::int64_t modulus = std::int64_t{1} << draw.from(0, 5);
        const auto is_wrong = [&](const Values& values) {
            return std::any_of(expressions.begin(), expressions.end(), [&](const Expression& e) { return e.at(values) % modulus != 0; });
        };
        const smt::Outcome misaligned = smt::some_misaligned(smt::asking(z3), expressions, modulus, problem.symbols, problem.facts);
        const bool some = std::any_of(all->begin(), all->end(), is_wrong);
        CHECK(misaligned.answer == (some ? smt::Answer::sat : smt::Answer::unsat));
        if (misaligned.answer == smt::Answer::sat) {
            CHECK(are_allowed(problem, misaligned.values));
            CHECK(is_wrong(misaligned.values));
        }
        ++(some ? sometimes : never);

        const Expression& e = expressions.front();
        const smt::Outcome below = smt::nonnegative(smt::asking(z3), e, problem.symbols, problem.facts);
        const bool falls_below = std::any_of(all->begin(), all->end(), [&](const Values& values) { return e.at(values) < 0; });
        const bool is_linear = !has_products(e) && std::none_of(problem.facts.begin(), problem.facts.end(), [](const Fact& fact) {
            return has_products(fact.left.expression) || has_products(fact.right.expression) ||
                   (fact.left.modulus && !fact.left.modulus->is_constant());
        });
        if (falls_below || is_linear) CHECK(below.answer == (falls_below ? smt::Answer::sat : smt::Answer::unsat));
        ++(falls_below ? negative : nonnegative);

        const smt::Outcome any = smt::satisfiable(smt::asking(z3), problem.symbols, problem.facts);
        if (!all->empty() || is_linear) CHECK(any.answer == (all->empty() ? smt::Answer::unsat : smt::Answer::sat));
        none += all->empty();
    }
    MESSAGE("misaligned ", sometimes, ", never ", never, "; negative ", negative, ", never ", nonnegative, "; without values ", none);
    CHECK(std::min({sometimes, never, negative, nonnegative, none}) >= 20);
}

}  // namespace tileproof
