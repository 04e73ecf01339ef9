#include "solver/tails.hpp"

#include <algorithm>
#include <tuple>

#include "solver/partition.hpp"
#include "solver/refusal.hpp"

namespace tileproof {
namespace {

/// The dimension along which runs lie and symbols bound the region.
std::optional<std::size_t> bounded_run(const CanonicalBox& box) {
    const std::vector<std::int64_t> shape = box.box.shape();
    for (const auto& [dim, bounds] : box.bounds)
        if (shape[dim] > 1 && box.src.strides[dim] == Expression(1) && box.dst.strides[dim] == Expression(1) && bounds.size() == 1 && !bounds.front().below.is_constant()) return dim;
    return std::nullopt;
}

struct Width {
    Bits width;
    std::int64_t n = 1;  // elements of an access
};

class Chains {
public:
    /// `able`: widest first; the last is legal for all.
    Chains(std::vector<std::int64_t> shape, std::size_t dim, std::int64_t threads, std::vector<Width> able)
        : shape_(std::move(shape)), dim_(dim), threads_(threads), able_(std::move(able)) {}

    /// Accesses along the dimension of link i: of the body as many as fit, of a tail one less than would be one access more before it.
    std::int64_t accesses(const std::vector<Width>& chain, std::size_t i) const {
        const std::int64_t all = shape_[dim_] / chain[i].n;
        return i == 0 ? all : std::min(all, chain[i - 1].n / chain[i].n - 1);
    }
    std::int64_t rounds(const std::vector<Width>& chain) const {
        std::int64_t out = 0;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            std::vector<std::int64_t> all = shape_;
            all[dim_] = accesses(chain, i);
            out += fewest_rounds(all, threads_);
        }
        return out;
    }
    /// The widths of body and tails with the fewest rounds, then the fewest; each choice of them ends in the last.
    std::vector<Width> best() const {
        std::vector<Width> out;
        const std::size_t wider = able_.size() - 1;
        for (std::size_t chosen = 1; chosen < std::size_t{1} << wider; ++chosen) {
            std::vector<Width> chain;
            for (std::size_t i = 0; i < wider; ++i)
                if ((chosen >> i & 1) != 0) chain.push_back(able_[i]);
            chain.push_back(able_.back());
            if (out.empty() || std::tuple{rounds(chain), chain.size()} < std::tuple{rounds(out), out.size()}) out = std::move(chain);
        }
        return out;
    }

private:
    std::vector<std::int64_t> shape_;
    std::size_t dim_;
    std::int64_t threads_;
    std::vector<Width> able_;
};

/// An access of n elements runs where all of it is before the end, and before the end of the box where the bound may lie behind that.
void bound_whole_accesses(Segment& segment, const CanonicalBox& box, std::size_t dim, std::int64_t n) {
    const BoxBound& bound = box.bounds.at(dim).front();
    const std::int64_t last = box.box.shape()[dim] - n;  // where the last whole access begins
    std::int64_t farthest = 0;
    for (const Digit& digit : segment.digits)
        if (digit.dim == static_cast<int>(dim) && digit.role != Role::vec) farthest += digit.weight * (digit.extent - 1);
    std::vector<Bound>& all = segment.predicate;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const Bound& one) { return one.dim == static_cast<int>(dim); }), all.end());
    all.push_back({static_cast<int>(dim), bound.below.plus(1 - n)});
    if (bound.clips && (segment.tail || farthest > last)) all.push_back({static_cast<int>(dim), last + 1});
    std::stable_sort(all.begin(), all.end(), [](const Bound& a, const Bound& b) { return a.dim < b.dim; });
}

void begin_at_tail(Segment& segment, const CanonicalBox& box, std::size_t dim, std::int64_t multiple) {
    segment.tail = Tail{static_cast<int>(dim), box.bounds.at(dim).front().below, multiple};
    for (const Side side : both_sides) {
        AddressPlan& address = (side == Side::src ? segment.src : segment.dst).address;
        address.tail_stride = box.side(side).strides[dim];
        address.index_bits = 64;
    }
}

}  // namespace

std::optional<CopyPlan> with_tails(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, const std::vector<Bits>& widths,
                                   const CopyPlan& single, const PlaceInBlock& place) {
    const Segment& whole = single.segments.front();
    const std::optional<std::size_t> dim = bounded_run(box);
    if (whole.outer < 3 || !dim) return std::nullopt;  // two segments have two rounds
    const std::vector<std::int64_t> shape = box.box.shape();
    std::vector<Width> able;
    for (const Bits width : widths) {
        if (width < whole.src.width) break;
        const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
        const bool is_legal = width == whole.src.width || (n <= shape[*dim] && !early_refusal(problem, copy, width) && place(*dim, n) == 0);
        if (is_legal) able.push_back({width, n});
    }
    if (able.size() < 2) return std::nullopt;
    const Chains chains(shape, *dim, copy.threads, std::move(able));
    const std::vector<Width> chain = chains.best();
    if (chains.rounds(chain) >= whole.outer) return std::nullopt;
    CopyPlan out{copy.name, participants(copy, problem.launch), box.box, {}};
    for (std::size_t i = 0; i < chain.size(); ++i) {
        std::optional<Segment> segment = box_segment(z3, problem, copy, box, {chain[i].width, *dim, 0, chains.accesses(chain, i) * chain[i].n});
        if (!segment) return std::nullopt;
        if (i > 0) begin_at_tail(*segment, box, *dim, chain[i - 1].n);
        bound_whole_accesses(*segment, box, *dim, chain[i].n);
        out.segments.push_back(*std::move(segment));
    }
    return out;
}

}  // namespace tileproof
