#include "verify/symbolic_internal.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/grid.hpp"
#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/smt_symbols.hpp"
#include "verify/blocks_internal.hpp"
#include "verify/definition_internal.hpp"
#include "verify/ends_internal.hpp"
#include "verify/linear_internal.hpp"
#include "verify/matrix_rows_internal.hpp"
#include "verify/registers_internal.hpp"
#include "verify/strides_internal.hpp"
#include "verify/tails_internal.hpp"

namespace tileproof {

bool cannot_overflow(const Problem& problem, const Copy& copy, const CopyPlan& plan) {
    const std::int64_t scale = std::max<std::int64_t>(1, problem.buffer(copy.src).dtype.size / Bits{8});
    for (const Segment& s : plan.segments) {
        for (const Side side : both_sides) {
            const AddressPlan& address = s.side(side).address;
            Wide most = (Wide{1} << address.swizzle.period_log2()) + s.side(side).width.count;
            const auto add = [&](const Expression& e, std::int64_t times) {
                // Every monomial counts with its size: no partial sum or product is larger, in whatever order they are computed.
                for (const Monomial& monomial : e.monomials()) {
                    const Interval range = interval(Expression::product(monomial).times(e.coefficient(monomial)), problem.symbols);
                    most += std::max(range.greatest, -range.least) * times;
                }
            };
            add(address.offset, 1);
            if (s.flat) return false;
            if (s.tail) add(address.tail_stride, plan.box.shape()[static_cast<std::size_t>(s.tail->dim)]);
            for (std::size_t i = 0; i < s.digits.size(); ++i) add(address.strides[i], s.digits[i].extent);
            if (most > max_offset || most * scale >= Wide{1} << (address.index_bits - 1)) return false;  // no plan file may say more
        }
    }
    return true;
}

namespace {

std::size_t index(Side side) { return side == Side::src ? 0 : 1; }
const char* id_of(const char* src, const char* dst, Side side) { return side == Side::src ? src : dst; }

/// The coefficients of one monomial: a problem, a plan and what is proved of them.
struct MonomialProofs {
    Problem problem;
    CopyPlan plan;
    Judge judge;
    LinearProofs proofs;

    MonomialProofs(Inquiry& inquiry, Problem p, CopyPlan c, const std::function<bool(const char*)>& holds)
        : problem(std::move(p)),
          plan(std::move(c)),
          judge(problem, problem.copies[0], plan),
          proofs(inquiry, judge, inquiry.rlimit(), holds) {}
    MonomialProofs(const MonomialProofs&) = delete;
    MonomialProofs& operator=(const MonomialProofs&) = delete;
};

class SymbolicProofs {
public:
    SymbolicProofs(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan)
        : inquiry_(inquiry),
          held_(register_side(problem, copy)),
          names_(names(plan, held_)),
          registers_(held_ ? problem.buffer(operand(copy, *held_)).capacity.count : 0),
          problem_(held_ ? on_register_file(problem, copy) : problem),
          copy_(held_ ? problem_.copies[0] : copy),
          by_rows_(by_rows(on_register_file(problem, copy, plan), memory_side(problem, copy), problem_.buffer(copy_.src).dtype.size)),
          plan_(by_rows_.plan),
          alone_(*isolated(problem_, copy_)),
          bounds_(tileproof::bounds(copy_.src.region, plan_.box)) {
        const auto holds = [this](const char* id) { return proved(id); };
        for (const Monomial& monomial : monomials(alone_, plan_))
            parts_.push_back(
                std::make_unique<MonomialProofs>(inquiry, part(alone_, monomial), part(plan_, copy_.src.region, monomial), holds));
    }
    SymbolicProofs(const SymbolicProofs&) = delete;
    SymbolicProofs& operator=(const SymbolicProofs&) = delete;

