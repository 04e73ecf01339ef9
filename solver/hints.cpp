#include "solver/hints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/cache_hint.hpp"

namespace tileproof {
namespace {

bool is_global(const Problem& problem, const Copy& copy, Side side) { return problem.buffer(operand(copy, side)).space == Space::global; }

/// The accesses of the copy that could have a hint.
std::vector<HintedAccess> hinted_accesses(const Problem& problem, const Copy& copy, bool async) {
    if (async) return {HintedAccess::async};
    std::vector<HintedAccess> out;
    if (is_global(problem, copy, Side::src)) out.push_back(HintedAccess::load);
    if (is_global(problem, copy, Side::dst)) out.push_back(HintedAccess::store);
    return out;
}

/// Why none of these accesses can have the hint; empty where one can.
std::string refusal(const Problem& problem, const Copy& copy, const CacheHint& hint, const std::vector<HintedAccess>& accesses) {
    std::string why = fmt::format("{} is about global memory, and neither side is there", hint.word);
    for (const HintedAccess access : accesses) {
        why = why_not(hint, access, {}, problem.target, problem.ptx);
        if (why.empty() || hint.goes_with(access)) break;
    }
    const bool lacks_load = hint.loads && !hint.stores && !accesses.empty() && accesses.front() == HintedAccess::store;
    if (lacks_load) why += fmt::format(", and the source {} is in shared memory", problem.buffer(copy.src).name);
    if (!why.empty() || hint.kind != CacheHint::Kind::non_coherent || !is_written(problem, copy.src.buffer)) return why;
    const auto writer =
        std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& other) { return other.dst.buffer == copy.src.buffer; });
    return fmt::format("{} is for what nobody writes while the kernel runs, and {} writes {}", hint.word,
                       writer == problem.copies.end() ? "another copy of the file" : fmt::format("'{}'", writer->name),
                       problem.buffer(copy.src).name);
}

}  // namespace

std::string hints_gate(const Problem& problem, const Copy& copy, bool async) {
    const std::vector<HintedAccess> accesses = hinted_accesses(problem, copy, async);
    for (const std::string& word : copy.cache)
        if (std::string why = refusal(problem, copy, *cache_hint(word), accesses); !why.empty()) return why;
    return {};
}

std::vector<Bits> hinted_widths(const Copy& copy, const std::vector<Bits>& widths, std::string& because) {
    std::vector<Bits> out = widths;
    for (const std::string& word : copy.cache) {
        const CacheHint& hint = *cache_hint(word);
        if (hint.only_width.count == 0) continue;
        out.erase(std::remove_if(out.begin(), out.end(), [&](Bits width) { return width != hint.only_width; }), out.end());
        because = fmt::format("{} goes with accesses of {} bits alone", hint.word, hint.only_width.count);
    }
    return out;
}

void add_hints(const Problem& problem, const Copy& copy, CopyPlan& plan) {
    for (Segment& segment : plan.segments) {
        const bool async = is_async(segment.src.instruction);
        for (const Side side : both_sides) {
            if (!async && !is_global(problem, copy, side)) continue;
            std::string& name = (side == Side::src ? segment.src : segment.dst).instruction;
            name = with_hints(name, hints_for(copy.cache, async               ? HintedAccess::async
                                                          : side == Side::src ? HintedAccess::load
                                                                              : HintedAccess::store));
        }
    }
}

std::vector<std::string> possible_hints(const Problem& problem, const Copy& copy) {
    std::vector<std::string> out;
    const bool async = copy.dispatch == "ldgsts" || (copy.dispatch == "auto" && copy.completion);
    const std::vector<HintedAccess> accesses = hinted_accesses(problem, copy, async);
    for (const std::string& word : cache_hint_words()) {
        const CacheHint& hint = *cache_hint(word);
        const auto has_width = [&](Side side) {
            return hint.only_width.count == 0 || has_access(problem.target, problem.buffer(operand(copy, side)).space, hint.only_width);
        };
        if (refusal(problem, copy, hint, accesses).empty() && has_width(Side::src) && has_width(Side::dst)) out.push_back(word);
    }
    return out;
}

}  // namespace tileproof
