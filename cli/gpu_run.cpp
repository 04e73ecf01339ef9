#include "cli/gpu_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cli/driver.hpp"
#include "layouts/register_file.hpp"

namespace tileproof::cli {
namespace {

constexpr std::array<std::uint64_t, 2> seeds{1, 2};

/// Why this GPU cannot run code for this target, if so. Suffixed targets run nowhere but on their own architecture.
std::optional<Diagnostic> misfit(const Gpu& gpu, const GpuJob& job) {
    const Arch& target = job.problem.target;
    const auto version = [](int number) { return std::to_string(number / 10) + "." + std::to_string(number % 10); };
    const bool is_exact = target.name.back() == 'a' || target.name.back() == 'f';
    const int has = gpu.compute_capability();
    if (has < target.number || (is_exact && has != target.number))
        return Diagnostic{"no-gpu", "code for " + target.name + " needs compute capability " + version(target.number) +
                                        (is_exact ? " exactly" : " or later") + ", and the " + gpu.name() + " has " + version(has)};
    if (job.kernel.shared > gpu.shared_per_block())
        return Diagnostic{"no-gpu", "the shared buffers take " + std::to_string(job.kernel.shared.count) + " bytes, and the " + gpu.name() +
                                        " has " + std::to_string(gpu.shared_per_block().count) + " a block"};
    return std::nullopt;
}

/// A stretch of the GPU's memory and what it should hold.
struct Resident {
    Stretch stretch;
    DeviceMemory memory;
    std::uint64_t noise_seed;
    Image before{};
    Image wanted{};
};

/// Runs one kernel on these contents and looks at every byte. The first difference stays in `pass`.
std::optional<Diagnostic> launch_and_compare(const LaunchOf& launch, const Kernel& kernel, const std::vector<std::uint64_t>& arguments,
                                             const std::vector<Resident>& residents, Pass& pass) {
    for (const Resident& resident : residents)
        if (auto fault = resident.memory.upload(resident.before)) return fault;
    if (auto fault = kernel.launch(arguments)) return fault;
    for (const Resident& resident : residents) {
        const Result<Image> found = resident.memory.download();
        if (!found) return found.error();
        pass.compared = pass.compared + resident.stretch.size;
        if (!pass.difference) pass.difference = first_difference(launch, resident.stretch, resident.before, resident.wanted, found.value());
    }
    return std::nullopt;
}

class Runner {
public:
    static Result<Runner> open(const GpuJob& job, int device) {
        const Result<Gpu> gpu = Gpu::open(device);
        if (!gpu) return gpu.error();
        if (auto why = misfit(gpu.value(), job)) return *std::move(why);
        const KernelInfo& info = job.kernel;
        const LaunchShape shape{info.grid, info.block, info.dynamic_shared ? info.shared : Bytes{}};
        const Result<Kernel> plain = gpu.value().load(job.ptx, info.entry, shape);
        if (!plain) return plain.error();
        Runner out(job, gpu.value(), plain.value());
        if (job.image_ptx) {
            const Result<Kernel> with_image = gpu.value().load(*job.image_ptx, info.entry, shape);
            if (!with_image) return with_image.error();
            out.with_image_ = with_image.value();
        }
        return out;
    }

    Result<Measured> measure() const {
        Measured out{gpu_.name(), gpu_.compute_capability(), {}};
        for (const std::uint64_t seed : seeds) {
            std::vector<std::uint64_t> arguments;
            const bool is_last = seed == seeds.back();
            Result<std::vector<Resident>> residents = place(!is_last, seed, arguments);
            if (!residents) return residents.error();
            const Result<Pass> pass = compare(seed, residents.value(), arguments);
            if (!pass) return pass.error();
            out.passes.push_back(pass.value());
            if (!is_last || !out.is_equal()) continue;
            const Result<double> seconds = time(arguments);
            if (!seconds) return seconds.error();
            out.seconds_per_launch = seconds.value();
        }
        return out;
    }

private:
    Runner(const GpuJob& job, Gpu gpu, Kernel plain) : job_(&job), gpu_(std::move(gpu)), plain_(std::move(plain)) {}

    const Problem& problem() const { return job_->problem; }

