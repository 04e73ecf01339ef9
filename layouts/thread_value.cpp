#include "layouts/thread_value.hpp"

#include <algorithm>
#include <unordered_map>

#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_looked_at = std::int64_t{1} << 20;  // places, for the words of a fault

std::optional<std::int64_t> size_of(const std::vector<TileMode>& modes) {
    std::vector<std::int64_t> extents;
    for (const TileMode& mode : modes) extents.push_back(mode.extent);
    return checked_product(extents);
}

Axis axis_for(std::int64_t threads) { return threads <= 32 ? Axis::laneid : threads <= 128 ? Axis::tid_in_wg : Axis::tx; }

std::int64_t element_at(const std::vector<TileMode>& modes, std::int64_t index) {
    std::int64_t out = 0;
    for (const TileMode& mode : modes) {
        out += index % mode.extent * mode.stride;
        index /= mode.extent;
    }
    return out;
}

std::string coordinate_text(std::int64_t element, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> at;
    for (const std::int64_t extent : shape) {
        at.push_back(element % extent);
        element /= extent;
    }
    return tuple_of(at);
}

/// The first place, thread by thread, at which it is no inverse of anything. Nothing where there are too many places to look at.
std::optional<std::string> first_fault(const ThreadValue& tv, std::int64_t threads, std::int64_t values, std::int64_t size) {
    if (values > most_looked_at / threads || size > most_looked_at) return std::nullopt;
    std::vector<bool> is_held(static_cast<std::size_t>(size));
    for (std::int64_t t = 0; t < threads; ++t) {
        for (std::int64_t v = 0; v < values; ++v) {
            const std::int64_t element = element_at(tv.threads, t) + element_at(tv.values, v);
            if (element >= size || element < 0)
                return "thread " + std::to_string(t) + ", value " + std::to_string(v) + " is element " + std::to_string(element) +
                       ", outside the " + std::to_string(size) + " of the shape " + tuple_of(tv.shape);
            is_held[static_cast<std::size_t>(element)] = true;
        }
    }
    const auto missing = std::find(is_held.begin(), is_held.end(), false);
    if (missing == is_held.end()) return std::nullopt;
    return "no thread holds element " + std::to_string(missing - is_held.begin()) + ", the coordinate " +
           coordinate_text(missing - is_held.begin(), tv.shape);
}

/// A digit of a thread's or a value's number, and what it adds to the element's.
struct Part {
    std::int64_t extent;
    std::int64_t element;  // stride in elements
    std::int64_t weight;   // in the thread's or the value's number
    Axis axis;
};

void add_parts(std::vector<Part>& parts, const std::vector<TileMode>& modes, Axis axis) {
    std::int64_t weight = 1;
    for (const TileMode& mode : modes) {
        if (mode.extent > 1) parts.push_back({mode.extent, mode.stride, weight, axis});
        weight *= mode.extent;
    }
}

Diagnostic not_invertible(std::string text) { return {"not-invertible", std::move(text)}; }

}  // namespace

