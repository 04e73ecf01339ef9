// Symbols of the launch: many tiles in one grid. What the reader takes and refuses, what is proved for every block and between blocks
// (against all blocks of small grids, one by one), and that the emitted code moves every block's tile.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "emit/ptx.hpp"
#include "layouts/address.hpp"
#include "layouts/grid.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/launched.hpp"
#include "verify/blocks_internal.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::check_code, test::open;

struct Parts {
    std::string launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }";
    std::string symbols = "ld = { min = 64, max = 4096, multiple_of = 8 }";
    std::string facts{};
    std::string a = "\"(8192,64):(ld,1)\"", src = "A[row:+128, 0:64]";
    std::string c = "\"(8192,64):(ld,1)\"", dst = "C[row:+128, 0:64]";
    std::string tile = "\"(128,64):(64,1)\"";
    std::string copies{};  // instead of load and store
};

std::string copy_text(const std::string& name, const std::string& src, const std::string& dst) {
    return "[[copies]]\nname = \"" + name + "\"\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\nscope = \"cta\"\nthreads = 64\n";
}

std::string text_of(const Parts& p) {
    const auto buffer = [](const std::string& name, const std::string& space, const std::string& layout) {
        return "[buffers." + name + "]\nspace = \"" + space + "\"\ndtype = \"f16\"\nlayout = " + layout + "\n";
    };
    return "[target]\narch = \"sm_90\"\n[launch]\n" + p.launch + "\n[symbols]\n" + p.symbols + "\n[assume]\nfacts = [" + p.facts + "]\n" +
           buffer("A", "global", p.a) + buffer("C", "global", p.c) + buffer("S", "shared", p.tile) +
           (p.copies.empty() ? copy_text("load", p.src, "S") + copy_text("store", "S", p.dst) : p.copies);
}

Problem problem_of(const Parts& parts) {
    const Source source{"copy.toml", text_of(parts)};
    Result<Problem> problem = parse_problem(source, "copy");
    INFO((problem ? std::string() : render(problem.error(), source)));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

/// "rule: text | what is underlined"
std::string fault_of(const std::string& text, const std::string& name = "copy.toml") {
    const Result<Problem> problem = parse_problem({name, text}, "copy");
    if (problem) return "none";
    const Diagnostic& fault = problem.error();
    std::size_t begin = 0;
    for (int line = 1; line < fault.place.line; ++line) begin = text.find('\n', begin) + 1;
    return fault.rule + ": " + fault.text + " | " +
           text.substr(begin + static_cast<std::size_t>(fault.place.column) - 1, static_cast<std::size_t>(fault.place.length));
}

Report judged(const Problem& problem) { return verify(problem, solve(problem).plan()); }

const Finding& finding(const std::vector<Finding>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.obligation == id; });
}

std::string open(const Parts& parts) {
    const Problem problem = problem_of(parts);
    return open(judged(problem));
}

}  // namespace

TEST_CASE("symbols of the launch are read, with the range that the grid makes") {
    Parts parts;
    parts.launch =
        "grid = [4, 8]\nblock = 64\ncol = { from = \"ctaid.x\", times = 16 }\nrow = { from = \"ctaid.y\", times = 128 }\nslab = { from = "
        "\"ctaid.z\" }";
    const Problem p = problem_of(parts);
    REQUIRE(p.symbols.size() == 4);
    const auto is = [&](std::size_t i, const char* name, int dim, std::int64_t max, std::int64_t times) {
        CHECK(p.symbols[i].name == name);
        REQUIRE(p.symbols[i].index.has_value());
        CHECK(p.symbols[i].index->dim == dim);
        CHECK(p.symbols[i].index->times == times);
        CHECK(p.symbols[i].min == 0);
        CHECK(p.symbols[i].max == max);
        CHECK(p.symbols[i].multiple_of == times);
    };
    is(0, "col", 0, 48, 16);
    is(1, "row", 1, 896, 128);
    is(2, "slab", 2, 0, 1);
    CHECK_FALSE(p.symbols[3].index.has_value());
    CHECK(block_count(p.launch) == 32);
    CHECK(blocks_of(p.launch).at(13) == Team{1, 3, 0, 0});
    CHECK(to_string(Team{1, 3, 0, 0}, blocks_of(p.launch)) == "block (1,3,0)");
    CHECK(in_team(p.symbols, {7, 7, 7, 64}, {1, 3, 0, 0}) == Values{16, 384, 0, 64});
    // As JSON, and back.
    const std::string json = problem_json(p);
    const Result<Problem> again = parse_problem({"copy.json", json}, "copy");
    REQUIRE(again.ok());
    CHECK(problem_json(again.value()) == json);
    CHECK(again.value().symbols[1].max == 896);
    CHECK(json.find(R"("grid":[4,8,1])") != std::string::npos);
    CHECK(json.find(R"("row":{"from":"ctaid.y","times":128})") != std::string::npos);
}

