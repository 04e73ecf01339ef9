// Layouts over bits: what they mean, what of them is an ordinary layout, and the way from and to other notations.
#include <algorithm>
#include <fstream>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "layouts/address.hpp"
#include "layouts/layout_questions.hpp"
#include "layouts/linear_bits.hpp"
#include "layouts/notation.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/one_line.hpp"
#include "layouts/xor_basis.hpp"

namespace tileproof::test {
namespace {

using Numbers = std::vector<std::int64_t>;

Layout reads(std::string_view text, const Numbers& shape = {}) {
    INFO(std::string(text));
    Result<Layout> layout = read_layout(text, shape);
    INFO((layout ? std::string() : layout.error().text));
    REQUIRE(layout.ok());
    return std::move(layout.value());
}

void fails(std::string_view text, const std::string& rule, int column, int length, const Numbers& shape = {}) {
    INFO(std::string(text));
    const Result<Layout> layout = read_layout(text, shape);
    REQUIRE_FALSE(layout.ok());
    INFO(layout.error().text);
    CHECK(layout.error().rule == rule);
    CHECK(layout.error().place.column == column);
    CHECK(layout.error().place.length == length);
}

Numbers table(const Layout& layout) {
    Numbers all;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) all.push_back(element_offset(layout, walk.coordinate()));
    return all;
}

/// The definition, word by word.
Numbers table_by_definition(const BitBases& bases) {
    Numbers all{0};
    for (const Numbers& dim : bases) {
        Numbers longer;
        for (const std::int64_t before : all) {
            for (std::int64_t x = 0; x < std::int64_t{1} << dim.size(); ++x) {
                std::int64_t sum = before;
                for (std::size_t bit = 0; bit < dim.size(); ++bit)
                    if ((x >> bit & 1) != 0) sum ^= dim[bit];
                longer.push_back(sum);
            }
        }
        all = longer;
    }
    return all;
}

Layout kept(const BitBases& bases) {
    Layout layout;
    for (const Numbers& dim : bases) layout.shape.push_back(std::int64_t{1} << dim.size());
    layout.bases = bases;
    return layout;
}

/// Reading, keeping, and printing bases give the offsets of the definition; reach and span are exact.
void bases_mean_their_definition(const BitBases& bases) {
    const Numbers want = table_by_definition(bases);
    const Layout as_is = kept(bases), read = layout_over_bits(bases);
    INFO(to_bits(as_is).value());
    REQUIRE(table(as_is) == want);
    REQUIRE(table(read) == want);
    REQUIRE(to_bits(read).value() == to_bits(as_is).value());
    REQUIRE(reads(to_bits(as_is).value()) == read);
    for (const Layout& layout : {as_is, read}) REQUIRE(span(layout).count == *std::max_element(want.begin(), want.end()) + 1);
    REQUIRE(reach(as_is)->least == 0);
    REQUIRE(reach(as_is)->greatest == span(as_is).count - 1);
    REQUIRE(modes(as_is) == std::nullopt);
    REQUIRE(modes(read).has_value() != read.is_over_bits());
}

/// To bits and back, by way of both other notations, the offsets stay the same.
void survives_bits(const Layout& layout) {
    const Result<std::string> bits = to_bits(layout);
    REQUIRE(bits.ok());
    INFO(bits.value());
    const Numbers want = table(layout);
    const Layout back = reads(bits.value());
    REQUIRE(back.shape == layout.shape);
    REQUIRE(table(back) == want);
    REQUIRE_FALSE(back.is_over_bits());  // it came from iters
    REQUIRE(table(reads(written(back, Notation::cute).value())) == want);
    REQUIRE(table(reads(written(back, Notation::tirx).value(), back.shape)) == want);
}

/// The operations that the address definition may use, and no others: values that are no integers.
struct Boxed {
    struct Value {
        std::int64_t x;
    };
    static Value constant(std::int64_t k) { return {k}; }
    static Value add(Value a, Value b) { return {a.x + b.x}; }
    static Value times(Value a, std::int64_t k) { return {a.x * k}; }
    static Value quotient(Value a, std::int64_t k) { return {a.x / k}; }
    static Value remainder(Value a, std::int64_t k) { return {a.x % k}; }
    static Value bit_and(Value a, std::int64_t k) { return {a.x & k}; }
    static Value bit_xor(Value a, Value b) { return {a.x ^ b.x}; }
    static Value shift_left(Value a, int k) { return {a.x << k}; }
    static Value shift_right(Value a, int k) { return {a.x >> k}; }
};

std::string not_linear(std::string_view text, const Numbers& shape = {}) {
    const Result<std::string> bits = to_bits(reads(text, shape));
    REQUIRE_FALSE(bits.ok());
    CHECK(bits.error().rule == "not-linear");
    return bits.error().text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the picture in the header") {
    const Layout layout = reads("bits[(1,2),(4,9)]");
    CHECK(layout.shape == Numbers{4, 4});
    CHECK(table(layout) == Numbers{0, 4, 9, 13, 1, 5, 8, 12, 2, 6, 11, 15, 3, 7, 10, 14});
    CHECK(reads("bits[(72,144),(1,2,4,8,16,32)]") == reads("Sw<2,3,3> o (4,64):(64,1)"));
}

TEST_CASE("what is ordinary is read as such, so that it can be planned") {
    CHECK(reads("bits[(1,2,4,8),(16,32)]") == reads("(16,4):(1,16)"));
    CHECK(reads("bits[(64,128),(1,2,4)]") == reads("(4,8):(64,1)"));
    CHECK(reads("bits[(),(1,2)]") == reads("(1,4):(0,1)"));
    CHECK(reads("bits[()]") == reads("(1):(0)"));
    CHECK(reads("bits[(0,0),(1)]") == reads("(4,2):(0,1)"));
    CHECK(reads("bits[(1,8),(2,4)]") == reads("((2,2),4):((1,8),2)"));
    CHECK(reads(" bits [ ( 1 , 2 ) , ( 4 ) ] ") == reads("(4,2):(1,4)"));
    CHECK(reads("bits[(9,18,36),(1,2,4)]") == reads("Sw<3,0,3> o (8,8):(8,1)"));
    CHECK(reads("Sw<3,3,3> o bits[(64,128,256),(1,2,4,8,16,32)]") == reads("Sw<3,3,3> o (8,64):(64,1)"));
    CHECK(reads("bits[(1,2,4,8,16,32,64,128)]", {4, 8, 8}) == reads("(4,8,8):(64,8,1)"));
}

TEST_CASE("what is not keeps its bases") {
    for (const char* text : {"bits[(3,5),(1,2)]", "bits[(1,1)]", "bits[(1,2),(7,4)]", "bits[(1,3,5,6)]"}) {
        INFO(text);
        const Layout layout = reads(text);
        CHECK(layout.is_over_bits());
        CHECK(layout.iters.empty());
        CHECK(to_bits(layout).value() == text);
        for (const Notation other : {Notation::cute, Notation::tirx}) {
            REQUIRE_FALSE(written(layout, other).ok());
            CHECK(written(layout, other).error().rule == "inexpressible");
        }
    }
    CHECK(table(reads("bits[(1,1)]", {2, 2})) == Numbers{0, 1, 1, 0});
    CHECK(reads("bits[(3,5),(1,2)]", {2, 8}).bases == BitBases{{5}, {1, 2, 3}});
    const Layout swizzled_bases = reads("Sw<1,0,3> o bits[(8,8),(24,1)]");  // a swizzle is linear, so it goes into them
    CHECK(swizzled_bases.swizzle == Swizzle{});
    CHECK(swizzled_bases.bases == BitBases{{9, 9}, {25, 1}});
}

TEST_CASE("a swizzle behind bases, as only a hand-made layout has it") {
    Layout layout = kept({{8, 8}, {2, 2}});
    layout.swizzle = {1, 0, 3};
    const Numbers want = table(kept({{9, 9}, {2, 2}}));
    CHECK(table(layout) == want);
    CHECK(span(layout).count == *std::max_element(want.begin(), want.end()) + 1);
    CHECK(span(layout) != span(kept(layout.bases)));
    CHECK(to_bits(layout).value() == "bits[(9,9),(2,2)]");
}

TEST_CASE("laws of random bases") {
    std::mt19937 random(5);
    const auto upto = [&](unsigned n) { return static_cast<std::int64_t>(random() % (n + 1)); };
    for (int i = 0; i < 500; ++i) {
        BitBases bases(static_cast<std::size_t>(upto(2) + 1));
        for (Numbers& dim : bases)
            for (std::int64_t n = upto(3); n > 0; --n) dim.push_back(upto(3) == 0 ? std::int64_t{1} << upto(12) : upto(500));
        bases_mean_their_definition(bases);
        for (const Layout& layout : {kept(bases), layout_over_bits(bases)}) {
            for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) {
                std::vector<Boxed::Value> at;
                for (const std::int64_t x : walk.coordinate()) at.push_back({x});
                REQUIRE(element_offset(Boxed{}, layout, at).x == walk.offset());
            }
        }
    }
}

