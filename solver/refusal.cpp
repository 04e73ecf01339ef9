#include "solver/refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "layouts/address.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

struct Elements2 {  // linear offsets of element k of the region (row-major) on each side
    std::vector<std::int64_t> src;
    std::vector<std::int64_t> dst;
    const std::vector<std::int64_t>& side(Side s) const { return s == Side::src ? src : dst; }
};

/// Coordinate of the k-th element of the source region, from the region's start.
std::vector<std::int64_t> relative(const Region& region, std::int64_t k) {
    std::vector<std::int64_t> out(region.extent.size());
    for (std::size_t i = out.size(); i-- > 0;) {
        out[i] = k % region.extent[i];
        k /= region.extent[i];
    }
    return out;
}

/// Finds elements by their linear destination offset.
class ByDestination {
public:
    explicit ByDestination(const std::vector<std::int64_t>& offsets) {
        const auto [least, greatest] = std::minmax_element(offsets.begin(), offsets.end());
        least_ = *least;
        const std::int64_t spread = *greatest - *least + 1;
        if (spread <= 4 * static_cast<std::int64_t>(offsets.size()) + 1024) {
            table_.assign(static_cast<std::size_t>(spread), -1);
            for (std::size_t k = 0; k < offsets.size(); ++k)
                table_[static_cast<std::size_t>(offsets[k] - least_)] = static_cast<std::int32_t>(k);
        } else {
            sparse_.reserve(offsets.size());
            for (std::size_t k = 0; k < offsets.size(); ++k) sparse_.emplace(offsets[k], static_cast<std::int32_t>(k));
        }
    }
    /// The element there, or -1.
    std::int64_t find(std::int64_t offset) const {
        if (table_.empty()) {
            const auto found = sparse_.find(offset);
            return found == sparse_.end() ? -1 : found->second;
        }
        const std::int64_t i = offset - least_;
        return i < 0 || i >= static_cast<std::int64_t>(table_.size()) ? -1 : table_[static_cast<std::size_t>(i)];
    }

private:
    std::int64_t least_ = 0;
    std::vector<std::int32_t> table_;
    std::unordered_map<std::int64_t, std::int32_t> sparse_;
};

struct Search {
    const Problem& problem;
    const Copy& copy;
    Bits width;
    Elements2 linear;
    std::int64_t n = 0;  // elements of a run
    std::vector<std::int64_t> run{};
    std::int64_t index = -1;

    const Buffer& buffer(Side side) const { return problem.buffer(operand(copy, side)); }
    Bits base(Side side) const { return to_bits(buffer(side).base.value_or(Bytes{0})); }
    Bits address_at(Side side, std::int64_t offset) const { return base(side) + to_bits(Elements{offset}, buffer(side).dtype.size); }
    Bits address(Side side, std::int64_t k) const { return address_at(side, linear.side(side)[static_cast<std::size_t>(k)]); }

    Witness witness(std::optional<Side> side) const {
        Witness out;
        out.side = side;
        out.thread = index % copy.threads;
        out.round = index / copy.threads;
        out.coordinate = relative(copy.src.region, run.front());
        return out;
    }
    Witness witness(Side side, Bits address) const {
        Witness out = witness(side);
        out.address = address;
        out.modulus = width;
        return out;
    }
    std::string who() const { return fmt::format("thread {} in round {}", index % copy.threads, index / copy.threads); }
    std::string element(Side side) const {
        const Region& region = operand(copy, side).region;
        std::vector<std::int64_t> at = relative(region, run.front());
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += region.start[i];
        return fmt::format("{}[{}]", buffer(side).name, fmt::join(at, ","));
    }
    static const char* verb(Side side) { return side == Side::src ? "read" : "write"; }
};

std::optional<Refusal> misalignment(const Search& s) {
    const Bits src = s.address(Side::src, s.run.front()) % s.width, dst = s.address(Side::dst, s.run.front()) % s.width;
    if (src.count == 0 && dst.count == 0) return std::nullopt;
    const Side bad = src.count != 0 ? Side::src : Side::dst;
    const Bits address = s.address(bad, s.run.front());
    const Witness witness = s.witness(bad, address);
    const std::string where = fmt::format("{}, at {}", s.element(bad), address_text(address, s.width));
    if (s.index > 0) return Refusal{s.width, "stride", fmt::format("{} would {} {}", s.who(), Search::verb(bad), where), witness};
    if (src.count != 0 && dst.count != 0 && src != dst)
        return Refusal{s.width, "phase",
                       fmt::format("the region starts at {}, and on the other side at {}: no common shift aligns both", where,
                                   residue_text(dst, s.width)),
                       witness};
    return Refusal{s.width, "region-offset", fmt::format("the region starts at {}", where), witness};
}

std::optional<Refusal> discontinuity(const Search& s) {
    for (const Side side : both_sides) {
        const auto& offsets = s.linear.side(side);
        const std::int64_t first = offsets[static_cast<std::size_t>(s.run.front())];
        for (std::size_t j = 0; j < s.run.size(); ++j) {
            const std::int64_t there = offsets[static_cast<std::size_t>(s.run[j])];
            if (there == first + static_cast<std::int64_t>(j)) continue;
            return Refusal{s.width, "not-contiguous",
                           fmt::format("{} would {} {} elements from {} on, but element {} of them lies at offset {}, not {}", s.who(),
                                       Search::verb(side), s.n, s.element(side), j, there, first + static_cast<std::int64_t>(j)),
                           s.witness(side)};
        }
    }
    return std::nullopt;
}

