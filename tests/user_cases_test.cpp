// Bug reports of other projects, by the commands that a user would type: what is refuted, where first and how often; what is
// rejected and what is asked for instead.
//
// tests/data/user_cases/cases.json lists the plans to verify: the obligations that are refuted (no others may be), and parts of what
// the report says of each. The other cases are about tables and answers of `layout`, and about `plan`.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path data = TILEPROOF_TEST_DATA;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Whether all that `part` says is in `whole` too; objects may have more keys there.
bool is_part(const json& part, const json& whole) {
    if (!part.is_object()) return part == whole;
    if (!whole.is_object()) return false;
    for (const auto& [key, value] : part.items())
        if (!whole.contains(key) || !is_part(value, whole[key])) return false;
    return true;
}

/// The offsets of a layout, row-major, as `layout --table` prints them.
std::vector<std::int64_t> offsets_of(const std::string& layout) {
    INFO(layout);
    const Ran ran = run("layout " + quoted(layout) + " --table --format json");
    REQUIRE(ran.status == 0);
    return json::parse(ran.out)["offsets"].get<std::vector<std::int64_t>>();
}

Ran plans(const std::string& src, const std::string& dst, const std::string& more = "") {
    return run("plan --src " + quoted(src) + " --dst " + quoted(dst) + " --scope warp --arch sm_90" + more);
}

json planned(const std::string& src, const std::string& dst) {
    const Ran ran = plans(src, dst, " --format json");
    CHECK(ran.status == 0);
    const json report = json::parse(ran.out);
    CHECK(report["verdict"] == "proved");
    return report["copies"][0];
}

/// The copy as it is refused: exit status, rule, and a sentence that names these.
void refuses(const Ran& ran, int status, const std::string& rule, const std::vector<std::string>& parts) {
    INFO(ran.err);
    CHECK(ran.status == status);
    CHECK(has(ran.err, "[" + rule + "]"));
    CHECK(has(ran.err, "^"));
    for (const std::string& part : parts) CHECK_MESSAGE(has(ran.err, part), part);
}

