#include <algorithm>

#include "layouts/notation.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/thread_value.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

std::string swizzle_prefix(const Layout& layout, bool cute) {
    const Swizzle& s = layout.swizzle;
    if (s == Swizzle{}) return {};
    if (cute) return to_string(s) + " o ";
    return "swizzle(" + std::to_string(s.base_log2) + "," + std::to_string(s.bits_log2) + "," + std::to_string(s.shift_log2) + ") o ";
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

std::string tuple_of_words(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
    return "(" + out + ")";
}

std::string cute_mode(const std::vector<std::string>& words) { return words.size() == 1 ? words[0] : tuple_of_words(words); }

/// " + 8", " + ld - 4", " + -8": what follows a layout.
std::string behind(const Expression& offset, const std::vector<Symbol>& symbols) {
    return offset == Expression(0) ? "" : " + " + to_string(offset, symbols);
}

/// "4", "4@laneid"
std::string stride_text(const Iter& it, const std::vector<Symbol>& symbols) {
    return to_string(it.stride, symbols) + (it.axis == Axis::m ? "" : "@" + std::string(name_of(it.axis)));
}

/// "[(8,4):(4@laneid,1)]"
std::string bracketed(const std::vector<Iter>& iters, const std::vector<Symbol>& symbols) {
    std::vector<std::string> extents, strides;
    for (const Iter& it : iters) {
        extents.push_back(std::to_string(it.extent));
        strides.push_back(stride_text(it, symbols));
    }
    return "[" + tuple_of_words(extents) + ":" + tuple_of_words(strides) + "]";
}

Diagnostic inexpressible(const std::string& why) { return {"inexpressible", why}; }

}  // namespace

std::string to_cute(const Layout& layout, const std::vector<Symbol>& symbols) {
    TILEPROOF_CHECK(modes(layout).has_value());
    std::vector<std::string> extents, strides;
    for (const std::vector<Iter>& mode : written_modes(layout)) {
        std::vector<std::string> inner_extents, inner_strides;
        for (std::size_t i = mode.size(); i-- > 0;) {  // the fastest comes first
            inner_extents.push_back(std::to_string(mode[i].extent));
            inner_strides.push_back(to_string(mode[i].stride, symbols));
        }
        extents.push_back(cute_mode(inner_extents));
        strides.push_back(cute_mode(inner_strides));
    }
    const std::string prefix = swizzle_prefix(layout, true), body = tuple_of_words(extents) + ":" + tuple_of_words(strides);
    if (prefix.empty()) return body + behind(layout.offset, symbols);
    return prefix + (layout.offset == Expression(0) ? "" : to_string(layout.offset, symbols) + " o ") + body;
}

std::string to_tirx(const Layout& layout, const std::vector<Symbol>& symbols) {
    TILEPROOF_CHECK(!layout.is_over_bits());
    std::string out = swizzle_prefix(layout, false) + "S" + bracketed(layout.iters, symbols);
    if (!layout.replicas.empty()) out += " + R" + bracketed(layout.replicas, symbols);
    out += behind(layout.offset, symbols);
    for (const auto& [axis, count] : layout.thread_offset) out += " + " + std::to_string(count) + "@" + std::string(name_of(axis));
    return out;
}

Result<std::string> written(const Layout& layout, Notation notation, const std::vector<Symbol>& symbols) {
    if (layout.has_threads() && notation == Notation::bits) return inexpressible("bits notation has no word for threads");
    if (layout.has_threads() && notation == Notation::cute) {
        const std::optional<ThreadValue> tv = thread_value(layout);
        if (tv) return to_string(*tv);
        return inexpressible("CuTe's layout from threads and values to elements has no word for these offsets, gaps or axes");
    }
    if (notation == Notation::bits) return to_bits(layout);
    if (layout.is_over_bits()) return inexpressible("no strides with one swizzle of at most 2^20 elements give the offsets of these bases");
    if (notation == Notation::tirx) return to_tirx(layout, symbols);
    if (modes(layout)) return to_cute(layout, symbols);
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
    return to_cute(out, symbols);
}

}  // namespace tileproof
