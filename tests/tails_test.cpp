// Tails: a wide body before an end that symbols decide, and narrower accesses from where its whole ones end.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "layouts/problem_json.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/broken_plan.hpp"
#include "tests/clipped_tile.hpp"
#include "tests/corpus.hpp"
#include "tests/planned_copy.hpp"
#include "tests/random_problem.hpp"
#include "tests/tail_plans.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using namespace test;

/// Rows of n columns, n at most what the layout has.
Tile n_columns(const std::string& n = "min = 0, max = 64", const std::string& dtype = "f16") {
    return {"n = { " + n + " }", "", "\"(32,64):(64,1)\"", "\"(32,64):(96,1)\"", "A[:, 0:n]", "As[:, 0:n]", "", "", dtype};
}
Tile odd_columns(const std::string& dtype = "f16") {
    Tile out = n_columns("min = 0, max = 64", dtype);
    out.facts = "\"n % 2 == 1\"";
    return out;
}
Tile swizzled() {
    Tile out = n_columns();
    out.as = "\"Sw<3,4,3> o (32,64):(64,1)\"";
    return out;
}
/// The last columns of rows of k, from k0 on: the bound may lie before, within and behind the region.
Tile last_columns(const std::string& dtype = "f16", const std::string& k = "min = 0, max = 4096", const std::string& more = "") {
    return {"ld = { min = 64, max = 4096, multiple_of = 16 }\nk = { " + k + " }\nk0 = { min = 0, max = 4096, multiple_of = 64 }",
            "\"k <= ld\"",
            "\"(32,4096):(ld,1)\"\ncapacity = \"31*ld + k\"",
            "\"Sw<3,4,3> o (32,64):(64,1)\"",
            "A[:, k0:+64]",
            "As",
            "d1 + k0 < k",
            "",
            dtype,
            more};
}
/// Rows and columns of a last tile.
Tile both() {
    return {"m = { min = 97, max = 100 }\nn = { min = 195, max = 300 }",
            "",
            "\"(100,256):(256,1)\"",
            "\"(32,64):(64,1)\"",
            "A[96:+32, 192:+64]",
            "As",
            "d0 < m - 96, 192 + d1 < n"};
}
/// One row, of which the extent is no multiple of a wide access.
Tile line(std::int64_t extent = 700) {
    const std::string n = std::to_string(extent);
    return {"n = { min = -3, max = 4096 }",
            "",
            "\"(4096):(1)\"\ncapacity = \"n + 3\"",
            "\"(" + n + "):(1)\"",
            "A[0:" + n + "]",
            "As",
            "d0 < n"};
}
/// Offsets 32 to 286, which a swizzle moves up to 287.
Tile swizzled_line(const std::string& capacity) {
    return {"n = { min = 0, max = 255 }",
            "",
            "\"(256):(1)\"",
            "\"Sw<2,1,3> o (255):(1) + 32\"\ncapacity = " + capacity,
            "A[0:n]",
            "As[0:n]",
            ""};
}
Tile by_async() { return last_columns("f32", "min = 0, max = 4096", "completion = \"kernel\"\n"); }

/// Columns from the fourth on, of which the fifth to the twelfth and so on lie in blocks of 128 bits.
Tile from_3(const std::string& n = "min = 3, max = 64") {
    return {"n = { " + n + " }", "", "\"(32,64):(64,1)\"", "\"(32,64):(96,1)\"", "A[:, 3:n]", "As[:, 3:n]", ""};
}
/// The same of a region that is longer than what is left, or not: the body and its tails end with the first of both.
Tile from_3_to_60(const std::string& n = "min = -9, max = 100") {
    return {"n = { " + n + " }", "", "\"(32,64):(64,1)\"", "\"(32,64):(96,1)\"", "A[:, 3:60]", "As[:, 3:60]", "d1 < n"};
}
/// From a start with a symbol that is a multiple of whole blocks.
Tile from_behind_r() {
    return {"ld = { min = 64, max = 512, multiple_of = 8 }\nk = { min = 7, max = 512 }\nr = { min = 0, max = 440, multiple_of = 8 }",
            "\"k <= ld\"",
            "\"(32,512):(ld,1)\"\ncapacity = \"31*ld + k\"",
            "\"Sw<3,4,3> o (32,64):(64,1)\"",
            "A[:, r+6:+58]",
            "As[:, 6:64]",
            "d1 + r < k - 6"};
}
/// Bases between blocks, where the regions are.
Tile from_base() {
    return {
        "n = { min = 0, max = 64 }", "", "\"(32,64):(64,1)\"\nbase = 10", "\"(32,64):(96,1)\"\nbase = 26", "A[:, 0:n]", "As[:, 0:n]", ""};
}

