// Layouts as text: what CuTe itself computes, what each form means, that printing reads back, and where a fault is.
#include "layouts/notation.hpp"

#include <algorithm>
#include <fstream>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "layouts/address.hpp"
#include "layouts/thread_axes.hpp"

namespace tileproof::test {
namespace {

using Shape = std::vector<std::int64_t>;
using Iters = std::vector<Iter>;

Layout reads(std::string_view text, const Shape& shape = {}) {
    INFO(std::string(text));
    Result<Layout> layout = read_layout(text, shape);
    INFO((layout ? std::string() : layout.error().text));
    REQUIRE(layout.ok());
    return std::move(layout.value());
}

void cute_reads_back(const Layout& layout) {
    if (!modes(layout)) return;
    const std::string text = to_cute(layout);
    CHECK(reads(text) == layout);
}

void tirx_reads_back(const Layout& layout) {
    const std::string text = to_tirx(layout);
    CHECK(reads(text, layout.shape) == layout);
}

void reads_back(std::string_view text, const Shape& shape = {}) {
    INFO(std::string(text));
    cute_reads_back(reads(text, shape));
    tirx_reads_back(reads(text, shape));
}

void fails(std::string_view text, const std::string& rule, int column, int length, const Shape& shape = {}) {
    INFO(std::string(text));
    const Result<Layout> layout = read_layout(text, shape);
    REQUIRE_FALSE(layout.ok());
    INFO(layout.error().text);
    CHECK(layout.error().rule == rule);
    CHECK(layout.error().place.line == 1);
    CHECK(layout.error().place.column == column);
    CHECK(layout.error().place.length == length);
}

std::string repeated(const std::string& part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
}

}  // namespace

TEST_CASE("offsets that CuTe computes") {
    std::ifstream file(std::string(TILEPROOF_TEST_DATA) + "/cute_layouts.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    REQUIRE(golden["layouts"].size() >= 18);
    for (const nlohmann::json& entry : golden["layouts"]) {
        const std::string text = entry["layout"];
        INFO(text);
        const Layout layout = reads(text);
        CHECK(layout.shape == entry["shape"].get<Shape>());
        const Shape offsets = entry["offsets"];
        REQUIRE(size(layout).count == static_cast<std::int64_t>(offsets.size()));
        Shape coordinate(layout.shape.size(), 0);
        for (const std::int64_t offset : offsets) {
            CHECK(element_offset(layout, coordinate) == offset);
            for (std::size_t dim = coordinate.size(); dim-- > 0;) {
                if (++coordinate[dim] < layout.shape[dim]) break;
                coordinate[dim] = 0;
            }
        }
        CHECK(span(layout).count == *std::max_element(offsets.begin(), offsets.end()) + 1);
        reads_back(text);
    }
}

TEST_CASE("CuTe: dimensions are the top-level modes, the leftmost submode is the fastest") {
    CHECK(reads("(128,64):(64,1)") == Layout{{128, 64}, {{128, 64}, {64, 1}}, 0, {}});
    CHECK(reads("((8,16),64):((64,512),1)") == Layout{{128, 64}, {{16, 512}, {8, 64}, {64, 1}}, 0, {}});
    CHECK(reads("((2,(3,2)),4):((1,(8,2)),24)") == Layout{{12, 4}, {{2, 2}, {3, 8}, {2, 1}, {4, 24}}, 0, {}});
    for (const char* text : {"(8):(1)", "8:1", "_8:_1", "(_8):(_1)", " ( 8 ) :\n( 1 ) ", "+8:1"})
        CHECK(reads(text) == Layout{{8}, {{8, 1}}, 0, {}});
    CHECK(reads("((8)):((1))") == reads("8:1"));
    CHECK(reads("((2,4)):((4,1))").shape == Shape{8});
    CHECK(reads("(4,1):(1,9)") == Layout{{4, 1}, {{4, 1}, {1, 9}}, 0, {}});
    CHECK(reads("(4):(-1) + 3") == Layout{{4}, {{4, -1}}, 3, {}});
    CHECK(reads("(4,()):(1,())") == Layout{{4, 1}, {{4, 1}}, 0, {}});
}

TEST_CASE("TIRx: iters outermost first") {
    CHECK(reads("S[32,16]") == reads("(32,16):(16,1)"));
    CHECK(reads("S[(32,16)]") == reads("S[32,16]"));
    CHECK(reads("S[4,6,5]") == reads("(4,6,5):(30,5,1)"));
    CHECK(reads("S[(128,8,8):(8,1024,1)]") == Layout{{128, 8, 8}, {{128, 8}, {8, 1024}, {8, 1}}, 0, {}});
    CHECK(reads("S[8:2]") == Layout{{8}, {{8, 2}}, 0, {}});
    CHECK(reads("S[(8):(2)]") == reads("S[8:2]"));
    CHECK(reads("S[8]") == reads("8:1"));
    CHECK(reads("S[(8,4):(4@m,1)] + 2@m") == Layout{{8, 4}, {{8, 4}, {4, 1}}, 2, {}});
}

TEST_CASE("swizzles and offsets go with either notation") {
    const Layout swizzled{{8, 64}, {{8, 64}, {64, 1}}, 0, {3, 4, 5}};
    for (const char* text : {"Sw<3,4,5> o (8,64):(64,1)", "swizzle(4,3,5) o (8,64):(64,1)", "Sw<3,4,5> o S[8,64]",
                             "Sw < 3 , 4 , 5 >o(8,64):(64,1)", "Sw<3,4,5> o _0 o (_8,_64):(_64,_1)"})
        CHECK(reads(text) == swizzled);
    CHECK(reads("swizzle(1,2,-3) o S[8]").swizzle == Swizzle{2, 1, -3});
    CHECK(reads("Sw<3,3,3> o 4 o (8,8):(8,1)").offset == 4);
    CHECK(reads("Sw<3,3,3> o (8,8):(8,1) + 4") == reads("Sw<3,3,3> o 4 o (8,8):(8,1)"));
    CHECK(reads("Sw<3,3,3> o 4 o (8,8):(8,1) + 3 + 2").offset == 9);
    CHECK(reads("S[8,8] + 8").offset == 8);
    CHECK(reads("Sw<3,3,3> o 16:3") == Layout{{16}, {{16, 3}}, 0, {3, 3, 3}});
    CHECK(reads("Sw<0,3,3> o 8:1").swizzle == Swizzle{0, 3, 3});
}

TEST_CASE("a stated shape regroups the iters") {
    CHECK(reads("S[(128,8,8):(8,1024,1)]", {128, 64}) == Layout{{128, 64}, {{128, 8}, {8, 1024}, {8, 1}}, 0, {}});
    CHECK(reads("((8,16),64):((64,512),1)", {8192}) == Layout{{8192}, {{16, 512}, {8, 64}, {64, 1}}, 0, {}});
    CHECK(reads("S[(8,3):(3,1)]", {6, 4}).shape == Shape{6, 4});
    CHECK(reads("S[(2,2,2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128,256,512)]", {32, 32}).iters.size() == 10);
    fails("(128,64):(64,1)", "shape-mismatch", 1, 15, {128, 63});
    fails("8:1", "shape-mismatch", 1, 3, {INT64_MAX, INT64_MAX});
    fails("8:1", "zero-extent", 1, 3, {8, 0});
    fails("8:1", "rank", 1, 3, {8, 1, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("printing") {
    CHECK(to_cute(reads("((8,16),64):((64,512),1)")) == "((8,16),64):((64,512),1)");
    CHECK(to_cute(reads("16:3")) == "(16):(3)");
    CHECK(to_cute(reads("Sw<3,3,3> o 4 o (8,8):(8,1)")) == "Sw<3,3,3> o 4 o (8,8):(8,1)");
    CHECK(to_cute(reads("S[8,8] + 4")) == "(8,8):(8,1) + 4");
    CHECK(to_cute(reads("S[(4,8):(8,1)]", {4, 1, 8})) == "(4,(),8):(8,(),1)");
    CHECK(to_tirx(reads("Sw<3,2,4> o 4 o ((8,16),64):((64,512),1)")) == "swizzle(2,3,4) o S[(16,8,64):(512,64,1)] + 4");
}

TEST_CASE("what is printed reads back as the same layout") {
    reads_back("(128,64):(64,1)");
    reads_back("((8,16),64):((64,512),1)");
    reads_back("((2,(3,2)),4):((1,(8,2)),24)");
    reads_back("16:3");
    reads_back("((2,4)):((4,1))");
    reads_back("Sw<3,3,3> o 4 o (8,8):(8,1)");
    reads_back("Sw<0,3,3> o (8,8):(8,1)");
    reads_back("(8,8):(8,-1) + 7");
    reads_back("(1,1):(5,6)");
    reads_back("(4,1,8):(8,5,1)");
    reads_back("(4,(8,1)):(8,(1,3))");
    reads_back("(4,(1,8),1):(8,(3,1),2)");
    reads_back("((1,4,1),(1,1)):((1,2,3),(4,5))");
    reads_back("S[(1,1,4,1,8,1):(9,8,8,7,1,6)]", {4, 8});
    reads_back("S[(4,8):(8,1)]", {1, 4, 1, 1, 8, 1});
    reads_back("S[(8,3):(3,1)]", {6, 4});
    reads_back("(()):(())");
    reads_back("((),()):((),())");
}

TEST_CASE("random layouts read back") {
    std::mt19937 random(3);
    const auto upto = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
    for (int round = 0; round < 500; ++round) {
        Layout layout;
        for (std::int64_t rank = upto(5) + 1; rank > 0; --rank) {
            std::int64_t extent = 1;
            for (std::int64_t more = upto(3); more > 0; --more) {
                layout.iters.push_back({upto(4) + 1, upto(1000) - 200});
                extent *= layout.iters.back().extent;
            }
            layout.shape.push_back(extent);
        }
        layout.offset = upto(3) - reach(layout)->least;
        if (upto(1) == 0) layout.swizzle = {3, static_cast<int>(upto(4)), upto(1) == 0 ? -4 : 3};
        cute_reads_back(layout);
        tirx_reads_back(layout);
    }
}

TEST_CASE("faults: syntax, with the place of the token") {
    fails("", "layout-syntax", 1, 1);
    fails("   ", "layout-syntax", 4, 1);
    fails("hello", "layout-syntax", 1, 5);
    fails("(4,:(1", "layout-syntax", 4, 1);
    fails("(4,8):(8,1", "layout-syntax", 11, 1);
    fails("(4,8)", "layout-syntax", 6, 1);
    fails("(4 8):(8,1)", "layout-syntax", 4, 1);
    fails("(4,):(1,)", "layout-syntax", 4, 1);
    fails("(4,8):(8,1) x", "layout-syntax", 13, 1);
    fails("(4,8):(8,1))", "layout-syntax", 12, 1);
    fails("S[4,8", "layout-syntax", 6, 1);
    fails("S[4,8:8,1]", "layout-syntax", 6, 1);
    fails("S[(4,(2,4)):(8,(4,1))]", "layout-syntax", 3, 9);
    fails("Sw<3,3> o 8:1", "layout-syntax", 7, 1);
    fails("Sw<3,3,3> 8:1", "layout-syntax", 11, 1);
    fails("Sw<3,3,3> o ", "layout-syntax", 13, 1);
    fails("Sw<3,3,3> o Sw<3,3,3> o 8:1", "layout-syntax", 13, 2);
    fails("8:1 + ", "layout-syntax", 7, 1);
    fails("8:1@", "layout-syntax", 5, 1);
    fails(std::string_view("8:1\0", 4), "layout-syntax", 4, 1);
    fails("8:\xff", "layout-syntax", 3, 1);
}

TEST_CASE("faults: strides that are not nested like the extents") {
    fails("(4,8):(1)", "layout-syntax", 7, 3);
    fails("(4,8):1", "layout-syntax", 7, 1);
    fails("((2,2),8):(1,2)", "layout-syntax", 11, 5);
    fails("S[(4,8):(1)]", "layout-syntax", 9, 3);
}

TEST_CASE("faults: numbers") {
    fails("(0,64):(64,1)", "zero-extent", 2, 1);
    fails("(64,-3):(64,1)", "zero-extent", 5, 2);
    fails("S[(4,0):(1,1)]", "zero-extent", 6, 1);
    fails("(64,64):(9223372036854775808,1)", "overflow", 10, 19);
    fails("(64,64):(-9223372036854775809,1)", "overflow", 10, 20);
    fails("(1073741824,1073741824):(1,1)", "overflow", 1, 29);
    fails("((1073741824,1073741824)):((0,0))", "overflow", 1, 25);
    fails("S[1073741824,1073741824]", "overflow", 3, 21);
    fails("(4,4):(9223372036854775807,1)", "overflow", 8, 19);
    fails("(128,64):(ld,1)", "unknown-symbol", 11, 2);
    CHECK(reads("(128,64):(2*32,1)").iters[0].stride == 64);
    fails("8:1 + 9223372036854775807", "overflow", 7, 19);
    fails("Sw<3,3,3> o -9223372036854775808 o 8:1", "overflow", 13, 20);
    fails("8:1 + 1125899906842624 + 1125899906842624", "overflow", 26, 16);
    fails("(4):(-1)", "negative-offset", 1, 8);
    fails("(4):(1) + -1", "negative-offset", 1, 12);
}

TEST_CASE("faults: swizzles") {
    for (const char* text : {"Sw<3,3,1> o 8:1", "Sw<2,0,0> o 8:1", "Sw<-1,3,3> o 8:1", "Sw<3,-1,3> o 8:1"})
        fails(text, "invalid-swizzle", 1, static_cast<int>(std::string_view(text).find(" o")));
    fails("swizzle(3,3,1) o 8:1", "invalid-swizzle", 1, 14);
    fails("Sw<9223372036854775807,3,3> o 8:1", "invalid-swizzle", 1, 27);
    fails("Sw<0,0,-9223372036854775808> o 8:1", "invalid-swizzle", 1, 28);
    fails("Sw<3,20,3> o 8:1", "unsupported", 1, 10);
}

TEST_CASE("faults: too much of it") {
    fails("(1,1,1,1,1,1,1,1,1):(1,1,1,1,1,1,1,1,1)", "rank", 1, 39);
    fails("S[1,1,1,1,1,1,1,1,1]", "rank", 1, 20);
    fails("():()", "rank", 1, 5);
    fails("S[]", "rank", 1, 3);
    fails("((" + repeated("1,", 64) + "1):(1)", "rank", 131, 1);
    fails("(" + repeated("(),", 80) + "1):(1)", "rank", 2 + 3 * 64, 2);
    fails(repeated("(", 40) + "1", "layout-syntax", 33, 1);
    fails(repeated("(", 500000), "layout-syntax", 33, 1);
    CHECK(reads(repeated("(", 32) + "1" + repeated(")", 32) + ":" + repeated("(", 32) + "1" + repeated(")", 32)).shape == Shape{1});
}

TEST_CASE("what later versions will read is refused as such") {
    fails("(ld,64):(64,1)", "unsupported", 2, 2);
    fails("(2*64,64):(64,1)", "unsupported", 3, 1);
}

TEST_CASE("mutated layouts are read or refused, never worse") {
    const std::vector<std::string> seeds{"Sw<3,3,3> o 72 o ((4,2),16):((64,8),1) + 5",
                                         "swizzle(3,3,3) o S[(8,8):(64,1)] + 4",
                                         "S[32,32]",
                                         "_8:_1",
                                         "TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)",
                                         "S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:4@warpid] + 5@warpid"};
    const std::string alphabet = "()[]<>:,o+-_@ 0123456789SwR\0\xff";
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text = seeds[random() % seeds.size()];
        for (std::size_t edits = random() % 4 + 1; edits > 0; --edits) {
            const std::size_t at = random() % (text.size() + 1);
            const std::string piece(1, alphabet[random() % alphabet.size()]);
            text.replace(at, random() % 3 == 0 ? 1 : 0, random() % 4 == 0 ? "" : piece);
        }
        const Result<Layout> layout = read_layout(text);
        if (layout && layout.value().has_threads()) {
            tirx_reads_back(layout.value());
            CHECK_FALSE(thread_axes_fault(layout.value()));
        } else if (layout) {
            CHECK(span(layout.value()).count > 0);
            cute_reads_back(layout.value());
        } else {
            CHECK(layout.error().place.column <= static_cast<int>(text.size()) + 1);
        }
    }
}

}  // namespace tileproof::test
