// Cache hints: how they are spelt, that ptxas takes exactly what the table takes, and that a copy has those that its file asks for.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "emit/ptxas.hpp"
#include "layouts/cache_hint.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/problem_json.hpp"
#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/ptx_bench.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using Hints = std::vector<const CacheHint*>;

/// Every choice of at most one hint of each kind, those of `ca` and `cg` aside.
std::vector<Hints> all_hints() {
    std::vector<Hints> out{{}};
    for (const CacheHint::Kind kind :
         {CacheHint::Kind::non_coherent, CacheHint::Kind::level1, CacheHint::Kind::level2, CacheHint::Kind::prefetch}) {
        const std::vector<Hints> before = out;
        for (const std::string& word : cache_hint_words()) {
            const CacheHint* const hint = cache_hint(word);
            if (hint->kind != kind) continue;
            for (Hints more : before) {
                more.push_back(hint);
                out.push_back(std::move(more));
            }
        }
    }
    return out;
}

/// An access of the table, as a plain name and as a line of PTX with `%s` where the name goes.
struct Access {
    std::string plain;
    HintedAccess kind;
    Bits width;
    int least_arch;
    PtxVersion least_ptx;
    std::string operands;
};

std::vector<Access> all_accesses() {
    std::vector<Access> out;
    for (const Direction direction : {Direction::load, Direction::store})
        for (const Bits width : access_widths()) {
            const AccessForm& form = *access_form(direction, Space::global, width);
            std::string data;
            for (int i = 0; i < form.registers; ++i)
                data += (i == 0 ? "" : ", ") + std::string(form.register_size == Bits{16} ? "%h" : "%r") + std::to_string(i);
            if (form.registers > 1) data = "{" + data + "}";
            const bool load = direction == Direction::load;
            out.push_back({std::string(form.mnemonic), load ? HintedAccess::load : HintedAccess::store, width, form.least_arch,
                           form.least_ptx, load ? data + ", [%a]" : "[%a], " + data});
        }
    for (const char* name : {"cp.async.ca.shared.global", "cp.async.cg.shared.global"})
        for (const Bits width : {Bits{128}, Bits{64}, Bits{32}})
            if (const AsyncForm* const form = async_form(name, width))
                out.push_back({name, HintedAccess::async, width, form->least_arch, form->least_ptx,
                               "[%s], [%a], " + std::to_string(to_bytes(width).count)});
    return out;
}

/// The lines that ptxas refuses, from 1 on: one access a line, in a kernel for this target.
std::set<int> refused_lines(const std::vector<std::string>& accesses, const std::string& arch, PtxVersion version) {
    std::string text = ".version " + to_string(version) + "\n.target " + arch +
                       "\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 %a; .reg .b32 %s, %r<8>; .reg .b16 %h<1>; "
                       ".shared .align 16 .b8 sm[64];\n"
                       "ld.param.u64 %a, [a]; cvta.to.global.u64 %a, %a; mov.u32 %s, sm;\n";
    const int before = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    for (const std::string& access : accesses) text += access + ";\n";
    const Result<Assembled> assembled = assemble(text + "ret;\n}\n", arch);
    std::set<int> out;
    if (assembled) return out;
    REQUIRE(!assembled.error().notes.empty());
    std::istringstream notes(assembled.error().notes.front());
    for (std::string line; std::getline(notes, line);)
        if (const std::size_t at = line.find(", line "); at != std::string::npos) out.insert(std::stoi(line.substr(at + 7)) - before);
    REQUIRE(!out.empty());
    return out;
}

const char* const global_a = "[buffers.A]\nspace = \"global\"\ndtype = \"f16\"\nlayout = \"(64,64):(64,1)\"\nalign = 32\n";
const char* const global_b = "[buffers.B]\nspace = \"global\"\ndtype = \"f16\"\nlayout = \"(64,64):(64,1)\"\nalign = 32\n";
const char* const shared_s = "[buffers.S]\nspace = \"shared\"\ndtype = \"f16\"\nlayout = \"(64,64):(64,1)\"\n";

