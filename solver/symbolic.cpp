#include "solver/symbolic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "layouts/box.hpp"
#include "layouts/filling.hpp"
#include "layouts/grid.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/symbolic.hpp"
#include "solver/blocks.hpp"
#include "solver/cut.hpp"
#include "solver/least_values.hpp"
#include "solver/partition.hpp"
#include "solver/refusal.hpp"
#include "solver/smt_symbols.hpp"
#include "solver/tails.hpp"
#include "solver/width.hpp"

namespace tileproof {
namespace {

constexpr std::size_t few = 8;                                  // samples where each is looked at element by element
constexpr std::size_t most_further = 64;                        // and where they do not decide
constexpr std::int64_t most_looked_at = std::int64_t{1} << 20;  // elements in those

class SymbolicCopy {
public:
    SymbolicCopy(smt::Session& z3, const Problem& problem, const Copy& copy, bool is_async)
        : z3_(z3), problem_(problem), copy_(copy), alone_(*isolated(problem, copy)), facts_(problem.facts), is_async_(is_async) {
        samples_ = telling(sample_values(problem, few));
    }

    CopySolution solve(const std::vector<Bits>& widths, const Forms& forms) {
        CopySolution out;
        out.name = copy_.name;
        box_ = canonical_box(alone_, alone_.copies[0]);
        if (!box_) {
            out.undecided = "how to plan a region that cuts across a layout with symbols, or whose symbolic extent goes around a bend";
            return out;
        }
        for (const auto& [dim, bounds] : box_->bounds)
            for (const BoxBound& bound : bounds) facts_.push_back({{bound.below}, Comparison::greater_equal, {1}});
        if ((out.rejection = overlap())) return out;
        const Bits element = problem_.buffer(copy_.src).dtype.size;
        for (const Bits width : widths) {
            if (width < element) break;
            if (auto early = early_refusal(problem_, copy_, width)) {
                out.refused.push_back(std::move(*early));
                continue;
            }
            std::optional<Refusal> refused;
            const Legality legality = judge(width, refused);
            if (legality == Legality::refused) {
                out.refused.push_back(std::move(*refused));
            } else if (legality == Legality::undecided) {
                if (out.undecided.empty())
                    out.undecided = fmt::format("whether {} bits are legal for all values of the symbols", width.count);
            } else {
                out.width = width;
                out.plan = partition(z3_, alone_, alone_.copies[0], *box_, width);
                if (!out.plan) out.undecided = "the partition over the threads";
                if (out.plan && copy_.src.buffer != copy_.dst.buffer) {
                    if (!forms.single) try_several(widths, out);
                    const IsMultiple is_multiple = [this](const Expression& e, std::int64_t n) {
                        return smt::some_misaligned(smt::asking(z3_), {e}, n, problem_.symbols, facts_).answer == smt::Answer::unsat;
                    };
                    if (forms.blocks) try_blocks(z3_, alone_, alone_.copies[0], *box_, widths, is_multiple, out);
                }
                if (out.plan && copy_.zero_fill) fill(*out.plan);
                break;
            }
        }
        return out;
    }

private:
    /// Bounds are where zeros begin. cp.async can begin them between the lanes of an access.
    void fill(CopyPlan& plan) {
        for (Segment& segment : plan.segments) {
            for (const auto& [dim, bounds] : box_->bounds) {
                for (std::size_t k = 0; k < bounds.size(); ++k) {
                    const BoxBound& end = bounds[k];
                    if (!end.clips) continue;  // of all that is filled
                    const auto same = [&, at = dim](const Bound& one) { return one.dim == static_cast<int>(at) && one.below == end.below; };
                    const auto found = std::find_if(segment.predicate.begin(), segment.predicate.end(), same);
                    if (found == segment.predicate.end() || found->beyond != Beyond::nothing)
                        continue;  // before tails it may have no bound, and with them another one
                    found->beyond =
                        run_dimension(*box_, segment.vec) == dim && !ends_between(dim, k, segment.vec) ? Beyond::zero_lanes : Beyond::zeros;
                }
            }
        }
    }

    /// Whether a bound along `dim`, where it cuts something off, is a multiple of n.
    bool ends_between(std::size_t dim, std::size_t k, std::int64_t n) {
        const Multiples end = end_of(dim, k);
        return smt::some_misaligned(smt::asking(z3_), end.expressions, n, problem_.symbols, end.facts).answer == smt::Answer::unsat;
    }

    bool may_split_lanes() const { return copy_.zero_fill && is_async_ && problem_.buffer(copy_.src).dtype.size >= Bits{8}; }

