// Inside emit/: PTX from a problem and a plan that nobody has proved. Tests and `emit_ptx` only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emit/ptx.hpp"
#include "emit/ptx_registers_internal.hpp"
#include "emit/ptx_writer.hpp"
#include "layouts/placement.hpp"

namespace tileproof {

/// Requires: a plan that passes check_plan and whose obligations hold. `emit_ptx` is this with the requirement in its type.
Result<std::string> write_ptx(const Problem& problem, const Plan& plan, const PtxOptions& options = {});

/// The one array that holds all shared buffers, each at its placement.
constexpr const char* shared_name = "smem";

/// What the code of a copy builds on.
struct KernelFrame {
    const Problem* problem = nullptr;
    Placement shared{};
    std::string shared_start{};            // register with the rounded address of the array; empty: its name will do
    std::string thread{};                  // register with tid.x; empty in a block of one thread
    std::map<int, std::string> pointer{};  // global buffer index -> register with its address
    std::map<int, std::string> symbol{};   // symbol index -> register with its value
    RegisterBuffers* registers = nullptr;
};

/// A register of its own with the address of byte `offset` of shared memory. Requires: 0 <= offset < 2^31.
std::string write_shared_address(PtxWriter& out, const KernelFrame& frame, std::int64_t offset);

/// Appends the code of a copy: its comment, the branch around it, and its segments. `number` makes its labels unique.
void write_copy(PtxWriter& out, const KernelFrame& frame, const Copy& copy, const CopyPlan& plan, int number);

}  // namespace tileproof
