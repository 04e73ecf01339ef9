#include "solver/solve.hpp"

#include "layouts/symbolic.hpp"
#include "solver/flat.hpp"
#include "solver/partition.hpp"
#include "solver/program.hpp"
#include "solver/refusal.hpp"
#include "solver/smt.hpp"
#include "solver/symbolic.hpp"
#include "solver/width.hpp"

namespace tileproof {
namespace {

CopySolution solve_copy(smt::Session& z3, const Problem& problem, const Copy& copy) {
    CopySolution out;
    out.name = copy.name;
    if ((out.rejection = rejection(problem, copy))) return out;
    if (is_symbolic(problem, copy)) return solve_symbolic(z3, problem, copy);
    const std::optional<CanonicalBox> box = canonical_box(problem, copy);
    if (!box) return solve_irregular(problem, copy);
    const Overlap overlap = destination_overlap(z3, problem, copy, *box);
    if (overlap.answer == Overlap::found) out.rejection = overlap.diagnostic;
    if (overlap.answer == Overlap::undecided) out.undecided = "whether two elements share a destination";
    if (overlap.answer != Overlap::none) return out;

    const Bits element = problem.buffer(copy.src).dtype.size;
    for (const Bits width : access_widths()) {
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
        break;
    }
    if (!out.plan && out.undecided.empty()) out.rejection = sub_byte_edge(problem, copy, out.refused);
    return out;
}

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options) {
    Solution out;
    smt::Session z3(options.rlimit);
    std::vector<std::size_t> planned;
    for (const Copy& copy : problem.copies) {
        out.copies.push_back(solve_copy(z3, problem, copy));
        if (out.copies.back().plan) planned.push_back(out.copies.size() - 1);
    }
    out.program = schedule(problem, planned);
    return out;
}

}  // namespace tileproof
