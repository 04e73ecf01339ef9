// The built program, run as a user runs it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>

namespace tileproof::test {

struct Ran {
    int status = -1;
    std::string out;
    std::string err;
};

/// One word of a shell command.
inline std::string quoted(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

inline std::string content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that is gone with its owner.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "tileproof-test.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

inline Ran run(const std::string& arguments, const std::string& input = "") {
    const Folder folder;
    std::ofstream(folder / "in", std::ios::binary) << input;
    const auto file = [&](const std::string& name) { return quoted((folder / name).string()); };
    const std::string command = quoted(TILEPROOF_PROGRAM) + " " + arguments + " <" + file("in") + " >" + file("out") + " 2>" + file("err");
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128, content(folder / "out"), content(folder / "err")};
}

}  // namespace tileproof::test
