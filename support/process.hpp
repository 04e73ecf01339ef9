// process: other people's programs, run as child processes.
//
//   find_program("ptxas", "TILEPROOF_PTXAS", {"/usr/local/cuda/bin"})     the variable alone if it is set, else PATH, else these
//   run_program({"/usr/bin/cvc5", "query.smt2"}, 60s)                     what it printed, and how it ended
//
// No shell is involved, and no input is given. A child that does not end in time is killed. Temporary files are private to
// their owner and removed with it; calls may run in parallel.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tileproof::support {

/// A variable of the environment; empty if it is not set.
std::string environment(const char* name);

/// The path of a program. Where `variable` is set, it names the program or there is none.
std::optional<std::string> find_program(const std::string& name, const char* variable,
                                        const std::vector<std::filesystem::path>& further_folders = {});

/// A new file that nobody else can read, removed at the end of its scope.
class TemporaryFile {
public:
    explicit TemporaryFile(std::string_view suffix);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();
    bool exists() const { return number_ >= 0; }
    const std::string& path() const { return path_; }
    bool write(std::string_view text) const;

private:
    std::string path_;
    int number_;  // of the descriptor
};

enum class Ending { exited, crashed, timed_out, not_started };

struct Finished {
    Ending ending = Ending::not_started;
    int status = 0;        // if it exited
    std::string output{};  // of both streams, at most 1 MiB
    std::string fault{};   // why it was not started
    bool succeeded() const { return ending == Ending::exited && status == 0; }
};

/// Runs arguments[0] with the others, and waits for it.
Finished run_program(const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

}  // namespace tileproof::support
