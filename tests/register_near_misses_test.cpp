// Plans with a side in registers that are wrong in one thing: which obligations say so, and which do not.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "layouts/register_file.hpp"
#include "solver/solve.hpp"
#include "tests/planned_copy.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

using Case = PlannedCopy;

/// f32 rows of pitch 12, one a lane: four lanes, two rounds.
Case load() { return {"global f32 (32,8):(12,1)", "register f32 (32,8):(1@laneid,1) capacity 9"}; }
Case store() { return {"register f32 (32,8):(1@laneid,1)", "global f32 (32,8):(12,1) capacity 400"}; }

}  // namespace

TEST_CASE("the register of a lane") {
    Case shifted = load();
    shifted.segment().dst.address.offset = 1;
    CHECK(shifted.refuted() == Ids{"address.dst", "same-element"});
    CHECK(shifted.says("address.dst") ==
          "thread 0 in round 0, lane 0, writes element (0,0) of the region into its register 1; the layout of dst has it in register 0 of "
          "thread 0");

    Case reversed = load();
    reversed.segment().dst.address.offset = 3;
    reversed.stride(Side::dst, Role::vec) = -1;
    CHECK(reversed.refuted() == Ids{"address.dst", "same-element"});

    Case beyond = load();
    beyond.stride(Side::dst, Role::outer) = 6;
    CHECK(beyond.refuted() == Ids{"address.dst", "bounds.dst", "same-element"});
    CHECK(beyond.says("bounds.dst") == "some access names register 9 of dst, which has 9 in each thread");

    Case below = load();
    below.segment().dst.address.offset = -1;
    CHECK(below.refuted().count("bounds.dst") == 1);

    Case twice = load();
    twice.stride(Side::dst, Role::outer) = 0;
    CHECK(twice.refuted() == Ids{"address.dst", "disjoint", "same-element"});
    CHECK(twice.says("disjoint") == "thread 0 in round 0 and thread 0 in round 1 both write register 0 of thread 0");
}

TEST_CASE("a register that depends on the thread, or whose place does") {
    Case by_thread = load();
    by_thread.stride(Side::dst, Role::thread) = 1;
    const Ids found = by_thread.refuted();
    CHECK(found.count("contiguous.dst") == 1);
    CHECK(found.count("bounds.dst") == 0);

    Case alone("global f32 (1,4):(4,1)", "register f32 (1,4):(1@laneid,1) + 7@laneid");  // as it would be right in the one thread that runs
    alone.stride(Side::dst, Role::thread) = 1;
    alone.segment().dst.address.offset = -7;
    CHECK(alone.refuted() == Ids{"bounds.dst", "contiguous.dst"});

    // Chunks of four halves, exchanged in every other row: all else is right, and no instruction does it.
    Case torn("register f16 (128,8):(1@tid_in_wg,1)", "shared f16 Sw<3,2,3> o (128,8):(8,1) align 1024", "warpgroup", 128);
    Segment& s = torn.segment();
    REQUIRE(s.vec == 4);
    const std::size_t lanes = torn.digit(Role::vec), rounds = torn.digit(Role::outer);
    s.digits[lanes].extent = 8;
    s.digits.erase(s.digits.begin() + static_cast<std::ptrdiff_t>(rounds));
    for (SidePlan* side : {&s.src, &s.dst}) {
        side->address.strides.erase(side->address.strides.begin() + static_cast<std::ptrdiff_t>(rounds));
        side->width = {128};
    }
    s.dst.instruction = "st.shared.v4.u32";
    s.vec = 8;
    s.outer = 1;
    CHECK(torn.refuted() == Ids{"contiguous.src"});
}

TEST_CASE("the thread that holds it") {
    Case swapped = load();  // threads 0-15 and 16-31 exchange their rows, in memory and in the box
    Segment& s = swapped.segment();
    const std::size_t at = swapped.digit(Role::thread);
    s.digits[at].extent = 16;
    s.digits.push_back({s.digits[at].dim, -16, 2, Role::thread, 1});
    s.start[static_cast<std::size_t>(s.digits[at].dim)] = 16;
    s.src.address.offset = 16 * 12;
    s.src.address.strides.emplace_back(-16 * 12);
    s.dst.address.strides.emplace_back(0);
    CHECK(swapped.refuted() == Ids{"address.dst", "same-element"});
    CHECK(swapped.says("address.dst") ==
          "thread 0 in round 0, lane 0, writes element (16,0) of the region into its register 0; the layout of dst has it in register 0 of "
          "thread 16");

    Case of_another_warp = load();
    of_another_warp.problem.launch.block = 64;
    of_another_warp.problem.copies[0].group = 1;
    of_another_warp.plan.copies[0].participants = {32, 32};
    CHECK(of_another_warp.refuted() == Ids{});  // laneid counts from the warp
    of_another_warp.problem.buffers[1].layout.thread_offset[Axis::warpid] = 1;
    CHECK(of_another_warp.refuted() == Ids{});
}

