// Enumeration: every access and lane of a concrete plan, in plain integers. Complete, and shares with the SMT encoder only
// the address definition and the words of the counterexamples.
//
// Offsets and coordinates are sums over digits, so those of (f, t, v) are the sums of a part for f, one for t and one for v.
// In a flat segment that holds for the index, and offsets are computed from it.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "layouts/address.hpp"
#include "layouts/box.hpp"
#include "layouts/plan_address.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {
namespace {

/// What one value of f, t or v adds: to the linear offset of each side, to each box coordinate and to the row-major index of the box.
struct Part {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    std::int64_t index = 0;
    std::vector<std::int64_t> coordinate;
};

/// `weights`: of the coordinates in the index.
std::vector<Part> parts(const Segment& segment, Role role, std::int64_t count, const std::vector<std::int64_t>& weights) {
    std::vector<Part> out;
    out.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t> digits = digits_at(segment, role == Role::outer ? i : 0, role == Role::thread ? i : 0, role == Role::vec ? i : 0);
        Part part{0, 0, 0, std::vector<std::int64_t>(segment.start.size(), 0)};
        for (std::size_t k = 0; k < digits.size(); ++k) {
            if (segment.digits[k].role != role) continue;
            if (!segment.flat) {
                part.src += segment.src.address.strides[k] * digits[k];
                part.dst += segment.dst.address.strides[k] * digits[k];
            }
            part.coordinate[static_cast<std::size_t>(segment.digits[k].dim)] += segment.digits[k].weight * digits[k];
        }
        for (std::size_t j = 0; j < weights.size(); ++j) part.index += part.coordinate[j] * weights[j];
        out.push_back(std::move(part));
    }
    return out;
}

/// Weight of each coordinate in the row-major index.
std::vector<std::int64_t> row_major_weights(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) out[i - 1] = out[i] * shape[i];
    return out;
}

/// The offsets that the layout of one side gives the box, in row-major order. Logical coordinates are sums over the box dimensions;
/// where no iter straddles two logical dimensions, linear offsets are sums over those, so each needs one table.
class LayoutTable {
public:
    LayoutTable(const Judge& judge, Side side) : judge_(judge), side_(side), layout_(judge.buffer(side).layout), shape_(judge.box_shape()) {}

    std::vector<std::int64_t> offsets() {
        const std::int64_t rows = product(shape_) / shape_.back();
        std::vector<std::int64_t> at(shape_.size(), 0), out;
        out.reserve(static_cast<std::size_t>(product(shape_)));
        const bool by_dimension = split_modes(layout_).has_value();
        for (std::int64_t row = 0; row < rows; ++row) {
            at.back() = 0;
            by_dimension ? add_row(at, out) : add_row_by_definition(at, out);
            for (std::size_t i = at.size() - 1; i-- > 0 && ++at[i] == shape_[i];) at[i] = 0;
        }
        return out;
    }

private:
    static std::int64_t product(const std::vector<std::int64_t>& numbers) {
        std::int64_t out = 1;
        for (const std::int64_t n : numbers) out *= n;
        return out;
    }

    void add_row_by_definition(std::vector<std::int64_t>& at, std::vector<std::int64_t>& out) const {
        for (; at.back() < shape_.back(); ++at.back()) out.push_back(judge_.layout_offset(at, side_));
    }

    void add_row(std::vector<std::int64_t>& at, std::vector<std::int64_t>& out) {
        if (modes_.empty()) make_tables();
        const std::vector<std::int64_t> first = logical_coordinate(judge_.copy(), side_, judge_.plan().box, at);
        std::int64_t fixed = layout_.offset;  // of the dimensions that do not change along the row
        for (std::size_t i = 0; i < first.size(); ++i)
            if (std::find(moving_.begin(), moving_.end(), i) == moving_.end()) fixed += modes_[i][static_cast<std::size_t>(first[i])];
        for (std::size_t c = 0; c < static_cast<std::size_t>(shape_.back()); ++c) {
            std::int64_t offset = fixed;
            for (std::size_t m = 0; m < moving_.size(); ++m) offset += modes_[moving_[m]][static_cast<std::size_t>(first[moving_[m]] + steps_[m][c])];
            out.push_back(swizzled(Integers{}, layout_.swizzle, offset));
        }
    }

