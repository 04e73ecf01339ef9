#include "layouts/expression.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tileproof {
namespace {

constexpr Wide saturated = Wide{1} << 120;
constexpr Wide max_divisor = Wide{1} << 60;  // a larger one is not looked for

Wide clamped(Wide n) { return std::clamp(n, -saturated, saturated); }

/// Products of two numbers of at most 2^60 are exact; beyond, they saturate.
Wide saturated_product(Wide a, Wide b) {
    constexpr Wide exact = Wide{1} << 60;
    const auto size = [](Wide n) { return n < 0 ? -n : n; };
    if (size(a) <= exact && size(b) <= exact) return a * b;
    if (a == 0 || b == 0) return 0;
    return (a < 0) == (b < 0) ? saturated : -saturated;
}

/// Least and greatest multiple in the symbol's range; the range itself if there is none.
std::pair<Wide, Wide> ends(const Symbol& s) {
    if (s.multiple_of < 2) return {s.min, s.max};
    const auto above = [&](std::int64_t n) { return (n % s.multiple_of + s.multiple_of) % s.multiple_of; };  // the multiple below
    const Wide least = Wide{s.min} + (above(s.min) == 0 ? 0 : s.multiple_of - above(s.min)), greatest = Wide{s.max} - above(s.max);
    return least <= greatest ? std::pair(least, greatest) : std::pair(Wide{s.min}, Wide{s.max});
}

}  // namespace

Expression Expression::product(Monomial monomial) {
    if (monomial.empty()) return 1;
    std::sort(monomial.begin(), monomial.end());
    Expression out;
    out.terms_.push_back({std::move(monomial), 1});
    return out;
}

std::int64_t Expression::coefficient(const Monomial& monomial) const {
    if (monomial.empty()) return constant_;
    for (const Term& term : terms_)
        if (term.monomial == monomial) return term.coefficient;
    return 0;
}

std::vector<Monomial> Expression::monomials() const {
    std::vector<Monomial> out;
    if (constant_ != 0) out.emplace_back();
    for (const Term& term : terms_) out.push_back(term.monomial);
    return out;
}

Expression Expression::plus(const Expression& other) const {
    Expression out = *this;
    out.constant_ += other.constant_;
    for (const Term& term : other.terms_) {
        const auto at = std::lower_bound(out.terms_.begin(), out.terms_.end(), term,
                                         [](const Term& a, const Term& b) { return a.monomial < b.monomial; });
        if (at == out.terms_.end() || at->monomial != term.monomial) {
            out.terms_.insert(at, term);
            continue;
        }
        at->coefficient += term.coefficient;
        if (at->coefficient == 0) out.terms_.erase(at);
    }
    return out;
}

Expression Expression::times(const Expression& other) const {
    Expression out(constant_ * other.constant_);
    const auto add = [&](Monomial monomial, std::int64_t coefficient) {
        if (coefficient == 0) return;
        Expression one = product(std::move(monomial));
        one.terms_.front().coefficient = coefficient;
        out = out.plus(one);
    };
    for (const Term& a : terms_) add(a.monomial, a.coefficient * other.constant_);
    for (const Term& b : other.terms_) {
        add(b.monomial, constant_ * b.coefficient);
        for (const Term& a : terms_) {
            Monomial both = a.monomial;
            both.insert(both.end(), b.monomial.begin(), b.monomial.end());
            add(std::move(both), a.coefficient * b.coefficient);
        }
    }
    return out;
}

std::int64_t Expression::at(const Values& values) const {
    Wide sum = constant_;
    for (const Term& term : terms_) {
        Wide one = term.coefficient;
        for (const int index : term.monomial) one = saturated_product(one, values[static_cast<std::size_t>(index)]);
        sum += one;
    }
    TILEPROOF_CHECK(sum >= std::numeric_limits<std::int64_t>::min() && sum <= std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(sum);
}

Interval interval(const Expression& expression, const std::vector<Symbol>& symbols) {
    Interval out;
    for (const Monomial& monomial : expression.monomials()) {
        const std::int64_t coefficient = expression.coefficient(monomial);
        Interval one{coefficient, coefficient};
        for (const int index : monomial) {
            const auto [least, greatest] = ends(symbols[static_cast<std::size_t>(index)]);
            const auto corners = {saturated_product(one.least, least), saturated_product(one.least, greatest),
                                  saturated_product(one.greatest, least), saturated_product(one.greatest, greatest)};
            one = {std::min(corners), std::max(corners)};
        }
        out = {clamped(out.least + one.least), clamped(out.greatest + one.greatest)};
    }
    return out;
}

bool mentions(const Expression& expression, int symbol) {
    const std::vector<Monomial> all = expression.monomials();
    return std::any_of(all.begin(), all.end(), [&](const Monomial& m) { return std::find(m.begin(), m.end(), symbol) != m.end(); });
}

std::int64_t divisor(const Expression& expression, const std::vector<Symbol>& symbols) {
    std::int64_t all = 0;
    for (const Monomial& monomial : expression.monomials()) {
        Wide one = expression.coefficient(monomial);
        for (const int index : monomial) one = saturated_product(one, symbols[static_cast<std::size_t>(index)].multiple_of);
        if (one > max_divisor || one < -max_divisor) one = expression.coefficient(monomial);
        all = std::gcd(all, static_cast<std::int64_t>(one));
    }
    return all;
}

Wide weight(const Expression& expression) {
    Wide sum = 0;
    for (const Monomial& monomial : expression.monomials()) {
        const Wide coefficient = expression.coefficient(monomial);
        sum += coefficient < 0 ? -coefficient : coefficient;
    }
    return sum;
}

std::optional<Expression> checked_product(const Expression& a, const Expression& b, const std::vector<Symbol>& symbols, Wide most) {
    if (saturated_product(weight(a), weight(b)) > most) return std::nullopt;
    Expression out = a.times(b);
    const Interval values = interval(out, symbols);
    return values.least >= -most && values.greatest <= most ? std::optional(std::move(out)) : std::nullopt;
}

std::string to_string(const Expression& expression, const std::vector<Symbol>& symbols) {
    std::string out;
    const auto add = [&](std::int64_t coefficient, const std::string& what) {
        const bool negative = coefficient < 0;
        const std::string size = std::to_string(negative ? -coefficient : coefficient);
        out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
        out += what.empty() ? size : size == "1" ? what : size + "*" + what;
    };
    for (const Monomial& monomial : expression.monomials()) {
        if (monomial.empty()) continue;
        std::string what;
        for (const int index : monomial) what += (what.empty() ? "" : "*") + symbols[static_cast<std::size_t>(index)].name;
        add(expression.coefficient(monomial), what);
    }
    if (const std::int64_t constant = expression.coefficient({}); constant != 0 || out.empty()) add(constant, "");
    return out;
}

std::string to_string(const Values& values, const std::vector<Symbol>& symbols) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + symbols[i].name + " = " + std::to_string(values[i]);
    return out;
}

std::vector<std::int64_t> constants(const std::vector<Expression>& expressions) { return {expressions.begin(), expressions.end()}; }

bool all_constant(const std::vector<Expression>& expressions) {
    return std::all_of(expressions.begin(), expressions.end(), [](const Expression& e) { return e.is_constant(); });
}

}  // namespace tileproof
