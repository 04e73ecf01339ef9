#include "tests/register_oracle.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tileproof::oracle {
namespace {

using Number = std::int64_t;

Number threads_of(Axis axis) { return axis == Axis::warpid || axis == Axis::wid_in_wg ? 32 : 1; }

/// What one side says of each element, in row-major order of the region; of a destination in registers, of each replica in turn.
struct Side2 {
    std::vector<Number> linear, actual;  // offset or register
    std::vector<Number> thread;
};

Number swizzle_once(Number x, const Swizzle& s) {
    Number out = x;
    for (int bit = 0; bit < s.bits_log2; ++bit) {
        const int low = s.base_log2 + bit, high = low + std::abs(s.shift_log2);
        const int from = s.shift_log2 >= 0 ? high : low, to = s.shift_log2 >= 0 ? low : high;
        if ((x >> from & 1) != 0) out ^= Number{1} << to;
    }
    return out;
}

/// Offset and thread of the flat index of the shape.
std::pair<Number, Number> place(const Layout& layout, Number flat) {
    Number offset = layout.offset, thread = 0;
    for (const auto& [axis, count] : layout.thread_offset) thread += count * threads_of(axis);
    for (std::size_t i = layout.iters.size(); i-- > 0;) {
        const Iter& it = layout.iters[i];
        const Number far = flat % it.extent * std::int64_t{it.stride};
        it.axis == Axis::m ? offset += far : thread += far * threads_of(it.axis);
        flat /= it.extent;
    }
    return {offset, thread};
}

std::vector<std::pair<Number, Number>> replicas(const Layout& layout) {
    std::vector<std::pair<Number, Number>> out{{0, 0}};
    for (const Iter& it : layout.replicas) {
        std::vector<std::pair<Number, Number>> more;
        for (const auto& [offset, thread] : out)
            for (Number digit = 0; digit < it.extent; ++digit)
                more.emplace_back(offset + (it.axis == Axis::m ? digit * std::int64_t{it.stride} : 0),
                                  thread + (it.axis == Axis::m ? 0 : digit * std::int64_t{it.stride} * threads_of(it.axis)));
        out = more;
    }
    return out;
}

Side2 list(const Buffer& buffer, const Region& region, const std::vector<std::pair<Number, Number>>& times) {
    Side2 out;
    Number count = 1;
    for (const Number extent : region.extent) count *= extent;
    for (const auto& [more_offset, more_thread] : times) {
        for (Number k = 0; k < count; ++k) {
            Number rest = k, flat = 0, weight = 1;
            for (std::size_t i = region.extent.size(); i-- > 0;) {
                flat += (region.start[i] + rest % region.extent[i]) * weight;
                rest /= region.extent[i];
                weight *= buffer.layout.shape[i];
            }
            const auto [offset, thread] = place(buffer.layout, flat);
            out.linear.push_back(offset + more_offset);
            out.actual.push_back(buffer.space == Space::registers ? out.linear.back()
                                                                  : swizzle_once(out.linear.back(), buffer.layout.swizzle));
            out.thread.push_back(thread + more_thread);
        }
    }
    return out;
}

class Question {
public:
    Question(const Problem& problem, const Copy& copy)
        : problem_(problem),
          from_registers_(problem.buffer(copy.src).space == Space::registers),
          memory_(problem.buffer(from_registers_ ? copy.dst : copy.src)) {
        const Buffer& registers = problem.buffer(from_registers_ ? copy.src : copy.dst);
        auto all = replicas(registers.layout);
        if (from_registers_) all.resize(1);
        times_ = static_cast<Number>(all.size());
        held_ = list(registers, (from_registers_ ? copy.src : copy.dst).region, all);
        stored_ = list(memory_, (from_registers_ ? copy.dst : copy.src).region, std::vector<std::pair<Number, Number>>(all.size(), {0, 0}));
    }

    bool overlaps() const {
        std::set<std::pair<Number, Number>> seen;
        for (std::size_t k = 0; k < held_.linear.size(); ++k)
            if (!seen.insert(from_registers_ ? std::pair(stored_.linear[k], Number{0}) : std::pair(held_.linear[k], held_.thread[k]))
                     .second)
                return true;
        return false;
    }

