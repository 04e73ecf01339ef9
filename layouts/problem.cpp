#include "layouts/problem.hpp"

#include <algorithm>
#include <utility>

#include "layouts/grid.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

/// As the region says it, whatever a predicate leaves of it.
Expression stated_extent(const Region& region, std::size_t dim) {
    return region.clipped.count(dim) != 0 ? Expression(region.extent[dim]) : extent_of(region, dim);
}

/// The extent of each dimension that is none of 1, whatever the symbols are.
std::vector<Expression> without_units(const Region& region) {
    std::vector<Expression> out;
    for (std::size_t dim = 0; dim < region.extent.size(); ++dim)
        if (region.extent[dim] != 1 || region.symbolic_extent.count(dim) != 0) out.push_back(stated_extent(region, dim));
    return out;
}

/// "(n, 64)"
std::string extents_text(const Region& region, const std::vector<Symbol>& symbols) {
    std::string out;
    for (std::size_t dim = 0; dim < region.extent.size(); ++dim)
        out += (dim == 0 ? "(" : ",") + to_string(stated_extent(region, dim), symbols);
    return out + ")";
}

std::string bytes(Bytes count) { return std::to_string(count.count) + (count.count == 1 ? " byte" : " bytes"); }
std::string elements(Elements count) { return std::to_string(count.count) + (count.count == 1 ? " element" : " elements"); }

std::optional<Diagnostic> capacity_fault(const Buffer& buffer) {
    if (buffer.layout.is_symbolic() || buffer.symbolic_capacity) return std::nullopt;  // then `bounds` decides
    const Elements needed = span(buffer.space == Space::registers ? register_part(buffer.layout) : buffer.layout);
    if (buffer.capacity >= needed) return std::nullopt;
    return Diagnostic{
        "capacity-below-span",
        "the layout of " + buffer.name + " reaches over " + elements(needed) + ", and its capacity is " + elements(buffer.capacity),
        or_else(buffer.capacity_place, buffer.place)};
}

/// An element never straddles a multiple of its own size.
std::optional<Diagnostic> element_alignment_fault(const Buffer& buffer) {
    const Bytes known = buffer.base.value_or(buffer.align);
    if (to_bits(known) % buffer.dtype.size == Bits{0}) return std::nullopt;
    const std::string what = buffer.base ? "the base of " + buffer.name + ", " + bytes(known) + " modulo 256,"
                                         : "the alignment of " + buffer.name + ", " + bytes(known) + ",";
    return Diagnostic{"element-alignment",
                      what + " is no multiple of an element of " + buffer.dtype.name + ", " + bytes(to_bytes(buffer.dtype.size)),
                      or_else(buffer.align_place, buffer.place)};
}

/// Bases that no swizzle turns into strides.
std::optional<Diagnostic> bases_fault(const Buffer& buffer) {
    if (!buffer.layout.is_over_bits()) return std::nullopt;
    return Diagnostic{"unsupported",
                      "the bases of " + buffer.name + " are no strides behind a swizzle, and this version plans no other layouts over bits",
                      or_else(buffer.layout_place, buffer.place)};
}

std::string alignment_text(const Buffer& buffer) {
    if (!buffer.base || buffer.base->count == 0)
        return "the base of " + buffer.name + " is a multiple of " + bytes(buffer.base ? Bytes{256} : buffer.align);
    return "the base of " + buffer.name + " is " + bytes(*buffer.base) + " past a multiple of 256 bytes";
}

}  // namespace

std::optional<Diagnostic> swizzle_period_fault(const Buffer& buffer) {
    const Swizzle& swizzle = buffer.layout.swizzle;
    if (!buffer.swizzle_on_address || swizzle.is_identity()) return std::nullopt;
    const Bits period = to_bits(Elements{std::int64_t{1} << swizzle.period_log2()}, buffer.dtype.size);
    const bool is_kept = buffer.base ? period <= to_bits(Bytes{256}) && to_bits(*buffer.base) % period == Bits{0}
                                     : to_bits(buffer.align) % period == Bits{0};
    if (is_kept) return std::nullopt;
    const std::string known = buffer.base ? "known only modulo 256 bytes, as " + std::to_string(buffer.base->count)
                                          : "a multiple of " + bytes(buffer.align) + " only";
    return Diagnostic{
        "swizzle-period",
        to_string(swizzle) + " on addresses repeats every " + bytes(to_bytes(period)) + ", and the base of " + buffer.name + " is " + known,
        or_else(buffer.align_place, or_else(buffer.layout_place, buffer.place))};
}

