// Symbols: widths for all values, refusals with the least values that show them, proofs, and refutations of plans that only some
// values break.
#include <doctest/doctest.h>

#include <algorithm>

#include "layouts/problem_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "solver/remedy.hpp"
#include "tests/corpus.hpp"
#include "tests/oracle.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

/// `symbols`: the lines of [symbols]; `facts`: between the brackets; `a`, `b`: what follows `layout =` of both buffers.
Problem problem_of(const std::string& symbols, const std::string& facts, const std::string& a, const std::string& b,
                   const std::string& src = "A", const std::string& dst = "B") {
    const std::string text = "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols + "\n[assume]\nfacts = [" + facts +
                             "]\n[buffers.A]\nspace = \"global\"\ndtype = \"f16\"\nlayout = " + a +
                             "\n[buffers.B]\nspace = \"global\"\ndtype = \"f16\"\nlayout = " + b + "\n[[copies]]\nsrc = \"" + src +
                             "\"\ndst = \"" + dst + "\"\nscope = \"cta\"\nthreads = 64\n";
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    INFO((problem ? std::string() : render(problem.error(), {"copy.toml", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

const std::string tile = "\"(128,64):(64,1)\"";
const std::string rows = "\"(128,64):(ld,1)\"";

struct Case {
    std::string what;
    Problem problem;
    std::int64_t width;
    std::string rule{};     // of the next wider one
    Values refused_with{};  // and the values that show it
};

std::vector<Case> cases() {
    return {
        {"pitch a multiple of 8", problem_of("ld = { min = 64, max = 65536, multiple_of = 8 }", "", rows, tile), 128, "target", {}},
        {"pitch a multiple of 4", problem_of("ld = { min = 64, max = 65536, multiple_of = 4 }", "", rows, tile), 64, "stride", {68}},
        {"any pitch", problem_of("ld = { min = 64, max = 65536 }", "", rows, tile), 16, "stride", {65}},
        {"alignment as a relation", problem_of("ld = { min = 64, max = 65536 }", "\"(2*ld) % 16 == 0\"", rows, tile), 128, "target", {}},
        {"a relation that says less", problem_of("ld = { min = 64, max = 65536 }", "\"ld % 8 == 4\"", rows, tile), 64, "stride", {68}},
        {"a pitch that is a sum of multiples",
         problem_of("x = { min = 8, max = 4096 }\ny = { min = 0, max = 64 }", "", "\"(128,64):(8*x + 16*y + 64,1)\"", tile),
         128,
         "target",
         {}},
        {"offsets that cancel",
         problem_of("p = { min = 0, max = 1000 }\nq = { min = 0, max = 1000 }", "\"p % 8 == q % 8\", \"p >= q\"",
                    "\"(128,64):(64,1) + p - q\"", tile),
         128,
         "target",
         {}},
        {"a row and a pitch",
         problem_of("row = { min = 0, max = 3968 }\nld = { min = 64, max = 4096, multiple_of = 8 }", "", "\"(4096,64):(ld,1)\"", tile,
                    "A[row:row+128, :]"),
         128,
         "target",
         {}},
        {"a start column",
         problem_of("c = { min = 0, max = 64, multiple_of = 8 }", "", "\"(128,128):(128,1)\"", tile, "A[:, c:+64]"),
         128,
         "target",
         {}},
        {"a start column, less aligned",
         problem_of("c = { min = 0, max = 64, multiple_of = 2 }", "", "\"(128,128):(128,1)\"", tile, "A[:, c:+64]"),
         32,
         "region-offset",
         {2}},
        {"batch and row pitch into packed rows",
         problem_of("bs = { min = 8192, max = 1048576, multiple_of = 8 }\nld = { min = 64, max = 4096, multiple_of = 8 }",
                    "\"bs >= 128*ld\"", "\"(4,128,64):(bs,ld,1)\"", "\"(4,128,64):(8192,64,1)\""),
         128,
         "target",
         {}},
        {"packed rows into a batch and row pitch",
         problem_of("bs = { min = 8192, max = 1048576, multiple_of = 8 }\nld = { min = 64, max = 4096, multiple_of = 8 }",
                    "\"bs >= 128*ld\"", "\"(4,128,64):(8192,64,1)\"", "\"(4,128,64):(bs,ld,1)\""),
         128,
         "target",
         {}},
        {"rows up to n",
         problem_of("n = { min = 0, max = 128 }\nld = { min = 64, max = 4096, multiple_of = 8 }", "", rows + "\ncapacity = \"n*ld\"", tile,
                    "A[0:n, :]", "B[0:n, :]"),
         128,
         "target",
         {}},
        {"packed rows up to n, one dimension of 64*n",
         problem_of("n = { min = 1, max = 100 }", "", tile + "\ncapacity = \"64*n\"", tile + "\ncapacity = \"64*n\"", "A[0:n, :]",
                    "B[0:n, :]"),
         128,
         "target",
         {}},
        {"a length that is a multiple of 4",
         problem_of("n = { min = 0, max = 5000, multiple_of = 4 }", "", "\"(8192):(1)\"\ncapacity = \"n\"", "\"(8192):(1)\"", "A[0:n]",
                    "B[0:n]"),
         64,
         "no-partner",
         {4}},
        {"columns up to 8*m, in a transposed order",
         problem_of("m = { min = 1, max = 8 }", "", "\"(128,64):(1,128)\"", "\"(128,64):(1,136)\"", "A[:, 0:8*m]", "B[:, 0:8*m]"),
         128,
         "target",
         {}},
        {"columns up to 8*m",
         problem_of("m = { min = 1, max = 8 }", "", tile, "\"(128,64):(72,1)\"", "A[:, 0:8*m]", "B[:, 0:8*m]"),
         128,
         "target",
         {}},
        {"rows and columns, from a row on",
         problem_of("r = { min = 0, max = 1000 }\nn = { min = 0, max = 64 }\nm = { min = 0, max = 32, multiple_of = 2 }", "",
                    "\"(1064,32):(40,1)\"", "\"(64,32):(32,1)\"", "A[r:r+n, 0:m]", "B[0:n, 0:m]"),
         32,
         "no-partner",
         {0, 1, 2}},
        {"an extent that a fact bounds",
         problem_of("n = { min = 0, max = 65536 }", "\"n <= 128\"", tile, tile, "A[0:n, :]", "B[0:n, :]"),
         128,
         "target",
         {}},
        {"a pitch that is too little for two rows",
         problem_of("n = { min = 0, max = 128 }", "", "\"(128,4):(5,1)\"", "\"(128,4):(4,1)\"", "A[0:n, :]", "B[0:n, :]"),
         16,
         "stride",
         {2}},
        {"an extent that ends between the multiples in the shape",
         problem_of("k = { min = 0, max = 100 }", "\"8*k <= 20\"", "\"(20):(1)\"", "\"(20):(1)\"", "A[0:8*k]", "B[0:8*k]"),
         128,
         "target",
         {}},
        {"a reversed destination",
         problem_of("n = { min = 0, max = 16 }", "", "\"(16):(1)\"", "\"(16):(-1) + 15\"", "A[0:n]", "B[0:n]"),
         16,
         "region-offset",
         {1}},
        {"an extent of at most 1", problem_of("n = { min = 0, max = 1 }", "", tile, tile, "A[0:n, :]", "B[0:n, :]"), 128, "target", {}},
        {"a swizzle behind a symbolic offset",
         problem_of("p = { min = 0, max = 4, multiple_of = 1 }", "", "\"Sw<3,3,3> o 512*p o (128,64):(64,1)\"", tile),
         128,
         "target",
         {}},
    };
}

std::string open(const Report& report) {
    std::string out;
    for (const Finding& f : report.copies[0].findings)
        if (f.verdict != Verdict::proved)
            out += f.obligation + " " + to_string(f.verdict) + " " + (f.counterexample ? f.counterexample->text : f.reason) + "\n";
    return out;
}

std::string refuted(const Report& report) {
    std::string out;
    for (const Finding& f : report.copies[0].findings)
        if (f.verdict == Verdict::refuted) out += (out.empty() ? "" : " ") + f.obligation;
    return out;
}

}  // namespace

TEST_CASE("the widest for all values of the symbols") {
    for (const Case& c : cases()) {
        INFO(c.what);
        const Solution solution = solve(c.problem);
        const CopySolution& copy = solution.copies[0];
        CHECK(copy.undecided == "");
        CHECK(copy.width.count == c.width);
        REQUIRE(copy.plan.has_value());
        REQUIRE_FALSE(copy.refused.empty());
        CHECK(copy.refused.back().rule == c.rule);
        if (!c.refused_with.empty()) {
            REQUIRE(copy.refused.back().witness.has_value());
            CHECK(copy.refused.back().witness->symbols == c.refused_with);
        }
        const Report report = verify(c.problem, solution.plan());
        CHECK(open(report) == "");
        CHECK(report.verdict() == Verdict::proved);
        // The same by enumeration at samples, and by running the emitted code there.
        const std::vector<Values> samples = sample_values(c.problem, 6);
        REQUIRE(samples.size() >= 2);
        for (const Values& values : samples) {
            const Problem one = at(c.problem, values);
            if (moved(one.copies[0]) < Elements{1}) continue;
            REQUIRE_FALSE(check_problem(one).has_value());
            CHECK(simulate::fault(one, one.copies[0], *at(*copy.plan, c.problem, c.problem.copies[0], values)) == "");
            CHECK(oracle::widest(one, one.copies[0]).width_bits >= c.width);
        }
        test::Bench bench(c.problem, solution.plan());
        for (const std::size_t i : {std::size_t{0}, samples.size() - 1}) {
            bench.values = samples[i];
            if (at(c.problem, samples[i]).buffers[0].capacity.count < 1 << 20) CHECK(bench.difference() == "");
        }
    }
}

TEST_CASE("a pitch that no second row takes does not matter") {
    const Problem one =
        problem_of("n = { min = 1, max = 3 }", "\"n % 8 == 1\"", "\"(3,8):(13,1)\"", "\"(3,8):(8,1)\"", "A[0:n, :]", "B[0:n, :]");
    const Solution solution = solve(one);
    CHECK(solution.copies[0].width == Bits{128});
    CHECK(open(verify(one, solution.plan())) == "");
}

TEST_CASE("what a symbol would have to be for a wider access") {
    const auto unlock = [](const Problem& p, Bits width) {
        Solution solution = solve(p);
        add_unlocks(p, solution);
        for (const Refusal& refusal : solution.copies[0].refused)
            if (refusal.width == width && refusal.unlock) return refusal.unlock->text + " " + refusal.unlock->patch;
        return std::string("none");
    };
    const Problem four = problem_of("ld = { min = 64, max = 65536, multiple_of = 4 }", "", rows, tile);
    CHECK(unlock(four, Bits{128}) == R"(ld a multiple of 8 {"symbols":{"ld":{"multiple_of":8}}})");
    const Problem any = problem_of("ld = { min = 64, max = 65536 }", "", rows, tile);
    CHECK(unlock(any, Bits{32}) == R"(ld a multiple of 2 {"symbols":{"ld":{"multiple_of":2}}})");
    CHECK(unlock(any, Bits{128}) == R"(ld a multiple of 8 {"symbols":{"ld":{"multiple_of":8}}})");
    CHECK(unlock(problem_of("p = { min = 64, max = 96 }\nq = { min = 64, max = 96 }", "", "\"(128,64):(p,1)\"", "\"(128,64):(q,1)\""),
                 Bits{64}) == R"(p a multiple of 4 and q a multiple of 4 {"symbols":{"p":{"multiple_of":4},"q":{"multiple_of":4}}})");
    CHECK(unlock(problem_of("c = { min = 0, max = 8 }", "", "\"(128,72):(72,1)\"", "\"(64,128):(1,64)\"", "A[:, c:+64]", "B"), Bits{32}) ==
          "none");
}

TEST_CASE("the cases again, with the largest stride of each global buffer a symbol of the same divisibility") {
    int symbolic = 0, narrower = 0;
    for (const corpus::Entry& entry : corpus::files()) {
        INFO(entry.name);
        for (std::size_t number = 0; number < entry.problem.copies.size(); ++number) {
            const std::optional<Problem> with_symbols = corpus::with_symbolic_strides(corpus::alone(entry.problem, number));
            if (!with_symbols || moved(with_symbols->copies[0]).count > 2048 || !is_symbolic(*with_symbols, with_symbols->copies[0]))
                continue;
            const Problem& p = *with_symbols;
            const CopySolution copy = solve(p).copies[0];
            if (copy.rejection || !copy.undecided.empty()) continue;
            ++symbolic;
            // The widest that all values share, by looking at some of each residue.
            std::int64_t shared_by_all = 256;
            for (const Values& values : sample_values(p, 80)) {
                const Problem one = at(p, values);
                shared_by_all = std::min<std::int64_t>(shared_by_all, oracle::widest(one, one.copies[0]).width_bits);
            }
            CHECK(copy.width.count == shared_by_all);
            const CopySolution concrete = solve(corpus::alone(entry.problem, number)).copies[0];
            narrower += copy.width < concrete.width ? 1 : 0;
            CHECK(copy.width <= concrete.width);
        }
    }
    CHECK(symbolic >= 40);
    MESSAGE(symbolic << " copies with symbols, " << narrower << " of them narrower than with the number");
}

TEST_CASE("a destination whose rows may overlap") {
    const Problem p = problem_of("ld = { min = 32, max = 4096, multiple_of = 8 }", "", tile, rows);
    const CopySolution copy = solve(p).copies[0];
    REQUIRE(copy.rejection.has_value());
    CHECK(copy.rejection->rule == "dst-overlaps");
    CHECK(copy.rejection->text.find("with ld = 32") != std::string::npos);
    // As a plan of somebody else, planned for pitches that are large enough.
    const Plan plan = solve(problem_of("ld = { min = 64, max = 4096, multiple_of = 8 }", "", tile, rows)).plan();
    const Report report = verify(p, plan);
    CHECK(refuted(report) == "disjoint");
    for (const Finding& f : report.copies[0].findings)
        if (f.obligation == "disjoint") CHECK(f.counterexample->symbols == Values{32});
}

TEST_CASE("what only some values break is refuted with such values") {
    const auto judged = [](const Problem& asked, const Problem& planned_for) { return verify(asked, solve(planned_for).plan()); };
    const std::string eight = "ld = { min = 64, max = 4096, multiple_of = 8 }";
    const Problem good = problem_of(eight, "", rows, tile);
    CHECK(judged(good, good).verdict() == Verdict::proved);
    CHECK(refuted(judged(problem_of("ld = { min = 64, max = 4096, multiple_of = 4 }", "", rows, tile), good)) == "aligned.src");
    // Capacities and starts.
    const auto with_capacity = [&](const std::string& capacity) { return problem_of(eight, "", rows + "\ncapacity = " + capacity, tile); };
    CHECK(judged(with_capacity("\"128*ld\""), good).verdict() == Verdict::proved);
    CHECK(judged(with_capacity("\"127*ld + 64\""), good).verdict() == Verdict::proved);
    CHECK(refuted(judged(with_capacity("\"127*ld + 63\""), good)) == "bounds.src");
    CHECK(refuted(judged(with_capacity("100000"), good)) == "bounds.src");
    const auto with_rows = [&](const std::string& most) {
        return problem_of("row = { min = 0, max = " + most + " }", "", "\"(256,64):(64,1)\"", tile, "A[row:+128, :]");
    };
    CHECK(judged(with_rows("128"), with_rows("128")).verdict() == Verdict::proved);
    CHECK(refuted(judged(with_rows("129"), with_rows("128"))) == "bounds.src");
    CHECK(refuted(judged(problem_of("p = { min = -8, max = 64, multiple_of = 8 }", "", "\"(128,64):(64,1) + p\"", tile),
                         problem_of("p = { min = 0, max = 64, multiple_of = 8 }", "", "\"(128,64):(64,1) + p\"", tile))) == "bounds.src");
    // 32-bit indices: enough for small pitches only.
    const auto with_pitch = [&](const std::string& most) {
        return problem_of("ld = { min = 64, max = " + most + ", multiple_of = 8 }", "", rows, tile);
    };
    Plan narrow = solve(with_pitch("65536")).plan();
    CHECK(narrow.copies[0].segments[0].src.address.index_bits == 64);
    narrow.copies[0].segments[0].src.address.index_bits = 32;
    CHECK(verify(with_pitch("65536"), narrow).verdict() == Verdict::proved);
    CHECK(refuted(verify(with_pitch("1073741824"), narrow)) == "overflow");
}

TEST_CASE("a swizzle that reorders lanes is seen on a side without symbols too") {
    const std::string eight = "ld = { min = 64, max = 4096, multiple_of = 8 }", swizzled = "\"Sw<1,1,2> o (128,64):(64,1)\"";
    for (const Side side : both_sides) {
        const bool dst = side == Side::dst;
        const Problem straight = dst ? problem_of(eight, "", rows, tile) : problem_of(eight, "", tile, rows);
        const Problem asked = dst ? problem_of(eight, "", rows, swizzled) : problem_of(eight, "", swizzled, rows);
        CHECK(solve(asked).copies[0].width == Bits{32});
        Plan plan = solve(straight).plan();
        Segment& s = plan.copies[0].segments[0];
        (dst ? s.dst : s.src).address.swizzle = {1, 1, 2};
        CHECK(refuted(verify(asked, plan)).find("same-element") != std::string::npos);
        CHECK_FALSE(verify_and_certify(asked, plan).plan.has_value());
    }
}

TEST_CASE("what is not decided is unknown, and nothing hangs or crashes") {
    // Below 0 outside the region only; a product that no linear argument decides; a pitch that a fact bounds, not its range.
    const Problem outside = problem_of("p = { min = -1, max = 0 }", "", "\"(16,64):(64,1) + 8*p\"", tile, "A[1:9, 8:16]", "B[0:8, 0:8]");
    CHECK(verify(outside, solve(outside).plan()).verdict() == Verdict::proved);
    const Problem cubes =
        problem_of("a = { min = 64, max = 8000 }\nb = { min = 64, max = 8000 }", "\"a*a*a + b*b*b == 1729\"", "\"(128,64):(a,1)\"", tile);
    CHECK(verify(cubes,
                 solve(problem_of("a = { min = 64, max = 8000 }\nb = { min = 64, max = 8000 }", "", "\"(128,64):(a,1)\"", tile)).plan())
              .verdict() != Verdict::proved);
    const Problem bounded = problem_of("ld = { min = 0, max = 4096, multiple_of = 8 }", "\"ld >= 64\"", tile, rows);
    CHECK(open(verify(bounded, solve(bounded).plan())) == "");
    const Problem below = problem_of("p = { min = 1, max = 17 }", "", "\"(128,64):(64,1) - p\"", tile);
    CHECK(refuted(verify(below, solve(below).plan())) == "bounds.src");
    const std::string minus(100000, '-');
    CHECK(parse_expression(minus + "8", {}).ok());
}

TEST_CASE("extents that reach far beyond the layout cost nothing, and are refuted") {
    for (const char* most : {"1000", "1125899906842624"}) {
        const Problem far = problem_of(std::string("n = { min = 0, max = ") + most + " }", "", tile, tile, "A[0:n, :]", "B[0:n, :]");
        const Solution solution = solve(far);
        REQUIRE(solution.complete());
        const Report report = verify(far, solution.plan());
        CHECK(report.conflicts.empty());
        CHECK(refuted(report) == "bounds.src bounds.dst");
    }
    // A bound that is no extent: what it lets run is no part of what is proved.
    const Problem p = problem_of("n = { min = 0, max = 100 }\nk = { min = 0, max = 1000 }", "\"k*(n - 77) == 0\"", "\"(100):(1)\"",
                                 "\"(100):(1)\"", "A[0:n]", "B[0:n]");
    Plan plan = solve(p).plan();
    for (Bound& bound : plan.copies[0].segments[0].predicate) bound.below = bound.below + Expression::symbol(1);
    const Report report = verify(p, plan);
    for (const Finding& finding : report.copies[0].findings)
        if (finding.obligation.rfind("bounds", 0) == 0) CHECK(finding.verdict != Verdict::proved);
}

TEST_CASE("assumptions that cannot hold prove nothing") {
    for (const char* facts : {"\"ld < 64\"", "\"ld % 8 == 3\"", "\"ld >= 100\", \"ld <= 90\""}) {
        const Problem p = problem_of("ld = { min = 64, max = 4096, multiple_of = 8 }", facts, rows, tile);
        const Plan plan = solve(problem_of("ld = { min = 64, max = 4096, multiple_of = 8 }", "", rows, tile)).plan();
        const Report report = verify(p, plan);
        CHECK(report.verdict() == Verdict::refuted);
        const auto finding =
            std::find_if(report.program.begin(), report.program.end(), [](const Finding& f) { return f.obligation == "assumptions"; });
        CHECK(finding->verdict == Verdict::refuted);
        CHECK_FALSE(verify_and_certify(p, plan).plan.has_value());
    }
}

TEST_CASE("damaged symbolic plans are refuted") {
    int refuted_plans = 0;
    for (const Case& c : cases()) {
        INFO(c.what);
        const Plan plan = solve(c.problem).plan();
        const auto break_it = [&](const char* how, const auto& damage) {
            INFO(how);
            Plan broken = plan;
            Segment& s = broken.copies[0].segments[0];
            for (const Side side : both_sides) {
                broken = plan;
                if (!damage(s, side == Side::src ? s.src : s.dst)) continue;
                if (check_plan(c.problem, broken)) continue;
                const Report report = verify(c.problem, broken);
                CHECK(report.verdict() == Verdict::refuted);
                ++refuted_plans;
            }
        };
        const Expression first = Expression::symbol(0);
        for (std::size_t i = 0; i < plan.copies[0].segments[0].digits.size(); ++i) {
            break_it("stride + 1", [&](Segment& s, SidePlan& side) {
                return side.address.strides[i] = side.address.strides[i].plus(1), s.digits[i].extent > 1;
            });
            break_it("stride + symbol", [&](Segment& s, SidePlan& side) {
                return side.address.strides[i] = side.address.strides[i] + first, s.digits[i].extent > 1;
            });
            break_it("stride without symbols", [&](Segment& s, SidePlan& side) {
                Expression& stride = side.address.strides[i];
                if (stride.is_constant()) return false;
                stride = stride.coefficient({});
                return s.digits[i].extent > 1;
            });
        }
        break_it("offset + 8", [](Segment&, SidePlan& side) { return side.address.offset = side.address.offset.plus(8), true; });
        break_it("offset + symbol",
                 [&](Segment&, SidePlan& side) { return side.address.offset = side.address.offset + first.times(8), true; });
        break_it("width doubled", [](Segment&, SidePlan& side) { return side.width = side.width * 2, true; });
    }
    CHECK(refuted_plans > 150);
}

TEST_CASE("expressions: values, parts, text") {
    const std::vector<Symbol> symbols{{"ld", 1, 100, 1, {}}, {"row", -3, 7, 1, {}}};
    const auto read = [&](const std::string& text) {
        const Result<Expression> out = parse_expression(text, symbols);
        INFO(text);
        REQUIRE(out.ok());
        return out.value();
    };
    for (const auto& [text, printed] : {std::pair{"32*ld + 8", "32*ld + 8"},
                                        {"8 + ld*32", "32*ld + 8"},
                                        {"(row + 1)*ld", "ld + ld*row"},
                                        {"-ld", "-ld"},
                                        {"ld - ld", "0"},
                                        {"2*(ld - 3) - row", "2*ld - row - 6"}}) {
        CHECK(to_string(read(text), symbols) == printed);
        CHECK(read(printed) == read(text));
    }
    CHECK(read("(row + 1)*ld - 5").at({10, -2}) == -15);
    const Interval range = interval(read("row*ld - 2*row"), symbols);
    CHECK(range.least == -300 - 14);
    CHECK(range.greatest == 700 + 6);
    for (const auto& [text, rule] : {std::pair{"lb", "unknown-symbol"},
                                     {"ld +", "expression-syntax"},
                                     {"ld ld", "expression-syntax"},
                                     {"ld*ld*ld*ld*ld", "overflow"},
                                     {"1125899906842625", "overflow"},
                                     {"1125899906842624*ld", "overflow"}}) {
        const Result<Expression> out = parse_expression(text, symbols);
        REQUIRE_FALSE(out.ok());
        CHECK(out.error().rule == rule);
    }
}

}  // namespace tileproof
