#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tileproof::support {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

bool is_program(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor(Descriptor&&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }
    int number() const { return number_; }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_;
};

/// Reads what the child prints until it ends or the time is up; then it is killed.
Finished await(pid_t child, int output, Clock::time_point deadline) {
    Finished out;
    int status = 0;
    const auto left = [&] {
        return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count());
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
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) {
            out.ending = WIFEXITED(status) ? Ending::exited : Ending::crashed;
            out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
            return out;
        }
        if (ended < 0 && errno != EINTR) {  // somebody else waited for it: how it ended is not known
            out.ending = Ending::crashed;
            return out;
        }
        if (left() == 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    out.ending = Ending::timed_out;
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

std::string environment(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return value == nullptr ? std::string{} : std::string(value);
}

std::optional<std::string> find_program(const std::string& name, const char* variable, const std::vector<fs::path>& further_folders) {
    if (const std::string stated = environment(variable); !stated.empty()) return is_program(stated) ? std::optional(stated) : std::nullopt;
    std::vector<fs::path> folders;
    const std::string path = environment("PATH");
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        if (end > begin) folders.emplace_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    folders.insert(folders.end(), further_folders.begin(), further_folders.end());
    for (const fs::path& folder : folders)
        if (is_program(folder / name)) return (folder / name).string();
    return std::nullopt;
}

TemporaryFile::TemporaryFile(std::string_view suffix) {
    std::error_code failed;
    const fs::path folder = fs::temp_directory_path(failed);
    path_ = ((failed ? fs::path("/tmp") : folder) / "tileproof-XXXXXX").string() + std::string(suffix);
    number_ = ::mkostemps(path_.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
}

TemporaryFile::~TemporaryFile() {
    if (!exists()) return;
    ::close(number_);
    ::unlink(path_.c_str());
}

bool TemporaryFile::write(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t written = ::write(number_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

Finished run_program(const std::vector<std::string>& arguments, std::chrono::milliseconds limit) {
    const Clock::time_point deadline = Clock::now() + limit;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {Ending::not_started, 0, {}, "a pipe could not be opened"};
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    pid_t child = 0;
    if (const int failed = start(arguments, writing.number(), child); failed != 0)
        return {Ending::not_started, 0, {}, std::string("it could not be started: ") + std::strerror(failed)};
    writing.close();
    return await(child, reading.number(), deadline);
}

}  // namespace tileproof::support
