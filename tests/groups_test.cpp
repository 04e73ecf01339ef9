// group = "each": every thread, warp or warpgroup of the block performs the copy, each its own region. What the reader takes and refuses,
// what is proved between groups and between blocks, and that the emitted code moves every group's part.
#include <doctest/doctest.h>

#include <algorithm>

#include "layouts/grid.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/launched.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::check_code, test::open;

/// A (global, pitch ld) to S (shared), and S to C (global), by each group.
struct Parts {
    std::string launch = "block = 256";
    std::string symbols = "ld = { min = 64, max = 4096, multiple_of = 8 }";
    std::string facts{};
    std::string scope = "warp";
    std::string a = "\"(128,64):(ld,1)\"", src = "A[16*group:+16, :]";
    std::string tile = "\"(128,64):(64,1)\"", load = "S[16*group:+16, :]", store = "S[16*group:+16, :]";
    std::string c = "\"(128,64):(ld,1)\"", dst = "C[16*group:+16, :]";
    std::string load_more{}, store_more{};  // lines of the copies
    std::string load_group = "\"each\"", store_group = "\"each\"";
};

std::string text_of(const Parts& p) {
    const auto buffer = [](const std::string& name, const std::string& space, const std::string& layout) {
        return "[buffers." + name + "]\nspace = \"" + space + "\"\ndtype = \"f16\"\nlayout = " + layout + "\n";
    };
    const auto copy = [&](const std::string& name, const std::string& src, const std::string& dst, const std::string& group,
                          const std::string& more) {
        return "[[copies]]\nname = \"" + name + "\"\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\n" +
               (more.find("scope") == std::string::npos ? "scope = \"" + p.scope + "\"\n" : "") +
               (group.empty() ? "" : "group = " + group + "\n") + more;
    };
    return "[target]\narch = \"sm_90\"\n[launch]\n" + p.launch + "\n[symbols]\n" + p.symbols + "\n[assume]\nfacts = [" + p.facts + "]\n" +
           buffer("A", "global", p.a) + buffer("C", "global", p.c) + buffer("S", "shared", p.tile) +
           copy("load", p.src, p.load, p.load_group, p.load_more) + copy("store", p.store, p.dst, p.store_group, p.store_more);
}

Problem problem_of(const Parts& parts) {
    const Source source{"copy.toml", text_of(parts)};
    Result<Problem> problem = parse_problem(source, "copy");
    INFO((problem ? std::string() : render(problem.error(), source)));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

/// "rule: text"
std::string fault_of(const Parts& parts) {
    const Result<Problem> problem = parse_problem({"copy.toml", text_of(parts)}, "copy");
    return problem ? "none" : problem.error().rule + ": " + problem.error().text;
}

std::string open(const Parts& parts) {
    const Problem problem = problem_of(parts);
    return open(verify(problem, solve(problem).plan()));
}

std::vector<std::int64_t> widths(const Problem& problem) {
    std::vector<std::int64_t> out;
    for (const CopySolution& copy : solve(problem).copies) out.push_back(copy.width.count);
    return out;
}

void check_parts(const Parts& parts) {
    REQUIRE(open(parts) == "");
    check_code(problem_of(parts));
}

}  // namespace

TEST_CASE("group = \"each\" is read, with a symbol for the group's number") {
    const Problem p = problem_of({});
    REQUIRE(p.symbols.size() == 2);
    CHECK(p.symbols[0].name == "group");
    CHECK(p.symbols[0].index->dim == 3);
    CHECK(p.symbols[0].max == 7);
    CHECK(p.launch.groups == 8);
    CHECK(p.copies[0].each);
    CHECK(participants(p.copies[0], p.launch) == Participants{0, 32, 8});
    const Teams teams = teams_of(p.launch, p.copies[0]);
    CHECK(teams.count() == 8);
    CHECK(teams.at(3) == Team{0, 0, 0, 3});
    CHECK(to_string(teams.at(3), teams) == "warp 3");
    CHECK(to_string(*p.symbols[0].index, p.launch) == "tid.x / 32");
    CHECK(assumptions(p)[0].text == "ld is from 64 to 4096, a multiple of 8");  // that a thread computes its group is none
    CHECK(assumptions(p).back().text == "nothing but the groups of this block touches these bytes meanwhile");

    const std::string json = problem_json(p);
    const Result<Problem> again = parse_problem({"copy.json", json}, "copy");
    REQUIRE(again.ok());
    CHECK(problem_json(again.value()) == json);
    CHECK(json.find(R"("group":"each")") != std::string::npos);
    CHECK(json.find(R"("block":256)") != std::string::npos);

    Parts parts;
    parts.launch = "block = 256\ngrid = [2, 3]\nx = { from = \"ctaid.x\" }";
    const Problem grid = problem_of(parts);
    const Teams all = teams_of(grid.launch, grid.copies[0]);
    CHECK(all.count() == 48);
    CHECK(to_string(all.at(6 * 5 + 3), all) == "warp 5 of block (1,1,0)");
}

