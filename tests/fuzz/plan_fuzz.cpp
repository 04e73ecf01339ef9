// libFuzzer target: any bytes as a plan for the demonstration's load. What passes the structural check must be judged without a
// crash or a conflict, and what is proved must work.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "emit/plan_json.hpp"
#include "layouts/problem_file.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace {

const char* const demonstration = R"([target]
arch = "sm_90"
[buffers.A]
space = "global"
dtype = "f32"
layout = "(32,32):(32,1)"
align = 16
[buffers.As]
space = "shared"
dtype = "f32"
layout = "(32,32):(32,1)"
align = 128
[[copies]]
name = "load"
src = "A"
dst = "As"
scope = "warp"
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
    using namespace tileproof;
    static const Problem problem = parse_problem({"fuzz", demonstration}, "fuzz").value();
    const Result<PlanFile> file = parse_plan(std::string(reinterpret_cast<const char*>(data), bytes));
    if (!file || check_plan(problem, file.value().plan)) return 0;
    for (const Segment& segment : file.value().plan.copies[0].segments)
        if (segment.outer * segment.threads * segment.vec > 1 << 16) return 0;
    const Report report = verify(problem, file.value().plan, {200'000});
    if (!report.conflicts.empty()) std::abort();
    if (report.copies[0].verdict() == Verdict::proved && !simulate::fault(problem, problem.copies[0], file.value().plan.copies[0]).empty()) std::abort();
    return 0;
}
