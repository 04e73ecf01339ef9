// Enumeration: every access and lane of a concrete plan, in plain integers. Complete, and shares with the SMT encoder only
// the address definition and the words of the counterexamples.
//
// Offsets and coordinates are sums over digits, so those of (f, t, v) are the sums of a part for f, one for t and one for v.
#include <algorithm>
#include <tuple>

#include "layouts/address.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {
namespace {

/// What one value of f, t or v adds: to the linear offset of each side and to each box coordinate.
struct Part {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    std::vector<std::int64_t> coordinate;
};

std::vector<Part> parts(const Segment& segment, Role role, std::int64_t count) {
    std::vector<Part> out;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t> digits = digits_at(segment, role == Role::outer ? i : 0, role == Role::thread ? i : 0, role == Role::vec ? i : 0);
        Part part{0, 0, std::vector<std::int64_t>(segment.start.size(), 0)};
        for (std::size_t k = 0; k < digits.size(); ++k) {
            if (segment.digits[k].role != role) continue;
            part.src += segment.src.address.strides[k] * digits[k];
            part.dst += segment.dst.address.strides[k] * digits[k];
            part.coordinate[static_cast<std::size_t>(segment.digits[k].dim)] += segment.digits[k].weight * digits[k];
        }
        out.push_back(std::move(part));
    }
    return out;
}

/// One access that runs: where it starts on each side.
struct Access {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    Spot at;
};

class Enumerator {
public:
    explicit Enumerator(const Judge& judge) : judge_(judge), shape_(judge.box_shape()) {
        for (const char* id : searched) findings_.push_back({id, Verdict::proved, {"exhaustive"}});
        tabulate_layouts();
    }

    std::vector<Finding> run() {
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g) visit(g);
        const auto missing = std::find(covered_.begin(), covered_.end(), false);
        if (missing != covered_.end()) refute("covers", judge_.missing(box_coordinate(missing - covered_.begin())));
        pairs();
        return std::move(findings_);
    }

