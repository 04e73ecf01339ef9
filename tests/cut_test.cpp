// Several widths in one copy: a body of wide accesses and narrower edges, where that takes fewer rounds; and what is no such copy.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emit/ptx.hpp"
#include "layouts/problem_file.hpp"
#include "solver/cut.hpp"
#include "solver/partition.hpp"
#include "tests/broken_plan.hpp"
#include "tests/oracle.hpp"
#include "tests/program.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"

namespace tileproof {
namespace {

/// One side: space, layout, region, and what else there is to say of the buffer.
struct End {
    std::string space, layout, region{}, more{};
};

std::string text_of(const std::string& dtype, const End& src, const End& dst, const std::string& who, const std::string& arch = "sm_90") {
    const auto buffer = [&](const char* name, const End& end) {
        const std::string align = end.more.find("base") == std::string::npos ? "align = 256\n" : "";
        return std::string("[buffers.") + name + "]\nspace = \"" + end.space + "\"\ndtype = \"" + dtype + "\"\nlayout = \"" + end.layout +
               "\"\n" + align + end.more;
    };
    return "[target]\narch = \"" + arch + "\"\n" + buffer("A", src) + buffer("B", dst) + "[[copies]]\nsrc = \"A" + src.region +
           "\"\ndst = \"B" + dst.region + "\"\n" + who;
}

Problem problem_of(const std::string& text) {
    INFO(text);
    const Result<Problem> problem = parse_problem({"cut.toml", text}, "cut");
    INFO((problem ? std::string() : problem.error().text));
    REQUIRE(problem.ok());
    return problem.value();
}

std::string cta(int threads) { return "scope = \"cta\"\nthreads = " + std::to_string(threads) + "\n"; }
const std::string thread = "scope = \"thread\"\n", warp = "scope = \"warp\"\n";

std::int64_t rounds_of(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments) out += s.outer;
    return out;
}

/// "128x2 16x1": widths and rounds of the segments.
std::string summary(const CopyPlan& plan) {
    std::string out;
    for (const Segment& s : plan.segments)
        out += (out.empty() ? "" : " ") + std::to_string(s.src.width.count) + "x" + std::to_string(s.outer);
    return out;
}

/// Proved by each checker alone and by both, without a conflict, and right when it is simulated and when its code is run.
void check_works(const Problem& problem, const Plan& plan) {
    REQUIRE_FALSE(check_plan(problem, plan).has_value());
    test::check_proved(problem, plan);
    const Report report = verify(problem, plan, {.require_widest = true});
    CHECK(report.verdict() == Verdict::proved);
    CHECK(report.copies[0].widest->verdict == Verdict::proved);
    CHECK(simulate::fault(problem, problem.copies[0], plan.copies[0]) == "");
    test::Bench bench(problem, plan);
    const bool from_shared = problem.buffer(problem.copies[0].src).space == Space::shared;
    CHECK((from_shared ? bench.difference(true, 1) : bench.difference()) == "");
    CHECK(bench.assembly_errors({problem.target.name}) == "");
}

std::string in_one_line(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (const bool is_space = c == ' ' || c == '\n'; !is_space || out.empty() || out.back() != ' ') out += is_space ? ' ' : c;
    return out;
}

const End rows_a{"global", "(128,33):(40,1)"}, rows_b{"shared", "(128,33):(48,1)"};

}  // namespace

