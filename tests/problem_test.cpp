// Problems made by hand: what check_problem refuses, what no plan can do, and what a proof assumes.
#include "layouts/problem.hpp"

#include <functional>

#include <doctest/doctest.h>

namespace tileproof::test {
namespace {

Buffer buffer_of(const std::string& name, Space space) {
    Buffer buffer;
    buffer.name = name;
    buffer.space = space;
    buffer.dtype = *find_dtype("f16");
    buffer.layout = {{64, 32}, {{64, 32}, {32, 1}}, 0, {}};
    buffer.capacity = Elements{2048};
    return buffer;
}

/// A -> S, one warp, all of it.
Problem sound() {
    Problem problem;
    problem.target = *find_arch("sm_90");
    problem.buffers = {buffer_of("A", Space::global), buffer_of("S", Space::shared)};
    const Region all{{0, 0}, {64, 32}};
    Copy copy;
    copy.name = "load";
    copy.src = {0, all, {}};
    copy.dst = {1, all, {}};
    copy.scope = Scope::warp;
    copy.threads = 32;
    problem.copies = {copy};
    problem.launch.block = 32;
    return problem;
}

using Change = std::function<void(Problem&)>;

void is_refused(const std::string& rule, const Change& change) {
    INFO(rule);
    Problem problem = sound();
    change(problem);
    const std::optional<Diagnostic> fault = check_problem(problem);
    REQUIRE(fault.has_value());
    INFO(fault->text);
    CHECK(fault->rule == rule);
}

void is_accepted(const Change& change) {
    Problem problem = sound();
    change(problem);
    const std::optional<Diagnostic> fault = check_problem(problem);
    INFO((fault ? fault->text : ""));
    CHECK_FALSE(fault.has_value());
}

void is_rejected(const std::string& rule, const Change& change) {
    is_accepted(change);
    INFO(rule);
    Problem problem = sound();
    change(problem);
    const std::optional<Diagnostic> fault = rejection(problem, problem.copies[0]);
    REQUIRE(fault.has_value());
    INFO(fault->text);
    CHECK(fault->rule == rule);
}

void is_feasible(const Change& change) {
    is_accepted(change);
    Problem problem = sound();
    change(problem);
    const std::optional<Diagnostic> fault = rejection(problem, problem.copies[0]);
    INFO((fault ? fault->text : ""));
    CHECK_FALSE(fault.has_value());
}

}  // namespace

TEST_CASE("a sound problem is accepted, and can be done") {
    is_feasible([](Problem&) {});
}

TEST_CASE("faulty targets, launches and names") {
    is_refused("unknown-arch", [](Problem& p) { p.target.name = "sm_42"; });
    is_refused("unknown-arch", [](Problem& p) { p.target.number = 80; });
    is_refused("ptx-version", [](Problem& p) { p.ptx = PtxVersion{7, 7}; });
    is_accepted([](Problem& p) { p.ptx = PtxVersion{7, 8}; });
    is_refused("bad-name", [](Problem& p) { p.stem = "a-b"; });
    is_refused("bad-name", [](Problem& p) { p.stem = ""; });
    is_refused("out-of-range", [](Problem& p) { p.launch.block = 0; });
    is_refused("out-of-range", [](Problem& p) { p.launch.block = 1025; });
    is_accepted([](Problem& p) { p.launch.grid = {2, 1, 1}; });
    is_refused("out-of-range", [](Problem& p) { p.launch.grid = {1, 65536, 1}; });
    is_refused("out-of-range", [](Problem& p) { p.launch.grid = {1, 0, 1}; });
    is_refused("bad-name", [](Problem& p) { p.buffers[0].name = "1A"; });
    is_refused("duplicate-name", [](Problem& p) { p.buffers[0].name = "S"; });
    is_refused("bad-name", [](Problem& p) { p.copies[0].name = ""; });
    is_refused("duplicate-name", [](Problem& p) { p.copies.push_back(p.copies[0]); });
    is_refused("missing-key", [](Problem& p) { p.copies.clear(); });
}

TEST_CASE("faulty buffers") {
    is_refused("unknown-dtype", [](Problem& p) { p.buffers[0].dtype = {"u4", Bits{8}}; });
    is_refused("unknown-dtype", [](Problem& p) { p.buffers[0].dtype = {"f16", Bits{24}}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].align = Bytes{0}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].align = Bytes{24}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].align = Bytes{1 << 21}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].base = Bytes{256}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].base = Bytes{-1}; });
    is_refused("out-of-range", [](Problem& p) { p.buffers[0].capacity = Elements{-1}; });
    is_refused("swizzle-on", [](Problem& p) { p.buffers[0].swizzle_on_address = true; });
    is_refused("too-large", [](Problem& p) { p.buffers[1].capacity = Elements{std::int64_t{1} << 30}; });
}