std::string move_of(const std::string& src, const std::string& dst, const std::string& more) {
    return "[[copies]]\nname = \"" + src.substr(0, 1) + "to" + dst.substr(0, 1) + "\"\nsrc = \"" + src + "\"\ndst = \"" + dst +
           "\"\nscope = \"cta\"\nthreads = 64\n" + more;
}
std::string file(const std::string& arch, const std::string& copies, const std::string& ptx = "") {
    return "[target]\narch = \"" + arch + "\"\n" + (ptx.empty() ? "" : "ptx = \"" + ptx + "\"\n") + global_a + global_b + shared_s + copies;
}
std::string cache(const std::string& hints) { return "cache = " + hints + "\n"; }

Result<Problem> read(const std::string& text) { return parse_problem({"copy.toml", text}, "copy"); }
Problem problem_of(const std::string& text) {
    INFO(text);
    Result<Problem> out = read(text);
    INFO((out ? std::string() : out.error().text));
    REQUIRE(out.ok());
    return std::move(out.value());
}

Finding legal(const Problem& problem, const Plan& plan) {
    REQUIRE_FALSE(check_plan(problem, plan).has_value());
    const Report report = verify(problem, plan);
    for (const Finding& finding : report.copies[0].findings)
        if (finding.obligation == "legal") return finding;
    return {};
}

std::string rule_and_text(const Problem& problem) {
    const Solution solution = solve(problem);
    REQUIRE(solution.copies[0].rejection.has_value());
    CHECK(solution.copies[0].rejection->place.line > 0);
    CHECK(solution.copies[0].rejection->help.empty() == (solution.copies[0].rejection->rule == "declined"));
    return solution.copies[0].rejection->rule + ": " + solution.copies[0].rejection->text;
}

}  // namespace

TEST_CASE("names with hints, in the order of the ISA alone") {
    const auto name = [](const std::string& plain, const std::vector<std::string>& words) {
        Hints hints;
        for (const std::string& word : words) hints.push_back(cache_hint(word));
        return with_hints(plain, hints);
    };
    CHECK(name("ld.global.v4.u32", {}) == "ld.global.v4.u32");
    CHECK(name("ld.global.v4.u32", {"L2::128B", "L1::no_allocate", "nc"}) == "ld.global.nc.L1::no_allocate.L2::128B.v4.u32");
    CHECK(name("st.global.v8.b32", {"L2::evict_last", "L1::evict_first"}) == "st.global.L1::evict_first.L2::evict_last.v8.b32");
    CHECK(name("cp.async.ca.shared.global", {"L2::256B", "ca"}) == "cp.async.ca.shared.global.L2::256B");
    for (const Access& access : all_accesses())
        for (const Hints& hints : all_hints()) {
            const HintedName read = without_hints(with_hints(access.plain, hints));
            CHECK(read.plain == access.plain);
            CHECK(read.hints == hints);
        }
    for (const char* wrong :
         {"ld.global.L1::no_allocate.nc.u32", "ld.global.L2::128B.L1::no_allocate.u32", "ld.nc.global.u32", "ld.global.u32.nc",
          "ld.global.nc.nc.u32", "ld.shared.nc.u32", "ld.shared.u32.nc", "ld.global.L1::evict_last.L1::evict_last.u32",
          "ld.global.v4.L1::no_allocate.u32", "L1::no_allocate", "", ".", "ld.global.L1::.u32"})
        CHECK_MESSAGE(access_form(wrong) == nullptr, wrong);
    CHECK(access_form("ld.global.nc.L1::evict_last.u32") == access_form("ld.global.u32"));
    CHECK(async_form("cp.async.cg.shared.global.L2::128B", Bits{128}) != nullptr);
    CHECK(is_async("cp.async.cg.shared.global.L2::128B"));
    CHECK_FALSE(is_async("cp.async.cg.L2::128B.shared.global"));
}