std::string to_string(Scope scope) {
    switch (scope) {
        case Scope::thread:
            return "thread";
        case Scope::warp:
            return "warp";
        case Scope::warpgroup:
            return "warpgroup";
        case Scope::cta:
            return "cta";
    }
    return "?";
}

std::string to_string(Side side) { return side == Side::src ? "src" : "dst"; }

Participants participants(const Copy& copy, const Launch& launch) {
    if (copy.each) return {0, copy.threads, launch.groups};
    switch (copy.scope) {
        case Scope::thread:
            return {copy.group, 1};
        case Scope::warp:
            return {warp_threads * copy.group, warp_threads};
        case Scope::warpgroup:
            return {warpgroup_threads * copy.group, warpgroup_threads};
        case Scope::cta:
            break;
    }
    return {0, copy.threads};
}

bool asks_for_the_widest(const Copy& copy) {
    return copy.dispatch == "auto" || copy.dispatch == "vec_auto" || copy.dispatch == "ldstmatrix" || copy.dispatch == "ldgsts";
}

bool is_written(const Problem& problem, int buffer) {
    return problem.buffers[static_cast<std::size_t>(buffer)].is_written ||
           std::any_of(problem.copies.begin(), problem.copies.end(), [&](const Copy& copy) { return copy.dst.buffer == buffer; });
}

void note_written(Problem& problem) {
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) problem.buffers[i].is_written = is_written(problem, static_cast<int>(i));
}

Expression extent_of(const Region& region, std::size_t dim) {
    const auto symbolic = region.symbolic_extent.find(dim);
    return symbolic == region.symbolic_extent.end() ? Expression(region.extent[dim]) : symbolic->second;
}

std::vector<Expression> bounds_of(const Region& region, std::size_t dim) {
    std::vector<Expression> out;
    if (const auto extent = region.symbolic_extent.find(dim); extent != region.symbolic_extent.end()) out.push_back(extent->second);
    if (const auto more = region.further.find(dim); more != region.further.end())
        out.insert(out.end(), more->second.begin(), more->second.end());
    return out;
}

std::vector<Expression> expressions_of(const Region& region) {
    std::vector<Expression> out = region.start;
    for (const auto& [dim, extent] : region.symbolic_extent) {
        const std::vector<Expression> bounds = bounds_of(region, dim);
        out.insert(out.end(), bounds.begin(), bounds.end());
    }
    return out;
}

std::vector<Expression> cuts_of(const Region& region, std::size_t dim) {
    std::vector<Expression> out = bounds_of(region, dim);
    if (!out.empty() && region.clipped.count(dim) == 0) out.erase(out.begin());
    return out;
}

std::vector<std::int64_t> extents_at(const Region& region, const Values& values) {
    std::vector<std::int64_t> out = region.extent;
    for (const auto& [dim, extent] : region.symbolic_extent) {
        if (region.clipped.count(dim) == 0) out[dim] = std::max<std::int64_t>(0, extent.at(values));
        for (const Expression& cut : cuts_of(region, dim)) out[dim] = std::min(out[dim], std::max<std::int64_t>(0, cut.at(values)));
    }
    return out;
}

Elements moved(const Copy& copy) {
    std::int64_t product = 1;
    for (const std::int64_t extent : copy.src.region.extent) product *= extent;
    return {product};
}

namespace {

/// b8, b16, ... match any type of their size.
bool same_type(const DType& a, const DType& b) {
    const auto is_bits = [](const DType& type) { return type.name == "b" + std::to_string(type.size.count); };
    return a == b || (a.size == b.size && (is_bits(a) || is_bits(b)));
}

}  // namespace