TEST_CASE("CuTe layouts of powers of two go to bits and back") {
    std::ifstream file(std::string(TILEPROOF_TEST_DATA) + "/cute_layouts.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    int linear = 0;
    for (const nlohmann::json& entry : golden["layouts"]) {
        const std::string text = entry["layout"];
        INFO(text);
        const Layout layout = reads(text);
        if (!bit_bases(layout)) continue;
        ++linear;
        survives_bits(layout);
        CHECK(table(reads(to_bits(layout).value())) == entry["offsets"].get<Numbers>());
    }
    CHECK(linear >= 8);
    for (const char* swizzle : {"Sw<3,4,3>", "Sw<3,3,3>", "Sw<2,3,3>", "Sw<1,3,3>", "Sw<3,2,3>", "Sw<2,1,-3>", "Sw<4,0,5>"})
        for (const char* plain :
             {"(32,64):(64,1)", "(64,32):(1,64)", "((8,4),(8,8)):((8,512),(1,64))", "(16,16):(128,1)", "(4,1,8):(256,0,16)"})
            survives_bits(reads(std::string(swizzle) + " o " + plain));
    survives_bits(reads("S[(8,16):(16,1)]", {4, 32}));  // an iter that reaches over two dimensions
    survives_bits(reads("(8,4):(4,0)"));
}

TEST_CASE("bases exist exactly where the offsets are linear over bits") {
    std::mt19937 random(9);
    const auto upto = [&](unsigned n) { return static_cast<std::int64_t>(random() % (n + 1)); };
    int linear = 0;
    for (int i = 0; i < 600; ++i) {
        Layout layout;
        for (std::int64_t n = upto(2) + 1; n > 0; --n) {
            layout.iters.push_back({std::int64_t{1} << upto(3), upto(2) == 0 ? upto(20) : std::int64_t{1} << upto(6)});
            layout.shape.push_back(layout.iters.back().extent);
        }
        if (upto(1) == 0) std::shuffle(layout.shape.begin(), layout.shape.end(), random);
        if (upto(1) == 0) layout.swizzle = {2, static_cast<int>(upto(2)), 3};
        if (upto(7) == 0) layout.offset = 1;
        INFO(to_tirx(layout));
        const Numbers all = table(layout);  // of the flat index: a XOR of indices is a XOR of coordinates
        bool is_linear = all[0] == 0;
        for (std::size_t a = 0; a < all.size(); ++a)
            for (std::size_t bit = 1; bit < all.size(); bit *= 2) is_linear = is_linear && all[a ^ bit] == (all[a] ^ all[bit]);
        REQUIRE(bit_bases(layout).ok() == is_linear);
        linear += is_linear ? 1 : 0;
    }
    CHECK(linear > 100);
    CHECK(linear < 500);
}

TEST_CASE("what is not linear, in words") {
    CHECK(has(not_linear("(96,2):(2,1)"), "dimension 0 has the extent 96"));
    CHECK(has(not_linear("(8,2):(2,1) + 4"), "coordinate 0 has the offset 4"));
    CHECK(has(not_linear("Sw<3,3,3> o 72 o (8,8):(64,1)"), "coordinate 0 has the offset 64"));
    CHECK(has(not_linear("(8,4):(3,1)"), "the offsets of (1,0) and (2,0), 3 and 6, add with a carry"));
    CHECK(has(not_linear("(8,4):(1,4)"), "the offsets of (4,0) and (0,1), 4 and 4, add with a carry"));
}

TEST_CASE("CuTe can say what splits at the dimensions") {
    CHECK(written(reads("S[(8,3):(3,1)]", {4, 6}), Notation::cute).value() == "(4,(3,2)):(6,(1,3))");
    CHECK(written(reads("S[(8,16):(16,1)] + 3", {1, 4, 32}), Notation::cute).value() == "(1,4,(16,2)):(0,32,(1,16)) + 3");
    CHECK(written(reads("(8,4):(1,8)"), Notation::cute).value() == "(8,4):(1,8)");
    const Result<std::string> straddles = written(reads("S[(8,3):(3,1)]", {6, 4}), Notation::cute);
    REQUIRE_FALSE(straddles.ok());
    CHECK(straddles.error().rule == "inexpressible");
}

TEST_CASE("faults of bits, and where") {
    fails("bits", "layout-syntax", 5, 1);
    fails("bits[]", "layout-syntax", 6, 1);
    fails("bits[1,2]", "layout-syntax", 6, 1);
    fails("bits[(1,2]", "layout-syntax", 10, 1);
    fails("bits[(1,2)", "layout-syntax", 11, 1);
    fails("bits[(1,)]", "layout-syntax", 9, 1);
    fails("bits[(1,x)]", "layout-syntax", 9, 1);
    fails("bits[(1,-2)]", "negative-offset", 9, 2);
    fails("bits[(1,1125899906842624)]", "overflow", 9, 16);
    fails("bits[(1,99999999999999999999)]", "overflow", 9, 20);
    fails("bits[(1,2)] + 8", "layout-syntax", 1, 11);
    fails("Sw<3,3,3> o 8 o bits[(1,2)]", "layout-syntax", 17, 11);
    fails("bits[(1),(1),(1),(1),(1),(1),(1),(1),(1)]", "rank", 1, 41);
    fails("bits[(1,2)]", "shape-mismatch", 1, 11, {2, 3});
    std::string many = "bits[(1", dims = "bits[()";
    for (int i = 0; i < 50; ++i) many += ",1";
    for (int i = 0; i < 64; ++i) dims += ",()";
    fails(many + ")]", "overflow", static_cast<int>(many.size()), 1);
    fails(dims + "]", "rank", static_cast<int>(dims.size()) - 1, 1);
    CHECK(reads("bits[(0,1125899906842623)]").is_over_bits() == false);
    many.resize(many.size() - 2);
    CHECK(size(reads(many + ")]")).count == max_offset);  // 50 bits
}

TEST_CASE("mutated bits are read or refused, never worse") {
    const std::vector<std::string> seeds{"bits[(1,2,4,8),(16,32)]", "Sw<3,3,3> o bits[(64,128,256),(1,2,4,8)]", "bits[(),(3,5)]"};
    const std::string alphabet = "()[],o+- 0123456789bits<>";
    std::mt19937 random(13);
    for (int round = 0; round < 5000; ++round) {
        std::string text = seeds[random() % seeds.size()];
        for (std::size_t edits = random() % 3 + 1; edits > 0; --edits)
            text.replace(random() % (text.size() + 1), random() % 2, std::string(random() % 2, alphabet[random() % alphabet.size()]));
        const Result<Layout> layout = read_layout(text);
        if (layout && size(layout.value()) < Elements{1 << 12}) CHECK(bijectivity(layout.value()).ok());
    }
}

TEST_CASE("hand-made bases in a problem are checked") {
    const OneLine line{"global f16 (4,4):(4,1)", "shared f16 (4,4):(4,1)", "warp", {}, "sm_90"};
    const auto with = [&](const Layout& layout) {
        Problem problem = load_one_line(line).problem.value();
        problem.buffers[1].layout = layout;
        return problem;
    };
    const auto rule = [&](const Layout& layout) {
        const std::optional<Diagnostic> fault = check_problem(with(layout));
        return fault ? fault->rule : "";
    };
    const Layout sound = kept({{3, 5}, {1, 2}});
    CHECK(rule(sound) == "");
    CHECK(rejection(with(sound), with(sound).copies[0])->rule == "unsupported");
    const auto changed = [&](auto change) {
        Layout layout = sound;
        change(layout);
        return rule(layout);
    };
    CHECK(changed([](Layout& l) { l.offset = 1; }) == "shape-mismatch");
    CHECK(changed([](Layout& l) { l.iters = {{16, 1}}; }) == "shape-mismatch");
    CHECK(changed([](Layout& l) { l.bases.pop_back(); }) == "shape-mismatch");
    CHECK(changed([](Layout& l) { l.bases[0].push_back(1); }) == "shape-mismatch");
    CHECK(changed([](Layout& l) { l.bases[0][1] = -1; }) == "overflow");
    CHECK(changed([](Layout& l) { l.bases[0][1] = max_offset; }) == "overflow");
    CHECK(changed([](Layout& l) { l.bases.assign(2, Numbers(40, 1)); }) == "shape-mismatch");
    Problem on_address = with(sound);
    on_address.buffers[1].swizzle_on_address = true;
    CHECK(check_problem(on_address)->rule == "swizzle-on");
}

TEST_CASE("the XORs of some values") {
    XorBasis basis;
    CHECK(basis.largest() == 0);
    CHECK(basis.add(6) == 0);
    CHECK(basis.add(5) == 0);
    CHECK(basis.add(3) == 7);  // the set of all three
    CHECK(basis.rank() == 2);
    CHECK(basis.largest() == 6);
    CHECK(basis.reaches(3));
    CHECK_FALSE(basis.reaches(1));
    CHECK(basis.add(0) == 8);
}

}  // namespace tileproof::test
