// Questions about layouts: each answer and its witness against enumeration, and what is decided without any.
#include "layouts/layout_questions.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "layouts/address.hpp"
#include "layouts/linear_bits.hpp"
#include "layouts/notation.hpp"
#include "layouts/offset_walk.hpp"

namespace tileproof::test {
namespace {

using Coordinate = std::vector<std::int64_t>;

Layout reads(std::string_view text, const std::vector<std::int64_t>& shape = {}) {
    INFO(std::string(text));
    Result<Layout> layout = read_layout(text, shape);
    REQUIRE(layout.ok());
    return std::move(layout.value());
}

template <class T>
T answered(const Result<T>& result) {
    REQUIRE(result.ok());
    return result.value();
}

std::string shown(const Layout& layout) {
    const Result<std::string> text = written(layout, layout.is_over_bits() ? Notation::bits : Notation::tirx);
    return text ? text.value() : "?";
}

// --- laws ---------------------------------------------------------------------------------------------------------------

void walk_visits_what_the_address_says(const Layout& layout) {
    INFO(shown(layout));
    std::int64_t count = 0;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step(), ++count) {
        REQUIRE(walk.index() == count);
        REQUIRE(walk.offset() == element_offset(layout, walk.coordinate()));
    }
    REQUIRE(count == size(layout).count);
}

void equality_is_that_of_the_tables(const Layout& a, const Layout& b) {
    INFO(shown(a) << " and " << shown(b));
    const Equality found = answered(same_offsets(a, b));
    std::int64_t differing = 0;
    for (OffsetWalk walk(a); !walk.at_end(); walk.step()) {
        const Coordinate at = walk.coordinate();
        const std::int64_t first = element_offset(a, at), second = element_offset(b, at);
        if (first == second || ++differing > 1) continue;
        REQUIRE_FALSE(found.is_equal);
        REQUIRE(found.coordinate == at);
        REQUIRE(found.first == first);
        REQUIRE(found.second == second);
    }
    REQUIRE(found.is_equal == (differing == 0));
    if (differing > 0) REQUIRE(found.differing == Elements{differing});
}

void bijectivity_is_that_of_the_table(const Layout& layout) {
    INFO(shown(layout));
    std::map<std::int64_t, int> times;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) ++times[walk.offset()];
    const Bijectivity found = answered(bijectivity(layout));
    for (std::int64_t offset = 0; offset < size(layout).count; ++offset) {
        if (times[offset] == 1) continue;
        REQUIRE_FALSE(found.is_bijective);
        REQUIRE(found.offset == offset);
        REQUIRE(found.sharing.size() == (times[offset] == 0 ? 0 : 2));
        for (const Coordinate& at : found.sharing) REQUIRE(element_offset(layout, at) == offset);
        if (!found.sharing.empty()) REQUIRE(found.sharing[0] != found.sharing[1]);
        return;
    }
    REQUIRE(found.is_bijective);
}

bool lies_in(const Coordinate& at, const Region& region) {
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] < region.start[i] || at[i] >= region.start[i] + region.extent[i]) return false;
    return true;
}

void overlap_is_that_of_the_tables(const Layout& layout, const Region& first, const Region& second) {
    INFO(shown(layout));
    std::set<std::int64_t> theirs, shared;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step())
        if (lies_in(walk.coordinate(), second)) theirs.insert(walk.offset());
    Coordinate first_shared;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) {
        if (!lies_in(walk.coordinate(), first) || theirs.count(walk.offset()) == 0) continue;
        if (shared.empty()) first_shared = walk.coordinate();
        shared.insert(walk.offset());
    }
    const Overlapping found = answered(overlapping(layout, first, second));
    REQUIRE(found.shared.count == static_cast<std::int64_t>(shared.size()));
    REQUIRE(found.first == first_shared);
    if (shared.empty()) return;
    REQUIRE(lies_in(found.second, second));
    REQUIRE(element_offset(layout, found.first) == found.offset);
    REQUIRE(element_offset(layout, found.second) == found.offset);
}

// --- layouts ------------------------------------------------------------------------------------------------------------

