#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "layouts/matrix.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "verify/blocks_internal.hpp"
#include "verify/registers_internal.hpp"
#include "verify/symbolic_internal.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_values = 64;   // of the symbols, that are all looked at where something is open
constexpr std::int64_t open_samples = 16;  // where something is open, of more values
constexpr std::size_t most_telling = 16;   // of models: of each obligation that stays open there is one or two
constexpr std::int64_t few_samples =
    4;  // where all is proved: enumeration has to agree (with tails, at as many as where something is open)
constexpr std::int64_t most_looked_at = std::int64_t{1} << 22;    // elements in all samples
constexpr std::int64_t most_of_a_sample = std::int64_t{1} << 26;  // turns of threads without an element count too

const char* const disagree = "the checkers disagree";

std::int64_t all_lanes(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments) out += s.outer * s.threads * s.vec;
    return out;
}

/// What the ordinary enumeration says at one sample.
struct Looked {
    std::map<std::string, Counterexample> faults{};  // by obligation
    std::set<std::string> right{};                   // obligations
};

/// Where there is nothing to move: nothing may run, and then all is right.
Looked look_at_nothing(const Judge& judge) {
    Looked out;
    const std::vector<Segment>& segments = judge.plan().segments;
    if (std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return s.flat; })) return out;
    for (Spot at; at.segment < segments.size(); ++at.segment)
        for (at.round = 0; at.round < segments[at.segment].outer; ++at.round)
            for (at.thread = 0; at.thread < segments[at.segment].threads; ++at.thread)
                if (auto found = judge.predicate(at)) {
                    out.faults.emplace("predicate", std::move(*found));
                    return out;
                }
    out.right.insert(searched.begin(), searched.end());
    return out;
}

Looked look_at(const Problem& problem, std::size_t number, const CopyPlan& plan, const Values& values) {
    Looked out;
    const Problem one = at(problem, values);
    const Copy& copy = one.copies[number];
    const std::optional<Side> held = register_side(problem, problem.copies[number]);
    const Problem file = held ? on_register_file(problem, problem.copies[number]) : Problem{};  // which the box is of
    const Copy& asked = held ? file.copies[0] : problem.copies[number];
    const std::optional<CopyPlan> concrete = at(plan, problem, asked, values);
    if (!concrete) return out;
    const Problem file_there = held ? on_register_file(one, copy) : Problem{};
    const CopyPlan planned = on_register_file(one, copy, *concrete);
    const Judge judge(held ? file_there : one, held ? file_there.copies[0] : copy, planned);
    if (moved(copy) < Elements{1}) return look_at_nothing(judge);
    for (const Side side : both_sides) {
        const Operand& op = operand(copy, side);
        const Buffer& buffer = one.buffer(op);
        if (side == held) continue;  // no symbol moves it
        if (is_inside(buffer.layout, op.region) && least_offset(buffer.layout, op.region) >= 0) continue;
        Counterexample found;
        found.text = fmt::format("the region of {} lies outside its layout", buffer.name);
        found.side = side;
        out.faults.emplace(side == Side::src ? "bounds.src" : "bounds.dst", std::move(found));
    }
    if (!out.faults.empty()) return out;  // the layout says nothing there
    for (Finding& finding : held ? judge_registers(one, copy, *concrete) : enumerate(judge))
        if (finding.counterexample) out.faults.emplace(finding.obligation, std::move(*finding.counterexample));
        else if (finding.verdict == Verdict::proved) out.right.insert(finding.obligation);
    for (std::size_t g = 0; g < concrete->segments.size(); ++g)
        for (const Side side : both_sides)
            if (auto found = judge.overflow(g, side)) out.faults.emplace("overflow", std::move(*found));
    return out;
}

/// Adds those of these values that are allowed, each once; `most` at most.
void add_samples(const Problem& problem, const std::vector<Values>& more, std::size_t most, std::vector<Values>& samples) {
    const std::size_t end = samples.size() + most;
    for (const Values& values : more)
        if (samples.size() < end && are_allowed(problem, values) && std::find(samples.begin(), samples.end(), values) == samples.end())
            samples.push_back(values);
}

/// The ids of `searched` that enumeration at every value of the symbols decides: those that look at one team alone. (That warps run their
/// matrix instructions whole is asked of the symbols, and none of these.)
std::set<std::string> decided_value_by_value(const Problem& problem, const Copy& copy, const CopyPlan& plan) {
    for (const Segment& s : plan.segments)
        for (const Side side : both_sides)
            if (is_matrix(s.side(side).instruction)) return {};
    std::set<std::string> out(searched.begin(), searched.end());
    if (has_teams(problem, copy))
        for (const char* of_teams : {"disjoint", "no-alias"}) out.erase(of_teams);
    return out;
}

