// Explanations and the rule table: every example is run, every rule that the sources can print has a row, every line fits.
#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emit/explain_text.hpp"
#include "emit/picture_internal.hpp"
#include "emit/plan_json.hpp"
#include "emit/prose_internal.hpp"
#include "emit/report_text.hpp"
#include "emit/rules.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "tests/program.hpp"
#include "tests/random_problem.hpp"
#include "verify/obligation.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::quoted;
using test::Ran;
using test::run;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

/// No line is too long, none ends in a space.
void check_page(const std::string& text) {
    for (const std::string& line : lines_of(text)) {
        CAPTURE(line);
        CHECK(line.size() <= page_columns);
        CHECK((line.empty() || line.back() != ' '));
        CHECK(line.find('\t') == std::string::npos);
    }
}

/// The words of a text, one space between two: what is left of it when it is wrapped.
std::string unwrapped(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A problem, solved, and its plans proved.
struct Solved {
    Problem problem;
    Solution solution;
    Report report;
    View view(const std::string& file) const {
        View out{file, problem, solution, report};
        return out;
    }
};

Solved solved(const Problem& problem) {
    Solved out{problem, solve(problem), {}};
    if (out.solution.complete()) out.report = verify(problem, out.solution.plan(), {.require_widest = true});
    return out;
}

/// What an example brings about: the rules of its kind, and the text that the tool prints.
struct Answer {
    std::set<std::string> rules{};
    std::string text{};
};

Answer fault(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
    return {{diagnostic.rule}, render(diagnostic, {std::string(file), std::string(text)})};
}

Answer answer_of(const Rule& rule) {
    const std::string text(rule.example_toml);
    if (rule.kind == RuleKind::plan) {
        const Result<PlanFile> read = parse_plan(text);
        return read ? Answer{} : fault(read.error(), example_plan_file, text);
    }
    const Result<Problem> problem = parse_problem({std::string(example_file), text}, "copy");
    if (!problem) return rule.kind == RuleKind::input ? fault(problem.error(), example_file, text) : Answer{};
    const Solved all = solved(problem.value());
    if (rule.kind == RuleKind::rejection) {
        REQUIRE(all.solution.copies[0].rejection.has_value());
        return fault(*all.solution.copies[0].rejection, example_file, text);
    }
    Answer out{{}, report_text(all.view(std::string(example_file)), false)};
    if (rule.kind == RuleKind::refusal)
        for (const Refusal& refusal : all.solution.copies[0].refused) out.rules.insert(refusal.rule);
    if (rule.kind == RuleKind::assumption)
        for (const Assumption& assumption : assumptions(all.problem)) out.rules.insert(assumption.source);
    if (rule.kind == RuleKind::obligation) {
        std::vector<Finding> findings = all.report.program;
        for (const CopyReport& copy : all.report.copies) findings.insert(findings.end(), copy.findings.begin(), copy.findings.end());
        for (const Finding& finding : findings)
            if (finding.verdict != Verdict::proved) out.rules.insert(finding.obligation);
    }
    return out;
}

/// The rules that may come with `id` in its example.
std::set<std::string> allowed(const Rule& rule) {
    std::set<std::string> out{std::string(rule.id)};
    // Before sm_100 each copy has a refused 256-bit access; what differs mod 16 is equal mod some smaller width.
    if (rule.kind == RuleKind::refusal) out.insert("target");
    if (rule.id == "phase") out.insert("region-offset");
    if (rule.kind == RuleKind::assumption)
        for (const Rule& other : rules())
            if (other.kind == RuleKind::assumption) out.insert(std::string(other.id));
    return out;
}

/// Whether the parts of `answer` between "..." come in this order in one line of `text`, whatever the margins are.
bool answers(const std::string& text, std::string_view answer) {
    for (std::string line : lines_of(text)) {
        line = unwrapped(line);
        std::size_t at = 0;
        for (std::string_view rest = answer; at != std::string::npos && !rest.empty();) {
            const std::string_view part = rest.substr(0, rest.find("..."));
            at = line.find(part, at);
            if (at != std::string::npos) at += part.size();
            rest.remove_prefix(std::min(rest.size(), part.size() + 3));
        }
        if (at != std::string::npos) return true;
    }
    return false;
}

/// What the picture of a refusal must show.
std::string pictured(const Refusal& refusal, Bits element) {
    const bool packed = element < Bits{8};
    if (packed && refusal.width / element > 42 && refusal.rule != "swizzle-chunk") return {};  // too wide for a page
    if (refusal.rule == "region-offset" || refusal.rule == "phase" || refusal.rule == "stride")
        return packed ? "^ bit " + std::to_string(refusal.witness->address->count)
                      : "^ byte " + std::to_string(to_bytes(*refusal.witness->address).count);
    if (refusal.rule == "base-alignment") return "^ x + ";
    if (refusal.rule == "no-partner") return "^ from here on nothing of the region";
    if (refusal.rule == "swizzle-chunk") return " after Sw<";
    return {};
}

/// Everything that was found is in the text, and the text fits. Its words.
std::string check_explanation(const Solved& all) {
    const std::string text = explain_text(all.view("copy.toml"), false), words = unwrapped(text);
    check_page(text);
    CHECK(explain_text(all.view("copy.toml"), false) == text);
    for (const CopySolution& copy : all.solution.copies) {
        for (const Refusal& refusal : copy.refused) {
            CHECK(contains(words, refusal.text + " [" + refusal.rule + "]"));
            CHECK_MESSAGE(contains(words, pictured(refusal, all.problem.buffers[0].dtype.size)), refusal.rule);
        }
        if (copy.rejection) CHECK(contains(words, copy.rejection->text));
        const bool grounded = copy.plan && all.view("copy.toml").outcome_of(copy) == Outcome::proved;
        const std::vector<std::string> heads =
            copy.single_rounds ? std::vector<std::string>{has_tails(*copy.plan) ? " tails " : " cut ", " exists ", " threads "}
                               : std::vector<std::string>{" runs ", " aligned ", " threads "};
        for (const std::string& head : heads) CHECK((!grounded || contains(words, head)));
    }
    return words;
}

/// Ids in the places where sources write them. `strict` patterns take any word, the loose one only what has a hyphen.
std::map<std::string, std::string> ids_in_sources() {
    const std::vector<std::regex> strict{std::regex(R"re((?:Diagnostic|Fault)\s*\w*\s*\{\s*"([a-z][a-z0-9-]*)"\s*,)re"),
                                         std::regex(R"re(\bfail\(\s*"([a-z][a-z0-9-]*)"\s*,)re"),
                                         std::regex(R"re(\bfault\(\s*\{?\s*"([a-z][a-z0-9-]*)"\s*,)re"),
                                         std::regex(R"re(\badd\(\{\s*"([a-z][a-z0-9-]*)"\s*,)re"),
                                         std::regex(R"re(\btrouble\(\s*"([a-z][a-z0-9-]*)"\s*,)re"),
                                         std::regex(R"re(Refusal\{[\w.]+,\s*"([a-z][a-z0-9-]*)"\s*,)re")};
    const std::regex loose(R"re((?:return|push_back\(|give_up\(\{)\s*\{\s*"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)"\s*,)re");
    std::map<std::string, std::string> out;
    for (const char* folder : {"layouts", "support", "solver", "verify", "emit", "cli"}) {
        for (const auto& entry : fs::directory_iterator(fs::path(TILEPROOF_SOURCE_DIR) / folder)) {
            const std::string name = entry.path().filename().string();
            if (entry.path().extension() != ".cpp" || name.rfind("rules_", 0) == 0) continue;
            const std::string text = content(entry.path());
            const auto collect = [&](const std::regex& pattern) {
                for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it)
                    out[(*it)[1]] = name;
            };
            for (const std::regex& pattern : strict) collect(pattern);
            collect(loose);
        }
    }
    return out;
}

