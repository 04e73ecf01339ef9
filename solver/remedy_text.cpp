// What changed between two problems, in words: from the changes themselves, however the search came to them.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "layouts/address.hpp"
#include "layouts/wording.hpp"
#include "solver/remedy_internal.hpp"

namespace tileproof {
namespace {

struct Phrase {
    std::string what;  // "pitch"
    std::string is;    // "a multiple of 8 elements (24 instead of 20)"
};

/// "pitch of A a multiple of 8 elements (24 instead of 20)"; said of several: "pitches of A and As multiples of 8 elements (...)"
struct Saying {
    Phrase one;
    Phrase several{};
    std::vector<std::string> of{};

    std::string text() const {
        if (of.empty()) return one.what + " " + one.is;
        const Phrase& phrase = of.size() == 1 ? one : several;
        return fmt::format("{} of {} {}", phrase.what, listed(of), phrase.is);
    }
};

class Facts {
public:
    Facts(const Problem& before, const Problem& after, std::size_t copy, Bits width)
        : before_(before),
          after_(after),
          was_(before.copies[copy]),
          is_(after.copies[copy]),
          n_(width / before.buffer(before.copies[copy].src).dtype.size) {}

    std::string all() {
        if (after_.target.name != before_.target.name) say(after_.target.name, "or later");
        if (after_.ptx != before_.ptx) say("PTX " + to_string(*after_.ptx), "or later");
        rows();
        for (std::size_t i = 0; i < before_.buffers.size(); ++i) base(before_.buffers[i], after_.buffers[i]);
        for (std::size_t i = 0; i < before_.buffers.size(); ++i) layout(before_.buffers[i], after_.buffers[i]);
        for (const Side side : both_sides) starts(side);
        std::vector<std::string> words;
        for (const Saying& fact : facts_) words.push_back(fact.text());
        return listed(words);
    }

private:
    void say(std::string what, std::string is) { facts_.push_back({{std::move(what), std::move(is)}}); }
    /// Joins an equal fact of another buffer.
    void say_of(const std::string& buffer, Phrase one, Phrase several) {
        const auto same = std::find_if(facts_.begin(), facts_.end(),
                                       [&](const Saying& f) { return !f.of.empty() && f.one.what == one.what && f.one.is == one.is; });
        if (same != facts_.end()) same->of.push_back(buffer);
        else facts_.push_back({std::move(one), std::move(several), {buffer}});
    }
    void say_multiple_of(const std::string& buffer, const std::string& what, const std::string& whats, const std::string& multiple,
                         const std::string& numbers) {
        say_of(buffer, {what, fmt::format("a multiple of {} {}", multiple, numbers)},
               {whats, fmt::format("multiples of {} {}", multiple, numbers)});
    }

    std::string n_elements() const { return fmt::format("{} element{}", n_, n_ == 1 ? "" : "s"); }

    /// The sides have it in common.
    void rows() {
        const Region &was = was_.src.region, &is = is_.src.region;
        for (std::size_t dim = 0; dim < is.extent.size(); ++dim) {
            if (is.extent[dim] == was.extent[dim]) continue;
            const std::string what = is.extent.size() == 1         ? "length"
                                     : dim + 1 == is.extent.size() ? "row length"
                                                                   : fmt::format("extent of dimension {}", dim);
            say(what, fmt::format("a multiple of {} ({} instead of {})", n_elements(), is.extent[dim], was.extent[dim]));
        }
    }

    void base(const Buffer& was, const Buffer& is) {
        if (is.base && is.base != was.base) {
            const std::string where = fmt::format("{} bytes past a multiple of 256", is.base->count);
            say_of(is.name, {"base", where}, {"bases", where});
        }
        if (is.base || is.align_is_default || (!was.base && is.align == was.align)) return;
        const std::string aligned = fmt::format("aligned to {} bytes", is.align.count);
        say_of(is.name, {"base", aligned}, {"bases", aligned});
    }

    void layout(const Buffer& was, const Buffer& is) {
        swizzle(was, is);
        std::vector<std::int64_t> strides, instead_of;
        for (std::size_t i = 0; i < is.layout.iters.size(); ++i) {
            if (is.layout.iters[i].stride == was.layout.iters[i].stride) continue;
            strides.push_back(std::abs(is.layout.iters[i].stride));
            instead_of.push_back(std::abs(was.layout.iters[i].stride));
        }
        if (strides.empty()) {
            if (is.layout.offset != was.layout.offset)
                say_multiple_of(is.name, "offset", "offsets", n_elements(),
                                fmt::format("({} instead of {})", is.layout.offset, was.layout.offset));
            return;
        }
        const std::string numbers = fmt::format("({} instead of {})", fmt::join(strides, ", "), fmt::join(instead_of, ", "));
        const bool multiples = std::all_of(strides.begin(), strides.end(), [&](std::int64_t s) { return s % n_ == 0; });
        const Phrase several{"pitches", fmt::format("multiples of {} {}", n_elements(), numbers)};
        if (!multiples) say_of(is.name, {"pitch", "to match " + numbers}, {"pitches", "to match " + numbers});
        else if (strides.size() > 1) say_of(is.name, several, several);
        else say_multiple_of(is.name, "pitch", "pitches", n_elements(), numbers);
    }

    void swizzle(const Buffer& was, const Buffer& is) {
        const Swizzle &old = was.layout.swizzle, &now = is.layout.swizzle;
        if (now == old) return;
        const std::string numbers = fmt::format("({} instead of {})", to_string(now), to_string(old));
        if (now.bits_log2 == old.bits_log2 && now.shift_log2 == old.shift_log2 && now.base_log2 > old.base_log2)
            say(fmt::format("swizzle base M >= {} in {}", now.base_log2, is.name), numbers);
        else say(fmt::format("the same swizzle in {} as on the other side", is.name), numbers);
    }

    void starts(Side side) {
        const Buffer& buffer = after_.buffer(operand(is_, side));
        const Region &was = operand(was_, side).region, &is = operand(is_, side).region;
        for (std::size_t dim = 0; dim < is.start.size(); ++dim) {
            const std::int64_t start = is.start[dim];
            if (start == was.start[dim]) continue;
            const std::size_t rank = is.start.size();
            const std::string what = rank == 2 ? (dim == 1 ? "start column" : "start row") : "start",
                              where = rank > 2 ? fmt::format(" in dimension {}", dim) : "";
            const std::int64_t k = n_ / std::gcd(n_, step(buffer.layout, dim));
            const std::string numbers = fmt::format("({} instead of {})", start, was.start[dim]);
            const std::string past = fmt::format("{} past a multiple of {} {}", start % k, k, numbers);
            if (start % k == 0) say_multiple_of(buffer.name, what + where, what + "s" + where, std::to_string(k), numbers);
            else say_of(buffer.name, {what + where, past}, {what + "s" + where, past});
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
    std::vector<Saying> facts_{};
};

}  // namespace

std::string remedy_text(const Problem& before, const Problem& after, std::size_t copy, Bits width) {
    return Facts(before, after, copy, width).all();
}

}  // namespace tileproof
