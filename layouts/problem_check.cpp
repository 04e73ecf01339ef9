// Whether a Problem is well formed, whoever made it. What the rest of the program takes for granted is here.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "layouts/box.hpp"
#include "layouts/cache_hint.hpp"
#include "layouts/grid.hpp"
#include "layouts/linear_bits.hpp"
#include "layouts/predicate.hpp"
#include "layouts/problem.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

using Fault = std::optional<Diagnostic>;

constexpr int largest_exponent = 64;  // of a swizzle, so that sums of them stay small
constexpr Bytes largest_align{1 << 20};
constexpr std::int64_t most_offset_words = 32 * most_register_words;  // elements in the registers of a thread, at least a bit each
constexpr Bytes most_shared{std::int64_t{1} << 31};                   // what a 32-bit shared address can reach

bool within(std::int64_t value, std::int64_t least, std::int64_t most) { return value >= least && value <= most; }

Diagnostic out_of_range(const std::string& what, std::int64_t least, std::int64_t most, std::int64_t value, Place place) {
    return {"out-of-range",
            what + " must be from " + std::to_string(least) + " to " + std::to_string(most) + ", not " + std::to_string(value), place};
}

/// What takes the place of iters in a layout over bits. Requires: the rank is good.
Fault check_bases(const Layout& layout, const std::string& whose, Place place) {
    std::size_t bits = 0;
    bool fits = layout.bases.size() == layout.shape.size() && layout.iters.empty() && layout.offset == 0;
    for (std::size_t dim = 0; fits && dim < layout.bases.size(); ++dim) {
        bits += layout.bases[dim].size();
        fits = bits <= max_bits && layout.shape[dim] == std::int64_t{1} << layout.bases[dim].size();
    }
    if (!fits)
        return Diagnostic{"shape-mismatch", whose + " is over bits, and has other things than one basis value for each bit of its shape",
                          place};
    for (const std::vector<std::int64_t>& dim : layout.bases)
        for (const std::int64_t basis : dim)
            if (!within(basis, 0, max_offset - 1)) return Diagnostic{"overflow", whose + " has a basis value outside 0 to 2^50 - 1", place};
    return std::nullopt;
}

/// Whether no value of the symbols takes an offset beyond 2^50. Negative ones are for `bounds` to find: a fact may exclude them.
Fault check_symbolic_reach(const Layout& layout, const std::vector<Symbol>& symbols, const std::string& whose, Place place) {
    if (offsets_fit(layout, symbols)) return std::nullopt;
    return Diagnostic{"overflow", whose + " may have an offset beyond 2^50 elements", place};
}

/// Where registers are. Requires: extents and shape are good.
Fault check_registers(const Buffer& buffer, const std::string& whose, Place place) {
    const Layout& layout = buffer.layout;
    if (layout.is_symbolic() || layout.is_over_bits() || !layout.swizzle.is_identity())
        return Diagnostic{"unsupported", whose + " is of registers, which are given by plain numbers: no symbols, no swizzle, no bases",
                          place};
    if (layout.replicas.size() > max_rank) return Diagnostic{"rank", whose + " has more than 8 replica iters", place};
    std::vector<std::int64_t> extents = layout.shape;
    for (const Iter& it : layout.replicas) extents.push_back(it.extent);
    const auto places = checked_product(extents);
    if (!places || Elements{*places} > most_elements) return Diagnostic{"too-large", whose + " has more than 2^24 places", place};
    if (Fault fault = thread_axes_fault(layout)) return Diagnostic{fault->rule, whose + ": " + fault->text, place};
    if (buffer.capacity.count <= most_offset_words && register_words(buffer) <= most_register_words &&
        span(register_part(layout)).count <= most_offset_words)
        return std::nullopt;
    return Diagnostic{"too-large",
                      buffer.name + " has " + std::to_string(std::max(buffer.capacity.count, span(register_part(layout)).count)) +
                          " elements in each thread, and a thread has " + std::to_string(most_register_words) + " registers of 32 bits",
                      place};
}

