// Problems in JSON: the same as in TOML, and faults with a pointer, a byte, a line and a column.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <toml++/toml.h>

#include "describe.hpp"
#include "layouts/problem_file.hpp"

namespace tileproof::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* sound = R"json({
  "target": {"arch": "sm_90"},
  "buffers": {
    "A": {"space": "global", "dtype": "f16", "layout": "(64,32):(32,1)", "align": 16},
    "S": {"space": "shared", "dtype": "half", "layout": "Sw<3,3,3> o (64,32):(32,1)"}
  },
  "copies": [{"src": "A[0:64, :]", "dst": "S", "scope": "warp"}]
}
)json";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

Problem reads(const std::string& text) {
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.json", text}, "copy");
    INFO((problem ? std::string() : render(problem.error(), {"copy.json", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

/// The diagnostic points at `at`, by line and column and by byte, and has this pointer.
void fails(const std::string& text, const std::string& rule, const std::string& at, const std::string& pointer) {
    INFO(text);
    const Result<Problem> problem = parse_problem({"copy.json", text}, "copy");
    REQUIRE_FALSE(problem.ok());
    const Diagnostic& fault = problem.error();
    INFO(render(fault, {"copy.json", text}));
    CHECK(fault.rule == rule);
    std::size_t begin = 0;
    for (int line = 1; line < fault.place.line; ++line) begin = text.find('\n', begin) + 1;
    const std::size_t byte = begin + static_cast<std::size_t>(fault.place.column) - 1;  // of ASCII
    REQUIRE(byte <= text.size());
    CHECK(text.substr(byte, at.size()) == at);
    if (!at.empty()) CHECK(fault.place.length == static_cast<int>(at.size()));
    REQUIRE(fault.notes.size() == 1);
    CHECK(fault.notes[0] == "JSON pointer \"" + pointer + "\", byte " + std::to_string(byte));
}

void change_fails(const std::string& from, const std::string& to, const std::string& rule, const std::string& at,
                  const std::string& pointer) {
    fails(replaced(sound, from, to), rule, at, pointer);
}

std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every problem file says the same in JSON") {
    int count = 0;
    for (const fs::path& folder :
         {fs::path(TILEPROOF_TEST_DATA) / "cases", fs::path(TILEPROOF_TEST_DATA) / "tiles", fs::path(TILEPROOF_EXAMPLES)}) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() != ".toml") continue;
            INFO(entry.path().string());
            const std::string text = content(entry.path());
            std::ostringstream json;
            json << toml::json_formatter{toml::parse(text)};
            const Result<Problem> from_toml = parse_problem({"copy.toml", text}, "copy");
            const Result<Problem> from_json = parse_problem({"copy.json", json.str()}, "copy");
            REQUIRE(from_toml.ok());
            REQUIRE(from_json.ok());
            CHECK(describe(from_toml.value()) == describe(from_json.value()));
            ++count;
        }
    }
    CHECK(count >= 80);
}

TEST_CASE("JSON: order, escapes and white space") {
    const Problem problem = reads(sound);
    CHECK(problem.buffers[0].name == "A");
    CHECK(reads(replaced(replaced(sound, "\"A\":", "\"Z\":"), "A[", "Z[")).buffers[0].name == "Z");  // as in the file
    CHECK(reads(replaced(sound, "\"global\"", "\"gl\\u006fbal\"")).buffers[0].space == Space::global);
    CHECK(reads("\xef\xbb\xbf\r\n\t " + std::string(sound)).copies.size() == 1);
    CHECK(reads(replaced(sound, "(32,1)", "(32,1)   ")).copies.size() == 1);
}

TEST_CASE("JSON: faults of what it says") {
    change_fails("\"align\"", "\"algin\"", "unknown-key", "\"algin\"", "/buffers/A/algin");
    change_fails("\"target\": {\"arch\": \"sm_90\"},", "", "missing-key", "{", "");
    change_fails("\"arch\": \"sm_90\"", "", "missing-key", "{", "/target");
    change_fails("\"sm_90\"", "\"sm_42\"", "unknown-arch", "\"sm_42\"", "/target/arch");
    change_fails("\"align\": 16", "\"align\": 16.0", "wrong-type", "16.0", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": null", "wrong-type", "null", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": true", "wrong-type", "true", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": \"16\"", "wrong-type", "\"16\"", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": {}", "wrong-type", "{", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": 12", "out-of-range", "12", "/buffers/A/align");
    change_fails("\"align\": 16", "\"shape\": [64, \"x\"]", "wrong-type", "\"x\"", "/buffers/A/shape/1");
    change_fails("(64,32):(32,1)", "(64,32):(32,-1)", "negative-offset", "(64,32):(32,-1)", "/buffers/A/layout");
    change_fails("(64,32):(32,1)", "(64,32):(\\u00332,x)", "unknown-symbol", "\"(64,32):(\\u00332,x)\"", "/buffers/A/layout");
    change_fails("0:64", "0:65", "region-outside", "0:65", "/copies/0/src");
    change_fails("\"S\",", "\"T\",", "unknown-buffer", "T", "/copies/0/dst");
    change_fails("\"copies\": [", "\"copies\": [7, ", "wrong-type", "7", "/copies/0");
    change_fails("\"copies\": [{", "\"copies\": [{\"stages~/x\": 2, ", "unknown-key", "\"stages~/x\"", "/copies/0/stages~0~1x");
    change_fails("\"A\": {", "\"A b\": {", "bad-name", "\"A b\"", "/buffers/A b");
    change_fails("\"buffers\": {", "\"buffers\": {\"B\": 1, ", "wrong-type", "1", "/buffers/B");
    change_fails("\"A\": {", "\"A\\\"b\": {", "bad-name", "\"A\\\"b\"", "/buffers/A\"b");
    const Result<Problem> words = parse_problem({"copy.json", replaced(sound, "\"S\": {", "\"S\": [], \"T\": {")}, "copy");
    REQUIRE_FALSE(words.ok());
    CHECK(words.error().text == "'S' must be an object, not an array");
}

TEST_CASE("JSON: faults of syntax, and limits") {
    change_fails("\"align\": 16", "\"align\": 16, \"align\": 16", "duplicate-key", "\"align\"", "/buffers/A/align");
    change_fails("\"S\": {", "\"A\": {", "duplicate-key", "\"A\"", "/buffers/A");
    change_fails("\"align\": 16", "\"align\": 9223372036854775808", "overflow", "9223372036854775808", "/buffers/A/align");
    change_fails("\"align\": 16", "\"align\": -99999999999999999999999", "overflow", "-99999999999999999999999", "/buffers/A/align");
    change_fails("\"align\": 16", "\"shape\": [1, 18446744073709551616]", "overflow", "18446744073709551616", "/buffers/A/shape/1");
    change_fails("\"align\": 16", "\"align\": 1e999", "json-syntax", "1e999", "/buffers/A");
    change_fails("\"align\": 16", "\"align\": ]", "json-syntax", "]", "/buffers/A");
    change_fails("\"align\": 16", "\"align\" 16", "json-syntax", "16", "/buffers/A");
    change_fails("\"align\": 16", "\"align\": 16,, \"base\": 8", "json-syntax", ",", "/buffers/A");
    change_fails("\"align\": 16", "\"align\": 16 \"base\"", "json-syntax", "\"base\"", "/buffers/A");
    change_fails("\"align\": 16", "align: 16", "json-syntax", "align", "/buffers/A");
    fails("{", "json-syntax", "", "");
    fails("{\"a\": \"b", "json-syntax", "", "");
    fails(std::string(sound) + "x", "json-syntax", "x", "");
    const auto nested = [](int deep) {
        return "{\"a\": " + std::string(static_cast<std::size_t>(deep), '[') + std::string(static_cast<std::size_t>(deep), ']') + "}";
    };
    fails(nested(31), "unknown-key", "\"a\"", "/a");
    std::string pointer = "/a";
    for (int i = 0; i < 31; ++i) pointer += "/0";
    fails(nested(32), "nesting", "[", pointer);
    fails("{\"a\": " + std::string(500000, '['), "nesting", "[", pointer);
    const Result<Problem> large = parse_problem({"copy.json", "{\"a\": \"" + std::string(1 << 20, 'x') + "\"}"}, "copy");
    REQUIRE_FALSE(large.ok());
    CHECK(large.error().rule == "file-too-large");
    const Result<Problem> bytes = parse_problem({"copy.json", "{\"\xff\": 1}"}, "copy");
    REQUIRE_FALSE(bytes.ok());
    CHECK(bytes.error().rule == "not-text");
}

TEST_CASE("JSON: columns count characters, bytes count bytes") {
    const std::string text = "{\n\"\xc3\xa9\xe2\x82\xac\": {}, \"x\": 1}";
    const Result<Problem> problem = parse_problem({"copy.json", replaced(text, "{}", "[9999999999999999999]")}, "copy");
    REQUIRE_FALSE(problem.ok());
    CHECK(problem.error().place.line == 2);
    CHECK(problem.error().place.column == 8);
    CHECK(problem.error().notes[0] == "JSON pointer \"/?\?\?\?\?/0\", byte 12");
    const Result<Problem> marked = parse_problem({"copy.json", "\xef\xbb\xbf{\"x\": 1}"}, "copy");
    REQUIRE_FALSE(marked.ok());
    CHECK(marked.error().place.column == 3);  // the byte order mark is a character too
    CHECK(marked.error().notes[0] == "JSON pointer \"/x\", byte 4");
}

TEST_CASE("mutated JSON is read or refused with a place") {
    const std::string alphabet = "{}[],:\"\\ \n0123456789.eE-+untrfals\x01\xc3\xa9";
    std::mt19937 random(3);
    for (int round = 0; round < 6000; ++round) {
        std::string text = sound;
        for (std::size_t edits = random() % 3 + 1; edits > 0; --edits) {
            const std::size_t at = 1 + random() % text.size();
            text.replace(at, random() % 4, std::string(random() % 2, alphabet[random() % alphabet.size()]));
        }
        const Result<Problem> problem = parse_problem({"copy.json", text}, "copy");
        if (problem) continue;
        INFO(text);
        CHECK(problem.error().place.line >= 1);
        CHECK(problem.error().place.column >= 1);
        CHECK_FALSE(render(problem.error(), {"copy.json", text}).empty());
    }
}

}  // namespace tileproof::test