bool has_rule(std::string_view id, RuleKind kind) {
    const std::vector<const Rule*> found = find_rules(id);
    return std::any_of(found.begin(), found.end(), [&](const Rule* rule) { return rule->kind == kind; });
}

std::vector<fs::path> problem_files() {
    std::vector<fs::path> out;
    for (const fs::path& folder : {fs::path(TILEPROOF_TEST_DATA) / "cases", fs::path(TILEPROOF_EXAMPLES)})
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".toml") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

TEST_CASE("rules: every example gives this rule and this answer") {
    for (const Rule& rule : rules()) {
        CAPTURE(rule.id);
        CHECK_FALSE(rule.meaning.empty());
        CHECK_FALSE(rule.remedy.empty());
        CHECK(rule.example_toml.empty() == rule.example_answer.empty());
        if (rule.example_toml.empty()) continue;
        const Answer answer = answer_of(rule);
        CAPTURE(answer.text);
        CHECK(answer.rules.count(std::string(rule.id)) == 1);
        const std::set<std::string> fine = allowed(rule);
        for (const std::string& other : answer.rules) CHECK_MESSAGE(fine.count(other) == 1, other);
        CHECK(answers(answer.text, rule.example_answer));
        check_page(std::string(rule.example_toml));
    }
}

TEST_CASE("rules: each row once, and each of the required kinds complete") {
    std::set<std::pair<std::string, RuleKind>> seen;
    for (const Rule& rule : rules()) CHECK_MESSAGE(seen.emplace(std::string(rule.id), rule.kind).second, rule.id);
    for (const char* id :
         {"target", "count", "base-alignment", "swizzle-chunk", "region-offset", "phase", "stride", "not-contiguous", "no-partner"}) {
        REQUIRE(has_rule(id, RuleKind::refusal));
        CHECK_FALSE(find_rules(id).front()->example_toml.empty());
    }
    for (const Obligation& obligation : obligations()) CHECK_MESSAGE(has_rule(obligation.id, RuleKind::obligation), obligation.id);
}

