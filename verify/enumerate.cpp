// Enumeration: every access and lane of a concrete plan, in plain integers. Complete, and shares with the SMT encoder only
// the address definition and the words of the counterexamples.
//
//   whole    the run of places that an access moves lies straight on both sides, and so do its lanes: its first lane speaks for all
//   lanes    everything else, lane by lane; a block of registers has its own accesses on each side
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/plan_address.hpp"
#include "verify/bit_set_internal.hpp"
#include "verify/judge_internal.hpp"
#include "verify/layout_table_internal.hpp"
#include "verify/parts_internal.hpp"

namespace tileproof {
namespace {

/// One access of a side that runs, and where it starts.
struct Access {
    std::int64_t offset = 0;
    Spot at;
};

/// What the accesses of one segment are judged by, on one side.
struct Limits {
    std::int64_t elements = 1;  // of an access
    std::int64_t capacity = 0;
    std::int64_t element_bits = 8, base_bits = 0, width_bits = 8;
    bool base_may_be_off = false;
    std::int64_t moved = 0;  // bits of a linear offset that must be 0 if a swizzle is to move the access as it is

    Limits(const Judge& judge, std::size_t segment, Side side)
        : elements(judge.access_elements(segment, side)),
          capacity(judge.buffer(side).capacity.count),
          element_bits(judge.element().count),
          base_bits(judge.base_residue(side).count),
          width_bits(judge.plan().segments[segment].side(side).width.count),
          base_may_be_off(!judge.buffer(side).base && to_bits(judge.buffer(side).align).count < width_bits),
          moved(judge.plan().segments[segment].side(side).address.swizzle.is_identity() ? 0 : elements - 1) {}

    bool is_aligned(std::int64_t first) const { return !base_may_be_off && ((base_bits + first * element_bits) & (width_bits - 1)) == 0; }
    bool is_inside(std::int64_t first) const { return first >= 0 && first + elements <= capacity; }
};

/// The box dimension along which lanes step; the last one where the index counts.
std::size_t lane_dim(const Judge& judge) {
    const std::size_t last = judge.box_shape().size() - 1;
    const std::vector<Segment>& segments = judge.plan().segments;
    if (std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return s.flat; })) return last;
    for (const Digit& digit : segments[0].digits)
        if (digit.role == Role::vec && digit.place == 0) return static_cast<std::size_t>(digit.dim);
    return last;
}

/// The run length for the layouts' tables.
std::int64_t lanes_of_a_run(const Judge& judge) {
    const Segment& first = judge.plan().segments[0];
    return is_power_of_two(first.vec) && !is_block(first) ? first.vec : 1;
}

class Enumerator {
public:
    explicit Enumerator(const Judge& judge)
        : judge_(judge),
          shape_(judge.box_shape()),
          order_(box_order(shape_, lane_dim(judge))),
          src_layout_(judge, Side::src, order_, lanes_of_a_run(judge)),
          dst_layout_(judge, Side::dst, order_, lanes_of_a_run(judge)),
          elements_(std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<>())),
          cells_(std::min(judge.buffer(Side::dst).capacity.count, 32 * elements_ + 8192)),
          cell_log2_(judge.cell_log2()),
          covered_(elements_),
          written_(cells_) {
        for (const char* id : searched) findings_.push_back({id, Verdict::proved, {"exhaustive"}});
    }

    std::vector<Finding> run() {
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g)
            each_access(g, [&](const Walk& walk) {
                if (walk.is_block) each_lane_of_block(walk);
                else if (!whole_access(walk)) each_lane(walk);
            });
        if (covered_.count() != elements_) uncovered();
        report_failures();
        if (judge_.copy().src.buffer == judge_.copy().dst.buffer) aliases();
        if (!apart_) writes_that_meet();
        return std::move(findings_);
    }

