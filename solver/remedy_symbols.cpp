#include <algorithm>
#include <numeric>

#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"
#include "solver/remedy_internal.hpp"
#include "solver/solve.hpp"

namespace tileproof {
namespace {

constexpr int most_solved = 48;  // for all widths of a copy: each plans it anew

/// Whether the width is legal for this copy, whatever was refused before: it is taken, or a wider one.
bool reaches(const Problem& problem, const std::string& copy, Bits width, const RemedyOptions& options) {
    Problem alone = problem;
    alone.copies.erase(std::remove_if(alone.copies.begin(), alone.copies.end(), [&](const Copy& c) { return c.name != copy; }),
                       alone.copies.end());
    const CopySolution solved = solve(alone, {options.rlimit, false, true, options.context}).copies.front();
    return solved.plan && solved.undecided.empty() && solved.width >= width;
}

/// The problem with these symbols multiples of m too, and how to say so. Nothing where that is nothing new.
std::optional<Unlock> with_multiples(const Problem& problem, const std::vector<std::size_t>& symbols, std::int64_t m) {
    Problem next = problem;
    std::vector<std::string> names;
    for (const std::size_t i : symbols) {
        Symbol& symbol = next.symbols[i];
        if (symbol.multiple_of % m == 0) continue;
        symbol.multiple_of = std::lcm(symbol.multiple_of, m);
        names.push_back(symbol.name + " a multiple of " + std::to_string(symbol.multiple_of));
    }
    return names.empty() ? std::nullopt : std::optional(Unlock{listed(names), merge_patch(problem, next)});
}

/// The least power of two, n at most, of which these symbols have to be multiples. What n does not do, nothing less does.
std::optional<Unlock> least_multiple(const Problem& problem, const Copy& copy, Bits width, const std::vector<std::size_t>& symbols,
                                     std::int64_t n, const RemedyOptions& options, int& attempts) {
    std::optional<Unlock> out;
    for (std::int64_t m = n; m >= 2 && attempts > 0; m /= 2) {
        std::optional<Unlock> one = with_multiples(problem, symbols, m);
        if (!one) break;
        const Result<Problem> read = patched(problem, one->patch);
        if (!read || sample_values(read.value(), 1).empty()) continue;  // too much for values to be left
        --attempts;
        if (!reaches(read.value(), copy.name, width, options)) break;
        out = std::move(one);
    }
    return out;
}

}  // namespace

void add_symbol_unlocks(const Problem& problem, const Copy& copy, CopySolution& solution, const RemedyOptions& options) {
    int attempts = most_solved;
    for (Refusal& refusal : solution.refused) {
        if (!refusal.witness || refusal.witness->symbols.empty() || moved(copy) > options.largest) continue;
        const std::int64_t n = refusal.width / problem.buffer(copy.src).dtype.size;
        std::vector<std::size_t> all(problem.symbols.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        all.erase(std::remove_if(all.begin(), all.end(), [&](std::size_t i) { return problem.symbols[i].index.has_value(); }),
                  all.end());  // what the launch computes is as it is
        for (const std::size_t i : all)
            if (!refusal.unlock) refusal.unlock = least_multiple(problem, copy, refusal.width, {i}, n, options, attempts);
        if (!refusal.unlock && all.size() > 1) refusal.unlock = least_multiple(problem, copy, refusal.width, all, n, options, attempts);
        refusal.unlock_sought = refusal.unlock || attempts > 0;
    }
}

}  // namespace tileproof
