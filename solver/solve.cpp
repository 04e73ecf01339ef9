#include "solver/solve.hpp"

#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/blocks.hpp"
#include "solver/cut.hpp"
#include "solver/dispatch.hpp"
#include "solver/flat.hpp"
#include "solver/matrix_plan.hpp"
#include "solver/partition.hpp"
#include "solver/program.hpp"
#include "solver/refusal.hpp"
#include "solver/register_plan.hpp"
#include "solver/smt.hpp"
#include "solver/symbolic.hpp"
#include "solver/symbolic_registers.hpp"
#include "solver/width.hpp"

namespace tileproof {
namespace {

/// No plan, and neither a rejection nor a limit, where none of the widths is legal.
CopySolution solve_at(smt::Session& z3, const Problem& problem, const Copy& copy, const std::vector<Bits>& widths, const Forms& forms,
                      bool is_async) {
    if (register_side(problem, copy))
        return is_symbolic(problem, copy) || copy.zero_fill ? solve_symbolic_registers(z3, problem, copy, widths)
                                                            : solve_registers(problem, copy, widths);
    if (is_symbolic(problem, copy) || copy.zero_fill) return solve_symbolic(z3, problem, copy, widths, forms, is_async);
    const std::optional<CanonicalBox> box = canonical_box(problem, copy);
    if (!box) return solve_irregular(problem, copy, widths);
    CopySolution out;
    out.name = copy.name;
    const Overlap overlap = destination_overlap(z3, problem, copy, *box);
    if (overlap.answer == Overlap::found) out.rejection = overlap.diagnostic;
    if (overlap.answer == Overlap::undecided) out.undecided = "whether two elements share a destination";
    if (overlap.answer != Overlap::none) return out;

    const Bits element = problem.buffer(copy.src).dtype.size;
    for (const Bits width : widths) {
        if (width < element) break;
        if (auto early = early_refusal(problem, copy, width)) {
            out.refused.push_back(std::move(*early));
            continue;
        }
        const Legality legality = judge_width(z3, problem, copy, *box, width);
        if (legality == Legality::refused) {
            const std::optional<Refusal> refused = find_refusal(problem, copy, width);
            TILEPROOF_CHECK(refused.has_value());
            out.refused.push_back(*refused);
            continue;
        }
        if (legality == Legality::undecided) {
            if (out.undecided.empty()) out.undecided = "whether " + std::to_string(width.count) + " bits are legal";
            continue;
        }
        out.width = width;
        out.plan = partition(z3, problem, copy, *box, width);
        if (!out.plan) out.undecided = "the partition over the threads";
        // Within one buffer an access may write what a later one reads; the plan at one width does not.
        if (!out.plan || copy.src.buffer == copy.dst.buffer) break;
        const PlaceInBlock place = [&](std::size_t dim, std::int64_t n) { return place_in_block(problem, copy, *box, dim, n); };
        std::optional<CopyPlan> several = forms.single ? std::nullopt : cut(z3, problem, copy, *box, widths, *out.plan, place);
        if (several) {
            out.single_rounds = out.plan->segments.front().outer;
            out.plan = std::move(several);
        }
        if (forms.blocks) try_blocks(z3, problem, copy, *box, widths, is_multiple, out);
        break;
    }
    return out;
}

CopySolution solve_copy(smt::Session& z3, const Problem& problem, const Copy& copy, const SolveOptions& options) {
    CopySolution out;
    out.name = copy.name;
    if ((out.rejection = rejection(problem, copy))) return out;
    Dispatch choice = dispatch(problem, copy);
    for (const Variant& variant : choice.candidates) {
        CopySolution tried;
        if (variant.name == "ldstmatrix") {
            MatrixAttempt attempt = solve_matrices(z3, problem, copy);
            if (!attempt.why_not.empty()) {
                choice.declined.push_back({variant.name, std::move(attempt.why_not)});
                choice.hints_decline = false;
                continue;
            }
            tried = std::move(attempt.solution);
        } else {
            // cp.async has no registers, and who names a width means one access.
            const Forms forms{options.single, !options.straight && variant.name == "vec_auto" && !copy.zero_fill};
            tried = solve_at(z3, problem, copy, variant.widths, forms, variant.name == "ldgsts");
        }
        tried.variant = variant.name;
        if (tried.plan) choose_instructions(problem, copy, variant, *tried.plan);
        if (!tried.plan && !tried.rejection && tried.undecided.empty()) {
            if (variant.widths.back() == access_widths().back()) {
                tried.rejection = sub_byte_edge(problem, copy, tried.refused);
            } else {
                choice.declined.push_back({variant.name, reason_of(variant, tried)});
                choice.hints_decline = !variant.limited_by.empty();
                out.refused = std::move(tried.refused);
                continue;
            }
        }
        tried.declined = std::move(choice.declined);
        return tried;
    }
    // Only what was asked for by name, or cache hints, come here: vec_auto does every copy.
    out.rejection = nothing_serves(problem, copy, choice);
    out.declined = std::move(choice.declined);
    return out;
}

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options) {
    Solution out;
    smt::Session z3(options.rlimit, options.context);
    for (const Copy& copy : problem.copies) out.copies.push_back(solve_copy(z3, problem, copy, options));
    out.program = schedule(problem, out.copies);
    return out;
}

}  // namespace tileproof
