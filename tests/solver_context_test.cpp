// One solver context for everything: what is planned and proved, and what the report says, is as with a context for each call.
#include <doctest/doctest.h>

#include "emit/report_json.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

std::string report_of(const corpus::Entry& entry, SolverContext* z3) {
    VerifyOptions options;
    options.exhaustive = false;
    options.context = z3;
    const Solution solution = solve(entry.problem, {.context = z3});
    return solution.complete() ? report_json(View{entry.name, entry.problem, solution, verify(entry.problem, solution.plan(), options)})
                               : std::string();
}

}  // namespace

TEST_CASE("a shared solver context changes no report") {
    SolverContext z3;
    std::vector<corpus::Entry> all = corpus::files();
    for (corpus::Entry& entry : corpus::symbolic()) all.push_back(std::move(entry));
    int planned = 0;
    for (const corpus::Entry& entry : all) {
        CAPTURE(entry.name);
        const std::string alone = report_of(entry, nullptr);
        CHECK(alone == report_of(entry, &z3));
        planned += alone.empty() ? 0 : 1;
    }
    CHECK(planned > 80);
}

}  // namespace tileproof