struct Samples {
    std::vector<Values> values{};
    bool are_all = false;
};

/// Where something is open all values of the symbols, if they are few, or values that models have, as a hint.
Samples samples_of(const Problem& problem, const Copy& copy, const CopyPlan& plan, bool is_open, const std::vector<Values>& telling) {
    const std::int64_t looked_at = register_side(problem, copy) ? std::max(moved(copy).count, all_lanes(plan)) : moved(copy).count;
    const std::int64_t affordable = std::max<std::int64_t>(most_looked_at / looked_at, looked_at > most_of_a_sample ? 0 : 1);
    const auto at_most = [&](std::int64_t most) { return static_cast<std::size_t>(std::min(affordable, most)); };
    Samples out{sample_values(problem, at_most(is_open || has_tails(plan) || leaves_out(plan) ? open_samples : few_samples))};
    if (!is_open) return out;
    if (const std::optional<std::vector<Values>> all = all_values(problem, at_most(most_values))) {
        add_samples(problem, *all, all->size(), out.values);
        out.are_all = !all->empty();
    } else add_samples(problem, telling, at_most(most_telling), out.values);
    return out;
}

/// What is wrong at these values refutes what is not proved. What is proved for all values, and false for these, is a fault of ours.
void refute(Finding& finding, Counterexample counterexample, const Problem& problem, const Copy& copy, const Values& values,
            std::vector<std::string>& conflicts) {
    if (finding.verdict == Verdict::refuted || finding.reason == disagree) return;
    const bool of_teams = !counterexample.teams.empty();
    const std::string those = of_teams ? passed_text(values, problem.symbols) : to_string(values, problem.symbols);
    const std::string with = those.empty() ? those : "with " + those + ": ";
    if (finding.verdict == Verdict::proved) {
        conflicts.push_back("copy '" + copy.name + "', " + finding.obligation + ": proved by smt, refuted by exhaustive " + with +
                            counterexample.text);
        finding = {finding.obligation, Verdict::unknown, {}, {}, disagree};
        return;
    }
    if (!of_teams) counterexample.symbols = values;
    counterexample.text = with + counterexample.text;
    finding = {finding.obligation, Verdict::refuted, {"exhaustive"}, std::move(counterexample)};
}

}  // namespace

std::vector<Finding> judge_symbolic(Inquiry* inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan,
                                    bool enumeration_decides, std::vector<std::string>& conflicts) {
    std::vector<Finding> out;
    for (const char* id : searched) out.push_back({id, Verdict::unknown, {}, {}, "not asked"});
    std::vector<Values> telling;
    if (inquiry != nullptr) out = prove_symbolic(*inquiry, problem, copy, plan, telling);
    out.push_back({"overflow",
                   cannot_overflow(problem, copy, on_register_file(problem, copy, plan)) ? Verdict::proved : Verdict::unknown,
                   {"structure"}});
    const auto finding_of = [&](const std::string& id) {
        return std::find_if(out.begin(), out.end(), [&](const Finding& f) { return f.obligation == id; });
    };
    const bool is_open = std::any_of(out.begin(), out.end(), [](const Finding& f) { return f.verdict == Verdict::unknown; });
    const Samples samples = samples_of(problem, copy, plan, is_open, telling);
    std::set<std::string> right_at_all;
    if (samples.are_all && enumeration_decides) right_at_all = decided_value_by_value(problem, copy, plan);
    const auto number = static_cast<std::size_t>(&copy - problem.copies.data());
    std::set<Values> launches;  // whose teams were compared: values as they are in the first
    for (const Values& values : samples.values) {
        Looked at = look_at(problem, number, plan, values);
        std::erase_if(right_at_all, [&](const std::string& id) { return at.right.count(id) == 0; });
        if (has_teams(problem, copy) && launches.insert(in_team(problem.symbols, values, {})).second)
            if (auto clash = clash_of_teams(problem, copy, values)) at.faults.emplace("disjoint", std::move(*clash));
        for (auto& [id, counterexample] : at.faults)
            if (const auto finding = finding_of(id); finding != out.end())
                refute(*finding, std::move(counterexample), problem, copy, values, conflicts);
    }
    for (Finding& finding : out) {
        if (finding.verdict != Verdict::unknown || finding.reason == disagree) continue;
        if (right_at_all.count(finding.obligation) != 0) {
            finding = {finding.obligation, Verdict::proved, {"exhaustive"}};
            continue;
        }
        finding.by.clear();
        finding.queries.clear();
        finding.reason = fmt::format("no proof for all values of the symbols, and none of {} samples refutes it", samples.values.size());
    }
    return out;
}

}  // namespace tileproof
