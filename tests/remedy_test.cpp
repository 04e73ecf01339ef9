// Remedies: for each rule the words and the patch of its unlock, that no smaller change does, and for every refusal of the corpus
// that its patch, merged into the file, gives the width.
#include "solver/remedy.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "layouts/notation.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/problems.hpp"
#include "tests/program.hpp"

namespace tileproof {
namespace {

using nlohmann::json;

/// A problem of one copy: `src` and `dst` hold the buffer's keys, `regions` what is copied.
struct Ask {
    std::string src, dst;
    std::string src_region = "A", dst_region = "B";
    std::string target = R"(arch = "sm_90")";
    std::string scope = R"(scope = "warp")";
};

Problem problem_of(const Ask& ask) {
    return corpus::read("remedy", "[target]\n" + ask.target + "\n[buffers]\nA = { " + ask.src + " }\nB = { " + ask.dst +
                                      " }\n[[copies]]\nsrc = \"" + ask.src_region + "\"\ndst = \"" + ask.dst_region + "\"\n" + ask.scope +
                                      "\n")
        .problem;
}

const Refusal& refusal_of(const Solution& solution, std::int64_t width) {
    const auto& all = solution.copies[0].refused;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Refusal& r) { return r.width.count == width; });
    REQUIRE(found != all.end());
    return *found;
}

struct Answer {
    std::string rule, text;
    json patch;
};

Answer unlock(const Problem& problem, std::int64_t width) {
    Solution solution = solve(problem);
    add_unlocks(problem, solution);
    const Refusal& refusal = refusal_of(solution, width);
    CHECK(refusal.unlock_sought);
    if (!refusal.unlock) return {refusal.rule, "", nullptr};
    return {refusal.rule, refusal.unlock->text, json::parse(refusal.unlock->patch)};
}

std::int64_t width_with(const Problem& problem, const json& patch) {
    const Result<Problem> after = patched(problem, patch.dump());
    REQUIRE_MESSAGE(after.ok(), after.error().text);
    return solve(after.value()).copies[0].width.count;
}

void unlocks(const Ask& ask, std::int64_t width, const std::string& rule, const std::string& text, const std::string& patch) {
    CAPTURE(ask.src + ask.src_region + " -> " + ask.dst + ask.dst_region);
    const Problem problem = problem_of(ask);
    const Answer found = unlock(problem, width);
    CHECK(found.rule == rule);
    CHECK(found.text == text);
    CHECK(found.patch == json::parse(patch));
    if (!text.empty()) CHECK(width_with(problem, found.patch) >= width);
}

std::string f16(const std::string& space, const std::string& layout, const std::string& more = "align = 256") {
    return "space = \"" + space + "\", dtype = \"f16\", layout = \"" + layout + "\"" + (more.empty() ? "" : ", " + more);
}

bool same_buffer(const Buffer& a, const Buffer& b) {
    return a.name == b.name && a.space == b.space && a.dtype == b.dtype && a.layout == b.layout && a.base == b.base &&
           (a.base || a.align == b.align) && a.capacity == b.capacity && (a.base || a.align_is_default == b.align_is_default) &&
           a.capacity_is_default == b.capacity_is_default && a.swizzle_on_address == b.swizzle_on_address;
}

bool same_operand(const Operand& a, const Operand& b) { return a.buffer == b.buffer && a.region == b.region; }

bool same_problem(const Problem& a, const Problem& b) {
    bool same = a.stem == b.stem && a.target.name == b.target.name && a.ptx == b.ptx && a.launch.block == b.launch.block &&
                a.launch.grid == b.launch.grid && a.buffers.size() == b.buffers.size() && a.copies.size() == b.copies.size();
    for (std::size_t i = 0; same && i < a.buffers.size(); ++i) same = same_buffer(a.buffers[i], b.buffers[i]);
    for (std::size_t i = 0; same && i < a.copies.size(); ++i) {
        const Copy &x = a.copies[i], &y = b.copies[i];
        same = x.name == y.name && same_operand(x.src, y.src) && same_operand(x.dst, y.dst) && x.scope == y.scope &&
               x.threads == y.threads && x.group == y.group && x.dispatch == y.dispatch;
    }
    return same;
}

