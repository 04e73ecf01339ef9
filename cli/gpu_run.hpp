// run_on_gpu: a kernel with its problem -> what the GPU did, byte by byte, and how long it took.
//
//   pass   seed   bases                                     compared
//   1      1      aligned as promised, and no better        every byte of every allocation
//   2      2      multiples of 256 too, as is usual         the same; then the time, if all is equal
//
// In each pass the kernel runs once on fresh noise. Where the copies leave something in shared memory, or read it before they
// write it, the kernel with the image runs as well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reference.hpp"
#include "emit/ptx.hpp"

namespace tileproof::cli {

struct GpuJob {
    const Problem& problem;  // of block 0: without symbols
    LaunchOf launch;         // and of all of them
    KernelInfo kernel;
    std::string ptx;
    std::optional<std::string> image_ptx{};  // the same copies with the image of shared memory and registers before and after
    SharedUse shared{};
    Values symbols{};  // what the kernel gets for those that are passed in, after the buffers
};

/// The first difference ends a pass.
struct Pass {
    std::uint64_t seed = 0;
    Values symbols{};
    Bytes compared{};
    std::optional<Difference> difference{};
};

struct Measured {
    std::string device;          // "NVIDIA H200"
    int compute_capability = 0;  // 90, counted like Arch::number
    std::vector<Pass> passes;
    std::optional<double> seconds_per_launch{};  // if all bytes are equal
    bool is_equal() const;
};

/// Errors: `no-gpu` where this machine cannot run the job, `gpu-error` where a call or the kernel itself fails.
/// Requires: image_ptx is there iff shared.needs_image().
Result<Measured> run_on_gpu(const GpuJob& job, int device);

}  // namespace tileproof::cli
