#include "emit/ptxas.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tileproof {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string environment(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return value == nullptr ? std::string{} : std::string(value);
}

bool is_program(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

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
        const std::vector<int> left = numbers_in(a.filename().string()),
                               right = numbers_in(b.filename().string());
        return left != right ? left > right : a > b;
    });
    return out;
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor(Descriptor&&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }
    int number() const { return number_; }
    void reset(int number) {
        close();
        number_ = number;
    }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_;
};

/// A new private file that is removed at the end of its scope.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view suffix) {
        std::error_code failed;
        const fs::path folder = fs::temp_directory_path(failed);
        path_ = ((failed ? fs::path("/tmp") : folder) / "tileproof-XXXXXX").string() + std::string(suffix);
        file_.reset(::mkostemps(path_.data(), static_cast<int>(suffix.size()), O_CLOEXEC));
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile() {
        if (exists()) ::unlink(path_.c_str());
    }
    bool exists() const { return file_.number() >= 0; }
    const std::string& path() const { return path_; }
    bool write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(file_.number(), text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }

private:
    std::string path_;
    Descriptor file_;
};

Diagnostic trouble(const char* rule, const std::string& text) { return {rule, text}; }

struct Finished {
    bool in_time = false;
    int status = 0;  // as of waitpid
    std::string output;
};

/// Reads what the child prints until it ends or the time is up; then it is killed.
Finished await(pid_t child, int output, Clock::time_point deadline) {
    Finished out;
    const auto left = [&] {
        return std::max<std::int64_t>(
            0, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count());
    };
    std::array<char, 4096> buffer{};
    constexpr std::size_t most_output = std::size_t{1} << 20;
    while (left() > 0) {
        pollfd wait{output, POLLIN, 0};
        if (::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left(), 1000))) <= 0) continue;
        const ssize_t got = ::read(output, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (out.output.size() < most_output) out.output.append(buffer.data(), static_cast<std::size_t>(got));
    }
    for (;;) {  // its output is closed, so it is about to end
        const pid_t ended = ::waitpid(child, &out.status, WNOHANG);
        if (ended == child) {
            out.in_time = true;
            return out;
        }
        if (ended < 0 && errno != EINTR) return out;
        if (left() == 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &out.status, 0) < 0 && errno == EINTR) {
    }
    return out;
}

/// Starts `arguments[0]` with no input and its output on `output`. Returns 0 or an error number.
int start(std::vector<std::string> arguments, int output, pid_t& child) {
    std::vector<char*> raw;
    raw.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int failed = ::posix_spawn_file_actions_init(&actions); failed != 0) return failed;
    int failed = ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (failed == 0) failed = ::posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (failed == 0) failed = ::posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (failed == 0) failed = ::posix_spawn(&child, raw.front(), &actions, nullptr, raw.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

}  // namespace

std::optional<std::string> find_ptxas() {
    if (const std::string stated = environment("TILEPROOF_PTXAS"); !stated.empty())
        return is_program(stated) ? std::optional(stated) : std::nullopt;
    std::vector<fs::path> folders;
    const std::string path = environment("PATH");
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        if (end > begin) folders.emplace_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
        if (const std::string home = environment(name); !home.empty())
            folders.push_back(fs::path(home) / "bin");
    folders.emplace_back("/usr/local/cuda/bin");
    for (const fs::path& toolkit : versioned_toolkits()) folders.push_back(toolkit / "bin");
    folders.emplace_back("/opt/cuda/bin");
    for (const fs::path& folder : folders)
        if (is_program(folder / "ptxas")) return (folder / "ptxas").string();
    return std::nullopt;
}

Result<Assembled> assemble(const std::string& ptx, const std::string& arch, std::chrono::milliseconds limit) {
    const Clock::time_point deadline = Clock::now() + limit;
    const std::optional<std::string> program = find_ptxas();
    if (!program)
        return trouble("ptxas-missing",
                       "no ptxas was found; set TILEPROOF_PTXAS or install the CUDA Toolkit");

    const TemporaryFile source(".ptx"), object(".cubin");
    if (!source.exists() || !object.exists() || !source.write(ptx))
        return trouble("ptxas-failed", "a temporary file could not be written");
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return trouble("ptxas-failed", "a pipe could not be opened");
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);

    pid_t child = 0;
    const int failed =
        start({*program, "-arch=" + arch, "-o", object.path(), source.path()}, writing.number(), child);
    if (failed != 0)
        return trouble("ptxas-failed", *program + " could not be started: " + std::strerror(failed));
    writing.close();
    Finished run = await(child, reading.number(), deadline);
    if (!run.in_time)
        return trouble("ptxas-timeout", "ptxas did not end in " + std::to_string(limit.count()) + " ms");
    if (!WIFEXITED(run.status) || WEXITSTATUS(run.status) != 0) {
        Diagnostic refused =
            trouble("ptxas-failed", WIFEXITED(run.status) ? "ptxas refuses the text" : "ptxas crashed");
        if (!run.output.empty()) refused.notes.push_back(std::move(run.output));
        return refused;
    }
    std::ifstream in(object.path(), std::ios::binary);
    Assembled out{{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()},
                  std::move(run.output)};
    if (out.cubin.empty()) return trouble("ptxas-failed", "ptxas wrote nothing");
    return out;
}

}  // namespace tileproof
