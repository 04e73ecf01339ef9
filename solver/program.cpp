#include "solver/program.hpp"

#include <algorithm>

namespace tileproof {

bool depend(const Copy& a, const Copy& b) {
    return a.dst.buffer == b.src.buffer || a.src.buffer == b.dst.buffer || a.dst.buffer == b.dst.buffer;
}

std::vector<Step> schedule(const Problem& problem, const std::vector<std::size_t>& which) {
    std::vector<Step> program;
    std::vector<std::size_t> since;  // copies after the last barrier
    for (const std::size_t i : which) {
        const Copy& copy = problem.copies[i];
        if (std::any_of(since.begin(), since.end(), [&](std::size_t j) { return depend(problem.copies[j], copy); })) {
            program.emplace_back(Barrier{0, problem.launch.block});
            since.clear();
        }
        program.emplace_back(CopyStep{copy.name});
        since.push_back(i);
    }
    return program;
}

}  // namespace tileproof
