#include "cli/driver.hpp"

#include <algorithm>
#include <utility>

#include <dlfcn.h>

namespace tileproof::cli {
namespace {

// The driver's own types and numbers, as its ABI has them.
using Code = int;
using Device = int;
using ContextHandle = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;

constexpr const char* library_name = "libcuda.so.1";

enum KnownCode : Code {
    success = 0,
    out_of_memory = 2,
    unsupported_ptx_version = 222,
};
enum DeviceAttribute : int {
    capability_major = 75,
    capability_minor = 76,
    shared_per_block_optin = 97,
};
enum FunctionAttribute : int { dynamic_shared_limit = 8 };
enum JitOption : int { error_log = 5, error_log_bytes = 6 };
enum EventFlag : unsigned { event_default = 0 };

constexpr Bytes dynamic_shared_without_asking{std::int64_t{48} * 1024};

/// The entry points that are used, by the names that the library exports.
struct Calls {
    Code (*init)(unsigned flags) = nullptr;
    Code (*driver_version)(int* version) = nullptr;
    Code (*error_name)(Code, const char** text) = nullptr;
    Code (*error_text)(Code, const char** text) = nullptr;
    Code (*device_count)(int* count) = nullptr;
    Code (*device)(Device*, int ordinal) = nullptr;
    Code (*device_name)(char* name, int room, Device) = nullptr;
    Code (*device_attribute)(int* value, int attribute, Device) = nullptr;
    Code (*retain_context)(ContextHandle*, Device) = nullptr;
    Code (*release_context)(Device) = nullptr;
    Code (*use_context)(ContextHandle) = nullptr;
    Code (*synchronize)() = nullptr;
    Code (*allocate)(GpuAddress*, std::size_t bytes) = nullptr;
    Code (*release)(GpuAddress) = nullptr;
    Code (*to_device)(GpuAddress, const void*, std::size_t bytes) = nullptr;
    Code (*to_host)(void*, GpuAddress, std::size_t bytes) = nullptr;
    Code (*load_module)(ModuleHandle*, const void* image, unsigned options, int* names, void** values) = nullptr;
    Code (*unload_module)(ModuleHandle) = nullptr;
    Code (*find_function)(FunctionHandle*, ModuleHandle, const char* name) = nullptr;
    Code (*set_attribute)(FunctionHandle, int attribute, int value) = nullptr;
    Code (*launch)(FunctionHandle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, StreamHandle, void** arguments, void** extra) = nullptr;
    Code (*make_event)(EventHandle*, unsigned flags) = nullptr;
    Code (*drop_event)(EventHandle) = nullptr;
    Code (*record)(EventHandle, StreamHandle) = nullptr;
    Code (*await_event)(EventHandle) = nullptr;
    Code (*elapsed)(float* milliseconds, EventHandle begin, EventHandle end) = nullptr;
};

/// Sets `call` to the symbol and leaves `missing` alone, or notes in it the first that is not there.
template <class Call>
void find(void* library, const char* symbol, Call*& call, std::string& missing) {
    call = reinterpret_cast<Call*>(dlsym(library, symbol));
    if (call == nullptr && missing.empty()) missing = symbol;
}

Result<Calls> find_calls() {
    // Never closed: the driver has threads of its own, which outlive any handle.
    void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        return Diagnostic{"no-gpu",
                          std::string("there is no CUDA driver: ") + library_name + " cannot be loaded",
                          {},
                          {why == nullptr ? "the loader gives no reason" : why},
                          {"`plan`, `verify` and `emit` need no GPU"}};
    }
    Calls calls;
    std::string missing;
    find(library, "cuInit", calls.init, missing);
    find(library, "cuDriverGetVersion", calls.driver_version, missing);
    find(library, "cuGetErrorName", calls.error_name, missing);
    find(library, "cuGetErrorString", calls.error_text, missing);
    find(library, "cuDeviceGetCount", calls.device_count, missing);
    find(library, "cuDeviceGet", calls.device, missing);
    find(library, "cuDeviceGetName", calls.device_name, missing);
    find(library, "cuDeviceGetAttribute", calls.device_attribute, missing);
    find(library, "cuDevicePrimaryCtxRetain", calls.retain_context, missing);
    find(library, "cuDevicePrimaryCtxRelease_v2", calls.release_context, missing);
    find(library, "cuCtxSetCurrent", calls.use_context, missing);
    find(library, "cuCtxSynchronize", calls.synchronize, missing);
    find(library, "cuMemAlloc_v2", calls.allocate, missing);
    find(library, "cuMemFree_v2", calls.release, missing);
    find(library, "cuMemcpyHtoD_v2", calls.to_device, missing);
    find(library, "cuMemcpyDtoH_v2", calls.to_host, missing);
    find(library, "cuModuleLoadDataEx", calls.load_module, missing);
    find(library, "cuModuleUnload", calls.unload_module, missing);
    find(library, "cuModuleGetFunction", calls.find_function, missing);
    find(library, "cuFuncSetAttribute", calls.set_attribute, missing);
    find(library, "cuLaunchKernel", calls.launch, missing);
    find(library, "cuEventCreate", calls.make_event, missing);
    find(library, "cuEventDestroy_v2", calls.drop_event, missing);
    find(library, "cuEventRecord", calls.record, missing);
    find(library, "cuEventSynchronize", calls.await_event, missing);
    find(library, "cuEventElapsedTime", calls.elapsed, missing);
    if (missing.empty()) return calls;
    return Diagnostic{"no-gpu", std::string("the CUDA driver ") + library_name + " is too old: it lacks " + missing};
}

/// "CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered"
std::string wording(const Calls& calls, Code status) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (calls.error_name(status, &name) != success || name == nullptr) return "error " + std::to_string(status);
    if (calls.error_text(status, &text) != success || text == nullptr) return name;
    return std::string(name) + ", " + text;
}

