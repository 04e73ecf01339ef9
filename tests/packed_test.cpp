// Elements of less than a byte, and of 128 bits: what is planned, what is refused, and who notices that two threads share a byte.
#include <doctest/doctest.h>

#include <algorithm>

#include "solver/solve.hpp"
#include "tests/oracle.hpp"
#include "tests/problems.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::make_buffer;
using test::one_copy;

constexpr auto G = Space::global;
constexpr auto S = Space::shared;

struct Case {
    const char* what;
    Problem problem;
    std::int64_t width;       // 0: sub-byte-edge
    std::string next_rule{};  // why the next wider one is refused
};

/// The same region on both sides.
Problem part(const std::string& dtype, const std::string& layout, const Region& region, int threads = 32) {
    Problem p = one_copy(make_buffer("A", G, dtype, layout), make_buffer("B", S, dtype, layout), threads);
    p.copies[0].src.region = p.copies[0].dst.region = region;
    return p;
}

std::vector<Case> cases() {
    return {
        // tile-ai/tilelang#2963: 128 elements of 4 bits by 128 threads. Four threads move 32 each.
        {"a row of nibbles", one_copy(make_buffer("A", G, "u4", "128:1"), make_buffer("B", S, "u4", "128:1"), 128), 128, "target"},
        // NVIDIA/cutlass#1876: a 1-bit tile of 8 rows by a warp. Eight threads move 128 each.
        {"a tile of bits", one_copy(make_buffer("A", G, "b1", "(8,128):(128,1)"), make_buffer("B", S, "b1", "(8,128):(128,1)"), 32), 128,
         "target"},
        {"an odd row, four of them dense: 62 bytes", part("u4", "(4,31):(31,1)", {{0, 0}, {4, 31}}), 16, "no-partner"},
        {"rows of whole bytes", part("u4", "(4,32):(34,1)", {{0, 0}, {4, 32}}), 8, "stride"},
        {"a start inside a byte", part("b2", "(64):(1)", {{2}, {32}}), 0, "region-offset"},
        {"a start at the second byte", part("b2", "(64):(1)", {{4}, {32}}), 8, "region-offset"},
        {"an end inside a byte", part("e2m1", "(64):(1)", {{0}, {33}}), 0, "no-partner"},
        {"fewer than a byte", part("b1", "(64):(1)", {{8}, {4}}), 0, "count"},
        {"a base inside nothing: bytes have no bits to be off by",
         [] {
             Problem p = part("b4", "(64):(1)", {{0}, {64}});
             p.buffers[0].base = p.buffers[1].base = Bytes{3};
             return p;
         }(),
         8, "region-offset"},
        {"nibbles apart on one side", one_copy(make_buffer("A", G, "s4", "(8,8):(8,1)"), make_buffer("B", S, "s4", "(8,8):(1,8)"), 32), 0,
         "not-contiguous"},
        {"nibbles swapped within bytes, on both sides alike",
         one_copy(make_buffer("A", G, "u4", "Sw<1,0,5> o (64):(1)"), make_buffer("B", S, "u4", "Sw<1,0,5> o (64):(1)"), 32), 128, "target"},
        {"nibbles swapped within bytes, on one side",
         one_copy(make_buffer("A", G, "u4", "(64):(1)"), make_buffer("B", S, "u4", "Sw<1,0,5> o (64):(1)"), 32), 0, "swizzle-chunk"},
        {"elements as wide as an access",
         one_copy(make_buffer("A", G, "b128", "(6,5):(7,1)", 16), make_buffer("B", S, "b128", "(6,5):(1,6)", 16), 32), 128, "target"},
    };
}

}  // namespace

TEST_CASE("widths of packed elements") {
    for (const Case& c : cases()) {
        INFO(c.what);
        const Solution solution = solve(c.problem);
        const CopySolution& copy = solution.copies[0];
        CHECK(oracle::widest(c.problem, c.problem.copies[0]).width_bits == c.width);
        CHECK(copy.width.count == c.width);
        REQUIRE_FALSE(copy.refused.empty());
        CHECK(copy.refused.back().rule == c.next_rule);
        if (c.width == 0) {
            REQUIRE(copy.rejection.has_value());
            CHECK(copy.rejection->rule == "sub-byte-edge");
            CHECK(copy.rejection->notes[0].find("[" + c.next_rule + "]") != std::string::npos);
            continue;
        }
        const Report report = verify(c.problem, solution.plan());
        CHECK(report.verdict() == Verdict::proved);
        for (const Finding& finding : report.copies[0].findings) CHECK((finding.by[0] == "structure" || finding.by.size() == 2));
        CHECK(simulate::fault(c.problem, c.problem.copies[0], *copy.plan) == "");
    }
    CHECK(verify(cases()[0].problem, solve(cases()[0].problem).plan()).copies[0].active_threads == 4);
    CHECK(verify(cases()[1].problem, solve(cases()[1].problem).plan()).copies[0].active_threads == 8);
}

