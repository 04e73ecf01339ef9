#include "verify/matrices_internal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "verify/matrix_rows_internal.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_turns = std::int64_t{1} << 24;  // of threads, in rounds with bounds

Counterexample because(std::string text, std::optional<Side> side = {}) {
    Counterexample out;
    out.text = std::move(text);
    out.side = side;
    return out;
}

constexpr std::int64_t most_samples = 16;  // of the symbols in bounds

bool has_matrices(const Segment& segment) { return is_matrix(segment.src.instruction) || is_matrix(segment.dst.instruction); }

/// A warp of which some lanes run an access, and others do not.
std::optional<Counterexample> parted(const CopyPlan& plan, const Segment& segment) {
    const auto runs = [&](std::int64_t round, std::int64_t thread) { return is_active(segment, digits_at(segment, round, thread, 0)); };
    for (std::int64_t round = 0; round < segment.outer; ++round) {
        for (std::int64_t thread = 0; thread < segment.threads; ++thread) {
            const std::int64_t first = thread / warp_threads * warp_threads;
            if (runs(round, thread) == runs(round, first)) continue;
            Counterexample out = because(fmt::format(
                "of the warp of thread {}, which '{}' makes run a matrix instruction in round {}, only a part runs it: thread {} {}", first,
                plan.copy, round, thread, runs(round, first) ? "does not" : "does"));
            out.round = round;
            out.thread = thread;
            return out;
        }
    }
    return std::nullopt;
}

/// The same at some sample of the symbols.
std::optional<Counterexample> parted_at_a_sample(const Problem& problem, const CopyPlan& plan, const Segment& segment) {
    const std::int64_t affordable = std::clamp<std::int64_t>(most_turns / (segment.outer * segment.threads), 1, most_samples);
    for (const Values& values : sample_values(problem, static_cast<std::size_t>(affordable))) {
        Segment there = segment;
        for (Bound& bound : there.predicate) bound.below = bound.below.at(values);
        std::optional<Counterexample> found = parted(plan, there);
        if (!found) continue;
        found->text = "with " + to_string(values, problem.symbols) + ": " + found->text;
        found->symbols = values;
        return found;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Counterexample> illegal_matrix(const Problem& problem, const Judge& judge, const Segment& segment, Side side,
                                             const MatrixForm& form) {
    const SidePlan& plan = segment.side(side);
    const Bits element = judge.element();
    const Side other = opposite(side);
    if (judge.buffer(other).space != Space::registers)
        return because(fmt::format("{} moves between registers and memory, and {} is in {} memory", form.mnemonic, judge.buffer(other).name,
                                   to_string(judge.buffer(other).space)),
                       side);
    if (form.direction != (side == Side::src ? Direction::load : Direction::store))
        return because(fmt::format("{} is on the {} side", form.mnemonic, to_string(side)), side);
    if (judge.buffer(side).space != Space::shared)
        return because(fmt::format("{} does not access {} memory", form.mnemonic, to_string(judge.buffer(side).space)), side);
    if (plan.width != matrix_row_width)
        return because(fmt::format("rows of {} have {} bits, the plan says {}", form.mnemonic, matrix_row_width.count, plan.width.count),
                       side);
    if (!keeps_whole(form, element)) return because(fmt::format("{} tears elements of {} bits apart", form.mnemonic, element.count), side);
    if (segment.vec != elements_of_lane(form, element))
        return because(fmt::format("{} moves {} elements of each thread, and the plan has {} lanes", form.mnemonic,
                                   elements_of_lane(form, element), segment.vec),
                       side);
    if (form.least_arch > problem.target.number)
        return because(fmt::format("{} does not exist on {}", form.mnemonic, problem.target.name), side);
    if (form.is_specific && problem.target.suffix == 0)
        return because(fmt::format("{} exists on {} only with a suffix, a or f", form.mnemonic, problem.target.name), side);
    if (problem.ptx && *problem.ptx < form.least_ptx)
        return because(
            fmt::format("{} needs PTX {}, the file asks for {}", form.mnemonic, to_string(form.least_ptx), to_string(*problem.ptx)), side);
    return std::nullopt;
}

Finding judge_converged_matrices(const Problem& problem, const Plan& plan) {
    Finding out{"converged", Verdict::proved, {"structure"}};
    for (const Copy& copy : problem.copies) {
        const CopyPlan& planned = plan.copies[static_cast<std::size_t>(&copy - problem.copies.data())];
        if (!tileproof::has_matrices(planned)) continue;
        const Participants who = planned.participants;
        if (who.first % warp_threads != 0 || who.count % warp_threads != 0) {
            out.verdict = Verdict::refuted;
            out.counterexample = because(fmt::format("'{}' runs matrix instructions in threads {} to {}, which are no whole warps",
                                                     copy.name, who.first, who.first + who.count - 1));
            return out;
        }
        for (const Segment& segment : planned.segments) {
            if (!has_matrices(segment) || segment.predicate.empty()) continue;
            const bool has_symbols = has_symbolic_bounds(segment), is_looked_at = segment.outer <= most_turns / segment.threads;
            if (!is_looked_at || has_symbols) {
                out.verdict = Verdict::unknown;
                out.by = {};
                out.reason = is_looked_at ? "a bound of matrix instructions depends on symbols, and no sample of them parts a warp"
                                          : "too many threads and rounds to look at each";
            }
            if (!is_looked_at) continue;
            std::optional<Counterexample> found = has_symbols ? parted_at_a_sample(problem, planned, segment) : parted(planned, segment);
            if (!found) continue;
            out.verdict = Verdict::refuted;
            out.by = {"structure"};
            out.reason = {};
            out.counterexample = std::move(found);
            return out;
        }
    }
    return out;
}

bool matrices_converge(Inquiry& inquiry, const Problem& problem, const Plan& plan) {
    for (std::size_t i = 0; i < plan.copies.size(); ++i) {
        const Copy& copy = problem.copies[i];
        const PlanByRows rows = by_rows(plan.copies[i], memory_side(problem, copy), problem.buffer(copy.src).dtype.size);
        const auto run_whole = [&](const MatrixRows& one) { return warps_run_whole(inquiry, one, problem.symbols, problem.facts); };
        if (!rows.fits || !std::all_of(rows.matrices.begin(), rows.matrices.end(), run_whole)) return false;
    }
    return true;
}

}  // namespace tileproof
