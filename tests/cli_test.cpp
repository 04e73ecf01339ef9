// The command line as a user meets it: exit statuses, one clear diagnostic for each fault, the same bytes twice.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path data = TILEPROOF_TEST_DATA;
const std::string program = TILEPROOF_PROGRAM;
const fs::path examples = TILEPROOF_EXAMPLES;

struct Ran {
    int status = -1;
    std::string out;
    std::string err;
};

fs::path scratch() {
    std::string name = (fs::temp_directory_path() / "tileproof-test.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
}

std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

Ran run(const std::string& arguments, const std::string& input = "") {
    const fs::path folder = scratch();
    std::ofstream(folder / "in", std::ios::binary) << input;
    const std::string command = "'" + program + "' " + arguments + " <'" + (folder / "in").string() + "' >'" + (folder / "out").string() +
                                "' 2>'" + (folder / "err").string() + "'";
    const int raw = std::system(command.c_str());
    Ran out{WIFEXITED(raw) ? WEXITSTATUS(raw) : 128, content(folder / "out"), content(folder / "err")};
    fs::remove_all(folder);
    return out;
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

int count(const std::string& text, const std::string& word) {
    int n = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
}

const fs::path demo = examples / "gmem_smem_f32.toml";

}  // namespace

TEST_CASE("plan: the demonstration") {
    const Ran text = run("plan " + quoted(demo));
    CHECK(text.status == 0);
    CHECK(text.err.empty());
    for (const char* part : {"128 bits", "ld.global.v4.u32", "st.shared.v4.u32", "ld.shared.v4.u32", "st.global.v4.u32", "8 rounds",
                             "bar.sync", "[target]", "proved"})
        CHECK_MESSAGE(text.out.find(part) != std::string::npos, part);
    const Ran report = run("plan --format json " + quoted(demo));
    CHECK(report.status == 0);
    const json parsed = json::parse(report.out);
    CHECK(parsed["schema"] == "tileproof.report/1");
    CHECK(parsed["verdict"] == "proved");
    REQUIRE(parsed["copies"].size() == 2);
    for (const json& copy : parsed["copies"]) {
        CHECK(copy["width_bits"] == 128);
        CHECK(copy["vec"] == 4);
        CHECK(copy["outer"] == 8);
        CHECK(copy["refused"][0]["width_bits"] == 256);
        CHECK(copy["refused"][0]["rule"] == "target");
        for (const json& obligation : copy["obligations"]) CHECK(obligation["verdict"] == "proved");
    }
}

TEST_CASE("the same input gives the same bytes") {
    for (const char* command : {"plan ", "plan --format json ", "emit "}) {
        for (const fs::path& file : {demo, data / "cases" / "R076_swz.toml", data / "cases" / "T3_stride20.toml"}) {
            const Ran once = run(command + quoted(file)), again = run(command + quoted(file));
            CHECK(once.status == 0);
            CHECK(once.out == again.out);
        }
    }
}

TEST_CASE("standard input is a problem file too") {
    const Ran ran = run("emit -", content(demo));
    CHECK(ran.status == 0);
    CHECK(ran.out.find(".entry tp_stdin") != std::string::npos);
}

TEST_CASE("verify: the planner's own report, one copy of it, and a damaged one") {
    const fs::path folder = scratch();
    const json report = json::parse(run("plan --format json " + quoted(demo)).out);
    const auto verify = [&](const json& plan, const std::string& more = "") {
        std::ofstream(folder / "plan.json") << plan.dump(1);
        return run("verify " + quoted(demo) + " --plan " + quoted(folder / "plan.json") + more);
    };
    CHECK(verify(report).status == 0);
    CHECK(verify(report["copies"][1]).status == 0);

    json shifted = report;
    shifted["copies"][0]["segments"][0]["dst"]["address"]["offset"] = "4";
    const Ran refuted = verify(shifted, " --format json");
    CHECK(refuted.status == 1);
    const json found = json::parse(refuted.out);
    CHECK(found["verdict"] == "refuted");
    bool address = false;
    for (const json& obligation : found["copies"][0]["obligations"])
        if (obligation["id"] == "address.dst") address = obligation["verdict"] == "refuted" && obligation["counterexample"]["thread"] == 0;
    CHECK(address);

    json unsynchronised = report;
    unsynchronised["program"].erase(1);
    CHECK(verify(unsynchronised).status == 1);

    json malformed = report;
    malformed["copies"][0]["segments"][0]["digits"][0]["extent"] = 3;
    const Ran refused = verify(malformed);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("plan-shape") != std::string::npos);
    CHECK(verify(json::array({1, 2})).status == 2);
    CHECK(verify(json::object()).status == 2);
    std::ofstream(folder / "plan.json") << "{\"copies\": [";
    const Ran syntax = run("verify " + quoted(demo) + " --plan " + quoted(folder / "plan.json"));
    CHECK(syntax.status == 2);
    CHECK(syntax.err.find("json-syntax") != std::string::npos);
    std::string twice = report.dump();
    twice.insert(twice.find("\"segments\""), "\"segments\":[],");
    std::ofstream(folder / "plan.json") << twice;
    const Ran ambiguous = run("verify " + quoted(demo) + " --plan " + quoted(folder / "plan.json"));
    CHECK(ambiguous.status == 2);
    CHECK(ambiguous.err.find("there is another 'segments' in this object of the plan [duplicate-key]") != std::string::npos);
    std::ofstream(folder / "plan.json") << std::string(100000, '[');
    CHECK(run("verify " + quoted(demo) + " --plan " + quoted(folder / "plan.json")).status == 2);
    CHECK(run("verify " + quoted(demo) + " --plan " + quoted(folder / "missing.json")).status == 2);
    fs::remove_all(folder);
}