Fault check_layout(const Buffer& buffer, const std::vector<Symbol>& symbols) {
    const Layout& layout = buffer.layout;
    const Place place = or_else(buffer.layout_place, buffer.place);
    const std::string whose = "the layout of " + buffer.name;
    if (layout.shape.empty() || layout.shape.size() > max_rank)
        return Diagnostic{"rank", whose + " has rank " + std::to_string(layout.shape.size()) + ", and 1 to 8 are supported", place};
    if (layout.iters.size() > max_iters) return Diagnostic{"rank", whose + " has more than 64 iters", place};
    std::vector<std::int64_t> extents;
    for (const Iter& it : layout.iters) extents.push_back(it.extent);
    const auto is_empty = [](std::int64_t extent) { return extent < 1; };
    if (std::any_of(extents.begin(), extents.end(), is_empty) || std::any_of(layout.shape.begin(), layout.shape.end(), is_empty))
        return Diagnostic{"zero-extent", whose + " has an extent below 1", place};
    const auto of_shape = checked_product(layout.shape), of_iters = checked_product(extents);
    if (!of_shape || !of_iters) return Diagnostic{"overflow", whose + " has more than 2^50 elements", place};
    if (layout.is_over_bits()) {
        if (Fault fault = check_bases(layout, whose, place)) return fault;
    } else if (of_shape != of_iters)
        return Diagnostic{"shape-mismatch",
                          whose + " has a shape of " + std::to_string(*of_shape) + " elements and iters of " + std::to_string(*of_iters),
                          place};
    const Swizzle& s = layout.swizzle;
    const bool is_small = within(s.bits_log2, 0, largest_exponent) && within(s.base_log2, 0, largest_exponent) &&
                          within(s.shift_log2, -largest_exponent, largest_exponent);
    if (!is_small || !s.is_valid()) return Diagnostic{"invalid-swizzle", to_string(s) + " is no valid swizzle", place};
    if (s.period_log2() > max_period_log2)
        return Diagnostic{"unsupported", to_string(s) + " repeats only after more than 2^20 elements", place};
    if (buffer.space == Space::registers) return check_registers(buffer, whose, place);
    if (layout.has_threads())
        return Diagnostic{"thread-axes", whose + " says which threads hold it, and only registers are held by threads", place};
    if (layout.is_symbolic()) return check_symbolic_reach(layout, symbols, whose, place);
    const std::optional<Reach> ends = reach(layout);
    if (!ends || !within(layout.offset, -max_offset, max_offset))
        return Diagnostic{"overflow", whose + " has an offset beyond 2^50 elements", place};
    if (ends->least < 0)
        return Diagnostic{"negative-offset", whose + " has a negative least offset: " + std::to_string(ends->least), place};
    return std::nullopt;
}

Fault check_dtype(const Buffer& buffer) {
    const Place place = or_else(buffer.dtype_place, buffer.place);
    if (find_dtype(buffer.dtype.name) != buffer.dtype)
        return Diagnostic{"unknown-dtype", "there is no element type " + in_quotes(buffer.dtype.name), place};
    return std::nullopt;
}

bool depends_on_group(const Layout& layout, const std::vector<Symbol>& symbols) {
    const auto depends = [&](const Expression& e) { return depends_on(e, group_dim, symbols); };
    return depends(layout.offset) ||
           std::any_of(layout.iters.begin(), layout.iters.end(), [&](const Iter& it) { return depends(it.stride); });
}

bool depends_on_group(const Region& region, const std::vector<Symbol>& symbols) {
    const std::vector<Expression> all = expressions_of(region);
    return std::any_of(all.begin(), all.end(), [&](const Expression& e) { return depends_on(e, group_dim, symbols); });
}

