// `tileproof layout`, problems in JSON and copies in one line, by the commands that a user types.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path data = TILEPROOF_TEST_DATA;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

json table_of(const std::string& layout, const std::string& more = "") {
    INFO(layout);
    const Ran ran = run("layout " + quoted(layout) + " --table --format json" + more);
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    return json::parse(ran.out);
}

std::int64_t offset_at(const json& table, const std::vector<std::int64_t>& coordinate) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < coordinate.size(); ++i) index = index * table["shape"][i].get<std::int64_t>() + coordinate[i];
    return table["offsets"][static_cast<std::size_t>(index)];
}

struct Answer {
    int status;
    std::string line;
};
/// The whole of standard output is one line.
Answer asks(const std::string& layout, const std::string& question) {
    const Ran ran = run("layout " + quoted(layout) + " " + question);
    CHECK(ran.err.empty());
    REQUIRE_FALSE(ran.out.empty());
    REQUIRE(ran.out.find('\n') == ran.out.size() - 1);
    return {ran.status, ran.out.substr(0, ran.out.size() - 1)};
}

/// One diagnostic with this rule and a caret; with --format json an error object too.
void refuses(const std::string& arguments, int status, const std::string& rule, const std::string& place) {
    INFO(arguments);
    const Ran ran = run(arguments);
    CHECK(ran.status == status);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, "[" + rule + "]"));
    CHECK(ran.err.rfind(place + ": error: ", 0) == 0);
    CHECK(has(ran.err, " | ") == has(place, ":"));  // the line and a caret
    const json error = json::parse(run(arguments + " --format json").out);
    CHECK(error["verdict"] == "error");
    CHECK(error["diagnostics"][0]["rule"] == rule);
}

const std::string one_line =
    "--src 'global f16 (128,64):(64,1) align 16' --dst 'shared f16 Sw<3,3,3> o (128,64):(64,1)'"
    " --scope cta --threads 256 --arch sm_90";

}  // namespace

TEST_CASE("tables of other projects' layouts") {
    const json cases = json::parse(content(data / "layout_cases.json"));
    REQUIRE(cases["tables"].size() == 5);
    for (const json& one : cases["tables"]) {
        INFO(one["id"].get<std::string>());
        const json table = table_of(one["layout"]);
        REQUIRE(one["coordinates"].size() == one["offsets"].size());
        for (std::size_t i = 0; i < one["coordinates"].size(); ++i) CHECK(offset_at(table, one["coordinates"][i]) == one["offsets"][i]);
    }
}

TEST_CASE("tables that CuTe computed") {
    const json golden = json::parse(content(data / "cute_layouts.json"));
    REQUIRE(golden["layouts"].size() >= 15);
    for (const json& one : golden["layouts"]) {
        const json table = table_of(one["layout"]);
        CHECK(table.size() == 2);
        CHECK(table["shape"] == one["shape"]);
        CHECK(table["offsets"] == one["offsets"]);
        // By way of bits, where they can say it.
        const Ran bits = run("layout " + quoted(one["layout"]) + " --convert bits");
        if (bits.status == 0) CHECK(table_of(bits.out.substr(0, bits.out.size() - 1)) == table);
        else CHECK(has(bits.err, "[not-linear]"));
    }
}

TEST_CASE("layouts that other projects hold to be the same") {
    const json cases = json::parse(content(data / "layout_cases.json"));
    REQUIRE(cases["equal"].size() == 3);
    for (const json& one : cases["equal"]) {
        INFO(one["id"].get<std::string>());
        const std::string shape = " --shape " + one["shape"].get<std::string>();
        CHECK(asks(one["layout"], "--equal " + quoted(one["other"]) + shape).status == 0);
        for (const char* layout : {"layout", "other"}) CHECK(asks(one[layout], "--bijective" + shape).status == (one["bijective"] ? 0 : 1));
    }
}