class RandomLayouts {
public:
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }
    /// Every third is a compact one in some order, so that bijections occur; some are over bits.
    Layout next() {
        if (between(0, 3) == 0) return over_bits();
        Layout layout;
        const bool compact = between(0, 2) == 0, powers = between(0, 1) == 0;
        for (std::int64_t rank = between(1, 4); rank > 0; --rank)
            layout.iters.push_back({powers ? std::int64_t{1} << between(0, 3) : between(1, 5), between(-8, 32)});
        for (const Iter& it : layout.iters) layout.shape.push_back(it.extent);
        if (between(0, 1) == 0) std::shuffle(layout.shape.begin(), layout.shape.end(), random_);
        if (compact) make_compact(layout);
        layout.offset = -reach(layout)->least + (between(0, 3) == 0 ? between(0, 3) : 0);
        layout.swizzle = swizzle();
        return layout;
    }
    /// One with the same shape, and often with the same offsets.
    Layout like(const Layout& layout) {
        Layout out = layout;
        if (const Result<BitBases> bases = bit_bases(layout); bases && between(0, 1) == 0) out = layout_over_bits(bases.value());
        if (out.is_over_bits()) {
            if (between(0, 1) == 0 && !out.bases.back().empty()) out.bases.back().back() ^= between(0, 7);
            return out;
        }
        for (std::size_t i = 0; i < out.iters.size(); ++i) {
            const Iter it = out.iters[i];
            if (it.extent % 2 != 0 || between(0, 1) == 0) continue;
            out.iters[i] = {it.extent / 2, it.stride * 2};
            out.iters.insert(out.iters.begin() + static_cast<std::ptrdiff_t>(i) + 1, {2, it.stride});
        }
        const auto any = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(out.iters.size()) - 1));
        if (between(0, 2) == 0) out.iters[any].stride += between(0, 2);
        if (between(0, 3) == 0) out.swizzle = swizzle();
        return out;
    }
    Region region_of(const Layout& layout) {
        Region out;
        for (const std::int64_t extent : layout.shape) {
            out.start.push_back(between(0, extent - 1));
            out.extent.push_back(between(1, extent - out.start.back()));
        }
        return out;
    }

private:
    Layout over_bits() {
        BitBases bases(static_cast<std::size_t>(between(1, 3)));
        int bits = 0;
        const bool compact = between(0, 1) == 0;
        for (std::vector<std::int64_t>& dim : bases)
            for (std::int64_t n = between(0, 3); n > 0; --n, ++bits)
                dim.push_back(compact ? (std::int64_t{1} << bits) ^ between(0, (std::int64_t{1} << bits) - 1) : between(0, 40));
        if (between(0, 1) == 0) return layout_over_bits(bases);
        Layout kept;
        for (const std::vector<std::int64_t>& dim : bases) kept.shape.push_back(std::int64_t{1} << dim.size());
        kept.bases = bases;
        return kept;
    }
    void make_compact(Layout& layout) {
        std::vector<std::size_t> order(layout.iters.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), random_);
        std::int64_t next = 1;
        for (const std::size_t i : order) {
            layout.iters[i].stride = between(0, 3) == 0 ? -next : next;
            next *= layout.iters[i].extent;
        }
    }
    Swizzle swizzle() {
        Swizzle out;
        if (between(0, 1) == 0) return out;
        do {
            out = {static_cast<int>(between(0, 3)), static_cast<int>(between(0, 3)), static_cast<int>(between(-4, 4))};
        } while (!out.is_valid());
        return out;
    }
    std::mt19937 random_{31};
};

}  // namespace

TEST_CASE("laws of random layouts: equal, bijective, overlapping") {
    RandomLayouts random;
    for (int i = 0; i < 1500; ++i) {
        const Layout layout = random.next();
        walk_visits_what_the_address_says(layout);
        bijectivity_is_that_of_the_table(layout);
        equality_is_that_of_the_tables(layout, layout);
        const Layout other = random.like(layout);
        if (reach(other)->least >= 0) equality_is_that_of_the_tables(layout, other);
        overlap_is_that_of_the_tables(layout, random.region_of(layout), random.region_of(layout));
    }
}

