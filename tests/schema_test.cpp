// The JSON Schemas of docs/schema/: what the program writes fits them, and what should not fit does not.
//
// Reports are open to more keys, so each is also held against a strict copy of its schema, in which every key that has no
// description is an error: a key that is written is a key that is documented.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "emit/rules.hpp"
#include "tests/program.hpp"

namespace tileproof {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using test::content;
using test::quoted;

const fs::path data = TILEPROOF_TEST_DATA;

json read_json(const fs::path& path) { return json::parse(std::ifstream(path)); }

/// Every object that lists its properties takes no others.
json strict(json schema) {
    if (schema.is_object() && schema.contains("properties") && !schema.contains("additionalProperties"))
        schema["additionalProperties"] = false;
    if (schema.is_structured())
        for (json& part : schema) part = strict(part);
    return schema;
}

class Schema {
public:
    explicit Schema(const json& document) : schema_(std::make_unique<valijson::Schema>()) {
        valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document), *schema_);
    }
    /// Empty if `document` fits, else where and why not.
    std::string fault(const json& document) const {
        valijson::Validator validator(valijson::Validator::kStrongTypes);
        valijson::ValidationResults results;
        if (validator.validate(*schema_, valijson::adapters::NlohmannJsonAdapter(document), &results)) return {};
        std::string out = "does not fit: ";
        for (valijson::ValidationResults::Error error; results.popError(error);) {
            for (const std::string& part : error.context) out += part;
            out += " " + error.description + "\n";
        }
        return out;
    }
    bool fits(const json& document) const { return fault(document).empty(); }

private:
    std::unique_ptr<valijson::Schema> schema_;
};

json schema_file(const std::string& name) {
    return read_json(fs::path(TILEPROOF_SOURCE_DIR) / "docs" / "schema" / (name + ".schema.json"));
}

struct Schemas {
    Schema problem{schema_file("problem")}, plan{schema_file("plan")}, report{schema_file("report")}, run{schema_file("run")},
        rules{schema_file("rules")};
    Schema strict_plan{strict(schema_file("plan"))}, strict_report{strict(schema_file("report"))}, strict_run{strict(schema_file("run"))};
};
const Schemas& schemas() {
    static const Schemas all;
    return all;
}

json to_json(const toml::node& node) {
    if (const toml::table* table = node.as_table()) {
        json out = json::object();
        for (const auto& [key, value] : *table) out[std::string(key.str())] = to_json(value);
        return out;
    }
    if (const toml::array* array = node.as_array()) {
        json out = json::array();
        for (const toml::node& item : *array) out.push_back(to_json(item));
        return out;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return number->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    return nullptr;
}

json problem_json(const std::string& text) { return to_json(toml::parse(text)); }

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".toml") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<fs::path> sound_files() {
    std::vector<fs::path> out;
    for (const fs::path& folder : {data / "cases", data / "tiles", fs::path(TILEPROOF_EXAMPLES)})
        for (const fs::path& file : files_in(folder)) out.push_back(file);
    return out;
}

/// What a command prints on standard output with --format json.
json printed(const std::string& arguments) {
    const std::string text = test::run(arguments + " --format json").out;
    CAPTURE(arguments);
    REQUIRE_FALSE(text.empty());
    return json::parse(text);
}

void check_report(const json& report) {
    CHECK(schemas().report.fault(report) == "");
    CHECK(schemas().strict_report.fault(report) == "");
}

}  // namespace

TEST_CASE("schemas: each names its draft and itself") {
    for (const char* name : {"problem", "plan", "report", "run", "rules"}) {
        const json schema = schema_file(name);
        CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
        CHECK(schema["$id"] == "tileproof." + std::string(name) + "/1");
    }
}