/// The file as JSON, word for word.
json file_json(const std::string& text) {
    std::ostringstream out;
    out << toml::json_formatter{toml::parse(text)};
    return json::parse(out.str());
}

}  // namespace

TEST_CASE("a problem as JSON reads back as itself") {
    std::vector<corpus::Entry> all = corpus::files();
    for (corpus::Entry& entry : corpus::flat()) all.push_back(std::move(entry));
    for (const corpus::Entry& entry : all) {
        CAPTURE(entry.name);
        const Result<Problem> again = parse_problem({"again", problem_json(entry.problem)}, entry.problem.stem);
        REQUIRE_MESSAGE(again.ok(), again.error().text);
        CHECK(same_problem(again.value(), entry.problem));
        CHECK(merge_patch(entry.problem, again.value()) == "{}");
    }
    for (const corpus::Entry& entry : corpus::drawn(40)) {  // made by hand: defaults that are stated
        CAPTURE(entry.name);
        const Result<Problem> again = parse_problem({"again", problem_json(entry.problem)}, entry.problem.stem);
        REQUIRE_MESSAGE(again.ok(), again.error().text);
        CHECK(same_problem(again.value(), entry.problem));
    }
}

TEST_CASE("a patch turns one problem into the other") {
    const Problem before = problem_of({f16("global", "(64,16):(20,1)", "base = 8, capacity = 2000"),
                                       f16("shared", "S[(64,2,8):(8,512,1)]", "shape = [64, 16]"), "A[0:64, 0:16]", "B"});
    Problem after = before;
    after.buffers[0].base = std::nullopt;
    after.buffers[0].align = Bytes{32};
    after.buffers[0].layout = read_layout("(64,20):(20,1)").value();
    after.copies[0].src.region.start[1] = 4;
    after.ptx = PtxVersion{8, 0};
    CHECK(json::parse(merge_patch(before, after)) ==
          json::parse(
              R"j({"target": {"ptx": "8.0"}, "buffers": {"A": {"layout": "(64,20):(20,1)", "base": null, "align": 32}},
                          "copies": [{"name": "copy0", "src": "A[0:64, 4:20]", "dst": "B", "scope": "warp"}]})j"));
    CHECK(same_problem(patched(before, merge_patch(before, after)).value(), after));
    // A region that was all of its buffer, and no longer is, is written out.
    Problem longer = before;
    longer.buffers[1].layout = read_layout("S[(64,3,8):(8,512,1)]", {64, 24}).value();
    longer.buffers[1].capacity = span(longer.buffers[1].layout);
    const json patch = json::parse(merge_patch(before, longer));
    CHECK(patch["buffers"]["B"] == json::parse(R"j({"layout": "S[(64,3,8):(8,512,1)]", "shape": [64, 24]})j"));
    CHECK(patch["copies"][0]["dst"] == "B[0:64, 0:16]");
    CHECK(same_problem(patched(before, patch.dump()).value(), longer));
    CHECK(!patched(before, R"j({"target": {"arch": "sm_1"}})j").ok());
}

