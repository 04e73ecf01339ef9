// Predicates: regions that bounds cut off, concrete and with symbols.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "layouts/predicate.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/broken_plan.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/oracle.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using namespace test;

const std::string rows_of_m = "m = { min = 0, max = 120 }";
const std::string tiles_of_rows = "grid = [4]\nrow = { from = \"ctaid.x\", times = 32 }";
const std::string pitched = "\"(120,64):(ld,1)\"\ncapacity = \"m*ld\"";
const std::string pitch = "ld = { min = 64, max = 4096, multiple_of = 8 }\n";

/// The last block of rows of a matrix of m.
Tile last_rows() {
    return {pitch + rows_of_m, "", pitched, "\"Sw<3,3,3> o (32,64):(64,1)\"", "A[row:+32, :]", "As", "row + d0 < m", tiles_of_rows};
}
/// The last columns of rows of k.
Tile last_columns(std::int64_t multiple_of) {
    return {"ld = { min = 64, max = 4096, multiple_of = 8 }\nk = { min = 0, max = 4096, multiple_of = " + std::to_string(multiple_of) +
                " }\nk0 = { min = 0, max = 4096, multiple_of = 64 }",
            "\"k <= ld\"",
            "\"(32,4096):(ld,1)\"\ncapacity = \"31*ld + k\"",
            "\"(32,64):(72,1)\"",
            "A[:, k0:+64]",
            "As",
            "d1 + k0 < k"};
}
/// Packed rows, of which m are left: one dimension of 32*64.
Tile packed_rows() { return {rows_of_m, "", "\"(32,64):(64,1)\"\ncapacity = 2048", "\"(32,64):(64,1)\"", "A", "As", "d0 < m - 7"}; }
Tile both() {
    return {"m = { min = 0, max = 100 }\nk = { min = 0, max = 256, multiple_of = 4 }",
            "",
            "\"(100,256):(256,1)\"",
            "\"(32,64):(64,1)\"",
            "A[96:+32, 192:+64]",
            "As",
            "d0 < m - 96, 192 + d1 < k"};
}
/// Fewer accesses than threads along the bounded dimension.
Tile line_of_20() {
    return {"m = { min = 0, max = 4096 }", "", "\"(4096):(1)\"\ncapacity = \"m\"", "\"(20):(1)\"", "A[0:20]", "As", "d0 < m"};
}

/// Rows that end at the least of two bounds; memory holds as many as the second says.
Tile rows_of_two() {
    Tile out = last_rows();
    out.symbols += "\nn = { min = 0, max = 40 }";
    out.predicate = "d0 < n, row + d0 < m";
    return out;
}
/// Columns that end at the least of two bounds.
Tile columns_of_two(const std::string& predicate, const std::string& facts = "") {
    return {"k = { min = 0, max = 96, multiple_of = 8 }\nn = { min = 0, max = 80, multiple_of = 4 }",
            facts,
            "\"(32,64):(64,1)\"",
            "\"(32,64):(72,1)\"",
            "A",
            "As",
            predicate};
}
/// A region that ends at n by itself, and at a bound.
Tile ends_and_bound(const std::string& predicate) {
    Tile out = columns_of_two(predicate);
    out.symbols = "k = { min = 0, max = 96, multiple_of = 8 }\nn = { min = 0, max = 64, multiple_of = 8 }";
    out.src = "A[:, 0:n]";
    out.dst = "As[:, 0:n]";
    return out;
}
/// n is the end always, and memory holds no more.
Tile second_is_less() {
    return {"m = { min = 0, max = 64 }\nn = { min = 0, max = 19 }",
            "\"n < m\"",
            "\"(4096):(1)\"\ncapacity = \"n\"",
            "\"(20):(1)\"",
            "A[0:20]",
            "As",
            "d0 < m, d0 < n"};
}

struct Case {
    std::string what;
    Tile tile;
    std::int64_t width;
    std::string rule{};  // of the next wider one
};

