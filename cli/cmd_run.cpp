#include "cli/cmd_run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/gpu_run.hpp"
#include "cli/pipeline.hpp"
#include "emit/ptx.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"

namespace tileproof::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Those that the kernel does not compute itself.
Values passed(const Values& values, const std::vector<Symbol>& symbols) {
    Values out;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!symbols[i].index) out.push_back(values[i]);
    return out;
}

std::vector<Symbol> passed(std::vector<Symbol> symbols) {
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.index.has_value(); });
    return symbols;
}

/// `problem` is the verified one at these values of its symbols, in block 0.
Result<GpuJob> job_for(const VerifiedPlan& verified, const KernelInfo& kernel, const Problem& problem, const Values& values) {
    Result<std::string> ptx = emit_ptx(verified);
    if (!ptx) return ptx.error();
    GpuJob out{problem,
               {verified.problem(), values},
               kernel,
               std::move(ptx.value()),
               {},
               shared_use(problem),
               passed(values, verified.problem().symbols)};
    if (!out.shared.needs_image()) return out;
    PtxOptions options;
    options.shared_image = true;
    Result<std::string> with_image = emit_ptx(verified, options);
    if (!with_image) return with_image.error();
    out.image_ptx = std::move(with_image.value());
    return out;
}

std::int64_t blocks(const KernelInfo& kernel) { return kernel.grid[0] * kernel.grid[1] * kernel.grid[2]; }

/// Read and written by the copies of all blocks.
Bytes bytes_per_launch(const GpuJob& job) {
    Bits all{};
    for (const Copy& copy : job.problem.copies) all = all + to_bits(moved(copy), job.problem.buffer(copy.src).dtype.size) * 2;
    return to_bytes(all * blocks(job.kernel));
}

double gb_per_s(const GpuJob& job, double seconds) {
    return seconds > 0 ? static_cast<double>(bytes_per_launch(job).count) / seconds / 1e9 : 0;
}

/// One block cannot keep a memory busy: its time is that of a chain of accesses.
std::string note_on(const KernelInfo& kernel) { return blocks(kernel) == 1 ? "latency, not bandwidth" : ""; }

std::string human(Bytes bytes) {
    if (bytes < Bytes{1024}) return fmt::format("{} bytes", bytes.count);
    const double kib = static_cast<double>(bytes.count) / 1024;
    return kib < 1000 ? fmt::format("{:.3g} KiB", kib) : fmt::format("{:.1f} MiB", kib / 1024);
}

/// Three digits.
std::string rate(double gb) { return gb < 100 ? fmt::format("{:.3g} GB/s", gb) : fmt::format("{:.0f} GB/s", gb); }

std::string launch_text(const KernelInfo& kernel) {
    const auto& [x, y, z] = kernel.grid;
    const std::string grid = y == 1 && z == 1 ? std::to_string(x) : fmt::format("({}, {}, {})", x, y, z);
    const std::string shared = kernel.dynamic_shared ? fmt::format(", {}", kernel.shared.count) : "";
    return fmt::format("{} <<<{}, {}{}>>>", kernel.entry, grid, kernel.block, shared);
}