Fault check_buffer(const Problem& problem, const Buffer& buffer) {
    const std::vector<Symbol>& symbols = problem.symbols;
    if (!is_identifier(buffer.name))
        return Diagnostic{"bad-name", in_quotes(buffer.name) + " is no name: letters, digits and '_' make one", buffer.place};
    if (Fault fault = check_dtype(buffer)) return fault;
    if (Fault fault = check_layout(buffer, symbols)) return fault;
    const Place align_place = or_else(buffer.align_place, buffer.place);
    if (buffer.base && !within(buffer.base->count, 0, 255))
        return out_of_range("base, an address modulo 256,", 0, 255, buffer.base->count, align_place);
    if (!is_power_of_two(buffer.align.count) || buffer.align > largest_align)
        return Diagnostic{
            "out-of-range",
            "align must be a power of two from 1 to " + std::to_string(largest_align.count) + ", not " + std::to_string(buffer.align.count),
            align_place};
    if (!within(buffer.capacity.count, 0, max_offset * 2))
        return out_of_range("capacity", 0, max_offset * 2, buffer.capacity.count, or_else(buffer.capacity_place, buffer.place));
    if (buffer.symbolic_capacity && is_of_launch(*buffer.symbolic_capacity, symbols))
        return Diagnostic{"unsupported", "the capacity of " + buffer.name + " depends on the block, and all blocks share one allocation",
                          or_else(buffer.capacity_place, or_else(buffer.layout_place, buffer.place))};
    if (buffer.layout.is_symbolic() && depends_on_group(buffer.layout, symbols))
        return Diagnostic{"unsupported", "the layout of " + buffer.name + " depends on the group, and all groups share the buffer",
                          or_else(buffer.layout_place, buffer.place)};
    if (buffer.space == Space::shared && buffer.symbolic_capacity)
        return Diagnostic{"unsupported", "the shared buffer " + buffer.name + " has a capacity that is no number: state one that is",
                          or_else(buffer.layout_place, buffer.place)};
    if (buffer.space == Space::registers && (buffer.base || buffer.symbolic_capacity))
        return Diagnostic{"register-key", buffer.name + " is in registers, which have no address and a capacity that is a number",
                          buffer.place};
    if (buffer.swizzle_on_address && buffer.space != Space::shared)
        return Diagnostic{"swizzle-on",
                          "only shared memory is swizzled on addresses, and " + buffer.name + " is " + to_string(buffer.space),
                          buffer.place};
    if (buffer.swizzle_on_address && buffer.layout.is_over_bits())
        return Diagnostic{"swizzle-on", "no swizzle of addresses gives the bases of " + buffer.name,
                          or_else(buffer.layout_place, buffer.place)};
    return std::nullopt;
}

Fault check_operand(const Problem& problem, const Copy& copy, Side side) {
    const Operand& op = operand(copy, side);
    const Place place = or_else(op.place, copy.place);
    if (!within(op.buffer, 0, static_cast<std::int64_t>(problem.buffers.size()) - 1))
        return Diagnostic{"unknown-buffer", "there is no buffer number " + std::to_string(op.buffer), place};
    const Buffer& buffer = problem.buffer(op);
    const std::vector<std::int64_t>& shape = buffer.layout.shape;
    if (op.region.start.size() != shape.size() || op.region.extent.size() != shape.size())
        return Diagnostic{"region-rank",
                          "the region has rank " + std::to_string(op.region.extent.size()) + ", and " + buffer.name + " has " +
                              std::to_string(shape.size()),
                          place};
    if (!copy.each && depends_on_group(op.region, problem.symbols))
        return Diagnostic{"unsupported",
                          "the region of " + buffer.name + " depends on the group, and " + copy.name + " is no copy by each group", place};
    const bool is_held = buffer.space == Space::registers;
    const auto is_clip = [&](const auto& extent) { return op.region.clipped.count(extent.first) != 0; };
    if (is_held && is_symbolic(op.region) &&
        !(all_constant(op.region.start) && std::all_of(op.region.symbolic_extent.begin(), op.region.symbolic_extent.end(), is_clip)))
        return Diagnostic{"unsupported", "the region of " + buffer.name + " depends on symbols, and which registers it is must be known",
                          place};
    for (const std::size_t dim : op.region.clipped)
        if (op.region.symbolic_extent.count(dim) == 0)
            return Diagnostic{"predicate-bound", "a predicate of " + copy.name + " bounds no dimension", place};
    for (const auto& [dim, further] : op.region.further) {
        if (op.region.symbolic_extent.count(dim) == 0)
            return Diagnostic{"predicate-bound", "a predicate of " + copy.name + " bounds no dimension", place};
        if (further.size() >= most_bounds) return too_many_bounds(dim, or_else(copy.predicate_place, place));
    }
    for (const auto& [dim, extent] : op.region.symbolic_extent)
        for (const Expression& bound : bounds_of(op.region, dim))
            if (dim >= shape.size() || !checked_product(bound, 1, problem.symbols, max_offset))
                return Diagnostic{"overflow", "the region of " + buffer.name + " may have an extent beyond 2^50", place};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t extent = op.region.extent[i];
        const bool is_number = op.region.start[i].is_constant();
        const std::int64_t start = is_number ? std::int64_t{op.region.start[i]} : 0;  // `bounds` judges the others
        const std::optional<Expression> stride = is_number ? std::nullopt : straight_stride(buffer.layout, i);
        if (stride && !checked_product(op.region.start[i], *stride, problem.symbols, max_offset))
            return Diagnostic{"overflow", "the region of " + buffer.name + " may start beyond 2^50 elements", place};
        if (!is_number && !stride)
            return Diagnostic{
                "unsupported",
                "the region of " + buffer.name + " starts at a symbol in dimension " + std::to_string(i) + ", where the layout bends",
                place};
        const bool is_clipped = op.region.clipped.count(i) != 0;  // then `bounds` judges what is left
        if (is_clipped && !is_held && !straight_stride(buffer.layout, i))
            return Diagnostic{
                "unsupported",
                "a predicate with symbols bounds dimension " + std::to_string(i) + " of " + buffer.name + ", where the layout bends",
                or_else(copy.predicate_place, place)};
        if (extent < 1) return Diagnostic{"zero-extent", "the region of " + buffer.name + " is empty", place};
        if (start < 0 || ((!is_clipped || is_held) && (extent > shape[i] || start > shape[i] - extent)))
            return Diagnostic{
                "region-outside",
                "the region is outside " + buffer.name + ": dimension " + std::to_string(i) + " has the extent " + std::to_string(shape[i]),
                place};
    }
    const std::optional<std::int64_t> count = checked_product(op.region.extent);
    if (!count || Elements{*count} > most_elements) return Diagnostic{"too-large", "a copy of more than 2^24 elements", place};
    for (const auto& [dim, extent] : op.region.symbolic_extent)
        for (const Expression& cut : cuts_of(op.region, dim))  // dimensions may be counted together
            if (!checked_product(cut, *count, problem.symbols, max_offset))
                return Diagnostic{"overflow", "a bound of " + copy.name + " may be beyond 2^50, counted in elements of the region",
                                  or_else(copy.predicate_place, place)};
    return std::nullopt;
}