TEST_CASE("body and edges") {
    struct Case {
        const char* what;
        std::string text, single, several;
    };
    const End left{"global", "(64,96):(96,1)", "[:, 3:64]"}, right{"shared", "(64,96):(96,1)", "[:, 3:64]"};
    for (const Case& c : {
             Case{"rows of 33", text_of("f16", rows_a, rows_b, cta(256)), "16x17", "128x2 16x1"},
             Case{"back again", text_of("f16", {"shared", "(128,33):(48,1)"}, {"global", "(128,33):(40,1)"}, cta(256)), "16x17",
                  "128x2 16x1"},
             Case{"33 lines of one piece", text_of("f32", {"global", "(33,33):(33,1)"}, {"shared", "(33,33):(33,1)"}, cta(256)), "32x5",
                  "128x1 32x1"},
             Case{"column 3 on both sides, an element at a time at the edges", text_of("f16", left, right, cta(256)), "16x16",
                  "128x2 16x2"},
             Case{"the same by few threads: halves of halves", text_of("f16", left, right, warp), "16x122", "128x14 64x2 16x2"},
             Case{"column 3 to column 11", text_of("f16", left, {"shared", "(64,96):(96,1)", "[:, 11:72]"}, cta(256)), "16x16",
                  "128x2 16x2"},
             Case{"an offset of 3 along a line",
                  text_of("f32", {"global", "(256):(1)", "[3:250]"}, {"shared", "(256):(1)", "[3:250]"}, thread), "32x247",
                  "128x61 64x1 32x1"},
             Case{"five of five", text_of("f32", {"global", "(5,5):(8,1)"}, {"shared", "(5,5):(12,1)"}, thread), "32x25", "128x5 32x5"},
             Case{"64 bits and the rest",
                  text_of("f16", {"global", "(16,36):(40,1)", "[:, 0:35]"}, {"shared", "(16,36):(36,1)", "[:, 0:35]"}, warp), "16x18",
                  "64x4 16x2"},
             Case{"a swizzle",
                  text_of("f16", {"global", "(64,61):(64,1)"}, {"shared", "Sw<3,3,3> o (64,64):(64,1)", "[:, 0:61]"}, cta(128)), "16x31",
                  "128x4 64x1 16x1"},
             Case{"blocks of 8 in an order",
                  text_of("f16", {"global", "(24,40):(40,1)", "[:, 5:38]"}, {"shared", "Sw<2,3,3> o (24,40):(40,1)", "[:, 5:38]"}, warp),
                  "16x25", "128x3 64x1 32x1 32x1 16x1"},
             Case{"a swizzle that moves nothing so near",
                  text_of("f16", {"global", "Sw<2,3,2> o (32):(1)", "", "base = 6\n"}, {"shared", "(35):(1)", "[3:35]"}, thread), "16x32",
                  "128x3 64x1 32x1 16x1 16x1"},
             Case{"one that moves nothing of its panel",
                  text_of("f32", {"global", "(4,9):(12,1)"}, {"shared", "Sw<1,1,4> o (4,9):(64,1)"}, thread), "32x36", "128x8 32x4"},
             Case{"its neighbour moves", text_of("f32", {"global", "(4,9):(12,1)"}, {"shared", "Sw<1,1,4> o (4,9):(32,1)"}, thread),
                  "32x36", "64x16 32x4"},
             Case{"bytes", text_of("u8", {"global", "(32,67):(80,1)"}, {"shared", "(32,67):(96,1)"}, warp), "8x67", "128x4 16x1 8x1"},
             Case{"half bytes", text_of("u4", {"global", "(32,66):(96,1)"}, {"shared", "(32,66):(128,1)"}, warp), "8x33", "128x2 8x1"},
             Case{"known bases",
                  text_of("f16", {"global", "(4096):(1)", "[1:4090]", "base = 2\n"}, {"shared", "(4096):(1)", "[1:4090]", "base = 2\n"},
                          cta(64)),
                  "16x64", "128x8 32x1 16x1"},
             Case{"threads that do not divide", text_of("f32", {"global", "(10,33):(36,1)"}, {"shared", "(10,33):(44,1)"}, cta(7)), "32x48",
                  "128x16 32x2"},
             Case{"turned around",
                  text_of("f32", {"global", "(33,16):(-64,1) + 2048"}, {"shared", "(33,16):(-64,1) + 2048"}, warp, "sm_80"), "128x5",
                  "128x5"},
             Case{"a broadcast", text_of("f32", {"global", "(16,33):(0,1)"}, {"shared", "(16,33):(36,1)"}, warp), "32x17", "128x4 32x1"},
             Case{"three dimensions, the wide one in the middle",
                  text_of("f16", {"global", "(4,21,6):(400,1,24)"}, {"shared", "(4,21,6):(200,1,32)"}, warp), "16x16", "128x2 64x1 16x1"},
         }) {
        CAPTURE(std::string(c.what));
        const Problem problem = problem_of(c.text);
        const Solution several = solve(problem), single = solve(problem, {.single = true});
        REQUIRE(several.complete());
        REQUIRE(single.complete());
        const CopyPlan &plan = *several.copies[0].plan, &one = *single.copies[0].plan;
        CHECK(summary(plan) == c.several);
        CHECK(summary(one) == c.single);
        CHECK(one.segments.size() == 1);
        CHECK_FALSE(single.copies[0].single_rounds.has_value());
        CHECK(several.copies[0].width == single.copies[0].width);
        CHECK(several.copies[0].refused.size() == single.copies[0].refused.size());
        CHECK(oracle::widest(problem, problem.copies[0]).width_bits == several.copies[0].width.count);
        if (plan.segments.size() > 1) {
            CHECK(rounds_of(plan) < rounds_of(one));
            CHECK(several.copies[0].single_rounds == rounds_of(one));
        }
        check_works(problem, several.plan());
        check_works(problem, single.plan());
    }
}

