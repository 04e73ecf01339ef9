#include "solver/least_values.hpp"

#include <algorithm>

#include "layouts/grid.hpp"

namespace tileproof {

constexpr std::int64_t most_tried = 4096;  // values of the symbols, where only strides are looked at

std::optional<Values> least_misaligned(const std::vector<Symbol>& symbols, const Multiples& must_be, std::int64_t n) {
    // Residues modulo n repeat after n steps of a symbol.
    std::vector<std::int64_t> least, steps;
    for (const Symbol& s : symbols) {
        const std::int64_t m = s.multiple_of;
        least.push_back(s.min + ((m - s.min % m) % m + m) % m);
        steps.push_back(least.back() > s.max ? 0 : std::min<std::int64_t>((s.max - least.back()) / m + 1, must_be.facts.empty() ? n : 64));
    }
    std::vector<std::int64_t> step(symbols.size(), 0);
    for (std::int64_t tried = 0; tried < most_tried; ++tried) {
        Values values;
        for (std::size_t i = 0; i < symbols.size(); ++i) values.push_back(least[i] + step[i] * symbols[i].multiple_of);
        const auto is_off = [&](const Expression& e) { return e.at(values) % n != 0; };
        if (is_of_one_team(symbols, values) && all_hold(must_be.facts, values) &&
            std::any_of(must_be.expressions.begin(), must_be.expressions.end(), is_off))
            return values;
        std::size_t i = symbols.size();
        while (i > 0 && ++step[i - 1] >= steps[i - 1]) step[--i] = 0;
        if (i == 0) return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace tileproof