std::vector<Case> cases() {
    return {{"rows of a last tile", last_rows(), 128, "target"},
            {"columns by eights", last_columns(8), 128, "target"},
            {"columns by fours", last_columns(4), 64, "no-partner"},
            {"any column", last_columns(1), 16, "no-partner"},
            {"packed rows", packed_rows(), 128, "target"},
            {"rows and columns, where the region leaves the buffer", both(), 64, "no-partner"},
            {"any element", line_of_20(), 16, "no-partner"},
            {"rows that end at the least of two", rows_of_two(), 128, "target"},
            {"columns that end at the least of two", columns_of_two("d1 < k, d1 < n"), 64, "no-partner"},
            {"a bound that is never the least asks for nothing", columns_of_two("d1 < k + 3, d1 < k, d0 < n"), 128, "target"},
            {"nor one that the facts make greater", columns_of_two("d1 < n, d1 < k", "\"k <= n\""), 128, "target"},
            {"the region's own end, and a bound", ends_and_bound("d1 < k"), 128, "target"},
            {"the region's own end, said twice", ends_and_bound("d1 < n, d1 < k"), 128, "target"},
            {"the region's own end, and two bounds", ends_and_bound("d1 < k, d0 < n, d1 < k + n, d0 < 20"), 128, "target"},
            {"the end that is always the second", second_is_less(), 16, "no-partner"}};
}

}  // namespace

TEST_CASE("predicates: the widest for all values of the symbols, proved, and right at each that is tried") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK(solution.copies[0].width.count == one.width);
        REQUIRE(!solution.copies[0].refused.empty());
        CHECK(solution.copies[0].refused.back().rule == one.rule);
        const Plan plan = solution.plan();
        CHECK(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        std::size_t cut = 0, empty = 0, whole = 0;
        for (const Values& values : sample_values(problem, 40)) {
            CAPTURE(to_string(values, problem.symbols));
            const Problem there = at(problem, values);
            const std::int64_t left = moved(there.copies[0]).count, all = moved(problem.copies[0]).count;
            ++(left == 0 ? empty : left == all ? whole : cut);
            Bench bench(problem, plan, values);
            CHECK(bench.difference() == "");
            if (left == 0) continue;
            CHECK(simulate::fault(there, there.copies[0], *at(plan.copies[0], problem, problem.copies[0], values)) == "");
            CHECK(oracle::widest(there, there.copies[0]).width_bits >= one.width);
        }
        CHECK(cut > 0);
        CHECK(empty > 0);
    }
}

TEST_CASE("predicates: what would lift a refusal") {
    const Problem problem = problem_of(last_columns(4));
    Solution solution = solve(problem);
    add_unlocks(problem, solution);
    const Refusal& wider = solution.copies[0].refused.back();
    REQUIRE(wider.unlock);
    CHECK(wider.unlock->text == "k a multiple of 8");
    const Result<Problem> patched_problem = patched(problem, wider.unlock->patch);
    REQUIRE(patched_problem.ok());
    CHECK(solve(patched_problem.value()).copies[0].width.count == 128);
}

TEST_CASE("predicates: bounds that are numbers are ends of the region, and edges have narrower accesses") {
    Tile tile{"", "", "\"(100,64):(64,1)\"", "\"(32,64):(64,1)\"", "A[96:+32, :]", "As", "96 + d0 < 100, d1 <= 35"};
    const Problem problem = problem_of(tile);
    tile.src = "A[96:100, 0:36]";
    tile.dst = "As[0:4, 0:36]";
    tile.predicate.clear();
    const Problem same = problem_of(tile);
    for (const Side side : both_sides) CHECK(operand(problem.copies[0], side).region == operand(same.copies[0], side).region);
    CHECK(solve(problem).copies[0].width.count == 64);

    const Problem line = problem_of({"", "", "\"(4096):(1)\"", "\"(4096):(1)\"", "A", "As", "d0 < 4001"});
    const Solution solution = solve(line);
    REQUIRE(solution.complete());
    CHECK(solution.plan().copies[0].segments.size() == 2);
    CHECK(open_findings(verify(line, solution.plan())) == "");
}

