// The obligation `widest`: that no wider width is legal. Of the planner's plans it is proved; narrower ones are refuted, where asked.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/oracle.hpp"
#include "tests/problems.hpp"
#include "tests/program.hpp"
#include "verify/verify.hpp"
#include "verify/widest_internal.hpp"

namespace tileproof {
namespace {

using nlohmann::json;
using test::make_buffer;
using test::one_copy;

/// The problem with bases that allow no more than this.
Problem held_to(Problem problem, Bytes align) {
    for (Buffer& buffer : problem.buffers) {
        buffer.base.reset();
        buffer.align = align;
    }
    return problem;
}

const json& finding(const json& copy, const std::string& id) {
    for (const json& one : copy["obligations"])
        if (one["id"] == id) return one;
    static const json none;
    return none;
}

}  // namespace

TEST_CASE("the planner's plans are the widest") {
    std::vector<corpus::Entry> all = corpus::files();
    for (corpus::Entry& entry : corpus::drawn(30)) all.push_back(std::move(entry));
    int looked = 0;
    for (const corpus::Entry& entry : all) {
        CAPTURE(entry.name);
        const Solution solution = solve(entry.problem);
        if (!solution.complete()) continue;
        const Report report = verify(entry.problem, solution.plan(), {.require_widest = true});
        for (std::size_t i = 0; i < report.copies.size(); ++i) {
            const CopyReport& copy = report.copies[i];
            REQUIRE(copy.widest.has_value());
            if (solution.copies[i].undecided.empty()) CHECK(copy.widest->verdict == Verdict::proved);
            CHECK(copy.counted().size() == copy.findings.size() + 1);
            looked += copy.widest->by == std::vector<std::string>{"exhaustive"} ? 1 : 0;
        }
    }
    CHECK(looked >= 20);  // the others are settled by tables
}

TEST_CASE("a narrower plan of a tile is right, and refuted only where the widest is required") {
    int tiles = 0;
    for (const corpus::Entry& entry : corpus::files()) {
        if (entry.name.rfind("tiles/", 0) != 0) continue;
        CAPTURE(entry.name);
        ++tiles;
        const Bytes held{std::max<std::int64_t>(4, entry.problem.buffers[0].dtype.size.count / 8)};
        const Solution narrow = solve(held_to(entry.problem, held));
        REQUIRE(narrow.complete());
        REQUIRE(narrow.copies[0].width == to_bits(held));
        const Certified informed = verify_and_certify(entry.problem, narrow.plan());
        CHECK(informed.plan.has_value());
        CHECK(informed.report.verdict() == Verdict::proved);
        const Report required = verify(entry.problem, narrow.plan(), {.require_widest = true});
        CHECK(required.verdict() == Verdict::refuted);
        for (const Report* report : {&informed.report, &required}) {
            for (const CopyReport& copy : report->copies) {
                CHECK(copy.widest->verdict == Verdict::refuted);
                CHECK(copy.widest->counterexample->text.rfind("128 bits are legal: each of the ", 0) == 0);
                for (const Finding& one : copy.findings) CHECK_MESSAGE(one.verdict == Verdict::proved, one.obligation);
            }
        }
    }
    CHECK(tiles == 21);
}

TEST_CASE("which width, and how many runs of it") {
    const auto above = [](const char* src, const char* dst, std::int64_t bits, const char* arch = "sm_90", int align = 256,
                          Space to = Space::shared) {
        const Problem p = one_copy(make_buffer("A", Space::global, "f16", src, align), make_buffer("B", to, "f16", dst, align), 32, arch);
        return wider_width(p, p.copies[0], Bits{bits});
    };
    CHECK(above("(64,16):(20,1)", "(64,16):(20,1)", 32).width == Bits{64});
    CHECK(above("(64,16):(20,1)", "(64,16):(20,1)", 32).runs == 256);
    CHECK(above("(64,16):(20,1)", "(64,16):(20,1)", 32).looked);
    CHECK(!above("(64,16):(20,1)", "(64,16):(20,1)", 64).width);
    CHECK(!above("(64,16):(16,1)", "(64,16):(16,1)", 128).looked);  // shared memory has no 256 bits
    CHECK(above("(1024):(1)", "(1024):(1)", 128, "sm_100", 256, Space::global).width == Bits{256});
    CHECK(!above("(1024):(1)", "(1024):(1)", 128, "sm_100", 16, Space::global).width);
    CHECK(!above("(1024):(1)", "(1024):(1)", 64, "sm_90", 8).width);        // aligned too little
    CHECK(!above("(4):(1)", "(4):(1)", 64).width);                          // too few
    CHECK(above("(4,6):(6,1)", "(4,6):(8,1)", 16).width == Bits{32});       // rows of three pairs
    CHECK(!above("(32,32):(32,1)", "(32,32):(1,32)", 16).width);            // transposed
    CHECK(above("(8,128):(1,8)", "(8,128):(1,8)", 16).width == Bits{128});  // columns on both sides
    CHECK(above("(64,64):(64,1)", "Sw<3,3,3> o (64,64):(64,1)", 16).width == Bits{128});
    CHECK(above("(64,64):(64,1)", "Sw<3,2,3> o (64,64):(64,1)", 16).width == Bits{64});
    CHECK(!above("(64,64):(64,1)", "Sw<3,0,3> o (64,64):(64,1)", 16).width);
    // A swizzle that moves bits up can bring into one block what is apart, or off its alignment, without it: still no run.
    CHECK(!above("Sw<1,1,-1> o (2,2):(6,1)", "Sw<1,1,-1> o (2,2):(6,1)", 32).width);
    CHECK(above("Sw<1,1,-1> o (2,2):(2,1)", "Sw<1,1,-1> o (2,2):(2,1)", 16).width == Bits{32});
    Problem shifted = one_copy(make_buffer("A", Space::global, "f16", "Sw<1,1,-1> o (8):(1)"),
                               make_buffer("B", Space::shared, "f16", "Sw<1,1,-1> o (8):(1)"), 32);
    for (Operand* side : {&shifted.copies[0].src, &shifted.copies[0].dst}) side->region = {{2}, {4}};  // the block 4..7
    CHECK(wider_width(shifted, shifted.copies[0], Bits{16}).width == Bits{32});
    // What the machine has but this PTX version has not; a base known to be off.
    Problem p =
        one_copy(make_buffer("A", Space::global, "f16", "(1024):(1)"), make_buffer("B", Space::global, "f16", "(1024):(1)"), 32, "sm_100");
    CHECK(wider_width(p, p.copies[0], Bits{128}).width == Bits{256});
    p.ptx = PtxVersion{8, 0};
    CHECK(!wider_width(p, p.copies[0], Bits{128}).width);
    for (Buffer& buffer : p.buffers) buffer.base = Bytes{8};
    CHECK(!wider_width(p, p.copies[0], Bits{64}).width);
}

TEST_CASE("without enumeration it is not decided") {
    const Problem p =
        one_copy(make_buffer("A", Space::global, "f16", "(64,16):(20,1)"), make_buffer("B", Space::shared, "f16", "(64,16):(20,1)"), 32);
    const Plan plan = solve(p).plan();
    CHECK(!verify(p, plan, {.exhaustive = false}).copies[0].widest.has_value());
    const Report report = verify(p, plan, {.exhaustive = false, .require_widest = true});
    CHECK(report.copies[0].widest->verdict == Verdict::unknown);
    CHECK(report.verdict() == Verdict::unknown);
}

TEST_CASE("on the command line") {
    const test::Folder folder;
    const auto path = [&](const char* name) { return test::quoted((folder / name).string()); };
    const auto put = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
    const std::string text = test::content(std::filesystem::path(TILEPROOF_EXAMPLES) / "swizzled_f16.toml");
    put("tile.toml", text);
    std::string held = text;  // with bases that allow 32 bits
    for (std::size_t at = 0; (at = held.find("\nalign", at)) != std::string::npos;) held.erase(at + 1, held.find('\n', at + 1) - at);
    for (std::size_t at = 0; (at = held.find("\nlayout", at)) != std::string::npos; at += 20) held.insert(at + 1, "align = 4\n");
    put("held.toml", held);
    const json wide = json::parse(test::run("plan --format json " + path("tile.toml")).out),
               narrow = json::parse(test::run("plan --format json " + path("held.toml")).out);
    put("narrow.json", narrow.dump());
    put("wide.json", wide.dump());
    REQUIRE(narrow["copies"][0]["width_bits"] == 32);
    CHECK(finding(wide["copies"][0], "widest")["verdict"] == "proved");
    CHECK(!finding(wide["copies"][0], "widest").contains("informative"));

    const std::string verify = "verify " + path("tile.toml") + " --plan ";
    const json shown = json::parse(test::run(verify + path("narrow.json") + " --format json").out);
    CHECK(shown["verdict"] == "proved");
    CHECK(finding(shown["copies"][0], "widest")["verdict"] == "refuted");
    CHECK(finding(shown["copies"][0], "widest")["informative"] == true);
    CHECK(test::run(verify + path("narrow.json")).status == 0);
    CHECK(test::run(verify + path("narrow.json")).out.find("\n  widest   refuted: 128 bits are legal: ") != std::string::npos);
    CHECK(test::run(verify + path("narrow.json") + " --require-widest").status == 1);
    CHECK(test::run(verify + path("wide.json") + " --require-widest").status == 0);

    // What cuts the search short leaves it open: a limit, or runs that no plan of ours moves.
    const test::Ran cut = test::run("plan --rlimit 1 --format json " + path("tile.toml"));
    CHECK(cut.status == 3);
    put("irregular.toml", R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f32", layout = "((6,4),2):((2,100),1)", align = 256 }
B = { space = "shared", dtype = "f32", layout = "((4,6),2):((2,100),1)", align = 256 }
[[copies]]
src = "A"
dst = "B"
scope = "warp"
)toml");
    const test::Ran open = test::run("plan --format json " + path("irregular.toml"));
    CHECK(open.status == 3);
    const json irregular = json::parse(open.out);
    CHECK(irregular["copies"][0]["width_bits"] == 64);
    CHECK(finding(irregular["copies"][0], "widest")["verdict"] == "unknown");
    CHECK(finding(irregular["copies"][0], "widest")["reason"].get<std::string>().rfind("wider width undecided: ", 0) == 0);
    // The verifier knows what the planner could not plan.
    put("irregular.json", open.out);
    CHECK(test::run("verify " + path("irregular.toml") + " --plan " + path("irregular.json")).status == 0);
    CHECK(test::run("verify " + path("irregular.toml") + " --plan " + path("irregular.json") + " --require-widest").status == 1);
}

}  // namespace tileproof
