#include "verify/blocks_internal.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "layouts/offset_walk.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_enumerated = std::int64_t{1} << 18;  // elements of all blocks, at one sample
constexpr std::int64_t most_of_a_copy = std::int64_t{1} << 21;   // beyond, none is
constexpr std::size_t most_samples = 8;
constexpr Wide largest_reach = Wide{1} << 54;  // of a digit; 64 iters and the grid together fit

/// The offsets before the swizzle of a region: constant + digits.
struct Footprint {
    Expression constant = 0;
    std::vector<Stride> digits;
};

std::optional<Footprint> footprint(const Layout& layout, const Region& region) {
    if (layout.is_over_bits()) return std::nullopt;
    Footprint out{layout.offset, {}};
    const auto add_all = [&](const std::vector<Iter>& iters) {
        for (const Iter& it : iters) out.digits.push_back({it.stride, it.extent});
    };
    const auto modes = split_modes(layout);
    if (!modes) {  // starts that are numbers: all of the layout holds the region
        if (!all_constant(region.start)) return std::nullopt;
        add_all(layout.iters);
        return out;
    }
    for (std::size_t dim = 0; dim < region.start.size(); ++dim) {
        if (const std::optional<Expression> stride = straight_stride(layout, dim)) {
            out.constant = out.constant + region.start[dim] * *stride;
            out.digits.push_back({*stride, region.extent[dim]});
        } else if (region.start[dim].is_constant()) {
            add_all((*modes)[dim]);
        } else {
            return std::nullopt;
        }
    }
    return out;
}

/// The digits of extent above 1, those of the grid among them. Nothing where some step is no multiple of one block's index.
std::optional<std::vector<Stride>> digits_of(const Problem& problem, const Footprint& footprint) {
    std::vector<Stride> out;
    for (const Stride& digit : footprint.digits) {
        if (digit.extent == 1) continue;
        const auto split = by_block(digit.stride, problem);
        if (!split || !split->is_constant()) return std::nullopt;
        out.push_back({split->rest, digit.extent});
    }
    const auto split = by_block(footprint.constant, problem);
    if (!split) return std::nullopt;
    for (std::size_t dim = 0; dim < 3; ++dim)
        if (problem.launch.grid[dim] > 1) out.push_back({split->step[dim], problem.launch.grid[dim], true});
    // Coefficients that only a symbol of value 0 keeps small: sums of them might not fit.
    if (std::any_of(out.begin(), out.end(), [](const Stride& digit) { return weight(digit.stride) * digit.extent > largest_reach; })) return std::nullopt;
    return out;
}

bool depends_on(const Expression& e, int dim, const std::vector<Symbol>& symbols) {
    for (const Monomial& monomial : e.monomials())
        for (const int index : monomial)
            if (const auto& from = symbols[static_cast<std::size_t>(index)].block; from && from->dim == dim) return true;
    return false;
}

bool depends_on(const Problem& problem, const Operand& operand, int dim) {
    const Layout& layout = problem.buffer(operand).layout;
    const auto depends = [&](const Expression& e) { return depends_on(e, dim, problem.symbols); };
    return depends(layout.offset) || std::any_of(layout.iters.begin(), layout.iters.end(), [&](const Iter& it) { return depends(it.stride); }) ||
           std::any_of(operand.region.start.begin(), operand.region.start.end(), depends) ||
           std::any_of(operand.region.symbolic_extent.begin(), operand.region.symbolic_extent.end(), [&](const auto& extent) { return depends(extent.second); });
}

/// The offsets of a region in one block (none if it is empty there), or nothing where it lies outside its layout there: `bounds` refutes that.
std::optional<std::vector<std::int64_t>> offsets_in_block(const Problem& problem, const Operand& operand, const Values& values) {
    Layout layout = problem.buffer(operand).layout;
    Region region = operand.region;
    layout.offset = layout.offset.at(values);
    for (Iter& it : layout.iters) it.stride = it.stride.at(values);
    for (Expression& start : region.start) start = start.at(values);
    for (const auto& [dim, extent] : region.symbolic_extent) region.extent[dim] = extent.at(values);
    if (std::any_of(region.extent.begin(), region.extent.end(), [](std::int64_t extent) { return extent < 1; })) return std::vector<std::int64_t>{};
    if (!is_inside(layout, region) || least_offset(layout, region) < 0) return std::nullopt;
    return offsets_of(layout, region);
}