std::optional<Diagnostic> mismatch(const Problem& problem, const Copy& copy) {
    const Buffer& src = problem.buffer(copy.src);
    const Buffer& dst = problem.buffer(copy.dst);
    if (!same_type(src.dtype, dst.dtype))
        return Diagnostic{"dtype-differs",
                          "the elements of " + src.name + " are " + src.dtype.name + ", those of " + dst.name + " are " + dst.dtype.name +
                              ", and a copy does not convert",
                          copy.src.place};
    const auto from = without_units(copy.src.region), to = without_units(copy.dst.region);
    if (from != to)
        return Diagnostic{"extents-differ",
                          "the source has the extents " + extents_text(copy.src.region, problem.symbols) + " and the destination " +
                              extents_text(copy.dst.region, problem.symbols) + ", and they must be equal where they are not 1",
                          copy.src.place};
    return std::nullopt;
}

/// What copies with a register side cannot be yet.
static std::optional<Diagnostic> register_copy_fault(const Problem& problem, const Copy& copy) {
    const std::optional<Side> side = register_side(problem, copy);
    if (!side) return std::nullopt;
    if (*side == Side::src && problem.buffer(copy.dst).space == Space::registers)
        return Diagnostic{"unsupported",
                          "both sides of " + copy.name + " are in registers, and this version copies between registers and memory",
                          copy.place};
    return std::nullopt;
}

std::optional<Diagnostic> rejection(const Problem& problem, const Copy& copy) {
    if (std::optional<Diagnostic> found = mismatch(problem, copy)) return found;
    if (std::optional<Diagnostic> found = register_copy_fault(problem, copy)) return found;
    for (const auto fault : {element_alignment_fault, capacity_fault, swizzle_period_fault, bases_fault})
        for (const Side side : both_sides)
            if (std::optional<Diagnostic> found = fault(problem.buffer(operand(copy, side)))) return found;
    return std::nullopt;
}

std::vector<Assumption> assumptions(const Problem& problem) {
    std::vector<Assumption> all;
    int of = 0;
    const auto add = [&](std::string text, std::string source) {
        all.push_back({"A" + std::to_string(all.size() + 1), std::move(text), std::move(source), of});
    };
    std::string computed;
    for (const Symbol& symbol : problem.symbols)
        if (symbol.index && !symbol.index->is_group())
            computed += (computed.empty() ? ", with " : ", ") + symbol.name + " = " + to_string(*symbol.index, problem.launch);
    const auto& [x, y, z] = problem.launch.grid;
    of = -1;
    if (!computed.empty() || block_count(problem.launch) > 1)
        add("the grid is at most " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z) + " blocks" + computed,
            "grid");
    of = 0;
    for (const Symbol& symbol : problem.symbols) {
        if (!symbol.index)
            add(symbol.name + " is from " + std::to_string(symbol.min) + " to " + std::to_string(symbol.max) +
                    (symbol.multiple_of == 1 ? "" : ", a multiple of " + std::to_string(symbol.multiple_of)),
                "symbol");
        ++of;
    }
    of = 0;
    for (const Fact& fact : problem.facts) {
        if (!is_of_launch(fact, problem.symbols)) add(to_string(fact, problem.symbols), "fact");
        ++of;
    }
    std::vector<std::string> global;
    of = 0;
    for (const Buffer& buffer : problem.buffers) {
        const bool is_global = buffer.space == Space::global;
        if (is_global) global.push_back(buffer.name);
        // The alignment of a shared buffer is no assumption: the emitted code asks for it. Every address is a multiple of 1.
        if (buffer.base) {
            add(alignment_text(buffer), "stated-base");
        } else if (is_global && buffer.align > Bytes{1}) {
            add(alignment_text(buffer), buffer.align_is_default ? "default-alignment" : "stated-alignment");
        }
        if (is_global)
            add(buffer.name + " has at least " +
                    (buffer.symbolic_capacity ? to_string(*buffer.symbolic_capacity, problem.symbols) + " elements"
                                              : elements(buffer.capacity)) +
                    " allocated",
                buffer.capacity_is_default ? "default-capacity" : "stated-capacity");
        ++of;
    }
    of = -1;
    if (global.size() > 1) add("the buffers " + listed(global) + " do not overlap", "distinct-buffers");
    const bool has_groups = problem.launch.groups > 1, has_blocks = block_count(problem.launch) > 1;
    const std::string others = has_blocks   ? "nothing but the blocks of this launch"
                               : has_groups ? "nothing but the groups of this block"
                                            : "no other thread or block";
    add(others + " touches these bytes meanwhile", "exclusive");
    return all;
}

}  // namespace tileproof
