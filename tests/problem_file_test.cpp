// Problem files: what is read, what is taken where nothing is said, and where each fault is.
#include "layouts/problem_file.hpp"

#include <random>

#include <doctest/doctest.h>

namespace tileproof::test {
namespace {

constexpr const char* sound = R"toml([target]
arch = "sm_90"

[buffers.A]
space  = "global"
dtype  = "f16"
layout = "(64,32):(32,1)"

[buffers.S]
space  = "shared"
dtype  = "half"
layout = "Sw<3,3,3> o (64,32):(32,1)"

[[copies]]
src   = "A"
dst   = "S"
scope = "warp"
)toml";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

Problem reads(const std::string& text) {
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    INFO((problem ? std::string() : render(problem.error(), {"copy.toml", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

/// The diagnostic points at `at`: its place is where that word stands in the text, and as long.
void fails(const std::string& text, const std::string& rule, const std::string& at) {
    INFO(text);
    const Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    REQUIRE_FALSE(problem.ok());
    const Diagnostic& fault = problem.error();
    INFO(render(fault, {"copy.toml", text}));
    CHECK(fault.rule == rule);
    std::size_t begin = 0;
    for (int line = 1; line < fault.place.line; ++line) begin = text.find('\n', begin) + 1;
    const std::size_t column = begin + static_cast<std::size_t>(fault.place.column) - 1;
    REQUIRE(column <= text.size());
    CHECK(text.substr(column, static_cast<std::size_t>(fault.place.length)) == at);
}

/// `sound` with `from` replaced by `to`.
void change_fails(const std::string& from, const std::string& to, const std::string& rule, const std::string& at) {
    fails(replaced(sound, from, to), rule, at);
}

/// `sound` with more lines in [buffers.A].
void buffer_fails(const std::string& lines, const std::string& rule, const std::string& at) {
    change_fails("dtype  = \"f16\"\n", "dtype  = \"f16\"\n" + lines + "\n", rule, at);
}

/// `sound` with more lines in [[copies]].
void copy_fails(const std::string& lines, const std::string& rule, const std::string& at) { fails(sound + lines + "\n", rule, at); }

}  // namespace

TEST_CASE("a problem with everything left to the defaults") {
    const Problem problem = reads(sound);
    CHECK(problem.stem == "copy");
    CHECK(problem.target.name == "sm_90");
    CHECK_FALSE(problem.ptx.has_value());
    REQUIRE(problem.buffers.size() == 2);
    const Buffer &a = problem.buffers[0], &s = problem.buffers[1];
    CHECK(a.name == "A");
    CHECK(a.space == Space::global);
    CHECK(a.dtype == *find_dtype("f16"));
    CHECK(a.layout == Layout{{64, 32}, {{64, 32}, {32, 1}}, 0, {}});
    CHECK(a.align == Bytes{16});
    CHECK(a.align_is_default);
    CHECK(a.capacity == Elements{2048});
    CHECK(a.capacity_is_default);
    CHECK(s.space == Space::shared);
    CHECK(s.dtype == a.dtype);
    CHECK(s.align == Bytes{1024});  // the swizzle's period
    CHECK_FALSE(s.swizzle_on_address);
    REQUIRE(problem.copies.size() == 1);
    const Copy& copy = problem.copies[0];
    CHECK(copy.name == "copy0");
    CHECK(copy.src.region == Region{{0, 0}, {64, 32}});
    CHECK(copy.dst.buffer == 1);
    CHECK(copy.scope == Scope::warp);
    CHECK(copy.threads == 32);
    CHECK(copy.dispatch == "auto");
    CHECK(problem.launch.block == 32);
    CHECK(problem.launch.block_is_default);
}

TEST_CASE("a problem that says everything") {
    const Problem problem = reads(R"toml(
[[copies]]
name = "there"
src = "Z[3, 0:64, :, 5:+32]"
dst = "A"
scope = "cta"
threads = 96
dispatch = "vec_auto"
[[copies]]
src = "A"
dst = "Z[4, 64:128, 0:2, 5:37]"
scope = "warpgroup"
group = 1
threads = 128
[target]
arch = "sm_100a"
ptx = "8.8"
[launch]
block = 256
grid = [1, 1, 1]
[buffers]
Z = { space = "global", dtype = "float", layout = "S[(5,128,2,50):(12800,100,50,1)]", base = 8, capacity = 100000 }
[buffers.A]
space = "shared"
dtype = "f32"
layout = 'swizzle(2,3,3) o S[(64,4,16):(64,16,1)] + 4'
shape = [64, 2, 32]
align = 2048
swizzle_on = "address"
)toml");
    CHECK(problem.ptx == PtxVersion{8, 8});
    CHECK(problem.launch.block == 256);
    CHECK_FALSE(problem.launch.block_is_default);
    REQUIRE(problem.buffers.size() == 2);
    CHECK(problem.buffers[0].name == "Z");  // in file order
    CHECK(problem.buffers[0].base == Bytes{8});
    CHECK(problem.buffers[0].capacity == Elements{100000});
    CHECK_FALSE(problem.buffers[0].capacity_is_default);
    CHECK(problem.buffers[1].layout == Layout{{64, 2, 32}, {{64, 64}, {4, 16}, {16, 1}}, 4, {3, 2, 3}});
    CHECK(problem.buffers[1].align == Bytes{2048});
    CHECK(problem.buffers[1].swizzle_on_address);
    REQUIRE(problem.copies.size() == 2);
    CHECK(problem.copies[0].name == "there");
    CHECK(problem.copies[0].src.region == Region{{3, 0, 0, 5}, {1, 64, 2, 32}});
    CHECK(problem.copies[0].threads == 96);
    CHECK(problem.copies[0].dispatch == "vec_auto");
    CHECK(problem.copies[1].name == "copy1");
    CHECK(problem.copies[1].dst.region == Region{{4, 64, 0, 5}, {1, 64, 2, 32}});
    CHECK(participants(problem.copies[1], problem.launch) == Participants{128, 128});
}

TEST_CASE("defaults that depend on the rest") {
    const auto shared_align = [](const std::string& layout) {
        return reads(replaced(sound, "Sw<3,3,3> o (64,32):(32,1)", layout)).buffers[1].align;
    };
    CHECK(shared_align("(64,32):(32,1)") == Bytes{16});
    CHECK(shared_align("Sw<1,0,1> o (64,32):(32,1)") == Bytes{16});
    CHECK(shared_align("Sw<1,3,3> o (64,32):(32,1)") == Bytes{256});
    CHECK(shared_align("Sw<2,10,8> o (64,32):(32,1)") == Bytes{1 << 20});
    CHECK(reads(std::string(sound) + "group = 2\n").launch.block == 96);
    CHECK(reads(replaced(sound, "Sw<3,3,3> o (64", "Sw<3,3,3> o 65 o (64")).buffers[1].capacity == Elements{2121});
}

TEST_CASE("faults of syntax and text") {
    fails("[target\n", "toml-syntax", "\n");
    fails("a = \n", "toml-syntax", "\n");
    fails("a = 1\na = 2\n", "toml-syntax", "2");
    fails("a = 99999999999999999999", "toml-syntax", "");
    fails(std::string("arch = 1\nb\0c", 12), "not-text", std::string(1, '\0'));
    fails("ok = 1\n# \xc3\x28", "not-text", "\xc3");
    fails("# \xed\xa0\x80", "not-text", "\xed");
    fails("# \xf5\x80\x80\x80", "not-text", "\xf5");
    fails("# \xe2\x82", "not-text", "\xe2");
    fails("", "missing-key", "");
    CHECK(reads("\xef\xbb\xbf" + std::string(sound)).copies.size() == 1);
    CHECK(reads(replaced(sound, "\n", "\r\n")).copies.size() == 1);
    CHECK(reads("# \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n" + std::string(sound)).copies.size() == 1);
}

TEST_CASE("faults of nesting, however they are written") {
    const auto many = [](const std::string& part, int times) {
        std::string out;
        for (int i = 0; i < times; ++i) out += part;
        return out;
    };
    fails("a = " + many("[", 33), "nesting", "[");
    fails("a = " + many("{a=", 300000), "nesting", "{");
    fails(many("a.", 33) + "a = 1", "nesting", ".");
    fails(many("a.", 400000) + "a = 1", "nesting", ".");
    fails("[" + many("a.", 400000) + "a]", "nesting", ".");
    fails("a = [\"\"\"x\"\"\"\", {" + many("a.", 400000) + "a = 1}]", "nesting", ".");
    fails("a = \"" + many("[.", 400) + "\"", "unknown-key", "a");
    fails("a = '''" + many("[.\n", 400) + "'''", "unknown-key", "a");
    fails("# " + many("[.", 400) + "\na = 1", "unknown-key", "a");
    fails("a = \"\\\"" + many("[.", 400) + "\"", "unknown-key", "a");
}

TEST_CASE("unknown keys, with a suggestion") {
    buffer_fails("algn = 16", "unknown-key", "algn");
    change_fails("[target]", "[lunch]\nblock = 3\n[target]", "unknown-key", "lunch");
    change_fails("arch =", "arhc =", "unknown-key", "arhc");
    change_fails("[buffers.S]", "[bufers.S]", "unknown-key", "bufers");
    copy_fails("thread = 3", "unknown-key", "thread");
    change_fails("[target]", "[launch]\nblck = 3\n[target]", "unknown-key", "blck");
    const std::string text = replaced(sound, "dtype ", "dtyp  ");
    const Result<Problem> problem = parse_problem({"copy.toml", text}, "copy");
    REQUIRE_FALSE(problem.ok());
    CHECK(problem.error().text == "unknown key 'dtyp' in [buffers.A]");
    CHECK(problem.error().help == std::vector<std::string>{"did you mean 'dtype'?"});
}

TEST_CASE("what belongs to later versions is not called unknown") {
    buffer_fails("stages = 3", "unsupported", "stages");
    copy_fails("completion = \"never\"", "unknown-value", "\"never\"");
    copy_fails("predicate = [\"d0 < 4\"]", "wrong-type", "[\"d0 < 4\"]");
    copy_fails("zero_fill = true", "predicate-bound", "true");
    copy_fails("zero_fill = \"yes\"\npredicate = \"d0 < 4\"", "wrong-type", "\"yes\"");
    copy_fails("dispatch = \"ldmatrix\"", "unknown-value", "\"ldmatrix\"");
    copy_fails("group = \"each\"", "missing-key", "\"each\"");
}

TEST_CASE("symbols and facts") {
    const auto with = [](const std::string& symbols, const std::string& facts, const std::string& from, const std::string& to) {
        return replaced(sound, from, to) + "[symbols]\n" + symbols + "\n[assume]\nfacts = [" + facts + "]\n";
    };
    const std::string ld = "ld = { min = 32, max = 4096, multiple_of = 8 }";
    const Problem p = reads(with(ld, "\"ld % 16 == 0\", \"2*ld >= 80\"", "(64,32):(32,1)", "(64,32):(ld,1)"));
    REQUIRE(p.symbols.size() == 1);
    CHECK(p.symbols[0].min == 32);
    CHECK(p.symbols[0].max == 4096);
    CHECK(p.symbols[0].multiple_of == 8);
    REQUIRE(p.facts.size() == 2);
    CHECK(to_string(p.facts[0], p.symbols) == "(ld) % 16 == 0");
    CHECK(to_string(p.facts[1], p.symbols) == "2*ld >= 80");
    CHECK(holds(p.facts[1], {40}));
    CHECK_FALSE(holds(p.facts[1], {39}));
    CHECK(to_string(p.buffers[0].layout.iters[0].stride, p.symbols) == "ld");
    CHECK(to_string(p.buffers[0].symbolic_capacity.value(), p.symbols) == "63*ld + 32");

    fails(std::string(sound) + "[symbols]\nld = { min = 64 }\n", "missing-key", "ld");
    fails(std::string(sound) + "[symbols]\nld = { min = 64, max = 80, multiple = 8 }\n", "unknown-key", "multiple");
    fails(std::string(sound) + "[symbols]\nld = { min = 64, max = 80, multiple_of = 0 }\n", "out-of-range", "0");
    fails(std::string(sound) + "[symbols]\nA = { min = 64, max = 80 }\n", "duplicate-name", "A");
    fails(std::string(sound) + "[assume]\nfacts = [\"ld > 3\"]\n", "unknown-symbol", "ld");
    fails(with(ld, "\"ld >\"", "f16", "f16"), "expression-syntax", "\"");
    fails(with(ld, "\"ld\"", "f16", "f16"), "expression-syntax", "\"");
    fails(with(ld, "\"8 % (ld - 32) == 0\"", "f16", "f16"), "fact-modulus", "(ld - 32)");
    fails(with(ld, "3", "f16", "f16"), "wrong-type", "3");
    buffer_fails("capacity = \"ld*64\"", "unknown-symbol", "ld");
    change_fails("(64,32):(32,1)", "(64,32):(ld,1)", "unknown-symbol", "ld");
    change_fails("src   = \"A\"", "src   = \"A[r:+32, :]\"", "unknown-symbol", "r");
    fails(with("n = { min = -8, max = 0 }", "", "src   = \"A\"", "src   = \"A[0:n, :]\""), "zero-extent", "0:n");
    fails(with("n = { min = 1, max = 64 }", "", "src   = \"A\"", "src   = \"A[64:64+n, :]\""), "region-outside", "64:64+n");
    const Region part =
        reads(with("n = { min = 1, max = 1000, multiple_of = 3 }", "", "src   = \"A\"", "src   = \"A[2:n+2, :]\"")).copies[0].src.region;
    CHECK(part.extent == std::vector<std::int64_t>{60, 32});
    CHECK(part.symbolic_extent.at(0) == Expression::symbol(0));
    CHECK(reads(with("n = { min = 1, max = 32, multiple_of = 3 }", "", "src   = \"A\"", "src   = \"A[0:2*n, :]\""))
              .copies[0]
              .src.region.extent[0] == 60);
    fails(with("s = { min = -8, max = 8 }", "", "(64,32):(32,1)", "(64,32):(s,1)"), "missing-key", "\"(64,32):(s,1)\"");
    fails(with("r = { min = 0, max = 8 }", "", "layout = \"(64,32):(32,1)\"", "layout = \"((8,8),32):((32,512),1)\"") +
              "[[copies]]\nname = \"again\"\nsrc = \"A[r:+32, :]\"\ndst = \"S[0:32, :]\"\nscope = \"warp\"\n",
          "unsupported", "\"A[r:+32, :]\"");
    fails(with("x = { min = 0, max = 1125899906842624 }", "", "(64,32):(32,1)", "(64,32):(x,1)"), "overflow", "\"(64,32):(x,1)\"");
}

TEST_CASE("faults of values") {
    change_fails("\"sm_90\"", "\"sm_42\"", "unknown-arch", "\"sm_42\"");
    change_fails("\"sm_90\"", "\"sm_90\"\nptx = \"7\"", "ptx-version", "\"7\"");
    change_fails("\"sm_90\"", "\"sm_90\"\nptx = \"7.7\"", "ptx-version", "\"7.7\"");
    change_fails("\"sm_90\"", "\"sm_90\"\nptx = 7.8", "wrong-type", "7.8");
    change_fails("\"f16\"", "\"f17\"", "unknown-dtype", "\"f17\"");
    change_fails("\"global\"", "\"globl\"", "unknown-value", "\"globl\"");
    copy_fails("dispatch = \"fast\"", "unknown-value", "\"fast\"");
    change_fails("\"warp\"", "\"wrap\"", "unknown-value", "\"wrap\"");
    change_fails("\"warp\"", "\"cta\"", "missing-key", "\"cta\"");
    buffer_fails("swizzle_on = \"address\"", "swizzle-on", "A");
    buffer_fails("swizzle_on = \"bank\"", "unknown-value", "\"bank\"");
    buffer_fails("align = 12", "out-of-range", "12");
    buffer_fails("align = 9223372036854775807", "out-of-range", "9223372036854775807");
    buffer_fails("base = 300", "out-of-range", "300");
    buffer_fails("align = 16\nbase = 8", "align-and-base", "8");
    buffer_fails("capacity = -1", "out-of-range", "-1");
    buffer_fails("capacity = true", "wrong-type", "true");
    buffer_fails("shape = [64, 31]", "shape-mismatch", "[64, 31]");
    buffer_fails("shape = [64, 0]", "out-of-range", "0");
    buffer_fails("shape = []", "rank", "[]");
    buffer_fails("shape = [64, \"x\"]", "wrong-type", "\"x\"");
    copy_fails("threads = 0", "out-of-range", "0");
    copy_fails("threads = 64", "threads-differ", "64");
    copy_fails("group = -1", "out-of-range", "-1");
    copy_fails("group = 99", "block-too-small", "99");
    fails(std::string(sound) + "[launch]\nblock = 31\n", "block-too-small", "31");
    fails(std::string(sound) + "[launch]\nblock = 2000\n", "out-of-range", "2000");
    fails(std::string(sound) + "[launch]\ngrid = [1, 1, 1, 1]\n", "out-of-range", "[1, 1, 1, 1]");
    fails(std::string(sound) + "[launch]\ngrid = 1\n", "wrong-type", "1");
}

TEST_CASE("faults inside strings are pointed at") {
    change_fails("(64,32):(32,1)", "(64,0):(32,1)", "zero-extent", "0");
    change_fails("\"(64,32):(32,1)\"", "'(64,32):(32)'", "layout-syntax", "(32)");
    change_fails("\"(64,32):(32,1)\"", "\"(64,\\u0033):(32)\"", "layout-syntax", "\"(64,\\u0033):(32)\"");
    change_fails("[buffers.A]\nspace  = \"global\"\ndtype  = \"f16\"\nlayout = \"(64,32):(32,1)\"",
                 "[buffers]\nA = { layout = \"(64,32):(32)\", space = \"global\", dtype = \"f16\" }", "layout-syntax", "(32)");
    change_fails("src   = \"A\"", "src   = \"A[0:65, :]\"", "region-outside", "0:65");
    change_fails("src   = \"A\"", "src   = \"A[-1:3, :]\"", "region-outside", "-1:3");
    change_fails("src   = \"A\"", "src   = \"A[:, 5:3]\"", "region-reversed", "5:3");
    change_fails("src   = \"A\"", "src   = \"A[:, 5:+0]\"", "zero-extent", "5:+0");
    change_fails("src   = \"A\"", "src   = \"A[0:32]\"", "region-rank", "[0:32]");
    change_fails("src   = \"A\"", "src   = \"A[0:32, 0\"", "region-syntax", "\"");
    change_fails("src   = \"A\"", "src   = \"A[0:32, 0] x\"", "region-syntax", "x");
    change_fails("src   = \"A\"", "src   = \"A[]\"", "region-syntax", "]");
    change_fails("src   = \"A\"", "src   = \"A[0:]\"", "region-syntax", "]");
    change_fails("src   = \"A\"", "src   = \"\"", "region-syntax", "\"");
    change_fails("src   = \"A\"", "src   = \"B\"", "unknown-buffer", "B");
    change_fails("src   = \"A\"", "src   = \"A[0:9223372036854775808, :]\"", "overflow", "9223372036854775808");
    change_fails("src   = \"A\"", "src   = \"A[9223372036854775807, :]\"", "overflow", "9223372036854775807");
    change_fails("src   = \"A\"", "src   = \"A[1:70*3, :]\"", "region-outside", "1:70*3");
}

TEST_CASE("faults of structure") {
    fails("target = 3", "wrong-type", "3");
    fails("buffers = 3\ncopies = 4\n[target]\narch = \"sm_90\"\n", "wrong-type", "3");
    fails("[target]\narch = \"sm_90\"\n[buffers]\nA = 3\n[[copies]]\n", "wrong-type", "3");
    fails("[target]\narch = \"sm_90\"\n[buffers]\n[copies]\n", "wrong-type", "[copies]");
    fails("copies = [1]\n[target]\narch = \"sm_90\"\n[buffers]\n", "wrong-type", "1");
    fails("copies = []\n[target]\narch = \"sm_90\"\n[buffers]\n", "missing-key", "c");
    change_fails("[buffers.A]", "[buffers.\"my tile\"]", "bad-name", "\"my tile\"");
    copy_fails("name = \"a b\"", "bad-name", "\"a b\"");
    copy_fails("name = \"copy1\"\n[[copies]]\nsrc = \"A\"\ndst = \"S\"\nscope = \"warp\"", "duplicate-name", "[[copies]]");
    change_fails("scope = \"warp\"", "", "missing-key", "[[copies]]");
    change_fails("layout = \"(64,32):(32,1)\"\n", "", "missing-key", "[buffers.A]");
}

TEST_CASE("of several faults the first in the file is reported") {
    const std::string two = replaced(replaced(sound, "\"global\"", "\"globl\""), "\"warp\"", "\"wrap\"");
    fails(two, "unknown-value", "\"globl\"");
    fails("[[copies]]\nscope = \"wrap\"\nsrc = \"A\"\ndst = \"A\"\n[buffers.A]\nspace = \"globl\"\n[target]\n", "unknown-value",
          "\"wrap\"");
    // A buffer at fault is still a buffer: the copies before it that name it are in order.
    fails(
        "[[copies]]\nscope = \"warp\"\nsrc = \"A[0]\"\ndst = \"B\"\n[buffers.A]\nspace = "
        "\"globl\"\n[buffers.B]\n[target]\n",
        "unknown-value", "\"globl\"");
}

TEST_CASE("mutated problems are read or refused, never worse") {
    std::mt19937 random(5);
    const std::string alphabet = "[]{}()=.,:\"'#\n \\0123456789abS_-+<>\xc3\xa9";
    for (int round = 0; round < 3000; ++round) {
        std::string text = sound;
        for (std::size_t edits = random() % 5 + 1; edits > 0; --edits) {
            const std::size_t at = random() % text.size();
            if (random() % 8 == 0) {
                text.erase(at, random() % 40);
            } else {
                text.replace(at, random() % 2, 1, alphabet[random() % alphabet.size()]);
            }
        }
        const Source source{"copy.toml", text};
        const Result<Problem> problem = parse_problem(source, "copy");
        if (problem) {
            for (const Copy& copy : problem.value().copies) static_cast<void>(rejection(problem.value(), copy));
        } else {
            CHECK(problem.error().place.line > 0);
            CHECK_FALSE(render(problem.error(), source).empty());
        }
    }
}

}  // namespace tileproof::test
