// The host's reference for `run`: bytes by the definition, against formulas written out here; and what it notices.
#include "cli/reference.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "layouts/notation.hpp"

namespace tileproof::cli {
namespace {

constexpr auto global = Space::global;
constexpr auto shared = Space::shared;

/// A problem made by hand: buffers in notation, copies between whole buffers or stated regions.
struct Made {
    Problem problem;

    int add(const std::string& name, Space space, const std::string& dtype, const std::string& layout, std::int64_t more_elements = 0) {
        Buffer buffer;
        buffer.name = name;
        buffer.space = space;
        buffer.dtype = find_dtype(dtype).value();
        buffer.layout = read_layout(layout).value();
        buffer.capacity = span(buffer.layout) + Elements{more_elements};
        problem.buffers.push_back(buffer);
        return static_cast<int>(problem.buffers.size()) - 1;
    }
    Region whole(int buffer) const {
        const std::vector<std::int64_t>& shape = problem.buffers[static_cast<std::size_t>(buffer)].layout.shape;
        return {std::vector<Expression>(shape.size(), 0), shape};
    }
    void copy(const std::string& name, int src, const Region& from, int dst, const Region& to) {
        Copy out;
        out.name = name;
        out.src = {src, from};
        out.dst = {dst, to};
        problem.copies.push_back(out);
    }
    void copy(const std::string& name, int src, int dst) { copy(name, src, whole(src), dst, whole(dst)); }
};

/// Buffers before and after the copies, read element by element.
struct Ran {
    explicit Ran(const Problem& of, std::uint64_t seed = 7) : problem(of), before(random_images(of, seed)), after(before) {
        run_reference(problem, after);
    }
    static std::uint64_t at(const Problem& problem, const Images& images, int buffer, std::int64_t element) {
        const auto number = static_cast<std::size_t>(buffer);
        const auto size = static_cast<std::size_t>(problem.buffers[number].dtype.size.count / 8);
        std::uint64_t value = 0;
        for (std::size_t i = size; i-- > 0;) value = value << 8 | images[number].at(static_cast<std::size_t>(element) * size + i);
        return value;
    }
    std::uint64_t old(int buffer, std::int64_t element) const { return at(problem, before, buffer, element); }
    std::uint64_t now(int buffer, std::int64_t element) const { return at(problem, after, buffer, element); }