/// Of a copy that fills with zeros the source alone is clipped.
Fault check_zero_fill(const Problem& problem, const Copy& copy) {
    const Place place = or_else(copy.predicate_place, copy.place);
    if (register_side(problem, copy) == Side::src)
        return Diagnostic{"unsupported", copy.name + " fills memory with zeros, and stores registers", place};
    if (copy.src.buffer == copy.dst.buffer) return Diagnostic{"unsupported", copy.name + " fills with zeros within one buffer", place};
    if (!copy.dst.region.clipped.empty() || !copy.dst.region.further.empty())
        return Diagnostic{"predicate-bound", "a predicate of " + copy.name + " bounds what is to be filled with zeros", place};
    for (const auto& [dim, extent] : copy.src.region.symbolic_extent) {
        const std::vector<Expression> cuts = cuts_of(copy.src.region, dim);
        if (!cuts.empty() && copy.src.region.clipped.count(dim) == 0) return fills_up_to_symbols(copy.name, place);
        for (const Expression& below : cuts)
            if (below.is_constant() && std::int64_t{below} < 1)
                return Diagnostic{"zero-extent", "the predicate leaves nothing of the region", place};
    }
    return std::nullopt;
}

/// Of a problem that no file was read for: both regions are clipped by the same bounds.
Fault check_predicate(const Problem& problem, const Copy& copy) {
    std::array<std::vector<std::vector<Expression>>, 2> bounds;
    for (const Side side : both_sides) {
        const Region& region = operand(copy, side).region;
        for (const std::size_t dim : dense(region).dims) bounds[side == Side::src ? 0 : 1].push_back(cuts_of(region, dim));
    }
    if (copy.zero_fill) return check_zero_fill(problem, copy);
    if (bounds[0] == bounds[1] || mismatch(problem, copy)) return std::nullopt;
    return Diagnostic{"predicate-bound", "the two regions of " + copy.name + " have different predicates",
                      or_else(copy.predicate_place, copy.place)};
}

/// The threads that a scope other than cta says itself; 0 for cta.
int threads_of(Scope scope) {
    return scope == Scope::thread ? 1 : scope == Scope::warp ? warp_threads : scope == Scope::warpgroup ? warpgroup_threads : 0;
}

