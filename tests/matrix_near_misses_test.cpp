// Plans by ldmatrix and stmatrix that are wrong in one thing: which obligations say so, and which do not.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "layouts/matrix.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/register_file.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/matrix_problems.hpp"
#include "tests/planned_copy.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {
namespace {

struct Case : PlannedCopy {
    Case(const std::string& src, const std::string& dst, const std::string& scope = "warp", std::int64_t threads = 32)
        : PlannedCopy(src, dst, scope, threads) {
        REQUIRE(has_matrices(plan.copies[0]));
    }
};

const std::string operand_a = "register f16 TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)";
Case load() { return {"shared f16 (16,16):(24,1) capacity 400", operand_a}; }
Case store() { return {operand_a, "shared f16 (16,16):(24,1) capacity 400"}; }
/// Two warps, two rounds of .x1.
Case warps() {
    return {"shared f16 (2,24,8):(192,8,1)", "register f16 S[(2,3,8,4,2):(1@warpid,2,4@laneid,1@laneid,1)] shape 2,24,8", "cta", 64};
}

VerifyOptions smt_alone() {
    VerifyOptions out;
    out.exhaustive = false;
    return out;
}

std::string form(const char* name, int matrices, bool transposed) {
    return std::string(matrix_form(name[0] == 'l' ? Direction::load : Direction::store, matrices, transposed)->mnemonic);
}

/// The other forms of this direction.
const std::vector<std::string>& others(const MatrixForm& form) {
    static std::map<std::string, std::vector<std::string>> known;
    std::vector<std::string>& out = known[std::string(form.mnemonic)];
    if (!out.empty()) return out;
    for (const int matrices : {1, 2, 4})
        for (const bool transposed : {false, true})
            for (const Bits unit : {Bits{16}, Bits{8}})
                if (const MatrixForm* const other = matrix_form(form.direction, matrices, transposed, unit);
                    other != nullptr && other != &form)
                    out.emplace_back(other->mnemonic);
    return out;
}

}  // namespace

TEST_CASE("matrices: another instruction than the fragment's") {
    Case transposed = load();
    transposed.segment().src.instruction = form("ld", 4, true);
    CHECK(transposed.refuted() == Ids{"aligned.src", "contiguous.src", "same-element"});
    CHECK(transposed.says("contiguous.src") ==
          "lane 0 of thread 4 in round 0 holds element 1 of row 0 of matrix 0, and its address is 24 elements from the start of the row");

    Case fewer = load();
    fewer.segment().src.instruction = form("ld", 2, false);
    CHECK(fewer.refuted() == Ids{"contiguous.src", "covers", "legal"});
    CHECK(fewer.says("legal") == "ldmatrix.sync.aligned.m8n8.x2.shared.b16 moves 4 elements of each thread, and the plan has 8 lanes");

    Case stored = load();
    stored.segment().src.instruction = form("st", 4, false);
    CHECK(stored.refuted() == Ids{"legal"});

    Case narrow = load();
    narrow.segment().src.width = narrow.segment().dst.width = {64};
    CHECK(narrow.refuted() == Ids{"legal"});
    CHECK(narrow.says("legal") == "rows of ldmatrix.sync.aligned.m8n8.x4.shared.b16 have 128 bits, the plan says 64");
    Case half = load();
    half.segment().dst.width = {64};
    CHECK(half.refuted() == Ids{"legal"});
    Case named = load();
    named.segment().dst.instruction = form("ld", 4, false);
    CHECK(named.refuted() == Ids{"legal"});

    Case words("shared f32 (8,4):(4,1)", "register f32 (8,4):(4@laneid,1@laneid)");
    words.segment().src.instruction = form("ld", 1, true);
    CHECK(words.refuted() == Ids{"contiguous.src", "covers", "legal"});
    CHECK(words.says("legal") == "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 tears elements of 32 bits apart");
}