TEST_CASE("ptxas takes what the table takes, and nothing else") {
    for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
        const Arch target = *find_arch(arch);
        for (const PtxVersion version : {PtxVersion{7, 3}, PtxVersion{7, 4}, PtxVersion{8, 7}, PtxVersion{8, 8}, PtxVersion{9, 0}}) {
            if (version < target.least_ptx) continue;
            CAPTURE(std::string(arch));
            CAPTURE(to_string(version));
            std::vector<std::string> taken, refused;
            for (const Access& access : all_accesses()) {
                if (access.least_arch > target.number || version < access.least_ptx) continue;
                for (const Hints& hints : all_hints()) {
                    const bool fits = std::all_of(hints.begin(), hints.end(), [&](const CacheHint* hint) {
                        return why_not(*hint, access.kind, access.width, target, version).empty();
                    });
                    (fits ? taken : refused).push_back(with_hints(access.plain, hints) + " " + access.operands);
                }
            }
            CHECK(refused_lines(taken, arch, version).empty());
            const std::set<int> lines = refused_lines(refused, arch, version);
            for (int i = 1; i <= static_cast<int>(refused.size()); ++i)
                CHECK_MESSAGE(lines.count(i) == 1, refused[static_cast<std::size_t>(i) - 1]);
        }
    }
}

