// Plans by ldmatrix and stmatrix with symbols that are wrong in one thing; predicates that part a warp for some value; and random ones.
#include <doctest/doctest.h>

#include <algorithm>

#include "layouts/matrix.hpp"
#include "layouts/problem_json.hpp"
#include "solver/solve.hpp"
#include "tests/at_samples.hpp"
#include "tests/corpus.hpp"
#include "tests/matrix_problems.hpp"
#include "tests/planned_copy.hpp"
#include "tests/random_registers.hpp"
#include "verify/used.hpp"

namespace tileproof::test {
namespace {

/// The A operand of mma, 16 x 16 halves, from or to rows of pitch ld.
struct Case {
    Problem problem;
    Plan plan;

    explicit Case(bool loads, const std::string& symbols = "ld = { min = 16, max = 128, multiple_of = 8 }",
                  const std::string& layout = "\"(16,16):(ld,1)\", capacity = 2048", const std::string& keys = "scope = \"warp\"",
                  const std::string& registers = "layout = \"TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)\"") {
        problem =
            corpus::read("matrices", "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols +
                                         "\n[buffers]\nAs = { space = \"shared\", dtype = \"f16\", layout = " + layout +
                                         " }\nR = { space = \"register\", dtype = \"f16\", " + registers + " }\n[[copies]]\nsrc = \"" +
                                         (loads ? "As" : "R") + "\"\ndst = \"" + (loads ? "R" : "As") + "\"\n" + keys + "\n")
                .problem;
        plan = solve(problem).plan();
        REQUIRE(has_matrices(plan.copies[0]));
        CHECK(open() == "");
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
        for (const auto& findings : {report.copies[0].findings, report.program})
            for (const Finding& finding : findings)
                if (finding.verdict != Verdict::proved) out.insert(finding.obligation + (finding.verdict == Verdict::unknown ? "?" : ""));
        return out;
    }
    /// In one line.
    std::string open() const {
        std::string out;
        for (const std::string& id : found()) out += (out.empty() ? "" : " ") + id;
        return out;
    }
    std::string says(const std::string& id) const {
        const Report report = verify(problem, plan);
        for (const auto& findings : {report.copies[0].findings, report.program})
            for (const Finding& finding : findings)
                if (finding.obligation == id && finding.counterexample) return finding.counterexample->text;
        return "";
    }
};

std::string form(const char* name, int matrices, bool transposed) {
    return std::string(matrix_form(name[0] == 'l' ? Direction::load : Direction::store, matrices, transposed)->mnemonic);
}

/// Symbols that are multiples of as much as their least values are.
void suit_rows(Problem& problem) {
    for (Symbol& symbol : problem.symbols) symbol.multiple_of = symbol.min == 0 ? 32 : std::min<std::int64_t>(32, symbol.min & -symbol.min);
}

}  // namespace

TEST_CASE("matrices, symbols: another instruction than the fragment's") {
    Case transposed(true);
    transposed.segment().src.instruction = form("ld", 4, true);
    CHECK(transposed.open() == "aligned.src bounds.src? contiguous.dst? contiguous.src disjoint? same-element");
    CHECK(transposed.says("contiguous.src").find("with ld = 16: lane 0 of thread 4 in round 0 holds element 1 of row 0 of matrix 0") == 0);
    Case fewer(true);
    fewer.segment().src.instruction = form("ld", 2, false);
    CHECK(fewer.found().count("legal") == 1);
    CHECK(fewer.found().count("contiguous.src") == 1);
    Case narrow(false);
    narrow.segment().src.width = narrow.segment().dst.width = {64};
    CHECK(narrow.found().count("legal") == 1);
}

TEST_CASE("matrices, symbols: rows are judged for all values") {
    Case misaligned(true);  // a pitch of 20 is allowed now
    misaligned.problem.symbols[0].multiple_of = 4;
    CHECK(misaligned.open() == "aligned.src");
    CHECK(misaligned.says("aligned.src")
              .rfind("with ld = 20: row 1 of matrix 0, whose address thread 1 supplies: thread 4 in round 0 reads 128 bits of As at byte "
                     "40 = 8 mod 16",
                     0) == 0);
    Case base(true);
    base.problem.buffers[0].align = {8};
    CHECK(base.open() == "aligned.src");
    Case residue(true);
    residue.problem.buffers[0].base = Bytes{24};
    CHECK(residue.open() == "aligned.src");
    Case elsewhere(true);
    elsewhere.stride(Side::src, Role::thread, 1) = Expression::symbol(0).plus(8);
    CHECK(elsewhere.open() == "address.src bounds.src? same-element");
    Case short_of(false);
    short_of.problem.buffers[0].capacity = Elements{15 * 128 + 15};
    CHECK(short_of.open() == "bounds.dst");
    CHECK(short_of.says("bounds.dst").rfind("with ld = 128: row 7 of matrix 3, whose address thread 31 supplies", 0) == 0);
    Case closer(false);  // rows run into each other
    closer.problem.symbols[0].min = 8;
    CHECK(closer.open() == "disjoint");
    CHECK(closer.says("disjoint").rfind("with ld = 8: ", 0) == 0);
    Case chunks(true, "k0 = { min = 0, max = 48, multiple_of = 16 }", "\"Sw<3,3,3> o (16,16):(64,1) + k0\", capacity = 1024");
    chunks.problem.buffers[0].layout.swizzle = chunks.segment().src.address.swizzle = {2, 2, 3};
    CHECK(chunks.found().count("contiguous.src") == 1);
    Case other_swizzle = Case(true, "k0 = { min = 0, max = 48, multiple_of = 16 }", "\"Sw<3,3,3> o (16,16):(64,1) + k0\", capacity = 1024");
    other_swizzle.segment().src.address.swizzle = {2, 3, 3};
    CHECK(other_swizzle.found().count("address.src") == 1);
}

TEST_CASE("matrices, symbols: registers are named by numbers, the fragment's") {
    Case order(true);  // the second and the third matrix exchanged
    std::swap(order.stride(Side::dst, Role::vec, 1), order.stride(Side::dst, Role::vec, 2));
    CHECK(order.open() == "address.dst disjoint? same-element");
    Case by_thread(true);
    by_thread.stride(Side::dst, Role::thread) = 1;
    CHECK(by_thread.found().count("contiguous.dst") == 1);
    Case beyond(true);
    beyond.segment().dst.address.offset = 8;
    CHECK(beyond.found().count("bounds.dst") == 1);
    Case named(true);
    named.segment().dst.address.offset = Expression::symbol(0);
    CHECK(check_plan(named.problem, named.plan).value_or(Diagnostic{"", ""}).text.find("names registers that depend on symbols") !=
          std::string::npos);
    Case twice(false);  // two matrices of one instruction in one place
    twice.stride(Side::dst, Role::vec, 2) = 0;
    CHECK(twice.open() == "address.dst bounds.dst? disjoint same-element");
}

TEST_CASE("matrices: predicates with symbols, which no warp may run in part") {
    // Two warps below each other, each 16 rows; the planner does not plan rows before m by matrices, others may.
    const std::string tall = "layout = \"S[(2,2,8,2,4,2):(1@warpid,2,4@laneid,4,1@laneid,1)]\", shape = [32, 16]",
                      two_warps = "scope = \"cta\"\nthreads = 64";
    const auto clipped = [&](bool loads, std::int64_t multiple, const Expression& below) {
        Case out(loads, "m = { min = 0, max = 64, multiple_of = " + std::to_string(multiple) + " }", "\"(32,16):(24,1)\"", two_warps, tall);
        Copy& copy = out.problem.copies[0];
        for (Region* const region : {&copy.src.region, &copy.dst.region}) {
            region->symbolic_extent.emplace(0, below);
            region->clipped.insert(0);
        }
        CHECK(solve(out.problem).copies[0].variant != "ldstmatrix");
        // Dimension 0 in one piece: 16 warp + 8 register + lane.
        CopyPlan& plan = out.plan.copies[0];
        Segment& s = plan.segments[0];
        const Box box = plan.box;
        plan.box.dims.clear();
        std::vector<std::pair<int, std::int64_t>> now;
        for (const auto& factors : box.dims) {
            REQUIRE(factors.size() == 1);
            const bool is_known =
                std::any_of(plan.box.dims.begin(), plan.box.dims.end(), [&](const auto& one) { return one[0].dim == factors[0].dim; });
            const std::int64_t whole = factors[0].dim == 0 ? 32 : 16;
            if (!is_known) plan.box.dims.push_back({{factors[0].dim, 1, whole}});
            now.emplace_back(factors[0].dim, factors[0].weight);
        }
        for (Digit& digit : s.digits) {
            const auto [dim, weight] = now[static_cast<std::size_t>(digit.dim)];
            digit.dim = dim;
            digit.weight *= weight;
        }
        s.start.assign(2, 0);
        s.predicate = {{0, below}};
        return out;
    };
    const Expression m = Expression::symbol(0);
    for (const bool loads : {true, false}) {
        CAPTURE(loads);
        Case whole = clipped(loads, 16, m);
        CHECK(whole.open() == "");
        CHECK(at_samples(whole.problem, whole.plan, 5) == "");
        // That no warp is parted rests on the multiple: it is needed, and to the full, also after a fact was found to be needless.
        whole.problem.facts = {{{m}, Comparison::greater_equal, {0}}};
        const Certified certified = verify_and_certify(whole.problem, whole.plan);
        REQUIRE(certified.plan.has_value());
        CHECK(with_needed_assumptions(*certified.plan).symbols[0].multiple_of == 16);
        Case fewer = clipped(loads, 16, m), parted = clipped(loads, 16, m), odd = clipped(loads, 16, m);
        fewer.segment().predicate[0].below = m.minus(16);  // a warp fewer
        CHECK(fewer.found().count("covers") == 1);
        CHECK(fewer.found().count("converged") + fewer.found().count("converged?") == 0);
        parted.segment().predicate[0].below = m.minus(12);  // the first four rows of a warp
        CHECK(parted.found().count("converged") == 1);
        odd.segment().predicate[0].below = m.minus(1);  // lanes stand for rows 0 to 7, so all run; that the rows do is not seen
        CHECK(odd.found().count("converged?") == 1);
        CHECK(odd.found().count("covers?") == 1);
        Case none = clipped(loads, 16, m);
        none.segment().predicate.clear();
        CHECK(none.found().count("predicate") == 1);
        Case from = clipped(loads, 16, m);
        from.segment().predicate[0].from = 16;
        CHECK(from.found().count("covers") == 1);
        CHECK(from.found().count("converged") + from.found().count("converged?") == 0);
    }
    for (const std::int64_t multiple : {1, 4, 8}) {  // part of a warp's rows: at 8 all lanes run, for rows that are not there
        Case parted = clipped(true, multiple, m);
        const Ids found = parted.found();
        CHECK(found.count("converged") == (multiple < 8 ? 1 : 0));
        CHECK(found.count("predicate") + found.count("contiguous.src?") + found.count("predicate?") >= 1);
    }
    Case unlike = clipped(true, 16, m);  // an instruction that does not fit
    unlike.segment().src.instruction = form("ld", 2, false);
    CHECK(unlike.found().count("converged?") == 1);
    CHECK(clipped(true, 4, m)
              .says("converged")
              .rfind("with m = 4: of the warp of thread 0, which 'copy0' makes run a matrix instruction in round 0, only a part runs it: "
                     "thread 16 does not",
                     0) == 0);
}

TEST_CASE("random fragments with symbols: planned where PTX allows it at all their values, proved, and right when run") {
    RandomTiles draw{std::mt19937(40)};
    RandomRegisters symbols{std::mt19937(41)};
    int by_matrices[5] = {}, of_bytes = 0, declined = 0, missed = 0, unsaid = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 700; i < most; ++i) {
        CAPTURE(i);
        std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        symbols.add_symbols(*problem);
        if (symbols.below(3) != 0) suit_rows(*problem);
        const Copy& copy = problem->copies[0];
        if (!is_symbolic(*problem, copy) || check_problem(*problem) || rejection(*problem, copy)) continue;
        INFO(problem_json(*problem));
        const Solution solution = solve(*problem);
        const CopySolution& got = solution.copies[0];
        if (got.rejection) continue;
        int matrices = 0;
        if (got.variant == "ldstmatrix") {
            const MatrixForm& form = *matrix_form(
                got.plan->segments[0].side(problem->buffer(copy.src).space == Space::shared ? Side::src : Side::dst).instruction);
            matrices = form.matrices;
            of_bytes += form.unit == Bits{8} ? 1 : 0;
        } else CHECK(got.declined.size() == 1);
        bool all = true, said = true;
        for (const Values& values : sample_values(*problem, 24)) {
            const Problem one = at(*problem, values);
            if (check_problem(one)) continue;
            const std::optional<int> wanted = matrices_at_once(one, one.copies[0]);
            said = said && wanted.has_value();
            if (matrices > 0 && wanted) CHECK(*wanted == matrices);
            all = all && wanted.value_or(0) > 0;
        }
        ++(matrices > 0 ? by_matrices[matrices] : declined);
        unsaid += said ? 0 : 1;
        missed += matrices == 0 && all && said ? 1 : 0;
        if (matrices == 0) continue;
        const Certified certified = verify_and_certify(*problem, solution.plan());
        for (const std::string& conflict : certified.report.conflicts) FAIL_CHECK(conflict);
        const bool has_swizzle =
            std::any_of(problem->buffers.begin(), problem->buffers.end(), [](const Buffer& b) { return !b.layout.swizzle.is_identity(); });
        for (const Finding& finding : certified.report.copies[0].findings) {
            INFO(finding.obligation, ": ", finding.counterexample ? finding.counterexample->text : finding.reason);
            // As for loads and stores: shared places are looked for at samples only, and a swizzle keeps inside its last whole period for sure.
            CHECK((finding.verdict == Verdict::proved || finding.obligation == "disjoint" ||
                   (finding.obligation.rfind("bounds", 0) == 0 && has_swizzle)));
        }
        if (certified.plan) CHECK(at_samples(*problem, solution.plan(), 3) == "");
    }
    MESSAGE(by_matrices[1], " .x1, ", by_matrices[2], " .x2, ", by_matrices[4], " .x4; ", of_bytes, " of bytes; ", declined, " declined, ",
            missed, " of them although all samples allow it; of ", unsaid, " places alone say nothing");
    CHECK(by_matrices[1] > 10);
    CHECK(by_matrices[2] > 10);
    CHECK(by_matrices[4] > 5);
    CHECK(of_bytes > 5);
    CHECK(declined > 30);
    CHECK(missed * 20 < declined);
}

