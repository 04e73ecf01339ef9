// Judge: each obligation at one access or lane, in plain integers. The dull side of the verifier.
//
// A model from Z3 is replayed here before it is shown, and enumeration reports through here. Every method answers with a
// counterexample if the obligation fails at that place, and nothing otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/plan.hpp"
#include "verify/report.hpp"

namespace tileproof {

class Inquiry;

/// (segment, round, thread) and, where it matters, a lane.
struct Spot {
    std::size_t segment = 0;
    std::int64_t round = 0;
    std::int64_t thread = 0;
    std::int64_t lane = 0;
};

class Judge {
public:
    Judge(const Problem& problem, const Copy& copy, const CopyPlan& plan);

    const Segment& segment(const Spot& at) const { return plan_.segments[at.segment]; }
    const Buffer& buffer(Side side) const { return problem_.buffer(operand(copy_, side)); }
    Participants people() const { return participants(copy_, problem_.launch); }
    const Copy& copy() const { return copy_; }
    const CopyPlan& plan() const { return plan_; }
    const std::vector<std::int64_t>& box_shape() const { return shape_; }
    /// What the digits of a segment count in: the box, or for a flat segment its one index.
    std::vector<std::int64_t> extents(const Segment& segment) const;

    Bits element() const { return buffer(Side::src).dtype.size; }
    Bits base_residue(Side side) const { return to_bits(buffer(side).base.value_or(Bytes{0})); }
    /// Address of an element offset, base residue included.
    Bits address_at(Side side, std::int64_t offset) const { return base_residue(side) + to_bits(Elements{offset}, element()); }
    /// A cell is the least that an access can touch: an element, or the byte where several elements share one.
    /// offset >> cell_log2() is the cell of an element.
    int cell_log2() const { return element() < Bits{8} ? 3 - floor_log2(element().count) : 0; }
    /// n: elements of one access of that side.
    std::int64_t access_elements(std::size_t segment, Side side) const;
    /// Whether A is P(0) rounded down to a block of n elements (the plan's swizzle reaches below the access).
    bool rounds_down(std::size_t segment, Side side) const;
    /// A for a given P(0).
    std::int64_t access_offset(std::size_t segment, Side side, std::int64_t first_lane) const;

    bool active(const Spot& at) const;
    bool inside(const std::vector<std::int64_t>& box_coordinate) const;
    std::vector<std::int64_t> box_coordinate(const Spot& at) const;
    std::int64_t lane_offset(const Spot& at, Side side) const;    // P
    std::int64_t access_offset(const Spot& at, Side side) const;  // A, of the access that has the lane
    /// The first lane of the access of this side that has the lane.
    Spot head(const Spot& at, Side side) const;
    std::int64_t layout_offset(const std::vector<std::int64_t>& box_coordinate, Side side) const;  // L

    // One obligation at one place.
    /// The greatest and least sums of offsets in elements and in bytes, the swizzle's block and the access's length included: an interval, for all digits at once.
    std::optional<Counterexample> overflow(std::size_t segment, Side side) const;
    std::optional<Counterexample> address(const Spot& at, Side side) const;
    std::optional<Counterexample> bounds(const Spot& at, Side side) const;
    std::optional<Counterexample> aligned(const Spot& at, Side side) const;
    /// The same for an access of the thread that begins at the offset `first`.
    std::optional<Counterexample> bounds(const Spot& at, Side side, std::int64_t first) const;
    std::optional<Counterexample> aligned(const Spot& at, Side side, std::int64_t first) const;
    /// A lane outside its access, in another place than in the source (destination only), or in the place of `other_lane`. In a block of
    /// registers (layouts/block.hpp): in another place than its digits say.
    std::optional<Counterexample> contiguous(const Spot& at, Side side, std::int64_t other_lane) const;
    std::optional<Counterexample> same_element(const Spot& at) const;
    std::optional<Counterexample> predicate(const Spot& at) const;
    std::optional<Counterexample> disjoint(const Spot& a, const Spot& b) const;
    std::optional<Counterexample> no_alias(const Spot& write, const Spot& read) const;
    /// Tries every value of the digits of each dimension; dimensions are independent of each other.
    std::optional<Counterexample> uncovered(const std::vector<std::int64_t>& box_coordinate) const;

    Counterexample missing(const std::vector<std::int64_t>& box_coordinate) const;

private:
    Counterexample found(const Spot& at, std::string text, std::optional<Side> side = {}) const;
    std::string who(const Spot& at) const;
    std::string who(const Spot& at, Side side) const;  // with the access, where a round has several on that side
    std::optional<Counterexample> same_element_of_block(const Spot& at, std::int64_t read, std::int64_t written) const;
    /// Cells of `a` and `b` meet.
    bool meet(std::int64_t a, std::int64_t a_elements, std::int64_t b, std::int64_t b_elements) const;

    const Problem& problem_;
    const Copy& copy_;
    const CopyPlan& plan_;
    std::vector<std::int64_t> shape_;
};

/// The obligations of one copy that need its elements, by enumeration and by SMT. One finding per id of
/// `searched` below, in that order.
std::vector<Finding> enumerate(const Judge& judge);
std::vector<Finding> prove(Inquiry& inquiry, const Judge& judge);

inline constexpr std::array searched{"address.src", "address.dst",    "bounds.src",     "bounds.dst",   "aligned.src",
                                     "aligned.dst", "contiguous.src", "contiguous.dst", "same-element", "covers",
                                     "disjoint",    "no-alias",       "predicate"};

}  // namespace tileproof
