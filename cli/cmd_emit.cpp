#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "emit/ptx.hpp"

namespace tileproof::cli {
namespace {

/// All or nothing: the text goes to a new file beside the target, which then replaces it.
std::optional<Diagnostic> write_file(const std::string& path, const std::string& text) {
    std::string temporary = path + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    const auto failed = [&] { return Diagnostic{"cannot-write", "cannot write " + path + ": " + std::strerror(errno)}; };
    if (descriptor < 0) return failed();
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
        if (n < 0) break;
        written += static_cast<std::size_t>(n);
    }
    std::optional<Diagnostic> fault;
    const mode_t mask = umask(0);
    umask(mask);
    if (written < text.size() || fchmod(descriptor, 0666 & ~mask) != 0) fault = failed();
    close(descriptor);
    if (!fault && rename(temporary.c_str(), path.c_str()) != 0) fault = failed();
    if (fault) unlink(temporary.c_str());
    return fault;
}

}  // namespace

int emit_command(const CommonOptions& options, const std::string& file, const std::string& output) {
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, file, status);
    if (!planned) return status;
    if (!planned->verified || status != proved) return fail(options, planned->source, obstacles(planned->view(file)), static_cast<Status>(status));
    const Result<std::string> ptx = emit_ptx(*planned->verified);
    if (!ptx) return fail(options, planned->source, {ptx.error()}, refuted);
    if (output.empty() || output == "-") {
        print(ptx.value());
        return proved;
    }
    if (const auto fault = write_file(output, ptx.value())) return fail(options, {output, ""}, {*fault});
    return proved;
}

}  // namespace tileproof::cli