TEST_CASE("matrices: what machine and memory have to be") {
    Case old = store();
    old.problem.target = *find_arch("sm_89");
    CHECK(old.refuted() == Ids{"legal"});
    Case early = load();
    early.problem.ptx = PtxVersion{6, 4};
    CHECK(early.refuted() == Ids{"legal"});
    early.problem.ptx = PtxVersion{6, 5};
    CHECK(early.refuted() == Ids{});
    Case global = load();
    global.problem.buffers[0].space = Space::global;
    CHECK(global.refuted() == Ids{"legal"});
    CHECK(global.says("legal") == "ldmatrix.sync.aligned.m8n8.x4.shared.b16 does not access global memory");

    // Between memories there are no fragments, whatever a plan says.
    Problem memories = one_line("shared f16 (8,8):(8,1)", "global f16 (8,8):(8,1)", "warp", 32);
    Plan plan = solve(memories).plan();
    Segment& s = plan.copies[0].segments[0];
    s.src.instruction = form("ld", 4, false);
    REQUIRE(s.vec == 8);
    REQUIRE_FALSE(check_plan(memories, plan).has_value());
    const Report report = verify(memories, plan);
    for (const Finding& finding : report.copies[0].findings)
        if (finding.obligation == "legal") CHECK(finding.verdict == Verdict::refuted);
}

TEST_CASE("matrices: registers and addresses") {
    Case order = load();  // the second and the third matrix exchanged
    std::swap(order.stride(Side::dst, Role::vec, 1), order.stride(Side::dst, Role::vec, 2));
    CHECK(order.refuted() == Ids{"address.dst", "same-element"});
    Case by_thread = load();
    by_thread.stride(Side::dst, Role::thread) = 1;
    CHECK(by_thread.refuted().count("contiguous.dst") == 1);
    Case beyond = load();
    beyond.segment().dst.address.offset = 8;
    CHECK(beyond.refuted().count("bounds.dst") == 1);

    Case moved = load();
    moved.segment().src.address.offset = 8;
    CHECK(moved.refuted() == Ids{"address.src", "same-element"});
    moved.segment().src.address.offset = 400 - 15 * 24 - 8;
    CHECK(moved.refuted() == Ids{"address.src", "bounds.src", "same-element"});
    CHECK(moved.says("bounds.src")
              .rfind(
                  "row 7 of matrix 3, whose address thread 31 supplies: thread 28 in round 0 reads elements 400..407 of src, which has 400",
                  0) == 0);

    Case pitch = load();  // right in all but the alignment: rows of 20 elements
    for (Iter& iter : pitch.problem.buffers[0].layout.iters)
        if (iter.stride == Expression(24)) iter.stride = 20;
    for (Expression& stride : pitch.segment().src.address.strides) {
        if (stride == Expression(24)) stride = 20;
        else if (stride == Expression(8 * 24)) stride = 8 * 20;
    }
    CHECK(pitch.refuted() == Ids{"aligned.src"});
    CHECK(pitch.says("aligned.src")
              .rfind("row 1 of matrix 0, whose address thread 1 supplies: thread 4 in round 0 reads 128 bits of src at byte 40 = 8 mod 16",
                     0) == 0);
    Case base = load();
    base.problem.buffers[0].align = {8};
    CHECK(base.refuted() == Ids{"aligned.src"});
    Case residue = load();
    residue.problem.buffers[0].base = Bytes{24};
    CHECK(residue.refuted() == Ids{"aligned.src"});

    Case swizzled = load();  // the plan knows of no swizzle, or of one that tears rows
    swizzled.problem.buffers[0].layout.swizzle = {1, 3, 3};
    CHECK(swizzled.refuted().count("address.src") == 1);
    swizzled.problem.buffers[0].layout.swizzle = swizzled.segment().src.address.swizzle = {1, 2, 3};
    CHECK(swizzled.refuted() == Ids{"aligned.src", "contiguous.src", "same-element"});
}

