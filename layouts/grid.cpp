#include "layouts/grid.hpp"

#include <algorithm>

namespace tileproof {
namespace {

std::int64_t extent(const Launch& launch, std::size_t dim) { return dim == group_dim ? launch.groups : launch.grid[dim]; }

}  // namespace

Wide Teams::count() const { return Wide{extent[0]} * extent[1] * extent[2] * extent[3]; }

Team Teams::at(std::int64_t number) const {
    Team out{};
    for (std::size_t dim = 0; dim < extent.size(); ++dim) {
        out[dim] = number % extent[dim];
        number /= extent[dim];
    }
    return out;
}

Teams blocks_of(const Launch& launch) { return {{launch.grid[0], launch.grid[1], launch.grid[2], 1}}; }

Teams teams_of(const Launch& launch, const Copy& copy) {
    Teams out = blocks_of(launch);
    out.scope = copy.scope;
    if (copy.each) out.extent[group_dim] = launch.groups;
    return out;
}

std::int64_t block_count(const Launch& launch) { return launch.grid[0] * launch.grid[1] * launch.grid[2]; }

std::string to_string(const Team& team, const Teams& teams) {
    const auto& [x, y, z, groups] = teams.extent;
    std::string block = "block " + std::to_string(team[0]);
    if (y > 1 || z > 1) block = "block (" + std::to_string(team[0]) + "," + std::to_string(team[1]) + "," + std::to_string(team[2]) + ")";
    if (groups == 1) return block;
    const std::string group = to_string(teams.scope) + " " + std::to_string(team[group_dim]);
    return teams.count() == groups ? group : group + " of " + block;
}

std::string to_string(const LaunchIndex& index, const Launch& launch) {
    if (index.is_group()) {
        const int threads = launch.block / launch.groups;
        return threads == 1 ? "tid.x" : "tid.x / " + std::to_string(threads);
    }
    const std::string name = std::string("ctaid.") + "xyz"[index.dim];
    return index.times == 1 ? name : std::to_string(index.times) + "*" + name;
}

bool depends_on(const Expression& expression, std::size_t dim, const std::vector<Symbol>& symbols) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (symbols[i].index && symbols[i].index->dim == static_cast<int>(dim) && mentions(expression, static_cast<int>(i))) return true;
    return false;
}

bool is_of_launch(const Expression& expression, const std::vector<Symbol>& symbols) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (symbols[i].index && mentions(expression, static_cast<int>(i))) return true;
    return false;
}

bool is_of_launch(const Fact& fact, const std::vector<Symbol>& symbols) {
    const auto is_in = [&](const FactSide& side) {
        return is_of_launch(side.expression, symbols) || (side.modulus && is_of_launch(*side.modulus, symbols));
    };
    return is_in(fact.left) || is_in(fact.right);
}

SymbolRange range_of(const LaunchIndex& index, const Launch& launch) {
    return {0, (extent(launch, static_cast<std::size_t>(index.dim)) - 1) * index.times, index.times};
}

Values in_team(const std::vector<Symbol>& symbols, Values values, const Team& team) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (const auto& from = symbols[i].index) values[i] = team[static_cast<std::size_t>(from->dim)] * from->times;
    return values;
}

bool is_of_one_team(const std::vector<Symbol>& symbols, const Values& values) {
    std::array<std::optional<std::int64_t>, 4> index;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto& from = symbols[i].index;
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
        if (symbols[i].index) continue;
        passed.push_back(symbols[i]);
        theirs.push_back(values[i]);
    }
    return to_string(theirs, passed);
}

std::optional<ByTeam> by_team(const Expression& expression, const Problem& problem, std::size_t first_dim) {
    ByTeam out;
    for (const Monomial& monomial : expression.monomials()) {
        std::optional<LaunchIndex> from;
        Monomial others;
        bool is_linear = true, is_zero = false;
        for (const int i : monomial) {
            const auto& index = problem.symbols[static_cast<std::size_t>(i)].index;
            if (!index || static_cast<std::size_t>(index->dim) < first_dim) {
                others.push_back(i);
                continue;
            }
            is_zero = is_zero || extent(problem.launch, static_cast<std::size_t>(index->dim)) == 1;
            is_linear = is_linear && !from;
            from = index;
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
    const auto split = by_team(expression, problem);
    if (!split) return std::nullopt;
    Expression out = split->rest;
    for (std::size_t dim = 0; dim < split->step.size(); ++dim) {
        const Expression& step = split->step[dim];
        const std::int64_t steps = extent(problem.launch, dim) - 1;
        const Interval sign = interval(step, problem.symbols);
        if (weight(step) * steps > 4 * max_offset || (sign.least < 0 && sign.greatest > 0)) return std::nullopt;
        if (sign.greatest > 0) out = out + step.times(steps);
    }
    return out;
}

}  // namespace tileproof