    /// Each obligation is decided once; none builds on itself. Proved or unknown.
    const Finding& finding(const char* id) {
        const auto known = findings_.find(id);
        if (known != findings_.end()) return known->second;
        const auto judged = [&] {
            const bool proved = inquiry_.argued([&] { return decide(id); });
            return Finding{id, proved ? Verdict::proved : Verdict::unknown, {is_structural(id) ? "structure" : "smt"}};
        };
        return findings_.emplace(id, inquiry_.about(id, judged)).first->second;
    }

    /// From here on these are the assumptions. What looks at symbols is decided again; `known`, which does not, stays.
    void assume(const std::vector<Symbol>& symbols, const std::vector<Fact>& facts, const std::map<std::string, Finding>& known) {
        problem_.symbols = symbols;
        problem_.facts = facts;
        findings_ = known;
        whole_warps_ = Inquiry::Fact();
        telling_.clear();
    }
    const std::vector<Values>& telling() const { return telling_; }
    bool no_address_overflows() const { return cannot_overflow(problem_, copy_, plan_); }

private:
    struct LinearLayout {
        Expression constant;
        std::vector<Expression> strides;  // by box dimension
    };

    static std::vector<Names> names(const CopyPlan& plan, std::optional<Side> held) {
        std::vector<Names> out;
        for (const Segment& s : plan.segments)
            if (held) out.push_back(names_of(s, *held));
        return out;
    }
    const Buffer& buffer(Side side) const { return alone_.buffers[index(side)]; }
    Bits element() const { return buffer(Side::src).dtype.size; }
    bool is_nonnegative(const Expression& e) { return is_nonnegative(e, problem_.facts); }
    bool is_nonnegative(const Expression& e, const std::vector<Fact>& facts) {
        return smt::nonnegative(inquiry_.asking(), e, problem_.symbols, facts).answer == smt::Answer::unsat;
    }
    /// The same where the proof fails otherwise: values of the symbols that a model has may tell why.
    bool must_be_nonnegative(const Expression& e, const std::vector<Fact>& facts) {
        return is_impossible(smt::nonnegative(inquiry_.asking(), e, problem_.symbols, facts));
    }
    bool is_impossible(const smt::Outcome& found) { return tileproof::is_impossible(found, telling_); }
    bool proved(const char* id) {
        const Finding& found = finding(id);
        if (found.verdict == Verdict::proved) inquiry_.rest_on(found.queries);
        return found.verdict == Verdict::proved;
    }
    MonomialProofs& constant_part() { return *parts_.front(); }

    bool decide(std::string_view id) {
        if (std::any_of(plan_.segments.begin(), plan_.segments.end(), [](const Segment& s) { return s.flat; })) return false;
        if (!by_rows_.fits || !warps_run_whole() || !bounds_ || !ends().are_the_greatest()) return false;
        if (id == "predicate")
            return (!has_tails(plan_) && constant_part().proofs.predicate() && ends().lie_between_accesses()) ||
                   (may_be_of_tails() && tails().stay_inside());
        if (id == "covers")
            return (!has_tails(plan_) && constant_part().proofs.covers() && ends().are_the_bounds()) ||
                   (may_be_of_tails() && tails().cover());
        if (id == "disjoint") return disjoint();
        if (id == "no-alias") return copy_.src.buffer != copy_.dst.buffer;
        if (id == "same-element") return proved("address.src") && proved("address.dst") && proved("contiguous.dst");
        const Side side = id.ends_with(".src") ? Side::src : Side::dst;
        if (id.starts_with("address")) return address(side) || (side == held_ && by_definition(side, &DefinitionProofs::address));
        if (side == held_) return held(id);
        if (id.starts_with("aligned")) return aligned(side) || by_definition(side, &DefinitionProofs::aligned);
        if (id.starts_with("contiguous") && held_) return contiguous(side);
        if (id.starts_with("contiguous")) return contiguous(side) && (side == Side::src || contiguous(Side::src));
        TILEPROOF_CHECK(id.starts_with("bounds"));
        return bounds(side) ||
               (region_is_inside(side) && (has_tails(plan_) ? whole_box_is_inside(side) : by_definition(side, &DefinitionProofs::bounds)));
    }