TEST_CASE("matrices: rows that are written twice, by one instruction or two") {
    Case twice = store();  // two matrices of one instruction, whose rows the same thread begins
    twice.stride(Side::dst, Role::vec, 2) = 0;
    CHECK(twice.refuted() == Ids{"address.dst", "disjoint", "same-element"});
    CHECK(twice.says("disjoint") == "thread 0 in round 0 and thread 0 in round 0 both write element offset 0 of dst");
    Case rounds("register f16 S[(3,8,4,2):(2,4@laneid,1@laneid,1)] shape 24,8", "shared f16 (24,8):(8,1)");
    rounds.stride(Side::dst, Role::outer) = 0;
    CHECK(rounds.refuted() == Ids{"address.dst", "disjoint", "same-element"});
    Case registers = warps();
    registers.stride(Side::dst, Role::outer) = 0;
    CHECK(registers.refuted() == Ids{"address.dst", "disjoint", "same-element"});
}

TEST_CASE("matrices: whole warps") {
    const auto bound = [](Case& one, int dim, std::int64_t below) { one.segment().predicate.push_back({dim, below, 0}); };
    Case parted = load();
    bound(parted, parted.segment().digits[parted.digit(Role::thread, 1)].dim, 4);
    const Ids found = parted.refuted();
    CHECK(found.count("converged") == 1);
    CHECK(found.count("covers") == 1);
    CHECK(parted.says("converged").find("only a part runs it") != std::string::npos);

    Case half = load();  // of every row the first two lanes: what the others hold is not moved
    const Digit columns = half.segment().digits[half.digit(Role::thread)];
    REQUIRE(columns.extent == 4);
    bound(half, columns.dim, 2);
    CHECK(half.refuted() == Ids{"converged", "covers"});

    Case later = warps();  // whole warps in the first round alone
    const Digit lanes = later.segment().digits[later.digit(Role::thread)];
    Digit& rounds = later.segment().digits[later.digit(Role::outer)];
    rounds.dim = lanes.dim;
    rounds.weight = lanes.extent / 2;
    bound(later, lanes.dim, lanes.extent);
    CHECK(later.refuted().count("converged") == 1);
    CHECK(later.says("converged").find("in round 1") != std::string::npos);

    Case one_warp = warps();  // of two: nothing that parts a warp, but half of the tile is missing
    REQUIRE(one_warp.segment().threads == 64);
    Digit last;
    for (const Digit& digit : one_warp.segment().digits)
        if (digit.role == Role::thread) last = digit;
    REQUIRE(last.extent == 2);
    bound(one_warp, last.dim, one_warp.plan.copies[0].box.shape()[static_cast<std::size_t>(last.dim)] / 2);
    CHECK(one_warp.refuted() == Ids{"covers"});

    // The second of two warps: a digit of threads goes on from the lanes to the warps.
    Case second("register f16 S[(3,8,4,2):(2,4@laneid,1@laneid,1)] + 1@warpid shape 24,8", "shared f16 (24,8):(8,1)", "cta", 64);
    REQUIRE_FALSE(second.segment().predicate.empty());
    CHECK(verify(second.problem, second.plan, smt_alone()).copies[0].verdict() == Verdict::proved);

    Case people = load();
    people.problem.launch.block = 96;
    for (const Participants who : {Participants{16, 32}, Participants{0, 48}}) {
        people.plan.copies[0].participants = who;
        const Ids wrong = people.refuted();
        CHECK(wrong.count("participants") == 1);
        CHECK(wrong.count("converged") == 1);
    }

    // A predicate over more threads and rounds than anybody counts is not taken on trust: Z3 has to prove it.
    const auto huge = [](Case one, bool smt) {
        one.segment().outer <<= 20;
        const int place = digit_at(one.segment(), Role::outer, 0) == nullptr ? 0 : 1;
        one.segment().digits.push_back({0, 0, std::int64_t{1} << 20, Role::outer, place});
        for (const Side side : both_sides) one.side(side).address.strides.emplace_back(0);
        VerifyOptions options;
        options.smt = smt;
        const Report report = verify(one.problem, one.plan, options);
        return std::find_if(report.program.begin(), report.program.end(),
                            [](const Finding& finding) { return finding.obligation == "converged"; })
            ->verdict;
    };
    Case all = load(), behind = load();
    bound(all, 0, 1 << 20);
    CHECK(huge(all, false) == Verdict::unknown);
    CHECK(huge(all, true) == Verdict::proved);
    CHECK(huge(one_warp, true) == Verdict::proved);
    CHECK(huge(parted, true) == Verdict::unknown);
    CHECK(huge(later, true) == Verdict::unknown);
    bound(behind, columns.dim, 1 << 20);
    behind.segment().predicate.back().from = 1;
    CHECK(huge(behind, true) == Verdict::unknown);
    bound(behind, columns.dim, columns.extent - 1);
    behind.segment().predicate.back().from = 0;
    behind.segment().predicate.erase(behind.segment().predicate.begin());
    CHECK(huge(behind, true) == Verdict::unknown);
}

