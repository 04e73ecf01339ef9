// The documentation, run: its problems load and plan as it says, its commands print what it shows, its code is that of an example.
//
//   <!-- expect: 64 bits, 128: stride -->     the TOML block below: width of its first copy, and why 128 bits are refused
//   <!-- expect: rejected: dst-overlaps -->   or: error: RULE (it does not load), refuted: OBLIGATION
//   <!-- file: rows.toml -->                  the block below is saved under this name, for the commands of the same page
//   <!-- report: rows.toml /copies/0/box -->  the JSON block below is this part of the report on that file
//   <!-- layout: (4,6):(8,1), shape 4 6 -->   the numbers of the block below are the offsets, row by row
//
// A TOML block that begins with [target] is a whole problem; without `expect` it must be proved. Lines of a console block that begin
// with `$` are commands, what follows is their output; a line `...` stands for any number of lines.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "layouts/address.hpp"
#include "layouts/notation.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "verify/obligation.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path docs = TILEPROOF_DOCS;
const fs::path readme = TILEPROOF_README;
const fs::path examples = TILEPROOF_EXAMPLES;
const fs::path program = TILEPROOF_PROGRAM;

std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

struct Block {
    fs::path page;
    int line = 0;  // of its fence
    std::string language;
    std::vector<std::string> notes;  // "expect: 64 bits"
    std::string text;

    std::string name() const { return page.filename().string() + ":" + std::to_string(line); }
    /// What follows `key:` in a note.
    std::optional<std::string> note(const std::string& key) const {
        for (const std::string& note : notes)
            if (starts_with(note, key + ": ")) return note.substr(key.size() + 2);
        return std::nullopt;
    }
    bool is_problem() const { return language == "toml" && starts_with(text, "[target]"); }
};

std::vector<fs::path> pages() {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(docs))
        if (entry.path().extension() == ".md") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    out.push_back(readme);
    return out;
}

std::vector<Block> blocks_of(const fs::path& page) {
    const std::regex comment("<!-- (.*) -->");
    std::vector<Block> out;
    std::vector<std::string> notes;
    bool inside = false;
    int number = 0;
    for (const std::string& line : lines_of(content(page))) {
        ++number;
        std::smatch match;
        if (inside && line == "```") {
            inside = false;
        } else if (inside) {
            out.back().text += line + "\n";
        } else if (starts_with(line, "```")) {
            out.push_back({page, number, line.substr(3), std::move(notes), ""});
            notes.clear();
            inside = true;
        } else if (std::regex_match(line, match, comment)) {
            notes.push_back(match[1]);
        } else {
            notes.clear();
        }
    }
    REQUIRE_MESSAGE(!inside, page.string());
    return out;
}

std::vector<Block> all_blocks() {
    std::vector<Block> out;
    for (const fs::path& page : pages())
        for (Block& block : blocks_of(page)) out.push_back(std::move(block));
    return out;
}

std::vector<std::string> parts(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) out.push_back(part.substr(std::min(part.size(), part.find_first_not_of(' '))));
    return out;
}

std::string after_colon(const std::string& text) { return text.substr(text.find(": ") + 2); }

bool is_refuted(const Report& report, const std::string& id) {
    std::vector<Finding> all = report.program;
    for (const CopyReport& copy : report.copies) all.insert(all.end(), copy.findings.begin(), copy.findings.end());
    return std::any_of(all.begin(), all.end(), [&](const Finding& f) { return f.obligation == id && f.verdict == Verdict::refuted; });
}

void check_planned(const Solution& solution, const Report& report, const std::string& item) {
    CAPTURE(item);
    const CopySolution& first = solution.copies.at(0);
    if (starts_with(item, "refuted: ")) {
        CHECK(is_refuted(report, after_colon(item)));
        return;
    }
    CHECK(report.verdict() == Verdict::proved);
    std::smatch match;
    if (std::regex_match(item, match, std::regex("([0-9]+) bits"))) {
        CHECK(first.width.count == std::stoll(match[1]));
    } else if (std::regex_match(item, match, std::regex("([0-9]+): ([a-z-]+)"))) {
        CHECK(std::any_of(first.refused.begin(), first.refused.end(),
                          [&](const Refusal& r) { return r.width.count == std::stoll(match[1]) && r.rule == match[2]; }));
    } else {
        FAIL("not understood");
    }
}