    /// Then the accesses of the plan by rows are those of its matrix instructions.
    bool warps_run_whole() {
        return inquiry_.once("a warp runs a matrix instruction with all its lanes, and for all its rows, or not at all", whole_warps_, [&] {
            return std::all_of(by_rows_.matrices.begin(), by_rows_.matrices.end(), [&](const MatrixRows& one) {
                return tileproof::warps_run_whole(inquiry_, one, problem_.symbols, problem_.facts);
            });
        });
    }

    bool side_has_symbols(Side side) const {
        const Operand& asked = operand(copy_, side);
        return is_symbolic(problem_.buffer(asked)) || !all_constant(asked.region.start);
    }

    /// What is accessed is lanes at coordinates of the region, each where the layout has it.
    bool moves_lanes_of_the_region(Side side) {
        return proved(id_of("address.src", "address.dst", side)) && proved("predicate") && contiguous(side);
    }

    /// What is seen in the digits of a register side. (It has no base, and its rounds are written out.)
    bool is_structural(std::string_view id) const {
        return held_ && (id == "no-alias" || id == "aligned." + to_string(*held_) || id == "bounds." + to_string(*held_));
    }

    /// Of the register side: its registers are the buffer's, and the same in all threads. Then lane v, in the same place of its access
    /// in each of them, is the same register.
    bool held(std::string_view id) {
        if (id.starts_with("aligned")) return true;
        if (id.starts_with("bounds"))
            return std::all_of(names_.begin(), names_.end(), [&](const Names& one) { return one.least >= 0 && one.greatest < registers_; });
        return std::all_of(names_.begin(), names_.end(), [](const Names& one) { return one.are_the_same_in_all_threads; }) &&
               contiguous(opposite(*held_));
    }

    /// A side without symbols is itself in the part that belongs to none, and its obligations are decided there as always.
    bool is_of_numbers(Side side) const {
        const auto has_symbols = [&](const Segment& s) { return s.tail || is_symbolic(s.side(side).address); };
        return !(side_has_symbols(side) || std::any_of(plan_.segments.begin(), plan_.segments.end(), has_symbols));
    }
    /// Rows of matrices that a swizzle reaches into. Each begins where its first element is; of an access the definition says, in the block that it fills.
    bool has_torn_rows(Side side) {
        for (std::size_t g = 0; g < plan_.segments.size(); ++g)
            if (is_matrix(plan_.segments[g].side(side).instruction) && constant_part().judge.rounds_down(g, side)) return true;
        return false;
    }
    bool by_definition(Side side, Finding (DefinitionProofs::*obligation)(Side)) {
        if (!is_of_numbers(side) || has_torn_rows(side)) return false;
        DefinitionProofs definition(inquiry_, constant_part().judge);
        return (definition.*obligation)(side).verdict == Verdict::proved;
    }

    /// The same of what runs with tails: their lanes have the addresses of the layout, at coordinates of the region. A plan that walks all of the box,
    /// an element at a time, reaches those of the greatest extents.
    bool whole_box_is_inside(Side side) {
        if (side_has_symbols(side) || !moves_lanes_of_the_region(side)) return false;
        const auto& layout = constant_part().proofs.linear_layout(side);
        if (!layout) return false;
        const std::vector<std::int64_t> shape = plan_.box.shape();
        Segment walk;
        walk.start.assign(shape.size(), 0);
        SidePlan& access = walk.src;
        access.width = element();
        access.address.offset = layout->constant;
        access.address.swizzle = buffer(side).layout.swizzle;
        for (std::size_t j = 0; j < shape.size(); ++j) {
            walk.digits.push_back({static_cast<int>(j), 1, shape[j], Role::outer, static_cast<int>(j)});
            walk.outer *= shape[j];
            access.address.strides.emplace_back(layout->strides[j]);
        }
        walk.dst = walk.src;
        CopyPlan all = constant_part().plan;
        all.segments = {std::move(walk)};
        const Judge judge(constant_part().problem, constant_part().problem.copies[0], all);
        return DefinitionProofs(inquiry_, judge).bounds(side).verdict == Verdict::proved;
    }