TEST_CASE("faults of [launch] are named where they stand") {
    const auto fault = [](const std::string& launch, const std::string& symbols = "ld = { min = 64, max = 4096 }") {
        Parts parts;
        parts.launch = launch;
        parts.symbols = symbols;
        parts.src = "A[0:128, :]";
        parts.dst = "C[0:128, :]";
        return fault_of(text_of(parts));
    };
    const std::string grid = "grid = [64]\n";
    CHECK(fault("row = { from = \"ctaid.x\", times = 128 }") ==
          "missing-key: [launch] lacks 'grid': how large 'row' can be depends on it | row");
    CHECK(fault(grid + "row = { from = \"tid.x\", times = 128 }") == "unknown-value: 'tid.x' is no 'from' | \"tid.x\"");
    CHECK(fault(grid + "row = { times = 128 }") == "missing-key: [launch.row] lacks 'from' | row");
    CHECK(fault(grid + "row = { from = \"ctaid.x\", times = 0 }") == "out-of-range: 'times' must be from 1 to 1125899906842624, not 0 | 0");
    CHECK(fault(grid + "row = { from = \"ctaid.x\", times = -128 }").starts_with("out-of-range"));
    CHECK(fault(grid + "row = { from = \"ctaid.x\", times = 1.5 }").starts_with("wrong-type"));
    CHECK(fault(grid + "row = { from = \"ctaid.x\", step = 128 }").starts_with("unknown-key: unknown key 'step' in [launch.row]"));
    CHECK(fault(grid + "row = 128").starts_with("unknown-key: unknown key 'row' in [launch]"));
    CHECK(fault(grid + "row = { from = \"ctaid.x\", times = 1125899906842624 }") ==
          "overflow: 'row' may be beyond 2^50 in the last block | 1125899906842624");
    CHECK(fault(grid + "1row = { from = \"ctaid.x\", times = 128 }").starts_with("bad-name"));
    CHECK(fault(grid + "A = { from = \"ctaid.x\", times = 128 }").starts_with("duplicate-name: a buffer and a symbol are both called 'A'"));
    CHECK(fault("grid = [1, 70000]").starts_with("out-of-range: the grid's extent in y must be from 1 to 65535, not 70000 | [1, 70000]"));
    CHECK(fault("grid = [1, 1, 70000]").starts_with("out-of-range: the grid's extent in z"));
    std::string many = grid;
    for (int i = 0; i < 40; ++i) many += "s" + std::to_string(i) + " = { from = \"ctaid.x\" }\n";
    CHECK(fault(many).starts_with("too-large: more than 32 symbols"));
    CHECK(fault(grid + "row = { from = \"ctaid.x\" }\nrow = { from = \"ctaid.x\" }").starts_with("toml-syntax"));
    CHECK(fault(grid + "row = { from = \"ctaid.x\" }", "ld = { min = 1, max = 2 }\nrow = { least = 0 }").starts_with("unknown-key"));
    // The same as JSON: with the pointer of the fault.
    const std::string json = R"json({"target": {"arch": "sm_90"}, "launch": {"grid": [8], "row": {"from": "ctaid.w"}},
 "buffers": {"A": {"space": "global", "dtype": "f16", "layout": "(8):(1)"}}, "copies": []})json";
    CHECK(fault_of(json, "copy.json") == "unknown-value: 'ctaid.w' is no 'from' | \"ctaid.w\"");
    CHECK(parse_problem({"copy.json", json}, "copy").error().notes.front().find("/launch/row/from") != std::string::npos);
}

TEST_CASE("an allocation serves all blocks") {
    Parts parts;
    parts.launch = "grid = [4, 2]\nx = { from = \"ctaid.x\", times = 32 }\ny = { from = \"ctaid.y\" }";
    parts.src = "A";
    parts.dst = "C";
    parts.tile = "\"(16,32):(32,1)\"";
    parts.a = "\"(16,32):(ld,1) + 16*ld*y + x\"";
    parts.c = "\"(16,32):(ld,1) + 16*ld - 16*ld*y + 96 - x\"";
    Problem p = problem_of(parts);
    CHECK(to_string(*p.buffers[0].symbolic_capacity, p.symbols) == "31*ld + 128");
    CHECK(to_string(*p.buffers[1].symbolic_capacity, p.symbols) == "31*ld + 128");
    parts.c += "\ncapacity = \"100*ld + x\"";
    CHECK(fault_of(text_of(parts)) ==
          "unsupported: the capacity of C depends on the block, and all blocks share one allocation | \"100*ld + x\"");
    parts.c = "\"(16,32):(64,1) + 1024*y*y + x\"";
    CHECK(fault_of(text_of(parts))
              .starts_with("missing-key: where the layout of C ends over all blocks of the grid is not known: state its capacity"));
}

TEST_CASE("a hand-made symbol of the launch has the range of the grid") {
    const Problem good = problem_of({});
    CHECK_FALSE(check_problem(good).has_value());
    const auto refused = [&](const auto& damage) {
        Problem p = good;
        damage(p);
        const auto fault = check_problem(p);
        REQUIRE(fault.has_value());
        CHECK(fault->rule == "out-of-range");
    };
    refused([](Problem& p) { p.symbols[0].max = 128; });
    refused([](Problem& p) { p.symbols[0].min = 128; });
    refused([](Problem& p) { p.symbols[0].multiple_of = 64; });
    refused([](Problem& p) { p.symbols[0].index->dim = 4; });
    refused([](Problem& p) { p.symbols[0].index->times = 0; });
    refused([](Problem& p) { p.launch.grid = {65, 1, 1}; });
    refused([](Problem& p) { p.launch.grid = {64, 0, 1}; });
}

