// Gpu: one CUDA device, reached through its driver, which is looked for when the program runs.
//
//   Gpu::open(0)                                      -> Gpu, or `no-gpu`: no driver, no such device
//   gpu.allocate(Bytes{4096})                         -> DeviceMemory, freed with its last holder
//   gpu.load(ptx, "tp_copy", {{1, 1, 1}, 256, {}})    -> Kernel, or `gpu-error` with what the driver's assembler said
//   kernel.launch({a.address(), b.address()})         runs it and waits
//
// Nothing is linked and no CUDA header is needed. Errors: `no-gpu` where this machine cannot run it at all, `gpu-error` where it
// could and a call failed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layouts/result.hpp"
#include "layouts/units.hpp"

namespace tileproof::cli {

using GpuAddress = std::uint64_t;

/// A piece of the device's memory. Copies of this value share it.
class DeviceMemory {
public:
    GpuAddress address() const;
    Bytes size() const;
    /// Requires: bytes.size() == size().
    [[nodiscard]] std::optional<Diagnostic> upload(const std::vector<std::uint8_t>& bytes) const;
    Result<std::vector<std::uint8_t>> download() const;

private:
    friend class Gpu;
    struct Allocation;
    explicit DeviceMemory(std::shared_ptr<const Allocation> allocation) : allocation_(std::move(allocation)) {}
    std::shared_ptr<const Allocation> allocation_;
};

struct LaunchShape {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    int block = 1;
    Bytes dynamic_shared{};
};

/// An entry point in a loaded module. Copies of this value share the module.
class Kernel {
public:
    /// Launches once and waits for the end; a fault of the kernel shows here. `arguments`: 64 bits each, in order.
    [[nodiscard]] std::optional<Diagnostic> launch(const std::vector<std::uint64_t>& arguments) const;
    /// Seconds per launch of `launches` in a row, between two events of the device.
    Result<double> seconds_per_launch(const std::vector<std::uint64_t>& arguments, int launches) const;

private:
    friend class Gpu;
    struct Loaded;
    explicit Kernel(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
    std::shared_ptr<const Loaded> loaded_;
};

class Gpu {
public:
    static Result<Gpu> open(int ordinal);

    const std::string& name() const;   // "NVIDIA H200"
    int compute_capability() const;    // 90, counted like Arch::number
    Bytes shared_per_block() const;    // with opt-in
    std::string cuda_version() const;  // the newest that the driver serves: "12.4"

    Result<DeviceMemory> allocate(Bytes size) const;
    Result<Kernel> load(const std::string& ptx, const std::string& entry, const LaunchShape& shape) const;

private:
    friend class DeviceMemory;
    friend class Kernel;
    struct Context;
    explicit Gpu(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
    std::shared_ptr<const Context> context_;
};

}  // namespace tileproof::cli