private:
    void tabulate_layouts() {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape_) count *= extent;
        covered_.assign(static_cast<std::size_t>(count), false);
        std::vector<std::int64_t> at(shape_.size(), 0);
        for (std::int64_t k = 0; k < count; ++k) {
            layout_src_.push_back(judge_.layout_offset(at, Side::src));
            layout_dst_.push_back(judge_.layout_offset(at, Side::dst));
            for (std::size_t i = at.size(); i-- > 0 && ++at[i] == shape_[i];) at[i] = 0;
        }
    }

    std::vector<std::int64_t> box_coordinate(std::int64_t index) const {
        std::vector<std::int64_t> out(shape_.size());
        for (std::size_t i = out.size(); i-- > 0; index /= shape_[i]) out[i] = index % shape_[i];
        return out;
    }

    void refute(std::string_view id, std::optional<Counterexample> counterexample) {
        const auto finding = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.obligation == id; });
        if (finding->verdict == Verdict::refuted) return;
        TILEPROOF_CHECK(counterexample.has_value());
        finding->verdict = Verdict::refuted;
        finding->counterexample = std::move(counterexample);
    }

    void visit(std::size_t g) {
        const Segment& s = judge_.plan().segments[g];
        const std::vector<Part> rounds = parts(s, Role::outer, s.outer), threads = parts(s, Role::thread, s.threads), lanes = parts(s, Role::vec, s.vec);
        std::vector<std::int64_t> first(shape_.size());
        for (std::int64_t f = 0; f < s.outer; ++f) {
            for (std::int64_t t = 0; t < s.threads; ++t) {
                const Part& round = rounds[static_cast<std::size_t>(f)];
                const Part& thread = threads[static_cast<std::size_t>(t)];
                for (std::size_t i = 0; i < first.size(); ++i) first[i] = s.start[i] + round.coordinate[i] + thread.coordinate[i];
                const bool runs = std::all_of(s.predicate.begin(), s.predicate.end(), [&](const Bound& b) { return first[static_cast<std::size_t>(b.dim)] < b.below; });
                if (runs) access(s, {g, f, t, 0}, round.src + thread.src, round.dst + thread.dst, first, lanes);
            }
        }
    }

    void access(const Segment& s, Spot at, std::int64_t src, std::int64_t dst, const std::vector<std::int64_t>& first, const std::vector<Part>& lanes) {
        const Integers integers;
        src += s.src.address.offset;
        dst += s.dst.address.offset;
        const std::int64_t from = judge_.access_offset(at.segment, Side::src, swizzled(integers, s.src.address.swizzle, src));
        const std::int64_t to = judge_.access_offset(at.segment, Side::dst, swizzled(integers, s.dst.address.swizzle, dst));
        accesses_.push_back({from, to, at});
        one_side(s, at, Side::src, from);
        one_side(s, at, Side::dst, to);

        const std::int64_t n_src = judge_.access_elements(at.segment, Side::src), n_dst = judge_.access_elements(at.segment, Side::dst);
        src_seen_.assign(static_cast<std::size_t>(n_src), -1);
        dst_seen_.assign(static_cast<std::size_t>(n_dst), -1);
        for (at.lane = 0; at.lane < s.vec; ++at.lane) {
            const Part& lane = lanes[static_cast<std::size_t>(at.lane)];
            const std::int64_t read = swizzled(integers, s.src.address.swizzle, src + lane.src), written = swizzled(integers, s.dst.address.swizzle, dst + lane.dst);
            contiguous(at, Side::src, s.vec == n_src, read - from, read - from, src_seen_);
            contiguous(at, Side::dst, s.vec == n_dst, written - to, read - from, dst_seen_);
            std::int64_t index = 0;
            bool inside = true;
            for (std::size_t i = 0; i < shape_.size(); ++i) {
                const std::int64_t c = first[i] + lane.coordinate[i];
                inside = inside && c >= 0 && c < shape_[i];
                index = index * shape_[i] + c;
            }
            if (!inside) {
                refute("predicate", judge_.predicate(at));
                continue;
            }
            const auto k = static_cast<std::size_t>(index);
            covered_[k] = true;
            if (read != layout_src_[k]) refute("address.src", judge_.address(at, Side::src));
            if (written != layout_dst_[k]) refute("address.dst", judge_.address(at, Side::dst));
            const std::int64_t place = layout_dst_[k] - to;
            if (layout_src_[k] - from != place || place < 0 || place >= n_dst) refute("same-element", judge_.same_element(at));
        }
    }

    void one_side(const Segment& s, const Spot& at, Side side, std::int64_t first) {
        const Buffer& buffer = judge_.buffer(side);
        const std::int64_t modulus = to_bytes(s.side(side).width).count;
        const bool base_may_be_off = !buffer.base && buffer.align.count < modulus;
        if (base_may_be_off || (judge_.base_residue(side) + first * judge_.element_bytes()) % modulus != 0)
            refute(side == Side::src ? "aligned.src" : "aligned.dst", judge_.aligned(at, side));
        if (first < 0 || first + judge_.access_elements(at.segment, side) > buffer.capacity.count)
            refute(side == Side::src ? "bounds.src" : "bounds.dst", judge_.bounds(at, side));
    }

    void contiguous(const Spot& at, Side side, bool lanes_fit, std::int64_t place, std::int64_t source_place, std::vector<std::int64_t>& seen) {
        const char* id = side == Side::src ? "contiguous.src" : "contiguous.dst";
        if (!lanes_fit || place < 0 || place >= static_cast<std::int64_t>(seen.size())) return refute(id, judge_.contiguous(at, side, at.lane));
        std::int64_t& lane = seen[static_cast<std::size_t>(place)];
        if (lane >= 0) return refute(id, judge_.contiguous(at, side, lane));
        lane = at.lane;
        if (place != source_place) refute(id, judge_.contiguous(at, side, at.lane));
    }

    /// Conditions on two accesses, by sorting their starts.
    void pairs() {
        if (judge_.copy().src.buffer == judge_.copy().dst.buffer) aliases();
        std::sort(accesses_.begin(), accesses_.end(), [](const Access& a, const Access& b) { return std::tie(a.dst, a.at.segment, a.at.round, a.at.thread) < std::tie(b.dst, b.at.segment, b.at.round, b.at.thread); });
        for (std::size_t i = 1, farthest = 0; i < accesses_.size(); ++i) {
            if (accesses_[i].dst < end(accesses_[farthest])) return refute("disjoint", judge_.disjoint(accesses_[farthest].at, accesses_[i].at));
            if (end(accesses_[i]) > end(accesses_[farthest])) farthest = i;
        }
    }

    std::int64_t end(const Access& a) const { return a.dst + judge_.access_elements(a.at.segment, Side::dst); }

    void aliases() {
        std::vector<Access> reads = accesses_;
        std::sort(reads.begin(), reads.end(), [](const Access& a, const Access& b) { return std::tie(a.src, a.at.segment, a.at.round, a.at.thread) < std::tie(b.src, b.at.segment, b.at.round, b.at.thread); });
        for (const Access& write : accesses_) {
            // No access is longer than 32 elements, so reads that start more than 32 before cannot reach the write.
            auto read = std::lower_bound(reads.begin(), reads.end(), write.dst - 32, [](const Access& a, std::int64_t at) { return a.src < at; });
            for (; read != reads.end() && read->src < end(write); ++read)
                if (auto found = judge_.no_alias(write.at, read->at)) return refute("no-alias", std::move(found));
        }
    }

    const Judge& judge_;
    std::vector<std::int64_t> shape_;
    std::vector<Finding> findings_;
    std::vector<bool> covered_;
    std::vector<std::int64_t> layout_src_, layout_dst_;  // L of every box coordinate, row-major
    std::vector<Access> accesses_;
    std::vector<std::int64_t> src_seen_, dst_seen_;  // place in the access -> lane
};

}  // namespace

std::vector<Finding> enumerate(const Judge& judge) { return Enumerator(judge).run(); }

}  // namespace tileproof