TEST_CASE("predicates: what is no bound is refused") {
    const auto with = [](const std::string& predicate) {
        Tile tile = last_rows();
        tile.predicate = predicate;
        return fault_of(tile);
    };
    CHECK(with("d0 + row <= m, d1 < 64") == "none");
    CHECK(with("m > row + d0") == "none");
    CHECK(with("d0 < m * ld - 3, d1 >= 4") == "predicate-bound: 'd1 >= 4' is no upper bound of one coordinate of the region");
    CHECK(with("2*d0 < m") == "predicate-bound: '2*d0 < m' is no upper bound of one coordinate of the region");
    CHECK(with("d0 + d1 < m") == "predicate-bound: 'd0 + d1 < m' is no upper bound of one coordinate of the region");
    CHECK(with("d0*ld < m") == "predicate-bound: 'd0*ld < m' is no upper bound of one coordinate of the region");
    CHECK(with("row < m") == "predicate-bound: 'row < m' is no upper bound of one coordinate of the region");
    CHECK(with("d0 < d0 + m") == "predicate-bound: 'd0 < d0 + m' is no upper bound of one coordinate of the region");
    CHECK(with("d2 < m") == "predicate-bound: the region has no coordinate d2: it has 2 dimensions of an extent other than 1");
    CHECK(with("row + d0 < m, d0 < ld") == "none");
    CHECK(with("row + d0 < m, d0 < ld, d0 < ld, d0 < ld + 1, d0 < ld + 2") == "none");
    CHECK(with("row + d0 < m, d0 < ld, d0 < ld + 3, d0 < ld + 1, d0 < ld + 2") ==
          "unsupported: d0 has more than 4 bounds that depend on symbols");
    CHECK(with("d0 == m") == "predicate-syntax: expected a comparison: < <= > >=, found '='");
    CHECK(with("d0 < m d1") == "predicate-syntax: expected ',' or the end of the predicate, found 'd1'");
    CHECK(with("d0 < rows") == "unknown-symbol: there is no symbol 'rows'");
    CHECK(with("d0 < 0") == "zero-extent: the predicate leaves nothing of the region, whatever its symbols are");
    CHECK(with("d0 < 0 - ld") == "zero-extent: the predicate leaves nothing of the region, whatever its symbols are");
    CHECK(with("d1 < m") == "none");  // the rows are inside
    Tile outside = last_rows();
    outside.src = "A[100:+32, :]";
    outside.predicate = "d1 < 32";
    CHECK(fault_of(outside) == "region-outside: the region is outside A: dimension 0 has the extent 120");
    Tile named = last_rows();
    named.symbols += "\nd1 = { min = 0, max = 4 }";
    CHECK(fault_of(named).rfind("predicate-bound: 'd1' is a coordinate in a predicate", 0) == 0);
    Tile bent = last_rows();
    bent.as = "\"((16,2),64):((64,2048),1)\"";
    CHECK(fault_of(bent) == "unsupported: a predicate with symbols bounds dimension 0 of As, where the layout bends");
    Tile extents = last_rows();
    extents.dst = "As[0:16, :]";
    const Problem differs = problem_of(extents);
    REQUIRE(rejection(differs, differs.copies[0]));
    CHECK(rejection(differs, differs.copies[0])->rule == "extents-differ");
    Problem made = problem_of(last_rows());
    made.copies[0].dst.region.symbolic_extent.at(0) = Expression(7);
    REQUIRE(check_problem(made));
    CHECK(check_problem(made)->text == "the two regions of copy0 have different predicates");
    made = problem_of(rows_of_two());
    made.copies[0].dst.region.further.clear();
    REQUIRE(check_problem(made));
    CHECK(check_problem(made)->text == "the two regions of copy0 have different predicates");
    made.copies[0].src.region.further = {{1, {Expression(7)}}};
    REQUIRE(check_problem(made));
    CHECK(check_problem(made)->text == "a predicate of copy0 bounds no dimension");
}

TEST_CASE("predicates: a problem with one is written as it is read") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        const Result<Problem> again = parse_problem({"again.json", problem_json(problem)}, "copy");
        REQUIRE(again.ok());
        CHECK(problem_json(again.value()) == problem_json(problem));
        for (const Side side : both_sides) CHECK(operand(again.value().copies[0], side).region == operand(problem.copies[0], side).region);
    }
    CHECK(predicate_text(problem_of(both()).copies[0], problem_of(both()).symbols) == "d0 < m - 96, d1 < k - 192");
}