TEST_CASE("the memory side is judged as always") {
    Case misaligned("global f32 (32,8):(9,1)", "register f32 (32,8):(1@laneid,1)");
    Case wide = load();
    misaligned.plan.copies[0].segments = wide.plan.copies[0].segments;
    misaligned.plan.copies[0].box = wide.plan.copies[0].box;
    misaligned.stride(Side::src, Role::thread) = 9;
    CHECK(misaligned.refuted() == Ids{"aligned.src"});

    Case elsewhere = store();
    elsewhere.segment().dst.address.offset = 4;
    CHECK(elsewhere.refuted() == Ids{"address.dst", "same-element"});
    elsewhere.segment().dst.address.offset = 24;
    CHECK(elsewhere.refuted() == Ids{"address.dst", "bounds.dst", "same-element"});

    Case overlapping = store();
    overlapping.stride(Side::dst, Role::outer) = 0;
    CHECK(overlapping.refuted() == Ids{"address.dst", "disjoint", "same-element"});

    Case apart = load();
    apart.stride(Side::src, Role::vec) = 2;
    CHECK(apart.refuted().count("contiguous.src") == 1);
    Case together = load();
    together.stride(Side::src, Role::vec) = 0;
    CHECK(together.refuted().count("contiguous.src") == 1);
}

TEST_CASE("who does something, and where it ends") {
    Case fewer = load();
    Segment& s = fewer.segment();
    s.outer = 1;
    const auto rounds = static_cast<std::ptrdiff_t>(fewer.digit(Role::outer));
    s.digits.erase(s.digits.begin() + rounds);
    for (SidePlan* side : {&s.src, &s.dst}) side->address.strides.erase(side->address.strides.begin() + rounds);
    CHECK(fewer.refuted() == Ids{"covers"});
    CHECK(fewer.says("covers") == "no access moves element (0,4) of the region");

    Case middle("global f32 (12,4):(4,1)", "register f32 (32,4):(1@laneid,1) [9:21, :]");
    REQUIRE(middle.segment().predicate.size() == 1);
    Case all = middle, late = middle, early = middle, above = middle;
    all.segment().predicate.clear();
    CHECK(all.refuted().count("predicate") == 1);
    late.segment().predicate[0].from = 1;
    CHECK(late.refuted() == Ids{"covers"});
    early.segment().predicate[0].from.reset();
    CHECK(early.refuted().count("predicate") == 1);
    above.segment().predicate[0].below = 11;
    CHECK(above.refuted() == Ids{"covers"});

    Case one_replica("global f32 (8,4):(4,1)", "register f32 S[(8,4):(1@laneid,1)] + R[4:8@laneid]");
    const int replicas = one_replica.segment().digits[one_replica.digit(Role::thread, 1)].dim;
    one_replica.segment().predicate.push_back({replicas, 3});
    CHECK(one_replica.refuted() == Ids{"covers"});
}

TEST_CASE("what stands for the instruction") {
    Case named = load();
    named.segment().dst.instruction = "st.shared.v4.u32";
    CHECK(named.refuted() == Ids{"legal"});
    Case narrower = load();
    narrower.segment().dst.width = {64};
    CHECK(narrower.refuted() == Ids{"legal"});
    Case memory = load();
    memory.segment().src.instruction = no_instruction;
    CHECK(memory.refuted() == Ids{"legal"});
}

TEST_CASE("shapes of plans that only copies with registers have, or have not") {
    const auto rule = [](const Case& one) { return check_plan(one.problem, one.plan).value_or(Diagnostic{"", ""}).text; };
    Case flat = load();
    flat.segment().flat = true;
    flat.segment().start = {0};
    for (Digit& digit : flat.segment().digits) digit.dim = 0;
    for (SidePlan* side : {&flat.segment().src, &flat.segment().dst}) side->address.strides.clear();
    CHECK(rule(flat).find("flat") != std::string::npos);
    Case from("global f32 (32,6):(8,1)", "shared f32 (32,6):(8,1)");
    from.segment().predicate.push_back({0, 32, 0});
    CHECK(rule(from).find("least coordinate") != std::string::npos);
}

TEST_CASE("a plan that is right and could be wider") {
    Problem problem = one_line("global f32 (32,8):(8,1) align 16", "register f32 (32,8):(1@laneid,1)", "warp", 32, "sm_100");
    const Plan plan = solve(problem).plan();
    const auto widest = [&] {
        const Report report = verify(problem, plan);
        CHECK(report.copies[0].verdict() == Verdict::proved);
        return report.copies[0].widest->verdict;
    };
    CHECK(widest() == Verdict::proved);
    problem.buffers[0].align = {32};
    CHECK(widest() == Verdict::refuted);
}

TEST_CASE("what is not asked is not proved") {
    Case one = load();
    VerifyOptions options;
    options.exhaustive = false;
    Report report = verify(one.problem, one.plan, options);
    CHECK(report.verdict() == Verdict::proved);  // by Z3 alone
    options.smt = false;
    report = verify(one.problem, one.plan, options);
    CHECK(report.verdict() == Verdict::unknown);
    CHECK(report.copies[0].active_threads == 32);
    for (const Finding& finding : report.copies[0].findings)
        if (finding.obligation == "address.dst") CHECK(finding.reason == "not asked");
}

}  // namespace tileproof::test
