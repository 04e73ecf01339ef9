// The addresses of a segment's accesses: what is computed before its loops, and what in each round.
//
//   linear, or a swizzle that a round leaves alone     a register, moved along by each round
//   other swizzles, flat segments, symbols in shared   the sum is moved along, or is the index's; the rest is computed anew
//   a block, accesses at fixed distances               one register and [%rd1+64], [%rd1+128], ...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emit/ptx_segment_internal.hpp"

namespace tileproof {

class Places {
public:
    explicit Places(SegmentFrame& at);

    /// Everything before the loops. Requires: `side` is in memory.
    void prepare(Side side);
    /// Everything in a round before its accesses.
    void in_round();
    /// The address of the one access of a side in a round ("%rd1"), or of each, in the order of heads_of.
    std::string address(Side side) { return address(reached(side).front()); }
    std::vector<std::string> addresses(Side side);

private:
    /// Where an access finds its address.
    struct Address {
        std::string name;
        // Finish::every_round only: name = base + swizzled(sum), by way of `work`.
        std::string sum{};
        std::string base{};  // empty: already in the sum
        std::string work{};
    };
    /// What accesses of one side find their address by: all of them; of a block, those that lie at fixed distances from each other.
    struct Place {
        Side side = Side::src;
        AddressPlan plan{};
        SideForm form{};
        Address at{};
    };
    /// The address of an access: that of a place, and so many bytes behind it.
    struct Reached {
        std::size_t place = 0;
        std::int64_t bytes = 0;
    };

    const Buffer& buffer(Side side) const { return at_.buffer(side); }
    bool is_symbolic(Side side) const;
    bool rounds_down(Side side) const;
    bool moves_in_bytes(Side side) const;
    const std::vector<Reached>& reached(Side side) const { return reached_[static_cast<std::size_t>(side)]; }

    void prepare_index();
    bool lie_apart_by_fixed_distances(Side side) const;
    void prepare(Place& place);
    void prepare_symbolic_address(Place& place);
    void prepare_address(Place& place);
    void prepare_flat_address(Place& place);
    void symbolic_address_in_round(Place& place);
    void address_in_round(Place& place);
    void flat_address_in_round(Place& place);
    Address global_address(const SideForm& form, const std::string& pointer);
    Address shared_address(const SideForm& form, Bytes offset);
    void xor_in(const SideForm& form, bool wide, const std::string& to, const std::string& x);
    void explain(Side side, const SideForm& form);
    std::string address(const Reached& access);

    SegmentFrame& at_;
    PtxWriter& out_;
    const KernelFrame& frame_;
    const Segment& segment_;
    const Segment addressed_;  // addresses are those that a thread computes: in a matrix instruction, not of what it holds
    std::vector<Place> places_{};
    std::array<std::vector<Reached>, 2> reached_{};  // each access of a round, by side
    std::string index_{};                            // of a flat segment, at lane 0
    bool wide_index_ = false;
};

}  // namespace tileproof