TEST_CASE("predicates: plans that are not quite right are not proved") {
    struct Miss {
        std::string obligation, what;
        Tile tile;
        std::function<void(Problem&, Plan&)> damage;
        bool is_shown = true;  // by a sample: else it is open
    };
    const Expression ld = Expression::symbol(1), m = Expression::symbol(2);  // behind row
    const std::vector<Miss> misses{
        {"predicate", "without its bound", line_of_20(),
         [](Problem&, Plan& p) { segment(p).predicate.erase(segment(p).predicate.begin()); }},
        {"predicate", "one element more", line_of_20(), [](Problem&, Plan& p) { segment(p).predicate[0].below += 1; }},
        {"covers", "one element less", line_of_20(), [](Problem&, Plan& p) { segment(p).predicate[0].below += -1; }},
        {"predicate", "beyond the region, where the bound is", line_of_20(), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"covers", "an end before that of the region", line_of_20(), [](Problem&, Plan& p) { segment(p).predicate[1].below = 19; }},
        {"predicate", "a bound of the other dimension", both(),
         [](Problem&, Plan& p) { std::swap(segment(p).predicate[0].below, segment(p).predicate[1].below); }},
        {"predicate", "columns that are not bounded", both(), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }, false},
        {"covers", "a number in place of the bound", packed_rows(), [](Problem&, Plan& p) { segment(p).predicate[0].below = 64; }},
        {"predicate", "lanes across the bound", last_columns(8), [](Problem& p, Plan&) { p.symbols[1].multiple_of = 4; }},
        {"bounds.src", "a row less in memory", last_rows(),
         [=](Problem& p, Plan&) { p.buffers[0].symbolic_capacity = m.plus(-1).times(ld); }},
        {"bounds.src", "fewer rows in the layout than are left", last_rows(),
         [](Problem& p, Plan&) { p.buffers[0].layout.shape[0] = p.buffers[0].layout.iters[0].extent = 119; }},
        {"bounds.src", "a capacity that only the rest of a region fits", line_of_20(),
         [](Problem& p, Plan&) { p.buffers[0].symbolic_capacity = Expression::symbol(0).times(2).plus(-20); }},
        {"bounds.dst", "a tile that is smaller than the region", line_of_20(),
         [](Problem& p, Plan&) { p.buffers[1].capacity = Elements{19}; }},
        {"predicate", "one of two bounds", columns_of_two("d1 < k, d1 < n"), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"predicate", "the other of two bounds", columns_of_two("d1 < k, d1 < n"),
         [](Problem&, Plan& p) { segment(p).predicate.erase(segment(p).predicate.begin()); }},
        {"predicate", "one of two bounds twice", columns_of_two("d1 < k, d1 < n"),
         [](Problem&, Plan& p) { segment(p).predicate[1].below = segment(p).predicate[0].below; }},
        {"predicate", "an access more behind the second bound", columns_of_two("d1 < k, d1 < n"),
         [](Problem&, Plan& p) { segment(p).predicate[1].below += 4; }},
        {"covers", "an access less before the second bound", columns_of_two("d1 < k, d1 < n"),
         [](Problem&, Plan& p) { segment(p).predicate[1].below += -4; }},
        {"covers", "a third bound", columns_of_two("d1 < k, d1 < n"),
         [](Problem&, Plan& p) {
             segment(p).predicate.push_back({segment(p).predicate[0].dim, 60});
         }},
        {"predicate", "lanes across the first bound", columns_of_two("d1 < k, d1 < n"),
         [](Problem& p, Plan&) { p.symbols[0].multiple_of = 2; }},
        {"predicate", "lanes across the second bound", columns_of_two("d1 < k, d1 < n"),
         [](Problem& p, Plan&) { p.symbols[1].multiple_of = 2; }},
        {"bounds.src", "a row less in memory than one of two bounds says", rows_of_two(),
         [=](Problem& p, Plan&) { p.buffers[0].symbolic_capacity = m.plus(-1).times(ld); }, false},
        {"bounds.src", "memory for the first bound alone", second_is_less(),
         [](Problem& p, Plan&) { p.buffers[0].symbolic_capacity = Expression::symbol(1).plus(-1); }},
        {"predicate", "the region's own end alone", ends_and_bound("d1 < k"), [](Problem&, Plan& p) { segment(p).predicate.pop_back(); }},
        {"predicate", "the bound alone", ends_and_bound("d1 < k"),
         [](Problem&, Plan& p) { segment(p).predicate.erase(segment(p).predicate.begin()); }},
        {"aligned.src", "a pitch that is aligned less", last_rows(), [](Problem& p, Plan&) { p.symbols[1].multiple_of = 4; }, false},
    };
    for (const Miss& one : misses) {
        CAPTURE(one.what);
        Problem problem = problem_of(one.tile);
        SolveOptions single;
        single.single = true;  // tails have misses of their own
        const Solution solution = solve(problem, single);
        REQUIRE(solution.complete());
        Plan plan = solution.plan();
        REQUIRE(verify(problem, plan).verdict() == Verdict::proved);
        one.damage(problem, plan);
        CHECK(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        CHECK(report.conflicts.empty());
        const Finding& found = finding(report, one.obligation);
        INFO(open_findings(report));
        CHECK(found.verdict != Verdict::proved);
        if (one.is_shown) CHECK(found.verdict == Verdict::refuted);
        if (found.verdict == Verdict::refuted) CHECK(!found.counterexample->symbols.empty());
    }
}