    /// modes_[i][x]: what logical dimension i adds at coordinate x; steps_: how the logical coordinates change along a row.
    void make_tables() {
        const Region& region = operand(judge_.copy(), side_).region;
        std::vector<std::int64_t> at(layout_.shape.size(), 0);
        for (std::size_t i = 0; i < at.size(); ++i) {
            modes_.emplace_back(static_cast<std::size_t>(region.start[i] + region.extent[i]));
            for (at[i] = region.start[i]; at[i] < region.start[i] + region.extent[i]; ++at[i])
                modes_[i][static_cast<std::size_t>(at[i])] = linear_offset(layout_, at) - layout_.offset;
            at[i] = 0;
        }
        const std::vector<std::size_t> dims = dense(region).dims;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            // The row's index splits into the factors of the last box dimension, innermost first.
            std::vector<std::int64_t> steps{0};
            bool moves = false;
            const std::vector<BoxFactor>& factors = judge_.plan().box.dims.back();
            for (std::size_t k = factors.size(); k-- > 0;) {
                const bool mine = factors[k].dim == static_cast<int>(i);
                moves = moves || mine;
                const std::size_t inner = steps.size();
                for (std::int64_t digit = 1; digit < factors[k].extent; ++digit)
                    for (std::size_t x = 0; x < inner; ++x) steps.push_back(steps[x] + (mine ? digit * factors[k].weight : 0));
            }
            if (!moves) continue;
            moving_.push_back(dims[i]);
            steps_.push_back(std::move(steps));
        }
    }

    const Judge& judge_;
    Side side_;
    const Layout& layout_;
    const std::vector<std::int64_t>& shape_;
    std::vector<std::vector<std::int64_t>> modes_, steps_;
    std::vector<std::size_t> moving_;
};

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
        layout_src_ = LayoutTable(judge, Side::src).offsets();
        layout_dst_ = LayoutTable(judge, Side::dst).offsets();
        covered_.assign(layout_src_.size(), 0);
    }

    std::vector<Finding> run() {
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g) visit(g);
        for (std::size_t k = 0; k < covered_.size(); ++k)
            if (covered_[k] == 0) refute("covers", [&] { return judge_.missing(box_coordinate(static_cast<std::int64_t>(k))); });
        report_failures();
        pairs();
        return std::move(findings_);
    }

