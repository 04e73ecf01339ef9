// Layouts of registers: which thread holds an element, by TIRx's axes and replicas and by CuTe's thread-value layouts.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "layouts/address.hpp"
#include "layouts/layout_questions.hpp"
#include "layouts/notation.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/thread_value.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;
using Shape = std::vector<std::int64_t>;

Layout reads(const std::string& text, const Shape& shape = {}) {
    INFO(text);
    Result<Layout> layout = read_layout(text, shape);
    INFO((layout ? std::string() : layout.error().text));
    REQUIRE(layout.ok());
    return std::move(layout.value());
}

void fails(const std::string& text, const std::string& rule, int column, const std::string& words) {
    INFO(text);
    const Result<Layout> layout = read_layout(text);
    REQUIRE_FALSE(layout.ok());
    CHECK(layout.error().rule == rule);
    CHECK(layout.error().place.column == column);
    INFO(layout.error().text);
    CHECK(layout.error().text.find(words) != std::string::npos);
}

/// Printing in a notation gives this text, and reading that gives the layout back.
void writes(const std::string& text, Notation notation, const std::string& wanted, const Shape& shape = {}) {
    INFO(text);
    const Layout layout = reads(text, shape);
    const Result<std::string> out = written(layout, notation);
    REQUIRE(out.ok());
    CHECK(out.value() == wanted);
    CHECK(reads(out.value(), layout.shape) == layout);
}

struct Place {
    std::int64_t thread, reg;
    friend bool operator==(const Place&, const Place&) = default;
};
/// Of a coordinate, those of the replicas in front.
Place place(const Layout& layout, const Shape& coordinate) {
    return {element_offset(thread_part(layout), coordinate), element_offset(register_part(layout), coordinate)};
}

const json& data() {
    static const json all = json::parse(std::ifstream(std::string(TILEPROOF_TEST_DATA) + "/thread_layouts.json"));
    return all;
}

}  // namespace

TEST_CASE("fragments of mma that CuTe printed, in both notations") {
    REQUIRE(data()["fragments"].size() == 6);
    for (const json& one : data()["fragments"]) {
        INFO(one["id"].get<std::string>());
        const Shape shape = one["shape"];
        const std::string tv_text = one["thread_value"], tirx_text = one["tirx"];
        const Layout tv = reads(tv_text), tirx = reads(tirx_text, shape);
        CHECK(tv == tirx);
        CHECK(to_tirx(tv) == tirx_text);
        CHECK(written(tirx, Notation::cute).value() == tv_text);
        std::int64_t seen = 0;
        for (std::int64_t thread = 0; thread < static_cast<std::int64_t>(one["elements"].size()); ++thread) {
            const json& values = one["elements"][static_cast<std::size_t>(thread)];
            for (std::int64_t value = 0; value < static_cast<std::int64_t>(values.size()); ++value, ++seen) {
                const std::int64_t element = values[static_cast<std::size_t>(value)];  // counted down the columns
                CHECK(place(tv, {element % shape[0], element / shape[0]}) == Place{thread, value});
            }
        }
        CHECK(seen == size(tv).count);
    }
}

TEST_CASE("thread maps of other projects") {
    REQUIRE(data()["thread_maps"].size() == 6);
    for (const json& one : data()["thread_maps"]) {
        const std::string text = one["layout"];
        INFO(one["id"].get<std::string>());
        if (one.contains("fault")) {
            fails(text, "not-invertible", 1, one["fault"]);
            continue;
        }
        const Layout layout = reads(text);
        CHECK(size(layout).count == one["covered"]);
        CHECK(bijectivity(placed(layout, span(register_part(layout)).count)).value().is_bijective);  // every place of a thread once
    }
}

TEST_CASE("axes: which thread, which register") {
    const Layout fragment = reads("S[(8,4,2):(4@laneid,1@laneid,1@m)]", {8, 8});
    CHECK(place(fragment, {2, 7}) == Place{11, 1});
    CHECK(counted_from(fragment) == CountedFrom::warp);
    const Layout warps = reads("S[(4,32,16):(1@wid_in_wg,1@laneid,1)]", {128, 16});
    CHECK(place(warps, {77, 5}) == Place{77, 5});
    CHECK(counted_from(warps) == CountedFrom::warpgroup);
    CHECK(place(reads("S[(2,32,4):(1@warpid,1@laneid,1)] + 5@warpid + 2"), {1, 3, 2}) == Place{6 * 32 + 3, 4});
    CHECK(place(reads("S[(32,4):(-1@laneid,2)] + 31@laneid"), {0, 3}) == Place{31, 6});
    CHECK(place(reads("(32,4):(1@tx,1)"), {9, 2}) == Place{9, 2});
    CHECK(reads("S[(8,4):(4,1)] + 2@laneid + -2@laneid") == reads("S[(8,4):(4,1)]"));
    CHECK(reads("S[(8,4):(4@m,1)] + 3@m") == reads("S[(8,4):(4,1)] + 3"));
}

