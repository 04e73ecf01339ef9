// Solution: the planner's answer, with its reasons. Plain data, so that reports can show it without the solver.
//
//   load: 128 bits, plan ...; refused: 256 bits, rule `target`, "sm_90 has no 256-bit access"
//   A copy that cannot be done at all has a rejection instead of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/plan.hpp"

namespace tileproof {

/// The first access that would be illegal at a refused width. Runs are numbered by their heads in row-major order of the region;
/// thread = run mod threads, round = run div threads.
struct Witness {
    std::optional<Side> side;  // absent where no one side is at fault (`no-partner`)
    std::int64_t round = 0;
    std::int64_t thread = 0;
    std::vector<std::int64_t> coordinate{};  // of the head, relative to the region's start
    std::optional<Bits> address{};           // its address, base residue included; not always whole bytes
    std::optional<Bits> modulus{};           // what the address should be a multiple of
    Values symbols{};                        // by index; empty without symbols
};

/// A change of the problem under which a refused width is legal.
struct Unlock {
    std::string text;   // what then holds: "base of A aligned to 16 bytes"
    std::string patch;  // JSON merge patch on the problem file: {"buffers":{"A":{"align":16}}}
};

struct Refusal {
    Bits width;
    std::string rule;  // target count base-alignment swizzle-chunk region-offset phase stride not-contiguous no-partner
    std::string text;
    std::optional<Witness> witness{};
    bool unlock_sought = false;      // see solver/remedy.hpp
    std::optional<Unlock> unlock{};  // if sought: nothing where nothing helps
};

/// A way to do a copy that does not serve here.
struct Declined {
    std::string variant;
    std::string reason;
};

struct CopySolution {
    std::string name;
    std::string variant{};                  // vec_auto ldgsts ldstmatrix vec_16b ... fallback; of the plan
    std::vector<Declined> declined{};       // variants that would have come first
    std::optional<Diagnostic> rejection{};  // then there is no plan
    Bits width{};                           // legal for the whole region; where the plan has several widths, the narrowest of them
    std::vector<Refusal> refused{};         // each wider width, widest first
    std::string undecided{};                // not empty: a solver limit cut the search here, and a wider width (or any plan) may exist
    std::optional<CopyPlan> plan{};
    std::optional<std::int64_t> straight_accesses{};  // where the plan has blocks: the loads and stores of a thread at `width` alone
    std::optional<std::int64_t> single_rounds{};      // where the plan has several widths: the rounds of one at `width` alone
};

struct Solution {
    std::vector<CopySolution> copies;
    std::vector<Step> program;  // of the copies that have plans

    bool complete() const;
    /// Requires: complete().
    Plan plan() const;
};

}  // namespace tileproof
