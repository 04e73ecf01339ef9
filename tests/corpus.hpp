// Corpus: the problems that several tests go through, each with the text that says it.
//
//   files()     examples/*.toml, tests/data/tiles, tests/data/cases; none with registers
//   flat()      copies whose plan has to count one index: odd padded rows, regions across an iter, splits without a refinement
//   edged()     copies that are planned in several widths: rows of 33, starts at column 3 on both sides
//   drawn(20)   random ones (tests/random_problem.hpp), always the same: the generator's seed is fixed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof::corpus {

struct Entry {
    std::string name;  // "cases/T101"
    std::string text;  // the problem file; empty for drawn ones
    Problem problem;
};

std::vector<Entry> files();
/// The examples with symbols, which are in none of the others.
std::vector<Entry> symbolic();
std::vector<Entry> flat();
std::vector<Entry> edged();
/// Tiles of which a predicate leaves a part, and the rest is filled with zeros.
std::vector<Entry> filled();
/// Problems that have a plan, and fit the machine.
std::vector<Entry> drawn(int count);
/// From the text of a problem file; fails the test if it does not parse.
Entry read(const std::string& name, const std::string& text);

/// The same problem with the one copy.
Problem alone(const Problem& problem, std::size_t copy);

/// The same problem with the largest stride of each global buffer a symbol: from that number up by 40 steps, and as divisible, up to 64.
/// Nothing where no stride is above 1.
std::optional<Problem> with_symbolic_strides(Problem problem);

/// Whether the long run was asked for: TILEPROOF_LONG=1 in the environment.
bool is_long_run();

}  // namespace tileproof::corpus
