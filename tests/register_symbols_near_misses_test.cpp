// Plans between registers and memory with symbols that are wrong in one thing, and concrete ones that only SMT could take for right.
#include <doctest/doctest.h>

#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/planned_copy.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

/// Rows of 16 halves, one a lane, of pitch ld: eight lanes, two rounds.
struct Case {
    Problem problem;
    Plan plan;

    explicit Case(const std::string& copy, const std::string& symbols = "ld = { min = 16, max = 4096, multiple_of = 8 }",
                  const std::string& layout = "(32,16):(ld,1)") {
        problem = corpus::read(
                      "registers",
                      "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols +
                          "\n[buffers]\nR = { space = \"register\", dtype = \"f16\", layout = \"(32,16):(1@laneid,1)\", capacity = 18 }\n" +
                          "A = { space = \"global\", dtype = \"f16\", layout = \"" + layout + "\" }\n[[copies]]\nscope = \"warp\"\n" +
                          copy + "\n")
                      .problem;
        plan = solve(problem).plan();
        CHECK(found() == Ids{});
    }
    Segment& segment() { return plan.copies[0].segments[0]; }
    std::size_t digit(Role role, int place = 0) { return index_of(segment(), *digit_at(segment(), role, place)); }
    Expression& stride(Side side, Role role, int place = 0) {
        return (side == Side::src ? segment().src : segment().dst).address.strides[digit(role, place)];
    }

    /// What is not proved; what is left open has "?" behind it.
    Ids found() const {
        REQUIRE_FALSE(check_plan(problem, plan).has_value());
        Ids out;
        const Report report = verify(problem, plan);
        for (const std::string& conflict : report.conflicts) FAIL_CHECK(conflict);
        for (const Finding& finding : report.copies[0].findings)
            if (finding.verdict != Verdict::proved) out.insert(finding.obligation + (finding.verdict == Verdict::unknown ? "?" : ""));
        return out;
    }
    std::string says(const std::string& id) const {
        const Report report = verify(problem, plan);
        for (const Finding& finding : report.copies[0].findings)
            if (finding.obligation == id && finding.counterexample) return finding.counterexample->text;
        return "";
    }
    std::string malformed() const { return check_plan(problem, plan).value_or(Diagnostic{"", ""}).text; }
};

Case store() { return Case("src = \"R\"\ndst = \"A\""); }
Case load() { return Case("src = \"A\"\ndst = \"R\""); }
const std::string tail = "predicate = \"d0 < m\"", ld_and_m = "ld = { min = 16, max = 4096, multiple_of = 8 }\nm = { min = 0, max = 40 }";

}  // namespace

TEST_CASE("symbols: the register of a lane") {
    Case beyond = load();
    beyond.stride(Side::dst, Role::outer) = 11;
    CHECK(beyond.found() == Ids{"address.dst", "bounds.dst", "disjoint?", "same-element"});
    CHECK(beyond.says("bounds.dst").find("names register 18 of R, which has 18 in each thread") != std::string::npos);
    Case below = load();
    below.segment().dst.address.offset = -1;
    CHECK(below.found() == Ids{"address.dst", "bounds.dst", "disjoint?", "same-element"});
    Case by_thread = load();
    by_thread.stride(Side::dst, Role::thread) = 1;
    CHECK(by_thread.found().count("contiguous.dst") == 1);
    Case shifted = store();
    shifted.segment().src.address.offset = 1;
    CHECK(shifted.found() == Ids{"address.src", "same-element"});
    Case twice = load();
    twice.stride(Side::dst, Role::outer) = 0;
    CHECK(twice.found() == Ids{"address.dst", "disjoint", "same-element"});
}

TEST_CASE("symbols: registers are named by numbers") {
    Case named = load();
    named.segment().dst.address.offset = Expression::symbol(0);
    CHECK(named.malformed().find("names registers that depend on symbols") != std::string::npos);
    Case stepped = store();
    stepped.stride(Side::src, Role::outer) = Expression::symbol(0);
    CHECK(stepped.malformed().find("names registers that depend on symbols") != std::string::npos);
}

