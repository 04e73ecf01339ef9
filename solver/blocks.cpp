#include "solver/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "layouts/block.hpp"
#include "solver/cut.hpp"
#include "solver/partition.hpp"

namespace tileproof {
namespace {

/// Coordinates 0 .. count - 1 of a dimension, which follow each other in memory.
struct Link {
    std::size_t dim = 0;
    std::int64_t count = 1;
};
using Chain = std::vector<Link>;

std::int64_t count_in(const Chain& chain, std::size_t dim) {
    const auto link = std::find_if(chain.begin(), chain.end(), [&](const Link& one) { return one.dim == dim; });
    return link == chain.end() ? 1 : link->count;
}

struct Candidate {
    Blocks blocks;
    Chain src, dst;
    std::int64_t accesses = 0;  // of a thread, both sides
    std::int64_t elements = 1;  // of a block

    auto key() const { return std::tuple{accesses, elements, -blocks.src_width.count, -blocks.dst_width.count}; }
};

class BlockSearch {
public:
    BlockSearch(const Problem& problem, const Copy& copy, const CanonicalBox& box, const IsMultiple& is_multiple)
        : problem_(problem),
          copy_(copy),
          box_(box),
          is_multiple_(is_multiple),
          shape_(box.box.shape()),
          element_(problem.buffer(copy.src).dtype.size) {}

    /// The best blocks with fewer than so many accesses of a thread, and runs of `run`.
    std::optional<Candidate> best(const std::vector<Bits>& widths, std::int64_t fewer_than, Bits run) {
        std::vector<Candidate> all;
        for (const Bits src : widths)
            for (const Bits dst : widths)
                if (auto one = candidate(src, dst, run); one && one->accesses < fewer_than) all.push_back(std::move(*one));
        std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); });
        const auto is_legal = [&](const Candidate& one) {
            return is_aligned(Side::src, one.blocks.src_width, one.src) && is_aligned(Side::dst, one.blocks.dst_width, one.dst) &&
                   ends_between(one);
        };
        const auto found = std::find_if(all.begin(), all.end(), is_legal);
        return found == all.end() ? std::nullopt : std::optional(std::move(*found));
    }