Result<Layout> inverted(const ThreadValue& tv) {
    const auto threads = size_of(tv.threads), values = size_of(tv.values), size = checked_product(tv.shape);
    if (!threads || !values || !size) return Diagnostic{"overflow", "more than 2^50 elements"};
    if (*threads > facts_of(Axis::tx).most)
        return Diagnostic{"thread-axes",
                          std::to_string(*threads) + " threads, and a block has at most " + std::to_string(facts_of(Axis::tx).most)};
    std::vector<Part> parts;
    add_parts(parts, tv.threads, axis_for(*threads));
    add_parts(parts, tv.values, Axis::m);
    Layout out;
    out.shape = tv.shape;
    for (const Part& part : parts)
        if (part.element == 0) out.replicas.push_back({part.extent, part.weight, part.axis});
    parts.erase(std::remove_if(parts.begin(), parts.end(), [](const Part& part) { return part.element == 0; }), parts.end());
    // Elements are numbered once each if and only if the digits, by rising stride, follow each other without gaps.
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.element < b.element; });
    std::int64_t reached = 1;
    for (const Part& part : parts) {
        if (part.element != reached || part.extent > *size / reached) {
            if (auto fault = first_fault(tv, *threads, *values, *size)) return not_invertible(*fault);
            return not_invertible("element " + std::to_string(std::min(std::max<std::int64_t>(part.element, 0), reached)) +
                                  " and others are not held exactly once (stride 0 would make replicas)");
        }
        reached *= part.extent;
    }
    if (reached != *size)
        return not_invertible(first_fault(tv, *threads, *values, *size).value_or("no thread holds element " + std::to_string(reached)));
    // The digits of each dimension: cut where the number passes from one dimension into the next.
    std::size_t next = 0;
    for (const std::int64_t extent : tv.shape) {
        std::vector<Iter> mode;  // fastest first
        for (std::int64_t room = extent; room > 1;) {
            Part& part = parts[next];
            const std::int64_t taken = std::min(room, part.extent);
            if (room % taken != 0 || part.extent % taken != 0)
                return not_invertible("the stride " + std::to_string(part.element) + " of extent " + std::to_string(part.extent) +
                                      " reaches over two dimensions of " + tuple_of(tv.shape) + " that do not divide it");
            mode.push_back({taken, part.weight, part.axis});
            room /= taken;
            part = {part.extent / taken, part.element * taken, part.weight * taken, part.axis};
            if (part.extent == 1) ++next;
        }
        if (mode.empty()) mode.push_back({1, 0});
        out.iters.insert(out.iters.end(), mode.rbegin(), mode.rend());
    }
    return out;
}

std::optional<ThreadValue> thread_value(const Layout& layout) {
    const auto by_dim = modes(layout);
    if (!by_dim || layout.is_symbolic() || !(layout.offset == Expression(0)) || !layout.thread_offset.empty() ||
        !layout.swizzle.is_identity())
        return std::nullopt;
    std::vector<Part> threads, values;
    const auto add = [&](const Iter& it, std::int64_t element) {
        if (it.extent == 1) return;
        const std::int64_t weight = std::int64_t{it.stride} * (it.axis == Axis::m ? 1 : facts_of(it.axis).threads);
        (it.axis == Axis::m ? values : threads).push_back({it.extent, element, weight, it.axis});
    };
    std::int64_t element = 1;
    for (const std::vector<Iter>& mode : *by_dim) {
        for (std::size_t i = mode.size(); i-- > 0;) {
            add(mode[i], element);
            element *= mode[i].extent;
        }
    }
    for (const Iter& it : layout.replicas) add(it, 0);
    ThreadValue out{{}, {}, layout.shape};
    for (auto* side : {&threads, &values}) {
        std::sort(side->begin(), side->end(), [](const Part& a, const Part& b) { return a.weight < b.weight; });
        std::int64_t reached = 1;
        for (const Part& part : *side) {
            if (part.weight != reached) return std::nullopt;
            reached *= part.extent;
            (side == &threads ? out.threads : out.values).push_back({part.extent, part.element});
        }
        auto& written = side == &threads ? out.threads : out.values;
        if (written.empty()) written.push_back({1, 0});
    }
    const Result<Layout> again = inverted(out);
    if (!again) return std::nullopt;
    const auto essence = [](const Layout& one) {
        std::vector<Iter> iters;
        for (const Iter& it : one.iters)
            if (it.extent > 1) iters.push_back(it);
        std::vector<Iter> replicas = one.replicas;
        std::sort(replicas.begin(), replicas.end(), [](const Iter& a, const Iter& b) {
            return std::pair(a.axis, std::int64_t{a.stride}) < std::pair(b.axis, std::int64_t{b.stride});
        });
        return std::pair(iters, replicas);
    };
    if (essence(again.value()) != essence(layout)) return std::nullopt;
    return out;
}

std::string to_string(const ThreadValue& tv) {
    const auto mode = [](const std::vector<TileMode>& parts, std::int64_t TileMode::*what) {
        std::string out;
        for (const TileMode& part : parts) out += (out.empty() ? "" : ",") + std::to_string(part.*what);
        return parts.size() == 1 ? out : "(" + out + ")";
    };
    const auto both = [&](std::int64_t TileMode::*what) { return "(" + mode(tv.threads, what) + "," + mode(tv.values, what) + ")"; };
    return "TV" + both(&TileMode::extent) + ":" + both(&TileMode::stride) + " of " + tuple_of(tv.shape);
}

}  // namespace tileproof
