// A copy with the planner's plan for it, to be damaged: what the verifier then says.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

using Ids = std::set<std::string>;

struct PlannedCopy {
    Problem problem;
    Plan plan;

    /// As on the command line. Nothing of the plan is refuted.
    PlannedCopy(const std::string& src, const std::string& dst, const std::string& scope = "warp", std::int64_t threads = 32,
                const std::string& arch = "sm_90")
        : problem(one_line(src, dst, scope, threads, arch)), plan(solve(problem).plan()) {
        CHECK(refuted() == Ids{});
    }

    Segment& segment() { return plan.copies[0].segments[0]; }
    SidePlan& side(Side side) { return side == Side::src ? segment().src : segment().dst; }
    std::size_t digit(Role role, int place = 0) {
        const Digit* digit = digit_at(segment(), role, place);
        REQUIRE(digit != nullptr);
        return index_of(segment(), *digit);
    }
    Expression& stride(Side of, Role role, int place = 0) { return side(of).address.strides[digit(role, place)]; }

    /// Nothing is left open, and what is refuted says why.
    Ids refuted() const {
        REQUIRE_FALSE(check_plan(problem, plan).has_value());
        Ids out;
        const Report report = verify(problem, plan);
        CHECK(report.conflicts.empty());
        for (const auto& findings : {report.copies[0].findings, report.program}) {
            for (const Finding& finding : findings) {
                CHECK(finding.verdict != Verdict::unknown);
                if (finding.verdict != Verdict::refuted) continue;
                out.insert(finding.obligation);
                REQUIRE(finding.counterexample.has_value());
                CHECK_FALSE(finding.counterexample->text.empty());
            }
        }
        return out;
    }
    std::string says(const std::string& id) const {
        const Report report = verify(problem, plan);
        for (const auto& findings : {report.copies[0].findings, report.program})
            for (const Finding& finding : findings)
                if (finding.obligation == id && finding.counterexample) return finding.counterexample->text;
        return "";
    }
};

/// Plans with random damage: how many are proved all the same, and what those do.
struct DamageTally {
    int proved = 0, refuted = 0, changed = 0;

    /// `run`: how the code differs from the definition. It is asked of what is proved.
    template <class Run>
    void judge(const Problem& problem, const Plan& damaged, const Plan& sound, const Run& run) {
        if (check_plan(problem, damaged)) return;
        const Certified certified = verify_and_certify(problem, damaged);
        CHECK(certified.report.conflicts.empty());
        if (!certified.plan) {
            ++refuted;
            return;
        }
        ++proved;
        changed += damaged.copies[0].segments == sound.copies[0].segments ? 0 : 1;
        CHECK(run(problem, damaged) == "");
    }
    void check() const {
        MESSAGE(proved, " proved (", changed, " of them not the planner's), ", refuted, " refuted");
        CHECK(refuted > 100);
        CHECK(changed > 3);
    }
};

}  // namespace tileproof::test
