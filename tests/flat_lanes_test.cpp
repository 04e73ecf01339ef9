// The argument about the lanes of flat segments, against the addresses themselves.
#include <doctest/doctest.h>

#include <random>

#include "layouts/address.hpp"
#include "layouts/plan_address.hpp"
#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/flat_lanes_internal.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

bool follow_in_fact(const Segment& segment, Side side) {
    for (std::int64_t round = 0; round < segment.outer; ++round)
        for (std::int64_t thread = 0; thread < segment.threads; ++thread) {
            const auto at = [&](std::int64_t lane) {
                const std::int64_t index = coordinate(segment, digits_at(segment, round, thread, lane))[0];
                return planned_linear_offset(Integers{}, segment, side, {}, index);
            };
            const std::int64_t first = at(0);
            for (std::int64_t lane = 1; lane < segment.vec; ++lane)
                if (at(lane) != first + lane) return false;
        }
    return true;
}

}  // namespace

TEST_CASE("lanes that are said to follow each other do") {
    std::mt19937_64 generator(20261130);
    const auto draw = [&](std::initializer_list<std::int64_t> of) {
        return *(of.begin() + static_cast<std::ptrdiff_t>(generator() % of.size()));
    };
    int followed = 0, not_plain = 0;
    for (int n = 0; n < 40000; ++n) {
        Segment s;
        s.flat = true;
        s.vec = draw({2, 3, 4});
        s.threads = 5;
        s.outer = 3;
        s.start = {draw({0, 0, 0, s.vec, 1})};
        s.digits = {{0, draw({1, 1, 1, 1, 2}), s.vec, Role::vec, 0},
                    {0, draw({s.vec, s.vec, s.vec, 1, 2 * s.vec}), 5, Role::thread, 0},
                    {0, draw({5 * s.vec, 5 * s.vec, 10 * s.vec, 5}), 3, Role::outer, 0}};
        const std::int64_t terms = draw({1, 2, 3});
        for (std::int64_t k = 0; k < terms; ++k) {
            FlatTerm term{draw({1, 1, s.vec, 2 * s.vec, 2}),
                          draw({s.vec, 2 * s.vec, 4 * s.vec, 1000 * s.vec, 5, 7}),
                          draw({1, 1, 2, 10, 100}),
                          {},
                          0};
            if (draw({0, 1}) == 1) {
                term.add = draw({0, 0, s.vec, 1});
                for (std::int64_t j = draw({1, 2}); j > 0; --j)
                    term.of.push_back({draw({1, s.vec, 2}), draw({s.vec, 3 * s.vec, 5}), draw({1, 1, s.vec, 2 * s.vec, 2})});
            }
            s.src.address.terms.push_back(term);
        }
        const bool in_fact = follow_in_fact(s, Side::src), said = lanes_follow(s, s.src.address);
        if (said) CHECK(in_fact);
        followed += said ? 1 : 0;
        not_plain += in_fact && !said ? 1 : 0;
    }
    CHECK(followed > 500);
    MESSAGE(followed << " follow each other, " << not_plain << " more do and are not plain");
}

TEST_CASE("both sides that do not nest are proved by the solver's side too") {
    Problem problem = test::one_copy(test::make_buffer("A", Space::global, "f16", "S[(3,4,6):(48,1,4)]", 256, {8, 9}),
                                     test::make_buffer("B", Space::shared, "f16", "S[(12,6):(8,1)]", 256, {9, 8}), 16);
    problem.copies[0].dst.region = {{0, 0}, {9, 8}};
    problem.copies[0].src.region = {{0, 0}, {8, 9}};
    problem.buffers[0].layout.shape = {9, 8};
    problem.copies[0].src.region = {{0, 0}, {9, 8}};
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    REQUIRE(solution.plan().copies[0].segments[0].flat);
    const auto contiguous = [&](const Plan& plan, bool exhaustive, const char* id = "contiguous.dst") {
        VerifyOptions options;
        options.exhaustive = exhaustive;
        options.smt = !exhaustive;
        const Report report = verify(problem, plan, options);
        for (const Finding& f : report.copies[0].findings)
            if (f.obligation == id) return f.verdict;
        return Verdict::unknown;
    };
    CHECK(contiguous(solution.plan(), false) == Verdict::proved);
    CHECK(contiguous(solution.plan(), false, "contiguous.src") == Verdict::proved);
    for (const int damage : {0, 1, 2, 3}) {
        Plan plan = solution.plan();
        Segment& s = plan.copies[0].segments[0];
        if (damage == 0) s.src.address.swizzle = {1, 0, 2};
        if (damage == 1) s.src.width = s.src.width * 2;
        if (damage == 2) s.src.address.terms[0].stride = 3;
        if (damage == 3) s.start[0] += 1;
        const Verdict exact = contiguous(plan, true), smt = contiguous(plan, false);
        CHECK((smt == exact || smt == Verdict::unknown));
        CHECK(verify(problem, plan).conflicts.empty());
    }
}

}  // namespace tileproof
