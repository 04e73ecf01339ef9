#include <algorithm>

#include "layouts/expression_text_internal.hpp"
#include "layouts/layout.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr std::size_t highest_degree = 4;
constexpr int deepest = 32;

class ExpressionReader {
public:
    ExpressionReader(Cursor& in, const std::vector<Symbol>& symbols, std::string_view what) : in_(in), symbols_(symbols), what_(what) {}

    std::optional<Expression> sum(int depth = 0) {
        std::optional<Expression> out = product(depth);
        while (out && (in_.sees('+') || in_.sees('-'))) {
            const bool minus = in_.sees('-');
            in_.accept(minus ? '-' : '+');
            const std::optional<Expression> more = product(depth);
            if (!more) return std::nullopt;
            out = kept(minus ? out->minus(*more) : out->plus(*more));
        }
        return out;
    }

    std::optional<Expression> product(int depth = 0) {
        std::optional<Expression> out = factor(depth);
        while (out && in_.accept('*')) {
            const std::optional<Expression> more = factor(depth);
            if (!more) return std::nullopt;
            const std::optional<Expression> both = checked_product(*out, *more, symbols_, max_offset);
            out = both ? kept(*both) : too_large();
        }
        return out;
    }

private:
    std::optional<Expression> factor(int depth) {
        begin_ = std::min(begin_, in_.at());
        bool negative = false;
        while (in_.sees('-') && !in_.sees_number()) {
            in_.accept('-');
            negative = !negative;
        }
        const std::optional<Expression> out = unsigned_factor(depth);
        return out && negative ? std::optional(out->times(-1)) : out;
    }

    std::optional<Expression> unsigned_factor(int depth) {
        if (in_.sees('(') && depth < deepest) {
            in_.accept('(');
            std::optional<Expression> out = sum(depth + 1);
            return out && in_.expect(')') ? out : std::nullopt;
        }
        const std::size_t begin = in_.at();
        const std::string_view name = in_.name();
        if (!name.empty()) {
            for (std::size_t i = 0; i < symbols_.size(); ++i)
                if (symbols_[i].name == name) return kept(Expression::symbol(static_cast<int>(i)));
            in_.fail("unknown-symbol", "there is no symbol " + in_quotes(name), begin, in_.end_of_last());
            std::vector<std::string> names;
            for (const Symbol& symbol : symbols_) names.push_back(symbol.name);
            const std::string hint = did_you_mean(name, names);
            in_.help(!hint.empty() ? hint : "symbols are declared in [symbols], with their least and greatest value");
            return std::nullopt;
        }
        const std::optional<std::int64_t> number = in_.integer(what_);
        if (!number) return std::nullopt;
        if (*number < -max_offset || *number > max_offset) {
            in_.fail("overflow", in_quotes(in_.text(begin, in_.end_of_last())) + " is beyond 2^50", begin, in_.end_of_last());
            return std::nullopt;
        }
        return Expression(*number);
    }

    std::optional<Expression> kept(Expression expression) {
        const Interval values = interval(expression, symbols_);
        const std::vector<Monomial> monomials = expression.monomials();
        const bool steep = std::any_of(monomials.begin(), monomials.end(), [](const Monomial& m) { return m.size() > highest_degree; });
        if (steep || weight(expression) > max_offset || values.least < -max_offset || values.greatest > max_offset) return too_large();
        return expression;
    }

    std::optional<Expression> too_large() {
        in_.fail("overflow", "the expression may leave 2^50, or multiplies more than four symbols", begin_,
                 std::max(begin_ + 1, in_.end_of_last()));
        return std::nullopt;
    }

    Cursor& in_;
    const std::vector<Symbol>& symbols_;
    std::string_view what_;
    std::size_t begin_ = std::string_view::npos;
};

std::optional<FactSide> read_side(Cursor& in, const std::vector<Symbol>& symbols) {
    const std::optional<Expression> expression = read_expression(in, symbols, "an expression", Grammar::sum);
    if (!expression) return std::nullopt;
    FactSide out{*expression};
    if (!in.accept('%')) return out;
    const std::size_t begin = in.at();
    out.modulus = read_expression(in, symbols, "a modulus", Grammar::product);
    if (!out.modulus) return std::nullopt;
    if (interval(*out.modulus, symbols).least < 1) {
        in.fail("fact-modulus", "the modulus of a remainder must be positive whatever the symbols are", begin, in.end_of_last());
        return std::nullopt;
    }
    return out;
}

std::optional<Comparison> read_comparison(Cursor& in) {
    const auto two = [&](char mark) { return in.sees(mark) && in.sees('=', 1); };
    for (const auto& [mark, comparison] :
         {std::pair{'=', Comparison::equal}, {'!', Comparison::unequal}, {'<', Comparison::less_equal}, {'>', Comparison::greater_equal}}) {
        if (!two(mark)) continue;
        in.accept(mark);
        in.accept('=');
        return comparison;
    }
    if (in.accept('<')) return Comparison::less;
    if (in.accept('>')) return Comparison::greater;
    in.fail_expected("a comparison: == != < <= > >=");
    return std::nullopt;
}

}  // namespace

std::optional<Expression> read_expression(Cursor& in, const std::vector<Symbol>& symbols, std::string_view what, Grammar grammar) {
    ExpressionReader reader(in, symbols, what);
    return grammar == Grammar::sum ? reader.sum() : reader.product();
}

Result<Expression> parse_expression(std::string_view text, const std::vector<Symbol>& symbols) {
    Cursor in(text, "expression-syntax");
    const std::optional<Expression> out = read_expression(in, symbols, "an expression", Grammar::sum);
    if (!out || (!in.at_end() && !in.fail_expected("the end of the expression"))) return *in.fault();
    return *out;
}

Result<Fact> read_fact(std::string_view text, const std::vector<Symbol>& symbols) {
    Cursor in(text, "expression-syntax");
    Fact out;
    out.text = text;
    const std::optional<FactSide> left = read_side(in, symbols);
    const std::optional<Comparison> comparison = left ? read_comparison(in) : std::nullopt;
    const std::optional<FactSide> right = comparison ? read_side(in, symbols) : std::nullopt;
    if (!right || (!in.at_end() && !in.fail_expected("the end of the fact"))) return *in.fault();
    out.left = *left;
    out.comparison = *comparison;
    out.right = *right;
    return out;
}

}  // namespace tileproof