void check_problem_block(const Block& block) {
    const std::string expect = block.note("expect").value_or("");
    const Result<Problem> problem = parse_problem({block.name(), block.text}, "docs");
    if (starts_with(expect, "error: ")) {
        REQUIRE(!problem.ok());
        CHECK(problem.error().rule == after_colon(expect));
        return;
    }
    REQUIRE_MESSAGE(problem.ok(), render(problem.error(), {block.name(), block.text}));
    const Solution solution = solve(problem.value());
    if (starts_with(expect, "rejected: ")) {
        REQUIRE(solution.copies.at(0).rejection.has_value());
        CHECK(solution.copies[0].rejection->rule == after_colon(expect));
        return;
    }
    REQUIRE(solution.complete());
    const Report report = verify(problem.value(), solution.plan());
    if (expect.empty()) CHECK(report.verdict() == Verdict::proved);
    for (const std::string& item : parts(expect)) check_planned(solution, report, item);
}

/// A folder with the named blocks of one page, `examples` and `build/tileproof`, as the commands of the page expect.
class Folder {
public:
    explicit Folder(const std::vector<Block>& blocks) {
        std::string name = (fs::temp_directory_path() / "tileproof-docs.XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
        fs::create_directory_symlink(examples, path_ / "examples");
        fs::create_directory(path_ / "build");
        fs::create_symlink(program, path_ / "build" / "tileproof");
        for (const Block& block : blocks)
            if (const auto file = block.note("file")) std::ofstream(path_ / *file, std::ios::binary) << block.text;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    Folder(Folder&&) = delete;
    Folder& operator=(Folder&&) = delete;

    /// Both outputs of a command, as a terminal shows them.
    std::string run(const std::string& command) const {
        const std::string line = "cd '" + path_.string() + "' && PATH=\"$PWD/build:$PATH\" && { " + command + "\n} 2>&1 </dev/null";
        FILE* pipe = popen(line.c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::string out;
        std::array<char, 4096> chunk{};
        while (const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe)) out.append(chunk.data(), got);
        pclose(pipe);
        return out;
    }

private:
    fs::path path_;
};

/// Whether the lines match the pattern, in which "..." stands for any number of lines.
bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& found, std::size_t p = 0, std::size_t f = 0) {
    for (; p < pattern.size() && pattern[p] != "..."; ++p, ++f)
        if (f == found.size() || pattern[p] != found[f]) return false;
    if (p == pattern.size()) return f == found.size();
    for (; f <= found.size(); ++f)
        if (matches(pattern, found, p + 1, f)) return true;
    return false;
}

/// Only what needs no GPU and no set-up: our own commands, and filters in front of them.
bool is_ours(const std::string& command) {
    static const std::regex ours("(sed .*\\| *)?(build/)?tileproof (plan|verify|emit|--).*|sed .*");
    return std::regex_match(command, ours);
}

void check_console(const Folder& folder, const Block& block) {
    struct Command {
        std::string text;
        std::vector<std::string> shown;
    };
    std::vector<Command> commands;
    for (const std::string& line : lines_of(block.text)) {
        if (starts_with(line, "$ ")) {
            commands.push_back({line.substr(2), {}});
        } else if (!commands.empty()) {
            commands.back().shown.push_back(line);
        }
    }
    for (const Command& command : commands) {
        if (!is_ours(command.text)) continue;
        CAPTURE(command.text);
        const std::string found = folder.run(command.text);
        CHECK_MESSAGE(matches(command.shown, lines_of(found)), found);
    }
}

Json report_on(const Folder& folder, const std::string& file) { return Json::parse(folder.run("tileproof plan --format json " + file)); }

/// Headings as addresses: lower case, spaces as hyphens, without other marks.
std::vector<std::string> anchors_of(const fs::path& page) {
    std::vector<std::string> out;
    for (const std::string& line : lines_of(content(page))) {
        if (!starts_with(line, "#")) continue;
        out.emplace_back();
        for (const char c : line.substr(std::min(line.size(), line.find_first_not_of("# ")))) {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') out.back() += static_cast<char>(std::tolower(c));
            if (c == ' ') out.back() += '-';
        }
    }
    return out;
}

}  // namespace

TEST_CASE("every problem in the documentation loads and plans as stated") {
    int problems = 0;
    for (const Block& block : all_blocks()) {
        if (!block.is_problem()) continue;
        const std::string name = block.name();
        CAPTURE(name);
        check_problem_block(block);
        ++problems;
    }
    CHECK(problems >= 15);
}

