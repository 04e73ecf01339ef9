// PTX: a verified plan -> the text of one kernel, tp_<stem>.
//
//   one rolled loop per copy over the rounds; thread digits by shifts and masks (powers of two) outside the loop;
//   swizzled shared addresses: XOR part outside, one addition per round, wherever the round's stride allows it
//
// A copy with a side in registers is unrolled, since instructions name them; registers stay from copy to copy.
// Parameters: the global buffers in file order (.u64), then the symbols that are passed in (.s64); those of the launch are computed
// from the index of the block. All or nothing: a string or a diagnostic.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "layouts/machine.hpp"
#include "verify/report.hpp"

namespace tileproof {

struct Parameter {
    std::string name;  // of the buffer or the symbol
    std::string type;  // "u64", "s64"
};
/// A symbol that the kernel computes: times * ctaid, or the number of the thread's group.
struct ComputedSymbol {
    std::string name;
    LaunchIndex from;
};

/// What a host needs to launch the kernel.
struct KernelInfo {
    std::string entry;  // "tp_gmem_smem_f32"
    PtxVersion ptx;
    int block = 1;
    int groups = 1;  // of the block, where copies are performed by each
    std::array<std::int64_t, 3> grid{1, 1, 1};
    Bytes shared{};               // what layouts/placement.hpp says, and room to align it
    bool dynamic_shared = false;  // above 48 KiB: the launch must ask for `shared` bytes
    std::vector<Parameter> parameters;
    std::vector<ComputedSymbol> computed{};
};
/// Errors: `ptx-version` (the stated version is too low for the target or an instruction), `shared-memory`.
Result<KernelInfo> kernel_info(const Problem& problem, const Plan& plan);

struct PtxOptions {
    /// For `run`: take one more .u64 parameter, the address of an image of all shared buffers and registers (laid out as
    /// chip_image of layouts/register_file.hpp says, 4-byte aligned); load it before the first copy and store it after the last.
    /// Each block has its own, one after the other x fastest.
    bool shared_image = false;
};
Result<std::string> emit_ptx(const VerifiedPlan& verified, const PtxOptions& options = {});

}  // namespace tileproof