TEST_CASE("verify: a plan on standard input") {
    const std::string report = run("plan --format json " + quoted(demo)).out;
    CHECK(run("verify " + quoted(demo) + " --plan -", report).status == 0);
    const Ran syntax = run("verify " + quoted(demo) + " --plan -", "{\"copies\": [");
    CHECK(syntax.status == 2);
    CHECK(syntax.err.rfind("<stdin>:1:", 0) == 0);
    const Ran large = run("verify " + quoted(demo) + " --plan -", std::string((16U << 20) + 1, ' '));
    CHECK(large.status == 2);
    CHECK(large.err.find("[file-too-large]") != std::string::npos);
    const Ran both = run("verify - --plan -", report);
    CHECK(both.status == 2);
    CHECK(both.err.find("[usage]") != std::string::npos);
}

TEST_CASE("verify: a plan that contradicts its own summary") {
    const json report = json::parse(run("plan --format json " + quoted(demo)).out);
    const auto refused = [](const json& plan, const std::string& where) {
        const Ran ran = run("verify " + quoted(demo) + " --plan -", plan.dump());
        CAPTURE(ran.err);
        CHECK(ran.status == 2);
        CHECK(ran.err.find("[plan-summary]") != std::string::npos);
        CHECK(ran.err.find(" error: " + where + " is ") != std::string::npos);
    };
    json plan = report;
    plan["copies"][1]["width_bits"] = 64;
    refused(plan, "/copies/1/width_bits");
    plan = report["copies"][0];
    plan["box"]["shape"] = {32, 32};
    refused(plan, "/box/shape");
    plan["box"].erase("shape");
    plan.erase("width_bits");
    plan["author"] = "somebody";  // other keys are nobody's business
    CHECK(run("verify " + quoted(demo) + " --plan -", plan.dump()).status == 0);
}