TEST_CASE("64 blocks of 128 rows, in and out, for every pitch") {
    const Problem p = problem_of({});
    const Solution solution = solve(p);
    for (const CopySolution& copy : solution.copies) CHECK(copy.width == Bits{128});
    const Certified certified = verify_and_certify(p, solution.plan());
    CHECK(open(certified.report) == "");
    REQUIRE(certified.plan.has_value());
    CHECK(certified.report.verdict() == Verdict::proved);
    check_code(p, 1);
    // The block computes the symbol, and nobody passes it.
    const KernelInfo info = kernel_info(p, solution.plan()).value();
    CHECK(info.grid == std::array<std::int64_t, 3>{64, 1, 1});
    REQUIRE(info.parameters.size() == 3);
    CHECK(info.parameters[2].name == "ld");
    REQUIRE(info.computed.size() == 1);
    CHECK(info.computed[0].name == "row");
    const std::string text = emit_ptx(*certified.plan).value();
    CHECK(text.find("%ctaid.x;") != std::string::npos);
    CHECK(text.find("p_row") == std::string::npos);
    CHECK(text.find(".reqntid 64, 1, 1") != std::string::npos);
    // What the caller has to make true.
    const std::vector<Assumption> assumed = assumptions(p);
    CHECK(assumed.front().text == "the grid is at most 64 x 1 x 1 blocks, with row = 128*ctaid.x");
    CHECK(std::none_of(assumed.begin(), assumed.end(), [](const Assumption& a) { return a.text.starts_with("row is"); }));
    CHECK(assumed.back().text == "nothing but the blocks of this launch touches these bytes meanwhile");
}

TEST_CASE("two dimensions of the grid tile a matrix") {
    Parts parts;
    parts.launch = "grid = [3, 4]\ncol = { from = \"ctaid.x\", times = 32 }\nrow = { from = \"ctaid.y\", times = 16 }";
    parts.symbols = "lda = { min = 96, max = 4096, multiple_of = 8 }\nldc = { min = 96, max = 4096, multiple_of = 8 }";
    parts.a = "\"(64,96):(lda,1)\"";
    parts.c = "\"(64,96):(ldc,1)\"";
    parts.tile = "\"Sw<2,3,3> o (16,32):(32,1)\"";
    parts.src = "A[row:+16, col:+32]";
    parts.dst = "C[row:+16, col:+32]";
    CHECK(open(parts) == "");
    check_code(problem_of(parts));
    // The other way round in the grid, the tiles a third index of the layout, and a start that is a sum.
    parts.launch = "grid = [4, 3]\ny = { from = \"ctaid.x\" }\nx = { from = \"ctaid.y\" }";
    parts.src = "A[16*y:+16, 32*x:+32]";
    parts.dst = "C[16*y:+16, 64-32*x:+32]";
    CHECK(open(parts) == "");
    check_code(problem_of(parts));
    // In the layout's own offset instead of the region.
    parts.a = "\"(16,32):(lda,1) + 16*lda*y + 32*x\"";
    parts.c = "\"(16,32):(ldc,1) + 16*ldc*y + 32*x\"";
    parts.src = "A";
    parts.dst = "C";
    CHECK(open(parts) == "");
    check_code(problem_of(parts));
    // Panels: neither rows nor columns of a block are alone in their dimension of the layout.
    parts.a = "\"(3,4,16,32):(32,16*lda,lda,1)\"";
    parts.c = "\"(3,4,16,32):(2048,512,32,1)\"";
    parts.tile = "\"(16,32):(32,1)\"";
    parts.src = "A[x, y, :, :]";
    parts.dst = "C[x, y, :, :]";
    CHECK(open(parts) == "");
    check_code(problem_of(parts));
}

TEST_CASE("three dimensions, a factor beyond 32 bits, symbols of one index") {
    Parts parts;
    parts.launch =
        "grid = [2, 3, 2]\na = { from = \"ctaid.x\", times = 16 }\nb = { from = \"ctaid.y\", times = 1 }\nc = { from = \"ctaid.z\", times "
        "= 1 }\nd = { from = \"ctaid.x\" }";
    parts.symbols = "ld = { min = 64, max = 4096, multiple_of = 8 }";
    parts.a = "\"(2,3,32,64):(96*ld,32*ld,ld,1)\"";
    parts.c = "\"(2,3,2,16,64):(6144,2048,1024,64,1)\"";
    parts.tile = "\"(16,64):(64,1)\"";
    parts.src = "A[c, b, a:+16, :]";
    parts.dst = "C[c, b, d, :, :]";
    CHECK(open(parts) == "");
    check_code(problem_of(parts));
    // Together they stay inside; each on its own could be in the other's last block.
    Parts both;
    both.launch = "grid = [8]\na = { from = \"ctaid.x\", times = 128 }\nb = { from = \"ctaid.x\", times = 64 }";
    both.src = "A[a-b:+64, :]";
    both.dst = "C[a-b:+64, :]";
    both.a = both.c = "\"(512,64):(64,1)\"";
    both.tile = "\"(64,64):(64,1)\"";
    CHECK(open(both) == "");
    check_code(problem_of(both));
    Parts far;
    far.launch = "grid = [2]\nfar = { from = \"ctaid.x\", times = 4294967296 }";
    far.a = "\"(128,64):(64,1) + far\"";
    far.src = "A";
    far.copies = copy_text("load", "A", "S");
    const Problem p = problem_of(far);
    CHECK(open(judged(p)) == "");
    test::Bench bench(p, solve(p).plan());
    CHECK(bench.assembly_errors({"sm_90"}) == "");
    CHECK(bench.text().find("4294967296") != std::string::npos);
}

