// ThreadSums: instructions for the thread part of an address or coordinate, by the digits of the thread number.
//
//   128 (t / 8) + 16 (t % 8) + 64        shr.b32     %r2, %r0, 3;            powers of two: shifts and masks
//                                        and.b32     %r3, %r0, 7;            other extents: div and rem by a constant
//                                        shl.b32     %r4, %r3, 4;
//                                        mad.lo.s32  %r4, %r2, 128, %r4;
//                                        add.s32     %r4, %r4, 64;
//
// A digit is extracted once and serves every sum of its segment.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "emit/ptx_address.hpp"
#include "emit/ptx_writer.hpp"

namespace tileproof {

/// A register with a value. `owned`: nobody else reads it, so it may be changed in place.
struct Value {
    std::string name{};
    bool owned = false;
};

class ThreadSums {
public:
    /// `thread`: register with 0 .. threads-1.
    ThreadSums(PtxWriter& out, std::string thread, std::int64_t threads) : out_(out), thread_(std::move(thread)), threads_(threads) {}

    /// `start` + `form` at round 0, in 32 or (wide) 64 bits; without a start, `form` alone.
    Value sum(const Affine& form, bool wide, Value start = {});
    /// The same value in a register of its own.
    Value own(const Value& value, bool wide);

private:
    std::string digit(const ThreadTerm& term);
    void add(Value& value, const ThreadTerm& term);
    void add_wide(Value& value, const ThreadTerm& term);

    PtxWriter& out_;
    std::string thread_;
    std::int64_t threads_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> digits_{};
};

}  // namespace tileproof
