#include "solver/partition.hpp"

#include "layouts/symbolic.hpp"

#include <algorithm>
#include <numeric>

#include "layouts/address.hpp"
#include "solver/flat.hpp"
#include "solver/smt.hpp"
#include "solver/width.hpp"

namespace tileproof {
namespace {

std::vector<std::int64_t> divisors(std::int64_t n) {
    std::vector<std::int64_t> out;
    for (std::int64_t d = 1; d <= n; ++d)
        if (n % d == 0) out.push_back(d);
    return out;
}

/// choice[i][k]: dimension i takes options[k] threads. Products are chained, so that every constraint is linear:
/// choice[i][k] -> threads[i+1] = options[k] * threads[i]  and  rounds[i+1] = ceil(accesses[i] / options[k]) * rounds[i].
class Shares {
public:
    Shares(smt::Session& z3, const std::vector<std::int64_t>& accesses, std::int64_t threads)
        : z3_(z3), options_(divisors(threads)), rounds_(z3.context().int_val(1)) {
        z3::context& context = z3.context();
        z3::expr product = context.int_val(1);
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            const std::string suffix = std::to_string(i);
            const z3::expr next_product = context.int_const(("threads" + suffix).c_str());
            const z3::expr next_rounds = context.int_const(("rounds" + suffix).c_str());
            z3::expr any = context.bool_val(false);
            choice_.emplace_back();
            for (const std::int64_t share : options_) {
                const z3::expr chosen = context.bool_const(("share" + suffix + "_" + std::to_string(share)).c_str());
                constraints_.push_back(z3::implies(chosen, next_product == product * context.int_val(share)));
                constraints_.push_back(z3::implies(chosen, next_rounds == rounds_ * context.int_val(ceil_div(accesses[i], share))));
                choice_.back().push_back(chosen);
                smt::assign(any, any || chosen);
            }
            constraints_.push_back(any);
            product = next_product;
            rounds_ = next_rounds;
        }
        constraints_.push_back(product == context.int_val(threads));
    }

    const std::vector<std::int64_t>& options() const { return options_; }
    const z3::expr& rounds() const { return rounds_; }
    const z3::expr& chosen(std::size_t dim, std::size_t option) const { return choice_[dim][option]; }
    void require(const z3::expr& term) { constraints_.push_back(term); }

    /// Values: the rounds. With one more term, which is not kept.
    smt::Outcome check(const z3::expr& more) {
        std::vector<z3::expr> query = constraints_;
        query.push_back(more);
        return z3_.check(smt::Theory::linear, query, {rounds_});
    }

private:
    smt::Session& z3_;
    std::vector<std::int64_t> options_;
    std::vector<std::vector<z3::expr>> choice_;
    std::vector<z3::expr> constraints_;
    z3::expr rounds_;
};

std::int64_t saturated_product(const std::vector<std::int64_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

/// The dimensions by rising global stride (the destination's where both sides or none are global); broadcasts first, then file order.
std::vector<std::size_t> thread_order(const Problem& problem, const Copy& copy, const CanonicalBox& box) {
    const bool by_source = problem.buffer(copy.src).space == Space::global && problem.buffer(copy.dst).space != Space::global;
    const BoxSide& first = by_source ? box.src : box.dst;
    const BoxSide& second = by_source ? box.dst : box.src;
    std::vector<std::size_t> order(first.strides.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto size = [&](const Expression& stride) {  // the least, where it depends on symbols
            const Interval range = interval(stride, problem.symbols);
            return range.least <= 0 && range.greatest >= 0 ? 0 : range.least > 0 ? range.least : -range.greatest;
        };
        const auto key = [&](std::size_t i) { return std::pair{size(first.strides[i]), size(second.strides[i])}; };
        return key(a) < key(b);
    });
    return order;
}

void add_digit(Segment& segment, const CanonicalBox& box, std::size_t dim, std::int64_t weight, std::int64_t extent, Role role) {
    if (extent == 1) return;
    const auto same_role = std::count_if(segment.digits.begin(), segment.digits.end(), [&](const Digit& d) { return d.role == role; });
    segment.digits.push_back({static_cast<int>(dim), weight, extent, role, static_cast<int>(same_role)});
    segment.src.address.strides.push_back(box.src.strides[dim].times(weight));
    segment.dst.address.strides.push_back(box.dst.strides[dim].times(weight));
}

/// 32 bits wherever every sum stays below 2^31, in bytes and in elements.
int index_bits(const Segment& segment, const AddressPlan& address, Bits element, const std::vector<Symbol>& symbols) {
    if (!all_constant(address.strides) || !address.offset.is_constant()) return 64;  // a product of symbols may be large on its way
    Wide positive = 0, negative = 0;
    const auto add = [&](const Expression& e) {
        const Interval range = interval(e, symbols);
        positive += std::max<Wide>(range.greatest, 0);
        negative += std::min<Wide>(range.least, 0);
    };
    add(address.offset);
    for (std::size_t i = 0; i < address.strides.size(); ++i) add(address.strides[i].times(segment.digits[i].extent - 1));
    // A swizzle keeps an offset inside its period block.
    positive += Wide{1} << address.swizzle.period_log2();
    const Wide limit = (Wide{1} << 31) / std::max<std::int64_t>(1, element / Bits{8}) - 256;
    return positive < limit && -negative < limit ? 32 : 64;
}

}  // namespace

