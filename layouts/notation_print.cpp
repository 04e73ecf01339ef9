#include <algorithm>

#include "layouts/notation.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

std::string swizzle_prefix(const Layout& layout, bool cute) {
    const Swizzle& s = layout.swizzle;
    if (s == Swizzle{}) return {};
    if (cute) return to_string(s) + " o ";
    return "swizzle(" + std::to_string(s.base_log2) + "," + std::to_string(s.bits_log2) + "," +
           std::to_string(s.shift_log2) + ") o ";
}

/// The iters of each dimension as they come, those of extent 1 included; a dimension without any is the empty tuple.
std::vector<std::vector<Iter>> written_modes(const Layout& layout) {
    std::vector<std::vector<Iter>> out;
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < layout.shape.size(); ++dim) {
        const bool last = dim + 1 == layout.shape.size();
        std::vector<Iter> mode;
        std::int64_t room = layout.shape[dim];
        while (next < layout.iters.size()) {
            const Iter& it = layout.iters[next];
            const bool is_unit_of_unit = it.extent == 1 && layout.shape[dim] == 1 && mode.empty();
            if (room == 1 && !is_unit_of_unit && !last) break;
            room /= it.extent;
            mode.push_back(it);
            ++next;
        }
        out.push_back(std::move(mode));
    }
    return out;
}

template <class Number>
std::string cute_mode(std::vector<Iter> mode, Number Iter::*part) {
    std::reverse(mode.begin(), mode.end());
    std::vector<std::int64_t> numbers;
    numbers.reserve(mode.size());
    for (const Iter& it : mode) numbers.push_back(it.*part);
    return numbers.size() == 1 ? std::to_string(numbers[0]) : tuple_of(numbers);
}

Diagnostic inexpressible(const std::string& why) { return {"inexpressible", why}; }

}  // namespace

std::string to_cute(const Layout& layout) {
    TILEPROOF_CHECK(modes(layout).has_value());
    std::string extents, strides;
    for (const std::vector<Iter>& mode : written_modes(layout)) {
        const char* comma = extents.empty() ? "" : ",";
        extents += comma + cute_mode(mode, &Iter::extent);
        strides += comma + cute_mode(mode, &Iter::stride);
    }
    std::string start;
    std::string behind;
    const std::string prefix = swizzle_prefix(layout, true);
    if (layout.offset != 0) (prefix.empty() ? behind : start) = std::to_string(layout.offset);
    if (!start.empty()) start += " o ";
    if (!behind.empty()) behind = " + " + behind;
    return prefix + start + "(" + extents + "):(" + strides + ")" + behind;
}

std::string to_tirx(const Layout& layout) {
    TILEPROOF_CHECK(!layout.is_over_bits());
    std::vector<std::int64_t> extents, strides;
    for (const Iter& it : layout.iters) {
        extents.push_back(it.extent);
        strides.push_back(it.stride);
    }
    return swizzle_prefix(layout, false) + "S[" + tuple_of(extents) + ":" + tuple_of(strides) + "]" +
           (layout.offset != 0 ? " + " + std::to_string(layout.offset) : "");
}

Result<std::string> written(const Layout& layout, Notation notation) {
    if (notation == Notation::bits) return to_bits(layout);
    if (layout.is_over_bits())
        return inexpressible(
            "no strides with one swizzle of at most 2^20 elements give the offsets of these bases");
    if (notation == Notation::tirx) return to_tirx(layout);
    if (modes(layout)) return to_cute(layout);
    const auto cut = split_modes(layout);
    if (!cut)
        return inexpressible("an iter reaches over two dimensions of the shape " + tuple_of(layout.shape) +
                             ", and a mode of CuTe belongs to one");
    Layout out = layout;
    out.iters.clear();
    for (const std::vector<Iter>& mode : *cut) {
        if (mode.empty()) out.iters.push_back({1, 0});
        out.iters.insert(out.iters.end(), mode.begin(), mode.end());
    }
    return to_cute(out);
}

}  // namespace tileproof