/// The values that --set gives, completed by the first that the assumptions allow; without --set, the smallest and the largest.
Result<std::vector<Values>> values_to_run(const Problem& problem, const std::vector<std::string>& set) {
    const std::vector<Symbol>& symbols = problem.symbols;
    std::vector<std::optional<std::int64_t>> given(symbols.size());
    for (const std::string& one : set) {
        const std::size_t equals = std::min(one.find('='), one.size());
        const auto symbol = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == one.substr(0, equals); });
        if (symbol != symbols.end() && symbol->index)
            return Diagnostic{"usage", fmt::format("--set gives values of what is passed in, and the kernel computes {} = {} itself",
                                                   symbol->name, to_string(*symbol->index, problem.launch))};
        if (symbol == symbols.end()) return Diagnostic{"usage", "--set names no symbol of the file: " + in_quotes(one)};
        const Result<Expression> value =
            parse_expression(equals < one.size() ? std::string_view(one).substr(equals + 1) : std::string_view{}, {});
        if (!value) return Diagnostic{"usage", "--set needs NAME=INTEGER, not " + in_quotes(one)};
        given[static_cast<std::size_t>(symbol - symbols.begin())] = value.value();
    }
    Problem narrowed = problem;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].index) narrowed.symbols[i].max = 0;  // as in block 0
        if (!given[i]) continue;
        const Symbol& s = symbols[i];
        if (*given[i] < s.min || *given[i] > s.max || *given[i] % s.multiple_of != 0)
            return Diagnostic{"usage", fmt::format("{} = {} is not what the file allows: {} to {}, a multiple of {}", s.name, *given[i],
                                                   s.min, s.max, s.multiple_of)};
        narrowed.symbols[i].min = narrowed.symbols[i].max = *given[i];
    }
    std::vector<Values> all = sample_values(narrowed, 64);
    if (all.empty()) return Diagnostic{"usage", "no values of the symbols that respect all facts were found; give some by --set"};
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    std::vector<Values> out{*least};
    if (set.empty() && *least != *most) out.push_back(*most);
    return out;
}

std::string run_text(const std::string& file, const GpuJob& job, const Measured& measured, const std::vector<Symbol>& symbols) {
    std::string out = fmt::format("{}   {} (sm_{})   {}\n", file, measured.device, measured.compute_capability, launch_text(job.kernel));
    std::vector<std::string> on_chip;  // what the image shows
    const auto add = [&](Space space, const char* name) {
        const auto is_there = [&](const Buffer& buffer) { return buffer.space == space; };
        if (std::any_of(job.problem.buffers.begin(), job.problem.buffers.end(), is_there)) on_chip.emplace_back(name);
    };
    add(Space::shared, "shared memory");
    add(Space::registers, "registers");
    const std::string whole = job.image_ptx ? fmt::format("guards intact, {} included", listed(on_chip)) : "guards intact";
    for (std::size_t i = 0; i < measured.passes.size(); ++i) {
        const Pass& pass = measured.passes[i];
        out += fmt::format("  pass {}   seed {}{}   {} compared, {}\n", i + 1, pass.seed,
                           pass.symbols.empty() ? "" : "   " + to_string(pass.symbols, symbols), human(pass.compared),
                           pass.difference ? "different" : whole);
    }
    if (!measured.seconds_per_launch) return out;
    const double seconds = *measured.seconds_per_launch;
    const std::string note = note_on(job.kernel);
    return out + fmt::format("  time     {:.2f} us per launch   {}{}\n", seconds * 1e6, rate(gb_per_s(job, seconds)),
                             note.empty() ? "" : "   " + note);
}

Json difference_json(const Problem& problem, const Difference& difference) {
    Json out;
    out["buffer"] = problem.buffers[static_cast<std::size_t>(difference.buffer)].name;
    out["byte"] = difference.byte;
    if (difference.element) out["element"] = *difference.element;
    if (!difference.coordinate.empty()) out["coordinate"] = difference.coordinate;
    out["expected"] = difference.expected;
    out["found"] = difference.found;
    out["differing_bytes"] = difference.differing_bytes;
    out["text"] = difference.text;
    return out;
}

