#include "solver/program.hpp"

#include <algorithm>

namespace tileproof {
namespace {

/// A copy that no barrier has published yet.
struct Unpublished {
    std::size_t copy;
    int group = -1;  // of cp.async, counted from 0; -1: none
};

}  // namespace

bool depend(const Problem& problem, const Copy& a, const Copy& b) {
    const auto meet = [&](const Operand& one, const Operand& other) {
        return one.buffer == other.buffer && problem.buffer(one).space != Space::registers;
    };
    return meet(a.dst, b.src) || meet(a.src, b.dst) || meet(a.dst, b.dst);
}

std::vector<Step> schedule(const Problem& problem, const std::vector<CopySolution>& copies) {
    std::vector<Step> program;
    std::vector<Unpublished> open;
    int groups = 0, complete = 0;  // committed so far; of them, those that are waited for
    const auto wait_for = [&](int group) {
        if (group < complete) return;
        program.emplace_back(Wait{groups - 1 - group});
        complete = group + 1;
    };
    int last = -1;  // group that the kernel has to complete
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (!copies[i].plan) continue;
        const Copy& copy = problem.copies[i];
        bool meets = false;
        int group = -1;
        for (const Unpublished& other : open) {
            if (!depend(problem, problem.copies[other.copy], copy)) continue;
            meets = true;
            group = std::max(group, other.group);
        }
        if (meets) {
            wait_for(group);
            program.emplace_back(Barrier{0, problem.launch.block});
            open.erase(std::remove_if(open.begin(), open.end(), [&](const Unpublished& other) { return other.group < complete; }),
                       open.end());
        }
        program.emplace_back(CopyStep{copy.name});
        const bool is_async = is_asynchronous(*copies[i].plan);
        open.push_back({i, is_async ? groups : -1});
        if (is_async && copy.completion != Completion::caller) last = groups;
        groups += is_async ? 1 : 0;
    }
    wait_for(last);
    return program;
}

}  // namespace tileproof
