// Problems by hand, for tests: buffers and copies in one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof::test {

/// A buffer whose capacity is its span. Fails the test if the layout does not parse.
Buffer make_buffer(const std::string& name, Space space, const std::string& dtype, const std::string& layout, int align = 256,
                   const std::vector<std::int64_t>& shape = {});

Region whole(const Buffer& buffer);

/// buffers[0] -> buffers[1], the whole of both, in a cta of `threads`.
Problem one_copy(const Buffer& src, const Buffer& dst, int threads, const std::string& arch = "sm_90");

/// One copy, its sides as on the command line (layouts/one_line.hpp). Fails the test if it is no problem.
Problem one_line(const std::string& src, const std::string& dst, const std::string& scope, std::int64_t threads,
                 const std::string& arch = "sm_90");

/// buffers 0 -> 1 -> 2.
Problem round_trip(const Buffer& a, const Buffer& shared, const Buffer& b, int threads);

}  // namespace tileproof::test