    /// Whether what runs may depend on symbols otherwise than by the ends of the region.
    bool may_be_of_tails() const {
        return !held_ && (has_tails(plan_) || std::any_of(plan_.segments.begin(), plan_.segments.end(), has_symbolic_bounds));
    }
    EndProofs ends() { return {inquiry_, plan_, *bounds_, problem_.symbols, problem_.facts, telling_}; }
    TailProofs tails() { return {inquiry_, plan_, *bounds_, problem_.symbols, problem_.facts, telling_}; }

    bool address(Side side) {
        if (has_tails(plan_)) {
            const auto swizzles = [&](const Segment& s) { return s.side(side).address.swizzle == buffer(side).layout.swizzle; };
            const std::optional<LinearLayout> layout = assemble(side);
            return layout && std::all_of(plan_.segments.begin(), plan_.segments.end(), swizzles) &&
                   tails().have_addresses(side, layout->constant, layout->strides);
        }
        return std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->proofs.address(side); });
    }

    /// An access that runs stays inside the region, if `predicate` says so: then the region is not empty.
    std::vector<Fact> facts_where_something_runs() {
        std::vector<Fact> out = problem_.facts;
        if (!bounds_->empty() && proved("predicate"))
            for (const auto& [dim, all] : *bounds_)
                for (const BoxBound& bound : all) out.push_back({{bound.below}, Comparison::greater_equal, {1}});
        return out;
    }

    /// Base, offset and every step to another access are multiples of the width.
    bool aligned(Side side) {
        const std::vector<Fact> facts = facts_where_something_runs();
        const Buffer& at = buffer(side);
        const std::int64_t residue = to_bits(at.base.value_or(Bytes{0})) / at.dtype.size;
        if (to_bits(at.base.value_or(at.align)) % element() != Bits{0}) return false;
        for (const Segment& s : plan_.segments) {
            const SidePlan& access = s.side(side);
            const std::int64_t n = access.width / element();
            if (n < 1 || (!at.base && to_bits(at.align) < access.width)) return false;
            const Swizzle& swizzle = access.address.swizzle;
            if (!swizzle.is_identity() && ((std::int64_t{1} << swizzle.base_log2) < n || !constant_part().proofs.swizzle_lemma(swizzle)))
                return false;
            std::vector<Expression> multiples{access.address.offset.plus(residue)};
            if (s.tail) multiples.push_back(access.address.tail_stride.times(s.tail->multiple));
            std::vector<Expression> all = multiples;
            const auto leads_on = [&](std::size_t i) { return !is_lane(s, side, i) && s.digits[i].extent > 1; };
            for (std::size_t i = 0; i < s.digits.size(); ++i) {
                if (!leads_on(i)) continue;
                all.push_back(access.address.strides[i]);
                if (!is_bounded(s, s.digits[i].dim)) multiples.push_back(access.address.strides[i]);
            }
            const auto are_multiples = [&](const std::vector<Expression>& expressions, const std::vector<Fact>& where) {
                return is_impossible(smt::some_misaligned(inquiry_.asking(), expressions, n, problem_.symbols, where));
            };
            if (are_multiples(all, facts)) continue;
            if (all.size() == multiples.size() || !(proved("predicate") && are_multiples(multiples, facts))) return false;
            // What takes a step along a bounded dimension and runs is there: the bound is above the step.
            for (std::size_t i = 0; i < s.digits.size(); ++i) {
                const Digit& digit = s.digits[i];
                if (!leads_on(i) || !is_bounded(s, digit.dim)) continue;
                std::vector<Fact> there = facts;
                for (const BoxBound& bound : bounds_->at(static_cast<std::size_t>(digit.dim)))
                    there.push_back({{bound.below}, Comparison::greater_equal, {digit.weight + 1}});
                if (!are_multiples({access.address.strides[i]}, there)) return false;
            }
        }
        return true;
    }

