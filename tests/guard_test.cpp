// Guards and fallbacks: what the check at run time says for thousands of arguments, and what is planned where it says no.
//
// Every guard is judged by an evaluation of the assumptions of its own problem, written here; the C++ text is compiled by the system's
// compiler and run, the PTX text is interpreted. Both must say what the assumptions say, no more and no less.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "cli/fallback.hpp"
#include "emit/guard.hpp"
#include "emit/ptxas.hpp"
#include "emit/view.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/program.hpp"
#include "tests/ptx_interpreter.hpp"
#include "tests/symbol_problems.hpp"
#include "verify/used.hpp"

namespace tileproof {
namespace {

using namespace test;

std::vector<Problem> cases() {
    const std::string two = "p = { min = -1000, max = 1000 }\nq = { min = -1000, max = 1000 }",
                      shifted = "layout = \"(16,64):(64,1) + p - q\"";
    const std::string batch = "bs = { min = 1024, max = 1048576, multiple_of = 8 }\nld = { min = 64, max = 4096, multiple_of = 8 }";
    const std::string with_row = "r = { min = 0, max = 96 }\nld = { min = 64, max = 4096, multiple_of = 8 }";
    const std::string sized = rows + ", capacity = \"n\"", room = "\"n >= 15*ld + 64\"";
    const std::string words =
        "int = { min = 64, max = 65536, multiple_of = 8 }\nok = { min = 0, max = 8 }\naddress = { min = -8, max = 8 }\n"
        "p_A = { min = -8, max = 8 }\nstd = { min = 1, max = 8 }";
    return {
        problem_of("plain", "", "", tile + ", align = 256", tile + ", align = 256"),
        problem_of("bases", "", "", off_by_4 + ", base = 8", tile + ", base = 144"),
        problem_of("bytes", "", "", "layout = \"(65):(1)\"", "layout = \"(65):(1)\"", "u8"),
        problem_of("pitch", ld_8, "", rows, tile),
        problem_of("pitch64", "ld = { min = 64, max = 65536, multiple_of = 64 }", "", rows + ", align = 256", tile),
        problem_of("related", any_ld, "\"(2*ld) % 16 == 0\"", rows, tile),
        problem_of("odd", any_ld, "\"ld % 24 == 16\"", rows, tile),
        problem_of("three", "ld = { min = 64, max = 65536, multiple_of = 24 }", "", rows, tile),
        problem_of("cancel", two, "\"p % 8 == q % 8\", \"p >= q\"", shifted, tile),
        problem_of("negative", two, "\"p % 24 == q % 24\", \"p >= q\"", shifted, tile),
        problem_of("by_symbol", "p = { min = 0, max = 1000 }\nk = { min = 8, max = 64, multiple_of = 8 }", "\"p % k == 0\"",
                   "layout = \"(16,64):(64,1) + p*k\"", tile),
        problem_of("batch", batch, "\"bs >= 16*ld\"", "layout = \"(4,16,64):(1024,64,1)\"", "layout = \"(4,16,64):(bs,ld,1)\""),
        problem_of("products", with_row, "\"r*ld <= 200000\", \"r != 7\", \"ld < 4000\"", "layout = \"(112,64):(ld,1)\"", tile, "f16",
                   "A[r:r+16, :]"),
        problem_of("sized", ld_8 + "\nn = { min = 0, max = 1000000 }", room, sized, tile),
        problem_of("packed", "ld = { min = 64, max = 4096, multiple_of = 8 }\nn = { min = 0, max = 100000 }", room, sized, tile, "u4"),
        problem_of("tail", ld_8 + "\nn = { min = 0, max = 16 }", "\"n != 3\"", rows, tile, "f16", "A[0:n, :]", "B[0:n, :]"),
        problem_of("empty", "ld = { min = 64, max = 512 }\nn = { min = -8, max = 16 }", "", rows + ", capacity = \"ld*n\"", tile, "f16",
                   "A[0:n, :]", "B[0:n, :]"),
        problem_of("columns", ld_8 + "\nn = { min = 0, max = 64, multiple_of = 16 }", "", rows, tile, "f16", "A[:, 0:n]", "B[:, 0:n]"),
        problem_of("names", words, "\"ok % std == 0\", \"address >= p_A\"", "layout = \"(16,64):(int,1) + 8*ok + 8*address - 8*p_A\"",
                   tile),
    };
}

/// Arguments of the kernel: a value for each buffer (0 for shared ones) and each symbol.
struct Arguments {
    std::vector<std::uint64_t> bases;
    Values values;
};

/// What the problem assumes, in integers that cannot overflow. Symbols that nothing mentions may be anything.
bool assumed(const Problem& problem, const Plan& plan, const Arguments& with) {
    Problem asked = problem;
    Values values = with.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (occurs(problem, plan, static_cast<int>(i))) continue;
        values[i] = 0;
        asked.symbols[i] = {asked.symbols[i].name, 0, 0, 1, {}};
    }
    if (!are_allowed(asked, values)) return false;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const Buffer& buffer = problem.buffers[i];
        if (buffer.space != Space::global) continue;
        if (buffer.base ? with.bases[i] % 256 != static_cast<std::uint64_t>(buffer.base->count)
                        : with.bases[i] % static_cast<std::uint64_t>(buffer.align.count) != 0)
            return false;
        for (std::size_t j = 0; j < i; ++j) {
            const Buffer& other = problem.buffers[j];
            const auto is_written = [&](std::size_t k) {
                return std::any_of(problem.copies.begin(), problem.copies.end(),
                                   [&](const Copy& c) { return c.dst.buffer == static_cast<int>(k); });
            };
            if (other.space != Space::global || !(is_written(i) || is_written(j))) continue;
            const auto bits = [&](const Buffer& b) {
                return std::max(Wide{0}, Wide{b.symbolic_capacity ? b.symbolic_capacity->at(values) : b.capacity.count}) *
                       b.dtype.size.count;
            };
            const Wide a = with.bases[i], b = with.bases[j], end_a = a + (bits(buffer) + 7) / 8, end_b = b + (bits(other) + 7) / 8;
            // Neither begins inside the other. What runs over the end of the address space goes on at its beginning; nothing is allocated so.
            for (const Wide around : {Wide{0}, Wide{1} << 64})
                if ((a <= b + around && b + around < end_a) || (b <= a + around && a + around < end_b)) return false;
        }
    }
    return true;
}