struct Case {
    std::string what;
    Tile tile;
    std::vector<std::int64_t> widths;  // of body, tails and head
    std::vector<std::int64_t> rounds;
    std::int64_t single;
    std::size_t heads = 0;
};

std::vector<Case> cases() {
    return {{"any number of columns", n_columns(), {128, 64, 16}, {4, 1, 2}, 32},
            {"columns by twos", n_columns("min = 0, max = 64, multiple_of = 2"), {128, 32}, {4, 2}, 16},
            {"columns by fours", n_columns("min = 4, max = 60, multiple_of = 4"), {128, 64}, {4, 1}, 8},
            {"bytes", n_columns("min = 0, max = 64", "u8"), {128, 32, 8}, {2, 2, 2}, 32},
            {"halves of bytes, by twos", n_columns("min = 0, max = 64, multiple_of = 2", "u4"), {128, 32, 8}, {1, 2, 2}, 16},
            {"words", n_columns("min = 0, max = 64", "f32"), {128, 32}, {8, 2}, 32},
            {"columns from anywhere on", last_columns(), {128, 64, 16}, {4, 1, 2}, 32},
            {"rows and columns", both(), {128, 64, 16}, {4, 1, 2}, 32},
            {"a line of 700", line(), {128, 16}, {2, 1}, 11},
            {"a swizzle that reaches as far as the buffer, and no whole periods", swizzled_line("288"), {32, 16}, {2, 1}, 4},
            {"by cp.async", by_async(), {128, 32}, {8, 2}, 32},
            {"columns from the fourth on", from_3(), {128, 64, 16, 16}, {4, 1, 2, 3}, 31, 1},
            {"columns from the fourth on, eight at least", from_3("min = 8, max = 64"), {128, 64, 16, 16, 64}, {4, 1, 2, 1, 1}, 31, 2},
            {"columns of a region from the fourth on", from_3_to_60(), {128, 64, 16, 16}, {3, 1, 2, 3}, 29, 1},
            {"columns of a region from the fourth on, by fours behind it",
             from_3_to_60("min = 1, max = 57, multiple_of = 4"),
             {128, 64, 16, 16},
             {3, 1, 2, 3},
             29,
             1},
            {"columns from between blocks on, and from a multiple of them", from_behind_r(), {128, 64, 16, 16}, {4, 1, 2, 1}, 29, 1},
            {"bases between blocks", from_base(), {128, 64, 16, 16}, {4, 1, 2, 2}, 32, 1}};
}

}  // namespace