    /// Whether a symbolic extent bounds this dimension, in which the segment goes forwards from 0 or above.
    bool is_bounded(const Segment& s, int dim) const {
        const auto goes_back = [&](const Digit& d) { return d.dim == dim && d.weight < 0; };
        return bounds_->count(static_cast<std::size_t>(dim)) != 0 && s.start[static_cast<std::size_t>(dim)] >= 0 &&
               std::none_of(s.digits.begin(), s.digits.end(), goes_back);
    }

    /// Lane v lies v elements from the start of its access, whatever the symbols are.
    bool contiguous(Side side) {
        for (const Segment& s : plan_.segments) {
            const SidePlan& access = s.side(side);
            const std::int64_t lanes = lanes_of(s, side);
            if (access.width != to_bits(Elements{lanes}, element())) return false;
            if (const Swizzle& swizzle = access.address.swizzle; !swizzle.is_identity()) {
                // The lanes stay in one chunk, which moves as a whole: it holds them, and they start at a multiple of their number.
                const std::int64_t residue = to_bits(buffer(side).base.value_or(Bytes{0})) / element();
                if ((std::int64_t{1} << swizzle.base_log2) < lanes || !constant_part().proofs.swizzle_lemma(swizzle)) return false;
                if (residue % lanes != 0 || !proved(id_of("aligned.src", "aligned.dst", side))) return false;
            }
            std::int64_t radix = 1;
            for (const std::size_t i : lane_digits(s, side)) {
                if (s.digits[i].extent > 1 && !(access.address.strides[i] == Expression(radix))) return false;
                radix *= s.digits[i].extent;
            }
        }
        return true;
    }

    /// The layout of one side on the box, before the swizzle; nothing where some part is not linear.
    std::optional<LinearLayout> assemble(Side side) {
        LinearLayout out{0, std::vector<Expression>(plan_.box.dims.size(), 0)};
        const std::vector<Monomial> all = monomials(alone_, plan_);
        for (std::size_t m = 0; m < all.size(); ++m) {
            const auto& layout = parts_[m]->proofs.linear_layout(side);
            if (!layout) return std::nullopt;
            const Expression unit = Expression::product(all[m]);
            out.constant = out.constant + unit.times(layout->constant);
            for (std::size_t j = 0; j < out.strides.size(); ++j) out.strides[j] = out.strides[j] + unit.times(layout->strides[j]);
        }
        return out;
    }

    /// The region lies inside the shape, and the box between 0 and the capacity. What is accessed is what the box holds.
    bool bounds(Side side) {
        const std::optional<LinearLayout> layout = assemble(side);
        return layout && moves_lanes_of_the_region(side) &&
               at_all_ends([&](const End& end) { return region_is_inside(side, end.facts) && box_is_inside(side, *layout, end); });
    }
    bool region_is_inside(Side side) {
        return at_all_ends([&](const End& end) { return region_is_inside(side, end.facts); });
    }
    template <class Holds>
    bool at_all_ends(const Holds& holds) {
        const std::optional<std::vector<End>> all = ends().all(facts_where_something_runs());
        return all && std::all_of(all->begin(), all->end(), holds);
    }
    /// Whether the region lies inside the shape where these facts hold.
    bool region_is_inside(Side side, const std::vector<Fact>& facts) {
        const Operand& asked = operand(copy_, side);
        for (std::size_t dim = 0; dim < asked.region.start.size(); ++dim) {
            const Expression& start = asked.region.start[dim];
            const std::int64_t whole = problem_.buffer(asked).layout.shape[dim], stated = asked.region.extent[dim];
            std::vector<Expression> extents = bounds_of(asked.region, dim);  // no one is below the extent
            if (extents.empty() || asked.region.clipped.count(dim) != 0) extents.emplace_back(stated);
            const auto fits = [&](const Expression& extent) { return must_be_nonnegative(Expression(whole) - extent - start, facts); };
            if (!must_be_nonnegative(start, facts)) return false;
            if (std::none_of(extents.begin(), extents.end(), fits)) return false;
        }
        return true;
    }

