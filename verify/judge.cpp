#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/wording.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {
namespace {

const char* verb(Side side) { return side == Side::src ? "reads" : "writes"; }

Wide index_limit(int bits) { return Wide{1} << (bits - 1); }

/// Whether some digits of `dim` reach the coordinate `goal` with the bounds on `dim` met at lane 0.
bool reaches(const Segment& segment, std::size_t dim, std::int64_t goal) {
    std::vector<Digit> digits;
    for (const Digit& digit : segment.digits)
        if (digit.dim == static_cast<int>(dim)) digits.push_back(digit);
    std::vector<std::int64_t> at(digits.size(), 0);
    for (;;) {
        std::int64_t first_lane = segment.start[dim], lane = first_lane;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            lane += digits[i].weight * at[i];
            if (digits[i].role != Role::vec) first_lane += digits[i].weight * at[i];
        }
        const bool runs = std::all_of(segment.predicate.begin(), segment.predicate.end(),
                                      [&](const Bound& b) { return b.dim != static_cast<int>(dim) || lets_run(segment, b, first_lane); });
        if (lane == goal && runs) return true;
        std::size_t i = 0;
        while (i < at.size() && ++at[i] == digits[i].extent) at[i++] = 0;
        if (i == at.size()) return false;
    }
}

}  // namespace

Judge::Judge(const Problem& problem, const Copy& copy, const CopyPlan& plan)
    : problem_(problem), copy_(copy), plan_(plan), shape_(plan.box.shape()) {}

std::vector<std::int64_t> Judge::extents(const Segment& segment) const {
    if (!segment.flat) return shape_;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape_) count *= extent;
    return {count};
}

std::int64_t Judge::access_elements(std::size_t segment, Side side) const {
    return plan_.segments[segment].side(side).width / buffer(side).dtype.size;
}

bool Judge::rounds_down(std::size_t segment, Side side) const {
    const Swizzle& swizzle = plan_.segments[segment].side(side).address.swizzle;
    return !swizzle.is_identity() && (std::int64_t{1} << swizzle.base_log2) < access_elements(segment, side);
}

std::int64_t Judge::access_offset(std::size_t segment, Side side, std::int64_t first_lane) const {
    const std::int64_t n = access_elements(segment, side);
    if (!rounds_down(segment, side)) return first_lane;
    const std::int64_t shifted = first_lane + base_residue(side) / element();
    return first_lane - ((shifted % n) + n) % n;
}

bool Judge::meet(std::int64_t a, std::int64_t a_elements, std::int64_t b, std::int64_t b_elements) const {
    const int log2 = cell_log2();  // shifts of negative numbers round down
    return a >> log2 <= (b + b_elements - 1) >> log2 && b >> log2 <= (a + a_elements - 1) >> log2;
}

bool Judge::active(const Spot& at) const { return is_active(segment(at), digits_at(segment(at), at.round, at.thread, 0)); }

bool Judge::inside(const std::vector<std::int64_t>& box_coordinate) const {
    for (std::size_t i = 0; i < shape_.size(); ++i)
        if (box_coordinate[i] < 0 || box_coordinate[i] >= shape_[i]) return false;
    return true;
}

std::vector<std::int64_t> Judge::box_coordinate(const Spot& at) const {
    const std::vector<std::int64_t> at_digits = coordinate(segment(at), digits_at(segment(at), at.round, at.thread, at.lane));
    return segment(at).flat ? unravel(shape_, at_digits[0]) : at_digits;
}

std::int64_t Judge::lane_offset(const Spot& at, Side side) const {
    return planned_offset(segment(at), side, digits_at(segment(at), at.round, at.thread, at.lane));
}

std::int64_t Judge::access_offset(const Spot& at, Side side) const {
    return access_offset(at.segment, side, lane_offset(head(at, side), side));
}

Spot Judge::head(const Spot& at, Side side) const { return {at.segment, at.round, at.thread, lane_of(segment(at), side, at.lane).head}; }

std::int64_t Judge::layout_offset(const std::vector<std::int64_t>& box_coordinate, Side side) const {
    return element_offset(buffer(side).layout, logical_coordinate(copy_, side, plan_.box, box_coordinate));
}