TEST_CASE("reports of every sound file, and the plans in them") {
    for (const fs::path& file : sound_files()) {
        CAPTURE(file.filename().string());
        const json report = printed("plan " + quoted(file));
        check_report(report);
        const bool planned =
            std::all_of(report["copies"].begin(), report["copies"].end(), [](const json& copy) { return copy.contains("segments"); });
        CHECK(schemas().plan.fits(report) == planned);
        for (const json& copy : report["copies"]) CHECK(schemas().plan.fits(copy) == copy.contains("segments"));
        if (!planned) continue;
        // Nothing but the plan: every key of it is described.
        json plan{{"schema", "tileproof.plan/1"}, {"copies", json::array()}, {"program", report["program"]}};
        for (const json& copy : report["copies"])
            plan["copies"].push_back(
                {{"name", copy["name"]}, {"participants", copy["participants"]}, {"box", copy["box"]}, {"segments", copy["segments"]}});
        CHECK(schemas().strict_plan.fault(plan) == "");
    }
}

TEST_CASE("errors of every broken file") {
    for (const fs::path& file : files_in(data / "broken_input")) {
        CAPTURE(file.filename().string());
        for (const char* command : {"plan ", "explain ", "emit "}) check_report(printed(command + quoted(file)));
    }
    check_report(printed("plan /no/such/file.toml"));
    check_report(printed("plan"));
    check_report(printed("explain no-such-rule"));
}

TEST_CASE("what verify, explain and run print") {
    const fs::path demo = fs::path(TILEPROOF_EXAMPLES) / "gmem_smem_f32.toml";
    const test::Folder folder;
    const fs::path plan = folder / "plan.json";
    json report = printed("plan " + quoted(demo));
    const auto verified = [&](const json& document) {
        std::ofstream(plan) << document.dump();
        return printed("verify " + quoted(demo) + " --plan " + quoted(plan));
    };
    check_report(verified(report));
    report["copies"][0]["segments"][0]["dst"]["address"]["offset"] = "4";  // refuted, with counterexamples
    const json refuted = verified(report);
    CHECK(refuted["verdict"] == "refuted");
    check_report(refuted);
    for (const char* option : {" --strict", " --strict --rlimit 1", " --smt2-dir "}) {
        const std::string more = std::string(option) == " --smt2-dir " ? option + quoted((folder / "queries").string()) : option;
        check_report(printed("plan " + quoted(demo) + more));
        check_report(printed("verify " + quoted(demo) + " --plan " + quoted(plan) + more));
    }
    check_report(verified(json::array()));

    check_report(printed("explain " + quoted(demo)));
    for (const char* options : {"plan ", "plan --fallback ", "explain --fallback "}) {
        const json of_symbols = printed(options + quoted(fs::path(TILEPROOF_EXAMPLES) / "batch_f16.toml"));
        check_report(of_symbols);
        CHECK(of_symbols.contains("fallback") == (std::string(options) != "plan "));
        CHECK(of_symbols["assumptions"][0]["used"] == true);
    }
    CHECK(schemas().rules.fault(printed("explain stride")) == "");
    CHECK(schemas().rules.fault(printed("explain --list")) == "");
    const json ran = printed("run " + quoted(demo));  // a run, or the error that there is no GPU
    CHECK((ran["schema"] == "tileproof.run/1" ? schemas().strict_run.fault(ran) : schemas().strict_report.fault(ran)) == "");
}

