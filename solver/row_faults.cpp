#include "solver/row_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"
#include "solver/least_values.hpp"
#include "solver/register_samples.hpp"
#include "solver/smt_symbols.hpp"

namespace tileproof {
namespace {

/// The rows of a plan for one form, one after the other.
class Rows {
public:
    Rows(const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan)
        : problem_(problem),
          copy_(copy),
          form_(form),
          box_(plan.box),
          segment_(plan.segments.front()),
          held_(*register_side(problem, copy)),
          stored_(opposite(held_)),
          memory_(problem.buffer(operand(copy, stored_))),
          file_(on_register_file(problem, copy)) {}

    /// `are_known`: the threads hold the fragment, and what tears a row is where it begins.
    std::optional<RowFault> first_fault(bool are_known) const {
        std::optional<RowFault> misaligned, torn;  // where it begins counts only if the threads hold what they should
        for (std::int64_t round = 0; round < segment_.outer; ++round) {
            for (std::int64_t first = 0; first < segment_.threads; first += warp_threads) {
                const std::int64_t running = lanes_that_run(round, first);
                if (running == 0) continue;
                if (running < warp_threads)
                    return RowFault{RowFault::Kind::warp,
                                    fmt::format("of the warp of thread {}, {} threads have nothing to move, and all have to take part",
                                                first, warp_threads - running)};
                for (int lane = 0; lane < form_.matrices * form_.rows; ++lane) {
                    const Row row{round, first, supplied_row(form_, lane)};
                    if (!torn) torn = torn_row(row);
                    if (torn && !are_known) return torn;
                    if (!misaligned) misaligned = misaligned_row(row);
                }
            }
        }
        if (!misaligned && torn) return RowFault{RowFault::Kind::address, std::move(torn->text)};
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
        for (std::int64_t lane = 0; lane < warp_threads; ++lane)
            out += is_active(segment_, digits_at(segment_, round, first + lane, 0)) ? 1 : 0;
        return out;
    }

    MatrixPlace place(const Row& row, int n) const { return held_at(form_, row.of, n, memory_.dtype.size); }
    Digits digits(const Row& row, int n) const {
        return digits_at(segment_, row.round, row.first + place(row, n).lane, place(row, n).element);
    }

    std::optional<RowFault> torn_row(const Row& row) const {
        const std::int64_t start = planned_offset(segment_, stored_, digits(row, 0));
        for (int n = 1; n < elements_of_row(memory_.dtype.size); ++n) {
            if (planned_offset(segment_, stored_, digits(row, n)) == start + n) continue;
            const std::string& registers = problem_.buffer(operand(copy_, held_)).name;
            const std::string behind = fmt::format("{} element{} behind {}", n, n == 1 ? "" : "s", element(digits(row, 0)));
            const std::string other = element(digits(row, n));
            const std::int64_t thread = row.first + place(row, n).lane;
            return RowFault{RowFault::Kind::fragment, form_.direction == Direction::load
                                                          ? fmt::format("{} brings what lies {} to thread {}, where {} wants {}",
                                                                        name_of(form_), behind, thread, registers, other)
                                                          : fmt::format("{} takes what goes {} from thread {}, where {} has {}",
                                                                        name_of(form_), behind, thread, registers, other)};
        }
        return std::nullopt;
    }

