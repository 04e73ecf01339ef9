#include "layouts/block.hpp"

#include <algorithm>
#include <set>

namespace tileproof {

bool is_block(const Segment& segment) { return segment.src.lanes.has_value() || segment.dst.lanes.has_value(); }

std::vector<std::size_t> lane_digits(const Segment& segment, Side side) {
    std::vector<std::size_t> out;
    if (const auto& lanes = segment.side(side).lanes) {
        for (const int place : *lanes)
            if (const Digit* digit = digit_at(segment, Role::vec, place)) out.push_back(index_of(segment, *digit));
        return out;
    }
    for (int place = 0; const Digit* digit = digit_at(segment, Role::vec, place); ++place) out.push_back(index_of(segment, *digit));
    return out;
}

bool is_lane(const Segment& segment, Side side, std::size_t i) {
    if (segment.digits[i].role != Role::vec) return false;
    const auto& lanes = segment.side(side).lanes;
    return !lanes || std::find(lanes->begin(), lanes->end(), segment.digits[i].place) != lanes->end();
}

std::int64_t lanes_of(const Segment& segment, Side side) {
    std::vector<std::int64_t> extents;
    for (const std::size_t i : lane_digits(segment, side)) extents.push_back(segment.digits[i].extent);
    return checked_product(extents).value_or(max_offset);  // more than any access has; check_plan refuses it
}

Lane lane_of(const Segment& segment, Side side, std::int64_t lane) {
    if (!is_block(segment)) return {0, lane};
    const std::vector<std::int64_t> digits = digits_at(segment, 0, 0, lane);
    Lane out{lane, 0};
    std::int64_t radix = 1;
    for (const std::size_t i : lane_digits(segment, side)) {
        std::int64_t below = 1;  // of the digit in the block
        for (const Digit& lower : segment.digits)
            if (lower.role == Role::vec && lower.place < segment.digits[i].place) below *= lower.extent;
        out.head -= digits[i] * below;
        out.place += digits[i] * radix;
        radix *= segment.digits[i].extent;
    }
    return out;
}

std::vector<Lane> lanes_by_number(const Segment& segment, Side side) {
    std::vector<Lane> out;
    for (std::int64_t lane = 0; lane < segment.vec; ++lane) out.push_back(lane_of(segment, side, lane));
    return out;
}

std::vector<std::int64_t> heads_of(const Segment& segment, Side side) {
    if (!is_block(segment)) return {0};
    std::vector<std::int64_t> out;
    for (std::int64_t lane = 0; lane < segment.vec; ++lane)
        if (lane_of(segment, side, lane).head == lane) out.push_back(lane);
    return out;
}

std::int64_t accesses_in_a_round(const Segment& segment) {
    return segment.vec / lanes_of(segment, Side::src) + segment.vec / lanes_of(segment, Side::dst);
}

Bits run_width(const Segment& segment) {
    if (!is_block(segment)) return std::min(segment.src.width, segment.dst.width);
    const std::vector<std::size_t> src = lane_digits(segment, Side::src), dst = lane_digits(segment, Side::dst);
    std::vector<std::int64_t> run;
    for (std::size_t i = 0; i < std::min(src.size(), dst.size()) && src[i] == dst[i]; ++i) run.push_back(segment.digits[src[i]].extent);
    const auto lane_bits = [&](Side side) { return segment.side(side).width.count / std::max<std::int64_t>(1, lanes_of(segment, side)); };
    const std::int64_t element = std::min(lane_bits(Side::src), lane_bits(Side::dst));  // the same in a plan that is one
    return Bits{element * std::clamp<std::int64_t>(checked_product(run).value_or(max_offset), 1, segment.src.width.count)};
}

std::string block_fault(const Segment& segment, Bits element) {
    if (!is_block(segment)) return {};
    if (segment.flat) return "has lanes in a flat segment";
    if (segment.vec > most_block_bits / element) return "has a block of more than 64 registers";
    for (const Side side : both_sides) {
        const auto& lanes = segment.side(side).lanes;
        if (!lanes) continue;
        if (std::set<int>(lanes->begin(), lanes->end()).size() != lanes->size()) return "has a digit twice among the lanes of a side";
        if (lane_digits(segment, side).size() != lanes->size()) return "has lanes that are no vec digits";
    }
    return {};
}

}  // namespace tileproof
