#include "tests/oracle.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tileproof::oracle {
namespace {

using Number = std::int64_t;

Number xor_swizzle(Number x, int b, int m, int s) {
    for (int bit = 0; bit < b; ++bit) {
        const int from = s >= 0 ? m + s + bit : m + bit;
        const int to = s >= 0 ? m + bit : m - s + bit;
        if ((x >> from) % 2 == 1) x = (x >> to) % 2 == 1 ? x - (Number{1} << to) : x + (Number{1} << to);
    }
    return x;
}

Number swizzle_once(Number x, const Swizzle& sw) {
    // Source bits are read before any target bit changes: for valid swizzles the two do not meet.
    return xor_swizzle(x, sw.bits_log2, sw.base_log2, sw.shift_log2);
}

struct SideList {
    std::string name;
    std::vector<Number> linear, actual;  // element offsets
    std::vector<Number> bases;           // addresses of the base to try, in bits as all addresses here
    Number align = 0;                    // 0: the base is known
};

SideList list(const Problem& problem, const Operand& operand, const char* name) {
    const Buffer& buffer = problem.buffers[static_cast<std::size_t>(operand.buffer)];
    SideList out{name, offsets(buffer.layout, operand.region, false), offsets(buffer.layout, operand.region, true), {}, 0};
    if (buffer.base) {
        out.bases.assign(1, 8 * buffer.base->count);
    } else {
        out.align = 8 * buffer.align.count;
        for (Number base = 0; base == 0 || base < 256; base += out.align) out.bases.push_back(base);
    }
    return out;
}

using Run = std::vector<std::size_t>;  // region indices, in order of destination address

std::vector<Run> runs(const SideList& dst, Number base, Number element, Number width) {
    std::map<Number, std::map<Number, std::size_t>> blocks;
    for (std::size_t k = 0; k < dst.linear.size(); ++k) {
        const Number address = base + dst.linear[k] * element;
        blocks[address / width][address] = k;
    }
    std::vector<Run> out;
    for (const auto& [block, members] : blocks) {
        Run run;
        for (const auto& [address, k] : members) run.push_back(k);
        out.push_back(run);
    }
    std::sort(out.begin(), out.end(), [](const Run& a, const Run& b) { return a.front() < b.front(); });
    return out;
}

/// Why a run is illegal with the swizzles left out.
std::optional<Refused> linear_fault(const SideList& src, Number src_base, const SideList& dst, Number dst_base, const Run& run,
                                    Number index, Number element, Number width) {
    Refused out;
    out.run = index;
    const Number from = src_base + src.linear[run[0]] * element, to = dst_base + dst.linear[run[0]] * element;
    if (from % width != 0 || to % width != 0) {
        const bool source = from % width != 0;
        out.rule = index > 0 ? "stride" : source && to % width != 0 && from % width != to % width ? "phase" : "region-offset";
        out.side = source ? "src" : "dst";
        out.address = source ? from : to;
        return out;
    }
    for (const SideList* side : {&src, &dst}) {
        for (std::size_t j = 0; j < run.size(); ++j) {
            if (side->linear[run[j]] == side->linear[run[0]] + static_cast<Number>(j)) continue;
            out.rule = "not-contiguous";
            out.side = side->name;
            return out;
        }
    }
    if (static_cast<Number>(run.size()) * element < width) {
        out.rule = "no-partner";
        return out;
    }
    return std::nullopt;
}

std::optional<Refused> swizzle_fault(const SideList& src, Number src_base, const SideList& dst, Number dst_base, const Run& run,
                                     Number index, Number element, Number width) {
    std::vector<std::vector<Number>> places;
    for (const auto& [side, base] : {std::pair{&src, src_base}, std::pair{&dst, dst_base}}) {
        std::vector<Number> addresses;
        for (const std::size_t k : run) addresses.push_back(base + side->actual[k] * element);
        std::set<Number> blocks;
        places.emplace_back();
        for (const Number address : addresses) {
            blocks.insert(address / width);
            places.back().push_back(address % width);
        }
        if (blocks.size() == 1 && (places.size() < 2 || places[0] == places[1])) continue;
        Refused out;
        out.rule = "swizzle-chunk";
        out.side = side->name;
        out.run = index;
        out.address = *std::min_element(addresses.begin(), addresses.end());
        return out;
    }
    return std::nullopt;
}

bool has_width(const Problem& problem, const Copy& copy, int width_bits) {
    if (width_bits < 256) return true;
    const auto global = [&](const Operand& o) { return problem.buffers[static_cast<std::size_t>(o.buffer)].space == Space::global; };
    return problem.target.number >= 100 && global(copy.src) && global(copy.dst);
}

std::optional<Refused> refusal(const Problem& problem, const Copy& copy, int width_bits) {
    const Number element = problem.buffers[static_cast<std::size_t>(copy.src.buffer)].dtype.size.count, width = width_bits;
    if (!has_width(problem, copy, width_bits)) return Refused{width_bits, "target"};
    const SideList src = list(problem, copy.src, "src"), dst = list(problem, copy.dst, "dst");
    if (static_cast<Number>(src.linear.size()) * element < width) return Refused{width_bits, "count"};
    for (const SideList* side : {&src, &dst})
        if (side->align != 0 && side->align < width) return Refused{width_bits, "base-alignment", side->name};
    for (const Number from : src.bases) {
        for (const Number to : dst.bases) {
            const std::vector<Run> all = runs(dst, to, element, width);
            for (const auto& fault : {linear_fault, swizzle_fault}) {
                for (std::size_t i = 0; i < all.size(); ++i) {
                    auto found = fault(src, from, dst, to, all[i], static_cast<Number>(i), element, width);
                    if (!found) continue;
                    found->width_bits = width_bits;
                    return found;
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> offsets(const Layout& layout, const Region& region, bool with_swizzle) {
    Number count = 1;
    for (const Number extent : region.extent) count *= extent;
    std::vector<Number> out;
    for (Number k = 0; k < count; ++k) {
        // Region index -> flat index of the shape -> digits of the iters, by the schoolbook.
        Number rest = k, flat = 0, place = 1;
        for (std::size_t i = region.extent.size(); i-- > 0;) {
            flat += (region.start[i] + rest % region.extent[i]) * place;
            rest /= region.extent[i];
            place *= layout.shape[i];
        }
        Number offset = layout.offset;
        for (std::size_t i = layout.iters.size(); i-- > 0;) {
            offset += flat % layout.iters[i].extent * layout.iters[i].stride;
            flat /= layout.iters[i].extent;
        }
        out.push_back(with_swizzle ? swizzle_once(offset, layout.swizzle) : offset);
    }
    return out;
}

Answer widest(const Problem& problem, const Copy& copy) {
    Answer out;
    const Buffer& dst = problem.buffers[static_cast<std::size_t>(copy.dst.buffer)];
    const std::vector<Number> spots = offsets(dst.layout, copy.dst.region, false);
    out.overlaps = std::set<Number>(spots.begin(), spots.end()).size() != spots.size();
    if (out.overlaps) return out;
    for (const int width : {256, 128, 64, 32, 16, 8}) {
        if (width < dst.dtype.size.count) break;
        auto refused = refusal(problem, copy, width);
        if (!refused) {
            out.width_bits = width;
            break;
        }
        out.refused.push_back(*refused);
    }
    return out;
}

std::int64_t fewest_rounds(const std::vector<std::int64_t>& accesses, std::int64_t threads) {
    if (accesses.empty()) return threads == 1 ? 1 : INT64_MAX;
    const std::vector<Number> rest(accesses.begin() + 1, accesses.end());
    Number best = INT64_MAX;
    for (Number share = 1; share <= threads; ++share) {
        if (threads % share != 0) continue;
        const Number others = fewest_rounds(rest, threads / share);
        if (others != INT64_MAX) best = std::min(best, (accesses[0] + share - 1) / share * others);
    }
    return best;
}

}  // namespace tileproof::oracle