    /// Whether offsets of a box with these extents lie between 0 and the capacity where these facts hold.
    bool box_is_inside(Side side, const LinearLayout& layout, const End& end_of_box) {
        const Buffer& whole = problem_.buffer(operand(copy_, side));
        const std::vector<std::int64_t> shape = plan_.box.shape();
        std::vector<Fact> facts = end_of_box.facts;
        Expression least = layout.constant, greatest = layout.constant;
        for (std::size_t j = 0; j < shape.size(); ++j) {
            if (shape[j] == 1) continue;
            const auto bounded = end_of_box.extents.find(j);
            const Expression extent = bounded != end_of_box.extents.end() ? bounded->second : Expression(shape[j]);
            const Expression far = layout.strides[j] * extent.plus(-1);
            const bool is_forward = is_nonnegative(layout.strides[j], facts);
            if (is_forward) greatest = greatest + far;
            else if (is_nonnegative(layout.strides[j].times(-1), facts)) least = least + far;
            else return false;
            // What lies between the end and another bound, or the end of the box, times a stride: a product that linear arithmetic does not see.
            if (bounded == end_of_box.extents.end() || !bounds_->at(j).back().clips) continue;
            std::vector<Expression> farther{Expression(shape[j])};
            for (const BoxBound& bound : bounds_->at(j)) farther.push_back(bound.below);
            for (const Expression& other : farther) {
                const std::optional<Expression> product =
                    checked_product((other - extent).times(is_forward ? 1 : -1), layout.strides[j], problem_.symbols, max_offset);
                if (product && !(other == extent)) facts.push_back({{*product}, Comparison::greater_equal, {0}});
            }
        }
        const Swizzle& swizzle = whole.layout.swizzle;
        Expression end = whole.symbolic_capacity.value_or(Expression(whole.capacity.count));
        if (!swizzle.is_identity()) {
            // Offsets stay in their period block: those below the last whole block are inside after the swizzle too.
            if (!constant_part().proofs.swizzle_lemma(swizzle)) return false;
            const int log2 = swizzle.period_log2();
            end = end.is_constant() ? Expression(std::int64_t{end} >> log2 << log2) : end.plus(1 - (std::int64_t{1} << log2));
        }
        return must_be_nonnegative(least, facts) && must_be_nonnegative(end - greatest.plus(1), facts);
    }

    /// Lanes have different coordinates, coordinates different linear offsets, and a swizzle keeps offsets apart.
    bool disjoint() {
        for (const char* id : {"address.dst", "contiguous.dst", "predicate"})
            if (!proved(id)) return false;
        if (element() < Bits{8}) {
            for (const Segment& s : plan_.segments)
                if (s.dst.width < Bits{8}) return false;
            if (!proved("aligned.dst")) return false;
        }
        if (!teams_are_apart(problem_, copy_, [this](const Expression& e) { return is_nonnegative(e); })) return false;
        const std::optional<LinearLayout> layout = assemble(Side::dst);
        return constant_part().proofs.swizzle_lemma(buffer(Side::dst).layout.swizzle) && coordinates_differ() &&
               ((layout && strides_apart(*layout)) || (is_of_numbers(Side::dst) && constant_part().proofs.layout_injective(Side::dst)));
    }

