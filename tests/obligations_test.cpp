// Every obligation can fail: for each there is a plan or problem that is refuted with that kind, by every checker that judges it.
#include <doctest/doctest.h>

#include <set>

#include "tests/broken_plan.hpp"
#include "verify/obligation.hpp"

namespace tileproof {
namespace {

using namespace test;

std::vector<Broken> broken_plans() {
    std::vector<Broken> all;
    const auto add = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, std::move(damage)});
    };
    add("legal", "a 128-bit instruction for 64 bits", tile(), [](Problem&, Plan& p) { segment(p).src.instruction = "ld.global.v2.u32"; });
    add("legal", "a shared load from a global buffer", tile(), [](Problem&, Plan& p) { segment(p).src.instruction = "ld.shared.v4.u32"; });
    add("legal", "a store on the source side", tile(), [](Problem&, Plan& p) { segment(p).src.instruction = "st.global.v4.u32"; });
    add("legal", "an instruction that does not exist", tile(), [](Problem&, Plan& p) { segment(p).dst.instruction = "st.shared.v8.b32"; });
    add("legal", "256 bits on sm_90",
        one_copy(make_buffer("A", G, "f32", "(256):(1)"), make_buffer("B", G, "f32", "(256):(1)"), 32, "sm_100"),
        [](Problem& problem, Plan&) { problem.target = *find_arch("sm_90"); });
    add("participants", "another warp", tile(), [](Problem& problem, Plan& p) {
        problem.launch.block = 64;
        p.copies[0].participants.first = 32;
    });
    add("participants", "half of the threads", tile(), [](Problem&, Plan& p) { p.copies[0].participants.count = 16; });
    add("overflow", "a tile 8 GiB into its buffer, addressed in 32 bits",
        one_copy(make_buffer("A", G, "f32", "(1024):(1) + 2147483648"), make_buffer("B", S, "f32", "(1024):(1)"), 32),
        [](Problem&, Plan& p) { segment(p).src.address.index_bits = 32; });
    add("address.src", "one element further", tile(), [](Problem& problem, Plan& p) {
        problem.buffers[0].capacity.count += 64;
        segment(p).src.address.offset += 4;
    });
    const auto bend = [](const char* layout, std::int64_t extent) {
        return [=](Problem& problem, Plan&) { problem.buffers[0] = make_buffer("A", G, "f32", layout, 16, {extent}); };
    };
    Problem three = one_copy(make_buffer("A", G, "f32", "(16):(1)"), make_buffer("B", S, "f32", "(3):(1)"), 32);
    three.copies[0].src.region = {{2}, {3}};
    add("address.src", "a bend before the last element taken for straight", three, bend("S[(4,4):(100,1)]", 16));
    add("address.src", "a bend in the middle taken for straight",
        one_copy(make_buffer("A", G, "f32", "(4):(1)"), make_buffer("B", S, "f32", "(4):(1)"), 32), bend("S[(2,2):(100,1)]", 4));
    add("address.dst", "a K-tiled layout taken for row-major", k_tiled(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides = segment(p).src.address.strides; });
    add("same-element", "a K-tiled layout taken for row-major", k_tiled(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides = segment(p).src.address.strides; });
    add("address.dst", "the swizzle left out", swizzled_tile(), [](Problem&, Plan& p) { segment(p).dst.address.swizzle = {}; });
    add("address.dst", "swizzle parameters exchanged", swizzled_tile(), [](Problem&, Plan& p) {
        segment(p).dst.address.swizzle = {3, 4, 3};
    });
    add("bounds.src", "a buffer that ends early", rows(), [](Problem& problem, Plan&) { problem.buffers[0].capacity.count -= 8; });
    add("bounds.dst", "a buffer that ends early", rows(), [](Problem& problem, Plan&) { problem.buffers[1].capacity.count -= 1; });
    add("bounds.src", "before the buffer", rows(), [](Problem&, Plan& p) { segment(p).src.address.offset = -8; });
    add("aligned.src", "a base that is aligned less", tile(), [](Problem& problem, Plan&) { problem.buffers[0].align = {8}; });
    add("aligned.src", "a base known to be off", tile(), [](Problem& problem, Plan&) { problem.buffers[0].base = Bytes{4}; });
    add("aligned.dst", "rows on a pitch of 36 elements", rows(), [](Problem& problem, Plan& p) {
        problem.buffers[1].capacity.count += 64;
        segment(p).dst.address.strides[index(p, Role::outer)] += 4;
    });
    add("contiguous.src", "lanes two elements apart", tile(), [](Problem& problem, Plan& p) {
        problem.buffers[0].capacity.count += 64;
        segment(p).src.address.strides[index(p, Role::vec)] = 2;
    });
    add("contiguous.src", "all lanes on one element", tile(), [](Problem&, Plan& p) {
        segment(p).src.address.strides[index(p, Role::vec)] = 0;
        segment(p).dst.address.strides[index(p, Role::vec)] = 0;
    });
    add("contiguous.dst", "a swizzle that reaches below the access", swizzled_tile(), [](Problem&, Plan& p) {
        segment(p).dst.address.swizzle = {3, 2, 3};
    });
    add("contiguous.dst", "swizzled runs that start half an access off", swizzled_tile(), [](Problem& problem, Plan& p) {
        problem.buffers[1].layout.offset = 4;
        problem.buffers[1].capacity.count += 64;
        segment(p).dst.address.offset = 4;
    });
    add("contiguous.src", "three lanes of four", tile(), [](Problem&, Plan& p) { segment(p).vec = digit(p, Role::vec).extent = 3; });
    add("contiguous.dst", "twice the width", rows(), [](Problem&, Plan& p) { segment(p).dst.width = {256}; });
    add("covers", "a round too few", tile(), [](Problem&, Plan& p) {
        digit(p, Role::outer).extent -= 1;
        segment(p).outer -= 1;
    });
    add("covers", "a bound that cuts off the last access", few(), [](Problem&, Plan& p) { segment(p).predicate[0].below = 20; });
    add("covers", "the last access of each column cut off", columns(), [](Problem&, Plan& p) {
        const Digit lane = digit(p, Role::vec);
        segment(p).predicate.push_back({lane.dim, 56});
    });
    add("covers", "a weight that skips", tile(), [](Problem&, Plan& p) {
        digit(p, Role::outer).weight *= 2;
        digit(p, Role::outer).extent /= 2;
        segment(p).outer /= 2;
    });
    add("disjoint", "rounds on top of each other", tile(),
        [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::outer)] = 0; });
    add("disjoint", "everything twice", tile(), [](Problem&, Plan& p) { p.copies[0].segments.push_back(segment(p)); });
    add("no-alias", "regions of one buffer that overlap", moved_down(), [](Problem& problem, Plan& p) {
        problem.copies[0].src.region.start = {64};
        segment(p).src.address.offset = 64;
    });
    add("predicate", "the bound left out", few(), [](Problem&, Plan& p) { segment(p).predicate.clear(); });
    add("predicate", "a bound that lets one access too many run", few(), [](Problem&, Plan& p) { segment(p).predicate[0].below = 25; });
    add("synchronised", "no barrier", tile(), [](Problem&, Plan& p) { p.program.erase(p.program.begin() + 1); });
    add("synchronised", "a barrier of fewer threads than the copies", tile(),
        [](Problem&, Plan& p) { std::get<Barrier>(p.program[1]).threads = 16; });
    add("synchronised", "the barrier before both copies", tile(), [](Problem&, Plan& p) { std::swap(p.program[0], p.program[1]); });
    add("complete", "cp.async that nobody waits for", async_tile(), [](Problem&, Plan& p) { p.program.erase(p.program.begin() + 1); });
    add("complete", "a wait behind the barrier", async_tile(), [](Problem&, Plan& p) { std::swap(p.program[1], p.program[2]); });
    add("converged", "a barrier of more threads than the block", tile(),
        [](Problem&, Plan& p) { std::get<Barrier>(p.program[1]).threads = 64; });
    add("fits", "more shared memory than a block has", tile(),
        [](Problem& problem, Plan&) { problem.buffers[1].capacity.count = 64 * 1024; });
    add("fits", "a block that is too large", tile(), [](Problem& problem, Plan& p) {
        problem.launch.block = 2048;
        std::get<Barrier>(p.program[1]).threads = 2048;
    });
    return all;
}

}  // namespace

