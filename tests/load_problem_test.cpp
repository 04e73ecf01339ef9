// Problem files on disk: which are read, which are broken and where, and what is no file at all.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "layouts/problem_file.hpp"

namespace tileproof::test {
namespace {

constexpr const char* sound = R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "8:1" }
B = { space = "shared", dtype = "f16", layout = "8:1" }
[[copies]]
src = "A"
dst = "B"
scope = "warp"
)toml";

/// A folder that is gone with the test.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("tileproof_test_" + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }

private:
    std::filesystem::path path_;
};

std::string rule_of(const Loaded& loaded) { return loaded.problem ? "" : loaded.problem.error().rule; }

}  // namespace

TEST_CASE("files that are broken, and where") {
    const std::string folder = std::string(TILEPROOF_TEST_DATA) + "/broken_input/";
    std::ifstream file(folder + "expected.json");
    const nlohmann::json expected = nlohmann::json::parse(file);
    REQUIRE(expected.size() >= 31);
    for (const auto& item : expected.items()) {
        const std::string& name = item.key();
        const nlohmann::json& want = item.value();
        INFO(name);
        const Loaded loaded = load_problem(folder + name);
        std::optional<Diagnostic> fault;
        if (loaded.problem) {
            for (const Copy& copy : loaded.problem.value().copies)
                if (!fault) fault = rejection(loaded.problem.value(), copy);
        } else {
            fault = loaded.problem.error();
        }
        REQUIRE(fault.has_value());
        const std::string text = render(*fault, loaded.source);
        INFO(text);
        CHECK((loaded.problem.ok() ? 1 : 2) == want["exit"].get<int>());
        CHECK(fault->place.line == want["line"].get<int>());
        CHECK(text.find(want["contains"].get<std::string>()) != std::string::npos);
    }
}

TEST_CASE("files that are read") {
    const Folder folder;
    const Loaded loaded = load_problem(folder.write("my-copy.v2.toml", sound));
    REQUIRE(loaded.problem.ok());
    CHECK(loaded.problem.value().stem == "my_copy_v2");
    CHECK(loaded.source.text == sound);
    for (const char* cases : {"cases", "tiles"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::string(TILEPROOF_TEST_DATA) + "/" + cases)) {
            if (entry.path().extension() != ".toml") continue;
            const Loaded one = load_problem(entry.path().string());
            INFO((one.problem ? std::string() : render(one.problem.error(), one.source)));
            CHECK(one.problem.ok());
        }
    }
}

TEST_CASE("files that are none") {
    const Folder folder;
    CHECK(rule_of(load_problem(folder.file("absent.toml"))) == "file-unreadable");
    CHECK(rule_of(load_problem(folder.file("."))) == "file-unreadable");
    CHECK(rule_of(load_problem("")) == "file-unreadable");
    CHECK(rule_of(load_problem("/dev/zero")) == "file-unreadable");
    CHECK(rule_of(load_problem(folder.write("zeros.toml", std::string(100, '\0')))) == "not-text");
    const std::string line = "# " + std::string(97, 'x') + "\n";
    std::string large;
    while (large.size() <= static_cast<std::size_t>(largest_file.count)) large += line;
    CHECK(rule_of(load_problem(folder.write("large.toml", large))) == "file-too-large");
    large.resize(static_cast<std::size_t>(largest_file.count));
    CHECK(rule_of(load_problem(folder.write("large.toml", large))) == "missing-key");
    REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);  // nobody writes: must not wait
    CHECK(rule_of(load_problem(folder.file("pipe"))) == "missing-key");
}

}  // namespace tileproof::test