/// The first blocks, a step in each dimension, the last, and then the others as far as they go.
std::vector<std::int64_t> telling_blocks(const Launch& launch, std::int64_t most) {
    const std::int64_t all = block_count(launch);
    std::vector<std::int64_t> out;
    const auto add = [&](std::int64_t number) {
        if (number < all && static_cast<std::int64_t>(out.size()) < most && std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
    };
    add(0);
    std::int64_t step = 1;
    for (const std::int64_t extent : launch.grid) {
        if (extent > 1) add(step);
        step *= extent;
    }
    add(all - 1);
    if (most >= all) {  // every one: no need to look for what is there
        out.clear();
        for (std::int64_t number = 0; number < all; ++number) out.push_back(number);
        return out;
    }
    for (std::int64_t number = 1; number < all && static_cast<std::int64_t>(out.size()) < std::min<std::int64_t>(most, 64); ++number) add(number);
    return out;
}

std::string touched_text(const Problem& problem, const Operand& operand, Bits address) {
    return fmt::format("byte {} of {}", to_bytes(address).count, problem.buffer(operand).name);
}

Counterexample clash(const Problem& problem, const Operand& operand, std::int64_t offset, const Block& a, const Block& b, const Values& values) {
    const Buffer& buffer = problem.buffer(operand);
    Counterexample out;
    out.address = to_bits(buffer.base.value_or(Bytes{0})) + to_bits(Elements{offset}, buffer.dtype.size);
    out.text = fmt::format("{} and {} both write {}", to_string(a, problem.launch), to_string(b, problem.launch), touched_text(problem, operand, *out.address));
    out.symbols = in_block(problem.symbols, values, a);
    out.blocks = {a, b};
    return out;
}

/// A region that holds both, or nothing where they lie apart by a symbol.
std::optional<Region> hull(const Region& a, const Region& b) {
    Region out = a;
    out.symbolic_extent.clear();  // the greatest extents hold the others
    for (std::size_t dim = 0; dim < a.start.size(); ++dim) {
        const Expression apart = b.start[dim] - a.start[dim];
        if (!apart.is_constant()) return std::nullopt;
        const std::int64_t by = apart, least = std::min<std::int64_t>(0, by);
        out.start[dim] = a.start[dim].plus(least);
        out.extent[dim] = std::max(a.extent[dim], by + b.extent[dim]) - least;
    }
    return out;
}

/// An operand of an earlier copy and one of a later copy in one global buffer; at least one is written.
struct Pair {
    std::size_t first = 0, second = 0;
    Side first_side = Side::src, second_side = Side::src;
};

std::vector<Pair> dependent_pairs(const Problem& problem) {
    std::vector<Pair> out;
    for (std::size_t j = 0; j < problem.copies.size(); ++j)
        for (std::size_t i = 0; i < j; ++i)
            for (const Side first : both_sides)
                for (const Side second : both_sides) {
                    const Operand &a = operand(problem.copies[i], first), &b = operand(problem.copies[j], second);
                    const bool is_written = first == Side::dst || second == Side::dst;
                    if (is_written && a.buffer == b.buffer && problem.buffer(a).space == Space::global) out.push_back({i, j, first, second});
                }
    return out;
}

bool is_disjoint(const CopyReport& report) {
    return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& f) { return f.obligation == "disjoint" && f.verdict == Verdict::proved; });
}

}  // namespace

bool blocks_are_apart(const Problem& problem, const Buffer& buffer, const Region& region, const IsNonnegative& is_nonnegative) {
    if (block_count(problem.launch) == 1) return true;
    const auto touched = footprint(buffer.layout, region);
    const auto digits = touched ? digits_of(problem, *touched) : std::nullopt;
    return digits && blocks_differ(*digits, problem.symbols, is_nonnegative);
}

std::optional<Counterexample> same_in_all_blocks(const Problem& problem, const Copy& copy) {
    if (problem.buffer(copy.dst).space != Space::global) return std::nullopt;
    for (std::size_t dim = 0; dim < 3; ++dim) {
        if (problem.launch.grid[dim] == 1 || depends_on(problem, copy.dst, static_cast<int>(dim))) continue;
        Block other{};
        other[dim] = 1;
        Counterexample out;
        for (const Values& values : sample_values(problem, most_samples)) {
            const auto offsets = offsets_in_block(problem, copy.dst, in_block(problem.symbols, values, {}));
            if (!offsets || offsets->empty()) continue;
            out = clash(problem, copy.dst, offsets->front(), {}, other, values);
            break;
        }
        if (out.text.empty() && !copy.dst.region.symbolic_extent.empty()) continue;  // perhaps it is always empty
        const std::string whose = fmt::format("{} and {} both write", to_string(Block{}, problem.launch), to_string(other, problem.launch));
        if (out.text.empty()) out.text = fmt::format("{} the same bytes of {}", whose, problem.buffer(copy.dst).name);
        out.text += fmt::format(": where '{}' writes does not depend on ctaid.{}", copy.name, "xyz"[dim]);
        out.blocks = {Block{}, other};
        return out;
    }
    return std::nullopt;
}

