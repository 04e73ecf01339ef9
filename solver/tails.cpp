#include "solver/tails.hpp"

#include <algorithm>
#include <functional>

#include "solver/partition.hpp"
#include "solver/refusal.hpp"
#include "solver/smt_symbols.hpp"

namespace tileproof {
namespace {

/// The dimension along which runs lie and symbols bound the region.
std::optional<std::size_t> bounded_run(const CanonicalBox& box) {
    const std::vector<std::int64_t> shape = box.box.shape();
    for (const auto& [dim, bounds] : box.bounds)
        if (shape[dim] > 1 && box.src.strides[dim] == Expression(1) && box.dst.strides[dim] == Expression(1) && bounds.size() == 1 &&
            !bounds.front().below.is_constant())
            return dim;
    return std::nullopt;
}

struct Width {
    Bits width;
    std::int64_t n = 1;      // elements of an access
    std::int64_t place = 0;  // of coordinate 0 in a block

    /// The first coordinate from `at` on between two blocks.
    std::int64_t boundary(std::int64_t at) const { return at + (n - (at + place) % n) % n; }
};

enum class Part { head, body, tail, rest };

/// Accesses of one width along the dimension.
struct Stretch {
    Part part;
    Width by;
    std::int64_t begin = 0;
    std::int64_t accesses = 0;
    std::int64_t multiple = 0;  // of a tail: of what is left over

    std::int64_t end() const { return begin + accesses * by.n; }
};
using Stretches = std::vector<Stretch>;

class Chooser {
public:
    /// `able`: widest first; the last is legal for all. `is_behind`: whether the end is never before a coordinate. `fills`: all of the box is written.
    Chooser(std::vector<std::int64_t> shape, std::size_t dim, std::int64_t threads, std::vector<Width> able,
            std::function<bool(std::int64_t)> is_behind, bool fills)
        : shape_(std::move(shape)), dim_(dim), threads_(threads), able_(std::move(able)), is_behind_(std::move(is_behind)), fills_(fills) {}

    std::int64_t rounds(const Stretches& stretches) const {
        std::int64_t out = 0;
        for (const Stretch& stretch : stretches) {
            std::vector<std::int64_t> all = shape_;
            all[dim_] = stretch.accesses;
            out += fewest_rounds(all, threads_);
        }
        return out;
    }
    /// Body, tails and head with the fewest rounds, then the fewest; each choice of widths ends in the last. Empty where none has a body.
    Stretches best() {
        Stretches out;
        const std::size_t wider = able_.size() - 1;
        for (std::size_t chosen = 1; chosen < std::size_t{1} << wider; ++chosen) {
            const std::vector<Width> chain = widths(chosen);
            const std::int64_t begin = chain.front().boundary(0);
            if (begin + chain.front().n > shape_[dim_]) continue;
            Stretches one = from(begin, chain);
            const Stretches before = head(chain.front());
            one.insert(one.end(), before.begin(), before.end());
            if (out.empty() || key(one) < key(out)) out = std::move(one);
        }
        return out;
    }

private:
    std::pair<std::int64_t, std::size_t> key(const Stretches& stretches) const { return {rounds(stretches), stretches.size()}; }

    std::vector<Width> widths(std::size_t chosen) const {
        std::vector<Width> out;
        for (std::size_t i = 0; i + 1 < able_.size(); ++i)
            if ((chosen >> i & 1) != 0) out.push_back(able_[i]);
        out.push_back(able_.back());
        return out;
    }

    /// Of the body as many accesses as fit, of a tail one less than would be one access more before it. Where zeros are written, a tail is all that
    /// the access had been that the accesses before it leave out, and what is behind the body is moved by itself.
    Stretches from(std::int64_t begin, const std::vector<Width>& chain) const {
        Stretches out;
        for (const Width& by : chain) {
            const std::int64_t all = (shape_[dim_] - begin) / by.n, wide = out.empty() ? 0 : out.back().by.n;
            out.push_back({out.empty() ? Part::body : Part::tail, by, begin,
                           out.empty() ? all : std::min(all, wide / by.n - (fills_ ? 0 : 1)), wide});
        }
        const std::int64_t end = out.front().end(), n = chain.back().n;
        if (fills_ && end < shape_[dim_]) out.push_back({Part::rest, chain.back(), end, (shape_[dim_] - end) / n});
        return out;
    }