    bool coordinates_differ() {
        if (!has_tails(plan_) && constant_part().proofs.coordinates_differ()) return true;
        if (!may_be_of_tails()) return false;
        const auto differ = [&](const Segment& s) { return constant_part().proofs.digits_injective(s); };
        return std::all_of(plan_.segments.begin(), plan_.segments.end(), differ) && tails().segments_are_apart();
    }

    bool strides_apart(const LinearLayout& layout) {
        const std::vector<std::int64_t> shape = plan_.box.shape();
        std::vector<Stride> digits;
        for (std::size_t j = 0; j < shape.size(); ++j)
            if (shape[j] > 1) digits.push_back({layout.strides[j], shape[j]});
        return strides_are_apart(std::move(digits), problem_.symbols, [this](const Expression& e) { return is_nonnegative(e); });
    }

    Inquiry& inquiry_;
    const std::optional<Side> held_;  // in registers; then what follows is on the register file (layouts/register_file.hpp)
    const std::vector<Names> names_;  // by segment
    const std::int64_t registers_;    // of the buffer
    Problem problem_;
    const Copy copy_;
    const PlanByRows by_rows_;
    const CopyPlan plan_;  // whose accesses are rows where it has matrices
    Problem alone_;
    const std::optional<BoxBounds> bounds_;  // nothing: some symbolic extent is no bound of the box
    std::vector<std::unique_ptr<MonomialProofs>> parts_;
    std::map<std::string, Finding> findings_;
    Inquiry::Fact whole_warps_{};
    std::vector<Values> telling_{};
};

}  // namespace

std::vector<Finding> prove_symbolic(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan,
                                    std::vector<Values>& telling) {
    std::vector<Finding> out;
    for (const char* id : searched) out.push_back({id, Verdict::unknown, {"smt"}, {}, "the arguments that are put to Z3 do not prove it"});
    try {
        SymbolicProofs proofs(inquiry, problem, copy, plan);
        for (std::size_t i = 0; i < searched.size(); ++i)
            if (const Finding& found = proofs.finding(searched[i]); found.verdict == Verdict::proved || !found.reason.empty())
                out[i] = found;
        telling = proofs.telling();
    } catch (const z3::exception&) {  // while building a term: what is not proved yet stays open
    }
    return out;
}

struct ProofsAnew::Proofs {
    SymbolicProofs all;
    std::map<std::string, Finding> known{};
    Proofs(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan) : all(inquiry, problem, copy, plan) {}
};

ProofsAnew::ProofsAnew(Inquiry& inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan, const CopyReport& report) {
    try {
        proofs_ = std::make_unique<Proofs>(inquiry, problem, copy, plan);
    } catch (const z3::exception&) {  // then nothing holds
        return;
    }
    const bool sees_extents = !copy.src.region.symbolic_extent.empty() || !copy.dst.region.symbolic_extent.empty();
    if (sees_extents || std::any_of(plan.segments.begin(), plan.segments.end(), has_symbolic_bounds) || has_tails(plan)) return;
    for (const Finding& finding : report.findings)
        for (const char* blind :
             {"address.src", "address.dst", "predicate", "covers"})  // to values of symbols, where it is no enumeration of them
            if (finding.obligation == blind && finding.by != std::vector<std::string>{"exhaustive"})
                proofs_->known.emplace(blind, Finding{blind, finding.verdict, {"smt"}});
}

ProofsAnew::~ProofsAnew() = default;

bool ProofsAnew::hold(const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    if (!proofs_) return false;
    try {
        proofs_->all.assume(symbols, facts, proofs_->known);
        const auto is_proved = [&](const char* id) { return proofs_->all.finding(id).verdict == Verdict::proved; };
        return proofs_->all.no_address_overflows() && std::all_of(searched.begin(), searched.end(), is_proved);
    } catch (const z3::exception&) {
        return false;
    }
}

}  // namespace tileproof
