#include "layouts/thread_axes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace tileproof {
namespace {

constexpr std::array axes{
    AxisFacts{Axis::laneid, "laneid", 1, 32, CountedFrom::warp},
    AxisFacts{Axis::warpid, "warpid", 32, 32, CountedFrom::block},
    AxisFacts{Axis::wid_in_wg, "wid_in_wg", 32, 4, CountedFrom::warpgroup},
    AxisFacts{Axis::tid_in_wg, "tid_in_wg", 1, 128, CountedFrom::warpgroup},
    AxisFacts{Axis::tx, "tx", 1, 1024, CountedFrom::block},
};

/// Replicas in front, then the iters; each with the stride that `weight` gives it.
template <class Weight>
Layout weighed(const Layout& layout, const Weight& weight) {
    Layout out;
    for (const std::vector<Iter>* iters : {&layout.replicas, &layout.iters}) {
        for (const Iter& it : *iters) {
            if (iters == &layout.replicas) out.shape.push_back(it.extent);
            out.iters.push_back({it.extent, it.stride.times(weight(it.axis))});
        }
    }
    out.shape.insert(out.shape.end(), layout.shape.begin(), layout.shape.end());
    out.offset = layout.offset.times(weight(Axis::m));
    for (const auto& [axis, count] : layout.thread_offset) out.offset = out.offset + Expression(count).times(weight(axis));
    return out;
}

/// The axes that count threads, each once.
std::set<Axis> named(const Layout& layout) {
    std::set<Axis> out;
    for (const std::vector<Iter>* iters : {&layout.replicas, &layout.iters})
        for (const Iter& it : *iters)
            if (it.axis != Axis::m) out.insert(it.axis);
    for (const auto& [axis, count] : layout.thread_offset) out.insert(axis);
    return out;
}

/// Two axes that both say which warp, or both which thread of a warp.
std::optional<Diagnostic> mixture_fault(const std::set<Axis>& all) {
    constexpr std::array apart{std::pair{Axis::tx, Axis::laneid},        std::pair{Axis::tx, Axis::warpid},
                               std::pair{Axis::tx, Axis::wid_in_wg},     std::pair{Axis::tx, Axis::tid_in_wg},
                               std::pair{Axis::tid_in_wg, Axis::laneid}, std::pair{Axis::tid_in_wg, Axis::wid_in_wg},
                               std::pair{Axis::tid_in_wg, Axis::warpid}, std::pair{Axis::wid_in_wg, Axis::warpid}};
    for (const auto& [a, b] : apart)
        if (all.count(a) != 0 && all.count(b) != 0)
            return Diagnostic{"thread-axes", "both " + std::string(name_of(a)) + " and " + std::string(name_of(b)) +
                                                 " say which thread it is: use one of them"};
    return std::nullopt;
}

}  // namespace

const AxisFacts& facts_of(Axis axis) {
    const auto at = std::find_if(axes.begin(), axes.end(), [&](const AxisFacts& facts) { return facts.axis == axis; });
    TILEPROOF_CHECK(at != axes.end());
    return *at;
}

std::optional<Axis> find_axis(std::string_view name) {
    if (name == "m") return Axis::m;
    for (const AxisFacts& facts : axes)
        if (facts.name == name) return facts.axis;
    return std::nullopt;
}

std::string_view name_of(Axis axis) { return axis == Axis::m ? "m" : facts_of(axis).name; }

Layout part_of(const Layout& layout, Axis axis) {
    return weighed(layout, [&](Axis of) { return of == axis ? std::int64_t{1} : std::int64_t{0}; });
}

Layout register_part(const Layout& layout) { return part_of(layout, Axis::m); }

Layout thread_part(const Layout& layout) {
    return weighed(layout, [](Axis of) { return of == Axis::m ? std::int64_t{0} : facts_of(of).threads; });
}

Layout placed(const Layout& layout, std::int64_t pitch) {
    return weighed(layout, [&](Axis of) { return of == Axis::m ? std::int64_t{1} : facts_of(of).threads * pitch; });
}

std::int64_t pitch_of(const Layout& layout) {
    std::int64_t pitch = 2;
    for (const std::int64_t registers = span(register_part(layout)).count; pitch < 2 * registers;) pitch *= 2;
    return pitch;
}

CountedFrom counted_from(const Layout& layout) {
    CountedFrom out = CountedFrom::warp;
    for (const Axis axis : named(layout)) out = std::max(out, facts_of(axis).from);
    return out;
}

std::optional<Diagnostic> thread_axes_fault(const Layout& layout) {
    const std::set<Axis> all = named(layout);
    if (auto fault = mixture_fault(all)) return fault;
    std::set<Axis> asked = all;
    asked.insert(Axis::m);
    for (const Axis axis : asked) {
        const std::optional<Reach> ends = reach(part_of(layout, axis));
        const std::string name(name_of(axis));
        if (!ends) return Diagnostic{"overflow", "an offset beyond 2^50 elements"};
        if (ends->least < 0)
            return Diagnostic{"negative-offset", axis == Axis::m ? "the least register is negative: " + std::to_string(ends->least)
                                                                 : "the least " + name + " is negative: " + std::to_string(ends->least)};
        if (axis != Axis::m && ends->greatest >= facts_of(axis).most)
            return Diagnostic{"thread-axes", name + " goes up to " + std::to_string(ends->greatest) + ", and there is none beyond " +
                                                 std::to_string(facts_of(axis).most - 1)};
    }
    return std::nullopt;
}

}  // namespace tileproof