TEST_CASE("target: another architecture, where the memories allow the width at all") {
    const std::string G = f16("global", "(512):(1)", "align = 32"), low = f16("global", "(512):(1)", "align = 16"),
                      S = f16("shared", "(512):(1)");
    unlocks({G, G}, 256, "target", "sm_100 or later", R"j({"target": {"arch": "sm_100"}})j");
    unlocks({G, S}, 256, "target", "", "null");
    unlocks({S, S}, 256, "target", "", "null");
    unlocks({low, low}, 256, "target", "sm_100 or later and bases of A and B aligned to 32 bytes",
            R"j({"target": {"arch": "sm_100"}, "buffers": {"A": {"align": 32}, "B": {"align": 32}}})j");
    const auto on = [&](const char* target) { return Ask{G, G, "A", "B", target}; };
    unlocks(on("arch = \"sm_120\"\nptx = \"8.7\""), 256, "target", "PTX 8.8 or later", R"j({"target": {"ptx": "8.8"}})j");
    unlocks(on("arch = \"sm_90\"\nptx = \"7.8\""), 256, "target", "sm_100 or later and PTX 8.8 or later",
            R"j({"target": {"arch": "sm_100", "ptx": "8.8"}})j");
}

TEST_CASE("base-alignment: a promise about the base, of both sides at once") {
    const std::string one = f16("global", "(512):(1)", "align = 8"), other = f16("shared", "(512):(1)", "align = 4"),
                      good = f16("shared", "(512):(1)");
    unlocks({one, good}, 128, "base-alignment", "base of A aligned to 16 bytes", R"j({"buffers": {"A": {"align": 16}}})j");
    unlocks({one, other}, 128, "base-alignment", "bases of A and B aligned to 16 bytes",
            R"j({"buffers": {"A": {"align": 16}, "B": {"align": 16}}})j");
    unlocks({one, other}, 64, "base-alignment", "base of B aligned to 8 bytes", R"j({"buffers": {"B": {"align": 8}}})j");
    CHECK(width_with(problem_of({one, other}), json::parse(R"j({"buffers": {"B": {"align": 8}}})j")) == 64);
    for (const int half : {4, 8})  // nothing less does
        CHECK(width_with(problem_of({f16("global", "(512):(1)", "align = 2"), good}), {{"buffers", {{"A", {{"align", half}}}}}}) ==
              8 * half);
    // The default of a global buffer, below what 256 bits need.
    unlocks({f16("global", "(512):(1)", ""), f16("global", "(512):(1)"), "A", "B", R"(arch = "sm_100")"}, 256, "base-alignment",
            "base of A aligned to 32 bytes", R"j({"buffers": {"A": {"align": 32}}})j");
}

