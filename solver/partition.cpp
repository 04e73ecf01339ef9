#include "solver/partition.hpp"

#include "layouts/symbolic.hpp"

#include <algorithm>
#include <map>
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

/// Whether no shares take fewer than so many rounds: the least that so many accesses need, or else by Z3. Products are chained, so that
/// every constraint is linear: with share k, threads[i+1] = k * threads[i]  and  rounds[i+1] = ceil(accesses[i] / k) * rounds[i].
/// False where a solver limit was hit.
bool are_fewest(smt::Session& z3, const std::vector<std::int64_t>& accesses, std::int64_t threads, std::int64_t fewest) {
    const std::int64_t all = std::accumulate(accesses.begin(), accesses.end(), std::int64_t{1}, std::multiplies<>());
    if (fewest == ceil_div(all, threads)) return true;
    const smt::Outcome fewer = smt::guarded([&] {
        z3::context& context = z3.context();
        z3::expr given = context.int_val(1), rounds = context.int_val(1);
        std::vector<z3::expr> query;
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            const std::string suffix = std::to_string(i);
            const z3::expr next_given = context.int_const(("threads" + suffix).c_str()),
                           next_rounds = context.int_const(("rounds" + suffix).c_str());
            z3::expr any = context.bool_val(false);
            for (const std::int64_t share : divisors(threads))
                smt::assign(any, any || (next_given == given * context.int_val(share) &&
                                         next_rounds == rounds * context.int_val(ceil_div(accesses[i], share))));
            query.push_back(any);
            smt::assign(given, next_given);
            smt::assign(rounds, next_rounds);
        }
        query.push_back(given == context.int_val(threads));
        query.push_back(rounds < context.int_val(fewest));
        return z3.check(smt::Theory::linear, query);
    });
    TILEPROOF_CHECK(fewer.answer != smt::Answer::sat);
    return fewer.answer == smt::Answer::unsat;
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

std::int64_t fewest_rounds(const std::vector<std::int64_t>& accesses, std::int64_t threads) {
    const std::vector<std::int64_t> shares = divisors(threads);
    std::map<std::int64_t, std::int64_t> best{{1, 1}};  // threads given away so far -> rounds
    for (const std::int64_t count : accesses) {
        std::map<std::int64_t, std::int64_t> next;
        for (const auto& [given, rounds] : best) {
            for (const std::int64_t share : shares) {
                if (threads / given % share != 0) continue;
                const std::int64_t needed = rounds * ceil_div(count, share);
                const auto [entry, is_new] = next.emplace(given * share, needed);
                if (!is_new) entry->second = std::min(entry->second, needed);
            }
        }
        best = std::move(next);
    }
    return best.at(threads);
}

std::optional<std::vector<std::int64_t>> share_threads(smt::Session& z3, const std::vector<std::int64_t>& accesses, std::int64_t threads,
                                                       const std::vector<std::size_t>& order) {
    const std::int64_t rounds = fewest_rounds(accesses, threads);
    if (!are_fewest(z3, accesses, threads, rounds)) return std::nullopt;
    // The largest share for each dimension in turn, without threads that the dimension cannot feed where that is possible.
    std::vector<std::int64_t> shares(accesses.size(), 1), behind;
    for (const std::size_t dim : order) behind.push_back(accesses[dim]);
    std::int64_t left = threads, taken = 1;  // rounds that the dimensions before take
    for (const std::size_t dim : order) {
        behind.erase(behind.begin());
        std::vector<std::int64_t> options = divisors(left);
        std::reverse(options.begin(), options.end());
        std::stable_partition(options.begin(), options.end(), [&](std::int64_t share) { return share <= accesses[dim]; });
        const auto needs_no_more = [&](std::int64_t share) {
            if (behind.empty() && share != left) return false;
            return taken * ceil_div(accesses[dim], share) * fewest_rounds(behind, left / share) == rounds;
        };
        const auto chosen = std::find_if(options.begin(), options.end(), needs_no_more);
        TILEPROOF_CHECK(chosen != options.end());
        shares[dim] = *chosen;
        taken *= ceil_div(accesses[dim], *chosen);
        left /= *chosen;
    }
    return shares;
}

std::optional<Segment> box_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                                   const Slice& slice) {
    const std::int64_t n = slice.width / problem.buffer(copy.src).dtype.size;
    Blocks blocks{slice.width, slice.width};
    if (slice.dim) blocks.digits.push_back({*slice.dim, 1, n});
    return blocks_segment(z3, problem, copy, box, blocks, slice.dim ? &slice : nullptr);
}

std::optional<Segment> blocks_segment(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                                      const Blocks& blocks, const Slice* slice) {
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
        for (const BoxBound& one : is_bounded ? bound->second : std::vector<BoxBound>{})
            segment.predicate.push_back({static_cast<int>(dim), one.below});
        if (is_padded && (!is_bounded || bound->second.front().clips))
            segment.predicate.push_back(
                {static_cast<int>(dim), slice != nullptr && *slice->dim == dim ? slice->begin + slice->extent : shape[dim]});
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
