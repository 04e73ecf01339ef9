// Near misses with symbols: plans that break one condition of a proof for all values, by as little as possible. A good plan for one
// problem, judged for another that is a little larger, less aligned or less long; or damaged in one place. Nothing here is proved,
// and the sample that shows it is found (tests/flaws breaks the conditions one at a time).
#include <doctest/doctest.h>

#include "layouts/problem_file.hpp"
#include "tests/broken_plan.hpp"

namespace tileproof {
namespace {

using namespace test;

/// `a`, `b`: what follows `layout =` of both buffers.
Problem from(const std::string& symbols, const std::string& facts, const std::string& a, const std::string& b, const std::string& src = "A",
             const std::string& dst = "B", const std::string& dtype = "f16") {
    const std::string text = "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols + "\n[assume]\nfacts = [" + facts +
                             "]\n[buffers.A]\nspace = \"global\"\ndtype = \"" + dtype + "\"\nlayout = " + a +
                             "\n[buffers.B]\nspace = \"global\"\ndtype = \"" + dtype + "\"\nlayout = " + b + "\n[[copies]]\nsrc = \"" +
                             src + "\"\ndst = \"" + dst + "\"\nscope = \"cta\"\nthreads = 64\n";
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    INFO((problem ? std::string() : render(problem.error(), {"copy.toml", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

const std::string packed = "\"(32,64):(64,1)\"";
const std::string pitched = "\"(32,64):(ld,1)\"";

Problem pitch(std::int64_t least = 64, std::int64_t divisor = 8, std::int64_t most = 4096) {
    return from(
        "ld = { min = " + std::to_string(least) + ", max = " + std::to_string(most) + ", multiple_of = " + std::to_string(divisor) + " }",
        "", pitched, packed);
}
/// The pitch is the destination's.
Problem pitch_to(std::int64_t least = 64, std::int64_t divisor = 8) {
    return from("ld = { min = " + std::to_string(least) + ", max = 4096, multiple_of = " + std::to_string(divisor) + " }", "", packed,
                pitched);
}
Problem shifted(const std::string& range, const std::string& layout = "(32,64):(64,1) + p", const std::string& capacity = "") {
    return from("p = { " + range + " }", "", "\"" + layout + "\"" + (capacity.empty() ? "" : "\ncapacity = " + capacity), packed);
}
Problem swizzled(const std::string& layout = "Sw<3,3,3> o 512*p o (32,64):(64,1)", const std::string& capacity = "") {
    return shifted("min = 0, max = 4", layout, capacity);
}
Problem start_row(const std::string& least, const std::string& most) {
    return from("row = { min = " + least + ", max = " + most + " }", "", "\"(64,64):(64,1) + 4096\"\ncapacity = 16384", packed,
                "A[row:+32, :]");
}
Problem batches(const std::string& fact) {
    return from("bs = { min = 512, max = 1048576, multiple_of = 8 }\nld = { min = 64, max = 4096, multiple_of = 8 }", fact,
                "\"(4,8,64):(512,64,1)\"", "\"(4,8,64):(bs,ld,1)\"");
}
Problem pitched_batches(const std::string& last_row) {
    return from("ld = { min = 64, max = 4096, multiple_of = 8 }", "", "\"(4,8,64):(512,64,1)\"",
                "\"(4,8,64):(7*ld + " + last_row + ",ld,1)\"");
}
/// The lanes of the source are no neighbours in the destination.
Problem across() { return from("ld = { min = 8, max = 4096, multiple_of = 8 }", "", "\"(8,8):(ld,1)\"", "\"(8,8):(1,8)\""); }
/// Rows that go backwards.
Problem backwards(const std::string& start) {
    return from("s = { min = -128, max = -64, multiple_of = 8 }", "", "\"(32,64):(s,1) + " + start + "\"\ncapacity = 4096", packed);
}
/// Within one buffer, rows from `row` on to the first ones.
Problem in_place(const std::string& least) {
    Problem p = from("row = { min = " + least + ", max = 96 }", "", "\"(128,64):(64,1)\"", packed, "A[row:+32, :]", "A[0:32, :]");
    return p;
}
Problem cut_off() { return from("ld = { min = 64, max = 4096, multiple_of = 8 }", "", "\"(5,64):(ld,1)\"", "\"(5,64):(64,1)\""); }
/// Rows of 4-bit elements, the first `at` places into the buffer.
Problem nibbles(const std::string& at) {
    return from("ld = { min = 64, max = 4096, multiple_of = 64 }", "", packed, "\"(32,64):(ld,1)" + at + "\"", "A", "B", "u4");
}

/// The first n rows of 128, and the first n elements of 8192.
Problem some_rows(std::int64_t most, const std::string& capacity = "64*n") {
    return from("n = { min = 0, max = " + std::to_string(most) + " }", "", "\"(128,64):(64,1)\"\ncapacity = \"" + capacity + "\"",
                "\"(128,64):(72,1)\"", "A[0:n, :]", "B[0:n, :]");
}
Problem some_elements(std::int64_t multiple_of) {
    return from("n = { min = 0, max = 4096, multiple_of = " + std::to_string(multiple_of) + " }", "", "\"(8192):(1)\"", "\"(8192):(1)\"",
                "A[0:n]", "B[0:n]");
}
/// Fewer than there are threads.
Problem few_elements() { return from("n = { min = 0, max = 7 }", "", "\"(8):(1)\"", "\"(8):(1)\"", "A[0:n]", "B[0:n]"); }
/// The first n rows and m columns.
Problem some_rows_and_columns() {
    return from("n = { min = 1, max = 32 }\nm = { min = 8, max = 64, multiple_of = 8 }", "", packed, "\"(32,64):(72,1)\"", "A[0:n, 0:m]",
                "B[0:n, 0:m]");
}

struct Miss {
    std::string obligation, what;
    Problem planned, judged;
    std::function<void(Problem&, Plan&)> damage{};
    bool is_shown = true;  // by a sample: else it is open
};

const Finding& finding(const Report& report, const std::string& id) {
    const std::vector<Finding>& all = report.copies[0].findings;
    return *std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.obligation == id; });
}

/// The lanes as digits of 2 and 4, with these strides on one side, and 1 and 2 on the other.
void split(Plan& plan, Side side, std::int64_t low, std::int64_t high) {
    const std::size_t i = index(plan, Role::vec);
    Segment& s = segment(plan);
    Digit second = s.digits[i];
    s.digits[i].extent = 2;
    second.extent = 4;
    second.place = 1;
    second.weight = 2;
    s.digits.push_back(second);
    for (const Side each : both_sides) {
        std::vector<Expression>& strides = (each == Side::src ? s.src : s.dst).address.strides;
        strides[i] = each == side ? low : 1;
        strides.push_back(each == side ? high : 2);
    }
}

std::vector<Miss> misses() {
    std::vector<Miss> all;
    const Expression ld = Expression::symbol(0);
    const auto damaged = [&](const char* id, const char* what, const Problem& problem, std::function<void(Problem&, Plan&)> damage) {
        all.push_back({id, what, problem, problem, std::move(damage)});
    };
    const auto other = [&](const char* id, const char* what, const Problem& planned, const Problem& judged) {
        all.push_back({id, what, planned, judged});
    };
    const auto step = [](Plan& p, Role role) -> Expression& { return segment(p).src.address.strides[index(p, role)]; };

    damaged("address.src", "a symbol too many", pitch(), [=](Problem&, Plan& p) { step(p, Role::outer) = step(p, Role::outer) + ld; });
    damaged("address.src", "8 too far", pitch(), [=](Problem&, Plan& p) { step(p, Role::outer) = step(p, Role::outer).plus(8); });
    damaged("address.src", "the offset forgotten", shifted("min = 0, max = 64, multiple_of = 8"),
            [](Problem&, Plan& p) { segment(p).src.address.offset = 0; });
    for (const Side side : both_sides)
        damaged("same-element", "8 too far on one side", pitch(),
                [side](Problem&, Plan& p) { (side == Side::src ? segment(p).src : segment(p).dst).address.offset += 8; });

    damaged("same-element", "right addresses that are no neighbours in the destination", across(), [=](Problem&, Plan& p) {
        Segment s = segment(p);
        s.outer = 1;
        s.threads = 16;
        s.vec = 4;
        s.predicate.clear();
        s.digits = {{0, 1, 8, Role::thread, 0}, {1, 4, 2, Role::thread, 1}, {1, 1, 4, Role::vec, 0}};
        s.src.width = s.dst.width = {64};
        s.src.address.strides = {ld, 4, 1};
        s.dst.address.strides = {1, 32, 8};
        p.copies[0].box = {{{{0, 1, 8}}, {{1, 1, 8}}}};
        p.copies[0].segments = {s};
    });

    damaged("aligned.src", "a base known to be off", pitch(), [](Problem& p, Plan&) { p.buffers[0].base = Bytes{8}; });
    damaged("aligned.src", "a base that is aligned less", pitch(), [](Problem& p, Plan&) { p.buffers[0].align = Bytes{8}; });
    other("aligned.src", "an offset that is aligned less", shifted("min = 0, max = 64, multiple_of = 8"),
          shifted("min = 0, max = 64, multiple_of = 4"));
    other("aligned.src", "a pitch that is aligned less", pitch(), pitch(64, 4));
    damaged("contiguous.src", "twice the width", pitch(), [](Problem&, Plan& p) { segment(p).src.width = {256}; });
    damaged("contiguous.src", "two elements apart", pitch(), [=](Problem&, Plan& p) { step(p, Role::vec) = 2; });
    damaged("contiguous.src", "a symbol apart", pitch(), [=](Problem&, Plan& p) { step(p, Role::vec) = ld.plus(1); });
    damaged("contiguous.src", "two lanes on one element", pitch(), [](Problem&, Plan& p) { split(p, Side::src, 1, 1); });
    damaged("contiguous.dst", "lanes exchanged in the source", pitch(), [](Problem&, Plan& p) { split(p, Side::src, 4, 1); });
    damaged("contiguous.src", "accesses that begin inside a chunk", swizzled(),
            [](Problem&, Plan& p) { segment(p).src.address.offset += 4; });
    damaged("contiguous.src", "accesses that begin inside a chunk, at an aligned address", swizzled(), [](Problem& problem, Plan& p) {
        problem.buffers[0].base = Bytes{8};
        segment(p).src.address.offset += 4;
    });

    other("bounds.src", "a region that starts one row early", start_row("0", "32"), start_row("-1", "32"));
    other("bounds.src", "a region that ends one row late", start_row("0", "32"), start_row("0", "33"));
    other("bounds.src", "a box that begins early", shifted("min = 0, max = 64, multiple_of = 8"),
          shifted("min = -8, max = 64, multiple_of = 8", "(32,64):(64,1) + p", "4096"));
    all.push_back({"bounds.src", "rows that go back to before the buffer", backwards("3968"), backwards("3960"),
                   [](Problem&, Plan& p) { segment(p).src.address.offset -= 8; }});
    other("bounds.src", "a buffer one element shorter", pitch(),
          from("ld = { min = 64, max = 4096, multiple_of = 8 }", "", pitched + "\ncapacity = \"31*ld + 63\"", packed));
    const char* short_rows = "Sw<3,3,3> o 512*p o (32,56):(64,1)";
    const auto narrow = [&](const std::string& capacity) {
        return from("p = { min = 0, max = 4 }", "",
                    std::string("\"") + short_rows + "\"" + (capacity.empty() ? "" : "\ncapacity = " + capacity), "\"(32,56):(56,1)\"");
    };
    other("bounds.src", "a swizzle that moves an access past the end", narrow(""), narrow("4088"));
    other("bounds.src", "a swizzle that moves an access past an end with a symbol", narrow(""), narrow("\"512*p + 2040\""));
    damaged("bounds.src", "8 too far", pitch(), [](Problem&, Plan& p) { segment(p).src.address.offset += 8; });
    damaged("bounds.src", "a bound left out", cut_off(), [](Problem&, Plan& p) { segment(p).predicate.clear(); });
    damaged("bounds.src", "an access of twice the width", pitch(), [](Problem&, Plan& p) { segment(p).src.width = {256}; });
    damaged("bounds.dst", "a symbol on the side that has none", pitch(), [=](Problem&, Plan& p) { segment(p).dst.address.offset = ld; });
    const auto one_row = [&](const std::string& least) {
        return from("n = { min = " + least + ", max = 0, multiple_of = 8 }", "", "\"(512):(1)\"\ncapacity = \"n + 512\"", "\"(512):(1)\"");
    };
    other("bounds.src", "a capacity with a symbol, one access shorter", one_row("0"), one_row("-8"));
    const auto same_row = [&](const std::string& most) {
        return from("row = { min = 0, max = " + most + " }", "", "\"(4,512):(0,1)\"", "\"(1,512):(512,1)\"", "A[row:+1, :]");
    };
    other("bounds.src", "a row behind the layout, on the same addresses", same_row("3"), same_row("4"));

    const auto bound = [](Plan& p) -> Expression& { return segment(p).predicate.at(0).below; };
    damaged("predicate", "a bound with a symbol left out", some_rows(128), [](Problem&, Plan& p) { segment(p).predicate.clear(); });
    damaged("predicate", "a bound one row late", some_rows(128), [=](Problem&, Plan& p) { bound(p) += 1; });
    damaged("covers", "a bound one row early", some_rows(128), [=](Problem&, Plan& p) { bound(p) -= 1; });
    damaged("covers", "a bound with a symbol that nothing asks for", pitch(), [=](Problem&, Plan& p) {
        segment(p).predicate = {{0, ld.plus(-64)}};
    });
    damaged("covers", "a bound on the wrong dimension", some_rows(128), [](Problem&, Plan& p) { segment(p).predicate.at(0).dim = 1; });
    damaged("covers", "a bound on the wrong dimension, which is as long", some_rows(64),
            [](Problem&, Plan& p) { segment(p).predicate.at(0).dim = 1; });
    damaged("covers", "an extent beyond the greatest", some_rows(64, "8192"), [](Problem& p, Plan&) { p.symbols[0].max = 128; });
    damaged("bounds.src", "a bound that lets accesses run behind the greatest extent", few_elements(),
            [=](Problem&, Plan& p) { bound(p) = bound(p).times(4); });
    damaged("predicate", "one bound twice, and the other not at all", some_rows_and_columns(), [](Problem&, Plan& p) {
        REQUIRE(segment(p).predicate.size() == 2);
        segment(p).predicate[1] = segment(p).predicate[0];
    });
    other("predicate", "an access that reaches past the end", some_elements(8), some_elements(4));
    const auto start_at = [](Plan& p, std::int64_t at) {
        Segment& s = segment(p);
        s.start.at(0) = at;
        for (SidePlan* side : {&s.src, &s.dst}) side->address.offset += at;
    };
    damaged("predicate", "accesses that begin between multiples of their lanes", some_elements(8), [=](Problem&, Plan& p) {
        start_at(p, 4);
        Segment& s = segment(p);  // less a round, so that none reaches the greatest extent
        --s.digits[index(p, Role::outer)].extent;
        --s.outer;
    });
    damaged("predicate", "threads that begin between multiples of their lanes", some_elements(8), [](Problem&, Plan& p) {
        Segment& s = segment(p);
        const std::size_t i = index(p, Role::thread);
        s.digits[i].weight = 4;
        s.src.address.strides[i] = s.dst.address.strides[i] = 4;
    });
    all.push_back(
        {"covers", "lanes that count down from the one that is compared", some_elements(8), some_elements(1), [=](Problem&, Plan& p) {
             start_at(p, 7);
             Segment& s = segment(p);
             const std::size_t i = index(p, Role::vec);
             s.digits[i].weight = -1;
             s.src.address.strides[i] = s.dst.address.strides[i] = -1;
         }});
    const auto odd_rows = [](const std::string& fact) {
        return from("n = { min = 0, max = 4 }", fact, "\"(4,8):(13,1)\"", "\"(4,8):(8,1)\"", "A[0:n, :]", "B[0:n, :]");
    };
    other("aligned.src", "a pitch that a second row takes", odd_rows("\"n <= 1\""), odd_rows("\"n <= 2\""));
    damaged("aligned.src", "a pitch that a row behind the end takes", odd_rows("\"n <= 1\""),
            [](Problem&, Plan& p) { segment(p).predicate.clear(); });
    all.push_back({"covers", "two lanes that count down", some_elements(2), some_elements(1), [=](Problem&, Plan& p) {
                       start_at(p, 1);
                       Segment& s = segment(p);
                       const std::size_t i = index(p, Role::vec);
                       s.digits[i].weight = -1;
                       s.src.address.strides[i] = s.dst.address.strides[i] = -1;
                   }});
    other("bounds.src", "a buffer of n rows, one element shorter", some_rows(128), some_rows(128, "64*n - 1"));
    other("bounds.src", "more rows than the layout has", some_rows(128, "8192"), some_rows(129, "8192"));

    other("disjoint", "rows that share one element", pitch_to(), pitch_to(63, 1));
    all.push_back({"disjoint", "batches that share one access", pitched_batches("64"), pitched_batches("56"), [](Problem&, Plan& p) {
                       for (Expression& stride : segment(p).dst.address.strides)
                           if (!stride.is_constant()) stride = stride.plus(-stride.coefficient({}) / 8);
                   }});
    damaged("disjoint", "rounds on top of each other", pitch_to(),
            [](Problem&, Plan& p) { segment(p).dst.address.strides[index(p, Role::outer)] = 0; });
    damaged("disjoint", "everything twice", pitch_to(), [](Problem&, Plan& p) { p.copies[0].segments.push_back(segment(p)); });
    all.push_back({"disjoint", "bytes that begin inside a byte", nibbles(""), nibbles(" + 1"),
                   [](Problem&, Plan& p) { segment(p).dst.address.offset += 1; }});
    damaged("disjoint", "one element to an access, two to a byte", nibbles(""), [](Problem&, Plan& p) {
        Segment& s = segment(p);
        const std::size_t i = index(p, Role::vec);
        const std::int64_t vec = s.vec;
        int place = 0;
        for (std::size_t k = 0; k < s.digits.size(); ++k)
            if (k != i && s.digits[k].role == Role::outer) ++place;
        s.digits[i].role = Role::outer;
        s.digits[i].place = place;
        s.outer *= vec;
        s.vec = 1;
        s.src.width = s.dst.width = {4};
    });
    other("no-alias", "a source that may begin in the destination", in_place("32"), in_place("31"));

    damaged("overflow", "bytes beyond 2^31, elements not", pitch(64, 8, 40'000'000),
            [](Problem&, Plan& p) { segment(p).src.address.index_bits = 32; });
    damaged("overflow", "an offset beyond 2^31", shifted("min = 0, max = 1600000000, multiple_of = 8"),
            [](Problem&, Plan& p) { segment(p).src.address.index_bits = 32; });
    all.push_back({"overflow", "an offset below -2^31", shifted("min = 0, max = 0"),
                   shifted("min = -1600000000, max = 0, multiple_of = 8", "(32,64):(64,1) + p", "4096"),
                   [](Problem&, Plan& p) {
                       segment(p).src.address.offset = Expression::symbol(0);
                       segment(p).src.address.index_bits = 32;
                   },
                   false});
    return all;
}

}  // namespace

TEST_CASE("near misses with symbols: none is proved, and values that show it are found") {
    for (Miss& miss : misses()) {
        CAPTURE(miss.obligation);
        CAPTURE(miss.what);
        const Solution solution = solve(miss.planned);
        REQUIRE(solution.complete());
        Plan plan = solution.plan();
        const Report good = verify(miss.planned, plan);
        for (const Finding& f : good.copies[0].findings)
            if (f.obligation != "no-alias") CHECK_MESSAGE(f.verdict == Verdict::proved, f.obligation);
        if (miss.damage) miss.damage(miss.judged, plan);
        const auto malformed_problem = check_problem(miss.judged);
        CHECK_MESSAGE(!malformed_problem, malformed_problem->text);
        const auto malformed = check_plan(miss.judged, plan);
        CHECK_MESSAGE(!malformed, malformed->text);
        if (malformed || malformed_problem) continue;
        const Report report = verify(miss.judged, plan);
        const Finding& found = finding(report, miss.obligation);
        CHECK_MESSAGE(found.verdict == (miss.is_shown ? Verdict::refuted : Verdict::unknown), found.reason);
        if (found.counterexample) CHECK(found.counterexample->symbols.size() == miss.judged.symbols.size());
    }
}

TEST_CASE("with symbols, a resource limit gives unknown, never proved") {
    VerifyOptions options;
    options.rlimit = 1;
    const auto all_judged = [&](const Problem& problem) {
        const Report report = verify(problem, solve(problem).plan(), options);
        CHECK(report.verdict() == Verdict::unknown);
        return report;
    };
    CHECK(finding(all_judged(batches("\"bs >= 7*ld + 64\"")), "disjoint").verdict == Verdict::unknown);
    CHECK(finding(all_judged(from("ld = { min = 64, max = 4096 }", "\"(3*ld) % 8 == 0\"", pitched, packed)), "aligned.src").verdict ==
          Verdict::unknown);
}

}  // namespace tileproof