TEST_CASE("emit writes all or nothing") {
    const fs::path folder = scratch();
    const fs::path out = folder / "out.ptx";
    CHECK(run("emit " + quoted(demo) + " -o " + quoted(out)).status == 0);
    const std::string text = content(out);
    CHECK(text.find("ld.global.v4.u32") != std::string::npos);
    CHECK(text.find("bra") != std::string::npos);
    const Ran rejected = run("emit " + quoted(data / "cases" / "P_alias.toml") + " -o " + quoted(out));
    CHECK(rejected.status == 1);
    CHECK(rejected.err.find("dst-overlaps") != std::string::npos);
    CHECK(content(out) == text);
    const Ran nowhere = run("emit " + quoted(data / "cases" / "P_alias.toml"));
    CHECK(nowhere.status == 1);
    CHECK(nowhere.out.empty());
    CHECK(run("emit " + quoted(demo) + " -o " + quoted(folder / "no" / "such" / "folder.ptx")).status == 2);
    CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}) == 1);  // no temporary file is left
    // Links are followed, the problem file is not overwritten, and a full disk is no success.
    fs::create_symlink(out, folder / "link.ptx");
    CHECK(run("emit " + quoted(demo) + " -o " + quoted(folder / "link.ptx")).status == 0);
    CHECK(fs::is_symlink(folder / "link.ptx"));
    fs::copy_file(demo, folder / "problem.toml");
    CHECK(run("emit " + quoted(folder / "problem.toml") + " -o " + quoted(folder / "problem.toml")).status == 2);
    CHECK(content(folder / "problem.toml") == content(demo));
    CHECK(std::system(("'" + program + "' emit " + quoted(demo) + " >/dev/full 2>/dev/null").c_str()) != 0);
    CHECK(run("emit " + quoted(demo) + " -o /dev/full").status == 2);
    CHECK(fs::is_character_file("/dev/full"));
    fs::remove_all(folder);
}

TEST_CASE("bad input: one clear diagnostic and the right exit status") {
    const json expected = json::parse(content(data / "broken_input" / "expected.json"));
    CHECK(expected.size() >= 30);
    for (const auto& item : expected.items()) {
        const std::string& name = item.key();
        const json& want = item.value();
        CAPTURE(name);
        const fs::path file = data / "broken_input" / name;
        const Ran ran = run("plan " + quoted(file));
        CAPTURE(ran.err);
        CHECK(ran.status == want["exit"]);
        CHECK(count(ran.err, " error: ") == 1);
        CHECK(ran.err.find(":" + std::to_string(want["line"].get<int>()) + ":") != std::string::npos);
        const std::size_t text = ran.err.find("error: ");
        REQUIRE(text != std::string::npos);
        CHECK(ran.err.substr(text).find(want["contains"].get<std::string>()) != std::string::npos);
        const json object = json::parse(run("plan --format json " + quoted(file)).out);
        CHECK(object["verdict"] == (want["exit"] == 2 ? "error" : "rejected"));
    }
}

TEST_CASE("what is no problem file") {
    const fs::path folder = scratch();
    const auto refused = [&](const fs::path& file, const std::string& rule) {
        const Ran ran = run("plan " + quoted(file));
        CAPTURE(ran.err);
        CHECK(ran.status == 2);
        CHECK(count(ran.err, " error: ") == 1);
        CHECK(ran.err.find("[" + rule + "]") != std::string::npos);
        CHECK(ran.out.empty());
    };
    refused(folder / "missing.toml", "file-unreadable");
    refused(folder, "file-unreadable");
    std::ofstream(folder / "large.toml") << std::string(2U << 20, '#');
    refused(folder / "large.toml", "file-too-large");
    std::string junk;
    for (int i = 0; i < 4096; ++i) junk += static_cast<char>(i * 37 % 256);
    std::ofstream(folder / "junk.toml", std::ios::binary) << junk;
    refused(folder / "junk.toml", "not-text");
    std::ofstream(folder / "deep.toml") << "a = " << std::string(100000, '[');
    const Ran deep = run("plan " + quoted(folder / "deep.toml"));
    CHECK(deep.status == 2);
    fs::remove_all(folder);
}