/// Arguments around every border: each of the ranges, multiples and remainders, ends of int64, bases off by little, buffers that touch.
std::vector<Arguments> arguments(const Problem& problem, int count) {
    std::mt19937_64 random(7);
    const auto one_of = [&](const auto& all) { return all[random() % all.size()]; };
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    const std::vector<Values> inside = sample_values(problem, 200);
    REQUIRE_FALSE(inside.empty());
    std::vector<Arguments> out;
    for (int n = 0; n < count; ++n) {
        Arguments one{{}, one_of(inside)};
        for (std::size_t i = 0; i < problem.symbols.size(); ++i) {
            const Symbol& s = problem.symbols[i];
            std::int64_t& value = one.values[i];
            switch (random() % (n % 3 == 0 ? 40 : 10)) {
                case 0:
                    value = one_of(std::vector<std::int64_t>{least, least + 1, most, most - 1, -1, 0, 1, std::int64_t{1} << 62,
                                                             -(std::int64_t{1} << 32), std::int64_t{1} << 32});
                    break;
                case 1:
                    value = one_of(std::vector<std::int64_t>{s.min, s.max, s.min - 1, s.max + 1, s.max + s.multiple_of,
                                                             s.min - s.multiple_of, -s.max});
                    break;
                case 2:
                    value += static_cast<std::int64_t>(random() % 17) - 8;
                    break;
                case 3:
                    value = s.min + static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(s.max - s.min) + 1));
                    break;
                case 4:
                    value = one_of(inside)[i];
                    break;
                case 5:
                    value = (s.min + static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(s.max - s.min) + 1))) & -8;
                    break;
                default:
                    break;
            }
        }
        std::uint64_t next = one_of(std::vector<std::uint64_t>{0x7f0000000000, 0x100, std::uint64_t(0) - (1U << 24)});
        for (const Buffer& buffer : problem.buffers) {
            std::uint64_t base = next + static_cast<std::uint64_t>(buffer.base.value_or(Bytes{0}).count);
            if (random() % 4 == 0) base += one_of(std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 128, 255});
            one.bases.push_back(buffer.space == Space::global ? base : 0);
            // The next one begins where this one ends, or a little before or after, or far away.
            std::uint64_t room = std::uint64_t{1} << 40;
            if (random() % 2 == 0 && (!buffer.symbolic_capacity || are_allowed(problem, one.values))) {
                const std::int64_t elements =
                    buffer.symbolic_capacity ? std::max<std::int64_t>(0, buffer.symbolic_capacity->at(one.values)) : buffer.capacity.count;
                room = static_cast<std::uint64_t>(bytes_to_hold(Elements{elements}, buffer.dtype.size).count) +
                       one_of(std::vector<std::uint64_t>{0, 0, 256, 255, 1, ~std::uint64_t{0}, ~std::uint64_t{255}});
                if (random() % 3 == 0) room = (room + 255) & ~std::uint64_t{255};
            }
            next += room;
        }
        if (random() % 5 == 0) std::reverse(one.bases.begin(), one.bases.end());
        out.push_back(std::move(one));
    }
    return out;
}

