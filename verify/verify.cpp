#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/filling.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/smt_symbols.hpp"
#include "verify/blocks_internal.hpp"
#include "verify/filling_internal.hpp"
#include "verify/inquiry_internal.hpp"
#include "verify/judge_internal.hpp"
#include "verify/matrices_internal.hpp"
#include "verify/obligation.hpp"
#include "verify/parts_internal.hpp"
#include "verify/registers_internal.hpp"
#include "verify/structure_internal.hpp"
#include "verify/symbolic_internal.hpp"
#include "verify/widest_internal.hpp"

namespace tileproof {
namespace {

/// Two checkers on one obligation. A refutation against a proof is a fault of ours, and is reported as such.
Finding combine(const std::string& copy, Finding smt, const Finding& exhaustive, bool strict, std::vector<std::string>& conflicts) {
    if (smt.verdict == Verdict::unknown && strict && exhaustive.verdict == Verdict::proved) return smt;  // enumeration alone is one opinion
    if (smt.verdict == Verdict::unknown) return exhaustive;
    if (exhaustive.verdict == Verdict::unknown) return smt;
    if (smt.verdict != exhaustive.verdict) {
        conflicts.push_back("copy '" + copy + "', " + smt.obligation + ": " + to_string(smt.verdict) + " by smt, " +
                            to_string(exhaustive.verdict) + " by exhaustive");
        return {smt.obligation, Verdict::unknown, {}, {}, "the checkers disagree", {}, smt.queries};
    }
    smt.by.push_back("exhaustive");
    smt.counterexample = exhaustive.counterexample;  // the first in order of segment, round, thread, lane
    smt.failures = exhaustive.failures;
    return smt;
}

/// Threads that some round lets run. Bounds are upper ones, and one round reaches the least coordinates of all.
std::int64_t active_threads(const CopyPlan& plan) {
    std::int64_t most = 0;
    for (const Segment& s : plan.segments) most = std::max(most, s.threads);
    std::vector<bool> active(static_cast<std::size_t>(std::clamp<std::int64_t>(plan.participants.count, 0, most)));
    for (const Segment& s : plan.segments) {
        const std::vector<std::int64_t> weights(s.start.size(), 0);
        const Parts rounds(s, Role::outer, weights), threads(s, Role::thread, weights);
        Part part;
        for (std::int64_t t = 0; t < std::min(s.threads, static_cast<std::int64_t>(active.size())); ++t) {
            if (!s.predicate.empty()) threads.find(t, part);
            const bool runs = std::all_of(s.predicate.begin(), s.predicate.end(), [&](const Bound& b) {
                const auto dim = static_cast<std::size_t>(b.dim);
                return b.beyond != Beyond::nothing || s.start[dim] + rounds.least(dim) + part.coordinate[dim] < b.below;
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

/// Ends the inquiry: its queries go into the report, and what the solvers dispute is a conflict.
void keep(Inquiry& inquiry, std::vector<Finding>& findings, const VerifyOptions& options, std::vector<Query>& out,
          std::vector<std::string>& conflicts) {
    out = inquiry.finish(findings);
    for (const Query& query : out) {
        if (!query.is_disputed()) continue;
        conflicts.push_back("query " + query.name + ": " + to_string(query.answer) + " by smt, " + to_string(query.second->answer) +
                            " by " + options.second->name);
    }
}

std::vector<Finding> prove_and_keep(smt::Session& z3, const Judge& judge, const VerifyOptions& options, CopyReport& out,
                                    std::vector<std::string>& conflicts) {
    Inquiry inquiry(z3, options, out.name);
    std::vector<Finding> findings = prove(inquiry, judge);
    keep(inquiry, findings, options, out.queries, conflicts);
    return findings;
}

/// Of a copy that fills with zeros: what runs and what is read has to be of that width. cp.async names its source where it reads nothing, too,
/// and may read a part of what it writes.
WiderWidth wider_filling(const Problem& problem, const Copy& copy, const CopyPlan& plan, Bits than) {
    const auto wider = [&](const Problem& part) { return wider_width(part, part.copies[0], than); };
    const bool is_async = is_asynchronous(plan), splits = is_async && problem.buffer(copy.src).dtype.size >= Bits{8};
    const bool has_registers = register_side(problem, copy).has_value();
    const WiderWidth of_all = wider(is_async        ? whole_part(problem, copy)
                                    : has_registers ? grouped_part(problem, copy)
                                                    : written_part(problem, copy, false));
    const Problem read = moved_part(problem, copy);
    if (splits || !of_all.width || moved(read.copies[0]) < Elements{1}) return of_all;
    const WiderWidth of_read = wider(read);
    return !of_read.width || *of_read.width < *of_all.width ? of_read : of_all;
}

/// Decided by enumeration; the plan's part in it is its width.
std::optional<Finding> widest(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options) {
    Finding out{"widest", Verdict::unknown, {}, {}, "not asked"};
    if (!options.exhaustive) return options.require_widest ? std::optional(out) : std::nullopt;
    Bits narrowest = plan.segments.front().src.width;
    for (const Segment& segment : plan.segments) narrowest = std::min({narrowest, segment.src.width, segment.dst.width});
    const WiderWidth wider = copy.zero_fill ? wider_filling(problem, copy, plan, narrowest) : wider_width(problem, copy, narrowest);
    out = {"widest", wider.width ? Verdict::refuted : Verdict::proved, {wider.looked ? "exhaustive" : "structure"}};
    if (!wider.width) return out;
    out.counterexample.emplace();
    out.counterexample->text = fmt::format(
        "{} bits are legal: each of the {} runs of {} elements is whole, aligned and in one piece on both sides; the plan has {} bits",
        wider.width->count, wider.runs, *wider.width / problem.buffer(copy.src).dtype.size, narrowest.count);
    return out;
}

/// A width is not legal for all values of the symbols if it is not legal for some: one sample at which nothing wider is legal will do.
std::optional<Finding> widest_of_symbolic(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options) {
    constexpr std::size_t most_tried = 64;
    Finding out{"widest", Verdict::unknown, {}, {}, "wider width undecided: at none of the samples of the symbols it is illegal"};
    if (!options.exhaustive) return options.require_widest ? std::optional(out) : std::nullopt;
    const auto number = static_cast<std::size_t>(&copy - problem.copies.data());
    std::vector<Values> samples;
    for (const Values& values : options.telling_values)
        if (are_allowed(problem, values)) samples.push_back(values);
    for (Values& values : sample_values(problem, most_tried)) samples.push_back(std::move(values));
    if (samples.empty()) samples = all_values(problem, most_tried).value_or(std::vector<Values>());  // facts leave few
    for (const Values& values : samples) {
        const Problem one = at(problem, values);
        if (check_problem(one)) continue;
        const std::optional<Finding> there = widest(one, one.copies[number], plan, options);
        if (there && there->verdict == Verdict::proved) return Finding{"widest", Verdict::proved, there->by};
    }
    return out;
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
        if (obligation.of_program || obligation.id == "widest") continue;
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

std::vector<Finding> symbolic_findings(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options,
                                       smt::Session* z3, CopyReport& out, std::vector<std::string>& conflicts) {
    if (z3 == nullptr) return judge_symbolic(nullptr, problem, copy, plan, options.exhaustive, conflicts);
    Inquiry inquiry(*z3, options, out.name);
    const bool enumeration_decides = options.exhaustive && !options.second.has_value();  // alone it is one opinion
    std::vector<Finding> findings = judge_symbolic(&inquiry, problem, copy, plan, enumeration_decides, conflicts);
    keep(inquiry, findings, options, out.queries, conflicts);
    return findings;
}

/// Of numbers alone: both checkers, one finding per id of `searched`.
std::vector<Finding> concrete_findings(const Judge& judge, const VerifyOptions& options, smt::Session* z3, CopyReport& out,
                                       std::vector<std::string>& conflicts) {
    std::vector<Finding> smt, exhaustive, all;
    for (const char* id : searched) {
        smt.push_back({id, Verdict::unknown, {}, {}, "not asked"});
        exhaustive.push_back({id, Verdict::unknown, {}, {}, options.exhaustive ? "too many elements to enumerate" : "not asked"});
    }
    if (z3 != nullptr) smt = prove_and_keep(*z3, judge, options, out, conflicts);
    if (options.exhaustive && small_enough(judge.copy(), judge.plan())) exhaustive = enumerate(judge);
    for (std::size_t i = 0; i < searched.size(); ++i) {
        const bool nobody = smt[i].verdict == Verdict::unknown && exhaustive[i].verdict == Verdict::unknown;
        all.push_back(nobody ? smt[i] : combine(out.name, smt[i], exhaustive[i], z3 != nullptr && options.second.has_value(), conflicts));
    }
    return all;
}

/// Replaces the findings that there are, and adds the others.
void put(std::vector<Finding> findings, CopyReport& out) {
    for (Finding& finding : findings) {
        const auto same =
            std::find_if(out.findings.begin(), out.findings.end(), [&](const Finding& f) { return f.obligation == finding.obligation; });
        if (same != out.findings.end()) *same = std::move(finding);
        else out.findings.push_back(std::move(finding));
    }
}

CopyReport verify_symbolic_copy(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options,
                                smt::Session* z3, std::vector<std::string>& conflicts) {
    // What does not look at addresses is judged at the coefficients that belong to no symbol.
    const Problem constant_problem = part(*isolated(problem, copy), {});
    const CopyPlan constant_plan = part(plan, copy.src.region, {});
    const Judge judge(constant_problem, constant_problem.copies[0], constant_plan);
    CopyReport out{copy.name, judge_structure(constant_problem, judge)};
    put(symbolic_findings(problem, copy, plan, options, z3, out, conflicts), out);
    for (const Side side : both_sides)
        if (const auto fault = swizzle_period_fault(judge.buffer(side))) refute_address(out, side, *fault);
    out.active_threads = active_threads(at_most(plan, copy.src.region));
    out.widest = widest_of_symbolic(problem, copy, plan, options);
    out.widest_counts = options.require_widest && asks_for_the_widest(copy);
    return out;
}

/// Zeros where nothing may be written.
std::vector<Finding> zeros_not_asked() {
    std::vector<Finding> out;
    for (const Obligation& obligation : obligations()) {
        if (obligation.of_program || obligation.id == "widest") continue;
        if (obligation.id == "predicate")
            out.push_back(refuted("predicate", {"", "the plan writes zeros behind a bound, and the copy does not fill with zeros"}));
        else out.push_back({std::string(obligation.id), Verdict::unknown, {}, {}, "the plan writes zeros that the copy does not ask for"});
    }
    return out;
}

/// Of numbers alone, with a side in registers. What is seen in the digits of that side is nobody's opinion.
std::vector<Finding> register_findings(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options,
                                       smt::Session* z3, CopyReport& out, std::vector<std::string>& conflicts) {
    std::vector<Finding> smt, exhaustive, all;
    for (const char* id : searched) {
        smt.push_back({id, Verdict::unknown, {}, {}, "not asked"});
        exhaustive.push_back({id, Verdict::unknown, {}, {}, options.exhaustive ? "too many elements to enumerate" : "not asked"});
    }
    if (z3 != nullptr) {
        Inquiry inquiry(*z3, options, out.name);
        std::vector<Values> telling;  // of no symbols
        smt = prove_symbolic(inquiry, problem, copy, plan, telling);
        keep(inquiry, smt, options, out.queries, conflicts);
    }
    if (options.exhaustive && small_enough(copy, plan)) exhaustive = judge_registers(problem, copy, plan);
    const bool strict = z3 != nullptr && options.second.has_value();
    for (std::size_t i = 0; i < searched.size(); ++i) {
        const bool nobody = smt[i].verdict == Verdict::unknown && exhaustive[i].verdict == Verdict::unknown;
        if (exhaustive[i].by == std::vector<std::string>{"structure"}) all.push_back(exhaustive[i]);
        else all.push_back(nobody ? smt[i] : combine(out.name, smt[i], exhaustive[i], strict, conflicts));
        if (all.back().verdict == Verdict::unknown && exhaustive[i].verdict == Verdict::proved)
            all.back().reason += ", and enumeration alone is one opinion";
    }
    return all;
}

/// What is found of a copy that fills with zeros, by its parts.
void put_filling(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options, smt::Session* z3,
                 CopyReport& out, std::vector<std::string>& conflicts) {
    const JudgePart judge_part = [&](const std::string& name, const Problem& of, const CopyPlan& part_plan) {
        CopyReport found{name, {}};
        const Copy& one = of.copies[0];
        if (is_symbolic(of, one) || is_symbolic(part_plan))
            found.findings = symbolic_findings(of, one, part_plan, options, z3, found, conflicts);
        else if (register_side(of, one)) found.findings = register_findings(of, one, part_plan, options, z3, found, conflicts);
        else found.findings = concrete_findings(Judge(of, one, part_plan), options, z3, found, conflicts);
        return PartFindings{std::move(found.findings), std::move(found.queries)};
    };
    PartFindings filling = judge_filling(problem, copy, plan, judge_part);
    put(std::move(filling.findings), out);
    out.queries = std::move(filling.queries);
}

CopyReport verify_filling_copy(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options,
                               smt::Session* z3, std::vector<std::string>& conflicts) {
    const Problem constant_problem = part(*isolated(problem, copy), {});
    const CopyPlan constant_plan = part(plan, copy.src.region, {});
    const Judge judge(constant_problem, constant_problem.copies[0], constant_plan);
    CopyReport out{copy.name, judge_structure(constant_problem, judge)};
    put_filling(problem, copy, plan, options, z3, out, conflicts);
    for (const Side side : both_sides)
        if (const auto fault = swizzle_period_fault(judge.buffer(side))) refute_address(out, side, *fault);
    out.active_threads = active_threads(at_most(plan, copy.src.region));
    out.widest = is_symbolic(problem, copy) ? widest_of_symbolic(problem, copy, plan, options) : widest(problem, copy, plan, options);
    out.widest_counts = options.require_widest && asks_for_the_widest(copy);
    return out;
}

CopyReport verify_register_copy(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options,
                                smt::Session* z3, std::vector<std::string>& conflicts) {
    const bool has_symbols = is_symbolic(problem, copy) || is_symbolic(plan);
    // What does not look at addresses is judged at the coefficients that belong to no symbol.
    const Problem stand_in = on_register_file(problem, copy), file = part(*isolated(stand_in, stand_in.copies[0]), {});
    const CopyPlan file_plan = part(on_register_file(problem, copy, plan), stand_in.copies[0].src.region, {});
    const Judge judge(file, file.copies[0], file_plan);
    CopyReport out{copy.name, judge_structure(file, judge)};
    if (copy.zero_fill) put_filling(problem, copy, plan, options, z3, out, conflicts);
    else
        put(has_symbols ? symbolic_findings(problem, copy, plan, options, z3, out, conflicts)
                        : register_findings(problem, copy, plan, options, z3, out, conflicts),
            out);
    for (const Side side : both_sides)
        if (const auto fault = swizzle_period_fault(judge.buffer(side))) refute_address(out, side, *fault);
    out.active_threads = threads_that_run(file_plan);
    out.widest = has_symbols ? widest_of_symbolic(problem, copy, plan, options) : widest(problem, copy, plan, options);
    out.widest_counts = options.require_widest && asks_for_the_widest(copy);
    return out;
}

/// What no checker here judges.
std::vector<Finding> leave_open(const std::string& why) {
    std::vector<Finding> out;
    for (const Obligation& obligation : obligations())
        if (!obligation.of_program && obligation.id != "widest") out.push_back({std::string(obligation.id), Verdict::unknown, {}, {}, why});
    return out;
}

CopyReport verify_in_team(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options, smt::Session* z3,
                          std::vector<std::string>& conflicts) {
    if (const auto unlike = mismatch(problem, copy)) return {copy.name, refuse(*unlike)};
    if (!copy.zero_fill && fills_with_zeros(plan)) return {copy.name, zeros_not_asked()};
    if (register_side(problem, copy)) {
        const bool both = problem.buffer(copy.src).space == problem.buffer(copy.dst).space;
        if (both) return {copy.name, leave_open("this version judges no copies between registers")};
        return verify_register_copy(problem, copy, plan, options, z3, conflicts);
    }
    if (copy.zero_fill) return verify_filling_copy(problem, copy, plan, options, z3, conflicts);
    if (is_symbolic(problem, copy) || is_symbolic(plan)) return verify_symbolic_copy(problem, copy, plan, options, z3, conflicts);
    const Judge judge(problem, copy, plan);
    CopyReport out{copy.name, judge_structure(problem, judge)};
    put(concrete_findings(judge, options, z3, out, conflicts), out);
    for (const Side side : both_sides)
        if (const auto fault = swizzle_period_fault(judge.buffer(side))) refute_address(out, side, *fault);
    out.active_threads = active_threads(plan);
    out.widest = widest(problem, copy, plan, options);
    out.widest_counts = options.require_widest && asks_for_the_widest(copy);
    return out;
}

CopyReport verify_copy(const Problem& problem, const Copy& copy, const CopyPlan& plan, const VerifyOptions& options, smt::Session* z3,
                       std::vector<std::string>& conflicts) {
    CopyReport out = verify_in_team(problem, copy, plan, options, z3, conflicts);
    if (auto clash = same_in_all_teams(problem, copy))
        for (Finding& finding : out.findings)
            if (finding.obligation == "disjoint") finding = {"disjoint", Verdict::refuted, {"structure"}, std::move(*clash)};
    return out;
}

/// What the look at the digits leaves open, for all values of the symbols.
Finding converged_by_proof(Inquiry& inquiry, const Problem& problem, const Plan& plan, Finding open) {
    return inquiry.about("converged", [&] {
        const bool proved = inquiry.argued([&] { return matrices_converge(inquiry, problem, plan); });
        return proved ? Finding{"converged", Verdict::proved, {"smt"}} : open;
    });
}

/// `synchronised`, `converged`, `fits`, `assumptions`.
std::vector<Finding> verify_program(const Problem& problem, const Plan& plan, const VerifyOptions& options, smt::Session* z3,
                                    Report& report) {
    static const std::string name = "program";
    std::vector<Finding> out = judge_program(problem, plan);
    std::optional<Inquiry> inquiry;
    if (z3 != nullptr) inquiry.emplace(*z3, options, name);
    const auto is_nonnegative = [&](const Expression& e) {
        return smt::nonnegative(inquiry->asking(), e, problem.symbols, problem.facts).answer == smt::Answer::unsat;
    };
    for (Finding& finding : out) {
        if (finding.obligation == "assumptions")
            finding = judge_assumptions(inquiry ? &*inquiry : nullptr, problem, options.telling_values);
        if (finding.obligation == "converged" && finding.verdict == Verdict::unknown && inquiry)
            finding = converged_by_proof(*inquiry, problem, plan, std::move(finding));
        if (finding.obligation != "synchronised") continue;
        if (!inquiry) finding = synchronised_over_blocks(problem, std::move(finding), report.copies, {});
        else
            finding =
                inquiry->about("synchronised", [&] { return synchronised_over_blocks(problem, finding, report.copies, is_nonnegative); });
    }
    if (inquiry) keep(*inquiry, out, options, report.queries, report.conflicts);
    return out;
}

}  // namespace

Report verify(const Problem& problem, const Plan& plan, const VerifyOptions& options) {
    TILEPROOF_CHECK(plan.copies.size() == problem.copies.size());
    Report out;
    std::optional<smt::Session> z3;
    if (options.smt) z3.emplace(options.rlimit, options.context);
    for (std::size_t i = 0; i < problem.copies.size(); ++i)
        out.copies.push_back(verify_copy(problem, problem.copies[i], plan.copies[i], options, z3 ? &*z3 : nullptr, out.conflicts));
    out.program = verify_program(problem, plan, options, z3 ? &*z3 : nullptr, out);
    return out;
}

Certified verify_and_certify(const Problem& problem, const Plan& plan, const VerifyOptions& options) {
    Certified out{verify(problem, plan, options), std::nullopt};
    if (out.report.verdict() == Verdict::proved) out.plan = VerifiedPlan(problem, plan, out.report);
    return out;
}

}  // namespace tileproof