TEST_CASE("two blocks that write one byte are refuted by name") {
    Parts parts;
    parts.launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 64 }";
    const Problem p = problem_of(parts);
    const Report report = judged(p);
    CHECK(open(report) == "store disjoint refuted with ld = 64: block 0 and block 1 both write byte 8192 of C");
    const Counterexample& found = *finding(report.copies[1].findings, "disjoint").counterexample;
    REQUIRE(found.teams.size() == 2);
    CHECK(found.teams[0] == Team{0, 0, 0, 0});
    CHECK(found.teams[1] == Team{1, 0, 0, 0});
    CHECK(found.symbols == Values{0, 64});
    CHECK(*found.address == to_bits(Bytes{8192}));
    CHECK_FALSE(verify_and_certify(p, solve(p).plan()).plan.has_value());
    // One row too few; the step that is just enough; a step within the row.
    parts.launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 127 }";
    CHECK(open(parts).starts_with("store disjoint refuted"));
    parts.launch = "grid = [63]\nrow = { from = \"ctaid.x\", times = 129 }";
    CHECK(open(parts) == "");
    // Blocks that are not neighbours: five steps of 16 are one row of 80.
    Parts apart;
    apart.launch = "grid = [6]\nx = { from = \"ctaid.x\", times = 16 }";
    apart.a = "\"(2,16):(16,1)\"";
    apart.src = "A";
    apart.c = "\"(2,16):(80,1) + x\"";
    apart.dst = "C";
    apart.tile = "\"(2,16):(16,1)\"";
    CHECK(open(apart) == "store disjoint refuted with ld = 64: block 0 and block 5 both write byte 160 of C");
    apart.launch = "grid = [5]\nx = { from = \"ctaid.x\", times = 16 }";
    CHECK(open(apart) == "");
    // Only some pitches: a block starts inside the row of the one before.
    apart.launch = "grid = [2]\nx = { from = \"ctaid.x\" }";
    apart.symbols = "p = { min = 8, max = 32, multiple_of = 8 }";
    apart.c = "\"(2,16):(64,1) + p*x\"";
    CHECK(open(apart) == "store disjoint refuted with p = 8: block 0 and block 1 both write byte 16 of C");
    apart.symbols = "p = { min = 16, max = 48, multiple_of = 8 }";
    CHECK(open(apart) == "");
    apart.symbols = "p = { min = 16, max = 56, multiple_of = 8 }";
    CHECK(open(apart).find("store disjoint refuted with p = 56") != std::string::npos);
}

TEST_CASE("a destination that does not depend on a dimension of the grid") {
    Parts parts;
    parts.launch = "grid = [64, 2]\nrow = { from = \"ctaid.x\", times = 128 }";
    CHECK(open(parts) ==
          "store disjoint refuted block (0,0,0) and block (0,1,0) both write byte 0 of C: where 'store' writes does not depend on ctaid.y");
    // Without any symbol too: a grid of several blocks loads its tile in each, and must not store it.
    Parts plain;
    plain.launch = "grid = [2]";
    plain.a = plain.c = "\"(128,64):(64,1)\"";
    plain.src = "A";
    plain.dst = "C";
    plain.copies = copy_text("load", "A", "S");
    CHECK(open(plain) == "");
    check_code(problem_of(plain));
    plain.copies = copy_text("store", "S", "C");
    const Problem p = problem_of(plain);
    const Report report = judged(p);
    CHECK(open(report) ==
          "store disjoint refuted block 0 and block 1 both write byte 0 of C: where 'store' writes does not depend on ctaid.x");
    CHECK(finding(report.copies[0].findings, "disjoint").counterexample->teams.size() == 2);
    plain.launch = "grid = [1, 1, 1]";
    CHECK(open(plain) == "");
}

TEST_CASE("what is not linear in the index of a block is unknown, or refuted by blocks") {
    Parts parts;
    parts.launch = "grid = [3]\nx = { from = \"ctaid.x\" }";
    parts.a = "\"(16,64):(64,1)\"";
    parts.src = "A";
    parts.tile = "\"(16,64):(64,1)\"";
    parts.c = "\"(16,64):(64,1) + 1024*x*x\"\ncapacity = 8192";
    parts.dst = "C";
    CHECK(open(parts).starts_with("store disjoint unknown"));
    parts.c = "\"(16,64):(64,1) + 512*x*x\"\ncapacity = 8192";
    CHECK(open(parts).find("block 0 and block 1 both write byte 1024 of C") != std::string::npos);
    parts.c = "\"(16,64):(64*x+64,1) + 4096*x\"\ncapacity = 16384";
    CHECK(open(parts).starts_with("store disjoint unknown"));
}