std::optional<std::vector<std::int64_t>> share_threads(smt::Session& z3, const std::vector<std::int64_t>& accesses, std::int64_t threads,
                                                       const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> shares(accesses.size(), 1);
    try {
        Shares model(z3, accesses, threads);
        // Fewest rounds: the bound that no partition can beat, then from a model downwards.
        const std::int64_t bound = ceil_div(saturated_product(accesses), threads);
        smt::Outcome found = model.check(model.rounds() <= z3.context().int_val(bound));
        if (found.answer == smt::Answer::unsat) {
            found = model.check(z3.context().bool_val(true));
            while (found.answer == smt::Answer::sat) {
                const std::int64_t rounds = found.values[0];
                const smt::Outcome fewer = model.check(model.rounds() < z3.context().int_val(rounds));
                if (fewer.answer == smt::Answer::unsat) break;
                found = fewer;
            }
        }
        if (found.answer != smt::Answer::sat) return std::nullopt;
        model.require(model.rounds() == z3.context().int_val(found.values[0]));
        // Then the largest share for each dimension in turn, without threads that the dimension cannot feed where that is possible.
        std::int64_t left = threads;
        for (std::size_t i = 0; i < order.size() && left > 1; ++i) {
            std::vector<std::size_t> options;
            for (std::size_t k = model.options().size(); k-- > 0;)
                if (left % model.options()[k] == 0) options.push_back(k);
            std::stable_partition(options.begin(), options.end(), [&](std::size_t k) { return model.options()[k] <= accesses[order[i]]; });
            for (const std::size_t k : options) {
                const smt::Answer answer = model.check(model.chosen(order[i], k)).answer;
                if (answer == smt::Answer::unknown) return std::nullopt;
                if (answer == smt::Answer::unsat) continue;
                model.require(model.chosen(order[i], k));
                shares[order[i]] = model.options()[k];
                left /= model.options()[k];
                break;
            }
        }
    } catch (const z3::exception&) {
        return std::nullopt;
    }
    return shares;
}

std::optional<Segment> box_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const Slice& slice) {
    const std::int64_t n = slice.width / problem.buffer(copy.src).dtype.size;
    Blocks blocks{slice.width, slice.width};
    if (slice.dim) blocks.digits.push_back({*slice.dim, 1, n});
    return blocks_segment(z3, problem, copy, box, blocks, slice.dim ? &slice : nullptr);
}

std::optional<Segment> blocks_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const Blocks& blocks, const Slice* slice) {
    const std::vector<std::int64_t> shape = box.box.shape();
    std::vector<std::int64_t> lanes(shape.size(), 1), accesses = shape;
    if (slice != nullptr) accesses[*slice->dim] = slice->extent;
    for (const Blocks::Digit& digit : blocks.digits) lanes[digit.dim] *= digit.extent;
    for (std::size_t i = 0; i < accesses.size(); ++i) accesses[i] /= lanes[i];
    const std::vector<std::size_t> order = thread_order(problem, copy, box);
    const auto shares = share_threads(z3, accesses, copy.threads, order);
    if (!shares) return std::nullopt;

    Segment segment;
    segment.start.assign(shape.size(), 0);
    if (slice != nullptr) segment.start[*slice->dim] = slice->begin;
    segment.threads = copy.threads;
    for (const Blocks::Digit& digit : blocks.digits) {
        add_digit(segment, box, digit.dim, digit.weight, digit.extent, Role::vec);
        segment.vec *= digit.extent;
    }
    for (const std::size_t dim : order) add_digit(segment, box, dim, lanes[dim], (*shares)[dim], Role::thread);
    for (const std::size_t dim : order) {
        const std::int64_t share = (*shares)[dim], rounds = ceil_div(accesses[dim], share);
        add_digit(segment, box, dim, lanes[dim] * share, rounds, Role::outer);
        segment.outer *= rounds;
        const auto bound = box.bounds.find(dim);
        const bool is_bounded = bound != box.bounds.end(), is_padded = rounds * share != accesses[dim];
        if (is_bounded) segment.predicate.push_back({static_cast<int>(dim), bound->second.below});
        if (is_padded && (!is_bounded || bound->second.clips)) segment.predicate.push_back({static_cast<int>(dim), slice != nullptr && *slice->dim == dim ? slice->begin + slice->extent : shape[dim]});
    }
    std::stable_sort(segment.predicate.begin(), segment.predicate.end(), [](const Bound& a, const Bound& b) { return a.dim < b.dim; });
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        SidePlan& plan = side == Side::src ? segment.src : segment.dst;
        plan.width = side == Side::src ? blocks.src_width : blocks.dst_width;
        plan.lanes = side == Side::src ? blocks.src_lanes : blocks.dst_lanes;
        plan.instruction = access_form(side == Side::src ? Direction::load : Direction::store, buffer.space, plan.width)->mnemonic;
        plan.address.offset = box.side(side).offset;
        if (slice != nullptr) plan.address.offset = plan.address.offset + box.side(side).strides[*slice->dim].times(slice->begin);
        plan.address.swizzle = buffer.layout.swizzle;
        plan.address.index_bits = index_bits(segment, plan.address, buffer.dtype.size, problem.symbols);
    }
    return segment;
}

std::optional<CopyPlan> partition(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width) {
    const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
    Slice whole{width, run_dimension(box, n), 0, 0};
    if (whole.dim) whole.extent = box.box.shape()[*whole.dim];
    std::optional<Segment> segment = box_segment(z3, problem, copy, box, whole);
    if (!segment) return std::nullopt;
    // Where padding each dimension costs rounds, the index of the whole box does not.
    if (!is_symbolic(problem, copy) && box.bounds.empty() && ceil_div(moved(copy).count / n, copy.threads) < segment->outer)
        return flat_plan(problem, copy, box, width, whole.dim, thread_order(problem, copy, box));
    return CopyPlan{copy.name, participants(copy, problem.launch), box.box, {*std::move(segment)}};
}

}  // namespace tileproof