    /// What is before the first block of the body. Only accesses of the last width run rightly wherever the end is.
    Stretches head(const Width& body) {
        const std::int64_t end = body.boundary(0);
        if (end == 0) return {};
        Stretches out{{Part::head, able_.back(), 0, end / able_.back().n}};
        if (!is_behind_(end)) return out;
        std::size_t narrower = 0;
        while (narrower < able_.size() && able_[narrower].n >= body.n) ++narrower;
        for (std::size_t chosen = 0; chosen < std::size_t{1} << (able_.size() - 1); ++chosen) {
            if ((chosen & ((std::size_t{1} << narrower) - 1)) != 0) continue;
            const std::vector<Width> chain = widths(chosen);
            Stretches one;
            for (std::size_t i = chain.size(); i-- > 0;) {
                const std::int64_t at = one.empty() ? 0 : one.back().end(), next = (i == 0 ? body : chain[i - 1]).boundary(at);
                if (next > at) one.push_back({Part::head, chain[i], at, (next - at) / chain[i].n});
            }
            if (key(one) < key(out)) out = std::move(one);
        }
        return out;
    }

    std::vector<std::int64_t> shape_;
    std::size_t dim_;
    std::int64_t threads_;
    std::vector<Width> able_;
    std::function<bool(std::int64_t)> is_behind_;
    bool fills_;
};

/// Coordinates of an access of the segment, its first lane's, are no more than this.
std::int64_t farthest(const Segment& segment, std::size_t dim) {
    std::int64_t out = segment.start[dim];
    for (const Digit& digit : segment.digits)
        if (digit.dim == static_cast<int>(dim) && digit.role != Role::vec) out += digit.weight * (digit.extent - 1);
    return out;
}

/// What bounds the accesses of a segment along the dimension: an access of n elements runs, or reads, where all of it is before the end.
class Bounds {
public:
    struct End {
        Expression end;
        std::function<bool(std::int64_t)> is_behind, is_within;  // whether it is never less, never more than this
    };
    /// `narrowest`: the width that is legal for all. `behind`: the coordinate behind the last access of the body and its tails.
    Bounds(End end, std::size_t dim, Bits narrowest, std::int64_t behind, bool fills)
        : end_(std::move(end)), dim_(dim), narrowest_(narrowest), behind_(behind), fills_(fills) {}

    void set(Segment& segment, const Stretch& stretch) const {
        std::vector<Bound>& all = segment.predicate;
        all.erase(std::remove_if(all.begin(), all.end(), [&](const Bound& one) { return one.dim == static_cast<int>(dim_); }), all.end());
        const bool is_edge = stretch.part == Part::head || stretch.part == Part::rest, is_tail = stretch.part == Part::tail;
        const std::int64_t n = stretch.by.n, behind = is_edge ? stretch.end() : behind_;
        if (!(is_edge && end_.is_behind(behind)))
            all.push_back({static_cast<int>(dim_), fills_ ? end_.end : end_.end.plus(1 - n), {}, beyond(is_edge, stretch.by.width)});
        // There may be more threads than accesses, and a tail begins behind the body where the end does.
        const bool may_be_behind = farthest(segment, dim_) + n > behind || (is_tail && !end_.is_within(behind - (fills_ ? 1 : 0)));
        const bool is_stopped = !fills_ && !is_edge && end_.is_within(behind);
        if (may_be_behind && !is_stopped) all.push_back({static_cast<int>(dim_), behind - n + 1});
        std::stable_sort(all.begin(), all.end(), [](const Bound& a, const Bound& b) { return a.dim < b.dim; });
    }

private:
    Beyond beyond(bool is_edge, Bits width) const {
        if (!fills_) return Beyond::nothing;
        return is_edge || width == narrowest_ ? Beyond::zeros : Beyond::zeros_behind;
    }

