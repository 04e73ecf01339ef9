#include "layouts/register_file.hpp"

#include <algorithm>
#include <utility>

#include "layouts/offset_walk.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

/// The region with dimensions of these extents in front. What symbols say of its own dimensions moves along.
Region with_dims_in_front(Region region, const std::vector<std::int64_t>& extents) {
    region.start.insert(region.start.begin(), extents.size(), Expression(0));
    region.extent.insert(region.extent.begin(), extents.begin(), extents.end());
    const auto symbolic = std::exchange(region.symbolic_extent, {});
    for (const auto& [dim, extent] : symbolic) region.symbolic_extent.emplace(dim + extents.size(), extent);
    const auto clipped = std::exchange(region.clipped, {});
    for (const std::size_t dim : clipped) region.clipped.insert(dim + extents.size());
    const auto further = std::exchange(region.further, {});
    for (const auto& [dim, bounds] : further) region.further.emplace(dim + extents.size(), bounds);
    return region;
}

/// Extents in front of a layout, along which nothing changes.
void put_in_front(Layout& layout, const std::vector<std::int64_t>& extents) {
    std::vector<Iter> still;
    for (const std::int64_t extent : extents) still.push_back({extent, 0});
    layout.iters.insert(layout.iters.begin(), still.begin(), still.end());
    layout.shape.insert(layout.shape.begin(), extents.begin(), extents.end());
}

/// The layout of the first replica alone, for a layout made by thread_axes.hpp: its replicas are the dimensions in front.
void drop_replicas(Layout& placed, std::size_t replicas) {
    const auto count = static_cast<std::ptrdiff_t>(replicas);
    placed.shape.erase(placed.shape.begin(), placed.shape.begin() + count);
    placed.iters.erase(placed.iters.begin(), placed.iters.begin() + count);
}

std::vector<std::int64_t> extents_of(const std::vector<Iter>& iters) {
    std::vector<std::int64_t> out;
    for (const Iter& it : iters) out.push_back(it.extent);
    return out;
}

}  // namespace

/// Whether the threads of a layout are the same ones, counted from the first of a group of so many, in each group of the block.
static bool counts_from_the_group(const Layout& layout, std::int64_t threads) {
    if (!layout.has_threads()) return true;
    const CountedFrom from = counted_from(layout);
    return from != CountedFrom::block && threads % (from == CountedFrom::warp ? warp_threads : warpgroup_threads) == 0;
}

std::optional<Side> register_side(const Problem& problem, const Copy& copy) {
    for (const Side side : both_sides)
        if (problem.buffer(operand(copy, side)).space == Space::registers) return side;
    return std::nullopt;
}

std::optional<Side> memory_side(const Problem& problem, const Copy& copy) {
    const std::optional<Side> held = register_side(problem, copy);
    return held ? std::optional(opposite(*held)) : std::nullopt;
}

std::int64_t pitch(const Buffer& buffer) {
    std::int64_t out = 2;
    while (out < 2 * buffer.capacity.count || out * buffer.dtype.size.count < 32) out *= 2;
    return out;
}

std::int64_t register_words(const Buffer& buffer) { return ceil_div(to_bits(buffer.capacity, buffer.dtype.size).count, 32); }

std::int64_t first_thread(const Problem& problem, const Copy& copy, Side side) {
    const Layout& layout = problem.buffer(operand(copy, side)).layout;
    const std::int64_t first = participants(copy, problem.launch).first;
    if (!layout.has_threads()) return first;
    switch (counted_from(layout)) {
        case CountedFrom::warp:
            return first / warp_threads * warp_threads;
        case CountedFrom::warpgroup:
            return first / warpgroup_threads * warpgroup_threads;
        case CountedFrom::block:
            break;
    }
    return 0;
}