    /// cp.async has zeros in any lanes of an access, but for parts of bytes.
    void try_several(const std::vector<Bits>& widths, CopySolution& out) {
        const PlaceInBlock place = [this](std::size_t dim, std::int64_t n) { return place_in_block(dim, n); };
        std::optional<CopyPlan> several = cut(z3_, alone_, alone_.copies[0], *box_, widths, *out.plan, place);
        if (!several && !(copy_.zero_fill && is_async_))
            several = with_tails(z3_, alone_, alone_.copies[0], *box_, widths, *out.plan, place);
        if (!several) return;
        out.single_rounds = out.plan->segments.front().outer;
        out.plan = std::move(several);
    }

    /// As of a concrete copy, for all values of the symbols: strides, and what they add to an offset, are multiples.
    std::optional<std::int64_t> place_in_block(std::size_t dim, std::int64_t n) {
        std::optional<std::int64_t> out;
        const std::vector<std::int64_t> shape = box_->box.shape();
        for (const Side side : both_sides) {
            const Buffer& buffer = problem_.buffer(operand(copy_, side));
            if (!keeps_blocks(buffer, n, shape, box_->side(side))) return std::nullopt;
            const Expression offset = box_->side(side).offset.plus(to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size);
            const std::int64_t constant = offset.coefficient({}), place = (constant % n + n) % n;
            std::vector<Expression> multiples{offset.plus(-place)};
            for (std::size_t i = 0; i < shape.size(); ++i)
                if (i != dim && shape[i] > 1) multiples.push_back(box_->side(side).strides[i]);
            if (smt::some_misaligned(smt::asking(z3_), multiples, n, problem_.symbols, facts_of(side)).answer != smt::Answer::unsat)
                return std::nullopt;
            if (out && *out != place) return std::nullopt;
            out = place;
        }
        return out;
    }

    /// Two elements in one place, at a sample of the symbols. (That there are none for all values is the verifier's to prove.)
    std::optional<Diagnostic> overlap() {
        for (const Values& values : samples_) {
            const Problem one = copy_.zero_fill ? whole_at(values) : at(alone_, values);
            const std::optional<CanonicalBox> box = canonical_box(one, one.copies[0]);
            if (!box) continue;
            Overlap found = destination_overlap(z3_, one, one.copies[0], *box);
            if (found.answer != Overlap::found) continue;
            found.diagnostic.text += ", with " + to_string(values, problem_.symbols);
            return found.diagnostic;
        }
        return std::nullopt;
    }

    /// Whether the copy moves something, inside its layouts: what is outside is for `bounds` to refute.
    static bool is_something(const Problem& one) {
        const Copy& copy = one.copies[0];
        return moved(copy) >= Elements{1} && std::all_of(both_sides.begin(), both_sides.end(), [&](Side side) {
                   const Operand& op = operand(copy, side);
                   return is_inside(one.buffer(op).layout, op.region) && least_offset(one.buffer(op).layout, op.region) >= 0;
               });
    }

    /// Those at which something is moved, the least first.
    std::vector<Values> telling(std::vector<Values> samples) const {
        const auto is_idle = [&](const Values& values) { return !copy_.zero_fill && !is_something(at(alone_, values)); };
        std::erase_if(samples, is_idle);
        std::sort(samples.begin(), samples.end());
        return samples;
    }

    std::size_t number() const { return static_cast<std::size_t>(&copy_ - problem_.copies.data()); }
    /// What runs, whether it reads or not.
    Problem whole_at(const Values& values) const {
        const Problem one = at(problem_, values);
        return whole_part(one, one.copies[number()]);
    }

    std::optional<Refusal> refusal_at(const Values& values, Bits width) const {
        const Problem one = at(problem_, values);  // where coordinates count from the region's own start
        std::optional<Refusal> out;
        if (!copy_.zero_fill) {
            if (is_something(at(alone_, values))) out = find_refusal(one, one.copies[number()], width);
        } else {
            const Problem moved = moved_part(one, one.copies[number()]), whole = whole_part(one, one.copies[number()]);
            if (!may_split_lanes() && is_something(moved)) out = find_refusal(moved, moved.copies[0], width);
            if (!out) out = find_refusal(whole, whole.copies[0], width);
        }
        if (!out) return std::nullopt;
        if (!problem_.symbols.empty()) out->text = "with " + to_string(values, problem_.symbols) + ": " + out->text;
        if (out->witness) out->witness->symbols = values;
        return out;
    }

    /// By samples: refused, or not. Where they are all values that there are, and the width can be planned, what none refuses is legal.
    Legality judge_at_samples(Bits width, bool can_be_planned, std::optional<Refusal>& refused) {
        const auto is_refused_at = [&](const Values& values) { return (refused = refusal_at(values, width)).has_value(); };
        if (std::any_of(samples_.begin(), samples_.end(), is_refused_at)) return Legality::refused;
        look_further();
        if (std::any_of(further_->begin(), further_->end(), is_refused_at)) return Legality::refused;
        return can_be_planned && further_are_all_ ? Legality::legal : Legality::undecided;
    }