TEST_CASE("tables to read") {
    CHECK(run("layout '(3,4):(1,3)' --table").out ==
          "   |  0  1  2  3\n"
          "---+------------\n"
          " 0 |  0  3  6  9\n"
          " 1 |  1  4  7 10\n"
          " 2 |  2  5  8 11\n");
    CHECK(run("layout '18:2' --table").out ==
          "    |  +0  +1  +2  +3  +4  +5  +6  +7  +8  +9 +10 +11 +12 +13 +14 +15\n"
          "----+----------------------------------------------------------------\n"
          "  0 |   0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n"
          " 16 |  32  34\n");
    CHECK(run("layout '(2,1,2):(4,0,1)' --table").out ==
          "[0, :, :]\n"
          "   | 0 1\n"
          "---+----\n"
          " 0 | 0 1\n"
          "\n"
          "[1, :, :]\n"
          "   | 0 1\n"
          "---+----\n"
          " 0 | 4 5\n");
    CHECK(run("layout '(2,2):(2,1)' --table --format json").out == "{\"shape\": [2, 2], \"offsets\": [0, 1, 2, 3]}\n");
    CHECK(table_of("S[(8,2,2):(4,2,1)]", " --shape 8,4")["shape"] == json{8, 4});
    CHECK(run("layout '(2,2):(2,1)' --table --quiet").out.empty());
}

TEST_CASE("questions, answered in a line and in the exit status") {
    const auto says = [](const Answer& answer, int status, const std::string& line) {
        CHECK(answer.status == status);
        CHECK(answer.line == line);
    };
    says(asks("(8,4):(4,1)", "--equal '(8,(2,2)):(4,(1,2))'"), 0, "equal: all 32 elements have the same offsets");
    says(asks("(8,4):(4,1)", "--equal '(8,4):(4,2)'"), 1, "different: 24 of 32 offsets, first at (0,1): 1 and 2");
    says(asks("(8192,4096):(4096,1)", "--equal '(8192,4096):(4096,2)'"), 1,
         "different: first at (0,1): 1 and 2");  // too many to count
    says(asks("(8,4):(4,1)", "--equal '(4,8):(8,1)'"), 1, "different: the shapes are (8,4) and (4,8)");
    says(asks("(8,4):(4,1)", "--bijective"), 0, "bijective: each offset of 0 .. 31 once");
    says(asks("(8,4):(5,1)", "--bijective"), 1, "not bijective: no element is at offset 4, which is in 0 .. 31");
    says(asks("(8,4):(3,1)", "--bijective"), 1, "not bijective: (0,3) and (1,0) share offset 3");
    says(asks("(8,4):(3,1)", "--overlap '[0:4, :]' '[4:8, :]'"), 1,
         "overlapping: 1 offset is in both regions, first 12, of (3,3) and (4,0)");
    says(asks("(8,4):(4,1)", "--overlap '[0:4, :]' '[4:8, :]'"), 0, "disjoint: no offset is in both regions");
    says(asks("(8,4):(4,1)", "--overlap '[0:5, :]' '[4, 1:+2]'"), 1,
         "overlapping: 2 offsets are in both regions, first 17, of (4,1) and (4,1)");
    const json different = json::parse(asks("(8,4):(4,1)", "--equal '(8,4):(4,2)' --format json").line);
    CHECK(different == json{{"schema", "tileproof.layout/1"},
                            {"equal", false},
                            {"coordinate", {0, 1}},
                            {"offsets", {1, 2}},
                            {"differing", 24},
                            {"elements", 32}});
    const json clash = json::parse(asks("(8,4):(3,1)", "--bijective --format json").line);
    CHECK(clash["coordinates"] == json{{0, 3}, {1, 0}});
    const json shared = json::parse(asks("(8,4):(3,1)", "--overlap '[0:4, :]' '[4:8, :]' --format json").line);
    CHECK(shared["shared_offsets"] == 1);
    const Ran quiet = run("layout '(8,4):(3,1)' --bijective -q");
    CHECK(quiet.status == 1);
    CHECK(quiet.out.empty());
}

