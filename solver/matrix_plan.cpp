#include "solver/matrix_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"
#include "solver/register_plan.hpp"

namespace tileproof {
namespace {

/// A row that the plan does not have as the instruction wants it.
struct Fault {
    enum class Kind { warp, fragment, address };  // a part of a warp moves nothing; the threads hold other elements; the row begins elsewhere
    Kind kind{};
    std::string text;
};

std::string name_of(const MatrixForm& form) {
    const std::string shape = form.unit == half_register ? "" : form.direction == Direction::load ? ".m16n16" : ".m16n8";
    return (form.direction == Direction::load ? "ldmatrix" : "stmatrix") + shape + (form.transposed ? ".trans" : "");
}

/// What the target lacks for this form: "needs sm_90 or later". Empty where it has it.
std::string lacking(const Problem& problem, const MatrixForm& form) {
    const Arch& target = problem.target;
    if (form.is_specific && (target.number < form.least_arch || target.suffix == 0)) return fmt::format("needs sm_{0}a, sm_{0}f or a later target with such a suffix", form.least_arch);
    if (target.number < form.least_arch) return fmt::format("needs sm_{} or later", form.least_arch);
    if (problem.ptx && *problem.ptx < form.least_ptx) return fmt::format("needs PTX {} or later", to_string(form.least_ptx));
    return {};
}

/// The rows of a plan for one form, one after the other.
class Rows {
public:
    Rows(const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan)
        : problem_(problem), copy_(copy), form_(form), box_(plan.box), segment_(plan.segments.front()), held_(*register_side(problem, copy)), stored_(held_ == Side::src ? Side::dst : Side::src),
          memory_(problem.buffer(operand(copy, stored_))), file_(on_register_file(problem, copy)) {}

    std::optional<Fault> first_fault() const {
        std::optional<Fault> misaligned;  // counts only if the threads hold what they should
        for (std::int64_t round = 0; round < segment_.outer; ++round) {
            for (std::int64_t first = 0; first < segment_.threads; first += warp_threads) {
                const std::int64_t running = lanes_that_run(round, first);
                if (running == 0) continue;
                if (running < warp_threads) return Fault{Fault::Kind::warp, fmt::format("of the warp of thread {}, {} threads have nothing to move, and all have to take part", first, warp_threads - running)};
                for (int lane = 0; lane < form_.matrices * form_.rows; ++lane) {
                    const Row row{round, first, supplied_row(form_, lane)};
                    if (auto torn = torn_row(row)) return torn;
                    if (!misaligned) misaligned = misaligned_row(row);
                }
            }
        }
        return misaligned;
    }

private:
    struct Row {
        std::int64_t round, first;  // first: thread of the warp
        MatrixRow of;
    };
    using Digits = std::vector<std::int64_t>;

    std::int64_t lanes_that_run(std::int64_t round, std::int64_t first) const {
        std::int64_t out = 0;
        for (std::int64_t lane = 0; lane < warp_threads; ++lane) out += is_active(segment_, digits_at(segment_, round, first + lane, 0)) ? 1 : 0;
        return out;
    }

    MatrixPlace place(const Row& row, int n) const { return held_at(form_, row.of, n, memory_.dtype.size); }
    Digits digits(const Row& row, int n) const { return digits_at(segment_, row.round, row.first + place(row, n).lane, place(row, n).element); }

    std::optional<Fault> torn_row(const Row& row) const {
        const std::int64_t start = planned_offset(segment_, stored_, digits(row, 0));
        for (int n = 1; n < elements_of_row(memory_.dtype.size); ++n) {
            if (planned_offset(segment_, stored_, digits(row, n)) == start + n) continue;
            const std::string& registers = problem_.buffer(operand(copy_, held_)).name;
            const std::string behind = fmt::format("{} element{} behind {}", n, n == 1 ? "" : "s", element(digits(row, 0)));
            const std::string other = element(digits(row, n));
            const std::int64_t thread = row.first + place(row, n).lane;
            return Fault{Fault::Kind::fragment, form_.direction == Direction::load
                                   ? fmt::format("{} brings what lies {} to thread {}, where {} wants {}", name_of(form_), behind, thread, registers, other)
                                   : fmt::format("{} takes what goes {} from thread {}, where {} has {}", name_of(form_), behind, thread, registers, other)};
        }
        return std::nullopt;
    }