TEST_CASE("tails: fewer rounds, proved for all values of the symbols, and right at each that is tried") {
    for (const Case& one : cases()) {
        CAPTURE(one.what);
        const Problem problem = problem_of(one.tile);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        const Plan plan = solution.plan();
        std::vector<std::int64_t> widths, outer;
        for (const Segment& s : plan.copies[0].segments) {
            widths.push_back(s.src.width.count);
            outer.push_back(s.outer);
            const auto place = static_cast<std::size_t>(&s - plan.copies[0].segments.data());
            CHECK(s.tail.has_value() == (place > 0 && place + one.heads < plan.copies[0].segments.size()));
        }
        CHECK(widths == one.widths);
        CHECK(outer == one.rounds);
        CHECK(solution.copies[0].single_rounds == one.single);
        CHECK(solution.copies[0].width.count == *std::min_element(one.widths.begin(), one.widths.end()));
        CHECK(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        REQUIRE(report.copies[0].widest);
        CHECK(report.copies[0].widest->verdict == Verdict::proved);
        CHECK(open_findings(verify(problem, plan, smt_alone())) == "");
        const Plan single = planned(problem, true);
        CHECK(single.copies[0].segments.size() == 1);
        CHECK(rounds(single.copies[0]) == one.single);
        Bench bench(problem, plan);
        CHECK(bench.assembly_errors() == "");
        for (const Values& values : sample_values(problem, 40)) {
            CAPTURE(to_string(values, problem.symbols));
            CHECK(fault_at(problem, plan.copies[0], values) == "");
            CHECK(difference(problem, plan, values) == "");
        }
    }
}

TEST_CASE("tails: every number of columns") {
    const Problem problem = problem_of(n_columns());
    const Plan plan = planned(problem);
    for (std::int64_t n = 0; n <= 64; ++n) {
        CAPTURE(n);
        CHECK(fault_at(problem, plan.copies[0], {n}) == "");
        CHECK(difference(problem, plan, {n}) == "");
    }
}

TEST_CASE("tails: what would lift the refusal is still better") {
    const Problem problem = problem_of(n_columns());
    Solution solution = solve(problem);
    add_unlocks(problem, solution);
    const Refusal& wider = *std::find_if(solution.copies[0].refused.begin(), solution.copies[0].refused.end(),
                                         [](const Refusal& r) { return r.width == Bits{128}; });
    CHECK(wider.rule == "no-partner");
    REQUIRE(wider.unlock);
    CHECK(wider.unlock->text == "n a multiple of 8");
    const Result<Problem> better = patched(problem, wider.unlock->patch);
    REQUIRE(better.ok());
    const CopyPlan plan = planned(better.value()).copies[0];
    CHECK(plan.segments.size() == 1);
    CHECK(rounds(plan) == 4);
}

TEST_CASE("tails: where none is planned") {
    const auto segments = [](const Tile& tile) { return planned(problem_of(tile)).copies[0].segments.size(); };
    CHECK(segments(n_columns()) == 3);
    CHECK(segments(n_columns("min = 0, max = 64, multiple_of = 8")) == 1);
    CHECK(segments(line(128)) == 1);                   // as few rounds at 16 bits
    CHECK(segments(from_3("min = 3, max = 8")) == 1);  // nothing but a head
    Tile sides = from_3();
    sides.as = "\"(32,64):(96,1) + 1\"";  // blocks begin at other columns
    CHECK(segments(sides) == 1);
    Tile rows = from_3();
    rows.a = "\"(32,64):(68,1)\"";  // of every second row; and blocks of 64 bits at the same of all
    const Plan by_fours = planned(problem_of(rows));
    for (const Segment& s : by_fours.copies[0].segments) CHECK(s.src.width <= Bits{64});
    CHECK(by_fours.copies[0].segments.size() == 3);
    Tile apart = n_columns();
    apart.as = "\"(32,64):(65,1)\"";
    CHECK(segments(apart) == 1);
    Tile torn = n_columns();
    torn.as = "\"Sw<3,0,3> o (32,64):(64,1)\"";
    CHECK(segments(torn) == 1);
}

TEST_CASE("tails: plans that are not quite right are not proved") {
    const auto tail = [](CopyPlan& p, std::size_t i = 1) -> Segment& { return p.segments.at(i); };
    const auto both_addresses = [](Segment& s, const std::function<void(AddressPlan&)>& change) {
        for (SidePlan* side : {&s.src, &s.dst}) change(side->address);
    };
    const auto outer_digit = [](Segment& s) -> Digit& {
        return *std::find_if(s.digits.begin(), s.digits.end(), [](const Digit& d) { return d.role == Role::outer; });
    };
    const auto bound_of = [](Segment& s, int dim) {
        return std::find_if(s.predicate.begin(), s.predicate.end(), [&](const Bound& bound) { return bound.dim == dim; });
    };
    const auto end_of = [=](Segment& s) -> Expression& { return bound_of(s, s.tail ? s.tail->dim : 1)->below; };
    const std::vector<Miss> misses{
        {"predicate", "an access of the body that reaches over the end", n_columns(),
         [=](Problem&, CopyPlan& p) { end_of(p.segments[0]) += 1; }},
        {"covers", "a body that stops an access early", n_columns(), [=](Problem&, CopyPlan& p) { end_of(p.segments[0]) -= 1; }},
        {"disjoint", "a body that runs into the tail", n_columns(), [=](Problem&, CopyPlan& p) { end_of(p.segments[0]) += 7; }},
        {"covers", "no tail", n_columns(), [](Problem&, CopyPlan& p) { p.segments.resize(1); }},
        {"covers", "one tail of two", n_columns(), [](Problem&, CopyPlan& p) { p.segments.pop_back(); }},
        {"covers", "no body, where one is left always", odd_columns("f64"),
         [](Problem&, CopyPlan& p) { p.segments.erase(p.segments.begin()); }},
        {"covers", "a round less of the body", n_columns(),
         [=](Problem&, CopyPlan& p) {
             --p.segments[0].outer;
             --outer_digit(p.segments[0]).extent;
         }},
        {"disjoint", "rounds on top of each other", n_columns(),
         [=](Problem&, CopyPlan& p) {
             Segment& s = p.segments[0];
             const std::size_t i = index_of(s, outer_digit(s));
             s.digits[i].weight = 0;
             for (SidePlan* side : {&s.src, &s.dst}) side->address.strides[i] = 0;
         }},
        {"covers", "accesses twice as far apart", n_columns(),
         [](Problem&, CopyPlan& p) {
             for (Digit& digit : p.segments[0].digits)
                 if (digit.role == Role::thread && digit.dim == 1) digit.weight *= 2;
         }},
        {"covers", "a tail from an end that is always below 0", n_columns(), [=](Problem&, CopyPlan& p) { tail(p, 2).tail->end -= 100; }},
        {"covers", "a tail from an end that is always behind the box", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p, 2).tail->end += 100; }},
        {"overflow", "a tail too far for 32 bits", n_columns(),
         [=](Problem&, CopyPlan& p) {
             tail(p).src.address.tail_stride = std::int64_t{1} << 26;
             tail(p).src.address.index_bits = 32;
         }},
        {"covers", "no body", n_columns(), [](Problem&, CopyPlan& p) { p.segments.erase(p.segments.begin()); }},
        {"disjoint", "a tail twice", n_columns(), [](Problem&, CopyPlan& p) { p.segments.push_back(p.segments.back()); }},
        {"covers", "a tail from half an access on", n_columns(), [=](Problem&, CopyPlan& p) { tail(p).tail->multiple = 4; }},
        {"disjoint", "a tail from an access before", n_columns(), [=](Problem&, CopyPlan& p) { tail(p).tail->multiple = 16; }},
        {"covers", "a tail from behind the end", n_columns(), [=](Problem&, CopyPlan& p) { tail(p).tail->end += 1; }},
        {"disjoint", "a tail from an end that is not the end", n_columns(), [=](Problem&, CopyPlan& p) { tail(p).tail->end -= 1; }},
        {"covers", "a tail that is too short", n_columns(),
         [=](Problem&, CopyPlan& p) {
             for (Segment& s : p.segments)
                 if (s.tail)
                     for (Bound& bound : s.predicate) bound.below -= 1;
         }},
        {"predicate", "a tail that reaches over the end", n_columns(), [=](Problem&, CopyPlan& p) { end_of(tail(p, 2)) += 1; }},
        {"predicate", "a tail without its bound", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p).predicate.erase(bound_of(tail(p), 1)); }},
        {"predicate", "a tail behind the box, where the bound is", line(), [=](Problem&, CopyPlan& p) { tail(p).predicate.pop_back(); }},
        {"predicate", "a tail that begins before the region", line(),
         [=](Problem&, CopyPlan& p) {
             tail(p).start[0] -= 1;
             both_addresses(tail(p), [](AddressPlan& a) { a.offset -= 1; });
         }},
        {"predicate", "rows behind the last", both(), [=](Problem&, CopyPlan& p) { tail(p).predicate.erase(bound_of(tail(p), 0)); }},
        {"covers", "a row less in the tail", both(), [=](Problem&, CopyPlan& p) { bound_of(tail(p), 0)->below -= 1; }},
        {"address.src", "a tail that starts one column on, and not in memory", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p).start.at(1) += 1; }},
        {"address.src", "a tail that stays at the first columns of its source", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p).src.address.tail_stride = 0; }},
        {"address.dst", "a tail that goes twice as far in its destination", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p).dst.address.tail_stride = 2; }},
        {"same-element", "a tail one element further in its source", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p, 2).src.address.offset += 1; }},
        {"address.dst", "the pitch of the other side", n_columns(),
         [=](Problem&, CopyPlan& p) { tail(p).dst.address.strides = tail(p).src.address.strides; }},
        {"address.dst", "another swizzle", swizzled(),
         [=](Problem&, CopyPlan& p) {
             tail(p).dst.address.swizzle = {2, 4, 3};
         }},
        {"aligned.src", "four elements from every second on", n_columns(),
         [=](Problem&, CopyPlan& p) {
             tail(p).tail = Tail{1, tail(p).tail->end.plus(-4), 2};
         }},
        {"aligned.dst", "four elements from every second on, where they go", n_columns(),
         [=](Problem&, CopyPlan& p) {
             tail(p).tail = Tail{1, tail(p).tail->end.plus(-4), 2};
         }},
        {"bounds.src", "a buffer that ends before the last tail", line(),
         [](Problem& q, CopyPlan&) { q.buffers[0].symbolic_capacity = q.buffers[0].symbolic_capacity->plus(-4); }},
        {"bounds.src", "a buffer one element shorter, with a pitch", last_columns(),
         [](Problem& q, CopyPlan&) { q.buffers[0].symbolic_capacity = q.buffers[0].symbolic_capacity->plus(-1); }},
        {"bounds.dst", "a destination one element shorter, where a swizzle ends", swizzled_line("288"),
         [](Problem& q, CopyPlan&) { q.buffers[1].capacity = Elements{287}; }},
        {"bounds.dst", "a destination one element shorter", line(), [](Problem& q, CopyPlan&) { q.buffers[1].capacity = Elements{699}; }},
        {"contiguous.src", "lanes two elements apart", n_columns(), [=](Problem&, CopyPlan& p) { tail(p).src.address.strides.at(0) = 2; }},
        {"predicate", "a head that reaches over the end", from_3(), [=](Problem&, CopyPlan& p) { bound_of(tail(p, 3), 1)->below += 1; }},
        {"covers", "a head that stops early", from_3(), [=](Problem&, CopyPlan& p) { bound_of(tail(p, 3), 1)->below -= 1; }},
        {"disjoint", "a head that runs into the body", from_3(), [=](Problem&, CopyPlan& p) { tail(p, 3).predicate.pop_back(); }},
        {"covers", "no head", from_3(), [](Problem&, CopyPlan& p) { p.segments.pop_back(); }},
        {"predicate", "a part of a head where the end may be within", from_3("min = 8, max = 64"),
         [](Problem& q, CopyPlan&) { q.symbols[0].min = 5; }},
        {"disjoint", "a tail that counts from the first column", from_3(),
         [=](Problem&, CopyPlan& p) {
             Segment& s = tail(p);
             s.start[1] = 0;
             both_addresses(s, [](AddressPlan& a) { a.offset -= 5; });
         }},
        {"covers", "a tail that counts from behind the first access", from_3(),
         [=](Problem&, CopyPlan& p) {
             Segment& s = tail(p);
             s.start[1] += 8;
             both_addresses(s, [](AddressPlan& a) { a.offset += 8; });
         }},
        {"predicate", "a tail behind the region, where blocks from 0 on would end with it", from_3_to_60(),
         [=](Problem&, CopyPlan& p) { tail(p, 2).predicate.pop_back(); }},
        {"predicate", "fours of any number of columns", n_columns("min = 0, max = 64, multiple_of = 4"),
         [=](Problem& q, CopyPlan& p) {
             q.symbols[0].multiple_of = 1;
             end_of(tail(p)) = Expression::symbol(0);
         }},
    };
    for (const Miss& one : misses) check_miss(one);
}