TEST_CASE("each hint, alone and in company, on each architecture: planned, proved, assembled and right, or refused") {
    struct Case {
        std::string copies, hints;
        std::map<std::string, std::string> names;  // architecture -> the instructions of the first copy; not there: refused
    };
    const auto everywhere = [](const std::string& names) {
        return std::map<std::string, std::string>{
            {"sm_75", names}, {"sm_80", names}, {"sm_90", names}, {"sm_100", names}, {"sm_120", names}};
    };
    const auto from_sm_80 = [&](const std::string& names) {
        auto out = everywhere(names);
        out.erase("sm_75");
        return out;
    };
    const auto without_256_bits = [&](const std::string& narrow, const std::string& wide) {
        auto out = everywhere(narrow);
        out["sm_100"] = out["sm_120"] = wide;
        return out;
    };
    const auto load = [](const std::string& hints) { return move_of("A", "S", hints); };
    const auto store = [](const std::string& hints) { return move_of("S", "B", hints); };
    const auto both = [](const std::string& hints) { return move_of("A", "B", hints); };
    const auto async = [](const std::string& hints) { return move_of("A", "S", "completion = \"kernel\"\n" + hints); };
    std::vector<Case> cases;
    for (const char* word :
         {"nc", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B"}) {
        const std::string hint(word), list = cache("[\"" + hint + "\"]");
        const bool loads_only = hint == "nc" || hint.rfind("L2::", 0) == 0;
        cases.push_back({load(list), hint, everywhere("ld.global." + hint + ".v4.u32 st.shared.v4.u32")});
        cases.push_back({store(list), hint,
                         loads_only ? std::map<std::string, std::string>{} : everywhere("ld.shared.v4.u32 st.global." + hint + ".v4.u32")});
        const std::string to = loads_only ? "st.global." : "st.global." + hint + ".";
        cases.push_back(
            {both(list), hint,
             without_256_bits("ld.global." + hint + ".v4.u32 " + to + "v4.u32", "ld.global." + hint + ".v8.b32 " + to + "v8.b32")});
    }
    for (const char* word : {"L2::evict_normal", "L2::evict_first", "L2::evict_last"}) {
        const std::string hint(word), wide = "ld.global." + hint + ".v8.b32 st.global." + hint + ".v8.b32";
        cases.push_back({both(cache("\"" + hint + "\"")), hint, {{"sm_100", wide}, {"sm_120", wide}}});
        cases.push_back({load(cache("\"" + hint + "\"")), hint, {}});
    }
    cases.push_back({load(cache("\"L2::256B\"")), "L2::256B", from_sm_80("ld.global.L2::256B.v4.u32 st.shared.v4.u32")});
    cases.push_back({load(cache("[\"L2::128B\", \"nc\", \"L1::no_allocate\"]")), "three",
                     everywhere("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 st.shared.v4.u32")});
    const std::string all = "ld.global.nc.L1::evict_first.L2::evict_last.L2::256B.v8.b32 st.global.L1::evict_first.L2::evict_last.v8.b32";
    cases.push_back(
        {both(cache("[\"nc\", \"L1::evict_first\", \"L2::evict_last\", \"L2::256B\"]")), "four", {{"sm_100", all}, {"sm_120", all}}});
    for (const char* path : {"ca", "cg"}) {
        const std::string name = std::string("cp.async.") + path + ".shared.global";
        cases.push_back({async(cache(std::string("\"") + path + "\"")), path, from_sm_80(name + " " + name)});
        cases.push_back(
            {async(cache(std::string("[\"L2::128B\", \"") + path + "\"]")), path, from_sm_80(name + ".L2::128B " + name + ".L2::128B")});
        cases.push_back({load(cache(std::string("\"") + path + "\"")), path, {}});
    }
    cases.push_back(
        {async(cache("\"L2::256B\"")), "async 256B", from_sm_80("cp.async.cg.shared.global.L2::256B cp.async.cg.shared.global.L2::256B")});
    cases.push_back({move_of("A", "S", "dispatch = \"ldgsts\"\n" + cache("\"L1::no_allocate\"")), "no L1 in cp.async", {}});
    // By loads, then: what is asked for comes before how it is done.
    cases.push_back({async(cache("\"nc\"")), "async nc", everywhere("ld.global.nc.v4.u32 st.shared.v4.u32")});

    for (const Case& c : cases) {
        for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
            CAPTURE(c.copies);
            CAPTURE(std::string(arch));
            const Problem problem = problem_of(file(arch, c.copies));
            const auto wanted = c.names.find(arch);
            if (wanted == c.names.end()) {
                CHECK(rule_and_text(problem).find(": ") != std::string::npos);
                continue;
            }
            const Solution solution = solve(problem, {.straight = true});
            REQUIRE(solution.complete());
            for (const Segment& segment : solution.copies[0].plan->segments)
                CHECK(segment.src.instruction + " " + segment.dst.instruction == wanted->second);
            const Certified certified = verify_and_certify(problem, solution.plan(), {.require_widest = true});
            REQUIRE(certified.plan.has_value());
            test::Bench bench(problem, solution.plan());
            CHECK((c.copies.find("src = \"S\"") != std::string::npos ? bench.difference(true, 1) : bench.difference()) == "");
            CHECK(bench.assembly_errors({arch}) == "");
        }
    }
}