Fault check_groups(const Launch& launch, const Copy& copy, const Place& place) {
    if (copy.group != 0)
        return Diagnostic{"out-of-range", "each group performs " + copy.name + ", or group " + std::to_string(copy.group) + " does", place};
    if (launch.block % copy.threads != 0)
        return Diagnostic{"out-of-range",
                          "a block of " + std::to_string(launch.block) + " threads is no whole number of " + to_string(copy.scope) +
                              "s, each of which performs " + copy.name,
                          or_else(launch.block_place, place)};
    if (launch.groups != launch.block / copy.threads)
        return Diagnostic{"unsupported",
                          "copies by each group of one file have groups of one size, and " + copy.name + " has others than the first",
                          place};
    return std::nullopt;
}

Fault check_people(const Problem& problem, const Copy& copy) {
    const Place threads_place = or_else(copy.threads_place, copy.place);
    const Place group_place = or_else(copy.group_place, copy.place);
    const int most = problem.target.threads_per_block;
    const int said = threads_of(copy.scope);
    if (!within(copy.threads, 1, most)) return out_of_range("threads", 1, most, copy.threads, threads_place);
    if (said != 0 && copy.threads != said)
        return Diagnostic{"threads-differ",
                          "a " + to_string(copy.scope) + " has " + std::to_string(said) + " threads, not " + std::to_string(copy.threads),
                          threads_place};
    if (!within(copy.group, 0, most - 1)) return out_of_range("group", 0, most - 1, copy.group, group_place);
    if (copy.scope == Scope::cta && (copy.group != 0 || copy.each))
        return Diagnostic{"out-of-range", "group must be 0 for a cta, which is the whole block", group_place};
    if (copy.each) return check_groups(problem.launch, copy, group_place);
    const Participants who = participants(copy, problem.launch);
    if (who.end() <= problem.launch.block) return std::nullopt;
    return Diagnostic{"block-too-small",
                      "a block of " + std::to_string(problem.launch.block) + " threads lacks some of " + copy.name +
                          ", which is done by threads " + std::to_string(who.first) + " to " + std::to_string(who.first + who.count - 1),
                      or_else(problem.launch.block_place, or_else(copy.group_place, copy.place))};
}

/// Whether the target takes them is for the planner to say.
Fault check_cache(const Copy& copy) {
    const Place place = or_else(copy.cache_place, copy.place);
    std::map<CacheHint::Kind, std::string> seen;
    for (const std::string& word : copy.cache) {
        const CacheHint* const hint = cache_hint(word);
        if (hint == nullptr) return Diagnostic{"unknown-value", in_quotes(word) + " is no cache hint", place};
        const auto [other, is_first] = seen.emplace(hint->kind, word);
        if (!is_first)
            return Diagnostic{"cache-hint", "an access has one of " + in_quotes(other->second) + " and " + in_quotes(word) + ", not both",
                              place};
    }
    return std::nullopt;
}

Fault check_copy(const Problem& problem, const Copy& copy) {
    if (!is_identifier(copy.name))
        return Diagnostic{"bad-name", in_quotes(copy.name) + " is no name: letters, digits and '_' make one", copy.place};
    for (const Side side : both_sides)
        if (Fault fault = check_operand(problem, copy, side)) return fault;
    if (Fault fault = check_predicate(problem, copy)) return fault;
    if (Fault fault = check_people(problem, copy)) return fault;
    if (Fault fault = check_cache(copy)) return fault;
    if (Fault fault = outside_scope(problem, copy)) return fault;
    constexpr std::array supported{"auto",     "vec_auto", "vec_16b",    "vec_32b", "vec_64b",
                                   "vec_128b", "vec_256b", "ldstmatrix", "ldgsts",  "fallback"};
    if (std::find(supported.begin(), supported.end(), copy.dispatch) == supported.end())
        return Diagnostic{"unsupported", "the dispatch " + in_quotes(copy.dispatch) + " is not supported by this version", copy.place};
    return std::nullopt;
}

