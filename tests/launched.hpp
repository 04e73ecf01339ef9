// For tests of launches: what of a report is not proved, in words, and whether the emitted code moves every block's and group's part.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

/// "store disjoint refuted with ld = 64: block 0 and ...", a line each; empty if all is proved.
inline std::string open(const Report& report) {
    std::string out;
    const auto add = [&](const std::string& whose, const std::vector<Finding>& findings) {
        for (const Finding& f : findings)
            if (f.verdict != Verdict::proved)
                out += (out.empty() ? "" : "\n") + whose + f.obligation + " " + to_string(f.verdict) + " " +
                       (f.counterexample ? f.counterexample->text : f.reason);
    };
    for (const CopyReport& copy : report.copies) add(copy.name + " ", copy.findings);
    add("", report.program);
    for (const std::string& conflict : report.conflicts) out += "\nconflict " + conflict;
    return out;
}

/// Emits, assembles, runs on all blocks, and compares with plain copying; at the least and the greatest values.
inline void check_code(const Problem& problem, std::size_t samples = 2) {
    Bench bench(problem, solve(problem).plan());
    CHECK(bench.assembly_errors({"sm_90"}) == "");
    Problem first = problem;
    for (Symbol& symbol : first.symbols)
        if (symbol.index) symbol.max = 0;
    for (const Values& values : sample_values(first, samples)) {
        bench.values = values;
        CHECK(bench.difference() == "");
    }
}

}  // namespace tileproof::test
