#include "solver/remedy.hpp"

#include <algorithm>

#include "layouts/placement.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/refusal.hpp"
#include "solver/register_refusal.hpp"
#include "solver/remedy_internal.hpp"
#include "solver/solve.hpp"

namespace tileproof {
namespace {

constexpr int deepest = 10;  // changes on top of each other
constexpr std::int64_t most_attempts = 24;

Problem alone(const Problem& problem, std::size_t copy) {
    Problem out = problem;
    note_written(out);
    out.copies = {problem.copies[copy]};
    return out;
}

bool share_a_buffer(const Copy& a, const Copy& b) {
    for (const Side one : both_sides)
        for (const Side other : both_sides)
            if (operand(a, one).buffer == operand(b, other).buffer) return true;
    return false;
}

bool meet(const Operand& a, const Operand& b) {
    bool meets = a.buffer == b.buffer;
    for (std::size_t i = 0; meets && i < a.region.start.size(); ++i)
        meets = a.region.start[i] < b.region.start[i] + b.region.extent[i] && b.region.start[i] < a.region.start[i] + a.region.extent[i];
    return meets;
}

/// Whether what the copy writes now meets what it did not meet before: its own source, or a side of another copy.
bool intrudes(const Problem& before, const Problem& after, std::size_t copy) {
    for (std::size_t i = 0; i < after.copies.size(); ++i)
        for (const Side side : both_sides) {
            if (i == copy && side == Side::dst) continue;
            if (meet(after.copies[copy].dst, operand(after.copies[i], side)) &&
                !meet(before.copies[copy].dst, operand(before.copies[i], side)))
                return true;
        }
    return false;
}

bool fits(const Problem& problem) { return place_shared(problem).allocated() <= problem.target.shared_per_block; }

class RemedySearch {
public:
    RemedySearch(const Problem& problem, std::size_t copy, Bits width, const RemedyOptions& options)
        : original_(problem),
          copy_(copy),
          width_(width),
          options_(options),
          attempts_(std::clamp<std::int64_t>(options.looked_at / moved(problem.copies[copy]), 1, most_attempts)) {}

    std::optional<Unlock> lift(const Problem& now, const Refusal& refusal, int depth = 1) {
        for (const Problem& next : remedies(original_, now, copy_, refusal)) {
            if (attempts_-- <= 0) return std::nullopt;
            if (rejection(next, next.copies[copy_])) continue;
            const std::optional<Refusal> left = refusal_of(next);
            std::optional<Unlock> found =
                left ? (depth < deepest ? lift(next, *left, depth + 1) : std::nullopt) : checked(without_idle(next));
            if (found) return found;
        }
        return std::nullopt;
    }

private:
    std::optional<Refusal> refusal_of(const Problem& problem) const {
        const Copy& copy = problem.copies[copy_];
        std::optional<Refusal> out = early_refusal(problem, copy, width_);
        if (out) return out;
        return register_side(problem, copy) ? find_register_refusal(problem, copy, width_) : find_refusal(problem, copy, width_);
    }

    CopySolution solved(const Problem& problem, std::size_t copy) const {
        return solve(alone(problem, copy), {options_.rlimit, true, true, options_.context}).copies.front();
    }

    /// Changes that later ones made needless are taken back.
    Problem without_idle(Problem next) const {
        const auto take_back = [&](auto&& part) {
            Problem less = next;
            part(less) = part(original_);
            if (merge_patch(less, next) == "{}" || check_problem(less) || rejection(less, less.copies[copy_])) return;
            if (!refusal_of(less)) next = std::move(less);
        };
        take_back([](auto& problem) -> auto& { return problem.target; });
        take_back([](auto& problem) -> auto& { return problem.ptx; });
        for (std::size_t i = 0; i < original_.buffers.size(); ++i) take_back([i](auto& problem) -> auto& { return problem.buffers[i]; });
        take_back([this](auto& problem) -> auto& { return problem.copies[copy_].src; });
        take_back([this](auto& problem) -> auto& { return problem.copies[copy_].dst; });
        return next;
    }

    /// The unlock that turns the original into `next`, if the patched file is sound and the width then legal.
    std::optional<Unlock> checked(const Problem& next) const {
        Unlock out{remedy_text(original_, next, copy_, width_), merge_patch(original_, next)};
        const Result<Problem> read = patched(original_, out.patch);
        if (!read) return std::nullopt;
        const Problem& after = read.value();
        if (intrudes(original_, after, copy_) || (fits(original_) && !fits(after))) return std::nullopt;
        if (solved(after, copy_).width < width_) return std::nullopt;
        for (std::size_t i = 0; i < after.copies.size(); ++i) {
            if (i == copy_ || !share_a_buffer(after.copies[i], after.copies[copy_])) continue;
            const CopySolution before = solved(original_, i), now = solved(after, i);
            if (before.plan && (!now.plan || now.width < before.width)) return std::nullopt;
        }
        return out;
    }

    const Problem& original_;
    std::size_t copy_;
    Bits width_;
    RemedyOptions options_;
    std::int64_t attempts_;
};

std::size_t number_of(const Problem& problem, const Copy& copy) {
    const auto found = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& c) { return c.name == copy.name; });
    TILEPROOF_CHECK(found != problem.copies.end());
    return static_cast<std::size_t>(found - problem.copies.begin());
}

}  // namespace

std::optional<Unlock> find_unlock(const Problem& problem, const Copy& copy, const Refusal& refusal, const RemedyOptions& options) {
    return RemedySearch(problem, number_of(problem, copy), refusal.width, options).lift(problem, refusal);
}

void add_unlocks(const Problem& problem, Solution& solution, const RemedyOptions& options) {
    for (CopySolution& one : solution.copies) {
        const auto copy = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& c) { return c.name == one.name; });
        if (!problem.symbols.empty()) {
            if (is_symbolic(problem, *copy)) add_symbol_unlocks(problem, *copy, one, options);
            continue;
        }
        if (copy->zero_fill) continue;  // what is refused is not one copy
        for (Refusal& refusal : one.refused) {
            const std::size_t number = number_of(problem, *copy);
            if (moved(*copy) > options.largest && !remedies(problem, problem, number, refusal).empty()) continue;
            refusal.unlock_sought = true;
            refusal.unlock = find_unlock(problem, *copy, refusal, options);
        }
    }
}

}  // namespace tileproof