TEST_CASE("usage") {
    CHECK(run("").status == 2);
    CHECK(run("plan").status == 2);
    CHECK(run("plan --format xml " + quoted(demo)).status == 2);
    CHECK(run("draw " + quoted(demo)).status == 2);
    for (const char* wrong : {"", "plan", "plan --format=json", "draw x", "verify x", "layout 8:1", "plan --rlimit many x"}) {
        CAPTURE(wrong);
        const Ran text = run(wrong);
        const bool json_too = std::string(wrong).find("json") != std::string::npos;
        CHECK(text.status == 2);
        CHECK(text.out.empty() != json_too);
        CHECK(text.err.rfind("<command line>: error: ", 0) == 0);
        CHECK(text.err.find("[usage]\n") != std::string::npos);
        const json object = json::parse(run(std::string(wrong) + " --format json").out);
        CHECK(object["verdict"] == "error");
        CHECK(object["diagnostics"][0]["rule"] == "usage");
    }
    CHECK(run("--help").status == 0);
    CHECK(run("--version").status == 0);
    CHECK(run("plan --quiet " + quoted(demo)).out.empty());
    CHECK(run("plan --color always " + quoted(demo)).out.find("\x1b[") != std::string::npos);
    CHECK(run("plan " + quoted(demo)).out.find("\x1b[") == std::string::npos);
}

TEST_CASE("what the launch computes is shown, and is nobody's to set") {
    const std::string file = quoted(examples / "many_tiles_f16.toml");
    const Ran text = run("plan " + file);
    CHECK(text.status == 0);
    for (const char* part :
         {"4 x 8 x 1 blocks of 256 threads, 16384 bytes of shared memory each", "computes col = 64*ctaid.x, from 0 to 192",
          "row = 128*ctaid.y, from 0 to 896", "A1  the grid is at most 4 x 8 x 1 blocks, with col = 64*ctaid.x, row = 128*ctaid.y  (grid)"})
        CHECK_MESSAGE(text.out.find(part) != std::string::npos, part);
    const json launch = json::parse(run("plan --format json " + file).out)["launch"];
    CHECK(launch["grid"] == json({4, 8, 1}));
    CHECK(launch["symbols"]["row"] == json({{"from", "ctaid.y"}, {"times", 128}}));
    REQUIRE(launch["params"].size() == 4);
    CHECK(launch["params"][2]["name"] == "lda");
    const Ran set = run("run --set row=128 " + file);
    CHECK(set.status == 2);
    CHECK(set.err.find("--set gives values of what is passed in, and the kernel computes row = 128*ctaid.y itself [usage]") !=
          std::string::npos);
    const std::string overlapping =
        "[target]\narch = \"sm_90\"\n[launch]\ngrid = [8]\nrow = { from = \"ctaid.x\", times = 64 }\n[buffers]\n"
        "S = { space = \"shared\", dtype = \"f16\", layout = \"(128,64):(64,1)\" }\n"
        "C = { space = \"global\", dtype = \"f16\", layout = \"(1024,64):(64,1)\" }\n"
        "[[copies]]\nsrc = \"S\"\ndst = \"C[row:+128, :]\"\nscope = \"warp\"\n";
    const Ran refuted = run("plan --format json -", overlapping);
    CHECK(refuted.status == 1);
    const json report = json::parse(refuted.out);
    int named = 0;
    for (const json& obligation : report["copies"][0]["obligations"])
        if (obligation["id"] == "disjoint") {
            CHECK(obligation["counterexample"]["blocks"] == json({{0, 0, 0}, {1, 0, 0}}));
            CHECK(obligation["counterexample"]["byte"] == 8192);
            ++named;
        }
    CHECK(named == 1);
    // Each warp's own part: the group is computed too.
    const std::string each = quoted(examples / "each_warp_f16.toml");
    CHECK(run("plan " + each).out.find("load  A -> As, each warp  proved") != std::string::npos);
    CHECK(run("explain " + each).out.find(", each warp  proved") != std::string::npos);
    const json of_group = json::parse(run("plan --format json " + each).out);
    CHECK(of_group["launch"]["symbols"]["group"] == json({{"from", "tid.x"}, {"divided_by", 32}}));
    CHECK(of_group["copies"][0]["participants"] == json({{"first", 0}, {"count", 32}, {"groups", 8}}));
    CHECK(run("verify " + each + " --plan -", of_group.dump()).status == 0);
    CHECK(run("run --set group=1 " + each).err.find("the kernel computes group = tid.x / 32 itself [usage]") != std::string::npos);
    const Ran close = run("plan --format json -",
                          "[target]\narch = \"sm_90\"\n[launch]\nblock = 64\n[buffers]\nS = { space = \"shared\", dtype = \"f16\", layout "
                          "= \"(128,64):(64,1)\" }\n"
                          "C = { space = \"global\", dtype = \"f16\", layout = \"(128,64):(64,1)\" }\n"
                          "[[copies]]\nsrc = \"C[16*group:+16, :]\"\ndst = \"S[8*group:+16, :]\"\nscope = \"warp\"\ngroup = \"each\"\n");
    CHECK(close.status == 1);
    const json clash = json::parse(close.out);
    for (const json& obligation : clash["copies"][0]["obligations"]) {
        if (obligation["id"] != "disjoint") continue;
        CHECK(obligation["counterexample"]["groups"] == json({0, 1}));
        ++named;
    }
    CHECK(named == 2);
}