    /// More samples: all values, if they are few.
    void look_further() {
        if (further_) return;
        const auto most =
            static_cast<std::size_t>(std::min<std::int64_t>(most_further, most_looked_at / std::max<std::int64_t>(1, moved(copy_).count)));
        std::optional<std::vector<Values>> all = all_values(problem_, most);
        further_are_all_ = all.has_value();
        further_ = telling(all ? std::move(*all) : sample_values(problem_, most));
    }

    Legality judge(Bits width, std::optional<Refusal>& refused) {
        const std::int64_t n = width / problem_.buffer(copy_.src).dtype.size;
        const std::optional<std::size_t> run = run_dimension(*box_, n);
        if (n > 1 && !run) return judge_at_samples(width, false, refused);
        bool is_open = false;  // something is misaligned, and the values that show it refuse nothing: others may
        for (const Side side : both_sides) {
            const Buffer& buffer = problem_.buffer(operand(copy_, side));
            const std::int64_t residue = to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size;
            for (const Multiples& one : multiples(side, run)) {
                const smt::Outcome fault = smt::some_misaligned(smt::asking(z3_), one.expressions, n, problem_.symbols, one.facts);
                if (fault.answer == smt::Answer::unknown) return Legality::undecided;
                if (fault.answer == smt::Answer::unsat) continue;
                refused = refusal_at(least_misaligned(problem_.symbols, one, n).value_or(fault.values), width);
                if (refused) return Legality::refused;
                is_open = true;
            }
            const Swizzle& swizzle = buffer.layout.swizzle;
            const bool keeps_runs =
                n == 1 || swizzle.is_identity() || (residue % n == 0 && (std::int64_t{1} << swizzle.base_log2) % n == 0);
            if (!keeps_runs) return judge_at_samples(width, !may_split_lanes(), refused);
        }
        return is_open ? judge_at_samples(width, true, refused) : Legality::legal;
    }

    /// Where zeros are written, and where cp.async runs without reading, accesses run although the part to be moved is empty.
    bool runs_always(Side side) const { return copy_.zero_fill && (side == Side::dst || is_async_); }
    /// What holds where accesses of this side run.
    const std::vector<Fact>& facts_of(Side side) const { return runs_always(side) ? problem_.facts : facts_; }

    /// Where the first run lies, each step to another, and the end of a region that symbols bound. A step along a bounded dimension is
    /// taken only where that has two places; where zeros are written, or cp.async runs without reading, it is taken always.
    std::vector<Multiples> multiples(Side side, std::optional<std::size_t> run) const {
        const Buffer& buffer = problem_.buffer(operand(copy_, side));
        const BoxSide& box = box_->side(side);
        const std::vector<std::int64_t> shape = box_->box.shape();
        std::vector<Multiples> out{{{box.offset.plus(to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size)}, facts_of(side)}};
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const auto bound = box_->bounds.find(i);
            const bool is_bounded = bound != box_->bounds.end();
            if (run == i) {
                for (std::size_t k = 0; is_bounded && k < bound->second.size(); ++k)
                    if (!may_split_lanes() || !bound->second[k].clips) out.push_back(end_of(i, k));
            } else if (is_bounded && !runs_always(side)) {
                out.push_back({{box.strides[i]}, facts_});
                for (const BoxBound& one : bound->second) out.back().facts.push_back({{one.below}, Comparison::greater_equal, {2}});
            } else if (shape[i] > 1) {
                out[0].expressions.push_back(box.strides[i]);
            }
        }
        return out;
    }

    /// A bound along a dimension, where it cuts something off.
    Multiples end_of(std::size_t dim, std::size_t k) const {
        const std::vector<BoxBound>& bounds = box_->bounds.at(dim);
        Multiples out{{bounds[k].below}, facts_};
        if (bounds[k].clips) out.facts.push_back({{bounds[k].below}, Comparison::less, {box_->box.shape()[dim]}});
        add_least(bounds, k, out.facts);
        return out;
    }

    smt::Session& z3_;
    const Problem& problem_;
    const Copy& copy_;
    Problem alone_;
    std::vector<Fact> facts_;  // and that the region is not empty
    bool is_async_;
    std::vector<Values> samples_;
    std::optional<std::vector<Values>> further_{};
    bool further_are_all_ = false;
    std::optional<CanonicalBox> box_;
};

}  // namespace

CopySolution solve_symbolic(smt::Session& z3, const Problem& problem, const Copy& copy, const std::vector<Bits>& widths, const Forms& forms,
                            bool is_async) {
    return SymbolicCopy(z3, problem, copy, is_async).solve(widths, forms);
}

}  // namespace tileproof