TEST_CASE("the last block is inside, or refuted with its value") {
    Parts parts;
    parts.launch = "grid = [65]\nrow = { from = \"ctaid.x\", times = 128 }";
    const std::string found = open(parts);
    CHECK(found.find("load bounds.src refuted with row = 8192, ld = 64: the region of A lies outside its layout") != std::string::npos);
    CHECK(found.find("store bounds.dst refuted with row = 8192") != std::string::npos);
    // One element of capacity decides.
    parts.launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }";
    parts.c = "\"(8192,64):(ld,1)\"\ncapacity = \"8191*ld + 64\"";
    CHECK(open(parts) == "");
    parts.c = "\"(8192,64):(ld,1)\"\ncapacity = \"8191*ld + 63\"";
    CHECK(open(parts).find("store bounds.dst refuted with row = 8064") != std::string::npos);
    // And the alignment follows from what the index is multiplied with.
    parts = {};
    parts.launch = "grid = [4]\ncol = { from = \"ctaid.x\", times = 4 }";
    parts.src = "A[0:128, col:+16]";
    parts.tile = "\"(128,16):(16,1)\"";
    parts.copies = copy_text("load", parts.src, "S");
    const Problem p = problem_of(parts);
    Solution solution = solve(p);
    CHECK(solution.copies[0].width == Bits{64});
    CHECK(open(verify(p, solution.plan())) == "");
    add_unlocks(p, solution);  // the factor is no promise of a caller: nothing of it may change
    for (const Refusal& refusal : solution.copies[0].refused)
        if (refusal.unlock) CHECK(refusal.unlock->patch.find("col") == std::string::npos);
}

TEST_CASE("what the file states of a symbol of the launch is proved, not believed") {
    const auto open_with = [](const std::string& symbols, const std::string& facts,
                              const std::string& launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }") {
        Parts parts;
        parts.launch = launch;
        parts.symbols = symbols;
        parts.facts = facts;
        return open(parts);
    };
    const std::string ld = "ld = { min = 64, max = 4096, multiple_of = 8 }\n";
    CHECK(open_with(ld + "row = { min = 0, max = 8064 }", "") == "");
    CHECK(open_with(ld + "row = { min = -5, max = 10000, multiple_of = 64 }", "") == "");
    CHECK(open_with(ld + "row = { multiple_of = 128 }", "") == "");
    CHECK(open_with(ld + "row = { max = 8063 }", "") ==
          "assumptions refuted the launch makes row = 8064 in block 63, and [symbols] says 0 to 8063");
    CHECK(open_with(ld + "row = { min = 128, max = 8064 }", "") ==
          "assumptions refuted the launch makes row = 0 in block 0, and [symbols] says 128 to 8064");
    CHECK(open_with(ld + "row = { multiple_of = 256 }", "") ==
          "assumptions refuted the launch makes row = 8064 in block 63, and [symbols] says 0 to 8064, a multiple of 256");
    CHECK(open_with(ld + "row = { multiple_of = 96 }", "", "grid = [4]\nrow = { from = \"ctaid.x\", times = 128 }")
              .find("row = 128 in block 1") != std::string::npos);
    CHECK(open_with(ld + "row = { max = 0 }", "", "grid = [1]\nrow = { from = \"ctaid.x\", times = 128 }") == "");
    // Facts: true of every block, or refuted; never an assumption.
    CHECK(open_with(ld, "\"row % 64 == 0\", \"row <= 8064\"") == "");
    CHECK(open_with(ld, "\"row % 256 == 0\"").find("assumptions refuted with row = 8064, ld = 64: (row) % 256 == 0 is false") !=
          std::string::npos);
    CHECK(open_with(ld, "\"row < 8064\"").find("assumptions refuted") != std::string::npos);
    CHECK(open_with(ld, "\"row != 1280\"").find("assumptions refuted with row = 1280") != std::string::npos);
    const std::string rows = ld + "m = { min = 128, max = 100000 }";
    CHECK(open_with(rows, "\"row + 128 <= m\"").find("assumptions refuted") != std::string::npos);
    CHECK(open_with(rows, "\"row + 128 <= m\", \"m >= 8192\"") == "");
    CHECK(open_with(rows, "\"row + 128 <= m\", \"m >= 8191\"").find("row = 8064, ld = 64, m = 8191: row + 128 <= m is false") !=
          std::string::npos);
    // A value between all samples.
    CHECK(open_with(ld, "\"row != 4101\", \"row != 4102\"") == "");
    CHECK(open_with(ld, "\"row != 999936\"", "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }") == "");
    CHECK(open_with(ld, "\"x != 4992\"", "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }\nx = { from = \"ctaid.y\" }") == "");
    Parts between;
    between.launch = "grid = [10000]\nx = { from = \"ctaid.x\" }";
    between.facts = "\"x != 7777\"";
    between.copies = copy_text("load", "A[0:128, :]", "S");
    CHECK(open(between) ==
          "assumptions refuted with x = 7777, ld = 64: x != 7777 is false, and nothing else that is assumed makes it true for every block "
          "of the launch");
    between.facts = "\"x != 10000\"";
    CHECK(open(between) == "");
    // Squares are 0, 1, 2 or 4 modulo 7. It is true, and nothing here proves it.
    between.facts = "\"(x*x) % 7 != 3\"";
    CHECK(open(between) == "assumptions unknown whether (x*x) % 7 != 3 holds for every block of the launch");
    // What is not about the launch is promised, and has to be possible.
    CHECK(open_with(ld, "\"ld >= 5000\"").find("assumptions refuted no values") != std::string::npos);
    const std::vector<Assumption> assumed = assumptions(problem_of([&] {
        Parts parts;
        parts.symbols = ld;
        parts.facts = "\"row <= 8064\", \"ld >= 72\"";
        return parts;
    }()));
    CHECK(std::count_if(assumed.begin(), assumed.end(), [](const Assumption& a) { return a.source == "fact"; }) == 1);
}

