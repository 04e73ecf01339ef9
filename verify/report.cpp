#include "verify/report.hpp"

#include <algorithm>

namespace tileproof {
namespace {

/// refuted beats unknown beats proved.
Verdict worst(Verdict a, Verdict b) {
    if (a == Verdict::refuted || b == Verdict::refuted) return Verdict::refuted;
    return a == Verdict::unknown || b == Verdict::unknown ? Verdict::unknown : Verdict::proved;
}

Verdict all(const std::vector<Finding>& findings) {
    Verdict verdict = findings.empty() ? Verdict::unknown : Verdict::proved;
    for (const Finding& finding : findings) verdict = worst(verdict, finding.verdict);
    return verdict;
}

}  // namespace

std::string to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::proved:
            return "proved";
        case Verdict::refuted:
            return "refuted";
        case Verdict::unknown:
            break;
    }
    return "unknown";
}

Verdict CopyReport::verdict() const { return all(counted()); }

std::vector<Finding> CopyReport::counted() const {
    std::vector<Finding> out = findings;
    if (widest && widest_counts) out.push_back(*widest);
    return out;
}

Verdict Report::verdict() const {
    Verdict verdict = conflicts.empty() ? all(program) : Verdict::unknown;
    if (copies.empty()) verdict = worst(verdict, Verdict::unknown);
    for (const CopyReport& copy : copies) verdict = worst(verdict, copy.verdict());
    return verdict;
}

VerifiedPlan::VerifiedPlan(Problem problem, Plan plan, Report report)
    : problem_(std::move(problem)), plan_(std::move(plan)), report_(std::move(report)) {}

}  // namespace tileproof
