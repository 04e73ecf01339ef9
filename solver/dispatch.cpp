#include "solver/dispatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "layouts/cache_hint.hpp"
#include "layouts/matrix.hpp"
#include "layouts/wording.hpp"
#include "solver/hints.hpp"
#include "solver/matrix_plan.hpp"

namespace tileproof {
namespace {

const std::vector<Bits> async_widths{{128}, {64}, {32}};

/// The width that `vec_16b` and the like name; nothing for other dispatches.
std::optional<Bits> forced_width(const std::string& dispatch) {
    for (const Bits width : access_widths())
        if (dispatch == fmt::format("vec_{}b", width.count)) return width;
    return std::nullopt;
}

/// Why cp.async does not serve this copy, whatever the width.
std::string ldgsts_gate(const Problem& problem, const Copy& copy) {
    const Buffer& src = problem.buffer(copy.src);
    const Buffer& dst = problem.buffer(copy.dst);
    if (src.space != Space::global || dst.space != Space::shared)
        return fmt::format("cp.async copies from global to shared memory, not from {} to {}", to_string(src.space), to_string(dst.space));
    const AsyncForm& form = *async_form(async_widths.front());
    if (problem.target.number < form.least_arch) return fmt::format("cp.async needs sm_{} or later", form.least_arch);
    if (problem.ptx && *problem.ptx < form.least_ptx) return fmt::format("cp.async needs PTX {} or later", to_string(form.least_ptx));
    return {};
}

/// Why a copy is no single access of this width.
std::string forced_gate(const Problem& problem, const Copy& copy, Bits width) {
    if (copy.scope != Scope::thread)
        return fmt::format("{} is one access of one thread, and the scope is {}", copy.dispatch, to_string(copy.scope));
    const Bits region = to_bits(moved(copy), problem.buffer(copy.src).dtype.size);
    if (copy.zero_fill) return fmt::format("{} is one access, and the copy fills with zeros", copy.dispatch);
    if (!copy.src.region.symbolic_extent.empty())
        return fmt::format("{} is one access, and the region's extent depends on symbols", copy.dispatch);
    if (region != width) return fmt::format("{} is one access of {} bits, and the region has {}", copy.dispatch, width.count, region.count);
    return {};
}

}  // namespace

Dispatch dispatch(const Problem& problem, const Copy& copy) {
    Dispatch out;
    const auto offer = [&](Variant variant, std::string refusal) {
        const bool passed = refusal.empty();
        if (passed) refusal = hints_gate(problem, copy, variant.name == "ldgsts");
        out.hints_decline = passed && !refusal.empty();
        variant.widths = hinted_widths(copy, variant.widths, variant.limited_by);
        if (refusal.empty() && variant.widths.empty()) std::tie(refusal, out.hints_decline) = std::pair{variant.limited_by, true};
        if (refusal.empty()) out.candidates.push_back(std::move(variant));
        else out.declined.push_back({std::move(variant.name), std::move(refusal)});
    };
    const Bits element = problem.buffer(copy.src).dtype.size;
    if (const std::optional<Bits> width = forced_width(copy.dispatch)) {
        offer({copy.dispatch, {*width}}, forced_gate(problem, copy, *width));
        return out;
    }
    if (copy.dispatch == "fallback") {
        offer({"fallback", {std::max(element, Bits{8})}}, {});
        return out;
    }
    if (copy.dispatch == "ldgsts" || (copy.dispatch == "auto" && copy.completion))
        offer({"ldgsts", async_widths}, ldgsts_gate(problem, copy));
    // Without being asked for by name, only where its two memories are.
    if (copy.dispatch == "ldstmatrix" || (copy.dispatch == "auto" && matrix_direction(problem, copy)))
        offer({"ldstmatrix", {matrix_row_width}}, ldstmatrix_gate(problem, copy));
    if (copy.dispatch == "auto" || copy.dispatch == "vec_auto") offer({"vec_auto", access_widths()}, {});
    return out;
}

void choose_instructions(const Problem& problem, const Copy& copy, const Variant& variant, CopyPlan& plan) {
    const bool by_l1 = std::find(copy.cache.begin(), copy.cache.end(), "ca") != copy.cache.end();
    for (Segment& segment : plan.segments)
        for (SidePlan* side : {&segment.src, &segment.dst})
            if (variant.name == "ldgsts") side->instruction = by_l1 ? "cp.async.ca.shared.global" : async_form(side->width)->mnemonic;
    add_hints(problem, copy, plan);
}

Diagnostic nothing_serves(const Problem& problem, const Copy& copy, const Dispatch& choice) {
    const Declined& last = choice.declined.back();
    Diagnostic out{"declined", "'" + last.variant + "' cannot do this copy: " + last.reason,
                   copy.dispatch_place.line > 0 ? copy.dispatch_place : copy.place};
    if (!choice.hints_decline) return out;
    out = {"cache-hint", "the hints of '" + copy.name + "' cannot be had: " + last.reason,
           copy.cache_place.line > 0 ? copy.cache_place : copy.place};
    const std::vector<std::string> possible = possible_hints(problem, copy);
    out.help.push_back(possible.empty() ? "leave `cache` out"
                                        : "what such a copy can have on " + problem.target.name + ": " + listed(possible));
    return out;
}

std::string reason_of(const Variant& variant, const CopySolution& tried) {
    const std::string what = !variant.limited_by.empty() ? variant.limited_by + ", and they are not legal"
                             : variant.name == "ldgsts"  ? "no access of 4, 8 or 16 bytes is legal"
                                                         : fmt::format("{} bits are not legal", variant.widths.back().count);
    return tried.refused.empty() ? what : fmt::format("{}: {} [{}]", what, tried.refused.back().text, tried.refused.back().rule);
}

}  // namespace tileproof
