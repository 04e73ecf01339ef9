#include "solver/smt_symbols.hpp"

#include <algorithm>
#include <functional>

namespace tileproof::smt {
namespace {

std::string name(std::size_t i) { return "s" + std::to_string(i); }

/// What one block computes from one index of its own: a = m*i and b = n*i, so n*a = m*b.
template <class Number>
void assume_one_block(std::vector<z3::expr>& query, const std::vector<z3::expr>& terms, const std::vector<Symbol>& symbols,
                      const Number& number) {
    for (std::size_t j = 0; j < symbols.size(); ++j)
        for (std::size_t i = 0; i < j; ++i)
            if (symbols[i].index && symbols[j].index && symbols[i].index->dim == symbols[j].index->dim)
                query.push_back(terms[i] * number(symbols[j].index->times) == terms[j] * number(symbols[i].index->times));
}

/// Bits that hold, sign included, everything that is compared or divided where this is assumed. (Sums and products may wrap on the way:
/// what they come to is right where it fits.)
unsigned exact_bits(const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    Wide most = 1;
    const auto hold = [&](Wide n) { most = std::max(most, n < 0 ? -n : n); };
    const auto hold_all = [&](const Expression& e) {
        const Interval range = interval(e, symbols);
        hold(range.least);
        hold(range.greatest);
    };
    for (const Symbol& s : symbols) {
        const Wide greatest = std::max(Wide{s.max} < 0 ? -Wide{s.max} : Wide{s.max}, Wide{s.min} < 0 ? -Wide{s.min} : Wide{s.min});
        hold(greatest + s.multiple_of);
        for (const Symbol& other : symbols)
            if (s.index && other.index) hold(greatest * other.index->times);
    }
    for (const Fact& fact : facts)
        for (const FactSide* side : {&fact.left, &fact.right}) {
            hold_all(side->expression);
            if (side->modulus) hold_all(*side->modulus);
        }
    unsigned bits = 2;
    while (bits < 64 && most >= Wide{1} << (bits - 1)) ++bits;
    return bits;
}

enum class Bitwise { low, exact };

/// Bit-vectors of `bits` bits. `low`: only what so few bits say is assumed, a weaker assumption. `exact`: `bits` are exact_bits, or more.
class BitSymbols {
public:
    BitSymbols(z3::context& context, const std::vector<Symbol>& symbols, unsigned bits, Bitwise kind)
        : context_(context), symbols_(symbols), bits_(bits), exact_(kind == Bitwise::exact) {
        for (std::size_t i = 0; i < symbols.size(); ++i) terms_.push_back(context_.bv_const(name(i).c_str(), bits));
    }
    const std::vector<z3::expr>& symbols() const { return terms_; }
    z3::expr number(std::int64_t n) const { return context_.bv_val(n, bits_); }
    z3::expr term(const Expression& e) const {
        z3::expr sum = number(0);
        for (const Monomial& monomial : e.monomials()) {
            z3::expr one = number(e.coefficient(monomial));
            for (const int index : monomial) assign(one, one * terms_[static_cast<std::size_t>(index)]);
            assign(sum, sum + one);
        }
        return sum;
    }
    void assume(std::vector<z3::expr>& query, const std::vector<Fact>& facts) const {
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const Symbol& s = symbols_[i];
            const std::int64_t low = s.multiple_of & -s.multiple_of;  // its power of two
            if (low > 1) query.push_back((terms_[i] & number(low - 1)) == number(0));
            if (!exact_) continue;
            query.push_back(terms_[i] >= number(s.min) && terms_[i] <= number(s.max));
            if (low == s.multiple_of) continue;
            const z3::expr times = context_.bv_const(("k" + std::to_string(i)).c_str(), bits_);
            query.push_back(times >= number(s.min / s.multiple_of) && times <= number(s.max / s.multiple_of));
            query.push_back(terms_[i] == times * number(s.multiple_of));
        }
        assume_one_block(query, terms_, symbols_, [&](std::int64_t n) { return number(n); });
        for (const Fact& fact : facts) {
            const auto left = side(fact.left), right = side(fact.right);
            if (left && right) query.push_back(compared(*left, fact.comparison, *right));
        }
    }

private:
    /// Nothing where the low bits do not decide it.
    std::optional<z3::expr> side(const FactSide& side) const {
        const z3::expr value = term(side.expression);
        if (!side.modulus) return exact_ || fits(side.expression) ? std::optional(value) : std::nullopt;
        if (side.modulus->is_constant() && is_power_of_two(*side.modulus) && (exact_ || *side.modulus < std::int64_t{1} << (bits_ - 1)))
            return value & number(*side.modulus - 1);
        if (!exact_) return std::nullopt;
        const z3::expr modulus = term(*side.modulus), rest = z3::srem(value, modulus);
        return z3::ite(rest < number(0), rest + modulus, rest);
    }
    /// A number that is the same in so few bits, sign included.
    bool fits(const Expression& e) const {
        return e.is_constant() && std::int64_t{e} >= 0 && std::int64_t{e} < std::int64_t{1} << (bits_ - 1);
    }

    z3::context& context_;
    const std::vector<Symbol>& symbols_;
    unsigned bits_;
    bool exact_;
    std::vector<z3::expr> terms_;
};

}  // namespace

Ask asking(Session& z3) {
    return {z3.context(), [&z3](Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted) {
                return z3.check(theory, conjunction, wanted);
            }};
}

IntegerSymbols::IntegerSymbols(z3::context& context, const std::vector<Symbol>& symbols) : context_(context), symbols_(symbols) {
    for (std::size_t i = 0; i < symbols.size(); ++i) terms_.push_back(context_.int_const(name(i).c_str()));
}

