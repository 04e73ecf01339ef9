// A copy in one line: the same problem as in a file, and faults that point into the option.
#include "layouts/one_line.hpp"

#include <random>

#include <doctest/doctest.h>

#include "describe.hpp"

namespace tileproof::test {
namespace {

const OneLine sound{"global f16 (128,64):(64,1) align 16", "shared f16 Sw<3,3,3> o (128,64):(64,1)", "cta", 256, "sm_90"};

OneLine with_src(const std::string& src) {
    OneLine line = sound;
    line.src = src;
    return line;
}

Problem reads(const OneLine& line) {
    Loaded loaded = load_one_line(line);
    INFO((loaded.problem ? loaded.source.text : render(loaded.problem.error(), loaded.source)));
    REQUIRE(loaded.problem.ok());
    return std::move(loaded.problem.value());
}

/// The source buffer and region of the line, in the words of `describe`.
std::string src_of(const std::string& src) {
    const Problem problem = reads(with_src(src));
    return describe(problem.buffers[0], problem.symbols) + " " + describe(problem, problem.copies[0].src);
}

/// The diagnostic points at `at` in line `number` of the source.
void fails(const OneLine& line, const std::string& rule, int number, const std::string& at) {
    const Loaded loaded = load_one_line(line);
    REQUIRE_FALSE(loaded.problem.ok());
    const Diagnostic& fault = loaded.problem.error();
    INFO(render(fault, loaded.source));
    CHECK(fault.rule == rule);
    REQUIRE(fault.place.line == number);
    std::size_t begin = 0;
    for (int i = 1; i < number; ++i) begin = loaded.source.text.find('\n', begin) + 1;
    const std::size_t column = begin + static_cast<std::size_t>(fault.place.column) - 1;
    CHECK(loaded.source.text.substr(column, static_cast<std::size_t>(fault.place.length)) == at);
}

void src_fails(const std::string& src, const std::string& rule, const std::string& at) {
    INFO(src);
    fails(with_src(src), rule, 1, at);
}

/// What `sound` says.
const std::string sound_file = R"toml([target]
arch = "sm_90"
[buffers.src]
space = "global"
dtype = "f16"
layout = "(128,64):(64,1)"
align = 16
[buffers.dst]
space = "shared"
dtype = "f16"
layout = "Sw<3,3,3> o (128,64):(64,1)"
[[copies]]
src = "src"
dst = "dst"
scope = "cta"
threads = 256
)toml";

}  // namespace

TEST_CASE("the same problem as in a file") {
    const Result<Problem> from_file = parse_problem({"copy.toml", sound_file}, "copy");
    REQUIRE(from_file.ok());
    CHECK(describe(reads(sound)) == describe(from_file.value()));
    CHECK(reads(sound).buffers[0].name == "src");  // the first parameter of the kernel
}

TEST_CASE("a predicate, and zeros behind it") {
    const std::string file = sound_file + "predicate = \"d0 < 100, d1 <= 30\"\n";
    OneLine line = sound;
    line.predicate = "d0 < 100, d1 <= 30";
    const Problem cut = reads(line);
    CHECK(describe(cut) == describe(parse_problem({"copy.toml", file}, "copy").value()));
    CHECK(cut.copies[0].src.region.extent == std::vector<std::int64_t>{100, 31});
    line.zero_fill = true;
    const Problem filled = reads(line);
    CHECK(filled.copies[0].zero_fill);
    CHECK(filled.copies[0].src.region.extent == std::vector<std::int64_t>{128, 64});
    CHECK(describe(filled) == describe(parse_problem({"copy.toml", file + "zero_fill = true\n"}, "copy").value()));
    line.predicate.reset();
    fails(line, "predicate-bound", 3, "--zero-fill");
    line.predicate = "d0 + d1 < 7";
    fails(line, "predicate-bound", 3, "d0 + d1 < 7");
    line.predicate = "d0 < m";
    fails(line, "unknown-symbol", 3, "m");
    line.predicate = "d0 < 7,\nd2 < 3";
    fails(line, "predicate-bound", 3, "d2 < 3");
    line.predicate = "";
    const Loaded empty = load_one_line(line);
    REQUIRE_FALSE(empty.problem.ok());
    CHECK(empty.problem.error().rule == "predicate-syntax");
}

TEST_CASE("where the layout ends") {
    const std::string tail = " align 16 default capacity 32 default src[0:+8 0:+4 ]";
    CHECK(src_of("global f16 (8,4):(4,1)") == "src global f16 S[(8,4):(4,1)] of 8 4" + tail);
    CHECK(src_of("global f16 S[8,4]") == "src global f16 S[(8,4):(4,1)] of 8 4" + tail);
    CHECK(src_of("global f16 S [8,4]") == "src global f16 S[(8,4):(4,1)] of 8 4" + tail);
    CHECK(src_of("global f16 bits [(4,8,16),(1,2)]") == "src global f16 S[(8,4):(4,1)] of 8 4" + tail);
    CHECK(src_of(" global  f16 S[8,4][:, :] ") == "src global f16 S[(8,4):(4,1)] of 8 4" + tail);
    CHECK(src_of("global f16 S[8,4] [2, 1:+3]") ==
          "src global f16 S[(8,4):(4,1)] of 8 4 align 16 default capacity 32 default src[2:+1 1:+3 ]");
    CHECK(src_of("global f16 (8,4):(4,1) + 8 [:,:] align 8") ==
          "src global f16 S[(8,4):(4,1)] + 8 of 8 4 align 8 capacity 40 default src[0:+8 0:+4 ]");
    CHECK(src_of("global f16 Sw<1,1,1> o 2 o _8:_1 base 8") ==
          "src global f16 swizzle(1,1,1) o S[(8):(1)] + 2 of 8 align 16 base 8 capacity 10 default src[0:+8 ]");
    CHECK(src_of("global f16 _8:_1 [1:3] capacity 99") == "src global f16 S[(8):(1)] of 8 align 16 default capacity 99 src[1:+2 ]");
    CHECK(src_of("global f16 S[(4,2,4):(8@m,4,1)] shape 8,4 align 4") ==
          "src global f16 S[(4,2,4):(8,4,1)] of 8 4 align 4 capacity 32 default src[0:+8 0:+4 ]");
    CHECK(src_of("shared float16 swizzle(3,1,3) o S[8,8] swizzle_on address align 512") ==
          "src shared f16 swizzle(3,1,3) o S[(8,8):(8,1)] of 8 8 align 512 capacity 64 default on address "
          "src[0:+8 0:+8 ]");
}

