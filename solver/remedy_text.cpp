// What changed between two problems, in words: from the changes themselves, however the search came to them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "layouts/address.hpp"
#include "layouts/wording.hpp"
#include "solver/remedy_internal.hpp"

namespace tileproof {
namespace {

class Words {
public:
    Words(const Problem& before, const Problem& after, std::size_t copy, Bits width)
        : before_(before), after_(after), was_(before.copies[copy]), is_(after.copies[copy]),
          n_(width / before.buffer(before.copies[copy].src).dtype.size) {}

    std::string all() {
        if (after_.target.name != before_.target.name) say("{} or later", after_.target.name);
        if (after_.ptx != before_.ptx) say("PTX {} or later", to_string(*after_.ptx));
        rows();
        bases();
        for (std::size_t i = 0; i < before_.buffers.size(); ++i) layout(before_.buffers[i], after_.buffers[i]);
        for (const Side side : both_sides) starts(side);
        return listed(words_);
    }

private:
    template <class... Args>
    void say(fmt::format_string<Args...> format, Args&&... args) {
        words_.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    /// A length in elements, or how many: "8 elements".
    static std::string elements(std::int64_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

    /// "row length a multiple of 8 elements (16 instead of 12)"; the sides have it in common.
    void rows() {
        const Region &was = was_.src.region, &is = is_.src.region;
        for (std::size_t dim = 0; dim < is.extent.size(); ++dim) {
            if (is.extent[dim] == was.extent[dim]) continue;
            const std::string what = is.extent.size() == 1 ? "length" : dim + 1 == is.extent.size() ? "row length" : fmt::format("extent of dimension {}", dim);
            say("{} a multiple of {} ({} instead of {})", what, elements(n_), is.extent[dim], was.extent[dim]);
        }
    }

    /// "base of A aligned to 16 bytes", "bases of A and B aligned to 32 bytes", "base of A 8 bytes past a multiple of 256 bytes"
    void bases() {
        std::vector<std::string> aligned;
        Bytes align{};
        for (std::size_t i = 0; i < before_.buffers.size(); ++i) {
            const Buffer &was = before_.buffers[i], &is = after_.buffers[i];
            if (is.base && is.base != was.base) say("base of {} {} bytes past a multiple of 256 bytes", is.name, is.base->count);
            if (is.base || is.align_is_default || (!was.base && is.align == was.align)) continue;
            aligned.push_back(is.name);
            align = std::max(align, is.align);
        }
        if (!aligned.empty()) say("base{} of {} aligned to {} bytes", aligned.size() == 1 ? "" : "s", listed(aligned), align.count);
    }

    void layout(const Buffer& was, const Buffer& is) {
        swizzle(was, is);
        std::vector<std::int64_t> strides, instead_of;
        for (std::size_t i = 0; i < is.layout.iters.size(); ++i) {
            if (is.layout.iters[i].stride == was.layout.iters[i].stride) continue;
            strides.push_back(std::abs(is.layout.iters[i].stride));
            instead_of.push_back(std::abs(was.layout.iters[i].stride));
        }
        const bool multiples = std::all_of(strides.begin(), strides.end(), [&](std::int64_t s) { return s % n_ == 0; });
        const char* many = strides.size() == 1 ? "" : "s";
        if (!strides.empty() && multiples)
            say("pitch{} of {} {} of {} ({} instead of {})", strides.size() == 1 ? "" : "es", is.name, strides.size() == 1 ? "a multiple" : "multiples", elements(n_),
                fmt::join(strides, ", "), fmt::join(instead_of, ", "));
        else if (!strides.empty())
            say("stride{} of {} {} instead of {}", many, is.name, fmt::join(strides, ", "), fmt::join(instead_of, ", "));
        else if (is.layout.offset != was.layout.offset)
            say("offset of {} a multiple of {} ({} instead of {})", is.name, elements(n_), is.layout.offset, was.layout.offset);
    }

    void swizzle(const Buffer& was, const Buffer& is) {
        const Swizzle &old = was.layout.swizzle, &now = is.layout.swizzle;
        if (now == old) return;
        if (now.bits_log2 == old.bits_log2 && now.shift_log2 == old.shift_log2) say("swizzle base M >= {} in {} ({} instead of {})", now.base_log2, is.name, to_string(now), to_string(old));
        else say("the same swizzle on both sides ({} in {} instead of {})", to_string(now), is.name, to_string(old));
    }

    /// "start column of A a multiple of 8 (0 instead of 4)"
    void starts(Side side) {
        const Buffer& buffer = after_.buffer(operand(is_, side));
        const Region &was = operand(was_, side).region, &is = operand(is_, side).region;
        for (std::size_t dim = 0; dim < is.start.size(); ++dim) {
            const std::int64_t start = is.start[dim];
            if (start == was.start[dim]) continue;
            const bool flat = is.start.size() == 1, matrix = is.start.size() == 2;
            const std::string what = flat ? "start" : matrix ? (dim == 1 ? "start column" : "start row") : fmt::format("start in dimension {}", dim);
            const std::int64_t k = n_ / std::gcd(n_, step(buffer.layout, dim));
            const std::string where = start % k == 0 ? fmt::format("a multiple of {}", k) : fmt::format("{} past a multiple of {}", start % k, k);
            say("{} of {} {} ({} instead of {})", what, buffer.name, where, start, was.start[dim]);
        }
    }
    static std::int64_t step(const Layout& layout, std::size_t dim) {
        std::vector<std::int64_t> at(layout.shape.size(), 0);
        at[dim] = layout.shape[dim] > 1 ? 1 : 0;
        return linear_offset(layout, at) - layout.offset;
    }

    const Problem& before_;
    const Problem& after_;
    const Copy& was_;
    const Copy& is_;
    std::int64_t n_;
    std::vector<std::string> words_{};
};

}  // namespace

std::string remedy_text(const Problem& before, const Problem& after, std::size_t copy, Bits width) {
    return Words(before, after, copy, width).all();
}

}  // namespace tileproof
