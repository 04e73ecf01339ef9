#include <algorithm>
#include <numeric>

#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"
#include "solver/remedy_internal.hpp"
#include "solver/solve.hpp"

namespace tileproof {
namespace {

/// Whether the width is legal for this copy, whatever was refused before: it is taken, or a wider one.
bool reaches(const Problem& problem, const std::string& copy, Bits width, const RemedyOptions& options) {
    Problem alone = problem;
    alone.copies.erase(std::remove_if(alone.copies.begin(), alone.copies.end(), [&](const Copy& c) { return c.name != copy; }), alone.copies.end());
    const CopySolution solved = solve(alone, {options.rlimit, false, true, options.context}).copies.front();
    return solved.plan && solved.undecided.empty() && solved.width >= width;
}

/// The problem with these symbols multiples of m too, and how to say so. Nothing where that is nothing new, or leaves no values.
std::optional<Unlock> tried(const Problem& problem, const Copy& copy, Bits width, const std::vector<std::size_t>& symbols, std::int64_t m, const RemedyOptions& options) {
    Problem next = problem;
    std::vector<std::string> names;
    for (const std::size_t i : symbols) {
        Symbol& symbol = next.symbols[i];
        if (symbol.multiple_of % m == 0) continue;
        symbol.multiple_of = std::lcm(symbol.multiple_of, m);
        names.push_back(symbol.name + " a multiple of " + std::to_string(symbol.multiple_of));
    }
    if (names.empty()) return std::nullopt;
    const std::string patch = merge_patch(problem, next);
    const Result<Problem> read = patched(problem, patch);
    if (!read || sample_values(read.value(), 1).empty() || !reaches(read.value(), copy.name, width, options)) return std::nullopt;
    return Unlock{listed(names), patch};
}

}  // namespace

void add_symbol_unlocks(const Problem& problem, const Copy& copy, CopySolution& solution, const RemedyOptions& options) {
    for (Refusal& refusal : solution.refused) {
        if (!refusal.witness || refusal.witness->symbols.empty() || moved(copy) > options.largest) continue;
        refusal.unlock_sought = true;
        const std::int64_t n = refusal.width / problem.buffer(copy.src).dtype.size;
        std::vector<std::size_t> all(problem.symbols.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        all.erase(std::remove_if(all.begin(), all.end(), [&](std::size_t i) { return problem.symbols[i].index.has_value(); }), all.end());  // what the launch computes is as it is
        for (const std::size_t i : all)
            for (std::int64_t m = 2; m <= n && !refusal.unlock; m *= 2) refusal.unlock = tried(problem, copy, refusal.width, {i}, m, options);
        for (std::int64_t m = 2; m <= n && all.size() > 1 && !refusal.unlock; m *= 2) refusal.unlock = tried(problem, copy, refusal.width, all, m, options);
    }
}

}  // namespace tileproof