TEST_CASE("matrices: shapes of plans") {
    const auto rule = [](const Case& one) { return check_plan(one.problem, one.plan).value_or(Diagnostic{"", ""}).text; };
    Case cut = warps();
    Segment& s = cut.segment();
    std::vector<Digit> digits;  // 64 threads as 2 x 24 and a rest
    for (const Digit& digit : s.digits)
        if (digit.role != Role::thread) digits.push_back(digit);
    digits.push_back({0, 1, 4, Role::thread, 0});
    digits.push_back({0, 1, 16, Role::thread, 1});
    s.digits = digits;
    for (const Side side : both_sides) cut.side(side).address.strides.assign(digits.size(), 0);
    CHECK(rule(cut) == "");
    s.digits[s.digits.size() - 2].extent = 64 / 4;
    s.digits.back().extent = 4;
    CHECK(rule(cut) == "");
    Case thirds("shared f16 (3,8,8):(64,8,1)", "register f16 S[(3,8,4,2):(1@warpid,4@laneid,1@laneid,1)] shape 3,8,8", "cta", 96);
    Segment& t = thirds.segment();
    digits.clear();
    for (const Digit& digit : t.digits)
        if (digit.role != Role::thread) digits.push_back(digit);
    digits.push_back({0, 1, 3, Role::thread, 0});
    digits.push_back({0, 1, 32, Role::thread, 1});
    t.digits = digits;
    for (const Side side : both_sides) thirds.side(side).address.strides.assign(digits.size(), 0);
    CHECK(rule(thirds) == "the plan of copy 'copy0' has matrix instructions and a thread digit that ends within a warp");
}

TEST_CASE("random copies with registers that are fragments: as many matrices as PTX allows, proved, and right when run") {
    RandomTiles draw{std::mt19937(30)};
    int by_matrices[5] = {}, of_bytes = 0, declined = 0, unsaid = 0, no_digits = 0, of_one_mind = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 600; i < most; ++i) {
        CAPTURE(i);
        const std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        INFO(problem_json(*problem));
        const Copy& copy = problem->copies[0];
        const Solution solution = solve(*problem);
        const CopySolution& got = solution.copies[0];
        if (got.rejection) continue;
        const std::optional<int> wanted = matrices_at_once(*problem, copy);
        int matrices = 0;
        if (got.variant == "ldstmatrix") {
            const MatrixForm& form = *matrix_form(
                got.plan->segments[0].side(problem->buffer(copy.src).space == Space::shared ? Side::src : Side::dst).instruction);
            matrices = form.matrices;
            of_bytes += form.unit == Bits{8} ? 1 : 0;
        } else CHECK(got.declined.size() == 1);
        const bool has_no_digits = !got.declined.empty() && got.declined[0].reason.find("split into digits") != std::string::npos;
        if (!got.declined.empty() && got.declined[0].reason.find("is the fragment of") != std::string::npos) {
            Problem elsewhere = *problem;
            elsewhere.target = *find_arch("sm_100a");
            const CopySolution there = solve(elsewhere).copies[0];
            const std::string reason = there.declined.empty() ? "" : there.declined[0].reason;
            CHECK((there.variant == "ldstmatrix" || reason.find("rows are accesses") == 0 ||
                   reason.find("would supply the address") != std::string::npos));
        }
        if (!wanted) ++unsaid;
        else if (has_no_digits) ++no_digits;
        else CHECK(matrices == *wanted);
        ++(matrices > 0 ? by_matrices[matrices] : declined);
        if (matrices == 0) continue;
        const Certified certified = verify_and_certify(*problem, solution.plan());
        for (const Finding& finding : certified.report.copies[0].findings)
            CHECK_MESSAGE(finding.verdict == Verdict::proved, finding.obligation);
        CHECK(certified.plan.has_value());
        CHECK(run_difference(*problem, solution.plan()) == "");
        const Report by_smt = verify(*problem, solution.plan(), smt_alone());
        of_one_mind += by_smt.copies[0].verdict() == Verdict::proved ? 1 : 0;
    }
    MESSAGE(of_one_mind, " proved by SMT alone; ", by_matrices[1], " .x1, ", by_matrices[2], " .x2, ", by_matrices[4], " .x4; ", of_bytes,
            " of bytes; ", declined, " declined, ", no_digits, " of them without digits; of ", unsaid, " places alone say nothing");
    CHECK(by_matrices[1] > 20);
    CHECK(by_matrices[2] > 20);
    CHECK(by_matrices[4] > 20);
    CHECK(of_bytes > 20);
    CHECK(declined > 50);
    CHECK(no_digits * 10 < declined);
    CHECK(of_one_mind * 20 > (by_matrices[1] + by_matrices[2] + by_matrices[4]) * 19);
}

