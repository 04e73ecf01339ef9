// Which assumptions a proof uses: facts, multiples and alignments that it would hold without are said to be unused, and no others.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/corpus.hpp"
#include "tests/symbol_problems.hpp"
#include "verify/used.hpp"

namespace tileproof {
namespace {

using namespace test;

/// "A1 unused; A2 ld is from ...", of those that are not used as they stand.
std::string marks(const Problem& problem) {
    const VerifiedPlan plan = verified(problem);
    const std::vector<Assumption> all = assumptions(problem);
    const std::vector<std::optional<Use>> found = uses(problem, plan.plan(), with_needed_assumptions(plan));
    REQUIRE(found.size() == all.size());
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (found[i] && (!found[i]->used || !found[i]->needed.empty()))
            out += (out.empty() ? "" : "; ") + all[i].id + " " + (found[i]->used ? found[i]->needed : "unused");
    return out;
}

}  // namespace

TEST_CASE("used: what is left out where nothing is lost") {
    CHECK(marks(problem_of("a", ld_8, "", rows, tile)) == "");
    CHECK(marks(problem_of("a", "ld = { min = 64, max = 65536, multiple_of = 64 }", "", rows, tile)) ==
          "A1 ld is from 64 to 65536, a multiple of 8");
    CHECK(marks(problem_of("a", "ld = { min = 64, max = 65536, multiple_of = 24 }", "", rows, tile)) ==
          "A1 ld is from 64 to 65536, a multiple of 8");
    CHECK(marks(problem_of("a", ld_8, "\"ld >= 128\"", rows, tile)) == "A2 unused");
    CHECK(marks(problem_of("a", any_ld, "\"(2*ld) % 16 == 0\"", rows, tile)) == "");
    CHECK(marks(problem_of("a", any_ld, "\"ld % 64 == 0\", \"ld % 8 == 0\"", rows, tile)) ==
          "A2 unused");  // either would do; the first goes
    CHECK(marks(problem_of("a", any_ld, "\"ld % 4 == 0\", \"ld % 8 == 0\", \"ld % 8 == 0\"", rows, tile)) == "A2 unused; A4 unused");
    // A fact that only the multiple makes superfluous stays if the multiple could go; facts are tried first.
    CHECK(marks(problem_of("a", ld_8, "\"(2*ld) % 16 == 0\"", rows, tile)) == "A2 unused");
    // Rows of the destination must not overlap: the fact, not the range, says so.
    CHECK(marks(problem_of("a", "ld = { min = 0, max = 65536, multiple_of = 8 }", "\"ld >= 64\"", tile, rows)) == "");
    CHECK(marks(problem_of("a", "bs = { min = 1024, max = 1048576, multiple_of = 8 }\nld = { min = 64, max = 4096, multiple_of = 8 }",
                           "\"bs >= 16*ld\"", "layout = \"(4,16,64):(1024,64,1)\"", "layout = \"(4,16,64):(bs,ld,1)\"")) == "");
    // Here it is the multiple that keeps them apart, more than any width asks for.
    CHECK(marks(problem_of("a", "ld = { min = 1, max = 65536, multiple_of = 64 }", "", tile, rows)) == "");
    CHECK(marks(problem_of("a", "ld = { min = 33, max = 65536, multiple_of = 128 }", "", tile, rows)) ==
          "A1 ld is from 33 to 65536, a multiple of 32");
    // Extents: rows end anywhere, columns between accesses.
    CHECK(marks(problem_of("a", "n = { min = 0, max = 16, multiple_of = 8 }", "\"n >= 8\"", tile, tile, "f16", "A[0:n, :]", "B[0:n, :]")) ==
          "A1 n is from 0 to 16; A2 unused");
    CHECK(marks(problem_of("a", "n = { min = 0, max = 64, multiple_of = 16 }", "", tile, tile, "f16", "A[:, 0:n]", "B[:, 0:n]")) ==
          "A1 n is from 0 to 64, a multiple of 8");
    CHECK(marks(problem_of("a", "n = { min = 0, max = 80 }", "\"n <= 64\", \"n % 8 == 0\"", tile, tile, "f16", "A[:, 0:n]", "B[:, 0:n]")) ==
          "");
    // A symbol of which nothing but a superfluous fact speaks, and one of which nothing speaks at all.
    CHECK(marks(problem_of("a", ld_8 + "\nn = { min = 1, max = 9 }\nm = { min = 1, max = 9, multiple_of = 3 }", "\"n <= 8\"", rows,
                           tile)) == "A2 unused; A3 unused; A4 unused");
    CHECK(marks(problem_of("a", ld_8 + "\nn = { min = 1, max = 2000000 }", "\"n >= 15*ld + 64\"", rows + ", capacity = \"n\"", tile)) ==
          "");
}

TEST_CASE("used: between blocks too") {
    // Every block copies the first rows of its part, and then others of it, over what the first copy has read: parts have to be apart as a whole.
    const auto marks_with = [](const std::string& facts) {
        return marks(
            parsed("[target]\narch = \"sm_90\"\n[launch]\ngrid = [4]\nb = { from = \"ctaid.x\" }\n[symbols]\nbs = { min = 512, max = "
                   "65536, multiple_of = 8 }\n[assume]\nfacts = [" +
                       facts +
                       "]\n[buffers]\n"
                       "C = { space = \"global\", dtype = \"f16\", layout = \"(4,16,64):(bs,64,1)\" }\nS = { space = \"shared\", dtype = "
                       "\"f16\", layout = \"(8,64):(64,1)\" }\n"
                       "T = { space = \"shared\", dtype = \"f16\", layout = \"(8,64):(64,1)\" }\n"
                       "[[copies]]\nsrc = \"C[b:+1, 8:16, :]\"\ndst = \"S\"\nscope = \"cta\"\nthreads = 64\n[[copies]]\nsrc = \"T\"\ndst = "
                       "\"C[b:+1, 0:8, :]\"\nscope = \"cta\"\nthreads = 64\n",
                   "a"));
    };
    CHECK(marks_with("\"bs >= 1024\"") == "");
    CHECK(marks_with("\"bs >= 1024\", \"bs >= 8\"") == "A4 unused");
}

TEST_CASE("used: alignments, read off the plan") {
    const std::string of_a = "the base of A is a multiple of ";
    CHECK(marks(problem_of("a", "", "", tile + ", align = 256", tile)) == "A1 " + of_a + "16 bytes");
    CHECK(marks(problem_of("a", any_ld, "", rows, tile)) == "A2 " + of_a + "2 bytes");  // B is written 16 bytes at a time all the same
    CHECK(marks(problem_of("a", "", "", tile + ", base = 0", tile + ", base = 32")) ==
          "A1 " + of_a + "16 bytes; A3 the base of B is a multiple of 16 bytes");
    CHECK(marks(problem_of("a", "", "", tile + ", base = 8", tile + ", base = 136")) ==
          "A1 " + of_a + "8 bytes; A3 the base of B is a multiple of 8 bytes");
    CHECK(marks(problem_of("a", "", "", off_by_4 + ", base = 8", tile + ", base = 16")) ==
          "A3 the base of B is a multiple of 16 bytes");  // 8 mod 16 is no alignment
    CHECK(marks(problem_of("a", "", "", "layout = \"(65):(1)\"", "layout = \"(65):(1)\"", "u8")) == "A1 unused; A3 unused");
}

TEST_CASE("used: every plan of the corpus is proved with the alignments it needs, and with no less") {
    int weakened = 0;
    for (const corpus::Entry& entry : corpus::files()) {
        INFO(entry.name);
        if (entry.problem.buffers.size() > 4) continue;
        const Solution solution = solve(entry.problem);
        if (!solution.complete()) continue;
        VerifyOptions quick;
        quick.smt = false;
        const Problem needed = with_needed_alignments(entry.problem, solution.plan());
        CHECK(verify(needed, solution.plan(), quick).verdict() == Verdict::proved);
        for (std::size_t i = 0; i < needed.buffers.size(); ++i) {
            if (needed.buffers[i].space != Space::global || needed.buffers[i].base || needed.buffers[i].align == Bytes{1}) continue;
            Problem less = needed;
            less.buffers[i].align = Bytes{needed.buffers[i].align.count / 2};
            CHECK((less.buffers[i].align < Bytes{less.buffers[i].dtype.size.count / 8} ||
                   verify(less, solution.plan(), quick).verdict() == Verdict::refuted));
            ++weakened;
        }
    }
    CHECK(weakened > 50);
}

}  // namespace tileproof
