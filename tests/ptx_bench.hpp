// For tests of emitted PTX: problems and plans made by hand, and a run on the CPU compared with the definition.
//
//   Bench bench("sm_90", 256);
//   const int a = bench.add("A", Space::global, "f16", row_major({128, 64}), 16);
//   const int s = bench.add("As", Space::shared, "f16", swizzle({3, 3, 3}, row_major({128, 64})), 1024);
//   bench.copy("load", a, s, {{1, 1, 8, vec}, {1, 8, 8, thread}, {0, 1, 32, thread}, {0, 32, 4, outer}});
//   CHECK(bench.difference() == "");
//
// A plan's strides are differences of the layouts' own offsets; places count up in the order given.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/ptx.hpp"
#include "tests/ptx_interpreter.hpp"

namespace tileproof::test {

Layout row_major(const std::vector<std::int64_t>& shape);
/// One iter per dimension.
Layout strided(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides);
Layout swizzle(const Swizzle& how, Layout layout);

struct DigitSpec {
    int dim;
    std::int64_t weight;
    std::int64_t extent;
    Role role;
};

struct SegmentSpec {
    std::vector<DigitSpec> digits;
    std::vector<Bound> predicate{};
    std::vector<std::int64_t> start{};
    int index_bits = 0;                                        // 0: 64 for global, 32 for shared
    std::optional<std::vector<int>> src_lanes{}, dst_lanes{};  // of a block: places of vec digits
};

class Bench {
public:
    Bench(const std::string& arch, int block);
    /// A plan for the problem, as the planner or a stranger made it; `difference` is at these values of the symbols.
    Bench(Problem planned, Plan how, Values at = {});

    int add(const std::string& name, Space space, const std::string& dtype, const Layout& layout, std::int64_t align);
    /// The whole of `src` to the whole of `dst` by all threads of the block; returns the copy's number.
    int copy(const std::string& name, int src, int dst, const SegmentSpec& segment);
    int copy(const std::string& name, int src, int dst, const std::vector<SegmentSpec>& segments, Participants who);
    void barrier(int id = 0);

    /// Emits, reads, runs on random data, and compares every byte of every buffer with the definition: first what ends in
    /// global memory, then with an image of shared memory. Also: each register declared is used, and loops do not divide.
    /// Empty where all agrees.
    std::string difference(std::uint32_t seed = 1) const;

    /// What ptxas says about the text for each of these targets. Empty where it takes them all.
    std::string assembly_errors(const std::vector<std::string>& arches = {"sm_80", "sm_90", "sm_100"}) const;

    /// Requires: it can be emitted.
    std::string text(const PtxOptions& options = {}) const;

    Problem problem;
    Plan plan;
    Values values{};  // of the symbols, for `difference`

    /// With (or without) the image alone: for copies that read shared memory which none has written.
    std::string difference(bool image, std::uint32_t seed) const;
};

/// Bytes of every buffer of a problem.
using Contents = std::vector<std::vector<std::uint8_t>>;
Contents random_contents(const Problem& problem, std::uint32_t seed);
/// What the copies make of them by the definition: element k of the source region to element k of the destination region.
void run_by_definition(const Problem& problem, Contents& contents);

}  // namespace tileproof::test