    /// Room for every global buffer, and the addresses to pass.
    Result<std::vector<Resident>> place(bool least_aligned, std::uint64_t seed, std::vector<std::uint64_t>& arguments) const {
        std::vector<Resident> out;
        for (std::size_t i = 0; i < problem().buffers.size(); ++i) {
            const Buffer& buffer = problem().buffers[i];
            if (buffer.space != Space::global) continue;
            const Result<DeviceMemory> memory = gpu_.allocate(stretch_size(buffer));
            if (!memory) return memory.error();
            const GpuAddress address = memory.value().address();
            const Bytes base = base_in_stretch(buffer, address, least_aligned);
            out.push_back({{memory.value().size(), {{static_cast<int>(i), base}}}, memory.value(), noise_seed(seed, i)});
            arguments.push_back(address + static_cast<std::uint64_t>(base.count));
        }
        for (const std::int64_t value : job_->symbols) arguments.push_back(static_cast<std::uint64_t>(value));
        return out;
    }

    Result<Resident> place_image(std::uint64_t seed, std::vector<std::uint64_t>& arguments) const {
        const ChipImage placement = chip_image(problem());
        const std::int64_t blocks = job_->launch.blocks();
        Stretch stretch{guard_size + placement.total * blocks + guard_size, {}};
        for (std::int64_t block = 0; block < blocks; ++block)
            for (std::size_t i = 0; i < problem().buffers.size(); ++i)
                if (problem().buffers[i].space != Space::global)
                    stretch.spots.push_back({static_cast<int>(i), guard_size + placement.total * block + placement.offsets[i], block});
        const Result<DeviceMemory> memory = gpu_.allocate(stretch.size);
        if (!memory) return memory.error();
        arguments.push_back(memory.value().address() + static_cast<std::uint64_t>(guard_size.count));
        return Resident{std::move(stretch), memory.value(), noise_seed(seed, problem().buffers.size())};
    }

    /// Apart from those of the buffers' own bytes.
    static std::uint64_t noise_seed(std::uint64_t seed, std::size_t stretch) { return (seed << 32) + (std::uint64_t{1} << 31) + stretch; }

    Result<Pass> compare(std::uint64_t seed, std::vector<Resident>& residents, const std::vector<std::uint64_t>& arguments) const {
        const Images before = random_images(problem(), seed);
        Images wanted = before;
        const std::vector<Images> of_blocks = run_reference(job_->launch, wanted, with_image_.has_value());
        const auto fill = [&](Resident& resident, const std::vector<Images>& after) {
            resident.before = stretch_image(resident.stretch, before, resident.noise_seed);
            resident.wanted = stretch_image(resident.stretch, after, resident.noise_seed);
        };
        for (Resident& resident : residents) fill(resident, {wanted});
        Pass pass{seed, job_->symbols};
        // Where shared memory is read before it is written, only the image says what is there.
        if (!job_->shared.reads_unwritten)
            if (auto fault = launch_and_compare(job_->launch, plain_, arguments, residents, pass)) return *std::move(fault);
        if (!with_image_ || pass.difference) return pass;
        std::vector<std::uint64_t> with_image = arguments;
        Result<Resident> image = place_image(seed, with_image);
        if (!image) return image.error();
        fill(image.value(), of_blocks);
        residents.push_back(std::move(image.value()));
        if (auto fault = launch_and_compare(job_->launch, *with_image_, with_image, residents, pass)) return *std::move(fault);
        return pass;
    }

    /// The median of several batches of launches, each long against the resolution of events, about half a microsecond.
    Result<double> time(const std::vector<std::uint64_t>& arguments) const {
        constexpr int warm_up = 20, repeats = 21;
        constexpr double batch_seconds = 2e-3;
        const Result<double> guess = plain_.seconds_per_launch(arguments, warm_up);
        if (!guess) return guess.error();
        const int launches = static_cast<int>(std::clamp(batch_seconds / std::max(guess.value(), 1e-7), 5.0, 2000.0));
        std::vector<double> seconds;
        for (int i = 0; i < repeats; ++i) {
            const Result<double> one = plain_.seconds_per_launch(arguments, launches);
            if (!one) return one.error();
            seconds.push_back(one.value());
        }
        std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
        return seconds[repeats / 2];
    }

    const GpuJob* job_;
    Gpu gpu_;
    Kernel plain_;
    std::optional<Kernel> with_image_{};
};

}  // namespace

bool Measured::is_equal() const {
    return std::none_of(passes.begin(), passes.end(), [](const Pass& pass) { return pass.difference.has_value(); });
}

Result<Measured> run_on_gpu(const GpuJob& job, int device) {
    TILEPROOF_CHECK(job.image_ptx.has_value() == job.shared.needs_image());
    const Result<Runner> runner = Runner::open(job, device);
    if (!runner) return runner.error();
    return runner.value().measure();
}

}  // namespace tileproof::cli
