// The host's answer: what every buffer holds before the copies and, by the definition alone, after them.
//
//   Images images = random_images(problem, 1);   one byte vector a buffer, `capacity` elements long
//   run_reference(problem, images);              element k of a source region goes to element k of its destination region
//
// On the GPU the buffers lie in stretches, one allocation each; every byte of a stretch is compared, whatever it is:
//
//   | noise, 4 KiB or more | A | noise, 4 KiB or more |              a global buffer between its guards
//   | noise | As | padding | Bs | padding | As ... | noise |        the images of shared memory and registers, one a block
//
// Pure host code: it knows layouts and copies, but neither plans nor GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/grid.hpp"
#include "layouts/problem.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof::cli {

using Image = std::vector<std::uint8_t>;
using Images = std::vector<Image>;  // by buffer index

constexpr Bytes guard_size{4096};
constexpr Bytes most_run_bytes{std::int64_t{1} << 30};  // of all buffers together

/// The same bytes for the same seed on every machine.
Image noise(Bytes size, std::uint64_t seed);

/// The bytes of all buffers together, or nothing where they exceed most_run_bytes.
std::optional<Bytes> bytes_to_run(const Problem& problem);

/// Noise in every buffer, of its own for each: what is written finds another pattern than what is read, and a byte that is
/// never written keeps its own. Requires: bytes_to_run(problem).
Images random_images(const Problem& problem, std::uint64_t seed);

/// Performs the copies in file order; each reads its source as it was before that copy.
/// Requires: no copy has a rejection; images as random_images makes them.
void run_reference(const Problem& problem, Images& images);

/// A problem with values of the symbols that are passed in: what each block of its grid does. One block without a grid.
struct LaunchOf {
    const Problem& problem;
    Values values{};

    std::int64_t blocks() const { return block_count(problem.launch); }
    /// Without symbols; see block_of.
    Problem block(std::int64_t number) const { return block_of(problem, values, blocks_of(problem.launch).at(number)); }
};
/// Elements that the copies of all blocks move, or nothing where they exceed most_run_elements.
std::optional<std::int64_t> elements_to_run(const LaunchOf& launch);
constexpr std::int64_t most_run_elements = std::int64_t{1} << 28;

/// Performs the copies block after block, each with shared buffers and registers of its own that start as `images` has them. With
/// `keep_shared` the result is what these hold in the end, block by block.
std::vector<Images> run_reference(const LaunchOf& launch, Images& images, bool keep_shared);

/// What becomes of shared memory and registers, element by element.
struct SharedUse {
    bool reads_unwritten = false;  // some copy reads what no earlier copy wrote
    bool leaves_unread = false;    // something is written and no later copy reads it

    /// Whether global memory alone cannot show that the copies did what they should.
    bool needs_image() const { return reads_unwritten || leaves_unread; }
};
/// Requires: no copy has a rejection.
SharedUse shared_use(const Problem& problem);
bool needs_shared_image(const Problem& problem);

struct Spot {
    int buffer = 0;
    Bytes begin{};           // from the start of the stretch
    std::int64_t block = 0;  // whose shared buffer it is
};
struct Stretch {
    Bytes size{};
    std::vector<Spot> spots;  // in rising order; what lies between them belongs to nobody
};

/// Where in an allocation at `allocation_address` a global buffer starts. With `least_aligned` the base keeps its promise and no more:
/// with `align` 16 it is an odd multiple of 16. Otherwise it is a multiple of 256 (plus the residue of Buffer::base) too.
/// Ensures: guard_size <= begin, begin + bytes + guard_size <= stretch_size(buffer).
Bytes base_in_stretch(const Buffer& buffer, std::uint64_t allocation_address, bool least_aligned);
Bytes stretch_size(const Buffer& buffer);
/// Of registers, the register file of the block (layouts/register_file.hpp).
Bytes bytes_of(const Problem& problem, const Buffer& buffer);

/// The buffers' images at their spots in noise.
Image stretch_image(const Stretch& stretch, const Images& images, std::uint64_t seed);
/// The same with the images of each spot's block. Requires: all blocks of the spots are there, or one for all of them.
Image stretch_image(const Stretch& stretch, const std::vector<Images>& of_blocks, std::uint64_t seed);

/// The first byte of a stretch that is not as the reference says.
struct Difference {
    int buffer = 0;
    std::int64_t byte = 0;                   // from the buffer's base; below 0 or from its size on: outside it
    std::optional<std::int64_t> element{};   // offset, if inside
    std::vector<std::int64_t> coordinate{};  // logical, if a copy writes that element
    std::string expected;                    // the element, or the byte if outside: "0x3f800000"
    std::string found;
    std::int64_t differing_bytes = 0;  // in the whole stretch
    std::string text;                  // one sentence with all this
};
/// `before` and `wanted` are images of the stretch before and after the copies, `found` is the GPU's.
std::optional<Difference> first_difference(const Problem& problem, const Stretch& stretch, const Image& before, const Image& wanted,
                                           const Image& found);
std::optional<Difference> first_difference(const LaunchOf& launch, const Stretch& stretch, const Image& before, const Image& wanted,
                                           const Image& found);

}  // namespace tileproof::cli