TEST_CASE("tails: values of a model refute what few values of the symbols do") {
    const auto end = [](const Values& values) { return values[1] - values[2]; };  // k - k0
    for (const std::string& more : {std::string(), std::string("zero_fill = true\n")}) {
        CAPTURE(more);
        const Problem problem = problem_of(last_columns("f16", "min = 0, max = 4096", more));
        Plan plan = planned(problem);
        REQUIRE(plan.copies[0].segments.size() == 3);
        plan.copies[0].segments[2].predicate.push_back({1, 46});  // so what it has from 46 on is left out
        REQUIRE(!check_plan(problem, plan));
        const auto does_harm = [&](const Values& values) { return end(values) > 43 && end(values) < 64; };
        for (const Values& values : sample_values(problem, 16)) REQUIRE(!does_harm(values));
        const Report report = verify(problem, plan);
        INFO(open_findings(report));
        CHECK(report.conflicts.empty());
        const Finding& found = finding(report, "covers");
        REQUIRE(found.verdict == Verdict::refuted);
        CHECK(found.by == std::vector<std::string>{"exhaustive"});
        REQUIRE(found.counterexample);
        CHECK(does_harm(found.counterexample->symbols));
        CHECK(fault_at(problem, plan.copies[0], found.counterexample->symbols) != "");
        CHECK(open_findings(verify(problem, plan)) == open_findings(report));
        CHECK(finding(verify(problem, plan, exhaustive_alone()), "covers").verdict == Verdict::unknown);
    }
}