TEST_CASE("variants are shown, with what declines") {
    const auto with = [](const std::string& line) {
        std::string text = content(demo);
        const std::string table = "[[copies]]\n";
        const std::size_t at = text.find(table);
        return text.insert(at + table.size(), line);
    };
    const Ran async = run("plan -", with("completion = \"kernel\"\n"));
    CHECK(async.status == 0);
    for (const char* part : {"src      cp.async.cg.shared.global", "steps    load; cp.async.wait_group 0; bar.sync 0; store"})
        CHECK_MESSAGE(async.out.find(part) != std::string::npos, part);
    const json report = json::parse(run("plan --format json -", with("completion = \"kernel\"\n")).out);
    CHECK(report["copies"][0]["variant"] == "ldgsts");
    CHECK(report["copies"][1]["variant"] == "vec_auto");
    CHECK(report["program"][1] == json({{"wait", "cp.async.wait_group"}, {"pending", 0}}));
    CHECK(run("verify " + quoted(demo) + " --plan -", report.dump()).status == 0);
    // A narrow plan is what was asked for: no checker disagrees.
    const Ran narrow = run("plan -", with("dispatch = \"fallback\"\n"));
    CHECK(narrow.status == 0);
    CHECK(narrow.out.find("widest   refuted: 128 bits are legal: ") != std::string::npos);
    CHECK(narrow.out.find("(not counted)") != std::string::npos);
    const Ran forced = run("plan -", with("dispatch = \"vec_64b\"\n"));
    CHECK(forced.status == 1);
    CHECK(forced.err.find("'vec_64b' cannot do this copy: vec_64b is one access of one thread, and the scope is warp [declined]") !=
          std::string::npos);
}

TEST_CASE("a resource limit shows as unknown") {
    const Ran ran = run("plan --rlimit 1 " + quoted(demo));
    CHECK(ran.status == 3);
    CHECK(run("emit --rlimit 1 " + quoted(demo)).status == 3);
    CHECK(run("emit --rlimit 1 " + quoted(demo)).out.empty());
}

TEST_CASE("run without a GPU says so") {
    // Where there is one, it runs: then every byte must be right.
    const Ran ran = run("run " + quoted(demo));
    CHECK((ran.status == 0 || ran.status == 2));
    if (ran.status == 2) CHECK(ran.err.find("[no-gpu]") != std::string::npos);
}
