// What a layout maps to, its span and its modes, each against enumeration; and swizzles.
#include "layouts/layout.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "layouts/address.hpp"
#include "layouts/notation.hpp"

namespace tileproof::test {
namespace {

using Coordinate = std::vector<std::int64_t>;

/// Every coordinate of the shape, row-major.
std::vector<Coordinate> coordinates(const std::vector<std::int64_t>& shape) {
    std::vector<Coordinate> all{Coordinate(shape.size(), 0)};
    for (std::size_t dim = shape.size(); dim-- > 0;) {
        const std::vector<Coordinate> inner = std::move(all);
        all.clear();
        for (std::int64_t x = 0; x < shape[dim]; ++x) {
            for (Coordinate c : inner) {
                c[dim] = x;
                all.push_back(std::move(c));
            }
        }
    }
    return all;
}

/// The definition, word by word: flatten, split over all iters, sum.
std::int64_t offset_by_definition(const Layout& layout, const Coordinate& coordinate) {
    std::int64_t flat = 0;
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim) flat = flat * layout.shape[dim] + coordinate[dim];
    std::int64_t sum = layout.offset;
    for (std::size_t i = layout.iters.size(); i-- > 0; flat /= layout.iters[i].extent)
        sum += flat % layout.iters[i].extent * layout.iters[i].stride;
    const std::int64_t source = sum & layout.swizzle.source_mask();
    const int shift = layout.swizzle.shift_log2;
    return layout.swizzle.is_identity() ? sum : sum ^ (shift >= 0 ? source >> shift : source << -shift);
}

void address_follows_the_definition(const Layout& layout) {
    INFO(to_tirx(layout));
    for (const Coordinate& c : coordinates(layout.shape)) REQUIRE(element_offset(layout, c) == offset_by_definition(layout, c));
}

void span_is_one_past_the_largest_offset(const Layout& layout) {
    INFO(to_tirx(layout));
    std::int64_t largest = -1;
    for (const Coordinate& c : coordinates(layout.shape)) largest = std::max(largest, offset_by_definition(layout, c));
    REQUIRE(span(layout).count == largest + 1);
}

void reach_is_the_least_and_greatest_linear_offset(const Layout& layout) {
    INFO(to_tirx(layout));
    std::int64_t least = INT64_MAX, greatest = INT64_MIN;
    for (const Coordinate& c : coordinates(layout.shape)) {
        least = std::min(least, linear_offset(layout, c));
        greatest = std::max(greatest, linear_offset(layout, c));
    }
    REQUIRE(reach(layout).has_value());
    REQUIRE(reach(layout)->least == least);
    REQUIRE(reach(layout)->greatest == greatest);
}

void modes_multiply_to_the_shape(const Layout& layout) {
    INFO(to_tirx(layout));
    const auto all = modes(layout);
    if (!all) return;
    REQUIRE(all->size() == layout.shape.size());
    for (std::size_t dim = 0; dim < all->size(); ++dim) {
        std::int64_t product = 1;
        for (const Iter& it : (*all)[dim]) product *= it.extent;
        REQUIRE(product == layout.shape[dim]);
    }
}

void swizzle_is_its_own_inverse_within_a_period(const Swizzle& swizzle) {
    INFO(to_string(swizzle));
    REQUIRE(swizzle.is_valid());
    const std::int64_t period = std::int64_t{1} << swizzle.period_log2(), chunk = std::int64_t{1} << swizzle.base_log2;
    for (std::int64_t x = 0; x < 2 * period; ++x) {
        const std::int64_t y = swizzled(Integers{}, swizzle, x);
        REQUIRE(swizzled(Integers{}, swizzle, y) == x);
        REQUIRE(y / period == x / period);
        REQUIRE(y % chunk == x % chunk);
    }
}

void laws(const Layout& layout) {
    address_follows_the_definition(layout);
    span_is_one_past_the_largest_offset(layout);
    reach_is_the_least_and_greatest_linear_offset(layout);
    modes_multiply_to_the_shape(layout);
}

Layout layout_of(std::string_view text, const std::vector<std::int64_t>& shape = {}) {
    Result<Layout> layout = read_layout(text, shape);
    REQUIRE(layout.ok());
    return std::move(layout.value());
}

class RandomLayouts {
public:
    /// Iters that may be units, strides that may be 0 or negative, and a shape that may cut across them.
    Layout next() {
        Layout layout;
        for (std::int64_t rank = between(1, 4); rank > 0; --rank)
            layout.iters.push_back({between(1, 6), between(-8, 32) * (between(0, 4) == 0 ? 16 : 1)});
        for (const Iter& it : layout.iters) layout.shape.push_back(it.extent);
        if (between(0, 1) == 0) std::shuffle(layout.shape.begin(), layout.shape.end(), random_);
        if (between(0, 3) == 0) layout.shape.insert(layout.shape.begin() + between(0, 1), 1);
        layout.offset = std::max<std::int64_t>(0, -reach(layout)->least) + between(0, 9);
        do {
            layout.swizzle = {static_cast<int>(between(0, 3)), static_cast<int>(between(0, 3)), static_cast<int>(between(-5, 5))};
        } while (!layout.swizzle.is_valid());
        return layout;
    }

private:
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    std::mt19937 random_{20};
};

}  // namespace