TEST_CASE("tails: a resource limit gives unknown, never proved") {
    VerifyOptions options;
    options.rlimit = 1;
    const Problem problem = problem_of(n_columns());
    const Report report = verify(problem, planned(problem), options);
    for (const char* id : {"predicate", "covers", "disjoint"}) CHECK(finding(report, id).verdict == Verdict::unknown);
}

TEST_CASE("tails: random damage is not proved where it does harm") {
    std::mt19937 engine(7);
    const random::Draw draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
    };
    DamageTally tally;
    for (const Tile& tile : {n_columns(), n_columns("min = 0, max = 64, multiple_of = 4"), line(), both(), from_3_to_60(),
                             from_3("min = 8, max = 64"), n_columns("min = 0, max = 64", "u8")}) {
        const Problem problem = problem_of(tile);
        const Plan good = planned(problem);
        const std::vector<Values> samples = sample_values(problem, 60);
        for (int i = 0, most = corpus::is_long_run() ? 400 : 40; i < most; ++i) {
            Plan plan = good;
            CopyPlan& copy = plan.copies[0];
            Segment& s = copy.segments[static_cast<std::size_t>(draw(1, static_cast<std::int64_t>(copy.segments.size()) - 1))];
            switch (s.tail ? draw(0, 6) : 6) {
                case 0:
                    s.tail->multiple = std::int64_t{1} << draw(0, 5);
                    break;
                case 1:
                    s.tail->end += draw(-2, 2);
                    break;
                case 2:
                    s.src.address.tail_stride += draw(-1, 1);
                    break;
                case 3:
                    s.start[static_cast<std::size_t>(s.tail->dim)] += draw(-2, 2);
                    break;
                case 4:
                    for (Bound& bound : s.predicate) bound.below += draw(-8, 8);
                    break;
                default:
                    random::damage(copy, draw);
                    break;
            }
            CAPTURE(i);
            tally.judge(problem, plan, good, [&](const Problem&, const Plan& damaged) {
                std::string fault;
                for (const Values& values : samples)
                    if (fault.empty()) fault = fault_at(problem, damaged.copies[0], values);
                return fault;
            });
        }
    }
    tally.check();
}