TEST_CASE("region-offset: a base that is stated, a layout's offset, a start, a base that makes up for it") {
    const std::string G = f16("global", "(64,64):(64,1)"), S = f16("shared", "(64,16):(16,1)");
    unlocks({G, S, "A[:, 4:20]"}, 128, "region-offset", "start column of A a multiple of 8 (0 instead of 4)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 0:16]", "dst": "B", "scope": "warp"}]})j");
    unlocks({G, S, "A[:, 13:29]"}, 128, "region-offset", "start column of A a multiple of 8 (8 instead of 13)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 8:24]", "dst": "B", "scope": "warp"}]})j");
    unlocks({G, f16("shared", "(64,16):(64,1)"), "A[:, 13:29]"}, 32, "region-offset",
            "start column of A a multiple of 2 (12 instead of 13)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 12:28]", "dst": "B", "scope": "warp"}]})j");
    unlocks({f16("global", "(64,64):(64,1)", "base = 8"), S, "A[:, 0:16]"}, 128, "region-offset", "base of A aligned to 16 bytes",
            R"j({"buffers": {"A": {"base": null, "align": 16}}})j");
    unlocks({f16("global", "(64,64):(64,1)", "base = 4"), S, "A[:, 4:20]"}, 128, "region-offset",
            "base of A 8 bytes past a multiple of 256", R"j({"buffers": {"A": {"base": 8}}})j");
    unlocks({f16("global", "(64,64):(64,1) + 4"), S, "A[:, 0:16]"}, 128, "region-offset",
            "offset of A a multiple of 8 elements (0 instead of 4)", R"j({"buffers": {"A": {"layout": "(64,64):(64,1)"}}})j");
    // Nothing below: the start goes up. Here the offset is off as well, so that a start makes up for it.
    unlocks({f16("global", "(64,64):(64,1) + 4"), S, "A[:, 2:18]"}, 128, "region-offset",
            "start column of A 4 past a multiple of 8 (4 instead of 2)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 4:20]", "dst": "B", "scope": "warp"}]})j");
    for (int start = 9; start < 13; ++start) {  // no nearer start does
        const json copy{{"src", "A[:, " + std::to_string(start) + ":+16]"}, {"dst", "B"}, {"scope", "warp"}};
        CHECK(width_with(problem_of({G, S, "A[:, 13:29]"}), {{"copies", {copy}}}) < 128);
    }
    // A row of a matrix: its pitch.
    unlocks({f16("global", "(64,16):(20,1)"), f16("shared", "(16):(1)"), "A[3, :]"}, 128, "region-offset",
            "pitch of A a multiple of 8 elements (24 instead of 20)", R"j({"buffers": {"A": {"layout": "(64,16):(24,1)"}}})j");
    // Both sides by the same.
    unlocks({f16("global", "(64,64):(64,1)"), f16("shared", "(64,64):(64,1)"), "A[:, 4:20]", "B[:, 4:20]"}, 128, "region-offset",
            "start columns of A and B multiples of 8 (0 instead of 4)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 0:16]", "dst": "B[0:64, 0:16]", "scope": "warp"}]})j");
    // Within one buffer a start cannot move without meeting the other side; the tool places the shared buffer as asked.
    const Problem inside = corpus::read("inside", R"toml([target]
arch = "sm_90"
[buffers.A]
space = "shared"
dtype = "f16"
layout = "(256):(1)"
[[copies]]
src = "A[4:68]"
dst = "A[132:196]"
scope = "warp"
)toml")
                               .problem;
    const Answer moved = unlock(inside, 128);
    CHECK(moved.rule == "region-offset");
    CHECK(moved.text == "base of A 8 bytes past a multiple of 256");
    CHECK(moved.patch == json::parse(R"j({"buffers": {"A": {"base": 8}}})j"));
}

TEST_CASE("phase: each side on its own") {
    const std::string G = f16("global", "(64,64):(64,1)"), S = f16("shared", "(64,32):(32,1)");
    unlocks({G, S, "A[:, 4:20]", "B[:, 2:18]"}, 128, "phase",
            "start column of A a multiple of 8 (0 instead of 4) and start column of B a multiple of 8 (0 instead "
            "of 2)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 0:16]", "dst": "B[0:64, 0:16]", "scope": "warp"}]})j");
    unlocks({f16("global", "(256):(1)", "base = 8"), f16("shared", "(256):(1)", "base = 4")}, 128, "phase",
            "bases of A and B aligned to 16 bytes",
            R"j({"buffers": {"A": {"base": null, "align": 16}, "B": {"base": null, "align": 16}}})j");
}