TEST_CASE("256 bits, and cp.async") {
    const End from{"global", "(64,70):(80,1)"};
    const auto plan = [&](const std::string& arch, const std::string& dtype, const End& to, const std::string& who) {
        const Problem problem = problem_of(text_of(dtype, from, to, who, arch));
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        check_works(problem, solution.plan());
        return summary(*solution.copies[0].plan) + " " + solution.copies[0].plan->segments.back().src.instruction;
    };
    CHECK(plan("sm_100", "f32", {"global", "(64,70):(96,1)"}, warp) == "256x16 128x2 64x2 ld.global.v2.u32");
    CHECK(plan("sm_90", "f32", {"global", "(64,70):(96,1)"}, warp) == "128x34 64x2 ld.global.v2.u32");
    // cp.async has no 16 bits: what there is ends in 4 bytes.
    CHECK(plan("sm_90", "f32", {"shared", "(64,70):(96,1)"}, warp + "completion = \"kernel\"\n") ==
          "128x34 64x2 cp.async.ca.shared.global");
    CHECK(plan("sm_90", "f16", {"shared", "(64,70):(96,1)"}, warp + "completion = \"kernel\"\n") ==
          "128x16 64x2 32x2 cp.async.ca.shared.global");
    CHECK(plan("sm_90", "f16", {"shared", "(64,70):(96,1)"}, warp + "completion = \"kernel\"\ncache = \"L2::128B\"\n") ==
          "128x16 64x2 32x2 cp.async.ca.shared.global.L2::128B");
    CHECK(plan("sm_90", "f16", {"shared", "(64,70):(96,1)"}, warp + "cache = [\"nc\", \"L1::no_allocate\"]\n") ==
          "128x16 64x2 32x2 ld.global.nc.L1::no_allocate.u32");
}

