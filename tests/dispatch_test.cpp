// Variants: which one does a copy, why others do not, and what cp.async needs to be complete.
#include <doctest/doctest.h>

#include <algorithm>

#include "emit/plan_json.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::make_buffer;

/// A: global, As: shared, of f16; `copies`: the tables.
Problem problem_of(const std::string& copies, const std::string& a = "(128,64):(64,1)",
                   const std::string& as = "Sw<3,3,3> o (128,64):(64,1)", const std::string& arch = "sm_90", const std::string& more = "") {
    const auto buffer = [](const char* name, const char* space, const std::string& layout) {
        return std::string("[buffers.") + name + "]\nspace = \"" + space + "\"\ndtype = \"f16\"\nlayout = \"" + layout + "\"\n";
    };
    const std::string text = "[target]\narch = \"" + arch + "\"\n" + more + buffer("A", "global", a) + buffer("As", "shared", as) +
                             buffer("Bs", "shared", as) + buffer("C", "global", a) + buffer("D", "global", a) + copies;
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    INFO((problem ? std::string() : render(problem.error(), {"copy.toml", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

std::string copy(const std::string& name, const std::string& src, const std::string& dst, const std::string& more = "",
                 const std::string& who = "scope = \"cta\"\nthreads = 64\n") {
    return "[[copies]]\nname = \"" + name + "\"\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\n" + who + more;
}
const std::string by_kernel = "completion = \"kernel\"\n", by_caller = "completion = \"caller\"\n", forced = "dispatch = \"ldgsts\"\n";

std::string steps(const std::vector<Step>& program) {
    std::string out;
    for (const Step& step : program) {
        if (!out.empty()) out += " ";
        if (const auto* one = std::get_if<CopyStep>(&step)) out += one->copy;
        else if (const auto* wait = std::get_if<Wait>(&step)) out += "wait" + std::to_string(wait->pending);
        else out += "bar";
    }
    return out;
}

Verdict verdict_of(const Report& report, const std::string& id) {
    for (const Finding& finding : report.program)
        if (finding.obligation == id) return finding.verdict;
    for (const CopyReport& one : report.copies)
        for (const Finding& finding : one.findings)
            if (finding.obligation == id && finding.verdict != Verdict::proved) return finding.verdict;
    return Verdict::proved;
}

/// Proved, and right when run.
void check_run(const Problem& problem, const Plan& plan) {
    const Report report = verify(problem, plan, {.require_widest = true});
    CHECK(report.verdict() == Verdict::proved);
    CHECK(report.conflicts.empty());
    test::Bench bench(problem, plan);
    if (!problem.symbols.empty()) return;
    CHECK(bench.difference() == "");
    CHECK(bench.assembly_errors({problem.target.name}) == "");
}

}  // namespace

TEST_CASE("asynchronous copies go by cp.async, and are waited for where something depends on them") {
    struct Case {
        std::string copies, steps;
    };
    const std::string load = copy("load", "A", "As", by_kernel), store = copy("store", "As", "C");
    for (const Case& c :
         {Case{load + store, "load wait0 bar store"}, Case{load, "load wait0"},
          Case{copy("load", "A", "As", forced) + store, "load wait0 bar store"}, Case{copy("load", "A", "As", by_caller), "load"},
          Case{copy("load", "A", "As", by_caller) + store, "load wait0 bar store"},
          Case{load + copy("more", "A", "Bs", by_kernel) + store + copy("last", "Bs", "D"), "load more wait1 bar store wait0 bar last"},
          Case{load + copy("more", "A", "Bs", by_kernel) + copy("last", "Bs", "D") + store, "load more wait0 bar last store"},
          Case{load + copy("more", "A", "Bs", by_caller) + store, "load more wait1 bar store"},
          Case{load + copy("more", "C", "Bs") + store, "load more wait0 bar store"},
          Case{load + copy("again", "C", "A"), "load wait0 bar again"}}) {
        CAPTURE(c.steps);
        const Problem problem = problem_of(c.copies);
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK(solution.copies[0].variant == "ldgsts");
        CHECK(solution.copies[0].width == Bits{128});
        CHECK(solution.copies[0].plan->segments[0].src.instruction == "cp.async.cg.shared.global");
        CHECK(steps(solution.program) == c.steps);
        check_run(problem, solution.plan());
    }
}

TEST_CASE("widths of cp.async") {
    const auto width = [](const std::string& a, const std::string& as) {
        const Problem problem = problem_of(copy("load", "A", "As", by_kernel) + copy("store", "As", "C"), a, as);
        const Solution solution = solve(problem);
        check_run(problem, solution.plan());
        return solution.copies[0].variant + " " + std::to_string(solution.copies[0].width.count) + " " +
               solution.copies[0].plan->segments[0].src.instruction;
    };
    CHECK(width("(16,20):(20,1)", "(16,20):(24,1)") == "ldgsts 64 cp.async.ca.shared.global");
    CHECK(width("(16,6):(6,1)", "(16,6):(8,1)") == "ldgsts 32 cp.async.ca.shared.global");
    CHECK(width("(5,20):(20,1)", "(5,20):(20,1)") == "ldgsts 64 cp.async.ca.shared.global");
    // Rows of an odd pitch: then it is no cp.async, and the plan says why.
    const Problem odd = problem_of(copy("load", "A", "As", by_kernel), "(16,6):(7,1)", "(16,6):(8,1)");
    const Solution solution = solve(odd);
    CHECK(solution.copies[0].variant == "vec_auto");
    REQUIRE(solution.copies[0].declined.size() == 1);
    CHECK(solution.copies[0].declined[0].variant == "ldgsts");
    CHECK(solution.copies[0].declined[0].reason.rfind(
              "no access of 4, 8 or 16 bytes is legal: thread 3 in round 0 would read A[1,0], at byte 14 = 2 mod 4", 0) == 0);
    CHECK(steps(solution.program) == "load");
    check_run(odd, solution.plan());
}

TEST_CASE("what cannot be done by name is rejected, with the reason") {
    const auto reason = [](const Problem& problem) {
        const Solution solution = solve(problem);
        REQUIRE(solution.copies[0].rejection.has_value());
        CHECK(solution.copies[0].rejection->rule == "declined");
        return solution.copies[0].rejection->text;
    };
    CHECK(reason(problem_of(copy("c", "As", "A", forced))) ==
          "'ldgsts' cannot do this copy: cp.async copies from global to shared memory, not from shared to global");
    CHECK(reason(problem_of(copy("c", "A", "As", forced), "(128,64):(64,1)", "(128,64):(64,1)", "sm_75")) ==
          "'ldgsts' cannot do this copy: cp.async needs sm_80 or later");
    CHECK(reason(problem_of(copy("c", "A", "As", "dispatch = \"vec_64b\"\n"))) ==
          "'vec_64b' cannot do this copy: vec_64b is one access of one thread, and the scope is cta");
    const std::string thread = "scope = \"thread\"\n";
    CHECK(reason(problem_of(copy("c", "A[0, 0:8]", "As[0, 0:8]", "dispatch = \"vec_64b\"\n", thread))) ==
          "'vec_64b' cannot do this copy: vec_64b is one access of 64 bits, and the region has 128");
    CHECK(reason(problem_of(copy("c", "A[0, 2:6]", "As[0, 4:8]", "dispatch = \"vec_64b\"\n", thread))).find("64 bits are not legal: ") !=
          std::string::npos);
    CHECK(reason(problem_of(copy("c", "A[0, 0:16]", "C[0, 0:16]", "dispatch = \"vec_256b\"\n", thread)))
              .find("sm_90 has no 256-bit access to global memory [target]") != std::string::npos);
}

TEST_CASE("one access by name, and an element at a time") {
    for (const int n : {1, 2, 4, 8}) {
        const std::string part = "[3, 8:+" + std::to_string(n) + "]", name = "vec_" + std::to_string(16 * n) + "b";
        const Problem problem =
            problem_of(copy("c", "A" + part, "C" + part, "dispatch = \"" + name + "\"\n", "scope = \"thread\"\ngroup = 5\n"));
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        CHECK(solution.copies[0].variant == name);
        CHECK(solution.copies[0].width == Bits{16 * n});
        check_run(problem, solution.plan());
    }
    const std::string wide = "(4,16):(16,1)";
    const Problem widest =
        problem_of(copy("c", "A[1, :]", "C[2, :]", "dispatch = \"vec_256b\"\n", "scope = \"thread\"\n"), wide, wide, "sm_100", "");
    CHECK(solve(widest).copies[0].rejection.has_value());  // bases aligned to 16 bytes
    // Spread over all threads; that wider ones are legal is no fault.
    const Problem tile = problem_of(copy("c", "A", "As", "dispatch = \"fallback\"\n"));
    const Solution solution = solve(tile);
    CHECK(solution.copies[0].variant == "fallback");
    CHECK(solution.copies[0].width == Bits{16});
    CHECK(solution.copies[0].plan->segments[0].outer == 128);
    check_run(tile, solution.plan());
    const Report report = verify(tile, solution.plan(), {.require_widest = true});
    CHECK(report.copies[0].widest->verdict == Verdict::refuted);
    CHECK_FALSE(report.copies[0].widest_counts);
}

TEST_CASE("cp.async that is not waited for, or not there, is refuted") {
    const Problem problem = problem_of(copy("load", "A", "As", by_kernel) + copy("more", "A", "Bs", by_kernel) + copy("store", "As", "C") +
                                       copy("last", "Bs", "D"));
    const Plan good = solve(problem).plan();
    REQUIRE(steps(good.program) == "load more wait1 bar store wait0 bar last");
    const auto with = [&](const std::vector<Step>& program) {
        Plan plan = good;
        plan.program = program;
        REQUIRE_FALSE(check_plan(problem, plan).has_value());
        return verdict_of(verify(problem, plan), "complete");
    };
    const Step load = CopyStep{"load"}, more = CopyStep{"more"}, store = CopyStep{"store"}, last = CopyStep{"last"}, bar = Barrier{0, 64};
    CHECK(with({load, more, Wait{1}, bar, store, Wait{0}, bar, last}) == Verdict::proved);
    CHECK(with({load, Wait{0}, more, bar, store, Wait{0}, bar, last}) == Verdict::proved);
    CHECK(with({load, more, Wait{0}, bar, store, last}) == Verdict::proved);
    CHECK(with({load, more, Wait{1}, bar, store, bar, Wait{0}, last}) == Verdict::refuted);  // too late for the barrier
    CHECK(with({load, more, Wait{2}, bar, store, Wait{0}, bar, last}) == Verdict::refuted);  // one too many pending
    CHECK(with({load, more, bar, store, Wait{0}, bar, last}) == Verdict::refuted);
    CHECK(with({Wait{0}, load, more, bar, store, Wait{0}, bar, last}) == Verdict::refuted);  // before it is started
    CHECK(with({load, more, Wait{1}, bar, store, Wait{1}, bar, last}) == Verdict::refuted);
    CHECK(with({load, more, Wait{1}, bar, store, bar, last}) == Verdict::refuted);
    CHECK(with({load, more, Wait{1}, Barrier{0, 32}, store, Wait{0}, bar, last}) == Verdict::refuted);

    // Left to the caller, or not.
    const Problem kernel = problem_of(copy("load", "A", "As", by_kernel)), caller = problem_of(copy("load", "A", "As", by_caller));
    Plan open = solve(caller).plan();
    CHECK(verdict_of(verify(caller, open), "complete") == Verdict::proved);
    CHECK(verdict_of(verify(kernel, open), "complete") == Verdict::refuted);

    // What the machine does not have.
    const auto legal = [&](const auto& damage, const Problem& asked) {
        Plan plan = good;
        for (Segment& segment : plan.copies[0].segments) damage(segment);
        REQUIRE_FALSE(check_plan(asked, plan).has_value());
        const Report report = verify(asked, plan);
        for (const Finding& finding : report.copies[0].findings)
            if (finding.obligation == "legal") return finding.verdict;
        return Verdict::unknown;
    };
    CHECK(legal([](Segment&) {}, problem) == Verdict::proved);
    CHECK(legal([](Segment& s) { s.src.instruction = s.dst.instruction = "cp.async.ca.shared.global"; }, problem) == Verdict::proved);
    CHECK(legal([](Segment& s) { s.dst.instruction = "cp.async.ca.shared.global"; }, problem) == Verdict::refuted);
    CHECK(legal([](Segment& s) { s.dst.instruction = "st.shared.v4.u32"; }, problem) == Verdict::refuted);
    CHECK(legal([](Segment& s) { s.src.width = s.dst.width = Bits{64}; }, problem) == Verdict::refuted);
    CHECK(legal(
              [](Segment& s) {
                  s.src.instruction = s.dst.instruction = "cp.async.ca.shared.global";
                  s.dst.width = Bits{64};
              },
              problem) == Verdict::refuted);
    Problem old = problem;
    old.target = *find_arch("sm_75");
    CHECK(legal([](Segment&) {}, old) == Verdict::refuted);
    Problem stated = problem;
    stated.ptx = PtxVersion{6, 3};
    CHECK(legal([](Segment&) {}, stated) == Verdict::refuted);
    Problem spaces = problem;
    spaces.buffers[0].space = Space::shared;
    CHECK(legal([](Segment&) {}, spaces) == Verdict::refuted);
    spaces = problem;
    spaces.buffers[1].space = Space::global;
    CHECK(legal([](Segment&) {}, spaces) == Verdict::refuted);
}

TEST_CASE("cp.async with symbols and a last tile") {
    const Problem problem =
        problem_of(copy("load", "A[0:n, :]", "As[0:n, :]", by_kernel) + copy("store", "As[0:n, :]", "C[0:n, :]"), "(128,64):(ld,1)",
                   "(128,64):(64,1)", "sm_80", "[symbols]\nld = { min = 64, max = 512, multiple_of = 4 }\nn = { min = 0, max = 128 }\n");
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    CHECK(solution.copies[0].variant == "ldgsts");
    CHECK(solution.copies[0].plan->segments[0].src.instruction == "cp.async.ca.shared.global");
    CHECK(solution.copies[0].width == Bits{64});
    check_run(problem, solution.plan());
    for (const Values& values : {Values{64, 0}, Values{68, 1}, Values{512, 77}, Values{512, 128}}) {
        test::Bench bench(problem, solution.plan(), values);
        CHECK(bench.difference() == "");
    }
}

}  // namespace tileproof
