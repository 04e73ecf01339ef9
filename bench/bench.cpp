// How long planning and proving take: library calls, one thread, solver contexts included.
//
//   plan_and_prove/R057        solve + every obligation by SMT, one case, in one solver context
//   plan_and_prove/symbols/..  the same with the largest global stride a symbol, and the examples that have symbols
//   enumerate/16384            every obligation by enumeration alone
//
// At the end, for each kind: median, 95th and 99th percentile over all files.
#define DOCTEST_CONFIG_IMPLEMENT  // the corpus reports its faults by it
#include <benchmark/benchmark.h>
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "verify/verify.hpp"

namespace {

using namespace tileproof;

struct Job {
    std::string name;
    Problem problem;
};

/// Problems by the folder of their name. With `symbols/`: those that have some, or can.
std::vector<Job> jobs() {
    std::vector<Job> out;
    const auto add = [&](const std::string& name, const Problem& problem) {
        if (solve(problem).complete()) out.push_back({name, problem});
    };
    for (const corpus::Entry& entry : corpus::files()) {
        add(entry.name, entry.problem);
        if (const auto symbolic = corpus::with_symbolic_strides(entry.problem)) add("symbols/" + entry.name, *symbolic);
    }
    for (const corpus::Entry& entry : corpus::symbolic()) add("symbols/" + entry.name, entry.problem);
    return out;
}

void plan_and_prove(benchmark::State& state, const Problem& problem) {
    VerifyOptions smt;
    smt.exhaustive = false;
    for (auto _ : state) {
        SolverContext z3;
        smt.context = &z3;
        const Solution solution = solve(problem, {.context = &z3});
        const Report report = verify(problem, solution.plan(), smt);
        if (report.verdict() != Verdict::proved) state.SkipWithError("not proved");
    }
}

/// A dense f16 tile into a swizzled one, enumerated.
void enumerate(benchmark::State& state) {
    const std::string text =
        "[target]\narch = \"sm_90\"\n[buffers.A]\nspace = \"global\"\ndtype = \"f16\"\nlayout = \"(" + std::to_string(state.range(0) / 64) +
        ",64):(64,1)\"\nalign = 16\n[buffers.B]\nspace = \"shared\"\ndtype = \"f16\"\nlayout = \"Sw<3,3,3> o (" +
        std::to_string(state.range(0) / 64) + ",64):(64,1)\"\n[[copies]]\nsrc = \"A\"\ndst = \"B\"\nscope = \"cta\"\nthreads = 256\n";
    const Problem problem = parse_problem({"bench", text}, "bench").value();
    const Plan plan = solve(problem).plan();
    VerifyOptions exhaustive;
    exhaustive.smt = false;
    for (auto _ : state)
        if (verify(problem, plan, exhaustive).verdict() != Verdict::proved) state.SkipWithError("not proved");
}
BENCHMARK(enumerate)->Arg(1024)->Arg(8192)->Arg(16384)->Arg(65536)->Unit(benchmark::kMicrosecond);

/// Prints as usual, and keeps the times by folder.
class Summary : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const std::string name = run.benchmark_name();
            for (const char* folder : {"cases", "tiles", "examples", "symbols"})
                if (name.find(std::string("plan_and_prove/") + folder) == 0) milliseconds_[folder].push_back(run.GetAdjustedCPUTime());
        }
        ConsoleReporter::ReportRuns(runs);
    }
    void Finalize() override {
        for (auto& [folder, times] : milliseconds_) {
            std::sort(times.begin(), times.end());
            const auto at = [&sorted = times](double part) {
                return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
            };
            std::printf("%s: %zu files, median %.2f ms, 95th percentile %.2f ms, 99th %.2f ms of CPU time\n", folder.c_str(), times.size(),
                        at(0.5), at(0.95), at(0.99));
        }
        ConsoleReporter::Finalize();
    }

private:
    std::map<std::string, std::vector<double>> milliseconds_;
};

}  // namespace

int main(int argc, char** argv) {
    mallopt(M_TRIM_THRESHOLD, 256 << 20);  // as the program does
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    benchmark::Initialize(&argc, argv);
    doctest::Context context;
    context.setAsDefaultForAssertsOutOfTestCases();
    static const std::vector<Job> all = jobs();
    for (const Job& job : all)
        benchmark::RegisterBenchmark(("plan_and_prove/" + job.name).c_str(),
                                     [&job](benchmark::State& state) { plan_and_prove(state, job.problem); })
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.05);
    Summary summary;
    benchmark::RunSpecifiedBenchmarks(&summary);
    return 0;
}