TEST_CASE("why a hint is refused") {
    const auto why = [](const std::string& arch, const std::string& copies, const std::string& ptx = "") {
        return rule_and_text(problem_of(file(arch, copies, ptx)));
    };
    CHECK(why("sm_75", move_of("A", "S", cache("\"L2::256B\""))) ==
          "cache-hint: the hints of 'AtoS' cannot be had: L2::256B needs sm_80 or later, not sm_75");
    CHECK(why("sm_90", move_of("A", "B", cache("\"L2::evict_first\""))) ==
          "cache-hint: the hints of 'AtoB' cannot be had: L2::evict_first needs sm_100 or later, not sm_90");
    CHECK(why("sm_100", move_of("A", "S", cache("\"L2::evict_first\""))) ==
          "cache-hint: the hints of 'AtoS' cannot be had: L2::evict_first goes with accesses of 256 bits alone, and they are not legal: "
          "sm_100 has no 256-bit access to shared memory [target]");
    CHECK(why("sm_80", move_of("A", "S", cache("\"L1::evict_last\"")), "7.3") ==
          "cache-hint: the hints of 'AtoS' cannot be had: L1::evict_last needs PTX 7.4 or later, and the file asks for PTX 7.3");
    CHECK(why("sm_90", move_of("S", "B", cache("\"nc\""))) ==
          "cache-hint: the hints of 'StoB' cannot be had: nc does not go with stores, and the source S is in shared memory");
    CHECK(why("sm_90", move_of("A", "S", cache("\"cg\""))) == "cache-hint: the hints of 'AtoS' cannot be had: cg goes with cp.async alone");
    CHECK(why("sm_90", move_of("A", "S", "dispatch = \"ldgsts\"\n" + cache("\"L1::no_allocate\""))) ==
          "cache-hint: the hints of 'AtoS' cannot be had: L1::no_allocate does not go with cp.async");
    CHECK(why("sm_90", move_of("A[:, 0:60]", "S[:, 4:64]", "dispatch = \"ldgsts\"\n" + cache("\"cg\"")))
              .rfind("cache-hint: the hints of ", 0) == 0);
    CHECK(why("sm_90", move_of("A", "B", cache("\"nc\"")) + move_of("S", "A", "")) ==
          "cache-hint: the hints of 'AtoB' cannot be had: nc is for what nobody writes while the kernel runs, and 'StoA' writes A");
    CHECK(why("sm_90", move_of("A[0:32, :]", "A[32:64, :]", cache("\"nc\""))).find("writes A") != std::string::npos);
    CHECK(why("sm_100", move_of("A", "B", "dispatch = \"fallback\"\n" + cache("\"L2::evict_last\""))) ==
          "cache-hint: the hints of 'AtoB' cannot be had: L2::evict_last goes with accesses of 256 bits alone");
    const auto help = [](const std::string& copies) { return solve(problem_of(file("sm_100", copies))).copies[0].rejection->help.front(); };
    CHECK(help(move_of("A", "S", cache("\"cg\""))).find("L2::evict") == std::string::npos);  // no 256 bits in shared memory
    CHECK(help(move_of("A", "B", cache("\"cg\""))).find("L2::evict_first") != std::string::npos);
    const Solution solution = solve(problem_of(file("sm_90", move_of("A", "S", cache("\"cg\"")))));
    CHECK(solution.copies[0].rejection->help.front() ==
          "what such a copy can have on sm_90: nc, L1::evict_normal, L1::evict_unchanged, L1::evict_first, L1::evict_last, "
          "L1::no_allocate, L2::64B, L2::128B and L2::256B");
    CHECK(solution.copies[0].rejection->place.line == 23);
}

TEST_CASE("reading hints") {
    const auto cache_of = [](const std::string& hints) {
        return problem_of(file("sm_90", move_of("A", "S", cache(hints)))).copies[0].cache;
    };
    CHECK(cache_of("\"nc\"") == std::vector<std::string>{"nc"});
    CHECK(cache_of("[\"L1::no_allocate\", \"nc\"]") == std::vector<std::string>{"L1::no_allocate", "nc"});
    CHECK(cache_of("[]").empty());
    const auto fault = [](const std::string& hints) {
        const Result<Problem> problem = read(file("sm_90", move_of("A", "S", cache(hints))));
        REQUIRE_FALSE(problem.ok());
        CHECK(problem.error().place.line == 23);
        return problem.error().rule + ": " + problem.error().text;
    };
    CHECK(fault("\"L1::no_alocate\"") == "unknown-value: 'L1::no_alocate' is no cache hint");
    CHECK(fault("[\"nc\", \"\"]") == "unknown-value: '' is no cache hint");
    CHECK(fault("[\"L1::evict_last\", \"L1::evict_first\"]") ==
          "cache-hint: an access has one of 'L1::evict_last' and 'L1::evict_first', not both");
    CHECK(fault("[\"nc\", \"nc\"]") == "cache-hint: an access has one of 'nc' and 'nc', not both");
    CHECK(fault("[\"ca\", \"cg\"]") == "cache-hint: an access has one of 'ca' and 'cg', not both");
    CHECK(fault("3").rfind("wrong-type", 0) == 0);
    CHECK(fault("[3]").rfind("wrong-type", 0) == 0);
    const Problem problem = problem_of(file("sm_90", move_of("A", "S", cache("[\"nc\", \"L2::64B\"]"))));
    CHECK(parse_problem({"again.json", problem_json(problem)}, "copy").value().copies[0].cache == problem.copies[0].cache);
    Problem made = problem;
    made.copies[0].cache = {"L3::keep"};
    REQUIRE(check_problem(made).has_value());
    CHECK(check_problem(made)->rule == "unknown-value");
}

