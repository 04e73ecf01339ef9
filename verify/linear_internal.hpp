// Linear proofs: short sufficient arguments over the plan's digits, in linear integer arithmetic, with swizzles as lemmas.
//
//   address     offset + sum stride_i d_i  =  K + sum S_j c_j(d)        the layout is linear on the box: its own lemma
//   aligned     the low bits of base + element * offset are zero       bit-vectors as narrow as the alignment
//   disjoint    digits -> coordinates is injective, coordinates -> offsets is injective (over differences), and a swizzle
//               is a bijection
//
// Each method answers true only for a proof (unsat). False means "not this way": the definition decides then
// (definition_internal.hpp), so nothing here can refute.
//
// A flat segment whose terms are the digits of its index in the box's radices is first unflattened: its accesses are among those
// of a segment that walks the box coordinate by coordinate, so what holds for all of those holds for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "solver/smt.hpp"
#include "verify/inquiry_internal.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {

class LinearProofs {
public:
    /// `rlimit`: for one query. `holds`: whether an obligation of the same plan is proved, in whatever way.
    LinearProofs(Inquiry& z3, const Judge& judge, std::uint64_t rlimit, std::function<bool(const char*)> holds);

    bool address(Side side);
    bool bounds(Side side);
    bool aligned(Side side);
    bool contiguous(Side side);
    bool same_element();
    bool covers();
    bool disjoint();
    bool no_alias();
    bool predicate();

    /// The layout on box coordinates: constant + sum stride[j] * coordinate[j], before the swizzle.
    struct LinearLayout {
        std::int64_t constant = 0;
        std::vector<std::int64_t> strides;
    };
    /// Nothing where it is not linear there.
    const std::optional<LinearLayout>& linear_layout(Side side);
    /// A chunk moves as a whole, an offset stays in its period block, and swizzling twice gives the offset back.
    bool swizzle_lemma(const Swizzle& swizzle);
    /// Different lanes, of one segment or of two, have different box coordinates.
    bool coordinates_differ();
    /// The same of the lanes of this segment alone, whatever bounds it has.
    bool digits_injective(const Segment& segment);
    /// Different coordinates of the region have different linear offsets.
    bool layout_injective(Side side);

private:
    /// Terms for the digits of one segment.
    struct Digits {
        std::vector<z3::expr> at;
        std::vector<z3::expr> ranges;
    };
    Digits digits(const Segment& segment, const std::string& prefix);
    z3::expr number(std::int64_t n) { return z3_.context().int_val(n); }
    z3::expr offset(const Segment& segment, Side side, const Digits& digits, bool lane_zero);
    z3::expr coordinate(const Segment& segment, std::size_t dim, const Digits& digits, bool lane_zero);
    void add_active(std::vector<z3::expr>& query, const Segment& segment, const Digits& digits);
    z3::expr inside(const Segment& segment, const Digits& digits);
    bool unsat(smt::Theory theory, const std::vector<z3::expr>& query);

    bool fills_cells(Side side);
    bool prove_aligned(Side side);
    bool prove_contiguous(Side side);
    std::optional<Segment> unflattened(const Segment& segment) const;
    /// All segments as straight ones; nothing where a flat one stays flat, or may leave the box.
    const std::vector<Segment>* straight();
    std::optional<LinearLayout> find_linear_layout(Side side);
    /// start_value + sum steps[k] * g[k], for every value of the box factors g of one region dimension (linear_mode.cpp).
    bool mode_is_linear(Side side, std::size_t region_dim, std::int64_t start_value, const std::vector<std::int64_t>& steps);
    bool prove_swizzle_lemma(const Swizzle& swizzle);
    bool unsat_differences(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides);
    bool segments_apart(const Segment& a, const Segment& b);
    z3::expr missed_by(const Segment& segment, std::size_t number, const std::vector<z3::expr>& coordinates, std::vector<z3::expr>& query,
                       bool& chained);
    const std::vector<Segment>& segments() const { return judge_.plan().segments; }

    Inquiry& z3_;
    const Judge& judge_;
    std::uint64_t rlimit_;
    std::function<bool(const char*)> holds_;
    std::optional<LinearLayout> layouts_[2];
    std::optional<std::vector<Segment>> straight_;
    // Used by several obligations:
    Inquiry::Fact linear_[2], aligned_[2], contiguous_[2], straightened_;
    std::vector<std::pair<Swizzle, Inquiry::Fact>> lemmas_;
};

}  // namespace tileproof