    Problem problem;
    Images before;
    Images after;
};

Made round_trip(const std::string& near) {
    Made made;
    const int a = made.add("A", global, "f32", "(32,32):(32,1)");
    const int s = made.add("As", shared, "f32", near);
    const int b = made.add("B", global, "f32", "(32,32):(32,1)");
    made.copy("load", a, s);
    made.copy("store", s, b);
    return made;
}

}  // namespace

TEST_CASE("a round trip through shared memory gives the tile back") {
    for (const char* near : {"(32,32):(32,1)", "(32,32):(33,1)", "(32,32):(1,32)", "Sw<3,2,3> o (32,32):(32,1)"}) {
        CAPTURE(near);
        const Ran ran(round_trip(near).problem);
        CHECK(ran.after[0] == ran.before[0]);
        CHECK(ran.after[2] == ran.before[0]);
        CHECK(ran.after[2] != ran.before[2]);
    }
}

TEST_CASE("a swizzled destination gets each element at its swizzled offset") {
    Made made;
    const int a = made.add("A", global, "f16", "(8,64):(64,1)");
    const int s = made.add("As", shared, "f16", "Sw<3,3,3> o (8,64):(64,1)");
    made.copy("load", a, s);
    const Ran ran(made.problem);
    int wrong = 0;
    for (std::int64_t row = 0; row < 8; ++row)
        for (std::int64_t column = 0; column < 64; ++column) {
            const std::int64_t swizzled_column = (column / 8 ^ row) * 8 + column % 8;
            wrong += ran.now(s, 64 * row + swizzled_column) != ran.old(a, 64 * row + column) ? 1 : 0;
        }
    CHECK(wrong == 0);
}

TEST_CASE("regions with offsets; what lies outside them stays") {
    Made made;
    const int a = made.add("A", global, "u8", "(4,16,16):(256,16,1)");
    const int b = made.add("B", global, "u8", "(12,20):(24,1)", 5);
    made.copy("cut", a, {{2, 3, 5}, {1, 8, 6}}, b, {{4, 10}, {8, 6}});
    const Ran ran(made.problem);
    CHECK(ran.after[static_cast<std::size_t>(a)] == ran.before[static_cast<std::size_t>(a)]);
    int wrong = 0;
    for (std::int64_t byte = 0; byte < std::int64_t{11} * 24 + 20 + 5; ++byte) {
        const std::int64_t row = byte / 24 - 4, column = byte % 24 - 10;
        const bool inside = row >= 0 && row < 8 && column >= 0 && column < 6;
        const std::uint64_t wanted = inside ? ran.old(a, 2 * 256 + (3 + row) * 16 + 5 + column) : ran.old(b, byte);
        wrong += ran.now(b, byte) != wanted ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("padding between the rows of the destination stays as it was") {
    Made made;
    const int a = made.add("A", global, "f32", "(6,5):(5,1)");
    const int b = made.add("B", global, "f32", "(6,5):(7,1)", 2);
    made.copy("pad", a, b);
    const Ran ran(made.problem);
    for (std::int64_t element = 0; element < 5 * 7 + 5 + 2; ++element) {
        const std::int64_t row = element / 7, column = element % 7;
        CAPTURE(element);
        CHECK(ran.now(b, element) == (column < 5 && row < 6 ? ran.old(a, 5 * row + column) : ran.old(b, element)));
    }
}

TEST_CASE("a source with stride 0 is spread") {
    Made made;
    const int a = made.add("A", global, "f64", "(4,8):(0,1)");
    const int b = made.add("B", global, "f64", "(4,8):(8,1)");
    made.copy("spread", a, b);
    const Ran ran(made.problem);
    for (std::int64_t element = 0; element < 32; ++element) CHECK(ran.now(b, element) == ran.old(a, element % 8));
}

TEST_CASE("a copy within a buffer reads it as it was before that copy") {
    Made made;
    const int a = made.add("A", global, "u32", "16:1");
    made.copy("shift", a, {{0}, {12}}, a, {{2}, {12}});
    made.copy("back", a, {{4}, {2}}, a, {{14}, {2}});
    const Ran ran(made.problem);
    for (std::int64_t i = 0; i < 16; ++i) {
        CAPTURE(i);
        CHECK(ran.now(a, i) == ran.old(a, i < 2 ? i : i < 14 ? i - 2 : i - 12));
    }
}

TEST_CASE("what a predicate leaves out is filled with zeros, and not read") {
    Made made;
    const int a = made.add("A", global, "u16", "(3,4):(4,1)"), b = made.add("B", shared, "u16", "(4,8):(10,1)");
    Region from{{0, 0}, {4, 8}};
    from.symbolic_extent = {{0, 3}, {1, 4}};
    from.clipped = {0, 1};
    made.copy("load", a, from, b, made.whole(b));
    made.problem.copies[0].zero_fill = true;
    const Ran ran(made.problem);
    for (std::int64_t row = 0; row < 4; ++row)
        for (std::int64_t column = 0; column < 10; ++column) {
            const bool is_moved = row < 3 && column < 4, is_filled = column < 8;
            if (row * 10 + column >= span(made.problem.buffers[1].layout).count) continue;
            CHECK(Ran::at(made.problem, ran.after, b, row * 10 + column) == (is_moved    ? ran.old(a, row * 4 + column)
                                                                             : is_filled ? 0
                                                                                         : ran.old(b, row * 10 + column)));
        }
    CHECK(shared_use(made.problem).leaves_unread);
}

TEST_CASE("noise is the same everywhere, and another for each seed and buffer") {
    CHECK(noise(Bytes{3}, 5489) == Image{0xa6, 0xae, 0xf6});  // std::mt19937_64 begins with 0xc96d191cf6f6aea6
    CHECK(noise(Bytes{100}, 1) != noise(Bytes{100}, 2));
    const Made made = round_trip("(32,32):(32,1)");
    const Images one = random_images(made.problem, 1), two = random_images(made.problem, 2);
    CHECK(one[0] != one[1]);
    CHECK(one[0] != one[2]);
    CHECK(one[0] != two[0]);
    CHECK(one == random_images(made.problem, 1));
}

TEST_CASE("an image of shared memory is needed where global memory cannot tell") {
    SUBCASE("all that is loaded is stored") { CHECK(!needs_shared_image(round_trip("(32,32):(33,1)").problem)); }
    SUBCASE("the result stays in shared memory") {
        Made made = round_trip("(32,32):(32,1)");
        made.problem.copies.pop_back();
        CHECK(shared_use(made.problem).leaves_unread);
        CHECK(!shared_use(made.problem).reads_unwritten);
        CHECK(needs_shared_image(made.problem));
    }
    SUBCASE("shared memory is read before it is written") {
        Made made = round_trip("(32,32):(32,1)");
        std::swap(made.problem.copies[0], made.problem.copies[1]);
        CHECK(shared_use(made.problem).leaves_unread);
        CHECK(shared_use(made.problem).reads_unwritten);
    }
    SUBCASE("one row less is stored than loaded") {
        Made made = round_trip("(32,32):(32,1)");
        made.problem.copies[1].src.region.extent[0] = made.problem.copies[1].dst.region.extent[0] = 31;
        CHECK(shared_use(made.problem).leaves_unread);
        CHECK(!shared_use(made.problem).reads_unwritten);
    }
    SUBCASE("one column less is loaded than stored") {
        Made made = round_trip("(32,32):(32,1)");
        made.problem.copies[0].src.region.extent[1] = made.problem.copies[0].dst.region.extent[1] = 31;
        CHECK(!shared_use(made.problem).leaves_unread);
        CHECK(shared_use(made.problem).reads_unwritten);
    }
    SUBCASE("global memory alone") {
        Made made;
        const int a = made.add("A", global, "f32", "8:1");
        const int b = made.add("B", global, "f32", "8:1");
        made.copy("move", a, b);
        CHECK(!needs_shared_image(made.problem));
    }
}

TEST_CASE("bases keep their promise, and in the first pass no more") {
    Made made;
    Buffer& buffer = made.problem.buffers[static_cast<std::size_t>(made.add("A", global, "u8", "100:1"))];
    for (const std::uint64_t allocation : {std::uint64_t{0}, std::uint64_t{512}, std::uint64_t{0x7f12345600}, std::uint64_t{3}}) {
        for (const std::int64_t align : {1, 2, 16, 128, 256, 1024, 1 << 20}) {
            for (const bool least : {true, false}) {
                buffer.align = {align};
                const Bytes begin = base_in_stretch(buffer, allocation, least);
                const auto base = static_cast<std::int64_t>(allocation) + begin.count;
                CAPTURE(align);
                CHECK(base % align == 0);
                CHECK(base % (2 * align) == (least ? align : base % (2 * align)));
                if (!least) CHECK(base % 256 == 0);
                CHECK(begin >= guard_size);
                CHECK(begin + bytes_of(made.problem, buffer) + guard_size <= stretch_size(buffer));
            }
        }
        for (const std::int64_t residue : {0, 8, 255}) {
            buffer.base = Bytes{residue};
            for (const bool least : {true, false}) {
                const Bytes begin = base_in_stretch(buffer, allocation, least);
                CHECK((static_cast<std::int64_t>(allocation) + begin.count) % 256 == residue);
                CHECK(begin >= guard_size);
                CHECK(begin + bytes_of(made.problem, buffer) + guard_size <= stretch_size(buffer));
            }
        }
        buffer.base.reset();
    }
}

TEST_CASE("buffers that are too large to run are refused without a sum that overflows") {
    Made made;
    for (int i = 0; i < 3000; ++i) made.add("A" + std::to_string(i), global, "f64", "(2,2):(1000000000000000,1)");
    CHECK(!bytes_to_run(made.problem));
    CHECK(bytes_to_run(round_trip("(32,32):(33,1)").problem) == Bytes{4096 + 4 * (31 * 33 + 32) + 4096});
}

TEST_CASE("the first wrong byte is named with its element and where that comes from") {
    Made made;
    const int a = made.add("A", global, "u16", "(4,4):(4,1)");
    const int b = made.add("B", global, "u16", "(4,4):(6,1)");
    made.copy("move", a, b);
    const Ran ran(made.problem);
    const Stretch stretch{stretch_size(made.problem.buffers[1]), {{b, Bytes{5000}}}};
    const Image before = stretch_image(stretch, ran.before, 3), wanted = stretch_image(stretch, ran.after, 3);
    Image found = wanted;
    const auto differs = [&] { return first_difference(made.problem, stretch, before, wanted, found); };
    const auto contains = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
    CHECK(!differs());

    SUBCASE("an element that was never written") {
        std::copy(before.begin() + 5000 + 26, before.begin() + 5000 + 28, found.begin() + 5000 + 26);
        const Difference difference = differs().value();
        CHECK(difference.buffer == b);
        CHECK(difference.byte / 2 == 13);
        CHECK(difference.element == 13);
        CHECK(difference.coordinate == std::vector<std::int64_t>{2, 1});
        CHECK(contains(difference.text, "B[2,1] (byte "));
        CHECK(contains(difference.text, "element 13), which copy move takes from A[2,1]: expected 0x"));
        CHECK(contains(difference.text, "as before the launch"));
    }
    SUBCASE("a gap") {
        found[5000 + 9] ^= 0x80;
        const Difference difference = differs().value();
        CHECK(difference.byte == 9);
        CHECK(difference.element == 4);
        CHECK(difference.coordinate.empty());
        CHECK(difference.differing_bytes == 1);
        CHECK(contains(difference.text, "no copy writes byte 9, element 4 of B"));
    }
    SUBCASE("a guard") {
        found[4999] ^= 1;
        found[5000 + 44] ^= 1;
        const Difference difference = differs().value();
        CHECK(difference.byte == -1);
        CHECK(!difference.element);
        CHECK(difference.differing_bytes == 2);
        CHECK(contains(difference.text, "byte -1, 1 before the start of B"));
        found[4999] ^= 1;
        CHECK(differs().value().byte == 44);
        CHECK(contains(differs().value().text, "byte 44, 1 past the end of B"));
    }
}

TEST_CASE("a grid: the copies of every block, each with shared memory of its own") {
    Made made;
    const int a = made.add("A", global, "u16", "(12,4):(4,1)");
    const int s = made.add("S", shared, "u16", "(4,4):(4,1)");
    const int c = made.add("C", global, "u16", "(12,4):(5,1)");
    made.copy("load", a, {{Expression::symbol(0), 0}, {4, 4}}, s, made.whole(s));
    made.copy("store", s, made.whole(s), c, {{Expression::symbol(0), 0}, {4, 4}});
    made.problem.launch.grid = {3, 1, 1};
    made.problem.symbols.push_back({"row", 0, 8, 4, {}, LaunchIndex{0, 4}});
    const LaunchOf launch{made.problem, {0}};
    CHECK(launch.blocks() == 3);
    CHECK(elements_to_run(launch) == 3 * 32);
    const Images before = random_images(made.problem, 5);
    Images after = before;
    const std::vector<Images> of_blocks = run_reference(launch, after, true);
    REQUIRE(of_blocks.size() == 3);
    for (std::int64_t i = 0; i < 12; ++i)
        for (std::int64_t j = 0; j < 4; ++j) {
            const std::uint64_t value = Ran::at(made.problem, before, a, 4 * i + j);
            CHECK(Ran::at(made.problem, after, c, 5 * i + j) == value);
            CHECK(Ran::at(made.problem, of_blocks[static_cast<std::size_t>(i / 4)], s, 4 * (i % 4) + j) == value);
        }
    CHECK(Ran::at(made.problem, after, c, 4) == Ran::at(made.problem, before, c, 4));  // a gap

    // What differs is named with the block that writes it; in shared memory, with the block whose it is.
    const Stretch stretch{stretch_size(made.problem.buffers[2]), {{c, Bytes{5000}}}};
    const Image was = stretch_image(stretch, before, 3), wanted = stretch_image(stretch, after, 3);
    Image found = wanted;
    found[5000 + 2 * 40] ^= 1;
    CHECK(first_difference(launch, stretch, was, wanted, found)
              .value()
              .text.starts_with("C[8,0] (byte 80, element 40), which copy store takes from S[0,0] in block 2: expected 0x"));
    Stretch images{Bytes{4096 + 3 * 32 + 4096}, {}};
    for (std::int64_t block = 0; block < 3; ++block) images.spots.push_back({s, Bytes{4096 + 32 * block}, block});
    const Image shared_before = stretch_image(images, before, 3), shared_after = stretch_image(images, of_blocks, 3);
    CHECK(Ran::at(made.problem, {{}, {shared_after.begin() + 4096 + 32, shared_after.end()}}, s, 0) ==
          Ran::at(made.problem, before, a, 16));
    Image other = shared_after;
    other[4096 + 32 + 6] ^= 1;
    CHECK(first_difference(launch, images, shared_before, shared_after, other)
              .value()
              .text.starts_with("S[0,3] (byte 6, element 3), which copy load takes from A[4,3] in block 1: expected 0x"));

    made.problem.launch.grid = {1 << 30, 1, 1};
    CHECK(!elements_to_run({made.problem, {0}}));
}

}  // namespace tileproof::cli