TEST_CASE("what a copy by each group cannot be") {
    const auto with = [](const auto& change) {
        Parts parts;
        change(parts);
        return fault_of(parts);
    };
    CHECK(with([](Parts&) {}) == "none");
    CHECK(with([](Parts& p) { p.launch = ""; }) ==
          "missing-key: [launch] lacks 'block': how many groups each perform the copy depends on it");
    CHECK(with([](Parts& p) { p.launch = "block = 100"; }) ==
          "out-of-range: a block of 100 threads is no whole number of warps, each of which performs load");
    CHECK(with([](Parts& p) { p.load_more = "scope = \"cta\"\nthreads = 256\n"; }) ==
          "out-of-range: group must be 0 for a cta, which is the whole block");
    CHECK(with([](Parts& p) { p.store_more = "scope = \"warpgroup\"\n"; }) ==
          "unsupported: copies by each group of one file have groups of one size, and store has others than the first");
    CHECK(with([](Parts& p) { p.store_group = ""; }) ==
          "unsupported: the region of S depends on the group, and store is no copy by each group");
    CHECK(with([](Parts& p) { p.store_group = "1"; }) ==
          "unsupported: the region of S depends on the group, and store is no copy by each group");
    CHECK(with([](Parts& p) { p.tile = "\"(128,64):(64,1) + group\""; }) ==
          "unsupported: the layout of S depends on the group, and all groups share the buffer");
    CHECK(with([](Parts& p) { p.tile = "\"(128,64):(64+group,1)\"\ncapacity = 10000"; }) ==
          "unsupported: the layout of S depends on the group, and all groups share the buffer");
    CHECK(with([](Parts& p) { p.launch = "block = 256\ngrid = [4]\ngroup = { from = \"ctaid.x\" }"; }) ==
          "duplicate-name: there is another symbol 'group'");
    CHECK(with([](Parts& p) {
              p.c += "\n[buffers.R]\nspace = \"register\"\ndtype = \"f16\"\nlayout = \"S[(32,8):(1@tx,1)]\"";
              p.load = "R", p.src = "A[0:32, 0:8]";
          }) ==
          "thread-outside: the layout of R says which threads of the block hold it, or of a larger group, and each warp performs load with "
          "registers of its own");
    CHECK(with([](Parts& p) { p.load_group = p.store_group = "0"; }).starts_with("unknown-symbol: "));
    CHECK(with([](Parts& p) { p.load_group = "\"all\""; }).starts_with("wrong-type: "));
    // Made by hand.
    const auto refused = [](const auto& change) {
        Problem p = problem_of({});
        REQUIRE_FALSE(check_problem(p).has_value());
        change(p);
        const auto fault = check_problem(p);
        return fault ? fault->rule : "none";
    };
    CHECK(refused([](Problem& p) { p.launch.groups = 4; }) == "out-of-range");  // not the symbol's range
    CHECK(refused([](Problem& p) { p.launch.groups = 0; }) == "out-of-range");
    CHECK(refused([](Problem& p) { p.launch.groups = 512; }) == "out-of-range");
    CHECK(refused([](Problem& p) { p.launch.groups = 4, p.symbols[0].max = 3; }) == "unsupported");
    CHECK(refused([](Problem& p) { p.copies[0].group = 1; }) == "out-of-range");
    CHECK(refused([](Problem& p) { p.copies[0].each = false; }) == "unsupported");
    CHECK(refused([](Problem& p) { p.symbols[0].index->dim = 4; }) == "out-of-range");
    CHECK(refused([](Problem& p) { p.symbols[0].index->times = 2, p.symbols[0].max = 14, p.symbols[0].multiple_of = 2; }) ==
          "out-of-range");
}