TEST_CASE("copies that depend on each other over blocks") {
    const auto open_with = [](const std::string& copies,
                              const std::string& launch = "grid = [64]\nrow = { from = \"ctaid.x\", times = 128 }") {
        Parts parts;
        parts.launch = launch;
        parts.copies = copies;
        parts.tile = "\"(64,64):(64,1)\"";
        return open(parts);
    };
    // In place; in two halves; to C and from there to A.
    CHECK(open_with(copy_text("load", "A[row:+64, :]", "S") + copy_text("store", "S", "A[row:+64, :]")) == "");
    CHECK(open_with(copy_text("top", "S", "C[row:+64, :]") + copy_text("bottom", "S", "C[row+64:+64, :]")) == "");
    CHECK(open_with(copy_text("there", "A[row:+64, :]", "C[row:+64, :]") + copy_text("back", "C[row:+64, :]", "A[row:+64, :]")) == "");
    // The second half is the first one of the next block; what a block reads is what the one before wrote.
    CHECK(open_with(copy_text("top", "S", "C[row:+64, :]") + copy_text("bottom", "S", "C[row+64:+64, :]"),
                    "grid = [64]\nrow = { from = \"ctaid.x\", times = 64 }") ==
          "synchronised refuted with ld = 64: block 1 touches byte 8192 of C in 'top' and block 0 in 'bottom', one of them writes it, and "
          "no barrier lies between blocks");
    CHECK(open_with(copy_text("store", "S", "C[row+64:+64, :]") + copy_text("load", "C[row:+64, :]", "S"),
                    "grid = [64]\nrow = { from = \"ctaid.x\", times = 64 }")
              .find("synchronised refuted") == 0);
    CHECK(open_with(copy_text("load", "C[0:64, :]", "S") + copy_text("store", "S", "C[row+64:+64, :]"),
                    "grid = [64]\nrow = { from = \"ctaid.x\", times = 64 }")
              .find("synchronised unknown") == 0);
    CHECK(open_with(copy_text("load", "C[0:64, :]", "S") + copy_text("store", "S", "C[row:+64, :]"),
                    "grid = [64]\nrow = { from = \"ctaid.x\", times = 64 }")
              .find("synchronised refuted") == 0);
    CHECK(open_with(copy_text("load", "C[row:+64, :]", "S") + copy_text("store", "S", "C[row:+64, :]"),
                    "grid = [64]\nrow = { from = \"ctaid.x\", times = 32 }")
              .find("synchronised refuted") != std::string::npos);
    // Reads alone are no matter.
    CHECK(open_with(copy_text("one", "C[0:64, :]", "S") + copy_text("two", "C[64:128, :]", "S")) == "");
}

TEST_CASE("digits of an offset and the index of the block, case by case") {
    const auto apart = [](const std::string& layout, const std::string& symbols = "q = { min = 0, max = 6 }",
                          const std::string& launch = "grid = [3]\nx = { from = \"ctaid.x\" }") {
        Parts parts;
        parts.launch = launch;
        parts.symbols = symbols;
        parts.c = layout + "\ncapacity = 100000";
        parts.a = "\"(4):(1)\"";
        parts.tile = "\"(4):(1)\"";
        parts.copies = copy_text("load", "A", "S");
        const Problem p = problem_of(parts);
        const Buffer& c = p.buffers[1];
        const Region whole{std::vector<Expression>(c.layout.shape.size(), 0), c.layout.shape};
        Copy store = p.copies[0];
        store.dst = {1, whole};
        return teams_are_apart(p, store, [&](const Expression& e) { return interval(e, p.symbols).least >= 0; });
    };
    CHECK(apart("\"(4,4):(4,1) + 16*x\""));
    CHECK_FALSE(apart("\"(4,4):(4,1) + 15*x\""));
    // Inside a block elements may coincide.
    CHECK(apart("\"(4,4):(2,1) + 10*x\""));
    CHECK_FALSE(apart("\"(4,4):(2,1) + 9*x\""));
    CHECK(apart("\"(4,4):(0,1) + 4*x\""));
    // Blocks between rows; a row that comes too early for the last block.
    CHECK(apart("\"(4,4):(12,1) + 4*x\""));
    CHECK_FALSE(apart("\"(4,4):(11,1) + 4*x\""));
    // Counting down; a sign that is open.
    CHECK(apart("\"(4,4):(4,1) + 100 - 16*x\""));
    CHECK(apart("\"(4,4):(-4,1) + 100 - 16*x\""));
    CHECK(apart("\"(4):(q-6) + 18 + 19*x\""));
    CHECK_FALSE(apart("\"(4):(q-6) + 18 + x\""));
    CHECK_FALSE(apart("\"(4):(q-5) + 18 + 4*x\""));
    // A dimension that bends, and iters that straddle two.
    CHECK(apart("\"((4,4),16):((1,128),8) + 512*x\""));
    CHECK_FALSE(apart("\"((4,4),16):((1,128),8) + 128*x\""));
    CHECK(apart("\"S[(6,4):(100,1)] + 504*x\"\nshape = [4, 6]"));
    CHECK_FALSE(apart("\"S[(6,4):(100,1)] + 100*x\"\nshape = [4, 6]"));
    // A step that does not fit, and that only z = 0 keeps small.
    CHECK_FALSE(
        apart("\"(4,4):(4,1) + 562949953421312*z*x\"", "z = { min = 0, max = 0 }", "grid = [2147483647]\nx = { from = \"ctaid.x\" }"));
    // Two dimensions of the grid, a pitch between them.
    const std::string two = "grid = [3, 4]\nx = { from = \"ctaid.x\", times = 8 }\ny = { from = \"ctaid.y\", times = 2 }";
    CHECK(apart("\"(2,8):(q,1) + x + q*y\"", "q = { min = 24, max = 50 }", two));
    CHECK_FALSE(apart("\"(2,8):(q,1) + x + q*y\"", "q = { min = 23, max = 50 }", two));
    CHECK_FALSE(apart("\"(3,8):(q,1) + x + q*y\"", "q = { min = 24, max = 50 }", two));
    CHECK_FALSE(apart("\"(2,8):(q,1) + x + y\"", "q = { min = 24, max = 50 }", two));
}

