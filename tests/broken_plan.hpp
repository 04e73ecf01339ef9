// Broken plans: a good plan, one change, and the obligation that no longer holds. Each checker has to refute it on its own.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

inline constexpr auto G = Space::global;
inline constexpr auto S = Space::shared;

inline Problem tile() {
    return round_trip(make_buffer("A", G, "f32", "(32,32):(32,1)"), make_buffer("As", S, "f32", "(32,32):(32,1)"),
                      make_buffer("B", G, "f32", "(32,32):(32,1)"), 32);
}
inline Problem async_tile() {
    Problem p = tile();
    p.copies[0].completion = Completion::kernel;
    return p;
}
inline Problem rows() { return one_copy(make_buffer("A", G, "f16", "(16,32):(40,1)"), make_buffer("B", S, "f16", "(16,32):(32,1)"), 32); }
inline Problem few() { return one_copy(make_buffer("A", G, "f32", "(4,6):(6,1)"), make_buffer("B", S, "f32", "(4,6):(6,1)"), 32); }
inline Problem swizzled_tile() {
    return one_copy(make_buffer("A", G, "f16", "(32,64):(64,1)"), make_buffer("B", S, "f16", "Sw<3,3,3> o (32,64):(64,1)", 1024), 64);
}
/// The dimension of the lanes is not the last.
inline Problem columns() {
    return one_copy(make_buffer("A", G, "f16", "(64,16):(1,80)"), make_buffer("B", S, "f16", "(64,16):(1,72)"), 64);
}
inline Problem k_tiled() {
    return one_copy(make_buffer("A", G, "f16", "(128,64):(64,1)"), make_buffer("B", S, "f16", "S[(128,8,8):(8,1024,1)]", 1024, {128, 64}),
                    128);
}
/// One buffer on both sides: the upper half moves down.
inline Problem moved_down() {
    Problem p = one_copy(make_buffer("A", S, "f32", "(256):(1)"), make_buffer("A", S, "f32", "(256):(1)"), 32);
    p.buffers.pop_back();
    p.copies[0].dst.buffer = 0;
    p.copies[0].src.region = {{128}, {128}};
    p.copies[0].dst.region = {{0}, {128}};
    return p;
}

struct Broken {
    std::string obligation;
    std::string what;
    Problem problem;
    std::function<void(Problem&, Plan&)> damage;
};

inline Segment& segment(Plan& plan) { return plan.copies[0].segments[0]; }
inline Digit& digit(Plan& plan, Role role) {
    auto& digits = segment(plan).digits;
    return *std::find_if(digits.begin(), digits.end(), [&](const Digit& d) { return d.role == role; });
}
inline std::size_t index(Plan& plan, Role role) { return static_cast<std::size_t>(&digit(plan, role) - segment(plan).digits.data()); }

inline VerifyOptions smt_alone() {
    VerifyOptions out;
    out.exhaustive = false;
    return out;
}
inline VerifyOptions exhaustive_alone() {
    VerifyOptions out;
    out.smt = false;
    return out;
}

inline std::vector<Finding> all_findings(const Report& report) {
    std::vector<Finding> out = report.program;
    for (const CopyReport& copy : report.copies) out.insert(out.end(), copy.findings.begin(), copy.findings.end());
    return out;
}

inline bool refuted(const Report& report, const std::string& id) {
    const std::vector<Finding> all = all_findings(report);
    return std::any_of(all.begin(), all.end(), [&](const Finding& f) {
        return f.obligation == id && f.verdict == Verdict::refuted && f.counterexample.has_value();
    });
}

/// Each checker on its own, and both together.
inline void check_proved(const Problem& problem, const Plan& plan) {
    for (const VerifyOptions& options : {smt_alone(), exhaustive_alone(), VerifyOptions{}}) {
        const Report report = verify(problem, plan, options);
        CHECK(report.conflicts.empty());
        for (const Finding& finding : all_findings(report)) CHECK_MESSAGE(finding.verdict == Verdict::proved, finding.obligation);
    }
    CHECK(verify_and_certify(problem, plan).plan.has_value());
}

inline void check_refuted(const Broken& broken) {
    CAPTURE(broken.obligation);
    CAPTURE(broken.what);
    Problem problem = broken.problem;
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    Plan plan = solution.plan();
    broken.damage(problem, plan);
    const auto malformed = check_plan(problem, plan);
    REQUIRE_MESSAGE(!malformed, malformed->text);
    CHECK(refuted(verify(problem, plan, smt_alone()), broken.obligation));
    CHECK(refuted(verify(problem, plan, exhaustive_alone()), broken.obligation));
    const Certified both = verify_and_certify(problem, plan);
    CHECK(refuted(both.report, broken.obligation));
    CHECK(both.report.conflicts.empty());
    CHECK(both.report.verdict() == Verdict::refuted);
    CHECK(!both.plan.has_value());
}

}  // namespace tileproof::test