std::string Judge::who(const Spot& at) const { return fmt::format("thread {} in round {}", at.thread, at.round); }

std::string Judge::who(const Spot& at, Side side) const {
    const std::vector<std::int64_t> heads = heads_of(segment(at), side);
    if (heads.size() == 1) return who(at);
    const auto number = std::find(heads.begin(), heads.end(), head(at, side).lane) - heads.begin();
    return fmt::format("{} (access {} of {})", who(at), number + 1, heads.size());
}

Counterexample Judge::found(const Spot& at, std::string text, std::optional<Side> side) const {
    Counterexample out;
    out.text = std::move(text);
    out.side = side;
    if (plan_.segments.size() > 1) out.segment = static_cast<std::int64_t>(at.segment);
    out.round = at.round;
    out.thread = at.thread;
    out.lane = at.lane;
    const std::vector<std::int64_t> box = box_coordinate(at);
    if (inside(box)) {
        const std::vector<std::int64_t> logical = logical_coordinate(copy_, Side::src, plan_.box, box);
        for (const std::size_t dim : dense(copy_.src.region).dims) out.coordinate.push_back(logical[dim] - copy_.src.region.start[dim]);
    }
    if (side) out.address = address_at(*side, lane_offset(at, *side));
    return out;
}

std::optional<Counterexample> Judge::overflow(std::size_t segment, Side side) const {
    const Segment& s = plan_.segments[segment];
    const AddressPlan& address = s.side(side).address;
    Wide positive = std::max<std::int64_t>(address.offset, 0), negative = std::min<std::int64_t>(address.offset, 0);
    const auto add = [&](std::int64_t stride, Wide most) { (stride > 0 ? positive : negative) += stride * most; };
    for (std::size_t i = 0; i < address.strides.size(); ++i) add(address.strides[i], s.digits[i].extent - 1);
    for (const FlatTerm& term : address.terms) add(term.stride, term.mod - 1);
    // What a flat term divides is computed in the same width, in elements.
    Wide divided = 0;
    if (s.flat) {
        Wide index = s.start[0];
        for (const Digit& digit : s.digits) index += Wide{digit.weight} * (digit.extent - 1);
        divided = index;
        for (const FlatTerm& term : address.terms) {
            Wide sum = term.add;
            for (const IndexPart& part : term.of) sum += Wide{part.times} * (part.mod - 1);
            divided = std::max(divided, sum);
        }
    }
    positive += Wide{access_elements(segment, side)} + (Wide{1} << address.swizzle.period_log2());
    const std::int64_t scale = std::max<std::int64_t>(1, element() / Bits{8});  // several elements of a byte are counted as elements
    const Wide limit = index_limit(address.index_bits);
    if (divided < limit && positive * scale < limit && -negative * scale < limit) return std::nullopt;
    const Spot last{segment, s.outer - 1, s.threads - 1, s.vec - 1};
    return found(last, fmt::format("the {} address of {} may leave {} bits", to_string(side), who(last), address.index_bits), side);
}

std::optional<Counterexample> Judge::address(const Spot& at, Side side) const {
    const std::vector<std::int64_t> box = box_coordinate(at);
    if (!active(at) || !inside(box)) return std::nullopt;
    const std::int64_t planned = lane_offset(at, side), expected = layout_offset(box, side);
    if (planned == expected) return std::nullopt;
    Counterexample out = found(at, "", side);
    out.text = fmt::format("{}, lane {}, {} element ({}) of the region at element offset {} of {}; its layout puts it at {}", who(at),
                           at.lane, verb(side), fmt::join(out.coordinate, ","), planned, buffer(side).name, expected);
    return out;
}

std::optional<Counterexample> Judge::bounds(const Spot& at, Side side) const { return bounds(at, side, access_offset(at, side)); }

