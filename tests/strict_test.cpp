// Second opinions: queries as SMT-LIB 2 that say what Z3 decided, cvc5 on all of them, and solvers that disagree, stall or babble.
//
// A false cvc5 is a script of a line. What it brings about shows that the comparison is made: agreement alone would show nothing.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include <doctest/doctest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include "emit/cvc5.hpp"
#include "solver/smt.hpp"
#include "solver/solve.hpp"
#include "support/process.hpp"
#include "support/sha256.hpp"
#include "tests/corpus.hpp"
#include "tests/problems.hpp"
#include "tests/program.hpp"
#include "verify/definition_internal.hpp"
#include "verify/obligation.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::content;
using test::Folder;
using test::quoted;
using test::Ran;

// As in cli/main.cpp: many small contexts.
const bool tuned = mallopt(M_TRIM_THRESHOLD, 256 << 20) == 1 && mallopt(M_MMAP_THRESHOLD, 256 << 20) == 1;

const fs::path data = TILEPROOF_TEST_DATA;
const fs::path rows = fs::path(TILEPROOF_EXAMPLES) / "unaligned_rows_f16.toml";  // one copy, "load"

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The real one. Without it these tests are worth nothing, so they fail.
std::string real_cvc5() {
    const Result<std::string> found = find_cvc5();
    REQUIRE_MESSAGE(found.ok(), "cvc5 is missing: scripts/setup.sh installs it");
    return found.value();
}

/// Runs the program with this shell script as its cvc5.
Ran run_with(const std::string& script, const std::string& arguments, const std::string& temporary_folder = "") {
    const Folder folder;
    const fs::path fake = folder / "cvc5";
    std::ofstream(fake) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(fake, fs::perms::owner_all);
    const std::string where = temporary_folder.empty() ? "" : " TMPDIR=" + quoted(temporary_folder);
    const std::string command = "TILEPROOF_CVC5=" + quoted(fake.string()) + where + " " + quoted(TILEPROOF_PROGRAM) + " " + arguments +
                                " >" + quoted((folder / "out").string()) + " 2>" + quoted((folder / "err").string());
    const int raw = std::system(command.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128, content(folder / "out"), content(folder / "err")};
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

std::map<std::string, json> obligations_of(const json& copy) {
    std::map<std::string, json> out;
    for (const json& obligation : copy["obligations"]) out[obligation["id"]] = obligation;
    return out;
}

/// Verified with a second solver, or only with queries kept.
Report verified(const Problem& problem, std::optional<SecondSolver> second) {
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    VerifyOptions options;
    options.keep_queries = true;
    options.second = std::move(second);
    return verify(problem, solution.plan(), options);
}

Problem problem_of(const fs::path& file) { return corpus::read(file.stem().string(), content(file)).problem; }

const Finding& finding(const CopyReport& copy, const std::string& id) {
    return *std::find_if(copy.findings.begin(), copy.findings.end(), [&](const Finding& f) { return f.obligation == id; });
}

/// Proved by all three, where there was something to ask.
void check_agreed(const Report& report, const std::vector<std::string>& by = {"smt", "cvc5", "exhaustive"}) {
    CHECK(report.verdict() == Verdict::proved);
    CHECK(report.conflicts.empty());
    for (const CopyReport& copy : report.copies) {
        CHECK_FALSE(copy.queries.empty());
        for (const Query& query : copy.queries) {
            CHECK(query.answer == SolverAnswer::unsat);
            REQUIRE(query.second.has_value());
            CHECK_MESSAGE(query.second->answer == SolverAnswer::unsat, query.name, ": ", query.second->reason);
        }
        for (const Finding& one : copy.findings) {
            CAPTURE(one.obligation);
            const bool asked = std::find(one.by.begin(), one.by.end(), "cvc5") != one.by.end();
            CHECK(asked == !one.queries.empty());
            if (asked) CHECK(one.by == by);
            for (const std::size_t i : one.queries) CHECK(i < copy.queries.size());
        }
    }
}

}  // namespace