/// What the kernel gets, in its order.
std::vector<std::uint64_t> in_order(const Problem& problem, const Arguments& with) {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        if (problem.buffers[i].space == Space::global) out.push_back(with.bases[i]);
    for (const std::int64_t value : with.values) out.push_back(static_cast<std::uint64_t>(value));
    return out;
}

bool says(const test::PtxKernel& guard, const std::vector<std::uint64_t>& arguments) {
    test::PtxLaunch launch;
    launch.arguments = arguments;
    const test::PtxOutcome outcome = guard.run(launch);
    REQUIRE(outcome.error == "");
    REQUIRE(outcome.returned.has_value());
    REQUIRE(*outcome.returned <= 1);
    return *outcome.returned == 1;
}

/// Compiles the guards into one program, and asks each for its arguments: one line of answers a guard.
std::vector<std::string> compiled_answers(const std::vector<Guard>& guards,
                                          const std::vector<std::vector<std::vector<std::uint64_t>>>& asked) {
    const test::Folder folder;
    std::string main = "#include <cstdio>\n";
    std::ostringstream input;
    for (std::size_t g = 0; g < guards.size(); ++g) {
        const std::string name = "guard" + std::to_string(g) + ".hpp";
        std::ofstream(folder / name) << guard_cpp(guards[g]);
        main += "#include \"" + name + "\"\n";
    }
    main +=
        "static std::uint64_t next() { unsigned long long n = 0; if (std::scanf(\"%llu\", &n) != 1) return 0; return n; }\nint main() {\n  "
        "std::uint64_t a[64]; int count = 0;\n";
    for (std::size_t g = 0; g < guards.size(); ++g) {
        const std::vector<Parameter>& parameters = guards[g].kernel.parameters;
        main += "  for (count = static_cast<int>(next()); count > 0; --count) {\n    for (int i = 0; i < " +
                std::to_string(parameters.size()) + "; ++i) a[i] = next();\n    std::putchar(" + guards[g].name + "(";
        for (std::size_t i = 0; i < parameters.size(); ++i)
            main += (i == 0 ? "" : ", ") +
                    (parameters[i].type == "u64" ? "reinterpret_cast<const void*>(a[" : std::string("static_cast<std::int64_t>(a[")) +
                    std::to_string(i) + "])";
        main += ") ? '1' : '0');\n  }\n  std::putchar('\\n');\n";
        input << asked[g].size() << "\n";
        for (const std::vector<std::uint64_t>& one : asked[g]) {
            for (const std::uint64_t n : one) input << n << " ";
            input << "\n";
        }
    }
    std::ofstream(folder / "main.cpp") << main << "}\n";
    std::ofstream(folder / "in") << input.str();
    const auto path = [&](const char* name) { return test::quoted((folder / name).string()); };
    const std::string compile =
        "c++ -std=c++11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsanitize=undefined -fno-sanitize-recover=all -o " +
        path("program") + " " + path("main.cpp") + " 2>" + path("log");
    const int status = std::system(compile.c_str());
    REQUIRE_MESSAGE(status == 0, test::content(folder / "log"));
    REQUIRE(std::system((path("program") + " <" + path("in") + " >" + path("out")).c_str()) == 0);
    std::vector<std::string> out;
    std::istringstream in(test::content(folder / "out"));
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

Guard guard_of(const VerifiedPlan& plan) {
    Result<Guard> made = make_guard(plan);
    REQUIRE_MESSAGE(made.ok(), made.error().text);
    return std::move(made.value());
}

/// The problem at these arguments, bases included: no symbols are left.
Problem at_arguments(const Problem& problem, const Arguments& with) {
    Problem out = at(problem, with.values);
    for (std::size_t i = 0; i < out.buffers.size(); ++i)
        if (out.buffers[i].space == Space::global) out.buffers[i].base = Bytes{static_cast<std::int64_t>(with.bases[i] % 256)};
    return out;
}

}  // namespace