TEST_CASE("problem files") {
    for (const fs::path& file : sound_files()) {
        CAPTURE(file.filename().string());
        CHECK(schemas().problem.fault(problem_json(content(file))) == "");
    }
    // What a schema can see of the faults; the others are about the meaning of strings and numbers.
    const std::set<std::string> seen{"align_and_base", "bad_buffer_name", "base_out_of_range", "cta_without_threads", "empty_file",
                                     "missing_scope",  "missing_target",  "threads_zero",      "unknown_arch",        "unknown_dtype",
                                     "unknown_key",    "unknown_table",   "wrong_type"};
    for (const fs::path& file : files_in(data / "broken_input")) {
        CAPTURE(file.filename().string());
        json problem;
        try {
            problem = problem_json(content(file));
        } catch (const toml::parse_error&) {
            continue;
        }
        CHECK(schemas().problem.fits(problem) == (seen.count(file.stem().string()) == 0));
    }
    for (const Rule& rule : rules()) {
        const bool sound = rule.kind == RuleKind::refusal || rule.kind == RuleKind::rejection || rule.kind == RuleKind::obligation ||
                           rule.kind == RuleKind::assumption;
        if (sound && !rule.example_toml.empty())
            CHECK_MESSAGE(schemas().problem.fits(problem_json(std::string(rule.example_toml))), rule.id);
    }
}

TEST_CASE("problems with everything that the format has") {
    const json problem = problem_json(R"toml(
[target]
arch = "sm_90a"
ptx = "8.0"
[launch]
block = 256
grid = [64, 1, 1]
row = { from = "ctaid.x", times = 128 }
[symbols]
ld = { min = 64, max = 65536, multiple_of = 8 }
[assume]
facts = ["ld >= 128", "row % 2 == 0"]
[buffers.A]
space = "global"
dtype = "half"
layout = "(128,64):(ld,1)"
capacity = "128*ld"
base = 8
[buffers.As]
space = "shared"
dtype = "f16"
layout = "S[(128,8,8):(8,1024,1)]"
shape = [128, 64]
align = 1024
swizzle_on = "address"
stages = 3
[[copies]]
name = "load"
src = "A[row:+128, 0:64]"
dst = "As"
scope = "cta"
threads = 256
dispatch = "ldgsts"
completion = "kernel"
cache = ["cg", "L2::128B"]
[[copies]]
src = "A"
dst = "As"
scope = "warp"
group = "each"
cache = "nc"
)toml");
    CHECK(schemas().problem.fault(problem) == "");
    const auto refused = [&](const char* pointer, const json& value) {
        json changed = problem;
        changed[json::json_pointer(pointer)] = value;
        CAPTURE(pointer);
        CHECK_FALSE(schemas().problem.fits(changed));
    };
    refused("/target/arch", "sm_91");
    refused("/target/ptx", 8.0);
    refused("/launch/block", 2000);
    refused("/launch/grid", json::array());
    refused("/launch/row/from", "tid.x");
    refused("/launch/row/times", 0);
    refused("/symbols/ld/step", 2);
    refused("/symbols/1d", json::object());
    refused("/assume/facts", "ld >= 128");
    refused("/buffers/A/space", "local");
    refused("/buffers/A/align", 16);  // and base
    refused("/buffers/As/shape", {1, 1, 1, 1, 1, 1, 1, 1, 1});
    refused("/buffers/As/algn", 16);
    refused("/copies/0/threads", "256");
    refused("/copies/0/scope", "block");
    refused("/copies/1/scope", "cta");  // without threads
    refused("/copies/1/group", "all");
    refused("/copies/1/cache", "L3::keep");
    refused("/copies/0/cache", {"nc", "nc"});
    refused("/copies/0/cache", 16);
    refused("/copies", json::array());
    refused("/notes", "none");
}