TEST_CASE("stride: the least pitch, and what is packed on it") {
    const std::string S = f16("shared", "(64,16):(16,1)");
    unlocks({f16("global", "(64,16):(20,1)"), S}, 128, "stride", "pitch of A a multiple of 8 elements (24 instead of 20)",
            R"j({"buffers": {"A": {"layout": "(64,16):(24,1)"}}})j");
    unlocks({f16("global", "(64,16):(20,1)", "capacity = 1276"), S}, 128, "stride",
            "pitch of A a multiple of 8 elements (24 instead of 20)",
            R"j({"buffers": {"A": {"layout": "(64,16):(24,1)", "capacity": 1528}}})j");
    unlocks({f16("global", "(4,8,16):(160,20,1)"), f16("shared", "(4,8,16):(128,16,1)")}, 128, "stride",
            "pitches of A multiples of 8 elements (192, 24 instead of 160, 20)",
            R"j({"buffers": {"A": {"layout": "(4,8,16):(192,24,1)"}}})j");
    unlocks({f16("global", "(4,8,16):(400,20,1)"), f16("shared", "(4,8,16):(128,16,1)")}, 128, "stride",
            "pitch of A a multiple of 8 elements (24 instead of 20)", R"j({"buffers": {"A": {"layout": "(4,8,16):(400,24,1)"}}})j");
    unlocks({f16("global", "(64,16):(-20,1) + 1260"), f16("shared", "(64,16):(20,1)")}, 128, "region-offset",
            "pitches of A and B multiples of 8 elements (24 instead of 20)",
            R"j({"buffers": {"A": {"layout": "(64,16):(-24,1) + 1512"}, "B": {"layout": "(64,16):(24,1)"}}})j");
    unlocks({f16("global", "S[(64,2,8):(20,8,1)]", "align = 256, shape = [64, 16]"), S}, 128, "stride",
            "pitch of A a multiple of 8 elements (24 instead of 20)", R"j({"buffers": {"A": {"layout": "S[(64,2,8):(24,8,1)]"}}})j");
    for (const int pitch : {21, 22, 23}) {  // nothing less does
        const json less{{"buffers", {{"A", {{"layout", "(64,16):(" + std::to_string(pitch) + ",1)"}}}}}};
        CHECK(width_with(problem_of({f16("global", "(64,16):(20,1)"), S}), less) < 128);
    }
    // Windows that overlap: a wider pitch would be another tensor.
    unlocks({f16("global", "(4,16):(2,1)"), f16("shared", "(4,16):(16,1)")}, 128, "stride", "", "null");
}

TEST_CASE("swizzle-chunk: the least M, or one swizzle for both sides") {
    const std::string G = f16("global", "(64,64):(64,1)");
    unlocks({G, f16("shared", "Sw<3,1,3> o (64,64):(64,1)", "")}, 128, "swizzle-chunk",
            "swizzle base M >= 3 in B (Sw<3,3,3> instead of Sw<3,1,3>)",
            R"j({"buffers": {"B": {"layout": "Sw<3,3,3> o (64,64):(64,1)"}}})j");
    unlocks({G, f16("shared", "Sw<3,1,3> o (64,64):(64,1)", "")}, 64, "swizzle-chunk",
            "swizzle base M >= 2 in B (Sw<3,2,3> instead of Sw<3,1,3>)",
            R"j({"buffers": {"B": {"layout": "Sw<3,2,3> o (64,64):(64,1)"}}})j");
    CHECK(width_with(problem_of({G, f16("shared", "Sw<3,1,3> o (64,64):(64,1)", "")}),
                     json::parse(R"j({"buffers": {"B": {"layout": "Sw<3,2,3> o (64,64):(64,1)"}}})j")) == 64);
    // The hardware's swizzle wants the base at its period.
    unlocks({G, f16("shared", "Sw<3,2,3> o (64,64):(64,1)", "align = 512, swizzle_on = \"address\"")}, 128, "swizzle-chunk",
            "base of B aligned to 1024 bytes and swizzle base M >= 3 in B (Sw<3,3,3> instead of Sw<3,2,3>)",
            R"j({"buffers": {"B": {"align": 1024, "layout": "Sw<3,3,3> o (64,64):(64,1)"}}})j");
    unlocks({f16("shared", "Sw<2,1,3> o (64,64):(64,1)", ""), f16("shared", "Sw<3,2,3> o (64,64):(64,1)", "")}, 128, "swizzle-chunk",
            "swizzle base M >= 3 in A (Sw<2,3,3> instead of Sw<2,1,3>) and swizzle base M >= 3 in B (Sw<3,3,3> "
            "instead of Sw<3,2,3>)",
            R"j({"buffers": {"A": {"layout": "Sw<2,3,3> o (64,64):(64,1)"}, "B": {"layout": "Sw<3,3,3> o (64,64):(64,1)"}}})j");
}

