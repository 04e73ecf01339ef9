#include "emit/view.hpp"

#include <algorithm>

#include "layouts/block.hpp"

namespace tileproof {

std::string to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::proved:
            return "proved";
        case Outcome::refuted:
            return "refuted";
        case Outcome::unknown:
            return "unknown";
        case Outcome::rejected:
            break;
    }
    return "rejected";
}

const CopyReport* View::report_of(const std::string& copy) const {
    const auto found = std::find_if(report.copies.begin(), report.copies.end(), [&](const CopyReport& r) { return r.name == copy; });
    return found == report.copies.end() ? nullptr : &*found;
}

Outcome View::outcome_of(const CopySolution& copy) const {
    if (copy.rejection) return Outcome::rejected;
    const CopyReport* found = report_of(copy.name);
    if (found == nullptr) return Outcome::unknown;
    if (found->verdict() == Verdict::refuted) return Outcome::refuted;
    return found->verdict() == Verdict::unknown || !copy.undecided.empty() ? Outcome::unknown : Outcome::proved;
}

Outcome View::outcome() const {
    Outcome worst = report.conflicts.empty() ? Outcome::proved : Outcome::unknown;
    const auto add = [&](Outcome next) {
        const auto rank = [](Outcome o) { return o == Outcome::rejected ? 3 : o == Outcome::refuted ? 2 : o == Outcome::unknown ? 1 : 0; };
        if (rank(next) > rank(worst)) worst = next;
    };
    for (const CopySolution& copy : solution.copies) add(outcome_of(copy));
    for (const Finding& finding : report.program)
        add(finding.verdict == Verdict::refuted   ? Outcome::refuted
            : finding.verdict == Verdict::unknown ? Outcome::unknown
                                                  : Outcome::proved);
    return worst;
}

std::string View::Shown::note() const {
    const std::string more = !use ? "" : !use->used ? "; not used by the proof" : use->needed.empty() ? "" : "; needed: " + use->needed;
    return "(" + assumption.source + more + ")";
}

std::vector<View::Shown> View::shown_assumptions() const {
    std::vector<Shown> out;
    for (Assumption& assumption : assumptions(problem)) {
        const std::size_t i = out.size();
        out.push_back({std::move(assumption), i < uses.size() ? uses[i] : std::nullopt});
    }
    return out;
}

Bits narrowest(const CopyPlan& plan) {
    Bits width{256};
    for (const Segment& segment : plan.segments) width = std::min(width, run_width(segment));
    return width;
}

}  // namespace tileproof