Fault check_target(const Problem& problem) {
    const Arch& target = problem.target;
    const std::optional<Arch> known = find_arch(target.name);
    if (!known || known->number != target.number) return Diagnostic{"unknown-arch", "there is no architecture " + in_quotes(target.name)};
    if (problem.ptx && *problem.ptx < target.least_ptx)
        return Diagnostic{"ptx-version",
                          target.name + " needs PTX " + to_string(target.least_ptx) + " or later, not " + to_string(*problem.ptx)};
    const auto is_word = [](char c) { return is_identifier(std::string{'_', c}); };
    if (problem.stem.empty() || !std::all_of(problem.stem.begin(), problem.stem.end(), is_word))
        return Diagnostic{"bad-name", in_quotes(problem.stem) + " cannot name an entry point"};
    const Launch& launch = problem.launch;
    if (!within(launch.block, 1, target.threads_per_block))
        return out_of_range("block", 1, target.threads_per_block, launch.block, launch.block_place);
    if (!within(launch.groups, 1, launch.block))
        return out_of_range("the number of groups", 1, launch.block, launch.groups, launch.block_place);
    for (std::size_t dim = 0; dim < 3; ++dim)
        if (!within(launch.grid[dim], 1, largest_grid[dim]))
            return out_of_range(std::string("the grid's extent in ") + "xyz"[dim], 1, largest_grid[dim], launch.grid[dim],
                                launch.grid_place);
    return std::nullopt;
}

/// The names of one kind must differ; copies and buffers may share one.
template <class Named>
Fault check_names(const std::vector<Named>& all, const std::string& kind) {
    std::set<std::string> seen;
    for (const Named& one : all)
        if (!seen.insert(one.name).second)
            return Diagnostic{"duplicate-name", "there is another " + kind + " " + in_quotes(one.name), one.place};
    return std::nullopt;
}

/// Names, ranges and multiples. An empty range is no fault here: assumptions that cannot hold are refuted.
Fault check_symbol(const Problem& problem, const Symbol& symbol) {
    if (!is_identifier(symbol.name))
        return Diagnostic{"bad-name", in_quotes(symbol.name) + " is no name: letters, digits and '_' make one", symbol.place};
    for (const Buffer& buffer : problem.buffers)
        if (buffer.name == symbol.name)
            return Diagnostic{"duplicate-name", "a buffer and a symbol are both called " + in_quotes(symbol.name), symbol.place};
    if (!within(symbol.min, -max_offset, max_offset)) return out_of_range("min", -max_offset, max_offset, symbol.min, symbol.place);
    if (!within(symbol.max, -max_offset, max_offset)) return out_of_range("max", -max_offset, max_offset, symbol.max, symbol.place);
    if (const auto& index = symbol.index) {
        if (!within(index->dim, 0, 3)) return out_of_range("the dimension of the grid", 0, 3, index->dim, symbol.place);
        const std::int64_t most_times = index->is_group() ? 1 : max_offset;  // the number of a group is taken as it is
        if (!within(index->times, 1, most_times)) return out_of_range("times", 1, most_times, index->times, symbol.place);
        const SymbolRange range = range_of(*index, problem.launch);
        if (symbol.min != range.min || symbol.max != range.max || symbol.multiple_of != range.multiple_of)
            return Diagnostic{"out-of-range", "the range of " + symbol.name + " is not what the launch makes it", symbol.place};
    }
    if (!within(symbol.multiple_of, 1, max_offset)) return out_of_range("multiple_of", 1, max_offset, symbol.multiple_of, symbol.place);
    return std::nullopt;
}

Fault check_shared_size(const Problem& problem) {
    Bytes all{};
    for (const Buffer& buffer : problem.buffers) {
        if (buffer.space != Space::shared) continue;
        all = all + bytes_to_hold(buffer.capacity, buffer.dtype.size) + buffer.align;
        if (all > most_shared)
            return Diagnostic{"too-large", "the shared buffers exceed 2^31 bytes",
                              or_else(buffer.capacity_place, or_else(buffer.layout_place, buffer.place))};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check_problem(const Problem& problem) {
    if (Fault fault = check_target(problem)) return fault;
    if (problem.symbols.size() > max_symbols) return Diagnostic{"too-large", "more than " + std::to_string(max_symbols) + " symbols"};
    for (const Symbol& symbol : problem.symbols)
        if (Fault fault = check_symbol(problem, symbol)) return fault;
    if (Fault fault = check_names(problem.symbols, "symbol")) return fault;
    for (const Buffer& buffer : problem.buffers)
        if (Fault fault = check_buffer(problem, buffer)) return fault;
    if (Fault fault = check_names(problem.buffers, "buffer")) return fault;
    if (Fault fault = check_shared_size(problem)) return fault;
    if (problem.copies.empty()) return Diagnostic{"missing-key", "there is nothing to do: no copies"};
    for (const Copy& copy : problem.copies)
        if (Fault fault = check_copy(problem, copy)) return fault;
    return check_names(problem.copies, "copy");
}

}  // namespace tileproof