TEST_CASE("no-partner, count, not-contiguous: rows that end at a multiple, where most of them is there") {
    const std::string A = f16("global", "(64,12):(16,1)"), B = f16("shared", "(64,12):(16,1)");
    unlocks(
        {A, B}, 128, "no-partner", "row length a multiple of 8 elements (16 instead of 12)",
        R"j({"buffers": {"A": {"layout": "(64,16):(16,1)"}, "B": {"layout": "(64,16):(16,1)"}}, "copies": [{"name": "copy0", "src": "A", "dst": "B", "scope": "warp"}]})j");
    unlocks({f16("global", "(64,64):(64,1)"), f16("shared", "(64,16):(16,1)"), "A[:, 8:20]", "B[:, 0:12]"}, 128, "no-partner",
            "row length a multiple of 8 elements (16 instead of 12)",
            R"j({"copies": [{"name": "copy0", "src": "A[0:64, 8:24]", "dst": "B", "scope": "warp"}]})j");
    unlocks(
        {f16("global", "(6):(1)"), f16("shared", "(6):(1)")}, 128, "count", "length a multiple of 8 elements (8 instead of 6)",
        R"j({"buffers": {"A": {"layout": "(8):(1)"}, "B": {"layout": "(8):(1)"}}, "copies": [{"name": "copy0", "src": "A", "dst": "B", "scope": "warp"}]})j");
    unlocks({f16("global", "(4):(1)"), f16("shared", "(4):(1)")}, 128, "count", "", "null");
    unlocks({f16("global", "(32,32):(32,1)"), f16("shared", "(32,32):(1,32)")}, 128, "not-contiguous", "", "null");
    unlocks(
        {f16("global", "(5,6):(7,1)"), f16("shared", "(5,6):(6,1)")}, 128, "not-contiguous",
        "row length a multiple of 8 elements (8 instead of 6), pitch of A a multiple of 8 elements (8 "
        "instead of 7) and pitch of B a multiple of 8 elements (8 instead of 6)",
        R"j({"buffers": {"A": {"layout": "(5,8):(8,1)"}, "B": {"layout": "(5,8):(8,1)"}}, "copies": [{"name": "copy0", "src": "A", "dst": "B", "scope": "warp"}]})j");
}

TEST_CASE("a remedy takes nothing from another copy, and fits the machine") {
    // Shifting the base of the shared tile would help the load and spoil the store.
    const Problem both = corpus::read("both", R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(256):(1)", align = 256 }
As = { space = "shared", dtype = "f16", layout = "(68):(1)" }
B  = { space = "global", dtype = "f16", layout = "(256):(1)", align = 256 }
[[copies]]
name = "load"
src = "A[0:64]"
dst = "As[4:68]"
scope = "warp"
[[copies]]
name = "store"
src = "As[0:64]"
dst = "B[0:64]"
scope = "warp"
)toml")
                             .problem;
    Solution solution = solve(both);
    add_unlocks(both, solution);
    const Refusal& refusal = refusal_of(solution, 128);
    REQUIRE(refusal.unlock.has_value());
    CHECK(refusal.unlock->text == "start of As a multiple of 8 (0 instead of 4)");
    const json patch = json::parse(refusal.unlock->patch);
    REQUIRE(patch["copies"].size() == 2);  // an array is replaced whole
    CHECK(patch["copies"][1] == json::parse(R"j({"name": "store", "src": "As[0:64]", "dst": "B[0:64]", "scope": "warp"})j"));
    // Longer rows of the left half would write into the right half.
    const Problem halves = corpus::read("halves", R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,64):(64,1)", align = 256 }
As = { space = "shared", dtype = "f16", layout = "(64,64):(64,1)" }
[[copies]]
name = "left"
src = "A[:, 0:12]"
dst = "As[:, 0:12]"
scope = "warp"
[[copies]]
name = "right"
src = "A[:, 12:24]"
dst = "As[:, 12:24]"
scope = "warp"
)toml")
                               .problem;
    Solution left = solve(halves);
    add_unlocks(halves, left);
    CHECK(refusal_of(left, 128).rule == "no-partner");
    CHECK(!refusal_of(left, 128).unlock);
    // 99 KiB hold rows of 100, not of 104.
    const Ask large{f16("global", "(504,100):(104,1)"), f16("shared", "(504,96):(100,1)"), "A[:, 0:96]", "B", R"(arch = "sm_86")"};
    unlocks(large, 128, "stride", "", "null");
    Ask larger = large;
    larger.target = R"(arch = "sm_90")";
    unlocks(larger, 128, "stride", "pitch of B a multiple of 8 elements (104 instead of 100)",
            R"j({"buffers": {"B": {"layout": "(504,96):(104,1)"}}})j");
}