private:
    /// Where a walk over the accesses of a segment is.
    struct Walk {
        const Segment& segment;
        Spot at;
        Limits src_limits, dst_limits;
        PartTable threads, lanes;
        bool is_block = false;
        std::vector<Lane> src_lanes, dst_lanes;       // of a block
        bool whole = false;                           // an access may be judged by its first lane
        bool inside = false;                          // all lanes are in the box
        std::int64_t src = 0, dst = 0, position = 0;  // of lane 0: linear offsets (not of a flat segment), position
        std::vector<std::int64_t> first{};            // coordinate of lane 0
    };

    /// Calls `visit` for every access that runs, in order.
    template <class Visit>
    void each_access(std::size_t g, const Visit& visit) {
        const Segment& s = judge_.plan().segments[g];
        const std::vector<std::int64_t> weights = s.flat ? std::vector<std::int64_t>{1} : order_.weights;
        const std::vector<std::int64_t> extents = judge_.extents(s);
        const Parts rounds(s, Role::outer, weights), threads(s, Role::thread, weights), lanes(s, Role::vec, weights);
        Walk walk{s, {g, 0, 0, 0}, {judge_, g, Side::src}, {judge_, g, Side::dst}, threads.table(), lanes.table(), is_block(s), {}, {}};
        if (walk.is_block) {
            walk.src_lanes = lanes_by_number(s, Side::src);
            walk.dst_lanes = lanes_by_number(s, Side::dst);
        }
        walk.whole = can_be_whole(walk);
        // Coordinates are sums of independent parts: where their ends meet a bound, all do.
        const auto most = [&](std::size_t dim) { return s.start[dim] + rounds.greatest(dim) + threads.greatest(dim); };
        const bool all_run = std::all_of(s.predicate.begin(), s.predicate.end(), [&](const Bound& b) {
            return b.beyond != Beyond::zeros_behind && most(static_cast<std::size_t>(b.dim)) < b.below;
        });
        bool all_inside = true;
        for (std::size_t i = 0; i < extents.size(); ++i)
            all_inside = all_inside && s.start[i] + rounds.least(i) + threads.least(i) + lanes.least(i) >= 0 &&
                         most(i) + lanes.greatest(i) < extents[i];
        walk.inside = all_inside;
        std::int64_t start = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) start += s.start[i] * weights[i];
        Part round;
        walk.first.resize(extents.size());
        for (walk.at.round = 0; walk.at.round < s.outer; ++walk.at.round) {
            rounds.find(walk.at.round, round);
            const std::int64_t src = s.src.address.offset + round.src, dst = s.dst.address.offset + round.dst,
                               position = start + round.position;
            for (walk.at.thread = 0; walk.at.thread < s.threads; ++walk.at.thread) {
                const auto t = static_cast<std::size_t>(walk.at.thread);
                walk.src = src + walk.threads.src[t];
                walk.dst = dst + walk.threads.dst[t];
                walk.position = position + walk.threads.position[t];
                if (!all_run || !walk.whole || !all_inside) {
                    bool inside = true;
                    for (std::size_t i = 0; i < walk.first.size(); ++i) {
                        const std::int64_t c = walk.first[i] = s.start[i] + round.coordinate[i] + walk.threads.coordinate(t, i);
                        inside = inside && c + lanes.least(i) >= 0 && c + lanes.greatest(i) < extents[i];
                    }
                    walk.inside = inside;
                    const auto runs = [&](const Bound& b) { return lets_run(s, b, walk.first[static_cast<std::size_t>(b.dim)]); };
                    if (!std::all_of(s.predicate.begin(), s.predicate.end(), runs)) continue;
                }
                visit(walk);
            }
        }
    }

    bool can_be_whole(const Walk& walk) const {
        const Segment& s = walk.segment;
        if (s.flat || walk.is_block) return false;
        const auto counts_up = [](const std::vector<std::int64_t>& parts) {
            for (std::size_t v = 0; v < parts.size(); ++v)
                if (parts[v] != static_cast<std::int64_t>(v)) return false;
            return true;
        };
        for (const Side side : both_sides) {
            const LayoutTable& layout = side == Side::src ? src_layout_ : dst_layout_;
            if (s.vec != judge_.access_elements(walk.at.segment, side) || judge_.rounds_down(walk.at.segment, side)) return false;
            if (layout.run() != s.vec || !layout.is_straight() || s.side(side).address.swizzle != judge_.buffer(side).layout.swizzle)
                return false;
        }
        return counts_up(walk.lanes.position) && counts_up(walk.lanes.src) && counts_up(walk.lanes.dst);
    }

    /// Judges an access by its first lane. The others follow: the plan's linear offset, the layout's and the position all grow by 1
    /// from lane to lane, and one swizzle makes both into addresses; it moves a run that starts at a multiple of its length as it
    /// is, since its chunk is no shorter (`rounds_down`). False, with nothing recorded, where that does not hold.
    bool whole_access(const Walk& walk) {
        const std::int64_t n = walk.segment.vec;
        if (!walk.whole || !walk.inside || (walk.position & (n - 1)) != 0) return false;
        if (walk.src != src_layout_.head(walk.position) || walk.dst != dst_layout_.head(walk.position)) return false;
        if (((walk.src & walk.src_limits.moved) | (walk.dst & walk.dst_limits.moved)) != 0) return false;
        covered_.insert(walk.position, walk.position + n);
        start(walk, swizzled(Integers{}, walk.segment.src.address.swizzle, walk.src),
              swizzled(Integers{}, walk.segment.dst.address.swizzle, walk.dst));
        return true;
    }

    /// P of a lane.
    std::int64_t lane_offset(const Walk& walk, Side side, std::size_t lane) const {
        const Segment& s = walk.segment;
        const bool is_src = side == Side::src;
        const std::int64_t linear = s.flat ? planned_linear_offset(Integers{}, s, side, {}, walk.first[0] + walk.lanes.coordinate(lane, 0))
                                           : (is_src ? walk.src + walk.lanes.src[lane] : walk.dst + walk.lanes.dst[lane]);
        return swizzled(Integers{}, s.side(side).address.swizzle, linear);
    }

    /// Position of a lane's place in the box; nothing outside.
    std::optional<std::int64_t> place_of(const Walk& walk, std::size_t lane) const {
        const std::int64_t position = walk.position + walk.lanes.position[lane];
        if (walk.segment.flat) return position < elements_ ? std::optional(position) : std::nullopt;
        for (std::size_t i = 0; i < shape_.size() && !walk.inside; ++i) {
            const std::int64_t c = walk.first[i] + walk.lanes.coordinate(lane, i);
            if (c < 0 || c >= shape_[i]) return std::nullopt;
        }
        return position;
    }

    void each_lane(const Walk& walk) {
        Spot at = walk.at;
        const std::int64_t from = judge_.access_offset(at.segment, Side::src, lane_offset(walk, Side::src, 0));
        const std::int64_t to = judge_.access_offset(at.segment, Side::dst, lane_offset(walk, Side::dst, 0));
        start(walk, from, to);

        const std::int64_t vec = walk.segment.vec, n_src = walk.src_limits.elements, n_dst = walk.dst_limits.elements;
        src_seen_.assign(static_cast<std::size_t>(n_src), -1);
        dst_seen_.assign(static_cast<std::size_t>(n_dst), -1);
        for (at.lane = 0; at.lane < vec; ++at.lane) {
            const auto lane = static_cast<std::size_t>(at.lane);
            const std::int64_t read = lane_offset(walk, Side::src, lane), written = lane_offset(walk, Side::dst, lane);
            contiguous(at, Side::src, vec == n_src, read - from, read - from, src_seen_);
            contiguous(at, Side::dst, vec == n_dst, written - to, read - from, dst_seen_);
            const std::optional<std::int64_t> place = place_of(walk, lane);
            if (!place) {
                refute("predicate", [&] { return judge_.predicate(at); });
                continue;
            }
            covered_.insert(*place, *place + 1);
            const std::int64_t src = src_layout_.offset(*place), dst = dst_layout_.offset(*place);
            if (read != src) refute("address.src", [&] { return judge_.address(at, Side::src); });
            if (written != dst) refute("address.dst", [&] { return judge_.address(at, Side::dst); });
            if (src - from != dst - to || dst - to < 0 || dst - to >= n_dst)
                refute("same-element", [&] { return judge_.same_element(at); });
        }
    }

    /// Each lane is judged on both sides by where the access starts that has it there.
    void each_lane_of_block(const Walk& walk) {
        Spot at = walk.at;
        const auto vec = static_cast<std::size_t>(walk.segment.vec);
        lanes_ += walk.segment.vec;
        starts_.resize(2 * vec);
        for (const Side side : both_sides) {
            const bool is_src = side == Side::src;
            const std::vector<Lane>& lanes = is_src ? walk.src_lanes : walk.dst_lanes;
            const Limits& limits = is_src ? walk.src_limits : walk.dst_limits;
            const bool has_all = lanes_of(walk.segment, side) == limits.elements;
            for (at.lane = 0; at.lane < walk.segment.vec; ++at.lane) {
                const auto lane = static_cast<std::size_t>(at.lane);
                const bool is_head = lanes[lane].head == at.lane;
                const std::int64_t offset = lane_offset(walk, side, lane);
                // Heads come before the other lanes of their accesses.
                std::int64_t& from = starts_[2 * lane + (is_src ? 0 : 1)];
                from = is_head ? judge_.access_offset(at.segment, side, offset)
                               : starts_[2 * static_cast<std::size_t>(lanes[lane].head) + (is_src ? 0 : 1)];
                if (is_head) is_src ? reads(at, limits, from) : writes(at, limits, from);
                if (!has_all || offset - from != lanes[lane].place)
                    refute(is_src ? "contiguous.src" : "contiguous.dst", [&] { return judge_.contiguous(at, side, at.lane); });
            }
        }
        for (at.lane = 0; at.lane < walk.segment.vec; ++at.lane) {
            const auto lane = static_cast<std::size_t>(at.lane);
            const std::optional<std::int64_t> place = place_of(walk, lane);
            if (!place) {
                refute("predicate", [&] { return judge_.predicate(at); });
                continue;
            }
            covered_.insert(*place, *place + 1);
            const std::int64_t src = src_layout_.offset(*place), dst = dst_layout_.offset(*place);
            if (lane_offset(walk, Side::src, lane) != src) refute("address.src", [&] { return judge_.address(at, Side::src); });
            if (lane_offset(walk, Side::dst, lane) != dst) refute("address.dst", [&] { return judge_.address(at, Side::dst); });
            if (src - starts_[2 * lane] != walk.src_lanes[lane].place || dst - starts_[2 * lane + 1] != walk.dst_lanes[lane].place)
                refute("same-element", [&] { return judge_.same_element(at); });
        }
    }

    void contiguous(const Spot& at, Side side, bool lanes_fit, std::int64_t place, std::int64_t source_place,
                    std::vector<std::int64_t>& seen) {
        const char* id = side == Side::src ? "contiguous.src" : "contiguous.dst";
        if (!lanes_fit || place < 0 || place >= static_cast<std::int64_t>(seen.size()))
            return refute(id, [&] { return judge_.contiguous(at, side, at.lane); });
        std::int64_t& lane = seen[static_cast<std::size_t>(place)];
        if (lane >= 0) return refute(id, [&] { return judge_.contiguous(at, side, lane); });
        lane = at.lane;
        if (place != source_place) refute(id, [&] { return judge_.contiguous(at, side, at.lane); });
    }

    /// What concerns an access as a whole: where it starts on each side, and what it writes.
    void start(const Walk& walk, std::int64_t from, std::int64_t to) {
        lanes_ += walk.segment.vec;
        reads(walk.at, walk.src_limits, from);
        writes(walk.at, walk.dst_limits, to);
    }

    void reads(const Spot& at, const Limits& limits, std::int64_t from) {
        ++reads_;
        if (!limits.is_aligned(from)) refute("aligned.src", [&] { return judge_.aligned(at, Side::src); });
        if (!limits.is_inside(from)) refute("bounds.src", [&] { return judge_.bounds(at, Side::src); });
    }

    void writes(const Spot& at, const Limits& limits, std::int64_t to) {
        ++writes_;
        if (!limits.is_aligned(to)) refute("aligned.dst", [&] { return judge_.aligned(at, Side::dst); });
        if (!limits.is_inside(to)) refute("bounds.dst", [&] { return judge_.bounds(at, Side::dst); });
        const std::int64_t begin = first_cell(to), end = end_cell(to, limits.elements);
        if (begin < 0 || end > cells_ || !written_.insert(begin, end)) apart_ = false;
    }

    // The cells that an access writes.
    std::int64_t first_cell(std::int64_t to) const { return to >> cell_log2_; }
    std::int64_t end_cell(std::int64_t to, std::int64_t elements) const { return ((to + elements - 1) >> cell_log2_) + 1; }
    std::int64_t begin(const Access& a) const { return first_cell(a.offset); }
    std::int64_t end(const Access& a) const { return end_cell(a.offset, judge_.access_elements(a.at.segment, Side::dst)); }

    /// Every access of a side that runs, in order. Only conditions on two of them look at all.
    std::vector<Access> accesses(Side side) {
        std::vector<Access> out;
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g) {
            const std::vector<std::int64_t> heads = heads_of(judge_.plan().segments[g], side);
            each_access(g, [&](const Walk& walk) {
                Spot at = walk.at;
                for (const std::int64_t head : heads) {
                    at.lane = head;
                    out.push_back({judge_.access_offset(g, side, lane_offset(walk, side, static_cast<std::size_t>(head))), at});
                }
            });
        }
        return out;
    }

    static bool is_lower(const Access& a, const Access& b) {
        return std::tie(a.offset, a.at.segment, a.at.round, a.at.thread, a.at.lane) <
               std::tie(b.offset, b.at.segment, b.at.round, b.at.thread, b.at.lane);
    }

    /// Two accesses that write a common cell, if there are. Asked where `written_` could not tell.
    void writes_that_meet() {
        std::vector<Access> all = accesses(Side::dst);
        std::sort(all.begin(), all.end(), is_lower);
        for (std::size_t i = 1; i < all.size(); ++i)  // if none meets the one before it, none meets any
            if (begin(all[i]) < end(all[i - 1])) return refute("disjoint", [&] { return judge_.disjoint(all[i - 1].at, all[i].at); });
    }

    /// In one buffer, a read that meets a write of another thread or of an earlier round.
    void aliases() {
        const std::vector<Access> writes = accesses(Side::dst);
        std::int64_t longest = 0;  // elements of a read
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g) longest = std::max(longest, judge_.access_elements(g, Side::src));
        std::vector<Access> reads = accesses(Side::src);
        std::sort(reads.begin(), reads.end(), is_lower);
        for (const Access& write : writes) {
            // Reads that start before this end before the first cell that is written.
            const std::int64_t least = (begin(write) << cell_log2_) - longest;
            auto read = std::lower_bound(reads.begin(), reads.end(), least, [](const Access& a, std::int64_t at) { return a.offset < at; });
            for (; read != reads.end() && first_cell(read->offset) < end(write); ++read)
                if (auto found = judge_.no_alias(write.at, read->at)) return refute("no-alias", [&] { return found; });
        }
    }

    /// Counts the elements that no access moves, in the order of the box.
    void uncovered() {
        std::vector<std::int64_t> at(shape_.size(), 0);
        for (;;) {
            if (!covered_.contains(std::inner_product(at.begin(), at.end(), order_.weights.begin(), std::int64_t{0})))
                refute("covers", [&] { return judge_.missing(at); });
            std::size_t i = at.size();
            while (i > 0 && ++at[i - 1] == shape_[i - 1]) at[--i] = 0;
            if (i == 0) return;
        }
    }

    /// One failure of an obligation. The first becomes the counterexample, the others are counted.
    template <class MakeCounterexample>
    void refute(std::string_view id, const MakeCounterexample& counterexample) {
        const auto finding = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.obligation == id; });
        ++failures_[static_cast<std::size_t>(finding - findings_.begin())];
        if (finding->verdict == Verdict::refuted) return;
        finding->verdict = Verdict::refuted;
        finding->counterexample = counterexample();
        TILEPROOF_CHECK(finding->counterexample.has_value());
    }

    /// Failures so far, out of all. Of pairs of accesses only the first that clash are looked for.
    void report_failures() {
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            if (failures_[i] == 0) continue;
            const std::string_view id = findings_[i].obligation;
            if (id == "covers") findings_[i].failures = {failures_[i], elements_, "elements"};
            else if (id.rfind("bounds", 0) == 0 || id.rfind("aligned", 0) == 0)
                findings_[i].failures = {failures_[i], id.ends_with(".src") ? reads_ : writes_, "accesses"};
            else findings_[i].failures = {failures_[i], lanes_, "lanes"};
        }
    }

    const Judge& judge_;
    const std::vector<std::int64_t>& shape_;
    const BoxOrder order_;
    const LayoutTable src_layout_, dst_layout_;  // L
    const std::int64_t elements_;                // of the box
    const std::int64_t cells_;                   // of the destination, as far as `written_` goes
    const int cell_log2_;
    BitSet covered_, written_;
    bool apart_ = true;                                // no cell was written twice, and none that `written_` does not have
    std::int64_t reads_ = 0, writes_ = 0, lanes_ = 0;  // that run
    std::vector<Finding> findings_;
    std::array<std::int64_t, searched.size()> failures_{};  // of each finding
    std::vector<std::int64_t> src_seen_, dst_seen_;         // place in the access -> lane
    std::vector<std::int64_t> starts_;                      // of the access that has a lane of a block, on both sides
};

}  // namespace

std::vector<Finding> enumerate(const Judge& judge) { return Enumerator(judge).run(); }

}  // namespace tileproof