std::string run_json(const std::string& file, const GpuJob& job, const Measured& measured, const std::vector<Symbol>& symbols) {
    Json out;
    out["schema"] = "tileproof.run/1";
    out["file"] = file;
    out["verdict"] = measured.is_equal() ? "equal" : "different";
    out["device"] = measured.device;
    out["compute_capability"] = measured.compute_capability;
    out["entry"] = job.kernel.entry;
    out["grid"] = job.kernel.grid;
    out["block"] = job.kernel.block;
    out["shared_bytes"] = job.kernel.shared.count;
    out["passes"] = Json::array();
    for (const Pass& pass : measured.passes) {
        Json one;
        one["seed"] = pass.seed;
        if (!pass.symbols.empty()) one["symbols"] = Json::object();
        for (std::size_t i = 0; i < pass.symbols.size(); ++i) one["symbols"][symbols[i].name] = pass.symbols[i];
        one["bytes_compared"] = pass.compared.count;
        one["result"] = pass.difference ? "different" : "equal";
        if (pass.difference) one["difference"] = difference_json(job.problem, *pass.difference);
        out["passes"].push_back(std::move(one));
    }
    if (measured.seconds_per_launch) {
        out["seconds_per_launch"] = *measured.seconds_per_launch;
        out["bytes_per_launch"] = bytes_per_launch(job).count;
        out["gb_per_s"] = gb_per_s(job, *measured.seconds_per_launch);
        out["note"] = note_on(job.kernel);
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Diagnostic differs(const Pass& pass) {
    return {"gpu-differs", "with seed " + std::to_string(pass.seed) + " the GPU differs from the reference: " + pass.difference->text};
}

Status status_of_failure(const Diagnostic& why) { return why.rule == "no-gpu" ? bad_input : internal; }

}  // namespace

int run_command(const RunArguments& arguments) {
    const CommonOptions& options = arguments.options;
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, arguments.file, status);
    if (!planned) return status;
    const auto give_up = [&](const std::vector<Diagnostic>& why, Status with) { return fail(options, planned->source, why, with); };
    if (!planned->verified || status != proved) return give_up(obstacles(planned->view(arguments.file)), static_cast<Status>(status));
    if (!planned->kernel) return give_up({*planned->kernel_fault}, refuted);
    const Result<std::vector<Values>> to_run = values_to_run(planned->problem, arguments.set);
    if (!to_run) return give_up({to_run.error()}, bad_input);
    std::vector<Problem> problems;
    for (const Values& values : to_run.value()) problems.push_back(block_of(planned->problem, values, {}));
    for (const Problem& problem : problems)
        if (!bytes_to_run(problem))
            return give_up({{"too-large", "the buffers exceed 1 GiB in all, the most that a run compares"}}, bad_input);

    for (std::size_t i = 0; i < problems.size(); ++i) {
        const LaunchOf launch{planned->problem, to_run.value()[i]};
        const std::int64_t images = chip_image(problems[i]).total.count * launch.blocks();
        if (!elements_to_run(launch) || (needs_shared_image(problems[i]) && images > most_run_bytes.count))
            return give_up({{"too-large", fmt::format("the grid of {} blocks moves more than the {} elements, or has more than the 1 GiB "
                                                      "of shared memory, that a run compares",
                                                      launch.blocks(), most_run_elements)}},
                           bad_input);
    }

    std::optional<GpuJob> job;
    std::optional<Measured> measured;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        Result<GpuJob> one = job_for(*planned->verified, *planned->kernel, problems[i], to_run.value()[i]);
        if (!one) return give_up({one.error()}, refuted);
        job.emplace(std::move(one.value()));
        Result<Measured> ran = run_on_gpu(*job, arguments.device);
        if (!ran) return give_up({ran.error()}, status_of_failure(ran.error()));
        std::vector<Pass> before = measured ? std::move(measured->passes) : std::vector<Pass>{};
        measured.emplace(std::move(ran.value()));
        measured->passes.insert(measured->passes.begin(), before.begin(), before.end());
        if (!measured->is_equal()) break;
    }

    for (const Pass& pass : measured->passes)
        if (pass.difference) fail({}, planned->source, {differs(pass)}, internal);
    const std::string& file = planned->source.name;
    if (options.json()) print(run_json(file, *job, *measured, passed(planned->problem.symbols)));
    else if (!options.quiet) print(run_text(file, *job, *measured, passed(planned->problem.symbols)));
    return measured->is_equal() ? proved : internal;
}

}  // namespace tileproof::cli
