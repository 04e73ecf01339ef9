#include "layouts/grid.hpp"

#include <algorithm>

namespace tileproof {

std::int64_t block_count(const Launch& launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

Block block_at(const Launch& launch, std::int64_t number) {
    const std::int64_t rows = number / launch.grid[0];
    return {number % launch.grid[0], rows % launch.grid[1], rows / launch.grid[1]};
}

std::string to_string(const Block& block, const Launch& launch) {
    if (launch.grid[1] == 1 && launch.grid[2] == 1) return "block " + std::to_string(block[0]);
    return "block (" + std::to_string(block[0]) + "," + std::to_string(block[1]) + "," + std::to_string(block[2]) + ")";
}

std::string to_string(const BlockIndex& index) {
    const std::string name = std::string("ctaid.") + "xyz"[index.dim];
    return index.times == 1 ? name : std::to_string(index.times) + "*" + name;
}

bool is_of_launch(const Fact& fact, const std::vector<Symbol>& symbols) {
    const auto is_in = [&](const Expression& e) {
        const std::vector<Monomial> all = e.monomials();
        return std::any_of(all.begin(), all.end(), [&](const Monomial& m) {
            return std::any_of(m.begin(), m.end(), [&](int i) { return symbols[static_cast<std::size_t>(i)].block.has_value(); });
        });
    };
    const auto is_in_side = [&](const FactSide& side) { return is_in(side.expression) || (side.modulus && is_in(*side.modulus)); };
    return is_in_side(fact.left) || is_in_side(fact.right);
}

SymbolRange range_of(const BlockIndex& index, const Launch& launch) {
    return {0, (launch.grid[static_cast<std::size_t>(index.dim)] - 1) * index.times, index.times};
}

Values in_block(const std::vector<Symbol>& symbols, Values values, const Block& block) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (const auto& from = symbols[i].block) values[i] = block[static_cast<std::size_t>(from->dim)] * from->times;
    return values;
}

bool is_of_one_block(const std::vector<Symbol>& symbols, const Values& values) {
    std::array<std::optional<std::int64_t>, 3> index;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto& from = symbols[i].block;
        if (!from) continue;
        std::optional<std::int64_t>& known = index[static_cast<std::size_t>(from->dim)];
        if (known && *known != values[i] / from->times) return false;
        known = values[i] / from->times;
    }
    return true;
}

std::string passed_text(const Values& values, const std::vector<Symbol>& symbols) {
    std::vector<Symbol> passed;
    Values theirs;
    for (std::size_t i = 0; i < symbols.size() && i < values.size(); ++i) {
        if (symbols[i].block) continue;
        passed.push_back(symbols[i]);
        theirs.push_back(values[i]);
    }
    return to_string(theirs, passed);
}

std::optional<ByBlock> by_block(const Expression& expression, const Problem& problem) {
    ByBlock out;
    for (const Monomial& monomial : expression.monomials()) {
        std::optional<BlockIndex> from;
        Monomial others;
        bool is_linear = true, is_zero = false;
        for (const int index : monomial) {
            const auto& block = problem.symbols[static_cast<std::size_t>(index)].block;
            if (!block) {
                others.push_back(index);
                continue;
            }
            is_zero = is_zero || problem.launch.grid[static_cast<std::size_t>(block->dim)] == 1;
            is_linear = is_linear && !from;
            from = block;
        }
        if (is_zero) continue;
        const Wide step = Wide{expression.coefficient(monomial)} * (from ? from->times : 1);
        if (!is_linear || step > max_offset || step < -max_offset) return std::nullopt;
        Expression& sum = from ? out.step[static_cast<std::size_t>(from->dim)] : out.rest;
        sum = sum + Expression::product(others).times(static_cast<std::int64_t>(step));
    }
    return out;
}

std::optional<Expression> greatest_of_blocks(const Expression& expression, const Problem& problem) {
    const auto split = by_block(expression, problem);
    if (!split) return std::nullopt;
    Expression out = split->rest;
    for (std::size_t dim = 0; dim < 3; ++dim) {
        const Expression& step = split->step[dim];
        const std::int64_t steps = problem.launch.grid[dim] - 1;
        const Interval sign = interval(step, problem.symbols);
        if (weight(step) * steps > 4 * max_offset || (sign.least < 0 && sign.greatest > 0)) return std::nullopt;
        if (sign.greatest > 0) out = out + step.times(steps);
    }
    return out;
}

}  // namespace tileproof
