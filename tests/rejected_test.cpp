// Copies that no plan can do, and a plan all the same: judged without a crash, and never proved where that would be wrong.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "solver/solve.hpp"
#include "tests/problems.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using test::make_buffer;

struct Rejected {
    std::string rule;        // of the rejection
    std::string obligation;  // that fails; empty where none need to
    std::function<void(Problem&, Plan&)> change;
};

Problem swizzled() {
    return test::one_copy(make_buffer("A", Space::global, "f16", "(32,64):(64,1)"),
                          make_buffer("B", Space::shared, "f16", "Sw<3,3,3> o (32,64):(64,1)", 1024), 64);
}

void set_dtype(Problem& problem, const char* name) { problem.buffers[1].dtype = *find_dtype(name); }
void set_region(Problem& problem, std::vector<std::int64_t> extent) {
    problem.copies[0].dst.region = {std::vector<Expression>(extent.size(), 0), extent};
}

const Rejected all_rejected[] = {
    {"dtype-differs", "same-element", [](Problem& p, Plan&) { set_dtype(p, "bf16"); }},
    {"dtype-differs", "same-element", [](Problem& p, Plan&) { set_dtype(p, "f32"); }},
    {"dtype-differs", "same-element", [](Problem& p, Plan&) { set_dtype(p, "b128"); }},
    {"dtype-differs", "same-element", [](Problem& p, Plan&) { set_dtype(p, "b1"); }},
    {"extents-differ", "same-element",
     [](Problem& p, Plan&) {
         set_region(p, {32, 32});
     }},
    {"extents-differ", "same-element",
     [](Problem& p, Plan&) {
         set_region(p, {1, 64});
     }},
    {"extents-differ", "same-element",
     [](Problem& p, Plan&) {
         set_region(p, {1, 1});
     }},
    {"element-alignment", "aligned.src", [](Problem& p, Plan&) { p.buffers[0].base = Bytes{1}; }},
    {"element-alignment", "aligned.dst", [](Problem& p, Plan&) { p.buffers[1].base = Bytes{129}; }},
    {"element-alignment", "aligned.dst", [](Problem& p, Plan&) { p.buffers[1].align = Bytes{1}; }},
    {"capacity-below-span", "bounds.src", [](Problem& p, Plan&) { p.buffers[0].capacity = Elements{2047}; }},
    {"capacity-below-span", "bounds.dst", [](Problem& p, Plan&) { p.buffers[1].capacity = Elements{0}; }},
    {"capacity-below-span", "", [](Problem& p, Plan&) { p.buffers[0].layout.shape[0] = p.buffers[0].layout.iters[0].extent = 4096; }},
    {"swizzle-period", "address.dst",
     [](Problem& p, Plan&) {
         p.buffers[1].swizzle_on_address = true;
         p.buffers[1].align = Bytes{128};
     }},
    {"swizzle-period", "address.dst",
     [](Problem& p, Plan&) {
         p.buffers[1].swizzle_on_address = true;
         p.buffers[1].base = Bytes{0};
     }},
    {"capacity-below-span", "address.dst",
     [](Problem& p, Plan&) {  // which hides the swizzle's period
         p.buffers[1].swizzle_on_address = true;
         p.buffers[1].align = Bytes{128};
         p.buffers[0].layout.shape[0] = p.buffers[0].layout.iters[0].extent = 4096;
     }},
    {"unsupported", "",
     [](Problem& p, Plan&) {  // bases that are those of row-major
         p.buffers[0].layout.iters.clear();
         p.buffers[0].layout.bases = {{64, 128, 256, 512, 1024}, {1, 2, 4, 8, 16, 32}};
     }},
    {"unsupported", "address.src",
     [](Problem& p, Plan&) {
         p.buffers[0].layout.iters.clear();
         p.buffers[0].layout.bases = {{64, 128, 256, 512, 1024}, {1, 2, 4, 8, 32, 16}};
     }},
};

Verdict verdict(const CopyReport& report, const std::string& obligation) {
    for (const Finding& finding : report.findings)
        if (finding.obligation == obligation) return finding.verdict;
    return Verdict::unknown;
}

}  // namespace

TEST_CASE("a copy with a rejection is judged by every checker") {
    for (const Rejected& one : all_rejected) {
        Problem problem = swizzled();
        Plan plan = solve(problem).plan();
        one.change(problem, plan);
        CAPTURE(one.rule);
        CAPTURE(one.obligation);
        REQUIRE(!check_problem(problem).has_value());
        const auto why = rejection(problem, problem.copies[0]);
        REQUIRE(why.has_value());
        CHECK(why->rule == one.rule);
        if (check_plan(problem, plan)) continue;
        for (const bool smt : {true, false}) {
            for (const bool exhaustive : {true, false}) {
                if (!smt && !exhaustive) continue;
                VerifyOptions options;
                options.smt = smt;
                options.exhaustive = exhaustive;
                const Report report = verify(problem, plan, options);
                CHECK(report.conflicts.empty());
                if (one.obligation.empty()) CHECK(report.copies[0].verdict() == Verdict::proved);
                else CHECK(verdict(report.copies[0], one.obligation) == Verdict::refuted);
                CHECK(verify_and_certify(problem, plan, options).plan.has_value() == one.obligation.empty());
            }
        }
    }
}

TEST_CASE("two elements with one destination, or in one byte, are refuted") {
    const auto clash = [](const char* dtype, const char* layout) {
        Problem problem = test::one_copy(make_buffer("A", Space::global, dtype, "(32,64):(64,1)"),
                                         make_buffer("B", Space::shared, dtype, "(32,64):(64,1)"), 64);
        Plan plan = solve(problem).plan();
        problem.buffers[1] = make_buffer("B", Space::shared, dtype, layout);
        const Solution solution = solve(problem);
        REQUIRE(solution.copies[0].rejection.has_value());
        REQUIRE(!check_plan(problem, plan).has_value());
        const Report report = verify(problem, plan);
        CHECK(report.conflicts.empty());
        CHECK(report.copies[0].verdict() == Verdict::refuted);
        return solution.copies[0].rejection->rule;
    };
    CHECK(clash("f16", "(32,64):(32,1)") == "dst-overlaps");
    CHECK(clash("f16", "(32,64):(0,1)") == "dst-overlaps");
    CHECK(clash("b4", "(32,64):(65,1)") == "sub-byte-edge");
}

}  // namespace tileproof