TEST_CASE("every command in the documentation prints what is shown, and JSON is part of a report") {
    for (const fs::path& page : pages()) {
        const std::vector<Block> blocks = blocks_of(page);
        const Folder folder(blocks);
        for (const Block& block : blocks) {
            const std::string name = block.name();
            CAPTURE(name);
            if (block.language == "console") check_console(folder, block);
            if (const auto part = block.note("report")) {
                const std::size_t space = part->find(' ');
                const Json report = report_on(folder, part->substr(0, space));
                const Json::json_pointer pointer(part->substr(space + 1));
                REQUIRE(report.contains(pointer));
                CHECK(report.at(pointer) == Json::parse(block.text));
            }
        }
    }
}

TEST_CASE("tables of offsets are what the layouts give") {
    int tables = 0;
    for (const Block& block : all_blocks()) {
        const auto note = block.note("layout");
        if (!note) continue;
        CAPTURE(*note);
        const std::size_t comma = note->find(", shape ");
        std::vector<std::int64_t> shape, shown, offsets;
        if (comma != std::string::npos) {
            std::istringstream in(note->substr(comma + 8));
            for (std::int64_t extent = 0; in >> extent;) shape.push_back(extent);
        }
        const Result<Layout> layout = read_layout(note->substr(0, comma), shape);
        REQUIRE(layout.ok());
        REQUIRE(layout.value().shape.size() == 2);
        for (std::int64_t r = 0; r < layout.value().shape[0]; ++r)
            for (std::int64_t c = 0; c < layout.value().shape[1]; ++c) offsets.push_back(element_offset(layout.value(), {r, c}));
        std::istringstream in(block.text);
        for (std::int64_t number = 0; in >> number;) shown.push_back(number);
        CHECK(shown == offsets);
        ++tables;
    }
    CHECK(tables >= 5);
}

TEST_CASE("code and problems in the README are parts of examples, which are compiled and planned") {
    for (const Block& block : blocks_of(readme)) {
        if (block.language != "cpp" && !block.is_problem()) continue;
        const std::string name = block.name();
        CAPTURE(name);
        bool found = false;
        for (const auto& entry : fs::directory_iterator(examples))
            found =
                found || (entry.path().extension() == "." + block.language && content(entry.path()).find(block.text) != std::string::npos);
        CHECK(found);
    }
}

TEST_CASE("links between the pages lead somewhere") {
    const std::regex link("\\]\\(([^)#:]*)(#([^)]*))?\\)");
    for (const fs::path& page : pages()) {
        const std::string text = content(page);
        for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
            const std::string target = (*it)[1], anchor = (*it)[3], shown = (*it)[0];
            const fs::path file = target.empty() ? page : page.parent_path() / target;
            CHECK_MESSAGE(fs::exists(file), shown << " in " << page.string());
            if (anchor.empty() || !fs::exists(file)) continue;
            const std::vector<std::string> known = anchors_of(file);
            CHECK_MESSAGE(std::find(known.begin(), known.end(), anchor) != known.end(), shown << " in " << page.string());
        }
    }
}

TEST_CASE("every rule and obligation is documented") {
    std::string text;
    for (const fs::path& page : pages()) text += content(page);
    for (const Obligation& obligation : obligations()) {
        const std::string row = "| `" + std::string(obligation.id) + "` | " + std::string(obligation.sentence) + " |";
        CHECK_MESSAGE(content(docs / "reports.md").find(row) != std::string::npos, row);
    }
    // In the sources, a word with a hyphen in quotes is a rule, an obligation or the source of an assumption. Each has a row of its own.
    const std::regex rule("\"([a-z]+(-[a-z]+)+)\"");
    for (const char* layer : {"layouts", "support", "solver", "verify", "emit", "cli"}) {
        for (const auto& entry : fs::directory_iterator(docs.parent_path() / layer)) {
            if (entry.path().extension() != ".cpp") continue;
            const std::string source = content(entry.path());
            for (auto it = std::sregex_iterator(source.begin(), source.end(), rule); it != std::sregex_iterator(); ++it) {
                const std::string id = (*it)[1];
                CHECK_MESSAGE(text.find("\n| `" + id + "` |") != std::string::npos, id << " in " << entry.path().string());
            }
        }
    }
}

}  // namespace tileproof