TEST_CASE("the undamaged plans are proved") {
    for (const Problem& problem : {tile(), rows(), few(), swizzled_tile(), k_tiled(), columns(), moved_down()}) {
        const Solution solution = solve(problem);
        REQUIRE(solution.complete());
        check_proved(problem, solution.plan());
    }
}

TEST_CASE("each obligation is refuted by a plan or problem that breaks it") {
    std::set<std::string> shown;
    for (const Broken& broken : broken_plans()) {
        check_refuted(broken);
        shown.insert(broken.obligation);
    }
    for (const Obligation& obligation : obligations()) {
        // Without symbols no assumption can contradict another. A plan that is not the widest is right all the same: tests/widest_test.cpp.
        if (obligation.id == "assumptions" || obligation.id == "widest") continue;
        CHECK_MESSAGE(shown.count(std::string(obligation.id)) == 1, obligation.id);
    }
}

TEST_CASE("a report is proved only if everything in it is, and nothing contradicts it") {
    const Problem problem = few();
    const Report proved = verify(problem, solve(problem).plan());
    REQUIRE(proved.verdict() == Verdict::proved);
    Report other = proved;
    other.conflicts.push_back("covers: proved by smt, refuted by exhaustive");
    CHECK(other.verdict() == Verdict::unknown);
    other = proved;
    other.copies[0].findings.clear();
    CHECK(other.verdict() == Verdict::unknown);
    other = proved;
    other.copies.clear();
    CHECK(other.verdict() == Verdict::unknown);
    other = proved;
    other.copies[0].findings[3].verdict = Verdict::unknown;
    CHECK(other.verdict() == Verdict::unknown);
    other.program[0].verdict = Verdict::refuted;
    CHECK(other.verdict() == Verdict::refuted);
}

TEST_CASE("a resource limit gives unknown, never proved") {
    const Problem problem = swizzled_tile();
    const Plan plan = solve(problem).plan();
    VerifyOptions options = smt_alone();
    options.rlimit = 1;
    const Report report = verify(problem, plan, options);
    CHECK(report.verdict() == Verdict::unknown);
    for (const Finding& finding : report.copies[0].findings) CHECK(finding.verdict != Verdict::refuted);
    CHECK(!verify_and_certify(problem, plan, options).plan.has_value());
}

}  // namespace tileproof