std::optional<Counterexample> Judge::bounds(const Spot& at, Side side, std::int64_t first) const {
    if (!active(at)) return std::nullopt;
    const std::int64_t n = access_elements(at.segment, side);
    if (first >= 0 && first + n <= buffer(side).capacity.count) return std::nullopt;
    Counterexample out = found(at,
                               fmt::format("{} {} elements {}..{} of {}, which has {}", who(at, side), verb(side), first, first + n - 1,
                                           buffer(side).name, buffer(side).capacity.count),
                               side);
    out.address = address_at(side, first);
    return out;
}

std::optional<Counterexample> Judge::aligned(const Spot& at, Side side) const { return aligned(at, side, access_offset(at, side)); }

std::optional<Counterexample> Judge::aligned(const Spot& at, Side side, std::int64_t first) const {
    if (!active(at)) return std::nullopt;
    const Bits width = segment(at).side(side).width;
    Bits address = address_at(side, first);
    std::string base = "";
    const Bits align = to_bits(buffer(side).align);
    if (!buffer(side).base && align < width) {
        // The base may be any multiple of its alignment; one of two neighbours is off.
        const bool moved = address % width == Bits{0};
        if (moved) address = address + align;
        base = fmt::format(", when the base of {} is {}", buffer(side).name, residue_text(moved ? align : Bits{0}, width));
    }
    if (address % width == Bits{0}) return std::nullopt;
    Counterexample out = found(at,
                               fmt::format("{} {} {} bits of {} at {}{}", who(at, side), verb(side), width.count, buffer(side).name,
                                           address_text(address, width), base),
                               side);
    out.address = address;
    out.modulus = width;
    return out;
}

std::optional<Counterexample> Judge::contiguous(const Spot& at, Side side, std::int64_t other_lane) const {
    if (!active(at)) return std::nullopt;
    const std::int64_t n = access_elements(at.segment, side), lanes = lanes_of(segment(at), side);
    if (lanes != n)
        return found(
            at, fmt::format("an access of {} bits holds {} elements, the plan has {} lanes", segment(at).side(side).width.count, n, lanes),
            side);
    const std::int64_t place = lane_offset(at, side) - access_offset(at, side);
    if (place < 0 || place >= n)
        return found(at, fmt::format("lane {} of {} lies {} elements from the start of its access of {}", at.lane, who(at), place, n),
                     side);
    if (is_block(segment(at))) {
        const std::int64_t wanted = lane_of(segment(at), side, at.lane).place;
        if (place == wanted) return std::nullopt;
        return found(
            at, fmt::format("lane {} of {} is element {} of its access, and its digits make it {}", at.lane, who(at, side), place, wanted),
            side);
    }
    Spot other = at;
    other.lane = other_lane;
    if (other_lane != at.lane && lane_offset(other, side) == lane_offset(at, side))
        return found(at,
                     fmt::format("lanes {} and {} of {} share element offset {}", std::min(at.lane, other_lane),
                                 std::max(at.lane, other_lane), who(at), lane_offset(at, side)),
                     side);
    if (side == Side::src) return std::nullopt;
    const std::int64_t source = lane_offset(at, Side::src) - access_offset(at, Side::src);
    if (source == place) return std::nullopt;
    return found(
        at,
        fmt::format("lane {} of {} is element {} of the source access but {} of the destination access", at.lane, who(at), source, place),
        side);
}

std::optional<Counterexample> Judge::same_element(const Spot& at) const {
    const std::vector<std::int64_t> box = box_coordinate(at);
    if (!active(at) || !inside(box)) return std::nullopt;
    const std::int64_t read = layout_offset(box, Side::src) - access_offset(at, Side::src);
    const std::int64_t written = layout_offset(box, Side::dst) - access_offset(at, Side::dst);
    if (is_block(segment(at))) return same_element_of_block(at, read, written);
    if (read == written && written >= 0 && written < access_elements(at.segment, Side::dst)) return std::nullopt;
    Counterexample out = found(at, "");
    out.text = fmt::format("element ({}) of the region is {} elements into what {} reads, but belongs {} elements into what it writes",
                           fmt::join(out.coordinate, ","), read, who(at), written);
    return out;
}