TEST_CASE("sha256") {
    CHECK(support::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(support::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("processes: what they print, how they end") {
    using support::Ending;
    const auto shell = [](const std::string& line, int limit_ms = 5000) {
        return support::run_program({"/bin/sh", "-c", line}, std::chrono::milliseconds(limit_ms));
    };
    const support::Finished both = shell("echo out; echo err >&2; exit 3");
    CHECK(both.ending == Ending::exited);
    CHECK(both.status == 3);
    CHECK(both.output == "out\nerr\n");
    CHECK_FALSE(both.succeeded());
    CHECK(shell("cat").succeeded());  // nothing to read
    CHECK(shell("kill -9 $$").ending == Ending::crashed);
    CHECK(shell("exec sleep 20", 50).ending == Ending::timed_out);
    CHECK(shell("exec >&- 2>&-; exec sleep 20", 50).ending == Ending::timed_out);
    CHECK(support::run_program({"/no/such/program"}, std::chrono::seconds(1)).ending == Ending::not_started);
    CHECK(shell("head -c 3000000 /dev/zero").output.size() <= (std::size_t{1} << 20) + 4096);
}

TEST_CASE("scripts: read again they are the same formula") {
    smt::Session z3(0);
    z3::context& context = z3.context();
    const z3::expr i = context.int_const("i"), j = context.int_const("j"), x = context.bv_const("x", 21), y = context.bv_const("y", 21);
    const auto number = [&](std::int64_t n) { return context.bv_val(n, 21); };
    const auto integer = [&](std::int64_t n) { return context.int_val(n); };
    const z3::expr twice = x * number(-3) + y;
    const std::vector<z3::expr> integers{i * integer(-7) + j == integer(-9000000000), i - j < integer(4),
                                         !(i >= integer(0) && j > integer(5)) || i != integer(2), i <= j};
    const std::vector<z3::expr> vectors{z3::ult(x, number(64)),
                                        z3::shl(twice, number(3)) != z3::lshr(twice, number(2)),
                                        (twice & number(-8)) == (y ^ x),
                                        z3::udiv(twice, number(80)) < z3::urem(x, number(96)),
                                        z3::ashr(twice, number(3)) <= y - x,
                                        x >= number(0),
                                        x > y};
    for (const smt::Theory theory : {smt::Theory::linear, smt::Theory::bit_vectors}) {
        const std::vector<z3::expr>& terms = theory == smt::Theory::linear ? integers : vectors;
        const std::string script = z3.script(theory, terms);
        CHECK(script.rfind(theory == smt::Theory::linear ? "(set-logic QF_LIA)\n" : "(set-logic QF_BV)\n", 0) == 0);
        const z3::expr_vector parsed = context.parse_string(script.c_str());
        REQUIRE(parsed.size() == terms.size());
        for (unsigned k = 0; k < terms.size(); ++k)
            CHECK(z3.check(theory, {terms[k] != parsed[static_cast<int>(k)]}).answer == smt::Answer::unsat);
    }
    CHECK(z3.script(smt::Theory::linear, {}) == "(set-logic QF_LIA)\n(check-sat)\n");
    // Whatever the context went through before.
    smt::Session other(0);
    for (int k = 0; k < 1000; ++k) (void)(other.context().bv_const("z", 9) + k);
    CHECK(z3.script(smt::Theory::bit_vectors, {vectors[2]}) == [&] {
        z3::context& c = other.context();
        const z3::expr u = c.bv_const("x", 21), v = c.bv_const("y", 21), w = u * c.bv_val(std::int64_t{-3}, 21) + v;
        return other.script(smt::Theory::bit_vectors, {(w & c.bv_val(std::int64_t{-8}, 21)) == (v ^ u)});
    }());
}

TEST_CASE("scripts: those of the corpus mean to Z3 what Z3 was asked") {
    const std::regex plain("[ -~\n]*"), variable(R"re(\(declare-fun ([a-z]+[0-9_]*) \(\) (Int|\(_ BitVec [0-9]+\))\))re");
    std::set<std::string> operators;
    std::size_t scripts = 0;
    const std::vector<corpus::Entry> all = corpus::files();
    for (std::size_t n = 0; n < all.size(); n += corpus::is_long_run() ? 1 : 6) {
        CAPTURE(all[n].name);
        if (!solve(all[n].problem).complete()) continue;
        for (const CopyReport& copy : verified(all[n].problem, {}).copies) {
            for (const Query& query : copy.queries) {
                CAPTURE(query.text);
                smt::Session z3(0);
                const bool linear = has(query.text, "(set-logic QF_LIA)");
                const auto theory = linear ? smt::Theory::linear : smt::Theory::bit_vectors;
                std::vector<z3::expr> terms;
                for (const z3::expr& term : z3.context().parse_string(query.text.c_str())) terms.push_back(term);
                CHECK(z3.check(theory, terms).answer == smt::Answer::unsat);
                CHECK(std::regex_match(query.text, plain));
                const std::string text = query.text.substr(query.text.find("(set-logic"));
                const auto declared = std::distance(std::sregex_iterator(text.begin(), text.end(), variable), std::sregex_iterator());
                const std::regex any("declare-");
                CHECK(declared == std::distance(std::sregex_iterator(text.begin(), text.end(), any), std::sregex_iterator()));
                const std::regex operation(R"re(\(([^ ()\n]+))re");
                for (auto it = std::sregex_iterator(text.begin(), text.end(), operation); it != std::sregex_iterator(); ++it)
                    if (std::string("?$").find((*it)[1].str()[0]) == std::string::npos) operators.insert((*it)[1]);
                ++scripts;
            }
        }
    }
    CHECK(scripts >= 100);
    const std::set<std::string> standard{
        "set-logic", "declare-fun", "assert", "check-sat", "let",   "_",     "and",   "or",    "not",   "=",      "distinct", "+",
        "-",         "*",           "<",      "<=",        ">",     ">=",    "bvadd", "bvsub", "bvmul", "bvand",  "bvor",     "bvxor",
        "bvshl",     "bvlshr",      "bvashr", "bvult",     "bvule", "bvslt", "bvsle", "bvsgt", "bvsge", "bvudiv", "bvurem"};
    for (const std::string& one : operators) CHECK_MESSAGE(standard.count(one) == 1, one);
}

TEST_CASE("cvc5 agrees on examples and tiles") {
    const std::string program = real_cvc5();
    std::size_t queries = 0;
    const std::vector<corpus::Entry> all = corpus::files();
    for (std::size_t n = 0; n < all.size(); n += corpus::is_long_run() ? 1 : 12) {
        if (!solve(all[n].problem).complete()) continue;
        CAPTURE(all[n].name);
        const Report report = verified(all[n].problem, cvc5(program));
        check_agreed(report);
        for (const CopyReport& copy : report.copies) queries += copy.queries.size();
    }
    for (const char* example : {"inside_a_panel_f16.toml", "swizzled_below_f16.toml"})  // by definition, on bit-vectors
        check_agreed(verified(problem_of(fs::path(TILEPROOF_EXAMPLES) / example), cvc5(program)));
    if (corpus::is_long_run()) {
        std::vector<corpus::Entry> more = corpus::flat(), drawn = corpus::drawn(60);
        more.insert(more.end(), drawn.begin(), drawn.end());
        for (const corpus::Entry& one : more) {
            CAPTURE(one.name);
            const Report report = verified(one.problem, cvc5(program));
            check_agreed(report);
            for (const CopyReport& copy : report.copies) queries += copy.queries.size();
        }
    }
    MESSAGE(queries, " queries");
    CHECK(queries >= 80);
}

TEST_CASE("cvc5 agrees on rows of matrices: whole warps, some of them, rounds, forms of bytes, and with symbols") {
    const std::string program = real_cvc5(), operand = "f16 TV((4,8),(2,2,2)):((32,1),(16,8,128)) of (16,16)";
    std::vector<Problem> all{problem_of(fs::path(TILEPROOF_EXAMPLES) / "operand_a_f16.toml")};
    all.push_back(test::one_line("register " + operand, "shared f16 (16,16):(24,1)", "warp", 32));
    all.push_back(test::one_line("shared f16 (16,16):(1,24)", "register " + operand, "warp", 32));
    all.push_back(
        test::one_line("shared f16 (3,8,8):(64,8,1)", "register f16 S[(3,8,4,2):(1@warpid,4@laneid,1@laneid,1)] shape 3,8,8", "cta", 128));
    all.push_back(
        test::one_line("register f16 S[(3,8,4,2):(2,4@laneid,1@laneid,1)] + 1@warpid shape 24,8", "shared f16 (24,8):(8,1)", "cta", 64));
    all.push_back(test::one_line("shared e4m3 (32,16):(16,1)", "register e4m3 S[(2,4,4,2,8):(4,1@laneid,1,8,4@laneid)] shape 32,16", "warp",
                                 32, "sm_100a"));
    for (const Problem& problem : all) {
        CAPTURE(problem.copies.back().name);
        REQUIRE(has_matrices(*solve(problem).copies.back().plan));
        check_agreed(verified(problem, cvc5(program)));
    }
    const Problem k_loop = problem_of(fs::path(TILEPROOF_EXAMPLES) / "operand_k_loop_f16.toml");
    REQUIRE(has_matrices(*solve(k_loop).copies[0].plan));
    check_agreed(verified(k_loop, cvc5(program)), {"smt", "cvc5"});  // at samples alone nothing is proved
}

TEST_CASE("cvc5 agrees on every obligation as it is defined") {
    // The planner's plans are mostly proved by short linear arguments; these are the whole encoding of copies and layouts.
    const std::string program = real_cvc5();
    VerifyOptions options;
    options.second = cvc5(program, std::chrono::seconds(20));
    std::size_t decided = 0;
    const std::vector<corpus::Entry> all = corpus::files();
    for (std::size_t n = 0; n < all.size(); n += corpus::is_long_run() ? 1 : 24) {
        const Solution solution = solve(all[n].problem);
        if (!solution.complete()) continue;
        const Plan plan = solution.plan();
        for (std::size_t i = 0; i < plan.copies.size(); ++i) {
            smt::Session z3(options.rlimit);
            const Judge judge(all[n].problem, all[n].problem.copies[i], plan.copies[i]);
            Inquiry inquiry(z3, options, plan.copies[i].copy);
            DefinitionProofs proofs(inquiry, judge);
            const auto agreed = [&](const char* id, auto&& decide) {
                const Finding found = inquiry.about(id, decide);
                CAPTURE(all[n].name);
                CHECK_MESSAGE(found.verdict == Verdict::proved, id, ": ", found.reason);
                decided += found.by.size() == 2 ? 1 : 0;
            };
            agreed("address.src", [&] { return proofs.address(Side::src); });
            agreed("address.dst", [&] { return proofs.address(Side::dst); });
            agreed("bounds.src", [&] { return proofs.bounds(Side::src); });
            agreed("bounds.dst", [&] { return proofs.bounds(Side::dst); });
            agreed("aligned.src", [&] { return proofs.aligned(Side::src); });
            agreed("aligned.dst", [&] { return proofs.aligned(Side::dst); });
            agreed("contiguous.src", [&] { return proofs.contiguous(Side::src); });
            agreed("contiguous.dst", [&] { return proofs.contiguous(Side::dst); });
            agreed("same-element", [&] { return proofs.same_element(); });
            agreed("disjoint", [&] { return proofs.disjoint(); });
            agreed("no-alias", [&] { return proofs.no_alias(); });
            agreed("predicate", [&] { return proofs.predicate(); });
        }
    }
    MESSAGE(decided, " obligations");
}

TEST_CASE("what a proof rests on") {
    const Report report = verified(problem_of(fs::path(TILEPROOF_EXAMPLES) / "swizzled_f16.toml"), {});
    const CopyReport& load = report.copies[0];
    const auto rests_on = [&](const std::string& id) {
        return std::set<std::size_t>(finding(load, id).queries.begin(), finding(load, id).queries.end());
    };
    const auto includes = [&](const std::string& whole, const std::string& part) {
        const std::set<std::size_t> all = rests_on(whole), some = rests_on(part);
        return std::includes(all.begin(), all.end(), some.begin(), some.end());
    };
    for (const char* part : {"address.src", "address.dst", "contiguous.dst"}) CHECK(includes("same-element", part));
    for (const char* part : {"address.dst", "contiguous.dst", "predicate"}) CHECK(includes("disjoint", part));
    CHECK(includes("contiguous.dst", "contiguous.src"));
    // The swizzle's lemma is asked once and used by several.
    std::set<std::size_t> lemma;
    for (std::size_t i = 0; i < load.queries.size(); ++i)
        if (has(load.queries[i].text, "; used for it: the swizzle moves whole chunks")) lemma.insert(i);
    REQUIRE(lemma.size() == 1);
    for (const char* id : {"bounds.dst", "aligned.dst", "contiguous.dst", "same-element", "disjoint"})
        CHECK(rests_on(id).count(*lemma.begin()) == 1);
    for (const char* id : {"address.src", "bounds.src", "covers", "predicate"}) CHECK(rests_on(id).count(*lemma.begin()) == 0);
    CHECK(finding(load, "no-alias").queries.empty());  // two buffers
    std::set<std::size_t> used;
    std::set<std::string> names;
    for (const Finding& one : load.findings) used.insert(one.queries.begin(), one.queries.end());
    for (const Query& query : load.queries) names.insert(query.name);
    CHECK(used.size() == load.queries.size());
    CHECK(names.size() == load.queries.size());
}

/// Rows of a matrix by the blocks of a grid, under these facts.
std::string rows_by_blocks(const std::string& facts) {
    return "[target]\narch = \"sm_90\"\n[launch]\ngrid = [64, 1, 1]\nrow = { from = \"ctaid.x\", times = 128 }\n[symbols]\nld = { min = "
           "64, max = 4096, multiple_of = 8 }\n[assume]\nfacts = [" +
           facts +
           "]\n"
           "[buffers.A]\nspace = \"global\"\ndtype = \"f16\"\nlayout = \"(8192,64):(ld,1)\"\n[buffers.S]\nspace = \"shared\"\ndtype = "
           "\"f16\"\nlayout = \"(128,64):(64,1)\"\n"
           "[[copies]]\nname = \"load\"\nsrc = \"A[row:+128, :]\"\ndst = \"S\"\nscope = \"cta\"\nthreads = 128\n";
}

TEST_CASE("what is proved of the program rests on queries too") {
    const Folder folder;
    const std::string file = (folder / "blocks.toml").string(), queries = (folder / "q").string();
    std::ofstream(file) << rows_by_blocks("\"row + 128 <= 8192\"");
    const Ran proved = test::run("plan --strict --format json " + quoted(file) + " --smt2-dir " + quoted(queries));
    CHECK(proved.status == 0);
    const std::string kept = content(fs::path(queries) / "program.assumptions.1.smt2");
    CHECK(has(kept, "; the program, obligation assumptions: "));
    CHECK(has(kept, "(check-sat)"));
    CHECK(has(proved.out, "\"file\": \"program.assumptions.1.smt2\""));
    CHECK(has(proved.out, "\"second\": \"unsat\""));

    // Nothing is possible: that is refuted by an unsat, and only if both say so.
    std::ofstream(file) << rows_by_blocks("\"ld > 512\", \"ld < 512\"");
    const auto assumptions = [&](const SecondSolver& second) {
        const Report report = verified(problem_of(file), second);
        const Finding& out =
            *std::find_if(report.program.begin(), report.program.end(), [](const Finding& f) { return f.obligation == "assumptions"; });
        for (const std::size_t i : out.queries) CHECK(report.queries.at(i).answer == SolverAnswer::unsat);
        CHECK(report.conflicts.empty());
        return out;
    };
    const Finding agreed = assumptions({"agrees", [](const std::string&) -> SecondAnswer { return {SolverAnswer::unsat, {}}; }});
    CHECK(agreed.verdict == Verdict::refuted);
    CHECK(agreed.by == std::vector<std::string>{"smt", "agrees"});
    CHECK(agreed.queries.size() == 1);
    const Finding open = assumptions({"doubter", [](const std::string&) -> SecondAnswer { return {SolverAnswer::unknown, "too hard"}; }});
    CHECK(open.verdict == Verdict::unknown);
    CHECK(open.reason == "too hard");
}

TEST_CASE("one query that is not confirmed") {
    // Whichever it is, nothing that rests on it stays proved by it: it is argued in another way, or unknown.
    const Problem problem = problem_of(fs::path(TILEPROOF_EXAMPLES) / "swizzled_f16.toml");
    const Report all = verified(problem, {});
    int unknown = 0;
    for (const Query& doubted : all.copies[0].queries) {
        const SecondSolver second{"doubter", [&](const std::string& script) -> SecondAnswer {
                                      if (script == doubted.text) return {SolverAnswer::unknown, "too hard"};
                                      return {SolverAnswer::unsat, {}};
                                  }};
        const Report report = verified(problem, second);
        CHECK(report.conflicts.empty());
        for (const Finding& one : report.copies[0].findings) {
            if (one.verdict == Verdict::unknown) CHECK(one.reason == "too hard");
            unknown += one.verdict == Verdict::unknown ? 1 : 0;
            for (const std::size_t i : one.queries)
                CHECK((report.copies[0].queries[i].text != doubted.text) == (one.verdict == Verdict::proved));
        }
    }
    CHECK(unknown >= 1);  // `covers` is argued in one way only
}

TEST_CASE("a second solver of the library's user") {
    const Problem problem = problem_of(rows);
    std::size_t asked = 0;
    const Report agreed = verified(problem, SecondSolver{"mine", [&](const std::string&) -> SecondAnswer {
                                                             return ++asked, SecondAnswer{SolverAnswer::unsat, {}};
                                                         }});
    CHECK(agreed.verdict() == Verdict::proved);
    CHECK(asked >= agreed.copies[0].queries.size());
    CHECK(finding(agreed.copies[0], "covers").by == std::vector<std::string>{"smt", "mine", "exhaustive"});

    const Report thrown =
        verified(problem, SecondSolver{"mine", [](const std::string&) -> SecondAnswer { throw std::runtime_error("no licence"); }});
    CHECK(thrown.verdict() == Verdict::unknown);
    CHECK(thrown.conflicts.empty());
    CHECK(finding(thrown.copies[0], "covers").reason == "mine failed: no licence");

    const Report disputed = verified(problem, SecondSolver{"mine", [](const std::string&) -> SecondAnswer {
                                                               return {SolverAnswer::sat, {}};
                                                           }});
    CHECK(disputed.verdict() == Verdict::unknown);
    CHECK_FALSE(disputed.conflicts.empty());
    const Solution solution = solve(problem);
    VerifyOptions options;
    options.second = SecondSolver{"mine", [](const std::string& script) -> SecondAnswer {
                                      return {has(script, "obligation covers") ? SolverAnswer::sat : SolverAnswer::unsat, {}};
                                  }};
    const Certified certified = verify_and_certify(problem, solution.plan(), options);
    CHECK_FALSE(certified.plan.has_value());
    CHECK(certified.report.conflicts == std::vector<std::string>{"query load.covers.1: unsat by smt, sat by mine"});
}

TEST_CASE("--strict: proved by all three") {
    const Folder folder;
    const std::string queries = (folder / "deep" / "queries").string();
    const std::string command = "plan " + quoted(rows.string()) + " --strict --smt2-dir " + quoted(queries) + " --format json";
    const Ran ran = test::run(command);
    CAPTURE(ran.err);
    CHECK(ran.status == 0);
    const json report = json::parse(ran.out);
    CHECK(report["tool"].contains("cvc5"));
    std::set<std::string> listed;
    for (const auto& [id, obligation] : obligations_of(report["copies"][0])) {
        if (!obligation.contains("queries")) continue;
        CHECK(obligation["by"] == json{"smt", "cvc5", "exhaustive"});
        for (const json& query : obligation["queries"]) {
            const std::string file = query["file"];
            listed.insert(file);
            CHECK(query["result"] == "unsat");
            CHECK(query["second"] == "unsat");
            CHECK(query["hash"] == "sha256:" + support::sha256(content(fs::path(queries) / file)));
        }
    }
    CHECK(listed.count("load.covers.1.smt2") == 1);
    CHECK(listed.size() >= 10);
    std::set<std::string> there;
    for (const fs::path& file : files_in(queries)) there.insert(file.filename().string());
    CHECK(there == listed);
    const std::string covers = content(fs::path(queries) / "load.covers.1.smt2");
    CHECK(has(covers, "; copy load, obligation covers: every element of the region is moved\n"));
    CHECK(has(covers, "; a proof needs unsat; Z3 answers unsat\n(set-logic QF_LIA)\n"));

    // The same again; and without cvc5 the same files.
    CHECK(test::run(command).out == ran.out);
    const std::string alone = (folder / "alone").string();
    const json without = json::parse(test::run("plan " + quoted(rows.string()) + " --smt2-dir " + quoted(alone) + " --format json").out);
    for (const std::string& file : listed) CHECK(content(fs::path(alone) / file) == content(fs::path(queries) / file));
    CHECK(files_in(alone).size() == listed.size());
    CHECK_FALSE(without["copies"][0]["obligations"][3]["queries"][0].contains("second"));
    // Without either there is no word of it; with --strict alone there is no file.
    CHECK_FALSE(has(test::run("plan " + quoted(rows.string()) + " --format json").out, "\"queries\""));
    const json strict_only = json::parse(test::run("plan " + quoted(rows.string()) + " --strict --format json").out);
    CHECK_FALSE(strict_only["copies"][0]["obligations"][3]["queries"][0].contains("file"));
    CHECK(strict_only["copies"][0]["obligations"][3]["queries"][0]["hash"] == report["copies"][0]["obligations"][3]["queries"][0]["hash"]);

    CHECK(has(test::run("plan " + quoted(rows.string()) + " --strict").out,
              "17 of 17 obligations proved, " + std::to_string(listed.size()) + " queries by cvc5 too"));
    CHECK(test::run("emit " + quoted(rows.string()) + " --strict").out == test::run("emit " + quoted(rows.string())).out);
    CHECK(test::run("explain " + quoted(rows.string()) + " --strict").status == 0);
    std::ofstream(folder / "plan.json") << report.dump();
    CHECK(test::run("verify " + quoted(rows.string()) + " --strict --plan " + quoted((folder / "plan.json").string())).status == 0);
}

TEST_CASE("--strict: a refutation stands by its counterexample") {
    json report = json::parse(test::run("plan " + quoted(rows.string()) + " --format json").out);
    report["copies"][0]["segments"][0]["dst"]["address"]["offset"] = "4";
    const Folder folder;
    std::ofstream(folder / "plan.json") << report.dump();
    const Ran ran = test::run("verify " + quoted(rows.string()) + " --strict --format json --smt2-dir " + quoted((folder / "q").string()) +
                              " --plan " + quoted((folder / "plan.json").string()));
    CHECK(ran.status == 1);
    const auto found = obligations_of(json::parse(ran.out)["copies"][0]);
    CHECK(found.at("address.dst")["verdict"] == "refuted");
    REQUIRE(found.at("address.dst")["queries"].size() == 1);
    const json& query = found.at("address.dst")["queries"][0];
    CHECK(query["result"] == "sat");
    CHECK_FALSE(query.contains("second"));
    CHECK(has(content(folder / "q" / query["file"].get<std::string>()), "; a proof needs unsat; Z3 answers sat\n"));
    CHECK(found.at("covers")["by"] == json{"smt", "cvc5", "exhaustive"});
}

TEST_CASE("--strict: a solver limit leaves it unknown, whatever enumeration says") {
    const std::string plan = test::run("plan " + quoted(rows.string()) + " --format json").out;
    const Folder folder;
    std::ofstream(folder / "plan.json") << plan;
    const std::string command = "verify " + quoted(rows.string()) + " --rlimit 1 --plan " + quoted((folder / "plan.json").string());
    CHECK(test::run(command).status == 0);  // by enumeration
    const Ran strict = test::run(command + " --strict");
    CHECK(strict.status == 3);
    CHECK(has(strict.out, "Z3 answers unknown within 1 resource units"));
    CHECK(has(strict.out, "unknown  covers"));
    const Ran planned = test::run("plan --rlimit 1 " + quoted(rows.string()));
    CHECK(planned.status == 3);
    CHECK(has(planned.out, "not decided"));
}

TEST_CASE("a cvc5 that says sat: the solvers disagree") {
    const Folder folder;
    const std::string temporary = (folder / "tmp").string();
    fs::create_directory(temporary);
    const Ran ran = run_with("echo sat", "plan " + quoted(rows.string()) + " --strict --format json", temporary);
    CHECK(ran.status == 4);
    const json report = json::parse(ran.out);
    CHECK(report["verdict"] == "unknown");
    CHECK(std::find(report["conflicts"].begin(), report["conflicts"].end(), "query load.covers.1: unsat by smt, sat by cvc5") !=
          report["conflicts"].end());
    const auto found = obligations_of(report["copies"][0]);
    CHECK(found.at("covers")["verdict"] == "unknown");
    CHECK(found.at("covers")["reason"] == "the checkers disagree");
    CHECK(found.at("covers")["queries"][0]["result"] == "unsat");
    CHECK(found.at("covers")["queries"][0]["second"] == "sat");
    // Query and answers are kept, and the message says where.
    REQUIRE(files_in(temporary).size() == 1);
    const fs::path kept = files_in(temporary)[0];
    CHECK(has(ran.err, kept.string() + " [internal-error]"));
    CHECK(content(kept / "load.covers.1.answers") == "Z3 " + smt::z3_version() + ": unsat\ncvc5: sat\n");
    CHECK(has(content(kept / "load.covers.1.smt2"), "(check-sat)"));
    CHECK(files_in(kept).size() == 2 * report["conflicts"].size());

    const Ran text = run_with("echo sat", "plan " + quoted(rows.string()) + " --strict", temporary);
    CHECK(text.status == 4);
    CHECK(has(text.out, "the checkers disagree"));
    CHECK(has(text.out, "internal error: query load.covers.1: unsat by smt, sat by cvc5"));

    // With --smt2-dir they are there; emit writes nothing.
    const std::string queries = (folder / "queries").string();
    const Ran emitted = run_with("echo sat", "emit " + quoted(rows.string()) + " --strict --smt2-dir " + quoted(queries) + " -o " +
                                                 quoted((folder / "out.ptx").string()));
    CHECK(emitted.status == 4);
    CHECK(emitted.out.empty());
    CHECK(has(emitted.err, queries + " [internal-error]"));
    CHECK(fs::exists(folder / "queries" / "load.covers.1.answers"));
    CHECK_FALSE(fs::exists(folder / "out.ptx"));
}

TEST_CASE("a cvc5 that disagrees about one obligation") {
    const std::string script =
        "for f; do :; done; if grep -q 'obligation predicate' \"$f\"; then echo sat; else exec " + quoted(real_cvc5()) + " \"$@\"; fi";
    const Folder folder;
    const Ran ran =
        run_with(script, "plan " + quoted(rows.string()) + " --strict --format json --smt2-dir " + quoted((folder / "q").string()));
    CHECK(ran.status == 4);
    const auto found = obligations_of(json::parse(ran.out)["copies"][0]);
    CHECK(found.at("predicate")["verdict"] == "unknown");
    CHECK(found.at("covers")["verdict"] == "proved");
    CHECK(found.at("address.src")["verdict"] == "proved");
    CHECK(found.at("disjoint")["verdict"] == "unknown");  // it rests on `predicate`
    std::size_t answers = 0;
    for (const fs::path& file : files_in(folder / "q")) answers += file.extension() == ".answers" ? 1U : 0U;
    CHECK(answers >= 1);
    CHECK(answers == json::parse(ran.out)["conflicts"].size());
}

TEST_CASE("a cvc5 that does not decide") {
    const auto undecided = [](const std::string& script, const std::string& reason, const std::string& more = "") {
        CAPTURE(script);
        const Ran ran = run_with(script, "plan " + quoted(rows.string()) + " --strict --format json" + more);
        CHECK(ran.status == 3);
        const json report = json::parse(ran.out);
        CHECK(report["verdict"] == "unknown");
        CHECK_FALSE(report.contains("conflicts"));
        for (const auto& [id, obligation] : obligations_of(report["copies"][0])) {
            const std::string& name = id;
            CAPTURE(name);
            if (!obligation.contains("queries")) continue;
            CHECK(obligation["verdict"] == "unknown");
            CHECK(obligation["reason"] == reason);
            CHECK(obligation["queries"][0]["second"] == "unknown");
        }
    };
    undecided("echo unknown", "cvc5 answers unknown");
    undecided("exec sleep 20", "cvc5 did not decide within 0.02 s", " --cvc5-limit 0.02");
    // Linear arguments fail, bit-vectors decide: what has a definition is proved by it.
    const Ran ran =
        run_with("for f; do :; done; if grep -q QF_LIA \"$f\"; then echo unknown; else exec " + quoted(real_cvc5()) + " \"$@\"; fi",
                 "plan " + quoted(rows.string()) + " --strict --format json");
    CHECK(ran.status == 3);
    for (const auto& [id, obligation] : obligations_of(json::parse(ran.out)["copies"][0]))
        CHECK(obligation["verdict"] == (id == "covers" ? "unknown" : "proved"));
}

TEST_CASE("cvc5: what counts as an answer") {
    const Folder folder;
    const fs::path fake = folder / "cvc5";
    const auto answers = [&](const std::string& script, SolverAnswer answer, const std::string& reason = "") {
        CAPTURE(script);
        std::ofstream(fake) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(fake, fs::perms::owner_all);
        const SecondAnswer found = cvc5(fake.string(), std::chrono::milliseconds(reason.find("within") == std::string::npos ? 10000 : 200))
                                       .decide("(check-sat)\n");
        CHECK(found.answer == answer);
        CHECK(found.reason == reason);
    };
    answers("echo sat", SolverAnswer::sat);
    answers("echo unsat", SolverAnswer::unsat);
    answers("cat \"$3\" >/dev/null && [ \"$1\" = --lang=smt2 ] && echo unsat", SolverAnswer::unsat);
    const auto undecided = [&](const std::string& script, const std::string& reason) { answers(script, SolverAnswer::unknown, reason); };
    undecided("echo unknown", "cvc5 answers unknown");
    undecided("exec sleep 20", "cvc5 did not decide within 0.2 s");
    undecided("echo unsat; exec sleep 20", "cvc5 did not decide within 0.2 s");
    undecided("echo unsat and more", "cvc5 gives no answer but prints: unsat and more");
    undecided("echo; echo unsat", "cvc5 gives no answer but prints: ");
    undecided("echo unsat; echo sat", "cvc5 gives no answer but prints: unsat");
    undecided("echo unsat; echo careful >&2", "cvc5 gives no answer but prints: unsat");
    undecided("echo UNSAT", "cvc5 gives no answer but prints: UNSAT");
    undecided("printf unsat", "cvc5 gives no answer but prints: unsat");
    undecided("printf 'a\\033[2Jb\\n'", "cvc5 gives no answer but prints: a?[2Jb");
    undecided("true", "cvc5 gives no answer but prints: ");
    undecided("echo unsat; exit 1", "cvc5 failed with exit status 1: unsat");
    undecided("kill -9 $$", "cvc5 crashed");
    CHECK(has(cvc5("/no/such/cvc5").decide("(check-sat)\n").reason, "cvc5 failed: it could not be started"));
    CHECK_FALSE(cvc5_version(fake.string()).has_value());
    CHECK(std::regex_match(cvc5_version(real_cvc5()).value_or(""), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+.*")));
    // The real one, on what it must get right, wrong and not at all.
    const SecondSolver real = cvc5(real_cvc5());
    CHECK(real.decide("(set-logic QF_LIA)(declare-fun x () Int)(assert (= (* 2 x) 7))(check-sat)").answer == SolverAnswer::unsat);
    CHECK(real.decide("(set-logic QF_LIA)(declare-fun x () Int)(assert (= (* 2 x) 8))(check-sat)").answer == SolverAnswer::sat);
    CHECK(has(real.decide("(set-logic QF_LIA)(assert (= y 8))(check-sat)").reason, "cvc5 failed with exit status 1: "));
}

TEST_CASE("no cvc5") {
    const auto missing = [](const std::string& environment, const std::string& command) {
        const Folder folder;
        const std::string line = environment + " " + quoted(TILEPROOF_PROGRAM) + " " + command + " >" + quoted((folder / "out").string()) +
                                 " 2>" + quoted((folder / "err").string());
        const int raw = std::system(line.c_str());
        CHECK(WEXITSTATUS(raw) == 2);
        const std::string err = content(folder / "err");
        CHECK(has(err, "[cvc5-missing]"));
        CHECK(has(err, "help: install it"));
        return content(folder / "out");
    };
    const std::string file = quoted(rows.string()) + " --strict";
    for (const char* command : {"plan ", "emit ", "explain ", "run "}) {
        CHECK(missing("TILEPROOF_CVC5=/no/such/cvc5", command + file).empty());
        CHECK(missing("TILEPROOF_CVC5= PATH=/nowhere", command + file).empty());
    }
    const json error = json::parse(missing("TILEPROOF_CVC5=/", "plan --format json " + file));
    CHECK(error["verdict"] == "error");
    CHECK(error["diagnostics"][0]["rule"] == "cvc5-missing");
    // Files need none.
    const Folder folder;
    CHECK(std::system(("TILEPROOF_CVC5=/no/such/cvc5 " + quoted(TILEPROOF_PROGRAM) + " plan -q " + quoted(rows.string()) + " --smt2-dir " +
                       quoted((folder / "q").string()))
                          .c_str()) == 0);
}

TEST_CASE("--smt2-dir: inside the folder, and nothing else") {
    const Folder folder;
    const std::string queries = (folder / "q").string();
    const std::string command = "plan -q " + quoted(rows.string()) + " --smt2-dir ";
    fs::create_directory(queries);
    std::ofstream(folder / "outside") << "untouched";
    fs::create_symlink(folder / "outside", fs::path(queries) / "load.covers.1.smt2");
    std::ofstream(fs::path(queries) / "mine.txt") << "mine";
    CHECK(test::run(command + quoted(queries)).status == 0);
    CHECK(content(folder / "outside") == "untouched");
    CHECK_FALSE(fs::is_symlink(fs::path(queries) / "load.covers.1.smt2"));
    CHECK(content(fs::path(queries) / "mine.txt") == "mine");
    const std::regex plain("load\\.[a-z.-]+\\.[1-9][0-9]*\\.smt2|mine\\.txt");
    for (const fs::path& file : files_in(queries)) CHECK_MESSAGE(std::regex_match(file.filename().string(), plain), file.string());

    const auto refused = [&](const std::string& name, const std::string& rule) {
        const Ran ran = test::run(command + quoted(name));
        CHECK(ran.status == 2);
        CHECK(has(ran.err, "[" + rule + "]"));
    };
    refused((folder / "outside").string(), "cannot-write");
    refused((folder / "outside" / "q").string(), "cannot-write");
    refused("/proc/none", "cannot-write");
    refused("", "usage");
    CHECK(test::run("plan --strict --cvc5-limit 0 " + quoted(rows.string())).status == 2);
    // A copy that is rejected has no queries, a broken file none either.
    CHECK(test::run("plan -q " + quoted((data / "cases" / "P_alias.toml").string()) + " --smt2-dir " + quoted((folder / "none").string()))
              .status == 1);
    CHECK(files_in(folder / "none").empty());
    CHECK(test::run("plan -q " + quoted((data / "broken_input" / "unknown_key.toml").string()) + " --smt2-dir " +
                    quoted((folder / "never").string()))
              .status == 2);
    CHECK_FALSE(fs::exists(folder / "never"));
}

}  // namespace tileproof
