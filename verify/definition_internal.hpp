// Definition proofs: each obligation as it is defined, on bit-vectors wide enough that nothing wraps.
//
// The variables are the plan's digits; coordinates, layouts and swizzles are evaluated by layouts/address.hpp with bit-vector
// operations. Slower than the linear arguments and complete: unsat proves, and a model is an access that fails.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/smt.hpp"
#include "verify/inquiry_internal.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

class DefinitionProofs {
public:
    DefinitionProofs(Inquiry& z3, const Judge& judge);

    Finding address(Side side);
    Finding bounds(Side side);
    Finding aligned(Side side);
    Finding contiguous(Side side);
    Finding same_element();
    Finding covers();
    Finding disjoint();
    Finding no_alias();
    Finding predicate();

private:
    /// Digits of one access: its own variables for f and t, and one or two sets for v.
    struct Access {
        std::size_t segment = 0;
        std::vector<z3::expr> digits;
        std::vector<z3::expr> assumed;  // ranges, and that the predicate holds
    };
    struct Algebra {
        using Value = z3::expr;
        z3::context& context;
        unsigned bits;
        Value constant(std::int64_t k) const { return context.bv_val(k, bits); }
        static Value add(const Value& a, const Value& b) { return a + b; }
        Value times(const Value& a, std::int64_t k) const { return a * constant(k); }
        Value quotient(const Value& a, std::int64_t k) const;
        Value remainder(const Value& a, std::int64_t k) const;
        Value bit_and(const Value& a, std::int64_t k) const { return a & constant(k); }
        static Value bit_xor(const Value& a, const Value& b) { return a ^ b; }
        Value shift_left(const Value& a, int k) const { return z3::shl(a, constant(k)); }
        Value shift_right(const Value& a, int k) const { return z3::lshr(a, constant(k)); }
    };

    Access access(std::size_t segment, const std::string& prefix);
    /// The same access of one side with other variables for its lane.
    Access other_lane(const Access& access, Side of);
    z3::expr number(std::int64_t n) const { return algebra_.constant(n); }
    z3::expr offset(const Access& access, Side side, bool lane_zero) const;  // P(v), P(0)
    z3::expr start(const Access& access, Side side) const;                   // A
    z3::expr place(const Access& access, Side side) const;                   // of the lane in its access, by its digits
    std::vector<z3::expr> sums(const Access& access, bool lane_zero) const;
    std::vector<z3::expr> coordinate(const Access& access, bool lane_zero) const;  // c(v), c(0)
    z3::expr inside(const std::vector<z3::expr>& coordinate) const;
    z3::expr layout(const std::vector<z3::expr>& coordinate, Side side) const;  // L
    z3::expr meet(const z3::expr& a, std::int64_t a_elements, const z3::expr& b, std::int64_t b_elements) const;
    std::int64_t elements(const Access& access, Side side) const { return judge_.access_elements(access.segment, side); }

    /// Decides one query for every segment; `replay` judges the spot of a model in plain integers. `side`: whose access a second lane is of.
    template <class Build, class Replay>
    Finding each_segment(const char* id, Side side, Build&& build, Replay&& replay);
    /// A store, and an access of `second_side`.
    template <class Build, class Replay>
    Finding each_pair(const char* id, Side second_side, Build&& build, Replay&& replay);
    Spot spot(std::size_t segment, const std::vector<std::int64_t>& digits) const;
    static Finding proved(const char* id) { return {id, Verdict::proved, {"smt"}}; }
    static Finding unknown(const char* id, std::string reason) { return {id, Verdict::unknown, {"smt"}, {}, std::move(reason)}; }
    std::size_t segments() const { return judge_.plan().segments.size(); }

    Inquiry& z3_;
    const Judge& judge_;
    Algebra algebra_;
};

}  // namespace tileproof