TEST_CASE("`legal` judges the hints of a plan, and that those of the file are there") {
    const Problem plain = problem_of(file("sm_100", move_of("A", "B", "")));
    const Plan good = solve(plain).plan();
    const auto verdict = [&](const Problem& problem, const std::string& src, const std::string& dst) {
        Plan plan = good;
        plan.copies[0].segments[0].src.instruction = src;
        plan.copies[0].segments[0].dst.instruction = dst;
        return legal(problem, plan).verdict;
    };
    const std::string ld = "ld.global.v8.b32", st = "st.global.v8.b32";
    CHECK(verdict(plain, ld, st) == Verdict::proved);
    CHECK(verdict(plain, "ld.global.nc.L1::evict_first.L2::evict_last.L2::256B.v8.b32",
                  "st.global.L1::no_allocate.L2::evict_first.v8.b32") == Verdict::proved);
    CHECK(verdict(plain, "ld.global.L1::evict_first.nc.v8.b32", st) == Verdict::refuted);
    CHECK(verdict(plain, ld, "st.global.nc.v8.b32") == Verdict::refuted);
    CHECK(verdict(plain, ld, "st.global.L2::64B.v8.b32") == Verdict::refuted);
    Problem narrow = plain;  // where 256 bits cannot be had, neither can what goes with them alone
    for (Buffer& buffer : narrow.buffers) buffer.align = Bytes{16};
    Plan plan = solve(narrow).plan();
    CHECK(legal(narrow, plan).verdict == Verdict::proved);
    plan.copies[0].segments[0].src.instruction = "ld.global.L2::evict_last.v4.u32";
    CHECK(legal(narrow, plan).verdict == Verdict::refuted);
    // A target or a PTX version that lacks it.
    Problem old = narrow;
    old.target = *find_arch("sm_75");
    plan.copies[0].segments[0].src.instruction = "ld.global.L2::256B.v4.u32";
    CHECK(legal(narrow, plan).verdict == Verdict::proved);
    CHECK(legal(old, plan).verdict == Verdict::refuted);
    old.target = *find_arch("sm_80");
    CHECK(legal(old, plan).verdict == Verdict::proved);
    old.ptx = PtxVersion{7, 3};
    CHECK(legal(old, plan).verdict == Verdict::refuted);
    // Hints that the file asks for are not left out; others may be added.
    Problem asking = plain;
    asking.copies[0].cache = {"L1::evict_last"};
    CHECK(verdict(asking, ld, st) == Verdict::refuted);
    CHECK(verdict(asking, "ld.global.L1::evict_last.v8.b32", st) == Verdict::refuted);
    CHECK(verdict(asking, "ld.global.L1::evict_last.v8.b32", "st.global.L1::evict_first.v8.b32") == Verdict::refuted);
    CHECK(verdict(asking, "ld.global.nc.L1::evict_last.v8.b32", "st.global.L1::evict_last.v8.b32") == Verdict::proved);
    asking.copies[0].cache = {"nc"};
    CHECK(verdict(asking, ld, st) == Verdict::refuted);
    CHECK(verdict(asking, "ld.global.nc.v8.b32", st) == Verdict::proved);
    // A plan of loads where the file asks for a kind of cp.async, and the other kind.
    Problem async = problem_of(file("sm_90", move_of("A", "S", "completion = \"kernel\"\n")));
    Plan loads = solve(problem_of(file("sm_90", move_of("A", "S", "")))).plan(), asynchronous = solve(async).plan();
    CHECK(legal(async, asynchronous).verdict == Verdict::proved);
    async.copies[0].cache = {"ca"};
    CHECK(legal(async, loads).verdict == Verdict::refuted);
    CHECK(legal(async, asynchronous).verdict == Verdict::refuted);
    async.copies[0].cache = {"cg"};
    CHECK(legal(async, asynchronous).verdict == Verdict::proved);
    async.copies[0].cache = {"L2::128B"};
    CHECK(legal(async, asynchronous).verdict == Verdict::refuted);
    CHECK(legal(async, loads).verdict == Verdict::refuted);
}