TEST_CASE("one width stays where no block is common, where it takes no more rounds, or where it is asked for") {
    const auto segments = [](const std::string& text) {
        const Problem problem = problem_of(text);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK_FALSE(solution.copies[0].single_rounds.has_value());
        check_works(problem, solution.plan());
        return solution.copies[0].plan->segments.size();
    };
    CHECK(segments(text_of("f16", {"global", "(64,96):(96,1)", "[:, 3:64]"}, {"shared", "(64,96):(96,1)", "[:, 4:65]"}, cta(64))) ==
          1);  // other places in the block
    CHECK(segments(text_of("f16", {"global", "(128,33):(33,1)"}, {"shared", "(128,33):(48,1)"}, cta(64))) ==
          1);  // rows of one side end anywhere
    CHECK(segments(text_of("f16", {"global", "(128,33):(40,1)"}, {"shared", "(128,33):(1,128)"}, cta(64))) == 1);  // no common runs
    CHECK(segments(text_of("f16", {"global", "(128,33):(40,1)"}, {"shared", "Sw<3,0,3> o (128,64):(64,1)", "[:, 0:33]"}, cta(64))) ==
          1);                                                                                          // chunks of one element
    CHECK(segments(text_of("f32", {"global", "(5,5):(5,1)"}, {"shared", "(5,5):(5,1)"}, warp)) == 1);  // one round
    CHECK(segments(text_of("f32", {"global", "(5,5):(8,1)"}, {"shared", "(5,5):(8,1)"}, warp)) == 1);  // one round, flat
    CHECK(segments(text_of("f32", {"global", "(64):(1)", "[3:5]"}, {"shared", "(64):(1)", "[3:5]"}, thread)) ==
          1);  // two rounds at the most
    CHECK(segments(
              text_of("f32", {"global", "(64):(1)", "[0:33]", "base = 4\n"}, {"shared", "(64):(1)", "[0:33]", "base = 8\n"}, thread)) == 1);
    const auto asked = [&](const std::string& more) {
        const Problem problem = problem_of(text_of("f16", rows_a, rows_b, cta(256) + more));
        return solve(problem).copies[0].plan->segments.size();
    };
    CHECK(asked("") == 2);
    CHECK(asked("dispatch = \"fallback\"\n") == 1);
    Problem same = problem_of(text_of("f32", {"global", "(2,64):(64,1)", "[0, 3:36]"}, {"global", "(2,64):(64,1)", "[1, 3:36]"}, thread));
    CHECK(solve(same).copies[0].plan->segments.size() > 1);
    same.copies[0].dst.buffer = 0;  // within one buffer
    CHECK(solve(same).copies[0].plan->segments.size() == 1);
}

TEST_CASE("with symbols: rows of 33 of any pitch, a start that is a symbol, and a last tile") {
    struct Case {
        const char* what;
        std::string text, symbols, several;
        std::vector<Values> values;
    };
    for (const Case& c : {
             Case{"any pitch",
                  text_of("f16", {"global", "(128,33):(ld,1)"}, rows_b, cta(256)),
                  "ld = { min = 40, max = 4096, multiple_of = 8 }",
                  "128x2 16x1",
                  {{40}, {48}, {4096}}},
             Case{"a pitch of any multiple of 4",
                  text_of("f16", {"global", "(128,33):(ld,1)"}, rows_b, cta(256)),
                  "ld = { min = 40, max = 4096, multiple_of = 4 }",
                  "64x4 16x1",
                  {{40}, {44}, {4096}}},
             Case{"any pitch at all",
                  text_of("f16", {"global", "(128,33):(ld,1)"}, rows_b, cta(256)),
                  "ld = { min = 40, max = 4096 }",
                  "16x17",
                  {{40}, {41}}},
             Case{"from column 3 of a panel",
                  text_of("f16", {"global", "(64,4096):(4096,1)", "[:, at+3:+61]"}, {"shared", "(64,64):(64,1)", "[:, 3:64]"}, cta(256)),
                  "at = { min = 0, max = 4032, multiple_of = 8 }",
                  "128x2 16x2",
                  {{0}, {8}, {4032}}},
             Case{"a last tile",
                  text_of("f16", {"global", "(128,33):(ld,1)", "[0:n, :]"}, {"shared", "(128,33):(48,1)", "[0:n, :]"}, cta(256)),
                  "ld = { min = 40, max = 512, multiple_of = 8 }\nn = { min = 0, max = 128 }",
                  "128x2 16x1",
                  {{40, 0}, {40, 1}, {48, 77}, {512, 128}}},
         }) {
        CAPTURE(std::string(c.what));
        const Problem problem = problem_of(c.text + "[symbols]\n" + c.symbols + "\n");
        const Solution several = solve(problem), single = solve(problem, {.single = true});
        REQUIRE(several.complete());
        CHECK(summary(*several.copies[0].plan) == c.several);
        CHECK(single.copies[0].plan->segments.size() == 1);
        CHECK(several.copies[0].width == single.copies[0].width);
        for (const Solution* solution : {&several, &single}) {
            const Report report = verify(problem, solution->plan());
            CHECK(report.verdict() == Verdict::proved);
            CHECK(report.conflicts.empty());
            CHECK(report.copies[0].widest->verdict == Verdict::proved);
            for (const Values& values : c.values) {
                CAPTURE(values[0]);
                test::Bench bench(problem, solution->plan(), values);
                CHECK(bench.difference() == "");
            }
        }
    }
}

