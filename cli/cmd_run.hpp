// `tileproof run FILE`: plan, prove, emit, execute on a GPU, and compare every byte with the host's reference.
//
//   gmem_smem_f32.toml   NVIDIA H200 (sm_90)   tp_gmem_smem_f32 <<<1, 32>>>
//     pass 1   seed 1   25 KiB compared, guards intact
//     pass 2   seed 2   25 KiB compared, guards intact
//     time     2.31 us per launch   7.1 GB/s   latency, not bandwidth
//
// With symbols, each pass runs at given values, or at the smallest and at the largest that the assumptions allow.
#pragma once

#include <string>
#include <vector>

#include "cli/common.hpp"

namespace tileproof::cli {

struct RunArguments {
    std::string file;
    int device = 0;  // as the driver counts
    CommonOptions options{};
    std::vector<std::string> set{};  // "ld=128": values of symbols; without them, the smallest and the largest are run
};

/// The exit status: 0 all bytes equal; 1 rejected or refuted; 2 bad input, or no GPU that can run it; 3 something undecided;
/// 4 a byte differs, the kernel fails, or the checkers disagree.
int run_command(const RunArguments& arguments);

}  // namespace tileproof::cli