/// The problem file with one text in place of another, which must be there.
std::string changed(const fs::path& file, const std::string& from, const std::string& to) {
    std::string text = content(file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("plans that other projects' kernels amount to") {
    const json cases = json::parse(content(data / "user_cases" / "cases.json"))["plans"];
    REQUIRE(cases.size() == 16);
    for (const json& one : cases) {
        CAPTURE(one["id"].get<std::string>());
        const std::string files = quoted((data / one["problem"].get<std::string>()).string()) + " --plan " +
                                  quoted((data / "user_cases" / one["plan"].get<std::string>()).string());
        const Ran ran = run("verify " + files + " --format json");
        CHECK(ran.status == one["status"]);
        const json report = json::parse(ran.out);
        CHECK(report["verdict"] == (one["status"] == 0 ? "proved" : "refuted"));
        const json& copy = report["copies"][0];
        CHECK(copy["active_threads"] == one["active_threads"]);
        const std::string text = run("verify " + files).out;
        std::set<std::string> refuted;
        for (const json& obligation : copy["obligations"]) {
            if (obligation["verdict"] == "proved" || obligation.value("informative", false)) continue;
            refuted.insert(obligation["id"].get<std::string>());
            CHECK(obligation["verdict"] == "refuted");
            REQUIRE_MESSAGE(one["refuted"].contains(obligation["id"]), obligation.dump());
            CHECK_MESSAGE(is_part(one["refuted"][obligation["id"].get<std::string>()], obligation), obligation.dump());
            std::string line = obligation["counterexample"]["text"];
            if (obligation.contains("failing")) line += " (" + std::to_string(obligation["failing"]["count"].get<int>()) + " of ";
            CHECK(has(text, line));
        }
        CHECK(refuted.size() == one["refuted"].size());
    }
}

// NVIDIA/cutlass#1873
TEST_CASE("R100: each segment says how many threads it keeps busy") {
    const fs::path folder = data / "user_cases";
    const std::string text =
        run("verify " + quoted((folder / "R100.toml").string()) + " --plan " + quoted((folder / "R100_two_segments.plan.json").string()))
            .out;
    CHECK(has(text, "128 bits: 8 elements x 12 of 32 threads x 1 round"));
    CHECK(has(text, "64 bits: 4 elements x 1 of 32 threads x 1 round"));
}

TEST_CASE("R012, R086: a wrong pitch, as two layouts compared") {
    const auto compared = [](const std::string& layout, const std::string& other, const std::string& line, int differing, int elements) {
        const std::string command = "layout " + quoted(layout) + " --equal " + quoted(other);
        const Ran text = run(command);
        CHECK(text.status == 1);
        CHECK(text.out == line + "\n");
        const json answer = json::parse(run(command + " --format json").out);
        CHECK(answer["equal"] == false);
        CHECK(answer["coordinate"] == json{1, 0});
        CHECK(answer["differing"] == differing);
        CHECK(answer["elements"] == elements);
    };
    compared("(16,32):(40,1)", "(16,32):(32,1)", "different: 480 of 512 offsets, first at (1,0): 40 and 32", 480, 512);
    compared("(8,128):(256,1)", "(8,128):(128,1)", "different: 896 of 1024 offsets, first at (1,0): 256 and 128", 896, 1024);
}

// tile-ai/tilelang#2714
TEST_CASE("R017: a swizzled row is not 64 neighbours from its column 0 on") {
    const std::vector<std::int64_t> offsets = offsets_of("Sw<3,3,3> o (16,64):(64,1)");
    int wrong = 0;
    for (std::size_t row = 0; row < 16; ++row) {
        bool is_straight = true;
        for (std::size_t column = 0; column < 64; ++column)
            is_straight = is_straight && offsets[64 * row + column] == offsets[64 * row] + static_cast<std::int64_t>(column);
        CHECK(is_straight == (row % 8 == 0));
        wrong += is_straight ? 0 : 1;
    }
    CHECK(wrong == 14);
}

// NVIDIA/cutlass#3160
TEST_CASE("R073: behind a swizzle the second k step is no constant away") {
    const std::string layout = "Sw<4,0,6> o (64,16):(1,64)";
    const std::vector<std::int64_t> offsets = offsets_of(layout);
    int wrong = 0, checked = 0;
    for (std::size_t m = 0; m < 64; ++m)
        for (std::size_t k = 0; k < 8; ++k, ++checked) wrong += offsets[16 * m + k + 8] != offsets[16 * m + k] + 512 ? 1 : 0;
    CHECK(checked == 512);
    CHECK(wrong == 512);
    CHECK(run("layout " + quoted(layout) + " --bijective").status == 0);
    CHECK(run("layout '(64,16):(1,64)' --equal " + quoted(layout)).status == 1);
}

// cloudrift-ai/emmy#200; NVIDIA/Fuser#4096
TEST_CASE("R011: a swizzle of addresses wants the base at its period") {
    struct Mode {
        std::string swizzle, tile;
        int chunks, needed;
    };
    for (const Mode& mode : {Mode{"Sw<2,4,3> o ", "(32,64):(64,1)", 128, 512}, Mode{"Sw<1,4,3> o ", "(32,32):(32,1)", 64, 256}}) {
        CAPTURE(mode.needed);
        const std::vector<std::int64_t> relative = offsets_of(mode.swizzle + mode.tile);
        for (const int base : {64, 128, 256, 512, 1024}) {
            CAPTURE(base);
            // The hardware's XOR of the address against a reader who XORs the offset: chunks of 16 bytes that lie elsewhere.
            const std::vector<std::int64_t> absolute = offsets_of(mode.swizzle + std::to_string(base) + " o " + mode.tile);
            REQUIRE(relative.size() == static_cast<std::size_t>(16 * mode.chunks));
            int mismatched = 0;
            for (std::size_t i = 0; i < relative.size(); i += 16) mismatched += absolute[i] != base + relative[i] ? 1 : 0;
            CHECK((mismatched == 0) == (base >= mode.needed));

            const std::string dst = "shared u8 " + mode.swizzle + mode.tile + " swizzle_on address align " + std::to_string(base);
            const std::string src = "global u8 " + mode.tile;
            if (base >= mode.needed) {
                CHECK(planned(src, dst)["width_bits"] == 128);
            } else {
                refuses(plans(src, dst), 1, "swizzle-period", {std::to_string(mode.needed) + " bytes", std::to_string(base) + " bytes"});
            }
        }
    }
}

TEST_CASE("f32 (4,3) into (2,3)") {
    refuses(plans("global f32 (4,3):(3,1)", "shared f32 (2,3):(3,1)"), 1, "extents-differ", {"(4,3)", "(2,3)"});
}

TEST_CASE("halves under a swizzle without chunks: half of the pairs stay words") {
    const std::vector<std::int64_t> offsets = offsets_of("Sw<3,0,6> o (64,64):(64,1)");
    int pairs = 0, kept = 0;
    for (std::size_t i = 0; i < offsets.size(); i += 2, ++pairs) kept += offsets[i] % 2 == 0 && offsets[i + 1] == offsets[i] + 1 ? 1 : 0;
    CHECK(pairs == 2048);
    CHECK(kept == 1024);
    // One pair that does not is enough: the second row's are exchanged.
    const json copy = planned("global f16 (64,64):(64,1)", "shared f16 Sw<3,0,6> o (64,64):(64,1)");
    CHECK(copy["width_bits"] == 16);
    for (const json& refusal : copy["refused"]) {
        CHECK(refusal["rule"] == (refusal["width_bits"] == 256 ? "target" : "swizzle-chunk"));
        if (refusal["width_bits"] == 32) CHECK(refusal["witness"]["coordinate"] == json{1, 0});
    }
    CHECK(copy["refused"].size() == 4);
}

TEST_CASE("a slice across two panels keeps the parent's panel stride") {
    const fs::path file = data / "user_cases" / "two_panels.toml";
    const auto destination = [](const Ran& ran) {
        CHECK(ran.status == 0);
        const json report = json::parse(ran.out);
        CHECK(report["verdict"] == "proved");
        CHECK(report["copies"][0]["width_bits"] == 128);
        return report["copies"][0]["segments"][0]["dst"]["address"];
    };
    const json whole = destination(run("plan --format json " + quoted(file.string())));
    CHECK(std::count(whole["strides"].begin(), whole["strides"].end(), "8192") == 1);
    // Columns 32..95 of rows 32..95 cut both panels.
    std::string cut = changed(file, "dst[0:64, :]", "dst[32:96, 32:96]");
    cut.replace(cut.find("(64,128):(128,1)"), 16, "(64,64):(64,1)");
    const json part = destination(run("plan - --format json", cut));
    CHECK(part["offset"] == "2048");
    int panels = 0;
    for (const json& term : part["terms"]) panels += term["stride"] == "8192" ? 1 : 0;
    CHECK(panels == 1);
}

// flagos-ai/FlagGems#5235; the plan that it amounts to is among the plans above
TEST_CASE("R095: what a layout with that stride needs is seen before any plan") {
    refuses(run("plan -", changed(data / "user_cases" / "R095.toml", "(16,64):(128,1)", "(16,64):(192,1)")), 1, "capacity-below-span",
            {"2944", "1984"});
}

// tile-ai/tilelang#2529: the compiler crashed
TEST_CASE("R097: partial tiles of one dimension are planned, proved and emitted") {
    for (const int count : {1, 3, 31, 32, 33, 97, 100, 200, 255, 257, 1000}) {
        CAPTURE(count);
        const std::string region = " [0:" + std::to_string(count) + "]";
        const std::string src = "global f16 (1024):(1) align 16" + region, dst = "shared f16 (1024):(1)" + region;
        const json copy = planned(src, dst);
        int lanes = 0;
        bool all_run = true;
        for (const json& segment : copy["segments"]) {
            lanes += segment["vec"].get<int>() * segment["threads"].get<int>() * segment["outer"].get<int>();
            all_run = all_run && segment["predicate"].empty();
        }
        CHECK(lanes >= count);
        CHECK((lanes == count) == all_run);
        CHECK(count % copy["vec"].get<int>() == 0);
        CHECK(run("emit --src " + quoted(src) + " --dst " + quoted(dst) + " --scope warp --arch sm_90").status == 0);
    }
}

// apache/tvm tests/python/tirx/operator/tile_primitive/cuda/copy/test_reg.py::test_copy_forced_vec_rejects_non_thread_scope
TEST_CASE("T611: a forced vector at warp scope") {
    const std::string text = changed(data / "user_cases" / "R100.toml", "scope = \"warp\"", "scope = \"warp\"\ndispatch = \"vec_128b\"");
    refuses(run("plan -", text), 1, "declined",
            {"<stdin>:25:12: error: ", "'vec_128b' cannot do this copy: vec_128b is one access of one thread, and the scope is warp"});
    CHECK(run("emit -", text).out.empty());
    const json report = json::parse(run("plan - --format json", text).out);
    CHECK(report["verdict"] == "rejected");
    CHECK(report["copies"][0]["rule"] == "declined");
}

}  // namespace tileproof::test
