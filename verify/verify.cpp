#include "verify/verify.hpp"

#include <algorithm>

#include "solver/smt.hpp"
#include "verify/judge_internal.hpp"
#include "verify/obligation.hpp"
#include "verify/parts_internal.hpp"
#include "verify/structure_internal.hpp"

namespace tileproof {
namespace {

/// Two checkers on one obligation. A refutation against a proof is a fault of ours, and is reported as such.
Finding combine(const std::string& copy, Finding smt, const Finding& exhaustive, std::vector<std::string>& conflicts) {
    if (smt.verdict == Verdict::unknown) return exhaustive;
    if (exhaustive.verdict == Verdict::unknown) return smt;
    if (smt.verdict != exhaustive.verdict) {
        conflicts.push_back("copy '" + copy + "', " + smt.obligation + ": " + to_string(smt.verdict) + " by smt, " + to_string(exhaustive.verdict) + " by exhaustive");
        return {smt.obligation, Verdict::unknown, {}, {}, "the checkers disagree"};
    }
    smt.by.push_back("exhaustive");
    smt.counterexample = exhaustive.counterexample;  // the first in order of segment, round, thread, lane
    smt.failures = exhaustive.failures;
    return smt;
}

/// Threads that some round lets run. Bounds are upper ones, and one round reaches the least coordinates of all.
std::int64_t active_threads(const Judge& judge) {
    std::int64_t most = 0;
    for (const Segment& s : judge.plan().segments) most = std::max(most, s.threads);
    std::vector<bool> active(static_cast<std::size_t>(std::clamp<std::int64_t>(judge.plan().participants.count, 0, most)));
    for (const Segment& s : judge.plan().segments) {
        const std::vector<std::int64_t> weights(s.start.size(), 0);
        const Parts rounds(s, Role::outer, weights), threads(s, Role::thread, weights);
        Part part;
        for (std::int64_t t = 0; t < std::min(s.threads, static_cast<std::int64_t>(active.size())); ++t) {
            if (!s.predicate.empty()) threads.find(t, part);
            const bool runs = std::all_of(s.predicate.begin(), s.predicate.end(), [&](const Bound& b) {
                const auto dim = static_cast<std::size_t>(b.dim);
                return s.start[dim] + rounds.least(dim) + part.coordinate[dim] < b.below;
            });
            if (runs) active[static_cast<std::size_t>(t)] = true;
        }
    }
    return std::count(active.begin(), active.end(), true);
}

bool small_enough(const Copy& copy, const CopyPlan& plan) {
    std::int64_t lanes = 0;
    for (const Segment& segment : plan.segments) lanes += segment.outer * segment.threads * segment.vec;
    return moved(copy) <= most_elements && lanes <= 4 * most_elements.count;
}

Finding refuted(const std::string& obligation, const Diagnostic& fault, std::optional<Side> side = {}) {
    Counterexample because;
    because.text = fault.text;
    because.side = side;
    return {obligation, Verdict::refuted, {"structure"}, std::move(because)};
}

/// What is left to say of a copy whose sides do not match.
std::vector<Finding> refuse(const Diagnostic& unlike) {
    std::vector<Finding> out;
    for (const Obligation& obligation : obligations()) {
        if (obligation.of_program) continue;
        if (obligation.id == "same-element") out.push_back(refuted("same-element", unlike));
        else out.push_back({std::string(obligation.id), Verdict::unknown, {}, {}, "the two sides of the copy do not match"});
    }
    return out;
}

/// The addresses that the hardware swizzles are not the layout's, for some base that is allowed.
void refute_address(CopyReport& report, Side side, const Diagnostic& fault) {
    for (Finding& finding : report.findings)
        if (finding.obligation == "address." + to_string(side)) finding = refuted(finding.obligation, fault, side);
}

CopyReport verify_copy(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options, smt::Session* z3,
                       std::vector<std::string>& conflicts) {
    if (const auto unlike = mismatch(problem, copy)) return {copy.name, refuse(*unlike)};
    const Judge judge(problem, copy, plan);
    CopyReport out{copy.name, judge_structure(problem, judge)};
    std::vector<Finding> smt, exhaustive;
    for (const char* id : searched) {
        smt.push_back({id, Verdict::unknown, {}, {}, "not asked"});
        exhaustive.push_back({id, Verdict::unknown, {}, {}, options.exhaustive ? "too many elements to enumerate" : "not asked"});
    }
    if (z3 != nullptr) smt = prove(*z3, judge);
    if (options.exhaustive && small_enough(copy, plan)) exhaustive = enumerate(judge);
    for (std::size_t i = 0; i < searched.size(); ++i) {
        const bool nobody = smt[i].verdict == Verdict::unknown && exhaustive[i].verdict == Verdict::unknown;
        out.findings.push_back(nobody ? smt[i] : combine(copy.name, smt[i], exhaustive[i], conflicts));
    }
    for (const Side side : both_sides)
        if (const auto fault = swizzle_period_fault(judge.buffer(side))) refute_address(out, side, *fault);
    out.active_threads = active_threads(judge);
    return out;
}

}  // namespace

Report verify(const Problem& problem, const Plan& plan, const VerifyOptions& options) {
    TILEPROOF_CHECK(plan.copies.size() == problem.copies.size());
    Report out;
    std::optional<smt::Session> z3;
    if (options.smt) z3.emplace(options.rlimit);
    for (std::size_t i = 0; i < problem.copies.size(); ++i)
        out.copies.push_back(verify_copy(problem, problem.copies[i], plan.copies[i], options, z3 ? &*z3 : nullptr, out.conflicts));
    out.program = judge_program(problem, plan);
    return out;
}

Certified verify_and_certify(const Problem& problem, const Plan& plan, const VerifyOptions& options) {
    Certified out{verify(problem, plan, options), std::nullopt};
    if (out.report.verdict() == Verdict::proved) out.plan = VerifiedPlan(problem, plan, out.report);
    return out;
}

}  // namespace tileproof
