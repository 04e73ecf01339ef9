#include "verify/filling_internal.hpp"

#include <algorithm>

#include "layouts/filling.hpp"
#include "layouts/register_file.hpp"

namespace tileproof {
namespace {

/// The same obligation of several parts: refuted by one, or proved of all.
Finding of_all(const std::vector<Finding>& parts) {
    const auto worse = [](const Finding& a, const Finding& b) {
        const auto rank = [](Verdict verdict) { return verdict == Verdict::refuted ? 0 : verdict == Verdict::unknown ? 1 : 2; };
        return rank(a.verdict) < rank(b.verdict);
    };
    Finding out = *std::min_element(parts.begin(), parts.end(), worse);
    for (const Finding& part : parts) {
        if (&part == &parts.front() || out.verdict != Verdict::proved) continue;
        const auto has = [](const Finding& f, const std::string& by) { return std::find(f.by.begin(), f.by.end(), by) != f.by.end(); };
        if (std::none_of(out.by.begin(), out.by.end(), [&](const std::string& by) { return has(part, by); }))
            out.by.insert(out.by.end(), part.by.begin(), part.by.end());  // each by its own
        else std::erase_if(out.by, [&](const std::string& by) { return !has(part, by); });
        out.queries.insert(out.queries.end(), part.queries.begin(), part.queries.end());
    }
    return out;
}

class Filling {
public:
    Filling(const Problem& problem, const Copy& copy, const CopyPlan& plan, const JudgePart& judge)
        : problem_(problem), copy_(copy), plan_(plan), judge_(judge) {}

    PartFindings run() {
        const std::optional<CopyPlan> moved_plan = moved_part(on_register_file(problem_, copy_).copies[0], plan_);
        if (!moved_plan) {
            for (const char* id : searched)
                out_.findings.push_back({id,
                                         Verdict::unknown,
                                         {},
                                         {},
                                         "a bound of the predicate is no bound of the plan's box, or a tail counts along a number"});
            return std::move(out_);
        }
        const bool is_async = is_asynchronous(plan_), splits = splits_lanes(plan_);
        const Problem moved_problem = moved_part(problem_, copy_);
        const std::vector<Finding> moved = judged(".moved", moved_problem, *moved_plan);
        const Bits element = problem_.buffer(copy_.src).dtype.size;
        const CopyPlan written_plan =
            register_side(problem_, copy_).has_value() ? written_registers(plan_, element) : written_part(plan_, is_async);
        const std::vector<Finding> written = judged(".written", written_part(problem_, copy_, is_async), written_plan);
        const std::vector<Finding> read = splits ? judged(".read", moved_problem, by_lanes(*moved_plan, element)) : moved;
        const auto keep = [&](const char* id, const std::vector<const std::vector<Finding>*>& parts) {
            std::vector<Finding> all;
            for (const std::vector<Finding>* part : parts)
                for (const Finding& finding : *part)
                    if (finding.obligation == id) all.push_back(finding);
            if (!all.empty()) out_.findings.push_back(of_all(all));
        };
        keep("address.src", {&moved});
        keep("address.dst", {&moved, &written});
        keep("bounds.src", {&read});
        keep("bounds.dst", {&written});
        keep("aligned.src", {is_async ? &written : &moved});
        keep("aligned.dst", {&written});
        keep("contiguous.src", {&moved, &written});
        keep("contiguous.dst", {&moved, &written});
        keep("same-element", {&moved});
        keep("covers", {&read, &written});
        keep("disjoint", {&written});
        keep("no-alias", {&moved});
        keep("predicate", {&read, &written});
        keep("overflow", {&moved, &written});
        return std::move(out_);
    }

private:
    std::vector<Finding> judged(const char* name, const Problem& problem, const CopyPlan& plan) {
        PartFindings part = judge_(copy_.name + name, problem, plan);
        for (Finding& finding : part.findings)
            for (std::size_t& query : finding.queries) query += out_.queries.size();
        out_.queries.insert(out_.queries.end(), part.queries.begin(), part.queries.end());
        return std::move(part.findings);
    }

    const Problem& problem_;
    const Copy& copy_;
    const CopyPlan& plan_;
    const JudgePart& judge_;
    PartFindings out_;
};

}  // namespace

PartFindings judge_filling(const Problem& problem, const Copy& copy, const CopyPlan& plan, const JudgePart& judge) {
    return Filling(problem, copy, plan, judge).run();
}

}  // namespace tileproof