TEST_CASE("faulty layouts") {
    const auto with = [](Layout layout) { return [layout](Problem& p) { p.buffers[0].layout = layout; }; };
    is_refused("rank", with({{}, {}, 0, {}}));
    is_refused("rank", with({std::vector<std::int64_t>(9, 1), {}, 0, {}}));
    is_refused("rank", with({{1}, std::vector<Iter>(65), 0, {}}));
    is_refused("zero-extent", with({{64, 0}, {{64, 32}}, 0, {}}));
    is_refused("zero-extent", with({{64}, {{-64, 32}}, 0, {}}));
    is_refused("shape-mismatch", with({{64, 32}, {{64, 32}}, 0, {}}));
    is_refused("overflow", with({{max_offset, 2}, {{max_offset, 0}, {2, 0}}, 0, {}}));
    is_refused("overflow", with({{64, 32}, {{64, max_offset}, {32, 1}}, 0, {}}));
    is_refused("overflow", with({{1}, {}, INT64_MAX, {}}));
    is_refused("invalid-swizzle", with({{64, 32}, {{64, 32}, {32, 1}}, 0, {3, 3, 1}}));
    is_refused("invalid-swizzle", with({{64, 32}, {{64, 32}, {32, 1}}, 0, {INT32_MAX, INT32_MAX, INT32_MIN}}));
    is_refused("unsupported", with({{64, 32}, {{64, 32}, {32, 1}}, 0, {1, 30, 1}}));
    is_refused("negative-offset", with({{64, 32}, {{64, 32}, {32, -1}}, 30, {}}));
    is_accepted(with({{64, 32}, {{64, 32}, {32, -1}}, 31, {}}));
}

TEST_CASE("faulty copies") {
    is_refused("unknown-buffer", [](Problem& p) { p.copies[0].dst.buffer = 2; });
    is_refused("unknown-buffer", [](Problem& p) { p.copies[0].src.buffer = -1; });
    is_refused("region-rank", [](Problem& p) { p.copies[0].src.region.start = {0}; });
    is_refused("region-rank", [](Problem& p) { p.copies[0].src.region.extent = {64, 32, 1}; });
    is_refused("region-outside", [](Problem& p) { p.copies[0].src.region.start = {1, 0}; });
    is_refused("region-outside", [](Problem& p) { p.copies[0].src.region.start = {-1, 0}; });
    is_refused("region-outside", [](Problem& p) { p.copies[0].src.region.extent = {64, INT64_MAX}; });
    is_refused("region-outside", [](Problem& p) { p.copies[0].src.region.start = {INT64_MAX, 0}; });
    is_refused("zero-extent", [](Problem& p) { p.copies[0].dst.region.extent = {64, 0}; });
    is_refused("threads-differ", [](Problem& p) { p.copies[0].threads = 64; });
    is_refused("out-of-range", [](Problem& p) { p.copies[0].threads = 0; });
    is_refused("out-of-range", [](Problem& p) { p.copies[0].group = -1; });
    is_refused("out-of-range", [](Problem& p) { p.copies[0].group = INT32_MAX; });
    is_refused("out-of-range", [](Problem& p) { p.copies[0].scope = Scope::cta, p.copies[0].group = 1; });
    is_refused("block-too-small", [](Problem& p) { p.copies[0].group = 1; });
    is_refused("block-too-small", [](Problem& p) { p.copies[0].scope = Scope::warpgroup, p.copies[0].threads = 128; });
    is_accepted([](Problem& p) { p.copies[0].group = 3, p.launch.block = 128; });
    is_refused("unsupported", [](Problem& p) { p.copies[0].dispatch = "ldmatrix"; });
    is_accepted([](Problem& p) { p.copies[0].dispatch = "ldstmatrix"; });
    is_refused("too-large", [](Problem& p) {
        p.buffers[0].layout = {{8192, 4096}, {{8192, 4096}, {4096, 1}}, 0, {}};
        p.copies[0].src.region = {{0, 0}, {8192, 4096}};
    });
}

TEST_CASE("rejections: types and extents") {
    is_rejected("dtype-differs", [](Problem& p) { p.buffers[1].dtype = *find_dtype("bf16"); });
    is_feasible([](Problem& p) { p.buffers[1].dtype = *find_dtype("half"); });
    is_rejected("extents-differ", [](Problem& p) { p.copies[0].src.region.extent = {32, 32}; });
    is_rejected("extents-differ", [](Problem& p) {
        p.buffers[1].layout.shape = {2048};
        p.copies[0].dst.region = {{0}, {2048}};
    });
    is_feasible([](Problem& p) {  // those of 1 do not count
        p.buffers[1].layout.shape = {1, 64, 1, 32};
        p.copies[0].dst.region = {{0, 0, 0, 0}, {1, 64, 1, 32}};
    });
}