/// Lane v of a block is one register: what is read into it, and what is written from it.
std::optional<Counterexample> Judge::same_element_of_block(const Spot& at, std::int64_t read, std::int64_t written) const {
    for (const Side side : both_sides) {
        const std::int64_t place = lane_of(segment(at), side, at.lane).place, is = side == Side::src ? read : written;
        if (is == place) continue;
        Counterexample out = found(at, "", side);
        out.text = fmt::format("element ({}) of the region belongs {} elements into what {} {}, and lane {} is {} elements into it",
                               fmt::join(out.coordinate, ","), is, who(at, side), verb(side), at.lane, place);
        return out;
    }
    return std::nullopt;
}

std::optional<Counterexample> Judge::predicate(const Spot& at) const {
    if (!active(at)) return std::nullopt;
    const std::vector<std::int64_t> box = box_coordinate(at);
    if (inside(box)) return std::nullopt;
    return found(at, fmt::format("lane {} of {} runs at box coordinate ({}), outside the box ({})", at.lane, who(at), fmt::join(box, ","),
                                 fmt::join(shape_, ",")));
}

std::optional<Counterexample> Judge::disjoint(const Spot& a, const Spot& b) const {
    const bool is_one_round = a.segment == b.segment && a.round == b.round && a.thread == b.thread;
    if (is_one_round && head(a, Side::dst).lane == head(b, Side::dst).lane) return std::nullopt;
    if (!active(a) || !active(b)) return std::nullopt;
    const std::int64_t first = access_offset(a, Side::dst), second = access_offset(b, Side::dst);
    const std::int64_t first_count = access_elements(a.segment, Side::dst), second_count = access_elements(b.segment, Side::dst);
    if (!meet(first, first_count, second, second_count)) return std::nullopt;
    const Bits address = address_at(Side::dst, std::max(first, second));
    const bool share_elements = first < second + second_count && second < first + first_count;
    const std::string what = share_elements
                                 ? fmt::format("element offset {} of {}", std::max(first, second), buffer(Side::dst).name)
                                 : fmt::format("byte {} of {}, which holds elements of both", address.count >> 3, buffer(Side::dst).name);
    Counterexample out = found(a, fmt::format("{} and {} both write {}", who(a, Side::dst), who(b, Side::dst), what), Side::dst);
    out.address = address;
    return out;
}

std::optional<Counterexample> Judge::no_alias(const Spot& write, const Spot& read) const {
    if (copy_.src.buffer != copy_.dst.buffer || !active(write) || !active(read)) return std::nullopt;
    const bool later = std::pair{read.segment, read.round} > std::pair{write.segment, write.round};
    if (write.thread == read.thread && !later) return std::nullopt;
    const std::int64_t to = access_offset(write, Side::dst), from = access_offset(read, Side::src);
    if (!meet(to, access_elements(write.segment, Side::dst), from, access_elements(read.segment, Side::src))) return std::nullopt;
    Counterexample out = found(write,
                               fmt::format("{} writes element offset {} of {}, which {} reads", who(write, Side::dst), std::max(to, from),
                                           buffer(Side::dst).name, who(read, Side::src)),
                               Side::dst);
    out.address = address_at(Side::dst, std::max(to, from));
    return out;
}

Counterexample Judge::missing(const std::vector<std::int64_t>& box_coordinate) const {
    Counterexample out;
    const std::vector<std::int64_t> logical = logical_coordinate(copy_, Side::src, plan_.box, box_coordinate);
    for (const std::size_t dim : dense(copy_.src.region).dims) out.coordinate.push_back(logical[dim] - copy_.src.region.start[dim]);
    out.text = fmt::format("no access moves element ({}) of the region", fmt::join(out.coordinate, ","));
    return out;
}

std::optional<Counterexample> Judge::uncovered(const std::vector<std::int64_t>& box_coordinate) const {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < shape_.size(); ++i) index = index * shape_[i] + box_coordinate[i];
    for (const Segment& s : plan_.segments) {
        bool everywhere = !s.flat || reaches(s, 0, index);
        for (std::size_t dim = 0; !s.flat && dim < shape_.size() && everywhere; ++dim) everywhere = reaches(s, dim, box_coordinate[dim]);
        if (everywhere) return std::nullopt;
    }
    return missing(box_coordinate);
}

}  // namespace tileproof
