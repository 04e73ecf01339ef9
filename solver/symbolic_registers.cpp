#include "solver/symbolic_registers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/box.hpp"
#include "layouts/filling.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/least_values.hpp"
#include "solver/refusal.hpp"
#include "solver/register_plan.hpp"
#include "solver/register_refusal.hpp"
#include "solver/register_samples.hpp"
#include "solver/smt_symbols.hpp"

namespace tileproof {
namespace {

class SymbolicRegisters {
public:
    SymbolicRegisters(smt::Session& z3, const Problem& problem, const Copy& copy)
        : z3_(z3),
          problem_(problem),
          copy_(copy),
          stored_(*memory_side(problem, copy)),
          memory_(problem.buffer(operand(copy, stored_))),
          facts_(problem.facts),
          samples_(telling_values(problem, copy)) {}

    CopySolution solve(const std::vector<Bits>& widths) {
        CopySolution out;
        out.name = copy_.name;
        if ((out.rejection = register_rejection(problem_, copy_)) || (out.rejection = rejected_at_a_sample(problem_, copy_, samples_)))
            return out;
        for (const auto& [dim, extent] : copy_.src.region.symbolic_extent)
            for (const Expression& below : bounds_of(copy_.src.region, dim)) facts_.push_back({{below}, Comparison::greater_equal, {1}});
        bool is_planned = true;
        for (const Bits width : widths) {
            if (width < memory_.dtype.size) break;
            if (auto early = early_refusal(problem_, copy_, width)) {
                out.refused.push_back(std::move(*early));
                continue;
            }
            std::optional<CopyPlan> plan = plan_registers(problem_, copy_, width);
            std::optional<Refusal> refused;
            const bool is_legal = plan ? judge(*plan, width, refused) : refused_at_a_sample(width, refused);
            if (refused) {
                out.refused.push_back(std::move(*refused));
            } else if (is_legal && plan) {
                out.width = width;
                out.plan = std::move(plan);
                return out;
            } else if (out.undecided.empty()) {
                out.undecided = fmt::format("whether {} bits are legal for all values of the symbols", width.count);
            }
            is_planned = plan.has_value();
        }
        if (!is_planned && !out.undecided.empty()) {  // not even elements one by one
            out.undecided.clear();
            out.rejection = no_digits_of(copy_);
        }
        return out;
    }

private:
    bool has_predicate() const { return !copy_.src.region.clipped.empty(); }

    /// What runs, whether it reads or not.
    Problem grouped_at(const Values& values) const {
        const Problem one = at(problem_, values);
        return grouped_part(one, one.copies[static_cast<std::size_t>(&copy_ - problem_.copies.data())]);
    }
    std::string with(const Values& values) const { return problem_.symbols.empty() ? "" : "with " + to_string(values, problem_.symbols); }

    std::optional<Refusal> refusal_at(const Values& values, Bits width) const {
        const Problem one = copy_at(problem_, copy_, values);
        if (!moves_something(one)) return std::nullopt;
        std::optional<Refusal> out = find_register_refusal(one, one.copies[0], width);
        if (!out && copy_.zero_fill) {
            const Problem whole = grouped_at(values);
            out = find_register_refusal(whole, whole.copies[0], width);
        }
        if (!out) return std::nullopt;
        if (!problem_.symbols.empty()) out->text = with(values) + ": " + out->text;
        if (out->witness) out->witness->symbols = values;
        return out;
    }

    /// False: it may be legal all the same. Without symbols there is one sample, and it decides.
    bool refused_at_a_sample(Bits width, std::optional<Refusal>& refused) const {
        for (const Values& values : samples_)
            if ((refused = refusal_at(values, width))) break;
        return !refused && !samples_.empty() && problem_.symbols.empty();
    }