TEST_CASE("laws of layouts that people write") {
    laws(layout_of("(2,4):(4,1)"));
    laws(layout_of("(4,6):(1,4)"));
    laws(layout_of("((4,8),(2,16)):((1,64),(4,256))"));
    laws(layout_of("Sw<3,3,3> o (8,64):(64,1)"));
    laws(layout_of("Sw<2,1,-3> o (16,8):(8,1)"));
    laws(layout_of("Sw<3,3,3> o 72 o (4,16):(64,1)"));
    laws(layout_of("S[(16,8,8):(8,128,1)]", {16, 64}));
    laws(layout_of("S[(8,3):(3,1)]", {6, 4}));
    laws(layout_of("(4):(-1) + 3"));
    laws(layout_of("(5,1,7):(7,3,1)"));
    laws(layout_of("(16,4):(0,1)"));
}

TEST_CASE("laws of random layouts") {
    RandomLayouts random;
    for (int i = 0; i < 400; ++i) laws(random.next());
}

TEST_CASE("a swizzled tile can reach past its linear span") {
    CHECK(span(layout_of("Sw<1,0,1> o (3):(1)")) == Elements{4});  // 2 goes to 3
    CHECK(span(layout_of("Sw<3,3,3> o (2,8):(64,1)")) == Elements{64 + 16});
    CHECK(span(layout_of("(2,8):(64,1)")) == Elements{64 + 8});
}

TEST_CASE("the span of a large layout costs no more than that of a small one") {
    CHECK(span(layout_of("Sw<3,3,3> o (1099511627776,64):(0,1)")) == Elements{64});
    CHECK(span(layout_of("Sw<3,3,3> o (1048576,1048576):(1048576,1)")) == Elements{std::int64_t{1} << 40});
    CHECK(span(layout_of("Sw<4,6,10> o (1048576):(1)")) == Elements{1048576});
}

TEST_CASE("laws of swizzles") {
    for (const Swizzle& swizzle : {Swizzle{}, Swizzle{3, 3, 3}, Swizzle{2, 3, 3}, Swizzle{1, 3, 3}, Swizzle{3, 2, 3}, Swizzle{2, 0, 4},
                                   Swizzle{2, 1, -3}, Swizzle{1, 4, 3}, Swizzle{0, 3, 3}})
        swizzle_is_its_own_inverse_within_a_period(swizzle);
}

TEST_CASE("which swizzles are none") {
    CHECK_FALSE(Swizzle{3, 3, 1}.is_valid());  // twice is not once back
    CHECK_FALSE(Swizzle{2, 0, 0}.is_valid());  // no bijection
    CHECK_FALSE(Swizzle{-1, 3, 3}.is_valid());
    CHECK_FALSE(Swizzle{3, -1, 3}.is_valid());
    CHECK(Swizzle{0, 0, 0}.is_valid());
}

TEST_CASE("modes exist where no iter straddles two dimensions") {
    CHECK(modes(layout_of("S[(128,8,8):(8,1024,1)]", {128, 64})) == std::vector<std::vector<Iter>>{{{128, 8}}, {{8, 1024}, {8, 1}}});
    CHECK(modes(layout_of("S[(8,3):(3,1)]", {6, 4})) == std::nullopt);
    CHECK(modes(layout_of("(4,1):(1,9)")) == std::vector<std::vector<Iter>>{{{4, 1}}, {}});
}

TEST_CASE("reach gives nothing where an offset leaves 2^50") {
    CHECK_FALSE(reach({{2}, {{2, max_offset + 1}}, 0, {}}).has_value());
    CHECK_FALSE(reach({{2}, {{2, -1}}, -max_offset, {}}).has_value());
    CHECK_FALSE(reach({{2}, {{INT64_MAX, INT64_MAX}}, 0, {}}).has_value());
    CHECK(reach({{2}, {{2, max_offset}}, 0, {}}).has_value());
}

}  // namespace tileproof::test