Diagnostic failure(const Calls& calls, const std::string& what, Code status) { return {"gpu-error", what + ": " + wording(calls, status)}; }

/// What a log holds, line by line, without what would move a terminal's cursor.
std::vector<std::string> lines_of(const std::string& log) {
    std::vector<std::string> out;
    std::string line;
    for (const char c : log + "\n") {
        if (c == '\0') break;
        if (c != '\n') {
            line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
            continue;
        }
        if (line.find_first_not_of(' ') != std::string::npos) out.push_back(line);
        line.clear();
    }
    return out;
}

}  // namespace

struct Gpu::Context {
    explicit Context(const Calls& found) : calls(found) {}
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    Context(Context&&) = delete;
    Context& operator=(Context&&) = delete;
    ~Context() {
        if (is_retained) calls.release_context(device);
    }

    Calls calls;
    Device device = 0;
    bool is_retained = false;
    std::string name;
    int major = 0;
    int minor = 0;
    int shared_bytes = 0;
    int cuda_version = 0;
};

struct DeviceMemory::Allocation {
    Allocation(std::shared_ptr<const Gpu::Context> of, GpuAddress at, Bytes bytes) : context(std::move(of)), address(at), size(bytes) {}
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;
    Allocation(Allocation&&) = delete;
    Allocation& operator=(Allocation&&) = delete;
    ~Allocation() { context->calls.release(address); }

    std::shared_ptr<const Gpu::Context> context;
    GpuAddress address;
    Bytes size;
};

struct Kernel::Loaded {
    Loaded(std::shared_ptr<const Gpu::Context> of, ModuleHandle handle, const LaunchShape& how)
        : context(std::move(of)), module(handle), shape(how) {}
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
    Loaded(Loaded&&) = delete;
    Loaded& operator=(Loaded&&) = delete;
    ~Loaded() { context->calls.unload_module(module); }

