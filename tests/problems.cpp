#include "tests/problems.hpp"

#include <doctest/doctest.h>

#include "layouts/notation.hpp"
#include "layouts/one_line.hpp"

namespace tileproof::test {

Buffer make_buffer(const std::string& name, Space space, const std::string& dtype, const std::string& layout, int align,
                   const std::vector<std::int64_t>& shape) {
    Buffer out;
    out.name = name;
    out.space = space;
    out.dtype = *find_dtype(dtype);
    const Result<Layout> read = read_layout(layout, shape);
    REQUIRE_MESSAGE(read.ok(), layout);
    out.layout = read.value();
    out.align = {align};
    out.capacity = span(out.layout);
    return out;
}

Region whole(const Buffer& buffer) { return {std::vector<Expression>(buffer.layout.shape.size(), 0), buffer.layout.shape}; }

namespace {

Copy make_copy(const std::string& name, const Problem& problem, int src, int dst, int threads) {
    Copy out;
    out.name = name;
    out.src = {src, whole(problem.buffers[static_cast<std::size_t>(src)])};
    out.dst = {dst, whole(problem.buffers[static_cast<std::size_t>(dst)])};
    out.threads = threads;
    return out;
}

}  // namespace

Problem one_copy(const Buffer& src, const Buffer& dst, int threads, const std::string& arch) {
    Problem out;
    out.stem = "test";
    out.target = *find_arch(arch);
    out.buffers = {src, dst};
    out.launch.block = threads;
    out.copies = {make_copy("copy0", out, 0, 1, threads)};
    return out;
}

Problem one_line(const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads, const std::string& arch) {
    const Loaded loaded = load_one_line({src, dst, scope, threads, arch});
    INFO(src, " -> ", dst);
    REQUIRE_MESSAGE(loaded.problem.ok(), render(loaded.problem.error(), loaded.source));
    return loaded.problem.value();
}

Problem round_trip(const Buffer& a, const Buffer& shared, const Buffer& b, int threads) {
    Problem out;
    out.stem = "test";
    out.target = *find_arch("sm_90");
    out.buffers = {a, shared, b};
    out.launch.block = threads;
    out.copies = {make_copy("load", out, 0, 1, threads), make_copy("store", out, 1, 2, threads)};
    return out;
}

}  // namespace tileproof::test
