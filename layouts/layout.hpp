// Layout: from a logical coordinate to an element offset.
//
//   shape (2,4), iters 2:4 4:1, no swizzle            0 1 2 3
//   (row-major, written (2,4):(4,1))                  4 5 6 7
//
// Three steps: flatten the coordinate row-major over `shape`; split the flat index over the iters' extents, the last
// iter fastest; sum digit x stride, add `offset`, apply `swizzle`. A CuTe mode such as (8,16):(8,512) (leftmost fastest)
// becomes the two iters 16:512 8:8. The result counts elements from the start of the buffer.
// A layout over bits has no iters: `bases` take their place (layouts/linear_bits.hpp), and offsets are XORs of them.
// A layout of registers says of each digit what it counts, registers or threads: S[(8,4,2):(4@laneid,1@laneid,1)] puts row r,
// column c of an 8 x 8 tile into register c % 2 of lane 4 r + c / 2. What follows is about layouts of memory; layouts/thread_axes.hpp
// takes the others apart into two of these.
// layouts/address.hpp evaluates a layout; layouts/notation.hpp reads and prints one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layouts/expression.hpp"
#include "layouts/swizzle.hpp"
#include "layouts/units.hpp"

namespace tileproof {

/// What a digit counts: elements of memory or of a thread's registers (m), or threads (layouts/thread_axes.hpp).
enum class Axis { m, laneid, warpid, wid_in_wg, tid_in_wg, tx };

struct Iter {
    std::int64_t extent = 1;
    Expression stride = 0;  // elements, or what the axis counts
    Axis axis = Axis::m;

    friend bool operator==(const Iter&, const Iter&) = default;
};

struct Layout {
    std::vector<std::int64_t> shape;
    std::vector<Iter> iters;  // outermost first; the product of extents equals the product of the shape
    Expression offset = 0;    // elements, added before the swizzle
    Swizzle swizzle{};
    std::vector<std::vector<std::int64_t>> bases{};  // over bits: by dimension, of its bits, least first; then no iters, offset 0
    std::vector<Iter> replicas{};                    // each element is held once more for every value of these digits
    std::map<Axis, std::int64_t> thread_offset{};    // of axes other than m; never 0

    /// Whether it says which thread holds an element, as layouts of registers do.
    bool has_threads() const;
    bool is_over_bits() const { return !bases.empty(); }
    /// Whether some stride or the offset depends on symbols. What follows here in comments about numbers is for the others.
    bool is_symbolic() const;
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// The iters of each dimension, outermost first, or nothing where an iter straddles two dimensions or over bits.
/// Example: shape (128,64) with iters 128:8 8:1024 8:1 gives {{128:8}, {8:1024, 8:1}}.
std::optional<std::vector<std::vector<Iter>>> modes(const Layout& layout);

/// The same with iters cut where two dimensions meet: shape (4,6) with iters 8:5 3:1 gives {{4:10}, {2:5, 3:1}}.
/// Nothing where a cut would not divide (shape (4,6), iters 6 4). Iters of extent 1 are left out.
std::optional<std::vector<std::vector<Iter>>> split_modes(const Layout& layout);

/// Number of elements, the product of the shape.
Elements size(const Layout& layout);

/// Product of extents, or nothing where one is below 1 or the product beyond max_offset.
std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& extents);

/// 1 + the largest offset after the swizzle. Requires: offsets fit (see `reach`), the least is not negative, and the swizzle's
/// period is at most 2^max_period_log2. Exact; looks at the offsets of one period, however many elements there are.
Elements span(const Layout& layout);

/// Whether every offset before the swizzle, and every coefficient in it, stays within +-2^50 whatever the symbols are.
bool offsets_fit(const Layout& layout, const std::vector<Symbol>& symbols);

/// An upper bound of the span whatever the symbols are; exact without a swizzle. Nothing where a stride may have either sign. Requires: offsets_fit.
std::optional<Expression> symbolic_span(const Layout& layout, const std::vector<Symbol>& symbols);

/// Least and greatest offset before the swizzle.
struct Reach {
    std::int64_t least = 0;
    std::int64_t greatest = 0;
};
/// Nothing where an offset leaves +-2^50 elements.
std::optional<Reach> reach(const Layout& layout);

constexpr int max_rank = 8;
constexpr int max_iters = 64;
constexpr std::int64_t max_offset = std::int64_t{1} << 50;
constexpr int max_period_log2 = 20;  // of a swizzle: `span` looks at one period

}  // namespace tileproof