TEST_CASE("replicas are held once more for each of their values") {
    const Layout layout = reads("S[(8,4):(1@laneid,1)] + R[2:8@laneid] + R[2:1@warpid]");
    CHECK(layout.replicas.size() == 2);
    CHECK(register_part(layout).shape == Shape{2, 2, 8, 4});
    CHECK(place(layout, {0, 0, 3, 1}) == Place{3, 1});
    CHECK(place(layout, {1, 0, 3, 1}) == Place{11, 1});
    CHECK(place(layout, {1, 1, 3, 1}) == Place{43, 1});
    CHECK(layout == reads("S[(8,4):(1@laneid,1)] + R[(2,2):(8@laneid,1@warpid)]"));
}

TEST_CASE("thread-value layouts: strides of 0 are replicas, tiles of three dimensions, straddling strides") {
    CHECK(reads("TV((8,4),4):((1,0),8) of (8,4)") == Layout{{8, 4}, {{8, 1, Axis::laneid}, {4, 1}}, 0, {}, {}, {{4, 8, Axis::laneid}}});
    const Layout cube = reads("TV(32,8):(1,32) of (4,8,8)");  // 32 elements are a whole slice of 4 x 8
    CHECK(place(cube, {3, 7, 5}) == Place{31, 5});
    CHECK(place(cube, {1, 2, 0}) == Place{9, 0});
    CHECK(thread_part(reads("TV(64,1):(1,0) of 64")).iters.front().stride == 1);
    CHECK(counted_from(reads("TV(64,1):(1,0) of 64")) == CountedFrom::warpgroup);
    CHECK(counted_from(reads("TV(256,1):(1,0) of 256")) == CountedFrom::block);
}

TEST_CASE("printing reads back") {
    writes("S[(8,4,2):(4@laneid,1@laneid,1)]", Notation::tirx, "S[(8,4,2):(4@laneid,1@laneid,1)]");
    writes("S[(8,4):(4@laneid,1)] + R[2:1@warpid] + 3 + 5@warpid", Notation::tirx,
           "S[(8,4):(4@laneid,1)] + R[(2):(1@warpid)] + 3 + 5@warpid");
    writes("(32,4):(1@laneid,1)", Notation::cute, "TV(32,4):(1,32) of (32,4)");
    writes("S[(8,4):(1@laneid,1)] + R[4:8@laneid]", Notation::cute, "TV((8,4),4):((1,0),8) of (8,4)");
    for (const char* text : {"S[(8,4):(1@laneid,2)]", "S[(8,4):(1@warpid,1)]", "S[(8,4):(1@laneid,1)] + 1@laneid", "S[(32,4):(1@tx,1)]"}) {
        INFO(text);
        const Result<std::string> none = written(reads(text), Notation::cute);
        REQUIRE_FALSE(none.ok());
        CHECK(none.error().rule == "inexpressible");
    }
    CHECK(written(reads("S[(8,4):(1@laneid,1)]"), Notation::bits).error().rule == "inexpressible");
}

TEST_CASE("faults of axes, with their place") {
    fails("S[(8,4):(4@lane,1)]", "layout-syntax", 12, "there is no axis 'lane'");
    fails("(8,4):(1@0,1@1)", "layout-syntax", 10, "expected an axis");
    fails("S[(64,4):(1@laneid,1)]", "thread-axes", 1, "laneid goes up to 63");
    fails("S[(8,4):(1@laneid,1)] + 25@laneid", "thread-axes", 1, "laneid goes up to 32");
    fails("S[(8,4):(1@laneid,1)] + R[4:9@laneid]", "thread-axes", 1, "laneid goes up to 34");
    fails("S[(8,4):(-1@laneid,1)] + 3@laneid", "negative-offset", 1, "the least laneid is negative: -4");
    fails("S[(8,4):(1@laneid,-1)]", "negative-offset", 1, "the least register is negative: -3");
    fails("S[(8,4):(1@laneid,1@tx)]", "thread-axes", 1, "both tx and laneid");
    fails("S[(4,4):(1@wid_in_wg,1@warpid)]", "thread-axes", 1, "both wid_in_wg and warpid");
    fails("Sw<2,0,2> o S[(8,4):(1@laneid,1)]", "unsupported", 13, "a swizzle moves elements of memory");
    fails("S[(8,4):(1@laneid,1)] + R[2]", "layout-syntax", 28, "expected ':' and strides");
    fails("bits[(1,2)] + R[2:1@laneid]", "layout-syntax", 1, "begins at offset 0");
    fails("S[(8,4):(9223372036854775807@laneid,1)]", "overflow", 10, "");
}

TEST_CASE("faults of thread-value layouts") {
    fails("TV((4,8),(2,2)):((32,1),(16,8))", "layout-syntax", 32, "expected 'of' and the shape");
    fails("TV(32,4,2):(1,32,128) of (32,8)", "layout-syntax", 3, "two modes");
    fails("TV(32,4):(1,64) of (32,8)", "not-invertible", 1, "no thread holds element 32, the coordinate (0,1)");
    fails("TV(32,4):(1,16) of (32,4)", "not-invertible", 1, "no thread holds element 80");
    fails("TV(2048,1):(1,0) of 2048", "thread-axes", 1, "2048 threads");
    fails("TV(6,4):(1,6) of (4,6)", "not-invertible", 1, "reaches over two dimensions");
    fails("TV(32,4):(1@laneid,32) of (32,4)", "layout-syntax", 10, "by numbers");
    fails("TV(32,4):(1,32) of ((32),4)", "layout-syntax", 20, "a list of extents");
}

}  // namespace tileproof::test