private:
    const Buffer& buffer(Side side) const { return problem_.buffer(operand(copy_, side)); }

    /// The first elements in the memory of a side, as many as an access has; nothing where they do not fill a box.
    std::optional<Chain> chain(Side side, Bits width) const {
        const Buffer& at = buffer(side);
        if (width < std::max(element_, Bits{8}) || !has_access(problem_.target, at.space, width)) return std::nullopt;
        if (problem_.ptx && *problem_.ptx < least_ptx(at.space, width)) return std::nullopt;
        if (!at.base && to_bits(at.align) < width) return std::nullopt;
        const std::int64_t n = width / element_;
        if (!keeps_blocks(at, n, shape_, box_.side(side))) return std::nullopt;
        Chain out;
        std::int64_t reached = 1;
        const std::vector<Expression>& strides = box_.side(side).strides;
        while (reached < n) {
            std::size_t dim = 0;
            while (dim < shape_.size() && (shape_[dim] == 1 || !(strides[dim] == Expression(reached)) || count_in(out, dim) > 1)) ++dim;
            if (dim == shape_.size()) return std::nullopt;
            const std::int64_t wanted = n / reached, extent = shape_[dim];
            const bool ends_here = extent % wanted == 0;
            if (!ends_here && (wanted % extent != 0 || box_.bounds.count(dim) != 0)) return std::nullopt;
            out.push_back({dim, ends_here ? wanted : extent});
            reached *= out.back().count;
        }
        return out;
    }

    std::optional<Candidate> candidate(Bits src_width, Bits dst_width, Bits run) const {
        const auto src = chain(Side::src, src_width), dst = chain(Side::dst, dst_width);
        if (!src || !dst) return std::nullopt;
        Candidate out{{src_width, dst_width}, *src, *dst};
        out.blocks.src_lanes.emplace();
        out.blocks.dst_lanes.emplace();
        // A dimension that both take is split where the shorter access ends.
        const auto add = [&](const Chain& chain, const Chain& other) {
            for (const Link& link : chain) {
                const std::int64_t both = std::min(link.count, count_in(other, link.dim));
                for (const auto& [weight, extent] : {std::pair{std::int64_t{1}, both}, {both, link.count / both}})
                    if (extent > 1 && !place(out.blocks, link.dim, weight)) out.blocks.digits.push_back({link.dim, weight, extent});
            }
        };
        add(*src, *dst);
        add(*dst, *src);
        const auto name = [&](const Chain& chain, std::vector<int>& lanes) {
            for (const Link& link : chain)
                for (const std::int64_t weight : weights(out.blocks, link.dim))
                    if (weight < link.count) lanes.push_back(*place(out.blocks, link.dim, weight));
        };
        name(*src, *out.blocks.src_lanes);
        name(*dst, *out.blocks.dst_lanes);
        if (out.blocks.src_lanes == out.blocks.dst_lanes) return std::nullopt;  // lane j to lane j
        std::vector<std::int64_t> accesses = shape_;
        for (const Blocks::Digit& digit : out.blocks.digits) {
            out.elements *= digit.extent;
            accesses[digit.dim] /= digit.extent;
        }
        if (to_bits(Elements{out.elements}, element_) > most_block_bits) return std::nullopt;
        if (element_ < Bits{8} && !is_in_whole_bytes(out.blocks)) return std::nullopt;
        if (!has_runs_of(out.blocks, run)) return std::nullopt;
        out.accesses =
            fewest_rounds(accesses, copy_.threads) * (out.elements / (src_width / element_) + out.elements / (dst_width / element_));
        return out;
    }

    static std::optional<int> place(const Blocks& blocks, std::size_t dim, std::int64_t weight) {
        for (std::size_t i = 0; i < blocks.digits.size(); ++i)
            if (blocks.digits[i].dim == dim && blocks.digits[i].weight == weight) return static_cast<int>(i);
        return std::nullopt;
    }
    static std::vector<std::int64_t> weights(const Blocks& blocks, std::size_t dim) {
        std::vector<std::int64_t> out;
        for (const Blocks::Digit& digit : blocks.digits)
            if (digit.dim == dim) out.push_back(digit.weight);
        std::sort(out.begin(), out.end());
        return out;
    }

    /// Elements that follow each other on both sides, from the first lane of each access on.
    static std::int64_t shared_lanes(const Blocks& blocks) {
        std::int64_t out = 1;
        for (std::size_t i = 0;
             i < std::min(blocks.src_lanes->size(), blocks.dst_lanes->size()) && (*blocks.src_lanes)[i] == (*blocks.dst_lanes)[i]; ++i)
            out *= blocks.digits[static_cast<std::size_t>((*blocks.src_lanes)[i])].extent;
        return out;
    }
    bool is_in_whole_bytes(const Blocks& blocks) const { return shared_lanes(blocks) * element_.count % 8 == 0; }
    bool has_runs_of(const Blocks& blocks, Bits run) const { return to_bits(Elements{shared_lanes(blocks)}, element_) == run; }

    /// Whether every access of a side that begins where `chain` begins, or whole steps from there, is aligned.
    bool is_aligned(Side side, Bits width, const Chain& chain) {
        const auto known = aligned_.find({side, width.count});
        if (known != aligned_.end()) return known->second;
        const std::int64_t n = width / element_, residue = to_bits(buffer(side).base.value_or(Bytes{0})) / element_;
        bool out = is_multiple_(box_.side(side).offset.plus(residue), n);
        for (std::size_t dim = 0; dim < shape_.size() && out; ++dim) {
            const std::int64_t count = count_in(chain, dim);
            if (count < shape_[dim]) out = is_multiple_(box_.side(side).strides[dim].times(count), n);
        }
        return aligned_[{side, width.count}] = out;
    }

    /// Whether a dimension that symbols bound ends between two blocks.
    bool ends_between(const Candidate& candidate) const {
        return std::all_of(box_.bounds.begin(), box_.bounds.end(), [&](const auto& bound) {
            const std::int64_t count = std::max(count_in(candidate.src, bound.first), count_in(candidate.dst, bound.first));
            return count == 1 || std::all_of(bound.second.begin(), bound.second.end(),
                                             [&](const BoxBound& one) { return is_multiple_(one.below, count); });
        });
    }

    const Problem& problem_;
    const Copy& copy_;
    const CanonicalBox& box_;
    const IsMultiple& is_multiple_;
    std::vector<std::int64_t> shape_;
    Bits element_;
    std::map<std::pair<Side, std::int64_t>, bool> aligned_{};  // a side has one chain for each width
};

std::int64_t accesses_of_a_thread(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& segment : plan.segments) out += segment.outer * accesses_in_a_round(segment);
    return out;
}

}  // namespace

bool is_multiple(const Expression& number, std::int64_t n) { return number % n == 0; }

void try_blocks(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const std::vector<Bits>& widths,
                const IsMultiple& is_multiple, CopySolution& solution) {
    const std::int64_t straight = accesses_of_a_thread(*solution.plan);
    const std::optional<Candidate> best = BlockSearch(problem, copy, box, is_multiple).best(widths, straight, solution.width);
    if (!best) return;
    std::optional<Segment> segment = blocks_segment(z3, problem, copy, box, best->blocks);
    if (!segment) return;
    CopyPlan plan{copy.name, participants(copy, problem.launch), box.box, {*std::move(segment)}};
    if (accesses_of_a_thread(plan) >= straight) return;
    for (Refusal& refusal : solution.refused) {
        // No access of that width somewhere, and accesses of that width in the plan.
        const bool src = refusal.width == best->blocks.src_width, dst = refusal.width == best->blocks.dst_width;
        if (refusal.rule != "target" || (!src && !dst)) continue;
        refusal.text += fmt::format("; in blocks of registers {} has accesses of {} bits", problem.buffer(src ? copy.src : copy.dst).name,
                                    refusal.width.count);
    }
    solution.straight_accesses = straight;
    solution.single_rounds.reset();
    solution.plan = std::move(plan);
}

}  // namespace tileproof