TEST_CASE("the fewest rounds of any split of the threads") {
    for (const std::int64_t threads : {1, 7, 12, 32, 96})
        for (const std::vector<std::int64_t>& accesses : {std::vector<std::int64_t>{1}, {33}, {5, 5}, {12, 7, 3}, {64, 2, 1, 9}})
            CHECK(fewest_rounds(accesses, threads) == oracle::fewest_rounds(accesses, threads));
}

TEST_CASE("what is wrong between segments is refuted, by each checker alone") {
    struct Case {
        std::string obligation, what;
        std::function<void(Plan&)> damage;
    };
    const Problem rows = problem_of(text_of("f16", rows_a, rows_b, cta(256)));
    const Plan good = solve(rows).plan();
    REQUIRE(summary(good.copies[0]) == "128x2 16x1");
    const auto body = [](Plan& plan) -> Segment& { return plan.copies[0].segments[0]; };
    const auto tail = [](Plan& plan) -> Segment& { return plan.copies[0].segments[1]; };
    const auto moved = [](Segment& s, std::size_t dim, std::int64_t by) {
        s.start[dim] += by;
        for (SidePlan* side : {&s.src, &s.dst}) side->address.offset += dim == 1 ? by : (side == &s.src ? 40 : 48) * by;
    };
    REQUIRE(tail(const_cast<Plan&>(good)).start == std::vector<std::int64_t>{0, 32});
    for (const Case& c :
         {Case{"covers", "the tail is left out", [&](Plan& p) { p.copies[0].segments.pop_back(); }},
          Case{"covers", "the body is left out", [&](Plan& p) { p.copies[0].segments.erase(p.copies[0].segments.begin()); }},
          Case{"covers", "the tail starts one before", [&](Plan& p) { moved(tail(p), 1, -1); }},
          Case{"disjoint", "the tail starts one before", [&](Plan& p) { moved(tail(p), 1, -1); }},
          Case{"predicate", "the tail starts one behind", [&](Plan& p) { moved(tail(p), 1, 1); }},
          Case{"disjoint", "the tail twice", [&](Plan& p) { p.copies[0].segments.push_back(tail(p)); }},
          Case{"aligned.src", "the body starts one behind", [&](Plan& p) { moved(body(p), 1, 1); }},
          Case{"covers", "the body starts a row behind", [&](Plan& p) { moved(body(p), 0, 1); }},
          Case{"address.src", "the tail reads what is before it", [&](Plan& p) { tail(p).src.address.offset -= 1; }},
          Case{"same-element", "the tail writes where the body does", [&](Plan& p) { tail(p).dst.address.offset -= 1; }},
          Case{"aligned.dst", "the tail is as wide as the body", [&](Plan& p) {
                   for (SidePlan* side : {&tail(p).src, &tail(p).dst})
                       *side = {side == &tail(p).src ? "ld.global.v4.u32" : "st.shared.v4.u32", Bits{128}, side->address};
                   tail(p).dst.address.offset += 1;
               }}}) {
        CAPTURE(c.obligation);
        CAPTURE(c.what);
        Plan plan = good;
        c.damage(plan);
        REQUIRE_FALSE(check_plan(rows, plan).has_value());
        const bool by_enumeration = test::refuted(verify(rows, plan, test::exhaustive_alone()), c.obligation);
        CHECK(by_enumeration);
        // Z3 alone leaves `covers` open where there are several segments; it never proves it.
        const Report smt = verify(rows, plan, test::smt_alone());
        for (const Finding& finding : smt.copies[0].findings)
            if (finding.obligation == c.obligation)
                CHECK((finding.verdict == Verdict::refuted || (c.obligation == "covers" && finding.verdict == Verdict::unknown)));
        const Certified both = verify_and_certify(rows, plan);
        CHECK(test::refuted(both.report, c.obligation));
        CHECK(both.report.conflicts.empty());
        CHECK(!both.plan.has_value());
        CHECK(simulate::fault(rows, rows.copies[0], plan.copies[0]) != "");
    }
}