    std::optional<RowFault> misaligned_row(const Row& row) const {
        if (!memory_.base && to_bits(memory_.align) < matrix_row_width)
            return RowFault{RowFault::Kind::address, fmt::format("rows are accesses of {} bytes, and the base of {} is aligned to {}",
                                                                 to_bytes(matrix_row_width).count, memory_.name, memory_.align.count)};
        const Bits at = to_bits(memory_.base.value_or(Bytes{0})) +
                        to_bits(Elements{planned_offset(segment_, stored_, digits(row, 0))}, memory_.dtype.size);
        if (at % matrix_row_width == Bits{0}) return std::nullopt;
        return RowFault{RowFault::Kind::address, fmt::format("thread {} in round {} would supply the address of a row at {}, {}",
                                                             row.first + supplier(form_, row.of), row.round, element(digits(row, 0)),
                                                             address_text(at, matrix_row_width))};
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

/// What holds of the rows of all warps and rounds, whatever the symbols are.
class SymbolicRows {
public:
    SymbolicRows(const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan)
        : form_(form),
          segment_(plan.segments.front()),
          stored_(*memory_side(problem, copy)),
          memory_(problem.buffer(operand(copy, stored_))) {}

    /// Each in one piece before the swizzle: a digit of a warp or round moves all of a row alike.
    bool are_whole() const {
        for (int row = 0; row < count(); ++row)
            for (int i = 1; i < elements_of_row(element()); ++i)
                if (!(offset(row, i) - offset(row, 0) == Expression(i))) return false;
        return true;
    }

    /// If they begin at multiples of their elements: then a chunk holds a row, and moves as a whole.
    bool stay_whole() const {
        const Swizzle& swizzle = memory_.layout.swizzle;
        const std::int64_t n = elements_of_row(element());
        return swizzle.is_identity() || (residue() % n == 0 && (std::int64_t{1} << swizzle.base_log2) % n == 0);
    }

    /// What has to be a multiple of the elements of a row: where the first begins, and each step to another.
    Multiples begins(const std::vector<Fact>& facts) const {
        Multiples out{{offset(0, 0).plus(residue())}, facts};
        const auto add = [&](const Expression& step) {
            const bool is_known =
                std::any_of(out.expressions.begin(), out.expressions.end(), [&](const Expression& one) { return one == step; });
            if (!is_known) out.expressions.push_back(step);
        };
        for (int row = 1; row < count(); ++row) add(offset(row, 0) - offset(0, 0));
        std::int64_t threads = 1;  // below the digit
        for (int place = 0; const Digit* digit = digit_at(segment_, Role::thread, place); ++place) {
            const std::int64_t in_warp = std::clamp<std::int64_t>(warp_threads / threads, 1, digit->extent);
            if (digit->extent > in_warp) add(stride(*digit).times(in_warp));
            threads *= digit->extent;
        }
        for (const Digit& digit : segment_.digits)
            if (digit.role == Role::outer && digit.extent > 1) add(stride(digit));
        return out;
    }

private:
    Bits element() const { return memory_.dtype.size; }
    int count() const { return form_.matrices * form_.rows; }
    std::int64_t residue() const { return to_bits(memory_.base.value_or(Bytes{0})) / element(); }
    const AddressPlan& address() const { return segment_.side(stored_).address; }
    const Expression& stride(const Digit& digit) const { return address().strides[index_of(segment_, digit)]; }

    /// Of element n of a row of the first warp, in the first round.
    Expression offset(int row, int n) const {
        const MatrixPlace place = held_at(form_, {row / form_.rows, row % form_.rows}, n, element());
        const std::vector<std::int64_t> digits = digits_at(segment_, 0, place.lane, place.element);
        Expression out = address().offset;
        for (std::size_t i = 0; i < digits.size(); ++i) out = out + address().strides[i].times(digits[i]);
        return out;
    }

    const MatrixForm& form_;
    const Segment& segment_;
    Side stored_;
    const Buffer& memory_;
};

std::optional<RowFault> fault_at(const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan,
                                 const Values& values, bool are_known) {
    const Problem one = copy_at(problem, copy, values);
    const std::optional<CopyPlan> there = at(plan, problem, copy, values);
    if (!there || !moves_something(one)) return std::nullopt;
    std::optional<RowFault> out = Rows(one, one.copies[0], form, *there).first_fault(are_known);
    if (out) out->text = "with " + to_string(values, problem.symbols) + ": " + out->text;
    return out;
}

}  // namespace

std::string name_of(const MatrixForm& form) {
    const std::string shape = form.unit == half_register ? "" : form.direction == Direction::load ? ".m16n16" : ".m16n8";
    return (form.direction == Direction::load ? "ldmatrix" : "stmatrix") + shape + (form.transposed ? ".trans" : "");
}

RowAnswer judge_rows(smt::Session& z3, const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan,
                     const std::vector<Values>& samples) {
    if (!is_symbolic(problem, copy)) return {Rows(problem, copy, form, plan).first_fault(false)};
    const SymbolicRows rows(problem, copy, form, plan);
    const bool are_whole = rows.are_whole();
    RowAnswer out;
    for (const Values& values : samples) {
        std::optional<RowFault> found = fault_at(problem, copy, form, plan, values, are_whole);
        if (!found || (out.fault && found->kind != RowFault::Kind::fragment)) continue;
        out.fault = std::move(found);
        if (out.fault->kind == RowFault::Kind::fragment) break;
    }
    if (out.fault) return out;
    const Buffer& memory = problem.buffer(problem.buffer(copy.src).space == Space::registers ? copy.dst : copy.src);
    out.is_open = !are_whole || !rows.stay_whole() || (!memory.base && to_bits(memory.align) < matrix_row_width);
    if (out.is_open) return out;
    const Multiples begins = rows.begins(problem.facts);
    const std::int64_t n = elements_of_row(memory.dtype.size);
    const smt::Outcome misaligned = smt::some_misaligned(smt::asking(z3), begins.expressions, n, problem.symbols, begins.facts);
    if (misaligned.answer == smt::Answer::unsat) return out;
    if (misaligned.answer == smt::Answer::sat)
        out.fault =
            fault_at(problem, copy, form, plan, least_misaligned(problem.symbols, begins, n).value_or(misaligned.values), are_whole);
    out.is_open = !out.fault;
    return out;
}

}  // namespace tileproof