z3::expr IntegerSymbols::monomial(const Monomial& of) {
    if (of.size() == 1) return terms_[static_cast<std::size_t>(of.front())];
    if (const auto known = products_.find(of); known != products_.end()) return known->second;
    const Monomial rest(of.begin() + 1, of.end());
    const z3::expr x = terms_[static_cast<std::size_t>(of.front())], y = monomial(rest);
    const z3::expr xy = context_.int_const(("m" + std::to_string(products_.size())).c_str());
    const Interval a = interval(Expression::product({of.front()}), symbols_), b = interval(Expression::product(rest), symbols_);
    const Wide most = std::max({a.greatest, -a.least, b.greatest, -b.least});
    if (most < Wide{1} << 62) {  // beyond, nothing is assumed of the product
        const auto number = [&](Wide n) { return context_.int_val(static_cast<std::int64_t>(n)); };
        const auto corner = [&](Wide m, Wide n) { return number(m) * number(n); };
        products_known_.push_back(xy - y * number(a.least) - x * number(b.least) + corner(a.least, b.least) >= 0);
        products_known_.push_back(xy - y * number(a.greatest) - x * number(b.greatest) + corner(a.greatest, b.greatest) >= 0);
        products_known_.push_back(y * number(a.greatest) + x * number(b.least) - xy - corner(a.greatest, b.least) >= 0);
        products_known_.push_back(y * number(a.least) + x * number(b.greatest) - xy - corner(a.least, b.greatest) >= 0);
    }
    products_.emplace(of, xy);
    return xy;
}

z3::expr IntegerSymbols::term(const Expression& expression) {
    z3::expr sum = context_.int_val(0);
    for (const Monomial& of : expression.monomials()) {
        const z3::expr coefficient = context_.int_val(expression.coefficient(of));
        assign(sum, of.empty() ? sum + coefficient : sum + coefficient * monomial(of));
    }
    return sum;
}

/// x = modulus * q + r, 0 <= r < modulus: r.
std::optional<z3::expr> IntegerSymbols::remainder(const FactSide& side, std::vector<z3::expr>& query) {
    const z3::expr value = term(side.expression);
    if (!side.modulus) return value;
    if (!side.modulus->is_constant()) return std::nullopt;
    const std::string number = std::to_string(helpers_++);
    const z3::expr q = context_.int_const(("q" + number).c_str()), r = context_.int_const(("r" + number).c_str()),
                   modulus = term(*side.modulus);
    query.push_back(value == modulus * q + r);
    query.push_back(r >= 0 && r < modulus);
    return r;
}

void IntegerSymbols::assume(std::vector<z3::expr>& query, const std::vector<Fact>& facts) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const Symbol& s = symbols_[i];
        query.push_back(terms_[i] >= context_.int_val(s.min) && terms_[i] <= context_.int_val(s.max));
        if (s.multiple_of > 1)
            query.push_back(terms_[i] == context_.int_val(s.multiple_of) * context_.int_const(("k" + std::to_string(i)).c_str()));
    }
    assume_one_block(query, terms_, symbols_, [&](std::int64_t n) { return context_.int_val(n); });
    for (const Fact& fact : facts) {
        const auto left = remainder(fact.left, query), right = remainder(fact.right, query);
        if (left && right) query.push_back(compared(*left, fact.comparison, *right));
    }
}

Outcome nonnegative(const Ask& ask, const Expression& expression, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    const Interval all = interval(expression, symbols);
    if (all.least >= 0) return {Answer::unsat};
    return guarded([&]() -> Outcome {
        IntegerSymbols terms(ask.context, symbols);
        std::vector<z3::expr> query;
        terms.assume(query, facts);
        query.push_back(terms.term(expression) < 0);
        terms.finish(query);
        return ask.check(Theory::linear, query, terms.symbols());
    });
}

Outcome some_misaligned(const Ask& ask, const std::vector<Expression>& expressions, std::int64_t modulus,
                        const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    std::vector<Expression> open;  // without those that are multiples whatever the symbols are
    for (const Expression& e : expressions) {
        const std::vector<Monomial> all = e.monomials();
        if (std::any_of(all.begin(), all.end(), [&](const Monomial& m) { return e.coefficient(m) % modulus != 0; })) open.push_back(e);
    }
    if (open.empty()) return {Answer::unsat};
    unsigned low = static_cast<unsigned>(floor_log2(modulus));
    for (const Fact& fact : facts)
        for (const FactSide* side : {&fact.left, &fact.right})
            if (side->modulus && side->modulus->is_constant()) low = std::max(low, static_cast<unsigned>(floor_log2(*side->modulus)) + 2);
    low = std::min(std::max(low, 1U), 20U);
    const auto query_with = [&](unsigned bits, Bitwise kind) {
        return guarded([&]() -> Outcome {
            const BitSymbols terms(ask.context, symbols, bits, kind);
            std::vector<z3::expr> query;
            terms.assume(query, facts);
            z3::expr wrong = ask.context.bool_val(false);
            for (const Expression& e : open) assign(wrong, wrong || (terms.term(e) & terms.number(modulus - 1)) != terms.number(0));
            query.push_back(wrong);
            return ask.check(Theory::bit_vectors, query, kind == Bitwise::exact ? terms.symbols() : std::vector<z3::expr>{});
        });
    };
    const Outcome quick = query_with(low, Bitwise::low);
    return quick.answer == Answer::unsat ? quick : query_with(std::max(exact_bits(symbols, facts), low), Bitwise::exact);
}

Outcome satisfiable(const Ask& ask, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    return guarded([&]() -> Outcome {
        IntegerSymbols terms(ask.context, symbols);
        std::vector<z3::expr> query;
        terms.assume(query, facts);
        terms.finish(query);
        return ask.check(Theory::linear, query, terms.symbols());
    });
}

}  // namespace tileproof::smt