TEST_CASE("rejections: capacity") {
    is_rejected("capacity-below-span", [](Problem& p) { p.buffers[0].capacity = Elements{2047}; });
    is_rejected("capacity-below-span", [](Problem& p) { p.buffers[1].layout.offset = 1; });
    is_rejected("capacity-below-span", [](Problem& p) {  // the swizzle moves elements past the linear end
        p.buffers[1].layout = {{64, 32}, {{64, 32}, {32, 1}}, 65, {3, 3, 3}};
        p.buffers[1].capacity = Elements{2048 + 65};
    });
}

TEST_CASE("rejections: bases that are no whole number of elements") {
    is_rejected("element-alignment", [](Problem& p) { p.buffers[0].align = Bytes{1}; });
    is_rejected("element-alignment", [](Problem& p) { p.buffers[0].base = Bytes{7}; });
    is_feasible([](Problem& p) { p.buffers[0].base = Bytes{6}; });
    is_feasible([](Problem& p) { p.buffers[0].align = Bytes{2}; });
}

TEST_CASE("rejections: a swizzle of addresses needs a base that keeps its period") {
    const auto with = [](Swizzle swizzle, std::int64_t align, std::optional<Bytes> base) {
        return [=](Problem& p) {
            p.buffers[1].layout.swizzle = swizzle;
            p.buffers[1].swizzle_on_address = true;
            p.buffers[1].align = Bytes{align};
            p.buffers[1].base = base;
        };
    };
    const Swizzle whole{3, 3, 3}, small{1, 3, 3};  // periods of 1024 and 256 bytes
    is_feasible(with(whole, 1024, {}));
    is_rejected("swizzle-period", with(whole, 512, {}));
    is_rejected("swizzle-period", with(whole, 1024, Bytes{0}));  // known modulo 256 only
    is_feasible(with(small, 16, Bytes{0}));
    is_rejected("swizzle-period", with(small, 16, Bytes{128}));
    is_feasible(with({0, 3, 3}, 16, {}));
    is_feasible([](Problem& p) { p.buffers[1].layout.swizzle = {3, 3, 3}; });  // of offsets: any base does
}

TEST_CASE("who executes, and how much is moved") {
    Copy copy = sound().copies[0];
    CHECK(moved(copy) == Elements{2048});
    CHECK(participants(copy, {}) == Participants{0, 32});
    copy.group = 3;
    CHECK(participants(copy, {}) == Participants{96, 32});
    copy.scope = Scope::thread;
    CHECK(participants(copy, {}) == Participants{3, 1});
    copy.scope = Scope::warpgroup;
    CHECK(participants(copy, {}) == Participants{384, 128});
    copy.scope = Scope::cta, copy.group = 0, copy.threads = 96;
    CHECK(participants(copy, {}) == Participants{0, 96});
}

TEST_CASE("assumptions, in buffer order") {
    const auto texts = [](const Problem& problem) {
        std::vector<std::string> out;
        for (const Assumption& a : assumptions(problem)) out.push_back(a.id + " " + a.text + " (" + a.source + ")");
        return out;
    };
    Problem problem = sound();
    CHECK(texts(problem) == std::vector<std::string>{"A1 the base of A is a multiple of 16 bytes (stated-alignment)",
                                                     "A2 A has at least 2048 elements allocated (stated-capacity)",
                                                     "A3 no other thread or block touches these bytes meanwhile (exclusive)"});
    problem.buffers[0].align_is_default = problem.buffers[0].capacity_is_default = true;
    problem.buffers[1].align_is_default = problem.buffers[1].capacity_is_default = true;
    problem.buffers.push_back(buffer_of("B", Space::global));
    problem.buffers[2].base = Bytes{8};
    CHECK(texts(problem) == std::vector<std::string>{"A1 the base of A is a multiple of 16 bytes (default-alignment)",
                                                     "A2 A has at least 2048 elements allocated (default-capacity)",
                                                     "A3 the base of B is 8 bytes past a multiple of 256 bytes (stated-base)",
                                                     "A4 B has at least 2048 elements allocated (stated-capacity)",
                                                     "A5 the buffers A and B do not overlap (distinct-buffers)",
                                                     "A6 no other thread or block touches these bytes meanwhile (exclusive)"});
    problem.buffers[1].base = Bytes{0};
    CHECK(texts(problem)[2] == "A3 the base of S is a multiple of 256 bytes (stated-base)");
}

}  // namespace tileproof::test