TEST_CASE("guards say what the assumptions of their problems say, in C++ and in PTX") {
    constexpr int count = 2500;
    std::vector<Guard> guards;
    std::vector<std::vector<std::vector<std::uint64_t>>> asked;
    std::vector<std::string> expected;
    int proved_points = 0;
    // The guard of what the proof uses, and one of all that the file says.
    const auto attack = [&](const Problem& problem, const VerifiedPlan& of) {
        guards.push_back(guard_of(of));
        const std::string ptx = guard_ptx(guards.back());
        const Result<test::PtxKernel> guard = test::PtxKernel::parse(ptx);
        REQUIRE_MESSAGE(guard.ok(), guard.error().text);
        CHECK(guard.value().entry() == guards.back().name);
        CHECK(guard.value().unused_registers().empty());
        const Result<Assembled> assembled = assemble(ptx, "sm_90");
        REQUIRE_MESSAGE(assembled.ok(), render(assembled.error(), {"guard.ptx", ptx}));
        CHECK(assembled.value().messages == "");

        asked.emplace_back();
        expected.emplace_back();
        int yes = 0, no = 0, looked_at = 0;
        for (const Arguments& one : arguments(problem, count)) {
            asked.back().push_back(in_order(problem, one));
            const bool may = assumed(of.problem(), of.plan(), one);
            expected.back() += may ? '1' : '0';
            (may ? yes : no) += 1;
            CHECK(says(guard.value(), asked.back().back()) == may);
            if (assumed(problem, of.plan(), one)) CHECK(may);  // never too strict
            if (!may || looked_at == 20) continue;
            ++looked_at;
            VerifyOptions enumerate;
            enumerate.smt = false;
            const Problem here = at_arguments(problem, one);
            if (moved(here.copies[0]) < Elements{1}) continue;
            Plan there = of.plan();
            for (std::size_t i = 0; i < there.copies.size(); ++i)
                there.copies[i] = at(there.copies[i], problem, problem.copies[i], one.values).value();
            CHECK(verify(here, there, enumerate).verdict() == Verdict::proved);
            ++proved_points;
        }
        CHECK(yes >= 100);
        CHECK(no >= 100);
    };
    for (const Problem& problem : cases()) {
        INFO(problem.stem);
        const VerifiedPlan plan = verified(problem), less = reduced(plan);
        CHECK(emit_ptx(less).value() == emit_ptx(plan).value());  // the guard is of this kernel
        attack(problem, less);
        Problem all = problem;
        all.stem += "_all";
        attack(all, verified(all));
    }
    CHECK(proved_points >= 500);
    CHECK(compiled_answers(guards, asked) == expected);
}

