// Problems for tests of matrix instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof::test {

/// Tiles in fragments of random forms, with or without a fault: several warps, outer tiles, swizzles, registers in any order.
struct RandomTiles {
    std::mt19937 random;

    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
    }
    /// Nothing where the draw is no problem.
    std::optional<Problem> draw();
};

/// How many matrices at once move a copy between shared memory and registers, by the words of PTX alone: 0 if none do, nothing where it is
/// not said by places alone (a thread holds a place of memory twice, or warps hold different registers).
std::optional<int> matrices_at_once(const Problem& problem, const Copy& copy);

/// Runs the code on the CPU, registers and shared memory from an image, and compares every byte with the definition.
std::string run_difference(const Problem& problem, const Plan& plan);

}  // namespace tileproof::test