TEST_CASE("an unlock in words, where refusals are shown") {
    const std::string copy = " --src 'global f16 (64,16):(20,1)' --dst 'shared f16 (64,16):(16,1)' --scope warp --arch sm_90";
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(test::run("plan" + copy).out, "[stride]\n  unlock   pitch of src a multiple of 8 elements (24 instead of 20)\n"));
    CHECK(has(test::run("explain" + copy).out,
              "\n  unlock    128 bits would be legal with this: pitch of src a multiple of 8 elements (24 "
              "instead of\n            20).\n"));
    const json report = json::parse(test::run("plan --format json" + copy).out);
    CHECK(report["copies"][0]["refused"][0]["unlock"].is_null());
    CHECK(report["copies"][0]["refused"][1]["unlock"]["patch"] == json::parse(R"j({"buffers": {"src": {"layout": "(64,16):(24,1)"}}})j"));
}

TEST_CASE("large copies are left alone, unless nothing could help") {
    const Problem problem = problem_of({f16("global", "(1024,16):(20,1)"), f16("shared", "(1024,16):(16,1)")});
    Solution solution = solve(problem);
    add_unlocks(problem, solution, {.largest = Elements{1000}});
    CHECK(refusal_of(solution, 256).unlock_sought);  // shared memory has no 256 bits anywhere
    CHECK(!refusal_of(solution, 256).unlock);
    CHECK(!refusal_of(solution, 128).unlock_sought);
}

TEST_CASE("every unlock of the corpus, merged into its file, gives the width") {
    struct Tally {
        int refused = 0, unlocked = 0;
    };
    std::map<std::string, Tally> rules;
    const test::Folder folder;
    for (const corpus::Entry& entry : corpus::files()) {
        CAPTURE(entry.name);
        const std::string file = (folder / "problem.toml").string();
        std::ofstream(file) << entry.text;
        const json report = json::parse(test::run("plan --format json " + test::quoted(file)).out);
        for (const json& copy : report["copies"]) {
            for (const json& refusal : copy.value("refused", json::array())) {
                Tally& tally = rules[refusal["rule"].get<std::string>()];
                ++tally.refused;
                REQUIRE(refusal.contains("unlock"));
                if (refusal["unlock"].is_null()) continue;
                ++tally.unlocked;
                CAPTURE(refusal["unlock"].dump());
                json changed = file_json(entry.text);
                changed.merge_patch(refusal["unlock"]["patch"]);
                const json after = json::parse(test::run("plan --format json -", changed.dump()).out);
                CHECK(after["verdict"] == "proved");
                const auto same =
                    std::find_if(after["copies"].begin(), after["copies"].end(), [&](const json& c) { return c["name"] == copy["name"]; });
                REQUIRE(same != after["copies"].end());
                CHECK((*same)["width_bits"] >= refusal["width_bits"]);
            }
        }
    }
    Tally sum;
    for (const auto& [rule, tally] : rules) {
        std::printf("  %-16s %3d refused, %2d with an unlock\n", rule.c_str(), tally.refused, tally.unlocked);
        sum.refused += tally.refused;
        sum.unlocked += tally.unlocked;
    }
    std::printf("unlocks: %d of %d refusals\n", sum.unlocked, sum.refused);
    CHECK(sum.unlocked >= 40);
}

}  // namespace tileproof
