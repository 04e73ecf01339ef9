// A copy in one line, without a file.
//
//   --src 'global f16 (128,64):(64,1) align 16'  --dst 'shared f16 Sw<3,3,3> o (128,64):(64,1)'
//   --scope cta --threads 256 --predicate 'd0 < 100' --zero-fill --arch sm_90
//
// A side is a space, an element type and a layout, and then in any order `align N`, `base N`, `capacity N`, `shape 128,64`,
// `swizzle_on address` and a region, `[0:64, :]`. The buffers are called src and dst, the copy is copy0, the kernel tp_copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "layouts/problem_file.hpp"

namespace tileproof {

struct OneLine {
    std::string src;
    std::string dst;
    std::string scope;
    std::optional<std::int64_t> threads{};
    std::string arch;
    std::optional<std::string> predicate{};  // of numbers: there are no symbols
    bool zero_fill = false;
};

/// The source is the options again, one a line, so that diagnostics have something to point into.
/// Errors: `option-syntax`, `duplicate-key`, and those of problem files.
Loaded load_one_line(const OneLine& line);

}  // namespace tileproof