Problem on_register_file(const Problem& problem, const Copy& copy) {
    Problem out = problem;
    note_written(out);
    out.copies = {copy};
    const std::optional<Side> side = register_side(problem, copy);
    if (!side) return out;
    const Side other = opposite(*side);
    Copy& alone = out.copies[0];
    Operand& held = *side == Side::src ? alone.src : alone.dst;
    Operand& stored = *side == Side::src ? alone.dst : alone.src;
    Buffer& registers = out.buffers[static_cast<std::size_t>(held.buffer)];
    const std::vector<std::int64_t> replicas = extents_of(registers.layout.replicas);
    const std::int64_t step = pitch(registers);
    Layout places = placed(registers.layout, step);
    places.offset = places.offset + Expression(first_thread(problem, copy, *side) * step);
    if (*side == Side::src) {
        drop_replicas(places, replicas.size());
    } else {
        held.region = with_dims_in_front(held.region, replicas);
        stored.region = with_dims_in_front(stored.region, replicas);
        put_in_front(out.buffers[static_cast<std::size_t>(operand(copy, other).buffer)].layout, replicas);
    }
    registers.layout = std::move(places);
    registers.capacity = {step * problem.launch.block};
    return out;
}

CopyPlan on_register_file(const Problem& problem, const Copy& copy, const CopyPlan& plan) {
    CopyPlan out = plan;
    const std::optional<Side> side = register_side(problem, copy);
    if (!side) return out;
    const std::int64_t step = pitch(problem.buffer(operand(copy, *side)));
    for (Segment& segment : out.segments) {
        AddressPlan& address = *side == Side::src ? segment.src.address : segment.dst.address;
        address.offset = address.offset + Expression(participants(copy, problem.launch).first * step);
        std::int64_t threads = 1;  // below the digit
        for (int place = 0; const Digit* digit = digit_at(segment, Role::thread, place); ++place) {
            Expression& stride = address.strides[index_of(segment, *digit)];
            stride = stride + Expression(threads * step);
            threads *= digit->extent;
        }
    }
    return out;
}

std::optional<Diagnostic> outside_scope(const Problem& problem, const Copy& copy) {
    const std::optional<Side> side = register_side(problem, copy);
    if (!side) return std::nullopt;
    const Operand& held = operand(copy, *side);
    const Buffer& buffer = problem.buffer(held);
    const Place place = held.place.line > 0 ? held.place : copy.place;
    if (copy.each && !counts_from_the_group(buffer.layout, copy.threads))
        return Diagnostic{"thread-outside",
                          "the layout of " + buffer.name + " says which threads of the block hold it, or of a larger group, and each " +
                              to_string(copy.scope) + " performs " + copy.name + " with registers of its own",
                          place};
    Layout threads = thread_part(buffer.layout);
    const std::vector<std::int64_t> replicas = extents_of(buffer.layout.replicas);
    Region region = held.region;
    if (*side == Side::src) drop_replicas(threads, replicas.size());
    else region = with_dims_in_front(std::move(region), replicas);
    const std::int64_t first = first_thread(problem, copy, *side);
    const Participants who = participants(copy, problem.launch);
    const std::vector<std::int64_t> all = offsets_of(threads, region);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::int64_t thread = first + all[k];
        if (thread >= who.first && thread < who.first + who.count) continue;
        std::vector<std::int64_t> at = coordinate_of(static_cast<std::int64_t>(k), region.extent);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += region.start[i];
        at.erase(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(*side == Side::src ? 0 : replicas.size()));
        return Diagnostic{"thread-outside",
                          "element " + tuple_of(at) + " of " + buffer.name + " is held by thread " + std::to_string(thread) +
                              " of the block, and " + copy.name + " is done by threads " + std::to_string(who.first) + " to " +
                              std::to_string(who.first + who.count - 1),
                          place};
    }
    return std::nullopt;
}

Bytes file_bytes(const Problem& problem, const Buffer& buffer) {
    return bytes_to_hold(Elements{pitch(buffer) * problem.launch.block}, buffer.dtype.size);
}

ChipImage chip_image(const Problem& problem) {
    const Placement shared = place_shared(problem);
    ChipImage out{shared.offsets, shared.total};
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        if (problem.buffers[i].space != Space::registers) continue;
        out.offsets[i] = out.total;
        out.total = out.total + Bytes{ceil_div(file_bytes(problem, problem.buffers[i]).count, 16) * 16};
    }
    return out;
}

}  // namespace tileproof
