// Which accesses of a segment run, and what they read: predicates, of what stays the same before the loops, of the rest in each round.
//
//   bound 40 on 16 f + t / 8                setp.lt.s32  %p1, %r5, 40;       the access runs where it holds
//   the same, zeros beyond                  its own predicate, of the load alone
//   zeros behind, nothing where it is       setp.lt.s64 and setp.gt.s64: the access runs where one of them holds, and reads where the first does
//   zeros in lanes beyond, by cp.async      the bytes that lie before the bound, as its last operand
#pragma once

#include <string>
#include <vector>

#include "emit/ptx_segment_internal.hpp"

namespace tileproof {

class BoundsWriter {
public:
    explicit BoundsWriter(SegmentFrame& at) : at_(at), out_(at.out), segment_(at.segment) {}

    /// Everything before the loops.
    void prepare();
    /// The predicate of running in this round; empty: always.
    std::string active_in_round();
    /// The predicate of reading in this round, given that of running; empty: always.
    std::string reads_in_round(const std::string& active);
    /// A register or number with the bytes that cp.async reads; it writes zeros behind them.
    std::string bytes_read(const std::string& reads, Bytes width);

private:
    /// A bound on a coordinate that changes from round to round.
    struct MovingBound {
        std::string coordinate;
        std::string below;  // a register or a number; empty: no bound
        std::string from;   // a number, or empty
        bool wide = false;
        Beyond beyond = Beyond::nothing;
        std::string behind{};  // of zeros_behind: what runs and reads nothing is above this register
    };

    void require(const char* how, const std::string& compared, const std::string& bound, bool wide, std::string& all);
    void require_around(const MovingBound& bound, std::string* active, std::string* reads);
    MovingBound around(const Bound& bound, const std::string& coordinate);
    std::string bytes_before(const MovingBound& split);
    /// What is before this bound too.
    void take_least(std::string& bytes, const MovingBound& split);

    SegmentFrame& at_;
    PtxWriter& out_;
    const Segment& segment_;
    std::string active_{};  // predicate of what does not change from round to round; empty: always
    std::string reads_{};   // the same, of reading where it runs
    std::vector<MovingBound> bounds_{};
    std::vector<MovingBound> splits_{};  // between the lanes of an access, and other ones from round to round
    std::string bytes_before_{};         // of those that do not change, the least: a register
};

}  // namespace tileproof
