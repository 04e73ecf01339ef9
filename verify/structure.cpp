#include "verify/structure_internal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/cache_hint.hpp"
#include "layouts/placement.hpp"
#include "layouts/register_file.hpp"
#include "verify/matrices_internal.hpp"

namespace tileproof {
namespace {

Finding decided(const char* id, std::optional<Counterexample> counterexample) {
    Finding out{id, counterexample ? Verdict::refuted : Verdict::proved, {"structure"}};
    out.counterexample = std::move(counterexample);
    return out;
}

Counterexample because(std::string text, std::optional<Side> side = {}) {
    Counterexample out;
    out.text = std::move(text);
    out.side = side;
    return out;
}

std::optional<Counterexample> illegal_async(const Problem& problem, const Judge& judge, const Segment& segment) {
    const std::string& name = segment.src.instruction;
    if (name != segment.dst.instruction)
        return because(fmt::format("one instruction copies, and the sides name {} and {}", name, segment.dst.instruction));
    if (segment.src.width != segment.dst.width)
        return because(
            fmt::format("{} reads as much as it writes, not {} and {} bits", name, segment.src.width.count, segment.dst.width.count));
    const AsyncForm* async = async_form(name, segment.src.width);
    if (async == nullptr) return because(fmt::format("{} does not copy {} bits", name, segment.src.width.count));
    if (judge.buffer(Side::src).space != Space::global)
        return because(fmt::format("{} does not read {} memory", name, to_string(judge.buffer(Side::src).space)), Side::src);
    if (judge.buffer(Side::dst).space != Space::shared)
        return because(fmt::format("{} does not write {} memory", name, to_string(judge.buffer(Side::dst).space)), Side::dst);
    if (async->least_arch > problem.target.number) return because(fmt::format("{} does not exist on {}", name, problem.target.name));
    if (problem.ptx && *problem.ptx < async->least_ptx)
        return because(fmt::format("{} needs PTX {}, the file asks for {}", name, to_string(async->least_ptx), to_string(*problem.ptx)));
    return std::nullopt;
}

HintedAccess hinted_access(const SidePlan& plan, Side side) {
    return is_async(plan.instruction) ? HintedAccess::async : side == Side::src ? HintedAccess::load : HintedAccess::store;
}

/// A cache hint of an access that the machine does not take there, or that promises what the file does not keep.
std::optional<Counterexample> illegal_hint(const Problem& problem, const Judge& judge, const Segment& segment, Side side) {
    const SidePlan& plan = segment.side(side);
    for (const CacheHint* const hint : without_hints(plan.instruction).hints) {
        if (std::string why = why_not(*hint, hinted_access(plan, side), plan.width, problem.target, problem.ptx); !why.empty())
            return because(std::move(why), side);
        if (hint->kind == CacheHint::Kind::non_coherent && is_written(problem, judge.copy().src.buffer))
            return because(fmt::format("{} is for what nobody writes while the kernel runs, and a copy of the file writes {}",
                                       plan.instruction, judge.buffer(side).name),
                           side);
    }
    return std::nullopt;
}

/// A cache hint that the file asks for and an access that would take it has not, or that no access would take.
std::optional<Counterexample> missing_hint(const Judge& judge, const Segment& segment) {
    for (const std::string& word : judge.copy().cache) {
        const CacheHint* const asked = cache_hint(word);
        bool is_taken = false;
        for (const Side side : both_sides) {
            const SidePlan& plan = segment.side(side);
            if (judge.buffer(side).space != Space::global || !asked->goes_with(hinted_access(plan, side))) continue;
            const std::vector<const CacheHint*> hints = without_hints(plan.instruction).hints;
            const bool is_named = asked->kind == CacheHint::Kind::path && plan.instruction.rfind("cp.async." + word + ".", 0) == 0;
            if (!is_named && std::find(hints.begin(), hints.end(), asked) == hints.end())
                return because(fmt::format("the file asks for {}, and {} has it not", word, plan.instruction), side);
            is_taken = true;
        }
        if (!is_taken) return because(fmt::format("the file asks for {}, and no access of the plan takes it", word));
    }
    return std::nullopt;
}

std::optional<Counterexample> illegal(const Problem& problem, const Judge& judge) {
    for (const Segment& segment : judge.plan().segments) {
        for (const Side side : both_sides) {
            const SidePlan& plan = segment.side(side);
            const Space space = judge.buffer(side).space;
            if (space == Space::registers) {
                if (plan.instruction != no_instruction)
                    return because(fmt::format("no instruction reaches {}, which is in registers, and the plan has '{}'",
                                               judge.buffer(side).name, plan.instruction),
                                   side);
                if (plan.width != segment.side(opposite(side)).width)
                    return because(fmt::format("one access moves {} bits, and the registers of the plan {}",
                                               segment.side(opposite(side)).width.count, plan.width.count),
                                   side);
                continue;
            }
            if (const MatrixForm* const matrix = matrix_form(plan.instruction)) {
                if (auto fault = illegal_matrix(problem, judge, segment, side, *matrix)) return fault;
                continue;
            }
            if (is_async(segment.src.instruction) || is_async(segment.dst.instruction)) {
                if (auto fault = illegal_async(problem, judge, segment)) return fault;
                if (auto fault = illegal_hint(problem, judge, segment, Side::src)) return fault;
                break;  // one instruction for both sides
            }
            const AccessForm* form = access_form(plan.instruction);
            if (form == nullptr) return because(fmt::format("there is no instruction '{}'", plan.instruction), side);
            if (form->direction != (side == Side::src ? Direction::load : Direction::store))
                return because(fmt::format("{} is on the {} side", plan.instruction, to_string(side)), side);
            if (form->space != space) return because(fmt::format("{} does not access {} memory", plan.instruction, to_string(space)), side);
            if (form->width != plan.width)
                return because(fmt::format("{} moves {} bits, the plan says {}", plan.instruction, form->width.count, plan.width.count),
                               side);
            if (form->least_arch > problem.target.number)
                return because(fmt::format("{} does not exist on {}", plan.instruction, problem.target.name), side);
            if (problem.ptx && *problem.ptx < form->least_ptx)
                return because(fmt::format("{} needs PTX {}, the file asks for {}", plan.instruction, to_string(form->least_ptx),
                                           to_string(*problem.ptx)),
                               side);
            if (auto fault = illegal_hint(problem, judge, segment, side)) return fault;
        }
        if (auto fault = missing_hint(judge, segment)) return fault;
    }
    return std::nullopt;
}

std::optional<Counterexample> wrong_people(const Problem& problem, const Judge& judge) {
    const Participants asked = judge.people(), planned = judge.plan().participants;
    const auto text = [](const Participants& who) {
        return fmt::format("{}..{}{}", who.first, static_cast<std::int64_t>(who.end()) - 1,
                           who.groups == 1 ? "" : fmt::format(" in {} groups of {}", who.groups, who.count));
    };
    if (asked != planned) return because(fmt::format("threads {} execute the copy, the scope is {}", text(planned), text(asked)));
    for (const Segment& segment : judge.plan().segments)
        if (segment.threads != asked.count)
            return because(fmt::format("a segment is for {} threads, the scope has {}", segment.threads, asked.count));
    if (asked.end() > problem.launch.block)
        return because(
            fmt::format("the scope ends at thread {}, the block has {}", static_cast<std::int64_t>(asked.end()) - 1, problem.launch.block));
    return std::nullopt;
}

std::optional<Counterexample> overflow(const Judge& judge) {
    for (std::size_t g = 0; g < judge.plan().segments.size(); ++g)
        for (const Side side : both_sides)
            if (auto found = judge.overflow(g, side)) return found;
    return std::nullopt;
}

/// Registers make no copies dependent: those of a thread are its own, and it runs the copies in their order.
bool dependent(const Problem& problem, const Copy& a, const Copy& b) {
    const auto meet = [&](const Operand& one, const Operand& other) {
        return one.buffer == other.buffer && problem.buffer(one).space != Space::registers;
    };
    return meet(a.dst, b.dst) || meet(a.dst, b.src) || meet(a.src, b.dst);
}

/// Threads 0.. of the block that hold those of both copies.
int threads_of(const Launch& launch, const Copy& a, const Copy& b) {
    return static_cast<int>(std::max(participants(a, launch).end(), participants(b, launch).end()));
}

/// Threads 0..needed-1 must meet in one barrier between the steps that run a and b.
bool separated(const Plan& plan, const std::string& a, const std::string& b, int needed) {
    bool between = false;
    for (const Step& step : plan.program) {
        if (const auto* copy = std::get_if<CopyStep>(&step)) {
            if (copy->copy == b) return false;
            between = between || copy->copy == a;
        } else if (const auto* barrier = std::get_if<Barrier>(&step); between && barrier != nullptr && barrier->threads >= needed) {
            return true;
        }
    }
    return false;
}

bool is_asynchronous(const Plan& plan, const std::string& copy) {
    return std::any_of(plan.copies.begin(), plan.copies.end(), [&](const CopyPlan& c) { return c.copy == copy && is_asynchronous(c); });
}

/// Whether each thread waits for its part of the asynchronous copy `a`, and, where `b` is not empty, a barrier of `needed` threads
/// follows that before b runs.
bool completes(const Plan& plan, const std::string& a, const std::string& b, int needed) {
    bool committed = false, complete = false;
    int later = 0;  // groups after a's
    for (const Step& step : plan.program) {
        if (const auto* started = std::get_if<CopyStep>(&step)) {
            if (started->copy == b) return false;
            if (committed && is_asynchronous(plan, started->copy)) ++later;
            committed = committed || started->copy == a;
        } else if (const auto* wait = std::get_if<Wait>(&step)) {
            complete = complete || (committed && wait->pending <= later);
            if (complete && b.empty()) return true;
        } else if (complete && std::get<Barrier>(step).threads >= needed) {
            if (!b.empty()) return true;
        }
    }
    return false;
}

std::optional<Counterexample> incomplete(const Problem& problem, const Plan& plan) {
    for (std::size_t i = 0; i < problem.copies.size(); ++i) {
        const Copy& a = problem.copies[i];
        if (!is_asynchronous(plan, a.name)) continue;
        for (std::size_t j = i + 1; j < problem.copies.size(); ++j) {
            const Copy& b = problem.copies[j];
            if (dependent(problem, a, b) && !completes(plan, a.name, b.name, threads_of(problem.launch, a, b)))
                return because(fmt::format(
                    "'{}' depends on '{}', whose threads do not wait for their cp.async before a barrier between them", b.name, a.name));
        }
        if (a.completion != Completion::caller && !completes(plan, a.name, {}, 0))
            return because(fmt::format("no thread waits for the cp.async of '{}', and the file does not leave that to the caller", a.name));
    }
    return std::nullopt;
}

std::optional<Counterexample> unsynchronised(const Problem& problem, const Plan& plan) {
    for (std::size_t j = 0; j < problem.copies.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            const Copy& a = problem.copies[i];
            const Copy& b = problem.copies[j];
            if (dependent(problem, a, b) && !separated(plan, a.name, b.name, threads_of(problem.launch, a, b)))
                return because(fmt::format("'{}' depends on '{}', and no barrier of their threads lies between them", b.name, a.name));
        }
    }
    return std::nullopt;
}

std::optional<Counterexample> diverged(const Problem& problem, const Plan& plan) {
    for (const Step& step : plan.program) {
        const auto* barrier = std::get_if<Barrier>(&step);
        if (barrier == nullptr) continue;
        if (barrier->id < 0 || barrier->id > 15) return because(fmt::format("there is no barrier {}: ids are 0..15", barrier->id));
        if (barrier->threads != problem.launch.block)
            return because(fmt::format("barrier {} waits for {} threads, the block that reaches it has {}", barrier->id, barrier->threads,
                                       problem.launch.block));
    }
    return std::nullopt;
}

Finding converged(const Problem& problem, const Plan& plan) {
    if (auto barrier = diverged(problem, plan)) return decided("converged", std::move(barrier));
    return judge_converged_matrices(problem, plan);
}

std::optional<Counterexample> unfit(const Problem& problem) {
    if (problem.launch.block > problem.target.threads_per_block)
        return because(
            fmt::format("a block of {} threads; {} takes {}", problem.launch.block, problem.target.name, problem.target.threads_per_block));
    std::int64_t registers = 0;  // of 32 bits, in each thread
    for (const Buffer& buffer : problem.buffers)
        if (buffer.space == Space::registers) registers += register_words(buffer);
    // A block has 64 K registers; a thread gets no less than its part of whole warps.
    constexpr std::int64_t of_block = 65536;
    const std::int64_t most = std::min(most_register_words, of_block / (ceil_div(problem.launch.block, warp_threads) * warp_threads));
    if (registers > most)
        return because(fmt::format("the buffers take {} registers of each thread; a block of {} threads has {} for each", registers,
                                   problem.launch.block, most));
    const Bytes total = place_shared(problem).allocated();
    if (total > problem.target.shared_per_block)
        return because(fmt::format("{} bytes of shared memory; a block of {} has {}", total.count, problem.target.name,
                                   problem.target.shared_per_block.count));
    return std::nullopt;
}

}  // namespace

std::vector<Finding> judge_structure(const Problem& problem, const Judge& judge) {
    return {decided("legal", illegal(problem, judge)), decided("participants", wrong_people(problem, judge)),
            decided("overflow", overflow(judge))};
}

std::vector<Finding> judge_program(const Problem& problem, const Plan& plan) {
    // Without symbols no assumption can contradict another: alignments and capacities are of different buffers.
    return {decided("assumptions", std::nullopt), decided("complete", incomplete(problem, plan)),
            decided("synchronised", unsynchronised(problem, plan)), converged(problem, plan), decided("fits", unfit(problem))};
}

}  // namespace tileproof
