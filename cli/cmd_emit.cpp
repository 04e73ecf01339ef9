#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/pipeline.hpp"
#include "cli/second_opinion.hpp"
#include "emit/guard.hpp"
#include "emit/ptx.hpp"

namespace tileproof::cli {
namespace {

/// A device or pipe is written to as it is.
bool write_through(const std::string& path, const std::string& text) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool written = write_all(descriptor, text);
    return close(descriptor) == 0 && written;
}

std::optional<Diagnostic> write_file(const std::string& path, const std::string& text, const std::string& input) {
    const auto failed = [&](const std::string& why) { return Diagnostic{"cannot-write", "the output cannot be written: " + why}; };
    struct stat info {
    }, source{};
    const bool exists = stat(path.c_str(), &info) == 0;
    if (exists && stat(input.c_str(), &source) == 0 && info.st_dev == source.st_dev && info.st_ino == source.st_ino)
        return failed("it is the problem file itself");
    bool written = false;
    if (exists && !S_ISREG(info.st_mode)) {
        written = write_through(path, text);
    } else if (exists && access(path.c_str(), W_OK) != 0) {
        return failed(std::strerror(errno));
    } else {
        char* const resolved = exists ? realpath(path.c_str(), nullptr) : nullptr;  // through symbolic links
        written = replace_file(resolved != nullptr ? resolved : path, text, exists ? info.st_mode & 07777 : default_mode());
        std::free(resolved);
    }
    if (!written) return failed(std::strerror(errno));
    return std::nullopt;
}

}  // namespace

namespace {

/// What the command writes: the kernel, or the check whether it may run.
Result<std::string> text_of(const VerifiedPlan& verified, const std::string& guard, const CommonOptions& options) {
    if (guard.empty()) return emit_ptx(verified);
    const Result<SecondOpinion> opinion = second_opinion(options);
    if (!opinion) return opinion.error();
    const Result<Guard> made = make_guard(reduced(verified, opinion.value().verify));
    if (!made) return made.error();
    return guard == "ptx" ? guard_ptx(made.value()) : guard_cpp(made.value());
}

}  // namespace

int emit_command(const CommonOptions& options, const std::string& file, const std::string& output, const std::string& guard) {
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, file, status);
    if (!planned) return status;
    if (!planned->verified || status != proved)
        return fail(options, planned->source, obstacles(planned->view(file)), static_cast<Status>(status));
    const Result<std::string> text = text_of(*planned->verified, guard, options);
    if (!text) return fail(options, planned->source, {text.error()}, refuted);
    if (output.empty() || output == "-") {
        print(text.value());
        return proved;
    }
    if (const auto fault = write_file(output, text.value(), file)) return fail(options, {output, ""}, {*fault});
    return proved;
}

}  // namespace tileproof::cli