std::optional<Refusal> incompleteness(const Search& s) {
    if (static_cast<std::int64_t>(s.run.size()) == s.n) return std::nullopt;
    return Refusal{s.width, "no-partner",
                   fmt::format("the access of {} at {} would leave the region: only {} of its {} elements belong to it", s.who(),
                               s.element(Side::dst), s.run.size(), s.n),
                   s.witness(std::nullopt)};
}

/// With the swizzles: do the lanes fill one aligned block on each side, each lane in the same place?
std::optional<Refusal> torn(const Search& s) {
    std::vector<std::vector<Bits>> places;
    for (const Side side : both_sides) {
        std::vector<Bits> at;
        for (const std::int64_t k : s.run)
            at.push_back(
                s.address_at(side, swizzled(Integers{}, s.buffer(side).layout.swizzle, s.linear.side(side)[static_cast<std::size_t>(k)])));
        const Bits low = *std::min_element(at.begin(), at.end());
        const bool one_block = std::all_of(at.begin(), at.end(), [&](Bits a) { return a / s.width == at.front() / s.width; });
        for (Bits& a : at) a = a % s.width;
        places.push_back(std::move(at));
        if (one_block && (side == Side::src || places[0] == places[1])) continue;
        const Witness witness = s.witness(side, low);
        const Swizzle& swizzle = s.buffer(side).layout.swizzle;
        return Refusal{
            s.width, "swizzle-chunk",
            one_block
                ? fmt::format("the swizzles order the {} elements of {} ({}) differently on the two sides", s.n, s.element(side), s.who())
                : fmt::format("{} of {} moves chunks of {} elements: it tears the {} elements that {} would {} from {} on apart ({})",
                              to_string(swizzle), s.buffer(side).name, std::int64_t{1} << swizzle.base_log2, s.n, s.who(),
                              Search::verb(side), s.element(side), address_text(low)),
            witness};
    }
    return std::nullopt;
}

}  // namespace

Diagnostic sub_byte_edge(const Problem& problem, const Copy& copy, const std::vector<Refusal>& refused) {
    TILEPROOF_CHECK(!refused.empty() && refused.back().width == Bits{8});
    const Buffer& dst = problem.buffer(copy.dst);
    Diagnostic out{
        "sub-byte-edge",
        fmt::format("the {} elements of {} cannot be moved in whole bytes, and memory has no smaller access", dst.dtype.name, dst.name),
        copy.dst.place};
    out.notes.push_back(fmt::format("8 bits, {} elements: {} [{}]", Bits{8} / dst.dtype.size, refused.back().text, refused.back().rule));
    out.notes.push_back("a store of part of a byte would read the rest first and write it back: a race with the thread that owns it");
    return out;
}

std::vector<std::int64_t> linear_offsets(const Layout& layout, const Region& region) {
    Layout linear = layout;
    linear.swizzle = {};
    return offsets_of(linear, region);
}

std::optional<Refusal> early_refusal(const Problem& problem, const Copy& copy, Bits width) {
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        if (!has_access(problem.target, buffer.space, width))
            return Refusal{width, "target",
                           fmt::format("{} has no {}-bit access to {} memory", problem.target.name, width.count, to_string(buffer.space))};
    }
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        const PtxVersion needed = least_ptx(buffer.space, width);
        if (problem.ptx && *problem.ptx < needed)
            return Refusal{width, "target",
                           fmt::format("PTX {}, which the file asks for, has no {}-bit access to {} memory; PTX {} has",
                                       to_string(*problem.ptx), width.count, to_string(buffer.space), to_string(needed))};
    }
    const Bits total = to_bits(moved(copy), problem.buffer(copy.src).dtype.size);
    if (total < width) return Refusal{width, "count", fmt::format("the region has {} bits in all", total.count)};
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        if (buffer.space == Space::registers || buffer.base || to_bits(buffer.align) >= width) continue;
        Witness witness;
        witness.side = side;
        return Refusal{width, "base-alignment",
                       fmt::format("the base of {} is a multiple of {} bytes only, {} are needed", buffer.name, buffer.align.count,
                                   to_bytes(width).count),
                       witness};
    }
    return std::nullopt;
}

std::optional<Refusal> find_refusal(const Problem& problem, const Copy& copy, Bits width) {
    if (moved(copy) < Elements{1}) return std::nullopt;
    const Buffer& dst = problem.buffer(copy.dst);
    Search s{problem,
             copy,
             width,
             {linear_offsets(problem.buffer(copy.src).layout, copy.src.region), linear_offsets(dst.layout, copy.dst.region)}};
    s.n = width / dst.dtype.size;
    const ByDestination by_destination(s.linear.dst);
    const std::int64_t shift = s.base(Side::dst) / dst.dtype.size;  // blocks are blocks of addresses
    std::optional<Refusal> broken_by_swizzle;                       // counts only if no run is illegal without the swizzles
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(s.linear.dst.size()); ++k) {
        const std::int64_t at = s.linear.dst[static_cast<std::size_t>(k)] + shift;
        const std::int64_t block = (at - (at % s.n + s.n) % s.n) - shift;
        s.run.clear();
        for (std::int64_t j = 0; j < s.n; ++j) {
            const std::int64_t member = by_destination.find(block + j);
            if (member >= 0) s.run.push_back(member);
        }
        if (s.run.front() != k) continue;  // not its run's head
        ++s.index;
        if (auto refusal = misalignment(s)) return refusal;
        if (auto refusal = discontinuity(s)) return refusal;
        if (auto refusal = incompleteness(s)) return refusal;
        if (!broken_by_swizzle) broken_by_swizzle = torn(s);
    }
    return broken_by_swizzle;
}

}  // namespace tileproof