TEST_CASE("rules: what the sources can print is documented") {
    const std::map<std::string, std::string> ids = ids_in_sources();
    CHECK(ids.size() >= 60);
    for (const char* known :
         {"unknown-key", "not-text", "plan-json", "stride", "gpu-differs", "internal-error", "ptxas-missing", "rank", "file-unreadable"})
        CHECK_MESSAGE(ids.count(known) == 1, known);
    for (const auto& known : ids) CHECK_MESSAGE(!find_rules(known.first).empty(), known.first << " of " << known.second);
}

TEST_CASE("rules: the texts fit and say it all") {
    for (const Rule& rule : rules()) {
        CAPTURE(rule.id);
        const std::string text = rules_text({&rule}, false);
        check_page(text);
        CHECK(contains(unwrapped(text), unwrapped(std::string(rule.meaning))));
        CHECK(contains(unwrapped(text), unwrapped(std::string(rule.remedy))));
        CHECK(contains(rule_list_text(false), "  " + std::string(rule.id) + " "));
        CHECK(contains(rules_text({&rule}, true), "\x1b["));
    }
    check_page(rule_list_text(false));
    CHECK(find_rules("overflow").size() == 2);
    CHECK(find_rules("nonsense").empty());
}

TEST_CASE("explanations: complete, and no wider than the page") {
    for (const fs::path& file : problem_files()) {
        CAPTURE(file.filename().string());
        const Loaded loaded = load_problem(file.string());
        REQUIRE(loaded.problem.ok());
        const Solved all = solved(loaded.problem.value());
        const std::string words = check_explanation(all);
        if (all.report.verdict() == Verdict::proved)
            for (const Obligation& obligation : obligations())
                CHECK(contains(words, unwrapped(std::string(obligation.id) + " " + std::string(obligation.sentence))));
        for (const Assumption& assumption : assumptions(all.problem))
            if (all.solution.complete()) CHECK(contains(words, assumption.text));
    }
}