TEST_CASE("on the command line: the reason in text, in JSON and at length; --single; and the plan read back") {
    const test::Folder folder;
    const std::string file = test::quoted((folder / "rows.toml").string());
    std::ofstream(folder / "rows.toml") << text_of("f16", rows_a, rows_b, cta(256));
    const std::string text = test::run("plan " + file).out;
    for (const char* line : {"\n  segment  128 bits: 8 elements x 256 threads x 2 rounds\n",
                             "\n  segment  16 bits: 1 element x 128 of 256 threads x 1 round\n",
                             "\n  edges    only they are narrow: 3 rounds for all; 16 bits alone would take 17\n", "\n  not 128  "})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
    const std::string explained = in_one_line(test::run("explain " + file).out);
    for (const char* words : {"16 bits are legal for the whole region", "128 bits from 0 to 31 and 16 bits from 32 to 32",
                              "That is 3 rounds, and 16 bits alone would take 17.", "640 accesses over 256 threads: 3 rounds"})
        CHECK_MESSAGE(explained.find(words) != std::string::npos, words << explained);
    std::ofstream(folder / "last.toml") << text_of("f16", {"global", "(100,33):(ld,1)", "[0:n, :]"},
                                                   {"shared", "(100,33):(48,1)", "[0:n, :]"}, cta(256)) +
                                               "[symbols]\nld = { min = 40, max = 512, multiple_of = 8 }\nn = { min = 0, max = 100 }\n";
    const std::string of_symbols = in_one_line(test::run("explain " + test::quoted((folder / "last.toml").string())).out);
    CHECK_MESSAGE(of_symbols.find("along dimension 1 of A") != std::string::npos, of_symbols);
    CHECK_MESSAGE(of_symbols.find("128 bits from 0 to 31 and 16 bits from 32 to 32") != std::string::npos, of_symbols);
    const nlohmann::json several = nlohmann::json::parse(test::run("plan --format json " + file).out)["copies"][0],
                         single = nlohmann::json::parse(test::run("plan --single --format json " + file).out)["copies"][0];
    CHECK(several["width_bits"] == 16);
    CHECK(several["outer"] == 3);
    CHECK(several["single"] == nlohmann::json{{"width_bits", 16}, {"outer", 17}});
    CHECK(several["segments"].size() == 2);
    CHECK(single["width_bits"] == 16);
    CHECK(single["outer"] == 17);
    CHECK_FALSE(single.contains("single"));
    CHECK(single["segments"].size() == 1);
    CHECK(test::run("plan --single " + file).out.find("width    16 bits: 1 element x 256 threads x 17 rounds") != std::string::npos);
    std::ofstream(folder / "plan.json") << several.dump();
    CHECK(test::run("verify --require-widest " + file + " --plan " + test::quoted((folder / "plan.json").string())).status == 0);
    const std::string ptx = test::run("emit " + file).out, narrow = test::run("emit --single " + file).out;
    CHECK(ptx.find("ld.global.v4.u32") != std::string::npos);
    CHECK(ptx.find("ld.global.u16") != std::string::npos);
    CHECK(narrow.find("ld.global.v4.u32") == std::string::npos);
}

