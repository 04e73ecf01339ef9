#include "layouts/placement.hpp"

#include <algorithm>

namespace tileproof {

Placement place_shared(const Problem& problem) {
    Placement out;
    std::int64_t next = 0;
    for (const Buffer& buffer : problem.buffers) {
        out.offsets.push_back({0});
        if (buffer.space != Space::shared) continue;
        const std::int64_t align = buffer.base ? 256 : buffer.align.count;
        const std::int64_t residue = buffer.base ? buffer.base->count : 0;
        next = ceil_div(std::max<std::int64_t>(next - residue, 0), align) * align + residue;
        out.offsets.back() = {next};
        next += bytes_to_hold(buffer.capacity, buffer.dtype.size).count;
        out.align = std::max(out.align, Bytes{align});
    }
    out.total = {ceil_div(next, 16) * 16};
    return out;
}

}  // namespace tileproof