namespace {

std::int64_t pick(std::mt19937& random, std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// All values of the symbols that are passed in; those of the launch as in block 0.
std::vector<Values> all_values(const Problem& problem) {
    std::vector<Values> out{{}};
    for (const Symbol& symbol : problem.symbols) {
        std::vector<Values> longer;
        for (const Values& values : out)
            for (std::int64_t n = symbol.min; n <= (symbol.index ? 0 : symbol.max); n += symbol.multiple_of) {
                longer.push_back(values);
                longer.back().push_back(n);
            }
        out = longer;
    }
    return out;
}

struct Truth {
    bool outside = false;  // some team's region leaves its layout
    bool clash = false;    // two teams have one element
    bool twice = false;    // one team has an element twice
};

Truth truth_of(const Problem& problem, const Copy& copy) {
    Truth out;
    const Operand& operand = copy.dst;
    const bool is_shared = problem.buffer(operand).space == Space::shared;
    const Teams teams = teams_of(problem.launch, copy);
    for (const Values& values : all_values(problem)) {
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> owner;  // by block whose memory it is, and offset
        for (std::int64_t number = 0; number < teams.count(); ++number) {
            const Values those = in_team(problem.symbols, values, teams.at(number));
            const std::int64_t memory = is_shared ? number % block_count(problem.launch) : 0;
            const Problem one = at(problem, those);
            const Layout& layout = one.buffer(operand).layout;
            const Region& region = operand.region;
            std::vector<std::int64_t> start;
            for (const Expression& e : region.start) start.push_back(e.at(those));
            std::int64_t count = 1;
            for (std::size_t dim = 0; dim < start.size(); ++dim) {
                out.outside = out.outside || start[dim] < 0 || start[dim] + region.extent[dim] > layout.shape[dim];
                count *= region.extent[dim];
            }
            if (out.outside) return out;
            for (std::int64_t k = 0; k < count; ++k) {
                std::vector<std::int64_t> coordinate = start;
                std::int64_t rest = k;
                for (std::size_t dim = start.size(); dim-- > 0; rest /= region.extent[dim]) coordinate[dim] += rest % region.extent[dim];
                const auto [at, is_new] = owner.emplace(std::pair(memory, element_offset(layout, coordinate)), number);
                out.clash = out.clash || (!is_new && at->second != number);
                out.twice = out.twice || (!is_new && at->second == number);
            }
        }
    }
    return out;
}

/// A small grid with symbols in region and layout, two of them passed in. In every third problem each thread performs the copy.
Problem random_problem(std::mt19937& random) {
    Problem p =
        problem_of({"grid = [1]", "ld = { min = 1, max = 2 }", "", "\"(2,2):(2,1)\"", "A", "\"(2,2):(2,1)\"", "C", "\"(2,2):(2,1)\"", {}});
    p.launch.grid = {pick(random, 1, 4), pick(random, 1, 3), pick(random, 0, 5) == 0 ? 2 : 1};
    p.symbols.clear();
    Copy& store = p.copies[1];
    store.each = pick(random, 0, 2) == 0;
    if (store.each) {
        store.scope = Scope::thread;
        store.threads = 1;
        p.launch.groups = p.launch.block = static_cast<int>(pick(random, 1, 4));
        if (pick(random, 0, 1) == 0) p.launch.grid = {pick(random, 1, 2), 1, 1};
        if (pick(random, 0, 1) == 0) p.buffers[1].space = Space::shared;
    }
    for (int dim = 0; dim < 4; ++dim) {
        const LaunchIndex index{dim, dim == 3 ? 1 : pick(random, 1, 4)};
        const SymbolRange range = range_of(index, p.launch);
        p.symbols.push_back({std::string(1, "xyzg"[dim]), range.min, range.max, range.multiple_of, {}, index});
    }
    const std::int64_t last = store.each ? 3 : 2;  // index that a region may depend on
    p.symbols.push_back({"p", pick(random, 0, 6), 0, pick(random, 1, 2), {}});
    p.symbols.back().min *= p.symbols.back().multiple_of;
    p.symbols.back().max = p.symbols.back().min + 3 * p.symbols.back().multiple_of;
    p.symbols.push_back({"q", pick(random, 1, 4), 0, 1, {}});
    p.symbols.back().max = p.symbols.back().min + pick(random, 0, 2);
    const auto symbol = [&](std::int64_t least, std::int64_t most) {
        return Expression::symbol(static_cast<int>(pick(random, least, most)));
    };
    const std::int64_t rows = pick(random, 1, 4), columns = pick(random, 1, 4);
    const auto stride = [&]() -> Expression {
        const std::int64_t kind = pick(random, 0, 5);
        return kind == 0   ? symbol(4, 5)
               : kind == 1 ? symbol(4, 5).times(pick(random, 1, 4))
               : kind == 2 ? symbol(4, 5).plus(pick(random, 0, 8))
                           : Expression(pick(random, 0, 12));
    };
    Buffer& c = p.buffers[1];
    Operand& dst = p.copies[1].dst;
    dst.region.extent = {rows, columns};
    const bool in_region = store.each || pick(random, 0, 1) == 0;
    if (in_region) {
        dst.region.start = {symbol(0, last).times(pick(random, 0, 2)), pick(random, 0, 1) == 0 ? Expression(0) : symbol(0, last)};
        if (store.each && pick(random, 0, 2) > 0)
            dst.region.start[0] = dst.region.start[0] + Expression::symbol(3).times(pick(random, 1, 4));
        c.layout.shape = {rows + 2 * 3 * 4 + 3 * 4, columns + 3 * 4};
    } else {
        c.layout.shape = {rows, columns};
        dst.region.start = {0, 0};
        c.layout.offset = symbol(0, 2) * (pick(random, 0, 1) == 0 ? symbol(4, 5) : Expression(pick(random, 1, 6))) +
                          symbol(0, 2).times(pick(random, 0, 4));
    }
    c.layout.iters = {{c.layout.shape[0], stride()}, {c.layout.shape[1], pick(random, 0, 1) == 0 ? Expression(1) : stride()}};
    if (pick(random, 0, 3) == 0) c.layout.swizzle = {1, static_cast<int>(pick(random, 0, 2)), static_cast<int>(pick(random, 1, 2))};
    if (pick(random, 0, 4) == 0 && !in_region) {  // turned round: counts down from an offset that is large enough
        c.layout.offset = c.layout.offset.plus(200) - c.layout.iters[0].stride.times(rows - 1);
        c.layout.iters[0].stride = c.layout.iters[0].stride.times(-1);
        c.layout.offset = c.layout.offset + c.layout.iters[0].stride.times(-1).times(rows - 1);
    }
    c.capacity = {1 << 12};
    c.symbolic_capacity.reset();
    c.align = Bytes{2};
    p.copies[1].src.region = {{0, 0}, {rows, columns}};
    p.buffers[2].layout = {{rows, columns}, {{rows, columns}, {columns, 1}}};
    p.buffers[2].capacity = {rows * columns};
    p.copies.erase(p.copies.begin());
    return p;
}

}  // namespace

TEST_CASE("random grids: teams are called apart only where no two have one element") {
    std::mt19937 random(7);
    int apart = 0, clashing = 0, missed = 0;
    for (int i = 0; i < 4000; ++i) {
        const Problem p = random_problem(random);
        const Truth truth = truth_of(p, p.copies[0]);
        if (truth.outside) continue;
        const Teams teams = teams_of(p.launch, p.copies[0]);
        // An oracle that knows every value: nothing is hidden by what a solver does not find.
        const auto is_nonnegative = [&](const Expression& e) {
            for (const Values& values : all_values(p))
                for (std::int64_t number = 0; number < teams.count(); ++number)
                    if (e.at(in_team(p.symbols, values, teams.at(number))) < 0) return false;
            return true;
        };
        const bool said = teams_are_apart(p, p.copies[0], is_nonnegative);
        CAPTURE(problem_json(p));
        CHECK_FALSE((said && truth.clash));
        apart += said ? 1 : 0;
        clashing += truth.clash ? 1 : 0;
        missed += !said && !truth.clash ? 1 : 0;
        // And what the blocks themselves show is there: with a sample that has it, it is found, in a grid this small.
        bool found = false;
        for (const Values& values : all_values(p)) found = found || clash_of_teams(p, p.copies[0], values).has_value();
        CHECK(found == truth.clash);
    }
    CHECK(apart > 300);
    CHECK(clashing > 800);
    MESSAGE(apart << " apart, " << clashing << " that clash, " << missed << " apart and not proved");
}

TEST_CASE("random grids: the verdict against all teams") {
    std::mt19937 random(11);
    int proved = 0, refuted = 0, unknown = 0;
    for (int i = 0; i < 260; ++i) {
        const Problem p = random_problem(random);
        CAPTURE(problem_json(p));
        REQUIRE_FALSE(check_problem(p).has_value());
        const Solution solution = solve(p);
        if (!solution.complete()) continue;
        const Report report = verify(p, solution.plan());
        CHECK(report.conflicts.empty());
        const Truth truth = truth_of(p, p.copies[0]);
        const Finding& disjoint = finding(report.copies[0].findings, "disjoint");
        if (truth.outside) {
            CHECK(report.verdict() != Verdict::proved);
            continue;
        }
        if (disjoint.verdict == Verdict::proved) CHECK_FALSE((truth.clash || truth.twice));
        if (disjoint.verdict == Verdict::refuted) CHECK((truth.clash || truth.twice));
        proved += disjoint.verdict == Verdict::proved ? 1 : 0;
        refuted += disjoint.verdict == Verdict::refuted ? 1 : 0;
        unknown += disjoint.verdict == Verdict::unknown ? 1 : 0;
    }
    CHECK(proved >= 20);
    CHECK(refuted >= 40);
    CHECK(unknown <= 40);
    MESSAGE(proved << " proved, " << refuted << " refuted, " << unknown << " unknown");
}

}  // namespace tileproof