TEST_CASE("equal: what is written in different ways") {
    const auto equal = [](const Layout& a, const Layout& b) { return answered(same_offsets(a, b)).is_equal; };
    CHECK(equal(reads("(8,4):(4,1)"), reads("S[(8,2,2):(4,2,1)]", {8, 4})));
    CHECK(equal(reads("(8,4):(1,8)"), reads("bits[(1,2,4),(8,16)]")));
    CHECK(equal(reads("Sw<3,3,3> o (8,64):(64,1)"), reads("bits[(72,144,288),(1,2,4,8,16,32)]")));
    CHECK(equal(reads("Sw<2,3,3> o (4,16):(64,1)"),
                reads("Sw<3,3,3> o (4,16):(64,1)")));  // the third bit is never set
    CHECK_FALSE(equal(reads("(8,4):(4,1)"), reads("(4,8):(8,1)")));
    CHECK(answered(same_offsets(reads("(8,4):(4,1)"), reads("(4,8):(8,1)"))).coordinate.empty());
    CHECK(answered(same_offsets(reads("(8,4):(4,1)"), reads("(8,4):(4,1) + 1"))).coordinate == Coordinate{0, 0});
    CHECK(answered(same_offsets(reads("(8,(2,2)):(4,(1,2))"), reads("(8,(2,2)):(4,(1,3))"))).coordinate == Coordinate{0, 2});
}

TEST_CASE("large layouts are judged by their strides") {
    const std::string large = "(1048576,1048576):(1048576,1)";
    CHECK(answered(same_offsets(reads(large), reads("S[1099511627776]", {1048576, 1048576}))).is_equal);
    CHECK(answered(same_offsets(reads(large), reads("(1048576,1048576):(1048577,1)"))).coordinate == Coordinate{1, 0});
    CHECK(answered(same_offsets(reads("Sw<3,3,3> o " + large), reads("Sw<2,3,3> o " + large))).coordinate == Coordinate{0, 256});
    CHECK(answered(bijectivity(reads(large))).is_bijective);
    CHECK(answered(bijectivity(reads("Sw<3,3,3> o " + large))).is_bijective);
    CHECK(answered(bijectivity(reads("Sw<3,3,3> o (12345678,27):(27,1)"))).offset == 333333274);  // its partner is one past the end
    const Bijectivity gap = answered(bijectivity(reads("(1048576,1048576):(2097152,1)")));
    CHECK(gap.offset == 1048576);
    CHECK(gap.sharing.empty());
    const Bijectivity clash = answered(bijectivity(reads("(1048576,1048576):(1048575,1)")));
    CHECK(clash.offset == 1048575);
    CHECK(clash.sharing == std::vector<Coordinate>{{0, 1048575}, {1, 0}});
    const Region top{{0, 0}, {1048576, 524288}}, bottom{{0, 524288}, {1048576, 524288}};
    CHECK(answered(overlapping(reads(large), top, bottom)).shared == Elements{0});
    CHECK(answered(overlapping(reads(large), top, {{5, 7}, {1000000, 1000000}})).shared == Elements{1000000LL * (524288 - 7)});
}

TEST_CASE("what only enumeration could tell is refused beyond 2^24 elements") {
    const auto is_refused = [](const auto& result) { return !result && result.error().rule == "too-large"; };
    const Layout odd = reads("Sw<3,3,3> o (3,33554432):(5,1)"), other = reads("Sw<2,3,3> o (3,33554432):(5,1)");
    CHECK(is_refused(same_offsets(odd, other)));
    CHECK(is_refused(bijectivity(odd)));
    CHECK(is_refused(overlapping(odd, {{0, 0}, {1, 33554432}}, {{1, 0}, {1, 33554432}})));
    CHECK(answered(overlapping(odd, {{0, 0}, {1, 100}}, {{1, 0}, {1, 100}})).shared == Elements{95});
    CHECK(answered(same_offsets(odd, odd)).is_equal);
}

}  // namespace tileproof::test