    /// The rule that refuses a width.
    std::optional<std::string> refusal(Number width) const {
        if (width == 256 && (problem_.target.number < 100 || memory_.space != Space::global)) return "target";
        const Number bits = memory_.dtype.size.count, base = memory_.base ? 8 * memory_.base->count : 0;
        if (static_cast<Number>(held_.linear.size()) / times_ * bits < width) return "count";  // of the region: replicas are no more of it
        if (!memory_.base && 8 * memory_.align.count < width) return "base-alignment";
        // block of one thread's -> address -> elements
        std::map<std::pair<Number, Number>, std::map<Number, std::vector<std::size_t>>> blocks;
        for (std::size_t k = 0; k < held_.linear.size(); ++k)
            blocks[{from_registers_ ? 0 : held_.thread[k], (base + stored_.linear[k] * bits) / width}][stored_.linear[k]].push_back(k);
        std::vector<std::vector<std::size_t>> runs;
        for (const auto& [block, by_address] : blocks) {
            std::size_t most = 0;
            for (const auto& [address, elements] : by_address) most = std::max(most, elements.size());
            for (std::size_t i = 0; i < most; ++i) {
                runs.emplace_back();
                for (const auto& [address, elements] : by_address)
                    if (i < elements.size()) runs.back().push_back(elements[i]);
            }
        }
        std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
        std::map<Number, std::vector<Number>> owner, swizzled_owner;
        bool torn = false;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (auto rule = fault(runs[i], i, base, bits, width, owner)) return rule;
            torn = torn || is_torn(runs[i], base, bits, width, swizzled_owner);
        }
        return torn ? std::optional<std::string>("swizzle-chunk") : std::nullopt;
    }

private:
    static bool is_new_order(const std::vector<Number>& registers, std::map<Number, std::vector<Number>>& owner) {
        return std::any_of(registers.begin(), registers.end(),
                           [&](Number r) { return owner.try_emplace(r, registers).first->second != registers; });
    }

    std::optional<std::string> fault(const std::vector<std::size_t>& run, std::size_t i, Number base, Number bits, Number width,
                                     std::map<Number, std::vector<Number>>& owner) const {
        if ((base + stored_.linear[run[0]] * bits) % width != 0) return i > 0 ? "stride" : "region-offset";
        for (const bool source : {true, false}) {
            if (source == from_registers_) {
                std::vector<Number> registers;
                for (const std::size_t k : run) {
                    if (held_.thread[k] != held_.thread[run[0]]) return "register-thread";
                    registers.push_back(held_.linear[k]);
                }
                if (is_new_order(registers, owner)) return "register-order";
                continue;
            }
            for (std::size_t j = 0; j < run.size(); ++j)
                if (stored_.linear[run[j]] != stored_.linear[run[0]] + static_cast<Number>(j)) return "not-contiguous";
        }
        if (static_cast<Number>(run.size()) * bits < width) return "no-partner";
        return std::nullopt;
    }

    bool is_torn(const std::vector<std::size_t>& run, Number base, Number bits, Number width,
                 std::map<Number, std::vector<Number>>& owner) const {
        std::vector<std::pair<Number, Number>> lanes;
        std::set<Number> blocks;
        for (const std::size_t k : run) {
            lanes.emplace_back(stored_.actual[k], held_.linear[k]);
            blocks.insert((base + stored_.actual[k] * bits) / width);
        }
        std::sort(lanes.begin(), lanes.end());
        std::vector<Number> registers;
        for (const auto& [at, reg] : lanes) registers.push_back(reg);
        return blocks.size() > 1 || is_new_order(registers, owner);
    }

    const Problem& problem_;
    bool from_registers_;
    const Buffer& memory_;
    Number times_ = 1;  // that each element is written
    Side2 held_, stored_;
};

}  // namespace

RegisterAnswer widest_with_registers(const Problem& problem, const Copy& copy) {
    const Question question(problem, copy);
    RegisterAnswer out;
    if ((out.overlaps = question.overlaps())) return out;
    for (const int width : {256, 128, 64, 32, 16, 8}) {
        if (width < problem.buffer(copy.src).dtype.size.count) break;
        const auto rule = question.refusal(width);
        if (!rule) {
            out.width_bits = width;
            break;
        }
        out.refused.emplace_back(width, *rule);
    }
    return out;
}

}  // namespace tileproof::oracle