TEST_CASE("random damage to plans with registers in matrices: what is proved still does the copy") {
    RandomTiles draw{std::mt19937(31)};
    DamageTally tally;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 900; i < most; ++i) {
        CAPTURE(i);
        const std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        const Solution solution = solve(*problem);
        if (!solution.complete() || solution.copies[0].variant != "ldstmatrix") continue;
        Plan plan = solution.plan();
        Segment& s = plan.copies[0].segments[0];
        const auto any = [&](auto& all) -> auto& {
            return all[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(all.size())))];
        };
        SidePlan& side = draw.below(2) == 0 ? s.src : s.dst;
        SidePlan& stored = problem->buffer(problem->copies[0].src).space == Space::shared ? s.src : s.dst;
        const std::int64_t by = draw.one_of<std::int64_t>({-1, 1, 2, 4, 8, 32});
        switch (draw.below(11)) {
            case 0:
                side.address.offset = side.address.offset + Expression(by);
                break;
            case 1:
                if (!side.address.strides.empty()) {
                    auto& stride = any(side.address.strides);
                    stride = stride + Expression(by);
                }
                break;
            case 2:
                if (!s.digits.empty()) any(s.digits).weight += by;
                break;
            case 3: {
                auto& bounds = s.predicate;
                bounds.push_back({static_cast<int>(draw.below(static_cast<std::int64_t>(s.start.size()))),
                                  draw.one_of<std::int64_t>({1, 2, 4, 8, 16}), 0});
            } break;
            case 4:
                if (!s.predicate.empty()) any(s.predicate).below = any(s.predicate).below + Expression(by);
                break;
            case 5:
                any(s.start) += by;
                break;
            case 6: {
                auto& a = any(s.digits);
                auto& b = any(s.digits);
                if (a.role == b.role) std::swap(a.place, b.place);
            } break;
            case 7:
                std::swap(any(side.address.strides), any(side.address.strides));
                break;
            case 8:
                stored.instruction = any(others(*matrix_form(stored.instruction)));
                break;
            case 9: {
                auto& a = any(s.digits);
                auto& b = any(s.digits);
                if (a.role == b.role) std::swap(a, b), std::swap(a.place, b.place);
            } break;  // strides stay: a digit's weight and extent with another's
            default:
                side.address.swizzle = draw.one_of<Swizzle>({{}, {1, 3, 3}, {3, 3, 3}, {2, 2, 3}, {1, 4, 1}});
                break;
        }
        INFO(problem_json(*problem));
        tally.judge(*problem, plan, solution.plan(), run_difference);
    }
    tally.check();
}

}  // namespace tileproof::test