TEST_CASE("guards: without any one of its conditions a guard says yes too often") {
    int conditions = 0;
    for (const Problem& problem : cases()) {
        const VerifiedPlan plan = verified(problem), less = reduced(plan);
        const Guard whole = guard_of(less);
        const std::vector<Arguments> all = arguments(problem, 6000);
        for (std::size_t i = 0; i < whole.checks.size(); ++i)
            for (std::size_t k = 0; k < whole.checks[i].conditions.size(); ++k) {
                INFO(problem.stem, ": ", whole.checks[i].text, ", condition ", k);
                Guard broken = whole;
                broken.checks[i].conditions.erase(broken.checks[i].conditions.begin() + static_cast<std::ptrdiff_t>(k));
                const test::PtxKernel guard = test::PtxKernel::parse(guard_ptx(broken)).value();
                const bool noticed = std::any_of(all.begin(), all.end(), [&](const Arguments& one) {
                    return !assumed(less.problem(), plan.plan(), one) && says(guard, in_order(problem, one));
                });
                CHECK(noticed);
                ++conditions;
            }
    }
    CHECK(conditions > 80);
}

TEST_CASE("guards: buffers that are only read may overlap, and shared ones are no arguments") {
    const Problem problem = parsed(R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(64,8):(8,1)" }
B = { space = "global", dtype = "f16", layout = "(64,8):(8,1)" }
C = { space = "global", dtype = "f16", layout = "(64,8):(8,1)" }
As = { space = "shared", dtype = "f16", layout = "(64,8):(8,1)" }
Bs = { space = "shared", dtype = "f16", layout = "(64,8):(8,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
[[copies]]
src = "B"
dst = "Bs"
scope = "warp"
[[copies]]
src = "As"
dst = "C"
scope = "warp"
)toml",
                                   "reads");
    const Guard guard = guard_of(reduced(verified(problem)));
    const test::PtxKernel ptx = test::PtxKernel::parse(guard_ptx(guard)).value();
    CHECK(says(ptx, {4096, 4096, 8192}));
    CHECK_FALSE(says(ptx, {4096, 8192, 8192}));
    CHECK_FALSE(says(ptx, {8192 - 1008, 4096, 8192}));
    CHECK(says(ptx, {8192 - 1024, 8192 + 1024, 8192}));
    const std::vector<std::string> unchecked{"A has at least 512 elements allocated", "B has at least 512 elements allocated",
                                             "C has at least 512 elements allocated",
                                             "no other thread or block touches these bytes meanwhile"};
    CHECK(guard.unchecked == unchecked);
}

TEST_CASE("guards: what cannot be shown to fit 64 bits is refused") {
    // y is 0, so each product fits; but on the way there is one of 2^100.
    const auto with = [](const std::string& most) {
        return problem_of("wide", "x = { min = 0, max = " + most + " }\ny = { min = 0, max = 0 }\n" + any_ld,
                          "\"(x*y*562949953421312 + ld) % 8 == 0\"", rows, tile);
    };
    const VerifiedPlan plan = verified(with("1099511627776"));
    const Result<Guard> refused = make_guard(plan);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().rule == "guard-overflow");
    CHECK(refused.error().text.find("the fact") == 0);
    CHECK(make_guard(verified(with("8000"))).ok());
    CHECK_FALSE(make_guard(verified(with("8192"))).ok());  // 2^62
    const VerifiedPlan sized =
        verified(problem_of("sized", "x = { min = 64, max = 1099511627776 }\ny = { min = 1, max = 1 }\nz = { min = 0, max = 0 }", "",
                            tile + ", capacity = \"2048*y + x*z*x\"", tile));
    REQUIRE_FALSE(make_guard(sized).ok());
    CHECK(make_guard(sized).error().text.find("the capacity of A") == 0);
}