TEST_CASE("warps with rows of their own: all is proved, and the code moves every warp's part") {
    CHECK(widths(problem_of({})) == std::vector<std::int64_t>{128, 128});
    check_parts({});
    Parts swizzled;
    swizzled.tile = "\"Sw<3,3,3> o (128,64):(64,1)\"";
    CHECK(widths(problem_of(swizzled)) == std::vector<std::int64_t>{128, 128});
    check_parts(swizzled);
    Parts groups;  // of 128 threads
    groups.scope = "warpgroup";
    groups.src = "A[64*group:+64, :]", groups.load = groups.store = "S[64*group:+64, :]", groups.dst = "C[64*group:+64, :]";
    check_parts(groups);
    Parts threads;
    threads.scope = "thread";
    threads.launch = "block = 128";
    threads.src = "A[group:+1, 0:8]", threads.load = threads.store = "S[group:+1, 0:8]", threads.dst = "C[group:+1, 0:8]";
    CHECK(widths(problem_of(threads)) == std::vector<std::int64_t>{128, 128});
    check_parts(threads);
    Parts one;  // a block of one warp
    one.launch = "block = 32";
    CHECK(problem_of(one).launch.groups == 1);
    check_parts(one);
    Parts columns;  // 8 elements apart: 128 bits; 4 apart: 64
    columns.src = "A[:, 8*group:+8]", columns.load = columns.store = "S[:, 8*group:+8]", columns.dst = "C[:, 8*group:+8]";
    CHECK(widths(problem_of(columns)) == std::vector<std::int64_t>{128, 128});
    check_parts(columns);
    columns.src = "A[:, 4*group:+4]";
    columns.load = columns.store = "S[:, 4*group:+4]";
    columns.dst = "C[:, 4*group:+4]";
    CHECK(widths(problem_of(columns)) == std::vector<std::int64_t>{64, 64});
    check_parts(columns);
}

TEST_CASE("a whole block's copy beside those by each group, and a grid of them") {
    Parts mixed;
    mixed.store = "S", mixed.dst = "C", mixed.store_group = "", mixed.store_more = "scope = \"cta\"\nthreads = 192\n";
    check_parts(mixed);
    Parts grid;
    grid.launch = "block = 256\ngrid = [3]\nrow = { from = \"ctaid.x\", times = 128 }";
    grid.a = grid.c = "\"(384,64):(ld,1)\"";
    grid.src = "A[row+16*group:+16, :]", grid.dst = "C[row+16*group:+16, :]";
    check_parts(grid);
    Parts one_group = mixed;  // warp 5 alone stores what all have loaded
    one_group.store_more = "", one_group.store_group = "5";
    check_parts(one_group);
}

TEST_CASE("groups that write the same bytes are found, with the two of them") {
    const auto open_with = [](const auto& change) {
        Parts parts;
        change(parts);
        return open(parts);
    };
    // In shared memory: 16 rows, 8 apart.
    CHECK(open_with([](Parts& p) { p.load = "S[8*group:+16, :]"; }) ==
          "load disjoint refuted with ld = 64: warp 0 and warp 1 both write byte 1024 of S");
    CHECK(open_with([](Parts& p) { p.load = "S[0:16, :]"; }) ==
          "load disjoint refuted warp 0 and warp 1 both write byte 0 of S: where 'load' writes does not depend on group");
    CHECK(open_with([](Parts& p) { p.dst = "C[15*group:+16, :]"; }) ==
          "store disjoint refuted with ld = 64: warp 0 and warp 1 both write byte 1920 of C");
    CHECK(open_with([](Parts& p) { p.dst = "C[0:16, :]"; }) ==
          "store disjoint refuted warp 0 and warp 1 both write byte 0 of C: where 'store' writes does not depend on group");
    // The same source for all is read by all.
    CHECK(open_with([](Parts& p) { p.src = "A[0:16, :]"; }) == "");
    // Blocks of a grid have shared memory of their own, and global memory together.
    const auto in_grid = [&](const std::string& dst) {
        return open_with([&](Parts& p) {
            p.launch = "block = 256\ngrid = [3]\nrow = { from = \"ctaid.x\", times = 128 }";
            p.c = "\"(512,64):(ld,1)\"";
            p.dst = dst;
        });
    };
    CHECK(in_grid("C[row+16*group:+16, :]") == "");
    CHECK(in_grid("C[16*group:+16, :]") ==
          "store disjoint refuted warp 0 of block 0 and warp 0 of block 1 both write byte 0 of C: where 'store' writes does not depend on "
          "ctaid.x");
    CHECK(in_grid("C[row+20*group:+16, :]") ==
          "store disjoint refuted with ld = 64: warp 6 of block 0 and warp 0 of block 1 both write byte 16384 of C");
}