TEST_CASE("reports and plans that must not fit") {
    const json report = printed("plan " + quoted(fs::path(TILEPROOF_EXAMPLES) / "unaligned_rows_f16.toml"));
    REQUIRE(schemas().report.fits(report));
    const auto refused = [&](const char* pointer, const json& value, bool by_plan) {
        json changed = report;
        changed[json::json_pointer(pointer)] = value;
        CAPTURE(pointer);
        CHECK_FALSE(schemas().report.fits(changed));
        CHECK(schemas().plan.fits(changed) != by_plan);
    };
    refused("/schema", "tileproof.report/2", false);
    refused("/verdict", "maybe", false);
    refused("/verdict", "error", false);
    refused("/assumptions/0/id", "1", false);
    refused("/launch/params/0/type", "f32", false);
    refused("/copies/0/width_bits", 48, false);
    refused("/copies/0/refused/0/rule", nullptr, false);
    refused("/copies/0/refused/1/witness/thread", "2", false);
    refused("/copies/0/obligations/0/verdict", "rejected", false);
    refused("/copies/0/obligations/0/by", {"hope"}, false);
    refused("/copies/0/segments", json::array(), true);
    refused("/copies/0/segments/0/digits/0/role", "lane", true);
    refused("/copies/0/segments/0/digits/0/extent", 0, true);
    refused("/copies/0/segments/0/src/width_bits", 24, true);
    refused("/copies/0/segments/0/src/address/swizzle", {3, 3}, true);
    refused("/copies/0/segments/0/src/address/index_bits", 16, true);
    refused("/copies/0/segments/0/src/address/terms", json::array(), true);  // and strides
    refused("/copies/0/box/of", {{{0, 1}}}, true);
    refused("/copies/0/participants", {{"first", 0}}, true);
    refused("/program/0", {{"barrier", "bar.arrive"}, {"id", 0}, {"threads", 32}}, true);
    for (const char* key : {"schema", "tool", "file", "target", "verdict", "assumptions", "copies", "program", "obligations"}) {
        json changed = report;
        changed.erase(key);
        CHECK_FALSE(schemas().report.fits(changed));
    }
    // Strings of the report are numbers to a plan, not the other way round.
    json numbers = report;
    numbers["copies"][0]["segments"][0]["src"]["address"]["offset"] = 0;
    CHECK(schemas().plan.fits(numbers));
    CHECK_FALSE(schemas().report.fits(numbers));
    CHECK_FALSE(schemas().plan.fits(json::object()));
    CHECK_FALSE(schemas().plan.fits(json::array()));
    // A report may have more keys; an error may not.
    json more = report;
    more["later"] = 1;
    CHECK(schemas().report.fits(more));
    CHECK_FALSE(schemas().strict_report.fits(more));
    json error = printed("plan " + quoted(data / "broken_input" / "unknown_key.toml"));
    error["copies"] = json::array();
    CHECK_FALSE(schemas().report.fits(error));
}

TEST_CASE("runs") {
    const json run = json::parse(R"json({
  "schema": "tileproof.run/1", "file": "copy.toml", "verdict": "different", "device": "NVIDIA H200", "compute_capability": 90, "entry": "tp_copy",
  "grid": [1, 1, 1], "block": 32, "shared_bytes": 4096,
  "passes": [{"seed": 1, "bytes_compared": 25344, "result": "equal"},
             {"seed": 2, "bytes_compared": 25344, "result": "different",
              "difference": {"buffer": "B", "byte": 8, "element": 2, "coordinate": [0, 2], "expected": "0x3f800000", "found": "0x00000000", "differing_bytes": 4, "text": "wrong"}}]
})json");
    CHECK(schemas().strict_run.fault(run) == "");
    json equal = run;
    equal["verdict"] = "equal";
    equal["passes"].erase(1);
    equal.update({{"seconds_per_launch", 2.31e-6}, {"bytes_per_launch", 16384}, {"gb_per_s", 7.09}, {"note", "latency, not bandwidth"}});
    CHECK(schemas().strict_run.fault(equal) == "");
    const auto refused = [&](const char* pointer, const json& value) {
        json changed = run;
        changed[json::json_pointer(pointer)] = value;
        CAPTURE(pointer);
        CHECK_FALSE(schemas().run.fits(changed));
    };
    refused("/schema", "tileproof.report/1");
    refused("/verdict", "proved");
    refused("/grid", {1});
    refused("/passes", json::array());
    refused("/passes/0/seed", "1");
    refused("/passes/1/difference/found", nullptr);
    refused("/gb_per_s", "7.09");
}

}  // namespace tileproof