TEST_CASE("symbols: the memory side is judged for all values") {
    Case misaligned = store();  // a pitch of 20 is allowed now
    misaligned.problem.symbols[0].multiple_of = 4;
    CHECK(misaligned.found() == Ids{"aligned.dst"});
    CHECK(misaligned.says("aligned.dst").rfind("with ld = ", 0) == 0);
    Case elsewhere = store();
    elsewhere.stride(Side::dst, Role::thread) = Expression::symbol(0).plus(8);
    CHECK(elsewhere.found() == Ids{"address.dst", "bounds.dst", "disjoint?", "same-element"});
    Case closer = store();  // rows run into each other
    closer.problem.symbols[0].min = 8;
    CHECK(closer.found() == Ids{"disjoint"});
    CHECK(closer.says("disjoint").rfind("with ld = 8: ", 0) == 0);
    // At the pitch of the constant part they would not.
    Case constant("src = \"R\"\ndst = \"A\"", "p = { min = 0, max = 64, multiple_of = 8 }", "(32,16):(p + 16,1)");
    constant.problem.symbols[0].min = -8;
    CHECK(constant.found() == Ids{"disjoint"});
    Case short_of = store();
    short_of.problem.buffers[1].symbolic_capacity = short_of.problem.buffers[1].symbolic_capacity->plus(-1);
    CHECK(short_of.found() == Ids{"bounds.dst"});
    Case apart = load();
    apart.stride(Side::src, Role::vec) = 2;
    CHECK(apart.found().count("contiguous.src") == 1);
    Case wider = store();
    wider.segment().dst.address.index_bits = 32;
    CHECK(wider.found().count("overflow") + wider.found().count("overflow?") == 0);  // 31 rows of 4096 halves
    wider.problem.symbols[0].max = 1 << 26;
    CHECK(wider.found().count("overflow") + wider.found().count("overflow?") == 1);
}

TEST_CASE("symbols: predicates of registers") {
    for (const char* copy : {"src = \"A\"\ndst = \"R\"\n", "src = \"R\"\ndst = \"A\"\n"}) {
        const Case right(copy + tail, ld_and_m);
        Case none = right, other = right, late = right, lower = right, columns = right;
        none.segment().predicate.clear();
        CHECK(none.found().count("predicate") == 1);
        other.segment().predicate[0].below = Expression::symbol(1).plus(1);
        CHECK(other.found().count("predicate") == 1);
        lower.segment().predicate[0].below = Expression::symbol(1).plus(-1);
        CHECK(lower.found().count("covers") == 1);
        late.segment().predicate[0].from = 1;
        CHECK(late.found().count("covers") == 1);
        CHECK(late.says("covers").find("no access moves element (0,0) of the region") != std::string::npos);
        columns.segment().predicate[0].dim = 1 - columns.segment().predicate[0].dim;
        CHECK_FALSE(columns.found().empty());
    }
}

TEST_CASE("concrete copies: what SMT would have to prove to be wrong") {
    // Rows in one place, by layout and plan alike.
    PlannedCopy overlapping("register f32 (32,8):(1@laneid,1)", "global f32 (32,8):(12,1)");
    overlapping.problem.buffers[1].layout.iters[0].stride = 0;
    overlapping.stride(Side::dst, Role::thread) = 0;
    CHECK(overlapping.refuted() == Ids{"disjoint"});
    PlannedCopy one_register("global f32 (32,8):(12,1)", "register f32 (32,8):(1@laneid,1)");
    for (Iter& it : one_register.problem.buffers[1].layout.iters)
        if (it.axis == Axis::m) it.stride = 0;
    one_register.stride(Side::dst, Role::vec) = 0;
    one_register.stride(Side::dst, Role::outer) = 0;
    CHECK(one_register.refuted() == Ids{"disjoint"});
    // A row a thread is no fragment.
    PlannedCopy rows("shared f16 (32,8):(8,1)", "register f16 (32,8):(1@laneid,1)");
    REQUIRE(rows.segment().vec == 8);
    rows.segment().src.instruction = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
    CHECK(rows.refuted().count("contiguous.src") == 1);
}

}  // namespace tileproof::test