private:
    std::vector<std::int64_t> box_coordinate(std::int64_t index) const {
        std::vector<std::int64_t> out(shape_.size());
        for (std::size_t i = out.size(); i-- > 0; index /= shape_[i]) out[i] = index % shape_[i];
        return out;
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
        const auto accesses = static_cast<std::int64_t>(accesses_.size()), elements = static_cast<std::int64_t>(covered_.size());
        std::int64_t lanes = 0;
        for (const Access& access : accesses_) lanes += judge_.plan().segments[access.at.segment].vec;
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            if (failures_[i] == 0) continue;
            const std::string_view id = findings_[i].obligation;
            if (id == "covers") findings_[i].failures = {failures_[i], elements, "elements"};
            else if (id.rfind("bounds", 0) == 0 || id.rfind("aligned", 0) == 0) findings_[i].failures = {failures_[i], accesses, "accesses"};
            else findings_[i].failures = {failures_[i], lanes, "lanes"};
        }
    }

    void visit(std::size_t g) {
        const Segment& s = judge_.plan().segments[g];
        const std::vector<std::int64_t> weights = s.flat ? std::vector<std::int64_t>{1} : row_major_weights(shape_);
        const std::vector<Part> rounds = parts(s, Role::outer, s.outer, weights), threads = parts(s, Role::thread, s.threads, weights), lanes = parts(s, Role::vec, s.vec, weights);
        const std::vector<std::int64_t> extents = judge_.extents(s);
        least_.assign(extents.size(), 0);  // how far the lanes reach from lane 0, in each coordinate
        greatest_.assign(extents.size(), 0);
        for (const Part& lane : lanes) {
            for (std::size_t i = 0; i < extents.size(); ++i) {
                least_[i] = std::min(least_[i], lane.coordinate[i]);
                greatest_[i] = std::max(greatest_[i], lane.coordinate[i]);
            }
        }
        plain_ = true;
        for (const Side side : both_sides) plain_ = plain_ && s.vec == judge_.access_elements(g, side) && !judge_.rounds_down(g, side);
        accesses_.reserve(accesses_.size() + static_cast<std::size_t>(s.outer * s.threads));
        std::vector<std::int64_t> first(extents.size());
        for (std::int64_t f = 0; f < s.outer; ++f) {
            for (std::int64_t t = 0; t < s.threads; ++t) {
                const Part& round = rounds[static_cast<std::size_t>(f)];
                const Part& thread = threads[static_cast<std::size_t>(t)];
                bool inside = true;
                std::int64_t index = round.index + thread.index;
                for (std::size_t i = 0; i < first.size(); ++i) {
                    first[i] = s.start[i] + round.coordinate[i] + thread.coordinate[i];
                    inside = inside && first[i] + least_[i] >= 0 && first[i] + greatest_[i] < extents[i];
                    index += s.start[i] * weights[i];
                }
                const bool runs = std::all_of(s.predicate.begin(), s.predicate.end(), [&](const Bound& b) { return first[static_cast<std::size_t>(b.dim)] < b.below; });
                if (!runs) continue;
                const std::int64_t src = round.src + thread.src, dst = round.dst + thread.dst;
                if (s.flat || !inside || !plain_access(s, {g, f, t, 0}, src, dst, index, lanes)) access(s, {g, f, t, 0}, src, dst, first, lanes);
            }
        }
    }

    /// The usual case in one pass: every lane inside the box, in its place, where the layouts say. False where anything is unusual,
    /// with nothing recorded; `access` then looks at the conditions one by one.
    bool plain_access(const Segment& s, const Spot& at, std::int64_t src, std::int64_t dst, std::int64_t index, const std::vector<Part>& lanes) {
        if (!plain_) return false;
        const AddressPlan& src_address = s.src.address;
        const AddressPlan& dst_address = s.dst.address;
        src += src_address.offset;
        dst += dst_address.offset;
        const std::int64_t from = swizzled(Integers{}, src_address.swizzle, src), to = swizzled(Integers{}, dst_address.swizzle, dst);
        for (std::size_t v = 0; v < lanes.size(); ++v) {
            const auto k = static_cast<std::size_t>(index + lanes[v].index);
            const auto place = static_cast<std::int64_t>(v);
            const std::int64_t read = swizzled(Integers{}, src_address.swizzle, src + lanes[v].src), written = swizzled(Integers{}, dst_address.swizzle, dst + lanes[v].dst);
            if (read != from + place || written != to + place || layout_src_[k] != read || layout_dst_[k] != written) return false;
        }
        for (const Part& lane : lanes) covered_[static_cast<std::size_t>(index + lane.index)] = 1;
        accesses_.push_back({from, to, at});
        one_side(s, at, Side::src, from);
        one_side(s, at, Side::dst, to);
        return true;
    }

    /// P of a lane, given what its round and thread add (not for flat segments) and the coordinate or index at lane 0.
    static std::int64_t lane_offset(const Segment& s, Side side, std::int64_t sum, const std::vector<std::int64_t>& first, const Part& lane) {
        const AddressPlan& address = s.side(side).address;
        const std::int64_t linear = s.flat ? planned_linear_offset(Integers{}, s, side, {}, first[0] + lane.coordinate[0])
                                           : address.offset + sum + (side == Side::src ? lane.src : lane.dst);
        return swizzled(Integers{}, address.swizzle, linear);
    }

    /// Row-major index of a lane's coordinate in the box; nothing outside.
    std::optional<std::size_t> index_of(const Segment& s, const std::vector<std::int64_t>& first, const Part& lane) const {
        if (s.flat) {
            const std::int64_t index = first[0] + lane.coordinate[0];
            return index < static_cast<std::int64_t>(covered_.size()) ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
        }
        std::int64_t index = 0;
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            const std::int64_t c = first[i] + lane.coordinate[i];
            if (c < 0 || c >= shape_[i]) return std::nullopt;
            index = index * shape_[i] + c;
        }
        return static_cast<std::size_t>(index);
    }

    void access(const Segment& s, Spot at, std::int64_t src, std::int64_t dst, const std::vector<std::int64_t>& first, const std::vector<Part>& lanes) {
        const std::int64_t from = judge_.access_offset(at.segment, Side::src, lane_offset(s, Side::src, src, first, lanes[0]));
        const std::int64_t to = judge_.access_offset(at.segment, Side::dst, lane_offset(s, Side::dst, dst, first, lanes[0]));
        accesses_.push_back({from, to, at});
        one_side(s, at, Side::src, from);
        one_side(s, at, Side::dst, to);

        const std::int64_t n_src = judge_.access_elements(at.segment, Side::src), n_dst = judge_.access_elements(at.segment, Side::dst);
        src_seen_.assign(static_cast<std::size_t>(n_src), -1);
        dst_seen_.assign(static_cast<std::size_t>(n_dst), -1);
        for (at.lane = 0; at.lane < s.vec; ++at.lane) {
            const Part& lane = lanes[static_cast<std::size_t>(at.lane)];
            const std::int64_t read = lane_offset(s, Side::src, src, first, lane), written = lane_offset(s, Side::dst, dst, first, lane);
            contiguous(at, Side::src, s.vec == n_src, read - from, read - from, src_seen_);
            contiguous(at, Side::dst, s.vec == n_dst, written - to, read - from, dst_seen_);
            const std::optional<std::size_t> inside = index_of(s, first, lane);
            if (!inside) {
                refute("predicate", [&] { return judge_.predicate(at); });
                continue;
            }
            const std::size_t k = *inside;
            covered_[k] = 1;
            if (read != layout_src_[k]) refute("address.src", [&] { return judge_.address(at, Side::src); });
            if (written != layout_dst_[k]) refute("address.dst", [&] { return judge_.address(at, Side::dst); });
            const std::int64_t place = layout_dst_[k] - to;
            if (layout_src_[k] - from != place || place < 0 || place >= n_dst) refute("same-element", [&] { return judge_.same_element(at); });
        }
    }

    void one_side(const Segment& s, const Spot& at, Side side, std::int64_t first) {
        const Buffer& buffer = judge_.buffer(side);
        const Bits width = s.side(side).width;
        const bool base_may_be_off = !buffer.base && to_bits(buffer.align) < width;
        if (base_may_be_off || judge_.address_at(side, first) % width != Bits{0})
            refute(side == Side::src ? "aligned.src" : "aligned.dst", [&] { return judge_.aligned(at, side); });
        if (first < 0 || first + judge_.access_elements(at.segment, side) > buffer.capacity.count)
            refute(side == Side::src ? "bounds.src" : "bounds.dst", [&] { return judge_.bounds(at, side); });
    }

    void contiguous(const Spot& at, Side side, bool lanes_fit, std::int64_t place, std::int64_t source_place, std::vector<std::int64_t>& seen) {
        const char* id = side == Side::src ? "contiguous.src" : "contiguous.dst";
        if (!lanes_fit || place < 0 || place >= static_cast<std::int64_t>(seen.size())) return refute(id, [&] { return judge_.contiguous(at, side, at.lane); });
        std::int64_t& lane = seen[static_cast<std::size_t>(place)];
        if (lane >= 0) return refute(id, [&] { return judge_.contiguous(at, side, lane); });
        lane = at.lane;
        if (place != source_place) refute(id, [&] { return judge_.contiguous(at, side, at.lane); });
    }

    /// Conditions on two accesses: by a table of the destination where it is dense, else by sorting the starts.
    void pairs() {
        if (judge_.copy().src.buffer == judge_.copy().dst.buffer) aliases();
        if (!apart_in_table()) sort_and_compare();
    }

    /// True if every destination cell is written at most once. False: look closer.
    bool apart_in_table() const {
        std::int64_t least = 0, greatest = 0;
        for (const Access& a : accesses_) {
            least = std::min(least, begin(a));
            greatest = std::max(greatest, end(a));
        }
        if (least < 0 || greatest > 4 * static_cast<std::int64_t>(covered_.size()) + 1024) return false;
        std::vector<std::uint8_t> written(static_cast<std::size_t>(greatest), 0);
        for (const Access& a : accesses_) {
            std::uint8_t before = 0;
            for (std::int64_t i = begin(a); i < end(a); ++i) before |= std::exchange(written[static_cast<std::size_t>(i)], std::uint8_t{1});
            if (before != 0) return false;
        }
        return true;
    }

    void sort_and_compare() {
        std::sort(accesses_.begin(), accesses_.end(), [](const Access& a, const Access& b) { return std::tie(a.dst, a.at.segment, a.at.round, a.at.thread) < std::tie(b.dst, b.at.segment, b.at.round, b.at.thread); });
        for (std::size_t i = 1, farthest = 0; i < accesses_.size(); ++i) {
            if (begin(accesses_[i]) < end(accesses_[farthest])) return refute("disjoint", [&] { return judge_.disjoint(accesses_[farthest].at, accesses_[i].at); });
            if (end(accesses_[i]) > end(accesses_[farthest])) farthest = i;
        }
    }

    // The cells that an access writes.
    std::int64_t begin(const Access& a) const { return a.dst >> judge_.cell_log2(); }
    std::int64_t end(const Access& a) const { return ((a.dst + judge_.access_elements(a.at.segment, Side::dst) - 1) >> judge_.cell_log2()) + 1; }

    void aliases() {
        std::int64_t longest = 0;  // elements of a read
        for (std::size_t g = 0; g < judge_.plan().segments.size(); ++g) longest = std::max(longest, judge_.access_elements(g, Side::src));
        std::vector<Access> reads = accesses_;
        std::sort(reads.begin(), reads.end(), [](const Access& a, const Access& b) { return std::tie(a.src, a.at.segment, a.at.round, a.at.thread) < std::tie(b.src, b.at.segment, b.at.round, b.at.thread); });
        for (const Access& write : accesses_) {
            // Reads that start before this end before the first cell that is written.
            const std::int64_t least = (begin(write) << judge_.cell_log2()) - longest;
            auto read = std::lower_bound(reads.begin(), reads.end(), least, [](const Access& a, std::int64_t at) { return a.src < at; });
            for (; read != reads.end() && read->src >> judge_.cell_log2() < end(write); ++read)
                if (auto found = judge_.no_alias(write.at, read->at)) return refute("no-alias", [&] { return found; });
        }
    }

    const Judge& judge_;
    std::vector<std::int64_t> shape_;
    std::vector<Finding> findings_;
    std::array<std::int64_t, searched.size()> failures_{};  // of each finding
    std::vector<std::uint8_t> covered_;
    std::vector<std::int64_t> layout_src_, layout_dst_;  // L of every box coordinate, row-major
    std::vector<Access> accesses_;
    std::vector<std::int64_t> least_, greatest_;
    bool plain_ = false;  // the lanes of the segment fill its accesses as they are
    std::vector<std::int64_t> src_seen_, dst_seen_;  // place in the access -> lane
};

}  // namespace

std::vector<Finding> enumerate(const Judge& judge) { return Enumerator(judge).run(); }

}  // namespace tileproof