TEST_CASE("one notation into another") {
    const std::string swizzled = "Sw<3,3,3> o (8,64):(64,1)", bits = "bits[(72,144,288),(1,2,4,8,16,32)]";
    CHECK(asks(swizzled, "--convert bits").line == bits);
    CHECK(asks(bits, "--convert cute").line == swizzled);
    CHECK(asks(bits, "--convert tirx").line == "swizzle(3,3,3) o S[(8,64):(64,1)]");
    CHECK(asks("swizzle(3,3,3) o S[(8,64):(64,1)]", "--convert cute").line == swizzled);
    const Ran regrouped = run("layout '((8,16),64):((64,512),1)' --convert tirx");
    CHECK(regrouped.out == "S[(16,8,64):(512,64,1)]\n");
    CHECK(has(regrouped.err, "--shape 128,64"));
    CHECK(json::parse(run("layout '((8,16),64):((64,512),1)' --convert tirx --format json").out)["shape"] == json{128, 64});
}

TEST_CASE("what is refused, and how") {
    refuses("layout '(8,4):(4,x)' --table", 2, "unknown-symbol", "<layout>:1:10");
    refuses("layout '(8,4):(4,1)' --equal '(8,4):(4' ", 2, "layout-syntax", "<other layout>:1:9");
    refuses("layout '(8,4):(4,1)' --overlap '[0:4, :]' '[0:9, :]'", 2, "region-outside", "<region>:1:2");
    refuses("layout '(8,4):(4,1)' --overlap '0:4' '[0:4, :]'", 2, "region-syntax", "<region>:1:1");
    refuses("layout 'S[32]' --table --shape 8,5", 2, "shape-mismatch", "<layout>:1:1");
    refuses("layout 'S[32]' --table --shape 8,,4", 2, "layout-syntax", "--shape");
    refuses("layout '(1025,1024):(1024,1)' --table", 2, "too-large", "<layout>");
    refuses("layout 'Sw<3,3,3> o (3,33554432):(5,1)' --bijective", 2, "too-large", "<layout>");
    refuses("layout '(8,4):(3,1)' --convert bits", 1, "not-linear", "<layout>");
    refuses("layout 'bits[(1,1)]' --convert cute", 1, "inexpressible", "<layout>");
    refuses("layout 'S[(8,3):(3,1)]' --shape 6,4 --convert cute", 1, "inexpressible", "<layout>");
    CHECK(run("layout '(1024,1024):(1024,1)' --table -q").status == 0);
    for (const char* usage :
         {"layout", "layout '8:1'", "layout '8:1' --table --bijective", "layout '8:1' --convert english", "layout '8:1' --overlap '[0:1]'"})
        CHECK(run(usage).status == 2);
    CHECK(run("layout --help").status == 0);
}

TEST_CASE("a problem in JSON is planned like the same in TOML") {
    const std::string toml = content(data / "cases" / "T3_stride20.toml");
    const json report = json::parse(run("plan - --format json", toml).out);
    const json problem = {{"target", {{"arch", report["target"]["arch"]}}},
                          {"buffers",
                           {{"A", {{"space", "global"}, {"dtype", "f16"}, {"layout", "(64,16):(20,1)"}, {"align", 16}}},
                            {"As", {{"space", "shared"}, {"dtype", "f16"}, {"layout", "(64,16):(20,1)"}, {"align", 128}}}}},
                          {"copies", {{{"name", "load"}, {"src", "A"}, {"dst", "As"}, {"scope", "cta"}, {"threads", 128}}}}};
    const Ran ran = run("plan - --format json", problem.dump(1));
    CHECK(ran.status == 0);
    CHECK(json::parse(ran.out)["copies"][0]["width_bits"] == 64);
    CHECK(run("emit -", problem.dump()).status == 0);
    json misspelt = problem;
    misspelt["buffers"]["A"]["algn"] = 16;
    const Ran refused = run("plan -", misspelt.dump(1));
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "JSON pointer \"/buffers/A/algn\", byte "));
    CHECK(has(refused.err, "did you mean 'align'?"));
}