std::optional<Counterexample> clash_of_blocks(const Problem& problem, const Operand& a, const Operand& b, const Values& values) {
    struct Touch {
        std::int64_t offset, block;
        bool of_b;
    };
    const bool is_one = &a == &b;
    std::int64_t elements = 0;
    for (const Operand* one : {&a, &b}) {
        std::int64_t product = 1;
        for (const std::int64_t extent : one->region.extent) product *= extent;
        elements += product;
    }
    if (elements > most_of_a_copy) return std::nullopt;
    std::vector<Touch> touches;
    for (const std::int64_t number : telling_blocks(problem.launch, std::max<std::int64_t>(2, most_enumerated / elements))) {
        const Values there = in_block(problem.symbols, values, block_at(problem.launch, number));
        for (const bool of_b : {false, true}) {
            if (of_b && is_one) continue;
            const auto offsets = offsets_in_block(problem, of_b ? b : a, there);
            if (!offsets) continue;
            for (const std::int64_t offset : *offsets) touches.push_back({offset, number, of_b});
        }
    }
    std::sort(touches.begin(), touches.end(), [](const Touch& x, const Touch& y) { return std::tuple(x.offset, x.of_b, x.block) < std::tuple(y.offset, y.of_b, y.block); });
    for (std::size_t i = 0; i < touches.size();) {
        std::size_t end = i;
        while (end < touches.size() && touches[end].offset == touches[i].offset) ++end;
        const std::size_t looked_at = std::min(end, i + 64);  // of a broadcast there may be many
        for (std::size_t k = i; k < looked_at; ++k)
            for (std::size_t j = k + 1; j < looked_at; ++j)
                if (touches[j].block != touches[k].block && (is_one || touches[j].of_b != touches[k].of_b))
                    return clash(problem, a, touches[k].offset, block_at(problem.launch, touches[k].block), block_at(problem.launch, touches[j].block), values);
        i = end;
    }
    return std::nullopt;
}

Finding synchronised_over_blocks(const Problem& problem, Finding found, const std::vector<CopyReport>& copies, const IsNonnegative& is_nonnegative) {
    if (block_count(problem.launch) == 1 || found.verdict != Verdict::proved) return found;
    for (const Pair& pair : dependent_pairs(problem)) {
        const Copy &first = problem.copies[pair.first], &second = problem.copies[pair.second];
        const Operand &a = operand(first, pair.first_side), &b = operand(second, pair.second_side);
        const bool is_known = a.region == b.region && ((pair.first_side == Side::dst && is_disjoint(copies[pair.first])) ||
                                                       (pair.second_side == Side::dst && is_disjoint(copies[pair.second])));
        if (is_known) continue;  // blocks write what they have alone
        const std::optional<Region> both = hull(a.region, b.region);
        if (is_nonnegative && both && blocks_are_apart(problem, problem.buffer(a), *both, is_nonnegative)) {
            if (found.by.size() == 1) found.by.push_back("smt");
            continue;
        }
        const std::string name = problem.buffer(a).name;
        for (const Values& values : sample_values(problem, most_samples)) {
            auto refuted = clash_of_blocks(problem, a, b, values);
            if (!refuted) continue;
            const std::string with = passed_text(refuted->symbols, problem.symbols);
            refuted->text = fmt::format("{}{} touches {} in '{}' and {} in '{}', one of them writes it, and no barrier lies between blocks", with.empty() ? "" : "with " + with + ": ",
                                        to_string(refuted->blocks[0], problem.launch), touched_text(problem, a, *refuted->address), first.name,
                                        to_string(refuted->blocks[1], problem.launch), second.name);
            return {"synchronised", Verdict::refuted, {"exhaustive"}, std::move(refuted)};
        }
        return {"synchronised", Verdict::unknown, {}, {}, fmt::format("no proof that '{}' and '{}' touch different bytes of {} in different blocks, between which there is no barrier", first.name, second.name, name)};
    }
    return found;
}

}  // namespace tileproof
