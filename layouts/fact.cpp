#include "layouts/fact.hpp"

#include <algorithm>

namespace tileproof {
namespace {

std::int64_t value_of(const FactSide& side, const Values& values) {
    const std::int64_t n = side.expression.at(values);
    if (!side.modulus) return n;
    const std::int64_t modulus = side.modulus->at(values);
    return ((n % modulus) + modulus) % modulus;
}

std::string text_of(const FactSide& side, const std::vector<Symbol>& symbols) {
    const std::string expression = to_string(side.expression, symbols);
    if (!side.modulus) return expression;
    const std::string modulus = to_string(*side.modulus, symbols);
    const bool is_one_word = modulus.find_first_of(" *") == std::string::npos;
    return "(" + expression + ") % " + (is_one_word ? modulus : "(" + modulus + ")");
}

}  // namespace

std::string to_string(Comparison comparison) {
    switch (comparison) {
        case Comparison::equal:
            return "==";
        case Comparison::unequal:
            return "!=";
        case Comparison::less:
            return "<";
        case Comparison::less_equal:
            return "<=";
        case Comparison::greater:
            return ">";
        case Comparison::greater_equal:
            return ">=";
    }
    return "?";
}

bool holds(const Fact& fact, const Values& values) {
    return compared(value_of(fact.left, values), fact.comparison, value_of(fact.right, values));
}

bool all_hold(const std::vector<Fact>& facts, const Values& values) {
    return std::all_of(facts.begin(), facts.end(), [&](const Fact& fact) { return holds(fact, values); });
}

std::string to_string(const Fact& fact, const std::vector<Symbol>& symbols) {
    return text_of(fact.left, symbols) + " " + to_string(fact.comparison) + " " + text_of(fact.right, symbols);
}

}  // namespace tileproof