TEST_CASE("tails: random tiles, at ends around every multiple") {
    std::mt19937 engine(11);
    const auto any = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
    };
    int with_tails = 0, with_heads = 0;
    for (int i = 0, tiles = corpus::is_long_run() ? 300 : 28; i < tiles; ++i) {
        const std::int64_t first = any(0, 2) == 0 ? any(1, 9) : 0, other = any(0, 3) == 0 ? any(0, 9) : first;  // where the regions begin
        const std::int64_t rows = any(1, 48), extent = 8 * any(1, 24) + (any(0, 2) == 0 ? any(0, 7) : 0),
                           pad = 8 * any(0, 3) + (any(0, 3) == 0 ? any(0, 7) : 0);
        const bool clips = any(0, 1) == 0;
        std::int64_t multiple = std::int64_t{1} << (any(0, 1) == 0 ? 0 : any(0, 3));
        while (!clips && extent % multiple != 0) multiple /= 2;
        const auto shape = [&](std::int64_t columns, std::int64_t pitch) {
            return "\"(" + std::to_string(rows) + "," + std::to_string(columns) + "):(" + std::to_string(pitch) + ",1)\"";
        };
        const std::string most = std::to_string(clips ? extent + 40 : extent), least = std::to_string(clips ? -9 : 0);
        Tile tile{"n = { min = " + least + ", max = " + most + ", multiple_of = " + std::to_string(multiple) + " }",
                  "",
                  shape(first + extent + 40, (extent + 63) / 8 * 8 + pad),
                  shape(other + extent, (other == 0 ? extent : (extent + 16) / 8 * 8) + pad),
                  "A",
                  "As",
                  ""};
        tile.dtype = std::vector<std::string>{"u8", "f16", "f16", "f32", "f64"}[static_cast<std::size_t>(any(0, 4))];
        const auto columns = [&](std::int64_t begin) {
            return "[:, " + std::to_string(begin) + ":" + (clips ? std::to_string(begin + extent) : "n+" + std::to_string(begin)) + "]";
        };
        tile.src = "A" + columns(first);
        tile.dst = "As" + columns(other);
        if (clips) tile.predicate = std::string("d") + (rows == 1 ? "0" : "1") + " < n";
        const Problem problem = problem_of(tile);
        CAPTURE(text_of(tile));
        const Plan plan = planned(problem);
        with_tails += has_tails(plan.copies[0]) ? 1 : 0;
        with_heads += has_tails(plan.copies[0]) && plan.copies[0].segments[0].start.back() > 0 ? 1 : 0;
        REQUIRE(!check_plan(problem, plan));
        const Report report = verify(problem, plan);
        CHECK(open_findings(report) == "");
        CHECK(report.conflicts.empty());
        const Symbol& n = problem.symbols[0];
        for (std::int64_t value = n.min; value <= n.max; ++value) {
            if (value % n.multiple_of != 0) continue;
            CAPTURE(value);
            CHECK(fault_at(problem, plan.copies[0], {value}) == "");
        }
        for (const std::int64_t value : {n.min, std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{8}, std::int64_t{9},
                                         extent - 1, extent, extent + 1, n.max}) {
            CAPTURE(value);
            if (value >= n.min && value <= n.max && value % n.multiple_of == 0) CHECK(difference(problem, plan, {value}) == "");
        }
    }
    CHECK(with_tails > 8);
    CHECK(with_heads > 3);
}

