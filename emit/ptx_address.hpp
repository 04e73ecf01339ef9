// Addresses as the emitted code computes them: a thread part once, an addition per round, a swizzle once or per round.
//
//   f16 128x64, 256 threads, 4 rounds      thread part  128 (t / 8) + 16 (t % 8) bytes, merged to 16 t
//   shared, Sw<3,3,3>                      rounds 4096 bytes apart: swz(thread + round) = swz(thread) + round,
//                                          so the XOR stays outside the loop and a round costs one addition
//
// This is not a proof: the verifier has proved the plan's addresses. Here they are only rearranged, each step an identity
// on integers, or on integers modulo 2^32 where the result is known to be below 2^32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

/// coefficient * (t / divisor % extent)
struct ThreadTerm {
    std::int64_t divisor = 1;
    std::int64_t extent = 1;
    std::int64_t coefficient = 1;
    friend bool operator==(const ThreadTerm&, const ThreadTerm&) = default;
};

/// constant + sum of terms in the thread + sum of rounds[k] * (digit of loop k, outermost first)
struct Affine {
    std::int64_t constant = 0;
    std::vector<ThreadTerm> thread{};  // without zeros; neighbours that continue each other are merged
    std::vector<std::int64_t> rounds{};
    friend bool operator==(const Affine&, const Affine&) = default;

    bool moves() const;
};

/// Extents of the loops over the rounds, outermost (most significant) first; no extent 1.
std::vector<std::int64_t> loop_extents(const Segment& segment);

/// constant + sum of per_digit[i] * digit i over thread and outer digits (the lane digits are 0).
/// Requires: per_digit.size() == segment.digits.size().
Affine affine(const Segment& segment, std::int64_t constant, const std::vector<std::int64_t>& per_digit);

/// Least and greatest value at round 0, whatever the thread.
Reach first_round_reach(const Affine& form);
/// Least and greatest value over all threads and rounds. `loops` as from loop_extents.
Reach reach(const Affine& form, const std::vector<std::int64_t>& loops);

/// What is added at the end of each pass of each loop: rounds[k], less what the loop inside has added in all.
/// Ensures: value at digits d = value at 0 + sum of the additions that nested loops have made when they reach d.
std::vector<std::int64_t> steps(const Affine& form, const std::vector<std::int64_t>& loops);

/// For people: "16 t", "128 (t / 8) + 16 (t % 8) + 4096 i + 64"; i counts the rounds (i0, i1, ... if there are several loops).
std::string describe(const Affine& form, std::int64_t threads);

enum class Finish {
    linear,      // the address is the sum
    xor_once,    // swizzle the thread part, then add per round
    every_round  // swizzle the sum in each round
};

/// One side of a segment.
struct SideForm {
    Affine sum;  // counts bytes; or elements, where a byte holds 2^elements_log2 of them
    int elements_log2 = 0;
    Finish finish = Finish::linear;
    std::int64_t mask = 0;    // the swizzle in the unit of `sum`: x ^ ((x & mask) >> shift); 0: none
    int shift = 0;            // negative: to the left
    bool wide = false;        // needs 64-bit registers
    bool negative = false;    // the first round's sum may be negative (32 bits: sign-extend)
    std::int64_t period = 1;  // of the swizzle, in the unit of `sum`
};

/// Requires: a plan that passes check_plan, with proved addresses.
SideForm side_form(const Segment& segment, const SidePlan& side, Bits element, Space space);

/// Whether swz(thread + round) == swz(thread) + round for every thread and round of the segment. Exact up to 2^22 pairs of
/// residues modulo the period; beyond, only what is plain (each round a multiple of the period) counts as true.
/// Requires: `sum` counts the swizzle's elements. (Negative sums, of inactive threads, count as two's complement.)
bool xor_is_invariant(const Affine& sum, const std::vector<std::int64_t>& loops, const Swizzle& swizzle);

}  // namespace tileproof
