// For tests of copies between registers and memory with symbols: what a plan does at some of their values.
#pragma once

#include <string>

#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/register_oracle.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

/// At these values every obligation holds by enumeration, no definition is violated, and the code does the copy.
inline std::string fault_at(const Problem& problem, const Plan& plan, const Values& values) {
    const Problem one = at(problem, values);
    if (moved(one.copies[0]) < Elements{1}) return "";
    if (const auto fault = check_problem(one)) return "outside: " + fault->text;
    const Problem file = on_register_file(problem, problem.copies[0]);
    Plan there = plan;
    there.copies[0] = *at(plan.copies[0], problem, file.copies[0], values);
    VerifyOptions options;
    options.smt = false;
    const Report report = verify(one, there, options);
    for (const Finding& finding : report.copies[0].findings)
        if (finding.verdict != Verdict::proved)
            return finding.obligation + " " + to_string(finding.verdict) + " " +
                   (finding.counterexample ? finding.counterexample->text : finding.reason);
    if (oracle::widest_with_registers(one, one.copies[0]).overlaps) return "two elements in one place";
    Bench bench(problem, plan, values);
    return bench.difference(true, 7);
}

inline std::string at_samples(const Problem& problem, const Plan& plan, std::size_t most) {
    for (const Values& values : sample_values(problem, most))
        if (std::string fault = fault_at(problem, plan, values); !fault.empty()) return to_string(values, problem.symbols) + ": " + fault;
    return "";
}

/// What is not proved, a line each.
inline std::string not_proved(const Report& report) {
    std::string out;
    for (const auto& findings : {report.copies[0].findings, report.program})
        for (const Finding& f : findings)
            if (f.verdict != Verdict::proved)
                out += f.obligation + " " + to_string(f.verdict) + " " + (f.counterexample ? f.counterexample->text : f.reason) + "\n";
    return out;
}

}  // namespace tileproof::test