    Code start(const std::vector<std::uint64_t>& arguments) const;

    std::shared_ptr<const Gpu::Context> context;
    ModuleHandle module;
    LaunchShape shape;
    FunctionHandle function = nullptr;
};

Code Kernel::Loaded::start(const std::vector<std::uint64_t>& arguments) const {
    std::vector<std::uint64_t> values = arguments;  // the driver takes pointers to what it may change
    std::vector<void*> pointers;
    pointers.reserve(values.size());
    for (std::uint64_t& value : values) pointers.push_back(&value);
    const auto blocks = [this](std::size_t dim) { return static_cast<unsigned>(shape.grid[dim]); };
    return context->calls.launch(function, blocks(0), blocks(1), blocks(2), static_cast<unsigned>(shape.block), 1, 1,
                                 static_cast<unsigned>(shape.dynamic_shared.count), nullptr, pointers.data(), nullptr);
}

GpuAddress DeviceMemory::address() const { return allocation_->address; }
Bytes DeviceMemory::size() const { return allocation_->size; }

std::optional<Diagnostic> DeviceMemory::upload(const std::vector<std::uint8_t>& bytes) const {
    TILEPROOF_CHECK(static_cast<std::int64_t>(bytes.size()) == allocation_->size.count);
    const Calls& calls = allocation_->context->calls;
    const Code status = calls.to_device(allocation_->address, bytes.data(), bytes.size());
    if (status == success) return std::nullopt;
    return failure(calls, "data cannot be brought to the GPU", status);
}

Result<std::vector<std::uint8_t>> DeviceMemory::download() const {
    const Calls& calls = allocation_->context->calls;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(allocation_->size.count));
    const Code status = calls.to_host(bytes.data(), allocation_->address, bytes.size());
    if (status != success) return failure(calls, "data cannot be fetched from the GPU", status);
    return bytes;
}

std::optional<Diagnostic> Kernel::launch(const std::vector<std::uint64_t>& arguments) const {
    const Calls& calls = loaded_->context->calls;
    if (const Code status = loaded_->start(arguments); status != success) return failure(calls, "the kernel cannot be launched", status);
    if (const Code status = calls.synchronize(); status != success) return failure(calls, "the kernel failed", status);
    return std::nullopt;
}

Result<double> Kernel::seconds_per_launch(const std::vector<std::uint64_t>& arguments, int launches) const {
    const Calls& calls = loaded_->context->calls;
    struct Events {
        explicit Events(const Calls& of) : calls(of) {}
        Events(const Events&) = delete;
        Events& operator=(const Events&) = delete;
        Events(Events&&) = delete;
        Events& operator=(Events&&) = delete;
        ~Events() {
            for (EventHandle event : {begin, end})
                if (event != nullptr) calls.drop_event(event);
        }
        const Calls& calls;
        EventHandle begin = nullptr;
        EventHandle end = nullptr;
    } events(calls);

    float milliseconds = 0;
    Code status = calls.make_event(&events.begin, event_default);
    if (status == success) status = calls.make_event(&events.end, event_default);
    if (status == success) status = calls.record(events.begin, nullptr);
    for (int i = 0; i < launches && status == success; ++i) status = loaded_->start(arguments);
    if (status == success) status = calls.record(events.end, nullptr);
    if (status == success) status = calls.await_event(events.end);
    if (status == success) status = calls.elapsed(&milliseconds, events.begin, events.end);
    if (status != success) return failure(calls, "the kernel cannot be timed", status);
    return static_cast<double>(milliseconds) / 1000 / launches;
}