TEST_CASE("fallback: the weakest that is still planned and proved") {
    const auto left = [](const Problem& problem) {
        const Problem weaker = cli::fallback(problem, 50'000'000);
        const VerifiedPlan plan = verified(weaker);  // complete and proved
        CHECK(weaker.stem == problem.stem + "_fallback");
        // Nothing is left to give up.
        const Problem again = cli::fallback(weaker, 50'000'000);
        CHECK(cli::given_up(weaker, again).empty());
        std::string out = std::to_string(narrowest(plan.plan().copies[0]).count) + " bits";
        for (const Assumption& a : assumptions(weaker))
            if (a.source == "symbol" || a.source == "fact" || a.source.ends_with("alignment") || a.source == "stated-base")
                out += "; " + a.text;
        return out;
    };
    const std::string bases = "; the base of A is a multiple of 2 bytes; the base of B is a multiple of 2 bytes";
    CHECK(left(problem_of("a", "", "", tile + ", align = 256", tile)) == "16 bits" + bases);
    CHECK(left(problem_of("a", "", "", tile + ", base = 8", tile + ", base = 136")) == "16 bits" + bases);
    CHECK(left(problem_of("a", "", "", "layout = \"(64):(1)\"", "layout = \"(64):(1)\"", "u8")) == "8 bits");
    CHECK(left(problem_of("a", ld_8, "\"ld >= 128\"", rows, tile)) == "16 bits; ld is from 64 to 65536" + bases);
    CHECK(left(problem_of("a", "ld = { min = 0, max = 65536, multiple_of = 8 }", "\"ld >= 64\", \"ld % 16 == 0\"", tile, rows)) ==
          "16 bits; ld is from 0 to 65536; ld >= 64" + bases);
    CHECK(left(problem_of("a", "ld = { min = 1, max = 65536, multiple_of = 64 }", "", tile, rows)) ==
          "16 bits; ld is from 1 to 65536, a multiple of 64" + bases);
    for (const Problem& problem : cases()) {
        INFO(problem.stem);
        const Problem weaker = cli::fallback(problem, 50'000'000);
        const VerifiedPlan plan = verified(weaker);
        // Wherever the fast one may run, so may the fallback.
        const VerifiedPlan fast = reduced(verified(problem));
        for (const Arguments& one : arguments(problem, 500))
            if (assumed(problem, fast.plan(), one)) CHECK(assumed(weaker, plan.plan(), one));
        CHECK(make_guard(reduced(plan)).ok());
    }
    Problem longest = cases().front();
    longest.stem = std::string(80, 'x');
    CHECK(kernel_info(longest, verified(longest).plan()).value().entry !=
          kernel_info(cli::fallback(longest, 0), verified(longest).plan()).value().entry);
}

