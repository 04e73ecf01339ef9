#include "emit/ptxas.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "support/process.hpp"

namespace tileproof {
namespace {

namespace fs = std::filesystem;

/// "cuda-12.10" after "cuda-12.9": the numbers in a name, for comparison.
std::vector<int> numbers_in(const std::string& name) {
    std::vector<int> out;
    bool inside = false;
    for (const char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !inside) out.push_back(0);
        if (digit && out.back() < 100000) out.back() = out.back() * 10 + (c - '0');
        inside = digit;
    }
    return out;
}

std::vector<fs::path> versioned_toolkits() {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::directory_iterator at("/usr/local", failed), end; !failed && at != end; at.increment(failed))
        if (at->path().filename().string().rfind("cuda-", 0) == 0) out.push_back(at->path());
    std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) {
        const std::vector<int> left = numbers_in(a.filename().string()), right = numbers_in(b.filename().string());
        return left != right ? left > right : a > b;
    });
    return out;
}

Diagnostic trouble(const char* rule, const std::string& text) { return {rule, text}; }

}  // namespace

std::optional<std::string> find_ptxas() {
    std::vector<fs::path> folders;
    for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = support::environment(name); !home.empty()) folders.push_back(fs::path(home) / "bin");
    folders.emplace_back("/usr/local/cuda/bin");
    for (const fs::path& toolkit : versioned_toolkits()) folders.push_back(toolkit / "bin");
    folders.emplace_back("/opt/cuda/bin");
    return support::find_program("ptxas", "TILEPROOF_PTXAS", folders);
}

Result<Assembled> assemble(const std::string& ptx, const std::string& arch, std::chrono::milliseconds limit) {
    const std::optional<std::string> program = find_ptxas();
    if (!program) return trouble("ptxas-missing", "no ptxas was found; set TILEPROOF_PTXAS or install the CUDA Toolkit");

    const support::TemporaryFile source(".ptx"), object(".cubin");
    if (!source.exists() || !object.exists() || !source.write(ptx)) return trouble("ptxas-failed", "a temporary file could not be written");
    support::Finished run = support::run_program({*program, "-arch=" + arch, "-o", object.path(), source.path()}, limit);
    if (run.ending == support::Ending::not_started) return trouble("ptxas-failed", *program + ": " + run.fault);
    if (run.ending == support::Ending::timed_out)
        return trouble("ptxas-timeout", "ptxas did not end in " + std::to_string(limit.count()) + " ms");
    if (!run.succeeded()) {
        Diagnostic refused = trouble("ptxas-failed", run.ending == support::Ending::exited ? "ptxas refuses the text" : "ptxas crashed");
        if (!run.output.empty()) refused.notes.push_back(std::move(run.output));
        return refused;
    }
    std::ifstream in(object.path(), std::ios::binary);
    Assembled out{{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, std::move(run.output)};
    if (out.cubin.empty()) return trouble("ptxas-failed", "ptxas wrote nothing");
    return out;
}

}  // namespace tileproof