TEST_CASE("faults of a side") {
    src_fails("", "missing-key", "--src");
    src_fails("global", "missing-key", "--src");
    src_fails("global f16", "missing-key", "--src");
    src_fails("gobal f16 8:1", "unknown-value", "gobal");
    src_fails("register f16 8:1 align 16", "register-key", "16");
    src_fails("global f16 8:1@laneid", "thread-axes", "8:1@laneid");
    src_fails("(8,4):(4,1)", "option-syntax", "(");
    src_fails("global f61 8:1", "unknown-dtype", "f61");
    src_fails("global f16 align 16", "layout-syntax", "align");
    src_fails("global f16 (8,4):(4,-1)", "negative-offset", "(8,4):(4,-1)");
    src_fails("global f16 (8,4):(4,x) align 16", "unknown-symbol", "x");
    src_fails("global f16 (8,4)", "layout-syntax", "\n");
    src_fails("global f16 (8,4:(4,1) align 16", "layout-syntax", ":");
    src_fails("global f16 8:1 algin 16", "unknown-key", "algin");
    src_fails("global f16 8:1 stages 2", "unsupported", "stages");
    src_fails("global f16 8:1 align", "option-syntax", "\n");
    src_fails("global f16 8:1 align x", "wrong-type", "x");
    src_fails("global f16 8:1 align 12", "out-of-range", "12");
    src_fails("global f16 8:1 align 99999999999999999999", "overflow", "99999999999999999999");
    src_fails("global f16 8:1 align 16 align 16", "duplicate-key", "align");
    src_fails("global f16 8:1 align 16 base 16", "align-and-base", "16");
    src_fails("global f16 8:1 shape 4,", "option-syntax", "\n");
    src_fails("global f16 8:1 shape 4,4", "shape-mismatch", "4,4");
    src_fails("global f16 8:1 shape x", "option-syntax", "x");
    src_fails("global f16 8:1 capacity -1", "out-of-range", "-1");
    src_fails("global f16 8:1 [0:9]", "region-outside", "0:9");
    src_fails("global f16 8:1 [0:4, 3]", "region-rank", "[0:4, 3]");
    src_fails("global f16 8:1 [0:4", "region-syntax", "\n");
    src_fails("global f16 8:1 [0:4] [0:4]", "duplicate-key", "[0:4]");
    src_fails("global f16 8:1 align 8 , 3", "option-syntax", ",");
    src_fails("global f16 (8,4)\n:(4,z)", "unknown-symbol", "z");
    src_fails("global f16 \xff", "layout-syntax", "?");
}

TEST_CASE("faults of the other options") {
    OneLine line = sound;
    line.dst = "shared f16 (8,4):(4,1) align 3";
    fails(line, "out-of-range", 2, "3");
    line = sound;
    line.scope = "cat";
    fails(line, "unknown-value", 3, "cat");
    line = sound;
    line.arch = "sm_9";
    fails(line, "unknown-arch", 3, "sm_9");
    line = sound;
    line.threads.reset();
    fails(line, "missing-key", 3, "cta");
    line.scope = "warp";
    CHECK(reads(line).copies[0].threads == 32);
    line.threads = 5000;
    fails(line, "out-of-range", 3, "5000");
    line = with_src(std::string(2 << 20, ' '));
    CHECK(load_one_line(line).problem.error().rule == "file-too-large");
}

TEST_CASE("mutated sides are read or refused, never worse") {
    const std::vector<std::string> seeds{"global f16 Sw<3,3,3> o 8 o ((4,2),16):((64,8),1) + 5 align 16 [0:4, :]",
                                         "shared f32 swizzle(3,3,3) o S[(8,8):(64,1)] shape 64 capacity 4096 base 8"};
    const std::string alphabet = "()[]<>:,o+-_@ 0123456789SwRalign\xff";
    std::mt19937 random(17);
    for (int round = 0; round < 4000; ++round) {
        std::string text = seeds[random() % seeds.size()];
        for (std::size_t edits = random() % 4 + 1; edits > 0; --edits)
            text.replace(random() % (text.size() + 1), random() % 3, std::string(random() % 2, alphabet[random() % alphabet.size()]));
        const Loaded loaded = load_one_line(with_src(text));
        if (loaded.problem) continue;
        INFO(text);
        CHECK(loaded.problem.error().place.line >= 1);
        CHECK_FALSE(render(loaded.problem.error(), loaded.source).empty());
    }
}

}  // namespace tileproof::test