TEST_CASE("tails: what cannot be one is malformed") {
    const auto fault = [](const Tile& tile, const std::function<void(Segment&)>& damage, std::size_t number = 1) {
        const Problem problem = problem_of(tile);
        Plan plan = planned(problem);
        REQUIRE(!check_plan(problem, plan));
        damage(plan.copies[0].segments.at(number));
        const std::optional<Diagnostic> found = check_plan(problem, plan);
        return found ? found->text : "none";
    };
    const std::string whose = "the plan of copy 'copy0' ";
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->multiple = 6; }) == whose + "rounds the begin of its tail to no power of two");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->multiple = 0; }) == whose + "rounds the begin of its tail to no power of two");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->multiple = -8; }) == whose + "rounds the begin of its tail to no power of two");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->multiple = std::int64_t{1} << 51; }) ==
          whose + "rounds the begin of its tail to no power of two");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->dim = 2; }) == whose + "has a tail in no box dimension");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->dim = -1; }) == whose + "has a tail in no box dimension");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->end = 40; }) == whose + "has a tail behind an end that is a number");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail->end = s.tail->end.times(max_offset); }) ==
          whose + "has a tail behind an end beyond 2^50");
    CHECK(fault(n_columns(), [](Segment& s) { s.src.address.tail_stride = max_offset; }) ==
          whose + "has an address that leaves 2^50 elements");
    CHECK(fault(n_columns(), [](Segment& s) { s.tail.reset(); }) == whose + "has a stride along a tail, and no tail");
    CHECK(fault(n_columns(), [](Segment& s) { s.src.lanes = {{0}}; }) == whose + "has a tail in a block of registers");
    const auto add_tail = [](Segment& s) { s.tail = Tail{0, Expression::symbol(0), 8}; };
    CHECK(fault(last_columns("f16", "min = 0, max = 4096", "zero_fill = true\ncompletion = \"kernel\"\n"), add_tail, 0) ==
          whose + "has a tail, which only copies between memories have, and those by cp.async only where they fill nothing with zeros");
}

}  // namespace tileproof