TEST_CASE("random damage to plans of matrices and symbols: what is proved still does the copy") {
    RandomTiles draw{std::mt19937(42)};
    RandomRegisters symbols{std::mt19937(43)};
    int proved = 0, changed = 0, refuted = 0, open = 0;
    for (int i = 0, most = corpus::is_long_run() ? 20000 : 800; i < most; ++i) {
        CAPTURE(i);
        std::optional<Problem> problem = draw.draw();
        if (!problem) continue;
        symbols.add_symbols(*problem);
        if (symbols.below(3) != 0) suit_rows(*problem);
        if (!is_symbolic(*problem, problem->copies[0]) || check_problem(*problem) || rejection(*problem, problem->copies[0])) continue;
        const Solution solution = solve(*problem);
        if (!solution.complete() || solution.copies[0].variant != "ldstmatrix") continue;
        Plan plan = solution.plan();
        Segment& s = plan.copies[0].segments[0];
        symbols.damage(s);
        if (symbols.below(4) == 0)
            s.predicate.push_back(
                {static_cast<int>(symbols.below(static_cast<std::int64_t>(s.start.size()))),
                 symbols.below(2) == 0 ? Expression(symbols.one_of<std::int64_t>({1, 2, 4, 8, 16})) : Expression::symbol(0),
                 {}});
        if (symbols.below(3) == 0) {
            AddressPlan& address = symbols.below(2) == 0 ? s.src.address : s.dst.address;
            Expression& where =
                address.strides.empty() || symbols.below(2) == 0
                    ? address.offset
                    : address.strides[static_cast<std::size_t>(symbols.below(static_cast<std::int64_t>(address.strides.size())))];
            where = where + Expression::symbol(0).times(symbols.one_of<std::int64_t>({1, -1, 8}));
        }
        if (check_plan(*problem, plan)) continue;
        INFO(problem_json(*problem));
        const Certified certified = verify_and_certify(*problem, plan);
        for (const std::string& conflict : certified.report.conflicts) FAIL_CHECK(conflict);
        const Verdict verdict = certified.report.verdict();
        (verdict == Verdict::proved ? proved : verdict == Verdict::refuted ? refuted : open) += 1;
        if (!certified.plan) continue;
        changed += plan.copies[0].segments == solution.plan().copies[0].segments ? 0 : 1;
        CHECK(at_samples(*problem, plan, 6) == "");
    }
    MESSAGE(proved, " proved (", changed, " of them not the planner's), ", refuted, " refuted, ", open, " open");
    CHECK(refuted > 40);
    CHECK(changed > 0);
    CHECK(open * 3 < refuted);
}

}  // namespace tileproof::test