    /// Whether the width is legal for all values; if not, perhaps with an example.
    bool judge(const CopyPlan& plan, Bits width, std::optional<Refusal>& refused) {
        const std::int64_t n = width / memory_.dtype.size;
        for (const Multiples& one : multiples(plan)) {
            const smt::Outcome fault = smt::some_misaligned(smt::asking(z3_), one.expressions, n, problem_.symbols, one.facts);
            if (fault.answer == smt::Answer::unsat) continue;
            if (fault.answer == smt::Answer::sat)
                refused = refusal_at(least_misaligned(problem_.symbols, one, n).value_or(fault.values), width);
            return false;
        }
        const Swizzle& swizzle = memory_.layout.swizzle;
        const std::int64_t residue = to_bits(memory_.base.value_or(Bytes{0})) / memory_.dtype.size;
        const auto runs_back = [](const Digit& d) {
            return d.role == Role::vec && d.weight < 0;
        };  // then a bound at lane 0 says nothing of the others
        if (has_predicate() && std::any_of(plan.segments[0].digits.begin(), plan.segments[0].digits.end(), runs_back))
            return refused_at_a_sample(width, refused);
        const bool keeps_runs = n == 1 || swizzle.is_identity() || (residue % n == 0 && (std::int64_t{1} << swizzle.base_log2) % n == 0);
        if (!keeps_runs) return refused_at_a_sample(width, refused);
        // Runs, and which registers they are, are now the same for all values: what one says of them all say.
        if (!samples_.empty()) refused = refusal_at(samples_.front(), width);
        return !refused;
    }

    /// What has to be a multiple of the lanes: where the first access lies, each step to another, and the end of what symbols bound, where
    /// that ends within lanes and cuts something off. A step along a bounded dimension is taken only where the bound is above it.
    std::vector<Multiples> multiples(const CopyPlan& plan) const {
        const Segment& segment = plan.segments.front();
        const BoxBounds bounds = *tileproof::bounds(on_register_file(problem_, copy_).copies[0].src.region, plan.box);
        const std::vector<std::int64_t> shape = plan.box.shape();
        const AddressPlan& address = segment.side(stored_).address;
        std::vector<Multiples> out{{{address.offset.plus(to_bits(memory_.base.value_or(Bytes{0})) / memory_.dtype.size)}, facts_}};
        for (std::size_t i = 0; i < segment.digits.size(); ++i) {
            const Digit& digit = segment.digits[i];
            if (digit.extent == 1) continue;
            const auto bound = bounds.find(static_cast<std::size_t>(digit.dim));
            if (digit.role == Role::vec) {
                for (std::size_t k = 0; bound != bounds.end() && k < bound->second.size(); ++k)
                    out.push_back(end_of(segment, bound->second, k, digit.dim, shape[bound->first]));
            } else if (bound == bounds.end() || digit.weight < 0 || segment.start[static_cast<std::size_t>(digit.dim)] < 0) {
                out[0].expressions.push_back(address.strides[i]);
            } else {
                out.push_back({{address.strides[i]}, facts_});
                for (const BoxBound& one : bound->second)
                    out.back().facts.push_back({{one.below}, Comparison::greater_equal, {digit.weight + 1}});
            }
        }
        return out;
    }

    /// Lanes along a dimension count from multiples of their number, so the bound is a multiple of that: in units of which all lanes make up a width.
    Multiples end_of(const Segment& segment, const std::vector<BoxBound>& bounds, std::size_t k, int dim, std::int64_t extent) const {
        const BoxBound& bound = bounds[k];
        std::int64_t lanes = 1;
        for (const Digit& digit : segment.digits) lanes *= digit.role == Role::vec && digit.dim == dim ? digit.extent : 1;
        Multiples out{{bound.below.times(segment.vec / lanes)}, facts_};
        if (bound.clips) out.facts.push_back({{bound.below}, Comparison::less, {extent}});
        add_least(bounds, k, out.facts);
        return out;
    }

    smt::Session& z3_;
    const Problem& problem_;
    const Copy& copy_;
    Side stored_;
    const Buffer& memory_;
    std::vector<Fact> facts_;  // and that the region is not empty
    const std::vector<Values> samples_;
};

}  // namespace

CopySolution solve_symbolic_registers(smt::Session& z3, const Problem& problem, const Copy& copy, const std::vector<Bits>& widths) {
    return SymbolicRegisters(z3, problem, copy).solve(widths);
}

}  // namespace tileproof