TEST_CASE("what a copy of the file writes is not read as what nobody writes") {
    const std::string reads = move_of("A", "B", "");
    const auto with_nc = [](Plan plan) {
        plan.copies[0].segments[0].src.instruction = with_hints(plan.copies[0].segments[0].src.instruction, {cache_hint("nc")});
        return plan;
    };
    const Problem alone = problem_of(file("sm_90", reads)), written = problem_of(file("sm_90", reads + move_of("S", "A", "")));
    CHECK(legal(alone, with_nc(solve(alone).plan())).verdict == Verdict::proved);
    const Finding refuted = legal(written, with_nc(solve(written).plan()));
    CHECK(refuted.verdict == Verdict::refuted);
    CHECK(refuted.counterexample->text ==
          "ld.global.nc.v4.u32 is for what nobody writes while the kernel runs, and a copy of the file writes A");
    // Also where the other copy is left out: the buffer remembers it.
    const Problem taken = corpus::alone(written, 0);
    REQUIRE(taken.copies.size() == 1);
    CHECK(legal(taken, with_nc(solve(taken).plan())).verdict == Verdict::refuted);
    // And with symbols, where each copy is judged in a problem of its own.
    const auto symbolic = [&](const std::string& more) {
        std::string text = file("sm_90", reads + more) + "[symbols]\nld = { min = 64, max = 512, multiple_of = 8 }\n";
        text.replace(text.find("(64,64):(64,1)"), 14, "(64,64):(ld,1)");
        return problem_of(text);
    };
    const Problem free = symbolic(""), busy = symbolic(move_of("S", "A", ""));
    REQUIRE(is_symbolic(busy, busy.copies[0]));
    CHECK(legal(free, with_nc(solve(free).plan())).verdict == Verdict::proved);
    CHECK(legal(busy, with_nc(solve(busy).plan())).verdict == Verdict::refuted);
    // The machine of the tests sees it too.
    test::Bench bench(written, with_nc(solve(written).plan()));
    CHECK(bench.difference().find("a non-coherent read of what the kernel writes") != std::string::npos);
}

TEST_CASE("a hint raises the PTX version where it needs to") {
    const auto version = [](const std::string& hints) {
        const Problem problem = problem_of(file("sm_80", move_of("A", "S", hints)));
        const Certified certified = verify_and_certify(problem, solve(problem).plan());
        REQUIRE(certified.plan.has_value());
        return to_string(kernel_info(problem, certified.plan->plan()).value().ptx);
    };
    CHECK(version("") == "7.0");
    CHECK(version(cache("\"nc\"")) == "7.0");
    CHECK(version(cache("\"L1::no_allocate\"")) == "7.4");
    CHECK(version("completion = \"kernel\"\n" + cache("\"ca\"")) == "7.0");
    CHECK(version("completion = \"kernel\"\n" + cache("\"L2::128B\"")) == "7.4");
}

}  // namespace tileproof
