#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "verify/blocks_internal.hpp"
#include "verify/registers_internal.hpp"
#include "verify/symbolic_internal.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t open_samples = 16;  // where something is open
constexpr std::size_t most_telling = 16;   // of models: of each obligation that stays open there is one or two
constexpr std::int64_t few_samples =
    4;  // where all is proved: enumeration has to agree (with tails, at as many as where something is open)

std::int64_t all_lanes(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments) out += s.outer * s.threads * s.vec;
    return out;
}

/// What the ordinary enumeration finds wrong at one sample, by obligation.
std::map<std::string, Counterexample> faults_at(const Problem& problem, std::size_t number, const CopyPlan& plan, const Values& values) {
    std::map<std::string, Counterexample> out;
    const Problem one = at(problem, values);
    const Copy& copy = one.copies[number];
    if (moved(copy) < Elements{1}) return out;  // nothing to move: nothing is active, which `predicate` proves
    const std::optional<Side> held = register_side(problem, problem.copies[number]);
    const Problem file = held ? on_register_file(problem, problem.copies[number]) : Problem{};  // which the box is of
    const Copy& asked = held ? file.copies[0] : problem.copies[number];
    const std::optional<CopyPlan> concrete = at(plan, problem, asked, values);
    if (!concrete) return out;
    for (const Side side : both_sides) {
        const Operand& op = operand(copy, side);
        const Buffer& buffer = one.buffer(op);
        if (side == held) continue;  // no symbol moves it
        if (is_inside(buffer.layout, op.region) && least_offset(buffer.layout, op.region) >= 0) continue;
        Counterexample found;
        found.text = fmt::format("the region of {} lies outside its layout", buffer.name);
        found.side = side;
        out.emplace(side == Side::src ? "bounds.src" : "bounds.dst", std::move(found));
    }
    if (!out.empty()) return out;  // the layout says nothing there
    const Problem file_there = held ? on_register_file(one, copy) : Problem{};
    const CopyPlan planned = on_register_file(one, copy, *concrete);
    const Judge judge(held ? file_there : one, held ? file_there.copies[0] : copy, planned);
    for (Finding& finding : held ? judge_registers(one, copy, *concrete) : enumerate(judge))
        if (finding.counterexample) out.emplace(finding.obligation, std::move(*finding.counterexample));
    for (std::size_t g = 0; g < concrete->segments.size(); ++g)
        for (const Side side : both_sides)
            if (auto found = judge.overflow(g, side)) out.emplace("overflow", std::move(*found));
    return out;
}

/// Values that models have: a hint, and no more. Those that are allowed, each once, are samples as all others.
void add_telling(const Problem& problem, const std::vector<Values>& telling, std::size_t most, std::vector<Values>& samples) {
    const std::size_t end = samples.size() + most;
    for (const Values& values : telling)
        if (samples.size() < end && are_allowed(problem, values) && std::find(samples.begin(), samples.end(), values) == samples.end())
            samples.push_back(values);
}

}  // namespace

std::vector<Finding> judge_symbolic(Inquiry* inquiry, const Problem& problem, const Copy& copy, const CopyPlan& plan,
                                    std::vector<std::string>& conflicts) {
    std::vector<Finding> out;
    for (const char* id : searched) out.push_back({id, Verdict::unknown, {}, {}, "not asked"});
    std::vector<Values> telling;
    if (inquiry != nullptr) out = prove_symbolic(*inquiry, problem, copy, plan, telling);
    out.push_back({"overflow",
                   cannot_overflow(problem, copy, on_register_file(problem, copy, plan)) ? Verdict::proved : Verdict::unknown,
                   {"structure"}});
    const auto open = [](const Finding& f) { return f.verdict == Verdict::unknown; };
    constexpr std::int64_t most_looked_at = std::int64_t{1} << 22;    // elements in all samples
    constexpr std::int64_t most_of_a_sample = std::int64_t{1} << 26;  // turns of threads without an element count too
    const std::int64_t wanted =
        std::any_of(out.begin(), out.end(), open) || has_tails(plan) || leaves_out(plan) ? open_samples : few_samples;
    const std::int64_t looked_at = register_side(problem, copy) ? std::max(moved(copy).count, all_lanes(plan)) : moved(copy).count;
    const std::int64_t least = looked_at > most_of_a_sample ? 0 : 1,
                       affordable = std::clamp<std::int64_t>(most_looked_at / looked_at, least, wanted);
    std::vector<Values> samples = sample_values(problem, static_cast<std::size_t>(affordable));
    if (std::any_of(out.begin(), out.end(), open))
        add_telling(problem, telling, std::min(most_telling, static_cast<std::size_t>(affordable)), samples);
    const auto number = static_cast<std::size_t>(&copy - problem.copies.data());
    std::set<Values> launches;  // whose teams were compared: values as they are in the first
    for (const Values& values : samples) {
        auto faults = faults_at(problem, number, plan, values);
        if (has_teams(problem, copy) && launches.insert(in_team(problem.symbols, values, {})).second)
            if (auto clash = clash_of_teams(problem, copy, values)) faults.emplace("disjoint", std::move(*clash));
        for (auto& [id, counterexample] : faults) {
            const auto finding = std::find_if(out.begin(), out.end(), [&, name = id](const Finding& f) { return f.obligation == name; });
            if (finding == out.end() || finding->verdict == Verdict::refuted) continue;
            const bool of_teams = !counterexample.teams.empty();
            const std::string those = of_teams ? passed_text(values, problem.symbols) : to_string(values, problem.symbols);
            const std::string with = those.empty() ? those : "with " + those + ": ";
            if (finding->verdict == Verdict::proved) {  // for all values, and false for these: a fault of ours
                conflicts.push_back("copy '" + copy.name + "', " + id + ": proved by smt, refuted by exhaustive " + with +
                                    counterexample.text);
                *finding = {id, Verdict::unknown, {}, {}, "the checkers disagree"};
                continue;
            }
            if (finding->reason == "the checkers disagree") continue;
            if (!of_teams) counterexample.symbols = values;
            counterexample.text = with + counterexample.text;
            *finding = {};
            finding->obligation = id;
            finding->verdict = Verdict::refuted;
            finding->by = {"exhaustive"};
            finding->counterexample = std::move(counterexample);
        }
    }
    for (Finding& finding : out) {
        if (finding.verdict != Verdict::unknown || finding.reason == "the checkers disagree") continue;
        finding.by.clear();
        finding.queries.clear();
        finding.reason = fmt::format("no proof for all values of the symbols, and none of {} samples refutes it", samples.size());
    }
    return out;
}

}  // namespace tileproof