TEST_CASE("a copy in one line") {
    const Ran plan = run("plan " + one_line);
    CHECK(plan.status == 0);
    CHECK(has(plan.out, "copy0  src -> dst, 256 threads  proved"));
    const json report = json::parse(run("plan --format json " + one_line).out);
    CHECK(report["verdict"] == "proved");
    CHECK(report["file"] == "<command line>");
    CHECK(report["copies"][0]["width_bits"] == 128);
    CHECK(report["launch"]["entry"] == "tp_copy");
    CHECK(has(run("emit " + one_line).out, ".visible .entry tp_copy("));
    const Ran gpu = run("run " + one_line);
    CHECK((gpu.status == 0 || has(gpu.err, "[no-gpu]")));

    const Ran misspelt = run("plan --src 'global f16 8:1 algn 16' --dst 'shared f16 8:1' --scope warp --arch sm_90");
    CHECK(misspelt.status == 2);
    CHECK(misspelt.err ==
          "<command line>:1:22: error: unknown key 'algn' in --src [unknown-key]\n"
          "    1 | --src global f16 8:1 algn 16\n"
          "      |                      ^~~~\n"
          "help: did you mean 'align'?\n");
    const std::string rows = "--src 'global f16 (32,16):(16,1)' --dst 'register f16 (32,16):(1@laneid,1)' --scope warp --arch sm_90";
    CHECK(has(run("plan " + rows + " --predicate 'd0 < 20' --zero-fill").out, "read if  t < 20"));
    CHECK(has(run("emit " + rows + " --predicate 'd0 < 20'").out, "setp.lt.s32"));
    CHECK(has(run("explain " + rows + " --predicate 'd1 < 12' --zero-fill").out, "where     d1 < 12; zeros elsewhere"));
    CHECK(run("plan " + rows + " --zero-fill").status == 2);
    CHECK(run("plan --predicate 'd0 < 20' file.toml").status == 2);
    const Ran no_bound = run("plan " + rows + " --predicate 'd0 > 4'");
    CHECK(no_bound.status == 2);
    CHECK(has(no_bound.err, "<command line>:3:26: error: 'd0 > 4' is no upper bound of one coordinate of the region [predicate-bound]"));
    const Ran rejected = run("plan --src 'global f16 8:1' --dst 'shared f32 8:1' --scope warp --arch sm_90");
    CHECK(rejected.status == 1);
    CHECK(has(rejected.err, "[dtype-differs]"));
    for (const std::string& usage :
         {"plan " + one_line + " file.toml", std::string("plan --src 'global f16 8:1'"), std::string("plan file.toml --scope cta"),
          std::string("plan --dst 'shared f16 8:1' --scope warp --arch sm_90"), std::string("emit")})
        CHECK(run(usage).status == 2);
}

TEST_CASE("layouts over bits in problems: planned where they are ordinary, else rejected") {
    const auto with = [](const std::string& layout) {
        return "--src 'global f16 " + layout + "' --dst 'shared f16 (8,64):(64,1)' --scope warp --arch sm_90";
    };
    const Ran ordinary = run("plan " + with("bits[(72,144,288),(1,2,4,8,16,32)]"));
    CHECK(ordinary.status == 0);
    CHECK(has(ordinary.out, "128 bits"));
    const Ran kept = run("plan " + with("bits[(72,144,289),(1,2,4,8,16,32)]"));
    CHECK(kept.status == 1);
    CHECK(has(kept.err, "[unsupported]"));
    CHECK(has(kept.err, "layouts over bits"));
    CHECK(run("emit " + with("bits[(72,144,289),(1,2,4,8,16,32)]")).out.empty());
}

}  // namespace tileproof::test
