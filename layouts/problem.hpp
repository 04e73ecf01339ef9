// Problem: what is asked. Buffers, and copies between regions of them, on one target.
//
//   A (global f16 128x64)  --load, 256 threads-->  As (shared f16, swizzled)  --store-->  B
//
// A plain value: reading a file (layouts/problem_file.hpp) makes one, and so can a compiler. `check_problem` says whether
// a hand-made one is well formed; everything else may assume that it is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "layouts/dtype.hpp"
#include "layouts/fact.hpp"
#include "layouts/layout.hpp"
#include "layouts/machine.hpp"
#include "layouts/result.hpp"
#include "layouts/units.hpp"

namespace tileproof {

struct Buffer {
    std::string name;  // [A-Za-z_][A-Za-z0-9_]*
    Space space = Space::global;
    DType dtype;
    Layout layout;
    Bytes align{16};                                // the base address is a multiple of this (a power of two)
    std::optional<Bytes> base{};                    // or: the base address modulo 256, known exactly; `align` is then not used
    Elements capacity{};                            // elements allocated, at least; of registers: in each thread
    std::optional<Expression> symbolic_capacity{};  // exactly, where that depends on symbols
    bool align_is_default = false;
    bool capacity_is_default = false;
    bool shape_is_stated = false;     // beside a layout that need not say it
    bool swizzle_on_address = false;  // the hardware XORs the absolute shared address
    bool is_written = false;          // also by a copy of the file that is not among the problem's (see `is_written` below)
    Place place{};
    Place dtype_place{};
    Place layout_place{};
    Place align_place{};
    Place capacity_place{};
};

/// A half-open box of the logical shape: start[i] <= coordinate[i] < start[i] + extent[i].
struct Region {
    std::vector<Expression> start;
    std::vector<std::int64_t> extent;                     // the greatest, where it depends on symbols
    std::map<std::size_t, Expression> symbolic_extent{};  // by dimension; below 1 the region is empty. Never dropped as a unit dimension
    std::set<std::size_t> clipped{};  // dimensions whose symbolic extent is a predicate's: the extent is the lesser of it and `extent`
    std::map<std::size_t, std::vector<Expression>>
        further{};  // what else a predicate says of a dimension with a symbolic extent: the extent is the least of all

    friend bool operator==(const Region&, const Region&) = default;
};

/// The extent of a dimension: the expression where symbols decide it. Of a clipped dimension, what it may not exceed beside `extent`.
Expression extent_of(const Region& region, std::size_t dim);
/// The symbolic extent of a dimension, if it has one, and then what else a predicate says: the extent is the least of them, and of `extent` if it is clipped.
std::vector<Expression> bounds_of(const Region& region, std::size_t dim);
/// The same of a predicate alone: bounds that are no extents of the region.
std::vector<Expression> cuts_of(const Region& region, std::size_t dim);
/// What of a region may depend on symbols: its starts, and the bounds of its dimensions.
std::vector<Expression> expressions_of(const Region& region);
/// The extents that the region has with these values of the symbols, at least 0.
std::vector<std::int64_t> extents_at(const Region& region, const std::vector<std::int64_t>& values);

enum class Scope { thread, warp, warpgroup, cta };
std::string to_string(Scope scope);

/// One side of a copy.
struct Operand {
    int buffer = 0;  // index into Problem::buffers
    Region region;
    Place place{};
};

/// Who waits for an asynchronous copy: the kernel, before what depends on it and at its end, or whoever comes after the kernel's code.
enum class Completion { kernel, caller };

struct Copy {
    std::string name;
    Operand src;
    Operand dst;
    Scope scope = Scope::cta;
    int threads = 1;    // thread 1, warp 32, warpgroup 128, cta as stated
    int group = 0;      // which thread, warp or warpgroup of the block
    bool each = false;  // or every one of them, its own region by the symbol `group`
    std::string dispatch = "auto";
    std::optional<Completion> completion{};  // makes the copy asynchronous
    std::vector<std::string> cache{};        // hints (layouts/cache_hint.hpp) for each access to global memory that takes them
    bool zero_fill = false;                  // what a predicate cuts off the source is zeros in the destination, whose region is whole
    Place place{};
    Place threads_place{};
    Place group_place{};
    Place dispatch_place{};
    Place cache_place{};
    Place predicate_place{};
};

struct Launch {
    int block = 1;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    int groups = 1;  // into which `block` is divided for the copies by each group
    bool block_is_default = true;
    Place block_place{};
    Place grid_place{};
};

struct Problem {
    std::string stem = "copy";  // the entry point is tp_<stem>
    Arch target;
    std::optional<PtxVersion> ptx{};  // stated by the user; otherwise the lowest that serves
    Launch launch;
    std::vector<Buffer> buffers;  // in file order
    std::vector<Copy> copies;
    std::vector<Symbol> symbols{};  // in file order; what the Expressions of buffers and regions are over
    std::vector<Fact> facts{};