TEST_CASE("on the command line: tails in text, in JSON, at length and in code; --single; and the plan read back") {
    const test::Folder folder;
    const std::string path = (folder / "columns.toml").string(), file = test::quoted(path);
    std::ofstream(path) << text_of("f16", {"global", "(100,64):(64,1)", "[:, 0:n]"}, {"shared", "(100,64):(72,1)", "[:, 0:n]"}, cta(256)) +
                               "[symbols]\nn = { min = 0, max = 64 }\n";
    const std::string text = test::run("plan " + file).out;
    for (const char* line :
         {"\n  segment  128 bits: 8 elements x 256 threads x 4 rounds\n", "\n  tail     b = n, rounded down to a multiple of 8\n", "A[b + ",
          "n - 7\n", "\n  tail     b = n, rounded down to a multiple of 4\n",
          "\n  edges    only they are narrow: 7 rounds for all; 16 bits alone would take 25\n", "\n  unlock   n a multiple of 8\n"})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
    const std::string explained = in_one_line(test::run("explain " + file).out);
    for (const char* words : {"The end, after n of them, need be no multiple of 8.",
                              "by 64 bits from the last multiple of 8 on and by 16 bits from the last multiple of 4 on.",
                              "That is 7 rounds, and 16 bits alone would take 25.", "at most one access of a thread in each"})
        CHECK_MESSAGE(explained.find(words) != std::string::npos, words << explained);
    const nlohmann::json several = nlohmann::json::parse(test::run("plan --format json " + file).out)["copies"][0],
                         single = nlohmann::json::parse(test::run("plan --single --format json " + file).out)["copies"][0];
    CHECK(several["single"] == nlohmann::json{{"width_bits", 16}, {"outer", 25}});
    REQUIRE(several["segments"].size() == 3);
    CHECK_FALSE(several["segments"][0].contains("tail"));
    CHECK(several["segments"][0]["predicate"] == nlohmann::json::parse(R"([{"dim": 0, "below": "100"}, {"dim": 1, "below": "n - 7"}])"));
    CHECK(several["segments"][1]["tail"] == nlohmann::json{{"dim", 1}, {"end", "n"}, {"multiple", 8}});
    CHECK(several["segments"][1]["src"]["address"]["tail_stride"] == "1");
    CHECK(single["segments"].size() == 1);
    CHECK_FALSE(single["segments"][0].contains("tail"));
    const auto verified = [&](const nlohmann::json& plan) {
        std::ofstream(folder / "plan.json") << plan.dump();
        return test::run("verify --format json --require-widest " + file + " --plan " + test::quoted((folder / "plan.json").string()));
    };
    const test::Ran same = verified(several);
    CHECK(same.status == 0);
    CHECK(nlohmann::json::parse(same.out)["copies"][0]["segments"] == several["segments"]);
    nlohmann::json wrong = several;
    wrong["segments"][1]["tail"]["multiple"] = "16";
    CHECK(verified(wrong).status == 1);
    wrong["segments"][1]["tail"]["multiple"] = 12;
    CHECK(verified(wrong).status == 2);
    wrong = several;
    wrong["segments"][1]["tail"].erase("end");
    CHECK(verified(wrong).out.find("has no 'end'") != std::string::npos);
    wrong = several;
    wrong["segments"][1]["tail"]["end"] = "rows";
    CHECK(verified(wrong).status == 2);
    wrong = several;
    wrong["segments"][2].erase("tail");
    CHECK(verified(wrong).status == 2);
    const std::string ptx = test::run("emit " + file).out;
    for (const char* line :
         {"// begin = n, rounded down to a multiple of 8\n", ", -8;\n", "ld.global.v4.u32", "ld.global.v2.u32", "ld.global.u16"})
        CHECK_MESSAGE(ptx.find(line) != std::string::npos, line << ptx);
    CHECK(test::run("emit --single " + file).out.find("ld.global.v4.u32") == std::string::npos);
}

}  // namespace tileproof