TEST_CASE("a group's number is no number that anybody promises") {
    const auto open_with = [](const auto& change) {
        Parts parts;
        change(parts);
        return open(parts);
    };
    CHECK(open_with([](Parts& p) { p.symbols += "\ngroup = { min = 0, max = 7 }"; }) == "");
    CHECK(open_with([](Parts& p) { p.symbols += "\ngroup = { min = 0, max = 6 }"; }) ==
          "assumptions refuted the launch makes group = 7 in warp 7, and [symbols] says 0 to 6");
    CHECK(open_with([](Parts& p) { p.symbols += "\ngroup = { multiple_of = 2 }"; }) ==
          "assumptions refuted the launch makes group = 7 in warp 7, and [symbols] says 0 to 7, a multiple of 2");
    CHECK(open_with([](Parts& p) { p.facts = "\"group <= 7\""; }) == "");
    CHECK(open_with([](Parts& p) {
              p.facts = "\"group <= 3\"";
          }).starts_with("assumptions refuted with group = 7, ld = 64: group <= 3 is false"));
}

TEST_CASE("between blocks no barrier orders groups") {
    // Every warp stores its rows, and afterwards the whole block reads some: of its own block, or of the next.
    const auto judged = [](const std::string& reads) {
        Parts p;
        p.launch = "block = 256\ngrid = [3]\nrow = { from = \"ctaid.x\", times = 128 }";
        p.c = "\"(512,64):(ld,1)\"";
        p.dst = "C[row+16*group:+16, :]";
        const std::string text =
            text_of(p) + "[[copies]]\nname = \"back\"\nsrc = \"" + reads + "\"\ndst = \"S\"\nscope = \"cta\"\nthreads = 256\n";
        const Source source{"copy.toml", text};
        const Result<Problem> problem = parse_problem(source, "copy");
        INFO((problem ? std::string() : render(problem.error(), source)));
        REQUIRE(problem.ok());
        return open(verify(problem.value(), solve(problem.value()).plan()));
    };
    CHECK(judged("C[row+128:+128, :]").starts_with("synchronised refuted with ld = 64: warp 0 of block 1 touches byte "));
    CHECK(judged("C[row:+128, :]").starts_with("synchronised unknown no proof that 'store' and 'back' touch different bytes of C"));

    // Warps read rows of C that overlap, and then each writes some of them. Blocks are apart, or they are not.
    const auto overlapping = [](const std::string& step) {
        Parts p;
        p.launch = "block = 256\ngrid = [3]\nrow = { from = \"ctaid.x\", times = 128 }";
        p.a = p.c;
        p.c = "\"(800,64):(ld,1)\"";
        p.src = "C[row+" + step + "*group:+16, :]";
        p.store = "S[16*group:+8, :]";
        p.dst = "C[row+" + step + "*group:+8, :]";
        return open(p);
    };
    CHECK(overlapping("8") == "");
    // 40 rows from one warp's to the next: what warp 3 of block 0 reads begins at row 120 and reaches into block 1.
    CHECK(overlapping("40").find("synchronised refuted with ld = 64: warp 3 of block 0 touches byte 16384 of C in 'load' and warp 0 of "
                                 "block 1 in 'store', one of them writes it") != std::string::npos);
}

TEST_CASE("a plan for other threads is refuted, and a plan file says how many groups there are") {
    const Problem p = problem_of({});
    const Plan good = solve(p).plan();
    const auto participants_with = [&](const Participants& who) {
        Plan plan = good;
        plan.copies[0].participants = who;
        return open(verify(p, plan));
    };
    CHECK(participants_with({0, 32, 8}) == "");
    CHECK(participants_with({0, 32, 1}) ==
          "load participants refuted threads 0..31 execute the copy, the scope is 0..255 in 8 groups of 32");
    CHECK(participants_with({0, 32, 7}).starts_with("load participants refuted"));
    CHECK(participants_with({0, 64, 4}).starts_with("load participants refuted"));
    CHECK(participants_with({32, 32, 8}).starts_with("load participants refuted"));
    Plan late = good;  // a barrier that one warp misses
    for (Step& step : late.program)
        if (auto* barrier = std::get_if<Barrier>(&step)) barrier->threads = 224;
    CHECK(open(verify(p, late)).find("synchronised refuted") != std::string::npos);
    Plan none = good;
    std::erase_if(none.program, [](const Step& step) { return std::holds_alternative<Barrier>(step); });
    CHECK(open(verify(p, none)).find("synchronised refuted 'store' depends on 'load'") != std::string::npos);
}

}  // namespace tileproof