TEST_CASE("a witness inside a byte") {
    const Problem p = part("b2", "(64):(1)", {{2}, {32}});
    const Refusal refusal = solve(p).copies[0].refused.back();
    CHECK(refusal.width == Bits{8});
    CHECK(refusal.witness->address == Bits{4});
    CHECK(refusal.text == "the region starts at A[2], at bit 4 = 4 mod 8");
    CHECK(rejection(one_copy(make_buffer("A", G, "b128", "(8):(1)", 8), make_buffer("B", S, "b128", "(8):(1)"), 8), p.copies[0])->rule ==
          "element-alignment");
}

namespace {

/// `each` neighbours a thread, in an access of just their bits.
Plan by_hand(const Problem& problem, std::int64_t each) {
    Plan plan = solve(problem).plan();
    Segment& s = plan.copies[0].segments[0];
    const std::int64_t count = moved(problem.copies[0]).count;
    s.digits = {{0, 1, each, Role::vec, 0}, {0, each, count / each, Role::thread, 0}};
    s.outer = 1;
    s.vec = each;
    s.predicate.clear();
    for (SidePlan* side : {&s.src, &s.dst}) {
        side->width = to_bits(Elements{each}, problem.buffers[0].dtype.size);
        side->instruction = side == &s.src ? "ld.global.u8" : "st.shared.u8";
        side->address.strides = {1, each};
    }
    return plan;
}

std::string refuted(const Report& report) {
    std::string out;
    for (const Finding& finding : report.copies[0].findings)
        if (finding.verdict != Verdict::proved) out += (out.empty() ? "" : " ") + finding.obligation;
    return out;
}

const Finding& finding(const Report& report, const std::string& id) {
    const auto& all = report.copies[0].findings;
    return *std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.obligation == id; });
}

}  // namespace

TEST_CASE("one nibble a thread: every byte has two writers") {
    const Problem p = one_copy(make_buffer("A", G, "u4", "128:1"), make_buffer("B", S, "u4", "128:1"), 128);
    const Problem pairs = one_copy(make_buffer("A", G, "u4", "128:1"), make_buffer("B", S, "u4", "128:1"), 64);
    for (const VerifyOptions& options :
         {VerifyOptions{}, VerifyOptions{.smt = true, .exhaustive = false}, VerifyOptions{.smt = false, .exhaustive = true}}) {
        const Report race = verify(p, by_hand(p, 1), options);
        CHECK(refuted(race) == "legal disjoint");
        REQUIRE(finding(race, "disjoint").counterexample.has_value());
        const Counterexample& found = *finding(race, "disjoint").counterexample;
        CHECK(found.text.find("which holds elements of both") != std::string::npos);
        CHECK(verify(pairs, by_hand(pairs, 2), options).copies[0].verdict() == Verdict::proved);
    }
    const Counterexample first = *finding(verify(p, by_hand(p, 1)), "disjoint").counterexample;
    CHECK(first.text == "thread 0 in round 0 and thread 1 in round 0 both write byte 0 of B, which holds elements of both");
}

TEST_CASE("a byte that one thread writes and another reads is shared, whichever nibble they mean") {
    Problem p = one_copy(make_buffer("A", S, "u4", "(256):(1)"), make_buffer("A", S, "u4", "(256):(1)"), 2);
    p.buffers.pop_back();
    p.copies[0].dst.buffer = 0;
    const auto apart = [&](std::int64_t from, std::int64_t to) {
        p.copies[0].src.region = {{from}, {2}};
        p.copies[0].dst.region = {{to}, {2}};
        Plan plan;  // two threads, a nibble each; `legal` is not what this is about
        Segment s;
        s.start = {0};
        s.threads = 2;
        s.digits = {{0, 1, 2, Role::thread, 0}};
        s.src = {"ld.shared.u8", Bits{4}, {from, {1}, {}, 32}};
        s.dst = {"st.shared.u8", Bits{4}, {to, {1}, {}, 32}};
        plan.copies = {CopyPlan{p.copies[0].name, participants(p.copies[0], p.launch), {{{{0, 1, 2}}}}, {s}}};
        plan.program = {CopyStep{p.copies[0].name}};
        const std::optional<Diagnostic> malformed = check_plan(p, plan);
        INFO((malformed ? malformed->text : ""));
        REQUIRE_FALSE(malformed.has_value());
        Verdict smt = finding(verify(p, plan, {.smt = true, .exhaustive = false}), "no-alias").verdict;
        CHECK(finding(verify(p, plan, {.smt = false, .exhaustive = true}), "no-alias").verdict == smt);
        return smt;
    };
    CHECK(apart(2, 0) == Verdict::proved);
    CHECK(apart(1, 0) == Verdict::refuted);
    CHECK(apart(3, 1) == Verdict::refuted);  // no nibble is read and written, but byte 1 is
}

}  // namespace tileproof