TEST_CASE("explanations of random problems") {
    std::mt19937_64 numbers(20261129);
    const random::Draw draw = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(numbers() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    std::set<std::string> seen;
    for (int i = 0; i < 60; ++i) {
        const Solved all = solved(random::problem(draw));
        CAPTURE(i);
        check_explanation(all);
        for (const Refusal& refusal : all.solution.copies[0].refused) seen.insert(refusal.rule);
    }
    CHECK(seen.size() >= 6);
}

TEST_CASE("explanations: rows of 20 halves") {
    const Loaded loaded = load_problem((fs::path(TILEPROOF_EXAMPLES) / "unaligned_rows_f16.toml").string());
    REQUIRE(loaded.problem.ok());
    const std::string text = explain_text(solved(loaded.problem.value()).view("rows.toml"), false);
    CHECK(contains(text, R"(
  width     64 bits: 4 elements of f16 in one access of 8 bytes. No wider access is legal.
)"));
    CHECK(contains(text, R"(
  not 128   thread 2 in round 0 would read A[1,0], at byte 40 = 8 mod 16 [stride]
            An access of 16 bytes needs an address that is a multiple of 16. A step along dimension
            0 of A is 40 bytes = 8 mod 16.

              A in blocks of 16 bytes
              32                              48                              64
              |-------------------------------|-------------------------------|
                              [ 0 | 1 | 2 | 3 ! 4 | 5 | 6 | 7 ]
                              ^ byte 40       ^ byte 48
)"));
}

TEST_CASE("pictures: across blocks, and beyond the region") {
    const auto number = [](std::int64_t address) { return std::to_string(address); };
    CHECK(access_picture({6, 4, 2, 2, number, "here", "there"}) ==
          std::vector<std::string>{"4                               8                               12",
                                   "|-------------------------------|-------------------------------|",
                                   "                [       0       !       1       ]", "                ^ here          ^ there"});
    // Bytes of 16 lanes are too narrow for numbers.
    CHECK(access_picture({20, 16, 1, 16, number, "byte 20", "byte 32"})[2] == "        [=======================!=======]");
    CHECK(access_picture({32, 16, 4, 3, number, "byte 32", "end"}) ==
          std::vector<std::string>{"32                              48", "|-------------------------------|",
                                   "[   0   |   1   |   2   !   x   ]", "^ byte 32               ^ end"});
    // Marks without room for both get a line each.
    const std::vector<std::string> crowded = access_picture({14, 16, 2, 8, number, "byte 14", "byte 16"});
    REQUIRE(crowded.size() == 5);
    CHECK(crowded[3] == std::string(28, ' ') + "^ byte 14");
    CHECK(crowded[4] == std::string(32, ' ') + "^ byte 16");
}

TEST_CASE("pictures: lanes") {
    CHECK(lane_table({{{"A", {64, 65, 66, 67}}, {"As", {66, 67, 64, 65}}}}, 80) ==
          std::vector<std::string>{"lane    0-1    2-3", "A     64-65  66-67", "As    66-67  64-65"});
    const std::vector<std::string> cut = lane_table({{{"A", {0, 100, 200, 300, 400, 500}}}, 1, "100, where 1 is needed"}, 30);
    CHECK(cut ==
          std::vector<std::string>{"lane  0    1    2    3  ...", "A     0  100  200  300  ...", "           ^ 100, where 1 is needed"});
}

TEST_CASE("prose") {
    CHECK(paragraph("", 4).empty());
    CHECK(paragraph("a b\nc", 2) == "  a b\n  c\n");
    CHECK(paragraph(std::string(120, 'x') + " y", 0) == std::string(120, 'x') + "\ny\n");
    CHECK(row("runs", "one two", Paint(false)) == "  runs      one two\n");
    CHECK(counted(1, "byte") == "1 byte");
    CHECK(counted(2, "byte") == "2 bytes");
}

TEST_CASE("command line: files, rules, neither") {
    const std::string rows = quoted((fs::path(TILEPROOF_EXAMPLES) / "unaligned_rows_f16.toml").string());
    const Ran file = run("explain " + rows);
    CHECK(file.status == 0);
    CHECK(contains(file.out, "[stride]"));
    const nlohmann::json report = nlohmann::json::parse(run("explain --format json " + rows).out);
    CHECK(report["schema"] == "tileproof.report/1");
    CHECK(report["explanation"] == file.out);
    const Ran rejected = run("explain " + quoted((fs::path(TILEPROOF_TEST_DATA) / "cases" / "P_alias.toml").string()));
    CHECK(rejected.status == 1);
    CHECK(contains(rejected.out, "[dst-overlaps]"));
    CHECK(contains(rejected.err, "[dst-overlaps]"));
    const Ran broken = run("explain " + quoted((fs::path(TILEPROOF_TEST_DATA) / "broken_input" / "unknown_key.toml").string()));
    CHECK(broken.status == 2);
    CHECK(contains(broken.err, "[unknown-key]"));

    const Ran held = run("explain " + quoted((fs::path(TILEPROOF_EXAMPLES) / "epilogue_f32.toml").string()));
    CHECK(held.status == 0);
    for (const char* what :
         {"in every thread", "64*ldc bytes along the threads", "ends after -row + m", "An access names the same registers"})
        CHECK(contains(held.out, what));

    const Ran rule = run("explain stride");
    CHECK(rule.status == 0);
    CHECK(rule.out == rules_text(find_rules("stride"), false));
    CHECK(run("explain overflow").out == rules_text(find_rules("overflow"), false));
    CHECK(nlohmann::json::parse(run("explain --format json stride").out)["rules"][0]["id"] == "stride");
    CHECK(run("explain --list").out == rule_list_text(false));
    CHECK(nlohmann::json::parse(run("explain --list --format json").out)["rules"].size() == rules().size());

    const Ran near = run("explain strid");
    CHECK(near.status == 2);
    CHECK(contains(near.err, "did you mean 'stride'?"));
    CHECK(run("explain no/such/file.toml").status == 2);
    CHECK(run("explain").status == 2);
    CHECK(run("explain --list stride").status == 2);
    const Ran line =
        run("explain --src 'global f16 (64,16):(20,1)' --dst 'shared f16 (64,16):(20,1)' --scope warp --arch "
            "sm_90");
    CHECK(line.status == 0);
    CHECK(contains(line.out, "[stride]"));
    CHECK(run("explain --quiet stride").out.empty());
}

}  // namespace tileproof
