#include <algorithm>
#include <exception>
#include <map>
#include <string_view>

#include "verify/inquiry_internal.hpp"
#include "verify/obligation.hpp"

namespace tileproof {
namespace {

SolverAnswer plain(smt::Answer answer) {
    switch (answer) {
        case smt::Answer::sat:
            return SolverAnswer::sat;
        case smt::Answer::unsat:
            return SolverAnswer::unsat;
        case smt::Answer::unknown:
            break;
    }
    return SolverAnswer::unknown;
}

/// unsat, by everyone who was asked.
bool is_sure(const Query& query) {
    return query.answer == SolverAnswer::unsat && (!query.second || query.second->answer == SolverAnswer::unsat);
}

/// Not decided by Z3, or not as Z3 did.
bool is_open(const Query& query) { return query.answer == SolverAnswer::unknown || (query.second && query.second->answer != query.answer); }

const Obligation& of_id(std::string_view obligation) {
    const std::vector<Obligation>& all = obligations();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Obligation& o) { return o.id == obligation; });
    TILEPROOF_CHECK(found != all.end());
    return *found;
}

}  // namespace

smt::Outcome Inquiry::check(smt::Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted,
                            std::uint64_t rlimit) {
    smt::Outcome outcome = z3_.check(theory, conjunction, wanted, rlimit);
    if (outcome.answer == smt::Answer::unknown) {
        ++cut_by_limits_;
        const bool says_why = !outcome.reason.empty() && outcome.reason != "unknown";
        const std::string limit = rlimit == 0 ? "" : " within " + std::to_string(rlimit) + " resource units";
        open_.push_back(says_why ? outcome.reason : "Z3 answers unknown" + limit);
    }
    if (!options_.keep_queries && !options_.second) return outcome;
    Query query;
    query.answer = plain(outcome.answer);
    query.text = header(outcome) + z3_.script(theory, conjunction);
    if (options_.second && query.answer == SolverAnswer::unsat) {
        query.second = second_answer(query.text);
        if (is_open(query)) {
            outcome = {smt::Answer::unknown, query.is_disputed() ? "the checkers disagree" : query.second->reason};
            open_.push_back(outcome.reason);
        }
    }
    asked_.push_back(queries_.size());
    queries_.push_back({obligation_, std::move(query)});
    return outcome;
}

std::string Inquiry::header(const smt::Outcome& outcome) const {
    const Obligation& about = of_id(obligation_);
    std::string out = std::string("; tileproof " TILEPROOF_VERSION ", Z3 ") + smt::z3_version() + "\n; " +
                      (about.of_program ? "the program" : "copy " + copy_) + ", obligation " + obligation_ + ": " +
                      std::string(about.sentence) + "\n";
    if (*lemma_ != '\0') out += std::string("; used for it: ") + lemma_ + "\n";
    return out + "; a proof needs unsat; Z3 answers " + to_string(plain(outcome.answer)) + "\n";
}

SecondAnswer Inquiry::second_answer(const std::string& text) const {
    const std::string& name = options_.second->name;
    SecondAnswer out;
    try {
        out = options_.second->decide(text);
    } catch (const std::exception& fault) {
        out = {SolverAnswer::unknown, name + " failed: " + fault.what()};
    }
    if (out.answer == SolverAnswer::unknown && out.reason.empty()) out.reason = name + " did not decide";
    return out;
}

Finding Inquiry::signed_off(Finding finding, const Queries& asked, const Mark& before) const {
    Queries open;
    bool disputed = false;
    for (std::size_t i = before.queries; i < queries_.size(); ++i) {
        if (is_open(queries_[i].query)) open.push_back(i);
        disputed = disputed || queries_[i].query.is_disputed();
    }
    // A refutation was replayed in plain integers: it stands. Of what is unknown, the first query that is not decided is the reason.
    if (finding.verdict != Verdict::refuted && disputed)
        finding = {finding.obligation, Verdict::unknown, {"smt"}, {}, "the checkers disagree"};
    else if (finding.verdict == Verdict::unknown && open_.size() > before.open) finding.reason = open_[before.open];

    Queries& out = finding.queries;
    // What is refuted because nothing is possible at all rests on an unsat.
    const bool by_unsat = finding.verdict == Verdict::refuted &&
                          std::all_of(asked.begin(), asked.end(), [&](std::size_t i) { return is_sure(queries_[i].query); });
    for (const std::size_t i : asked) {
        const Query& query = queries_[i].query;
        const bool decides = finding.verdict == Verdict::proved    ? is_sure(query)
                             : finding.verdict == Verdict::refuted ? query.answer == SolverAnswer::sat || by_unsat
                                                                   : !is_sure(query);
        if (decides) out.push_back(i);
    }
    if (finding.verdict == Verdict::unknown) out.insert(out.end(), open.begin(), open.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if ((finding.verdict == Verdict::proved || by_unsat) && options_.second && !out.empty()) finding.by.push_back(options_.second->name);
    return finding;
}

std::vector<Query> Inquiry::finish(std::vector<Finding>& findings) {
    std::vector<bool> kept(queries_.size());
    for (std::size_t i = 0; i < queries_.size(); ++i) kept[i] = queries_[i].query.is_disputed();
    for (const Finding& finding : findings)
        for (const std::size_t i : finding.queries) kept[i] = true;
    std::vector<Query> out;
    std::map<std::string, int> number_of;
    std::vector<std::size_t> place(queries_.size());
    for (std::size_t i = 0; i < queries_.size(); ++i) {
        if (!kept[i]) continue;
        place[i] = out.size();
        out.push_back(std::move(queries_[i].query));
        const std::string& obligation = queries_[i].obligation;
        out.back().name = copy_ + "." + obligation + "." + std::to_string(++number_of[obligation]);
    }
    for (Finding& finding : findings)
        for (std::size_t& i : finding.queries) i = place[i];
    return out;
}

}  // namespace tileproof