TEST_CASE("command line: guards of what is proved, fallbacks that link beside the fast kernel") {
    const std::string file = test::quoted(std::string(TILEPROOF_EXAMPLES) + "/any_pitch_f16.toml");
    const test::Ran cpp = test::run("emit " + file + " --guard c++"), ptx = test::run("emit " + file + " --guard ptx");
    CHECK(cpp.status == 0);
    CHECK(cpp.out.find("inline bool tp_any_pitch_f16_may_run(const void* p_A, const void* p_B, std::int64_t p_ld, std::int64_t p_row) {") !=
          std::string::npos);
    CHECK(cpp.out == test::run("emit " + file + " --guard c++").out);
    CHECK(ptx.status == 0);
    CHECK(ptx.out.find(".visible .func (.param .b32 ok) tp_any_pitch_f16_may_run(") != std::string::npos);
    const test::Ran fast = test::run("emit " + file), slow = test::run("emit " + file + " --fallback");
    CHECK(slow.status == 0);
    CHECK(slow.err == "");
    CHECK(fast.out.find(".entry tp_any_pitch_f16(") != std::string::npos);
    CHECK(slow.out.find(".entry tp_any_pitch_f16_fallback(") != std::string::npos);
    // One module that holds both, and asks the guard.
    const auto body = [](const std::string& text) { return text.substr(text.find(".address_size 64") + 16); };
    const std::string caller = R"ptx(
.visible .entry caller(.param .u64 a, .param .u64 b, .param .s64 ld, .param .s64 row, .param .u64 out)
{
    .reg .b64 %rd<6>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd0, [a];
    ld.param.u64 %rd1, [b];
    ld.param.s64 %rd2, [ld];
    ld.param.s64 %rd3, [row];
    ld.param.u64 %rd4, [out];
    {
        .param .b64 p0;
        .param .b64 p1;
        .param .b64 p2;
        .param .b64 p3;
        .param .b32 r;
        st.param.b64 [p0], %rd0;
        st.param.b64 [p1], %rd1;
        st.param.b64 [p2], %rd2;
        st.param.b64 [p3], %rd3;
        call (r), tp_any_pitch_f16_may_run, (p0, p1, p2, p3);
        ld.param.b32 %r0, [r];
    }
    st.global.u32 [%rd4], %r0;
    ret;
}
)ptx";
    const Result<Assembled> both = assemble(fast.out + body(slow.out) + body(ptx.out) + caller, "sm_90");
    CHECK_MESSAGE(both.ok(), (both ? std::string() : both.error().text));

    const std::string overlapping =
        "[target]\narch = \"sm_90\"\n[buffers]\nA = { space = \"global\", dtype = \"f16\", layout = \"(8,8):(8,1)\" }\nB = { space = "
        "\"global\", dtype = \"f16\", layout = "
        "\"(8,8):(4,1)\" }\n[[copies]]\nsrc = \"A\"\ndst = \"B\"\nscope = \"warp\"\n";
    const test::Ran refused = test::run("emit - --guard c++", overlapping);
    CHECK(refused.status == 1);
    CHECK(refused.out == "");
    CHECK(refused.err.find("dst-overlaps") != std::string::npos);
    CHECK(test::run("emit " + file + " --guard rust").status == 2);

    const std::string bytes =
        "[target]\narch = \"sm_90\"\n[buffers]\nA = { space = \"global\", dtype = \"u8\", layout = \"(32):(1)\", align = 1 }\nB = { space "
        "= \"global\", dtype = \"u8\", layout = "
        "\"(32):(1)\", align = 1 }\n[[copies]]\nsrc = \"A\"\ndst = \"B\"\nscope = \"warp\"\n";
    const test::Ran nothing = test::run("plan --fallback --format json -", bytes);
    CHECK(nothing.status == 0);
    CHECK(nothing.out.find("\"not_assumed\": []") != std::string::npos);
    CHECK(nothing.err == "<stdin>: note: the fallback is the plan itself: no alignment, multiple or fact of this file can be given up\n");
    CHECK(nothing.out.find("tp_stdin_fallback") != std::string::npos);
    // A plan of somebody else's for the fallback, and not for the file.
    const test::Folder folder;
    std::ofstream(folder / "plan.json") << test::run("plan --fallback --format json " + file).out;
    CHECK(test::run("verify -q --fallback " + file + " --plan " + test::quoted((folder / "plan.json").string())).status == 0);
    std::ofstream(folder / "fast.json") << test::run("plan --format json " + file).out;
    CHECK(test::run("verify -q --fallback " + file + " --plan " + test::quoted((folder / "fast.json").string())).status == 1);
}

}  // namespace tileproof