TEST_CASE("predicates: a region that reaches behind its layout is outside, also where its buffer has room and facts keep samples away") {
    const std::string n = "n = { min = 0, max = 40 }", fact = "\"n <= 20\"", roomy = "\"(8,24):(24,1)\"\ncapacity = 256";
    const Tile tails{n, fact, roomy, roomy, "A[:, 8:+20]", "As[:, 8:+20]", "d1 < n"};
    Tile one_width = tails, filled = tails, near = tails;
    one_width.a = one_width.as = "\"Sw<2,3,3> o (8,17):(24,1)\"";
    one_width.src = "A[:, 1:+17]";
    one_width.dst = "As[:, 1:+17]";
    filled.as = "\"(8,20):(24,1)\"";
    filled.dst = "As";
    filled.more = "zero_fill = true\ncompletion = \"kernel\"\n";
    near.facts = "\"n <= 16\"";
    for (const Tile& tile : {tails, one_width, filled}) {
        CAPTURE(text_of(tile));
        const Problem problem = problem_of(tile);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        const Report report = verify(problem, solution.plan());
        CHECK(report.conflicts.empty());
        CHECK(finding(report, "bounds.src").verdict == Verdict::refuted);
    }
    const Problem inside = problem_of(near);  // the last column that is moved is the last there is
    CHECK(open_findings(verify(inside, solve(inside).plan())) == "");
}

TEST_CASE("predicates: of several bounds of a coordinate, equal ones are one, and numbers are ends of the region") {
    Tile tile = columns_of_two("d1 < k, d1 <= k - 1, k > d1, d1 < 40, d1 < 44");
    const Problem problem = problem_of(tile);
    CHECK(problem.copies[0].src.region.further.empty());
    CHECK(problem.copies[0].src.region.extent[1] == 40);
    tile.more = "zero_fill = true\n";
    tile.predicate += ", d1 < n";
    CHECK(predicate_text(problem_of(tile).copies[0], problem_of(tile).symbols) == "d1 < k, d1 < 40, d1 < n");
    // A number below the greatest end is an end itself, and what symbols say may lie beyond.
    const Problem ended = problem_of(ends_and_bound("d1 < 40"));
    CHECK(ended.copies[0].src.region.extent[1] == 40);
    CHECK(predicate_text(ended.copies[0], ended.symbols) == "d1 < n");
    CHECK(open_findings(verify(ended, solve(ended).plan())) == "");
    // An end that may lie behind the layout is refuted, whatever a predicate cuts off: the region has to be there.
    Tile behind = ends_and_bound("d1 < k");
    behind.symbols = "k = { min = 0, max = 96, multiple_of = 8 }\nn = { min = 0, max = 72, multiple_of = 8 }";
    const Problem outside = problem_of(behind);
    CHECK(verify(outside, solve(outside).plan()).verdict() != Verdict::proved);
}

TEST_CASE("predicates: with one bound, the same as a region with that extent") {
    // Where the bound never exceeds the extent, a predicate says what `A[0:n]` says.
    Tile clipped{"n = { min = 0, max = 32 }", "", "\"(32,64):(64,1)\"", "\"(32,64):(72,1)\"", "A", "As", "d0 < n"};
    Tile ended = clipped;
    ended.predicate.clear();
    ended.src = "A[0:n, :]";
    ended.dst = "As[0:n, :]";
    const Problem a = problem_of(clipped), b = problem_of(ended);
    const Solution of_a = solve(a), of_b = solve(b);
    REQUIRE(of_a.complete());
    REQUIRE(of_b.complete());
    CHECK(of_a.copies[0].width == of_b.copies[0].width);
    CHECK(of_a.plan().copies[0].segments == of_b.plan().copies[0].segments);
    CHECK(verify(a, of_b.plan()).verdict() == Verdict::proved);
    CHECK(verify(b, of_a.plan()).verdict() == Verdict::proved);
}

}  // namespace tileproof