    End end_;
    std::size_t dim_;
    Bits narrowest_;
    std::int64_t behind_;
    bool fills_;
};

/// Where there are more threads than accesses of a tail, and zeros would be written behind those: the threads count its accesses first, and the rest of their
/// number leads `far` away. False where they do not divide so.
bool leads_away(Segment& segment, const CanonicalBox& box, std::size_t dim, const Stretch& stretch, std::int64_t far) {
    if (farthest(segment, dim) + stretch.by.n <= stretch.end()) return true;
    const auto is_along = [&](Role role) { return [=](const Digit& d) { return d.dim == static_cast<int>(dim) && d.role == role; }; };
    const auto found = std::find_if(segment.digits.begin(), segment.digits.end(), is_along(Role::thread));
    if (found == segment.digits.end() || std::any_of(segment.digits.begin(), segment.digits.end(), is_along(Role::outer)) ||
        found->extent % stretch.accesses != 0)
        return false;
    Digit surplus{static_cast<int>(dim), far, found->extent / stretch.accesses, Role::thread, found->place + 1};
    for (Digit& digit : segment.digits)
        if (digit.role == Role::thread && digit.place > found->place) ++digit.place;
    found->extent = stretch.accesses;
    segment.digits.push_back(surplus);
    for (const Side side : both_sides)
        (side == Side::src ? segment.src : segment.dst).address.strides.push_back(box.side(side).strides[dim].times(far));
    return true;
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

std::optional<CopyPlan> with_tails(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                                   const std::vector<Bits>& widths, const CopyPlan& single, const PlaceInBlock& place) {
    const Segment& whole = single.segments.front();
    const std::optional<std::size_t> dim = bounded_run(box);
    if (whole.outer < 3 || !dim) return std::nullopt;  // two segments have two rounds
    if (copy.zero_fill && !box.bounds.at(*dim).front().clips)
        return std::nullopt;  // the region itself ends there: nothing is filled behind it
    const std::vector<std::int64_t> shape = box.box.shape();
    std::vector<Width> able;
    for (const Bits width : widths) {
        if (width < whole.src.width) break;
        const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
        if (width == whole.src.width) able.push_back({width, n});  // every block is whole: coordinate 0 lies between two
        else if (n > shape[*dim] || early_refusal(problem, copy, width)) continue;
        else if (const std::optional<std::int64_t> at = place(*dim, n)) able.push_back({width, n, *at});
    }
    if (able.size() < 2) return std::nullopt;
    const Expression end = box.bounds.at(*dim).front().below;
    const auto never_negative = [&](const Expression& e) {
        return smt::nonnegative(smt::asking(z3), e, problem.symbols, problem.facts).answer == smt::Answer::unsat;
    };
    const auto is_behind = [&](std::int64_t coordinate) { return never_negative(end.plus(-coordinate)); };
    const auto is_within = [&](std::int64_t coordinate) { return never_negative(Expression(coordinate) - end); };
    Chooser chooser(shape, *dim, copy.threads, std::move(able), is_behind, copy.zero_fill);
    const Stretches stretches = chooser.best();
    if (stretches.empty() || chooser.rounds(stretches) >= whole.outer) return std::nullopt;
    const Bounds bounds({end, is_behind, is_within}, *dim, whole.src.width, copy.zero_fill ? stretches.front().end() : shape[*dim],
                        copy.zero_fill);
    CopyPlan out{copy.name, participants(copy, problem.launch), box.box, {}};
    for (const Stretch& stretch : stretches) {
        std::optional<Segment> segment =
            box_segment(z3, problem, copy, box, {stretch.by.width, *dim, stretch.begin, stretch.accesses * stretch.by.n});
        if (!segment) return std::nullopt;
        if (copy.zero_fill && stretch.part == Part::tail &&
            !leads_away(*segment, box, *dim, stretch, stretches.front().end() - stretch.begin))
            return std::nullopt;
        const auto is_implied = [&](const Bound& bound) {  // in another dimension, by what is left of that
            const auto other = box.bounds.find(static_cast<std::size_t>(bound.dim));
            const auto implies = [&](const BoxBound& one) { return !one.below.is_constant() && never_negative(bound.below - one.below); };
            return !copy.zero_fill && bound.below.is_constant() && other != box.bounds.end() &&
                   std::any_of(other->second.begin(), other->second.end(), implies);
        };
        segment->predicate.erase(std::remove_if(segment->predicate.begin(), segment->predicate.end(), is_implied),
                                 segment->predicate.end());
        if (stretch.part == Part::tail) begin_at_tail(*segment, box, *dim, stretch.multiple);
        bounds.set(*segment, stretch);
        out.segments.push_back(*std::move(segment));
    }
    return out;
}

}  // namespace tileproof