    std::optional<Fault> misaligned_row(const Row& row) const {
        if (!memory_.base && to_bits(memory_.align) < matrix_row_width)
            return Fault{Fault::Kind::address, fmt::format("rows are accesses of {} bytes, and the base of {} is aligned to {}", to_bytes(matrix_row_width).count, memory_.name, memory_.align.count)};
        const Bits at = to_bits(memory_.base.value_or(Bytes{0})) + to_bits(Elements{planned_offset(segment_, stored_, digits(row, 0))}, memory_.dtype.size);
        if (at % matrix_row_width == Bits{0}) return std::nullopt;
        return Fault{Fault::Kind::address, fmt::format("thread {} in round {} would supply the address of a row at {}, {}", row.first + supplier(form_, row.of), row.round, element(digits(row, 0)), address_text(at, matrix_row_width))};
    }

    /// As[0,8]
    std::string element(const Digits& digits) const {
        std::vector<std::int64_t> at = logical_coordinate(file_.copies[0], stored_, box_, coordinate(segment_, digits));
        at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(operand(copy_, stored_).region.extent.size()));  // without replicas
        return fmt::format("{}[{}]", memory_.name, fmt::join(at, ","));
    }

    const Problem& problem_;
    const Copy& copy_;
    const MatrixForm& form_;
    const Box& box_;
    const Segment& segment_;
    Side held_, stored_;
    const Buffer& memory_;
    const Problem file_;
};

/// Whether the target has the forms that widen elements of this size on the way.
bool unpacks_instead(const Problem& problem, Direction direction, Bits element) {
    return direction == Direction::load && element == Bits{4} && lacking(problem, *matrix_form(direction, 1, true, byte_of_register)).empty();
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
        return fmt::format("ldmatrix copies from shared memory to registers, stmatrix back, and neither from {} to {}", to_string(src.space), to_string(problem.buffer(copy.dst).space));
    if (copy.zero_fill) return "matrix instructions bring whole matrices, and the copy fills with zeros";
    if (is_symbolic(problem, copy)) return fmt::format("the shared side depends on symbols, and this version plans {} for numbers", *direction == Direction::load ? "ldmatrix" : "stmatrix");
    const MatrixForm& form = *matrix_form(*direction, 1, false);
    if (const std::string lacks = lacking(problem, form); !lacks.empty()) return name_of(form) + " " + lacks;
    const Participants who = participants(copy, problem.launch);
    if (who.first % warp_threads != 0 || who.count % warp_threads != 0)
        return fmt::format("{} is done by whole warps, and the copy by threads {} to {}", name_of(form), who.first, who.first + who.count - 1);
    if (!keeps_whole(form, src.dtype.size)) return fmt::format("{} puts 32 bits of a row into a thread, and elements have {}", name_of(form), src.dtype.size.count);
    return {};
}

MatrixAttempt solve_matrices(const Problem& problem, const Copy& copy) {
    MatrixAttempt out;
    out.solution.name = copy.name;
    if ((out.solution.rejection = register_rejection(problem, copy))) return out;
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
            const std::optional<Fault> fault = Rows(problem, copy, *form, *plan).first_fault();
            if (fault && fault->kind == Fault::Kind::fragment) {
                reason = fault->text;
                break;
            }
            const std::string lacks = lacking(problem, *form);
            if (fault && (fault->kind == Fault::Kind::warp || lacks.empty())) {
                out.why_not = fault->text;
            } else if (!lacks.empty()) {
                out.why_not = fmt::format("{} is the fragment of {}, which {}", problem.buffer(operand(copy, *register_side(problem, copy))).name, name_of(*form), lacks);
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