    const Buffer& buffer(const Operand& operand) const { return buffers[static_cast<std::size_t>(operand.buffer)]; }
};

enum class Side { src, dst };
inline constexpr std::array both_sides{Side::src, Side::dst};
constexpr Side opposite(Side side) { return side == Side::src ? Side::dst : Side::src; }
std::string to_string(Side side);
inline const Operand& operand(const Copy& copy, Side side) { return side == Side::src ? copy.src : copy.dst; }

/// The threads of the block that execute a copy: first .. first + count - 1; with several groups each of the next `count` threads
/// executes it too, for itself.
struct Participants {
    int first = 0;
    int count = 0;
    int groups = 1;
    Wide end() const { return first + Wide{count} * groups; }
    friend bool operator==(const Participants&, const Participants&) = default;
};
Participants participants(const Copy& copy, const Launch& launch);

/// Whether the file leaves the width open: of a copy by name (`vec_32b`, `fallback`) nobody asks that it is the widest.
bool asks_for_the_widest(const Copy& copy);

/// Whether a copy of the file writes this buffer. Who takes copies out of a problem notes it in the buffers (`note_written`).
bool is_written(const Problem& problem, int buffer);
void note_written(Problem& problem);

/// Number of elements that the copy moves, at most.
Elements moved(const Copy& copy);

/// The first fault of a hand-made problem, if any: dangling indices, a region outside its shape, an overflow, a block too small, ...
std::optional<Diagnostic> check_problem(const Problem& problem);

/// What makes a well-formed copy none at all: `dtype-differs`, `extents-differ`. The first that `rejection` looks for.
std::optional<Diagnostic> mismatch(const Problem& problem, const Copy& copy);

/// `swizzle-period`: a swizzle of the absolute address is the layout's swizzle only where the base keeps the bits that it reads.
std::optional<Diagnostic> swizzle_period_fault(const Buffer& buffer);

/// Why a well-formed copy cannot be done by any plan, if so: `dtype-differs`, `extents-differ`, `element-alignment`,
/// `capacity-below-span`, `swizzle-period`, `unsupported` (bases that are no strides).
/// (`dst-overlaps` and `sub-byte-edge` need a solver: see solver/solve.hpp; a verifier finds them as `disjoint`.)
std::optional<Diagnostic> rejection(const Problem& problem, const Copy& copy);

/// A condition that the proof rests on and that nothing here can check.
struct Assumption {
    std::string id;  // A1, A2, ...
    std::string text;
    std::string
        source;  // grid, symbol, fact, default-alignment, stated-alignment, stated-base, default-capacity, stated-capacity, distinct-buffers, exclusive
    int of = -1;  // index of the symbol, fact or buffer that it is about; -1: about several
};
std::vector<Assumption> assumptions(const Problem& problem);

constexpr std::size_t max_symbols = 32;
constexpr Elements most_elements{std::int64_t{1} << 24};  // of one copy

}  // namespace tileproof
