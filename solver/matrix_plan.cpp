#include "solver/matrix_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/register_plan.hpp"
#include "solver/register_samples.hpp"
#include "solver/row_faults.hpp"

namespace tileproof {
namespace {

/// What the target lacks for this form: "needs sm_90 or later". Empty where it has it.
std::string lacking(const Problem& problem, const MatrixForm& form) {
    const Arch& target = problem.target;
    if (form.is_specific && (target.number < form.least_arch || target.suffix == 0))
        return fmt::format("needs sm_{0}a, sm_{0}f or a later target with such a suffix", form.least_arch);
    if (target.number < form.least_arch) return fmt::format("needs sm_{} or later", form.least_arch);
    if (problem.ptx && *problem.ptx < form.least_ptx) return fmt::format("needs PTX {} or later", to_string(form.least_ptx));
    return {};
}

bool ends_at_symbols(const Region& region) {
    return std::any_of(region.symbolic_extent.begin(), region.symbolic_extent.end(),
                       [](const auto& extent) { return !extent.second.is_constant(); });
}

/// Whether the target has the forms that widen elements of this size on the way.
bool unpacks_instead(const Problem& problem, Direction direction, Bits element) {
    return direction == Direction::load && element == Bits{4} &&
           lacking(problem, *matrix_form(direction, 1, true, byte_of_register)).empty();
}

}  // namespace

std::optional<Direction> matrix_direction(const Problem& problem, const Copy& copy) {
    const Space src = problem.buffer(copy.src).space, dst = problem.buffer(copy.dst).space;
    if (src == Space::shared && dst == Space::registers) return Direction::load;
    if (src == Space::registers && dst == Space::shared) return Direction::store;
    return std::nullopt;
}

std::string ldstmatrix_gate(const Problem& problem, const Copy& copy) {
    const Buffer& src = problem.buffer(copy.src);
    const std::optional<Direction> direction = matrix_direction(problem, copy);
    if (!direction)
        return fmt::format("ldmatrix copies from shared memory to registers, stmatrix back, and neither from {} to {}",
                           to_string(src.space), to_string(problem.buffer(copy.dst).space));
    if (copy.zero_fill) return "matrix instructions bring whole matrices, and the copy fills with zeros";
    const MatrixForm& form = *matrix_form(*direction, 1, false);
    if (const std::string lacks = lacking(problem, form); !lacks.empty()) return name_of(form) + " " + lacks;
    const Participants who = participants(copy, problem.launch);
    if (who.first % warp_threads != 0 || who.count % warp_threads != 0)
        return fmt::format("{} is done by whole warps, and the copy by threads {} to {}", name_of(form), who.first,
                           who.first + who.count - 1);
    if (ends_at_symbols(copy.src.region))
        return fmt::format("{} is run by all lanes of a warp, and where the region ends depends on symbols", name_of(form));
    if (!keeps_whole(form, src.dtype.size))
        return fmt::format("{} puts 32 bits of a row into a thread, and elements have {}", name_of(form), src.dtype.size.count);
    return {};
}

MatrixAttempt solve_matrices(smt::Session& z3, const Problem& problem, const Copy& copy) {
    MatrixAttempt out;
    out.solution.name = copy.name;
    const std::vector<Values> samples = is_symbolic(problem, copy) ? telling_values(problem, copy) : std::vector<Values>{};
    if ((out.solution.rejection = register_rejection(problem, copy)) ||
        (out.solution.rejection = rejected_at_a_sample(problem, copy, samples)))
        return out;
    const Direction direction = *matrix_direction(problem, copy);
    const Bits element = problem.buffer(copy.src).dtype.size;
    std::vector<std::string> reasons;
    for (const auto& [transposed, unit] : {std::pair{false, half_register}, {true, half_register}, {true, byte_of_register}}) {
        if (unit == byte_of_register && element > unit) continue;  // torn by larger units already
        std::string reason;
        for (const int matrices : {4, 2, 1}) {
            const MatrixForm* const form = matrix_form(direction, matrices, transposed, unit);
            if (form == nullptr) continue;
            if (!keeps_whole(*form, element)) {
                reason = fmt::format("{} would tear elements of {} bits apart", name_of(*form), element.count);
                break;
            }
            std::optional<CopyPlan> plan = plan_matrices(problem, copy, *form, reason);
            if (!plan) continue;
            // Rows are the same however many matrices an instruction has: fewer do not help.
            const auto [fault, is_open] = judge_rows(z3, problem, copy, *form, *plan, samples);
            if (fault && fault->kind == RowFault::Kind::fragment) {
                reason = fault->text;
                break;
            }
            const std::string lacks = lacking(problem, *form);
            if (fault && (fault->kind == RowFault::Kind::warp || lacks.empty())) {
                out.why_not = fault->text;
            } else if (!lacks.empty()) {
                out.why_not = fmt::format("{} is the fragment of {}, which {}",
                                          problem.buffer(operand(copy, *register_side(problem, copy))).name, name_of(*form), lacks);
            } else if (is_open) {
                out.why_not = fmt::format("whether each row is whole and aligned to {} bytes for all values of the symbols is not decided",
                                          to_bytes(matrix_row_width).count);
            } else {
                out.solution.plan = std::move(plan);
                out.solution.width = matrix_row_width;
            }
            return out;
        }
        // What the target does not have is of interest only if it would fit.
        if (!lacking(problem, *matrix_form(direction, 1, transposed, unit)).empty()) continue;
        if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
    if (unpacks_instead(problem, direction, element)) reasons.push_back("ldmatrix with .b4x16_p64 unpacks 4 bits to 8, which is no copy");
    out.why_not = fmt::format("{}", fmt::join(reasons, "; "));
    return out;
}

}  // namespace tileproof
