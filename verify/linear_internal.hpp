// Linear proofs: short sufficient arguments over the plan's digits, in linear integer arithmetic, with swizzles as lemmas.
//
//   address     offset + sum stride_i d_i  =  K + sum S_j c_j(d)        the layout is linear on the box: its own lemma
//   aligned     the low bits of base + element * offset are zero       bit-vectors as narrow as the alignment
//   disjoint    digits -> coordinates is injective, coordinates -> offsets is injective (over differences), and a swizzle
//               is a bijection
//
// Each method answers true only for a proof (unsat). False means "not this way": the definition decides then
// (definition_internal.hpp), so nothing here can refute.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solver/smt.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

class LinearProofs {
public:
    LinearProofs(smt::Session& z3, const Judge& judge);

    bool address(Side side);
    bool bounds(Side side);
    bool aligned(Side side);
    bool contiguous(Side side);
    bool same_element();
    bool covers();
    bool disjoint();
    bool no_alias();
    bool predicate();

private:
    /// Terms for the digits of one segment.
    struct Digits {
        std::vector<z3::expr> at;
        std::vector<z3::expr> ranges;
    };
    /// The layout on box coordinates: constant + sum stride[j] * coordinate[j], before the swizzle.
    struct LinearLayout {
        std::int64_t constant = 0;
        std::vector<std::int64_t> strides;
    };

    Digits digits(std::size_t segment, const std::string& prefix);
    z3::expr number(std::int64_t n) { return z3_.context().int_val(n); }
    z3::expr offset(std::size_t segment, Side side, const Digits& digits, bool lane_zero);
    z3::expr coordinate(std::size_t segment, std::size_t dim, const Digits& digits, bool lane_zero);
    void add_active(std::vector<z3::expr>& query, std::size_t segment, const Digits& digits);
    z3::expr inside(std::size_t segment, const Digits& digits);
    bool unsat(smt::Theory theory, const std::vector<z3::expr>& query);

    std::optional<LinearLayout> linear_layout(Side side);
    bool mode_is_linear(Side side, std::size_t region_dim, std::int64_t start_value, const std::vector<std::int64_t>& steps);
    bool swizzle_lemma(const Swizzle& swizzle);
    bool digits_injective(std::size_t segment);
    bool segments_apart(std::size_t a, std::size_t b);
    z3::expr missed_by(std::size_t segment, const std::vector<z3::expr>& coordinates, std::vector<z3::expr>& query, bool& chained);
    std::size_t segments() const { return judge_.plan().segments.size(); }
    const Segment& segment(std::size_t g) const { return judge_.plan().segments[g]; }

    /// Computes once; a proof is used by several others.
    bool remembered(std::optional<bool>& memory, bool (LinearProofs::*prove)(Side), Side side);

    smt::Session& z3_;
    const Judge& judge_;
    std::optional<LinearLayout> layouts_[2];
    std::optional<bool> address_[2], aligned_[2], contiguous_[2], predicate_;
    bool prove_address(Side side);
    bool prove_aligned(Side side);
    bool prove_contiguous(Side side);
    bool prove_predicate();
};

}  // namespace tileproof