Result<Gpu> Gpu::open(int ordinal) {
    const Result<Calls> found = find_calls();
    if (!found) return found.error();
    const Calls& calls = found.value();
    const auto none = [&](const std::string& what, Code status) { return Diagnostic{"no-gpu", what + ": " + wording(calls, status)}; };
    if (const Code status = calls.init(0); status != success) return none("the CUDA driver finds no usable GPU", status);
    int count = 0;
    if (const Code status = calls.device_count(&count); status != success) return none("the GPUs cannot be counted", status);
    if (ordinal < 0 || ordinal >= count)
        return Diagnostic{"no-gpu", "there is no GPU number " + std::to_string(ordinal) + ": the CUDA driver counts " +
                                        std::to_string(count) + (count == 0 ? "" : ", numbered from 0")};

    const auto context = std::make_shared<Context>(calls);
    std::array<char, 256> name{};
    Code status = calls.device(&context->device, ordinal);
    if (status == success) status = calls.device_name(name.data(), static_cast<int>(name.size()) - 1, context->device);
    if (status == success) status = calls.device_attribute(&context->major, capability_major, context->device);
    if (status == success) status = calls.device_attribute(&context->minor, capability_minor, context->device);
    if (status == success) status = calls.device_attribute(&context->shared_bytes, shared_per_block_optin, context->device);
    if (status == success) status = calls.driver_version(&context->cuda_version);
    if (status != success) return none("GPU number " + std::to_string(ordinal) + " does not answer", status);
    context->name = name.data();

    ContextHandle handle = nullptr;
    status = calls.retain_context(&handle, context->device);
    context->is_retained = status == success;
    if (status == success) status = calls.use_context(handle);
    if (status != success) return none("the " + context->name + " cannot be used", status);
    return Gpu(context);
}

const std::string& Gpu::name() const { return context_->name; }
int Gpu::compute_capability() const { return 10 * context_->major + context_->minor; }
Bytes Gpu::shared_per_block() const { return {context_->shared_bytes}; }
std::string Gpu::cuda_version() const {
    return std::to_string(context_->cuda_version / 1000) + "." + std::to_string(context_->cuda_version % 1000 / 10);
}

Result<DeviceMemory> Gpu::allocate(Bytes size) const {
    const Calls& calls = context_->calls;
    GpuAddress address = 0;
    const Code status = calls.allocate(&address, static_cast<std::size_t>(size.count));
    if (status == success) return DeviceMemory(std::make_shared<DeviceMemory::Allocation>(context_, address, size));
    Diagnostic why = failure(calls, "the " + name() + " gives no " + std::to_string(size.count) + " bytes", status);
    if (status == out_of_memory) why.rule = "no-gpu";
    return why;
}

Result<Kernel> Gpu::load(const std::string& ptx, const std::string& entry, const LaunchShape& shape) const {
    const Calls& calls = context_->calls;
    std::string log(std::size_t{16} * 1024, '\0');
    std::array<int, 2> options{error_log, error_log_bytes};
    // A number travels as the pointer's value.
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    ModuleHandle module = nullptr;
    Code status = calls.load_module(&module, ptx.c_str(), options.size(), options.data(), values.data());
    if (status == unsupported_ptx_version)
        return Diagnostic{"no-gpu",
                          "the driver serves CUDA " + cuda_version() + " and does not know this PTX version",
                          {},
                          lines_of(log),
                          {"a newer driver, or an older `ptx` or `arch` under [target]"}};
    if (status != success) {
        Diagnostic why = failure(calls, "the driver refuses the PTX of " + entry, status);
        why.notes = lines_of(log);
        return why;
    }
    const auto loaded = std::make_shared<Kernel::Loaded>(context_, module, shape);
    status = calls.find_function(&loaded->function, module, entry.c_str());
    if (status != success) return failure(calls, "the module has no usable " + entry, status);
    if (shape.dynamic_shared > dynamic_shared_without_asking)
        status = calls.set_attribute(loaded->function, dynamic_shared_limit, static_cast<int>(shape.dynamic_shared.count));
    if (status != success)
        return failure(calls, std::to_string(shape.dynamic_shared.count) + " bytes of shared memory are refused", status);
    return Kernel(loaded);
}

}  // namespace tileproof::cli
