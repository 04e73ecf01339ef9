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

/// Teams whose elements have to be apart if they differ in an index of first_dim .. end_dim - 1. Indices before these are the same for all.
struct Compared {
    Teams teams;
    std::size_t first_dim = 0, end_dim = group_dim + 1;

    bool differ(const Team& a, const Team& b) const {
        return !std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(end_dim), b.begin());
    }
};

/// What teams write in one copy.
Compared writers(const Problem& problem, const Copy& copy) {
    Compared out{teams_of(problem.launch, copy)};
    if (problem.buffer(copy.dst).space == Space::global) return out;
    const bool has_its_own = problem.buffer(copy.dst).space == Space::registers;
    out.teams.extent = {
        1, 1, 1, has_its_own ? 1 : out.teams.extent[group_dim]};  // each block has shared memory of its own, and each thread its registers
    out.first_dim = group_dim;
    return out;
}

/// What blocks touch in a copy, all groups of a block together.
Compared blocks(const Problem& problem, const Copy& copy) { return {teams_of(problem.launch, copy), 0, group_dim}; }

/// The digits of extent above 1, those of the teams among them. Nothing where some step is no multiple of one index.
std::optional<std::vector<Stride>> digits_of(const Problem& problem, const Footprint& footprint, const Compared& all) {
    std::vector<Stride> out;
    for (const Stride& digit : footprint.digits) {
        if (digit.extent == 1) continue;
        const auto split = by_team(digit.stride, problem, all.first_dim);
        if (!split || !split->is_constant()) return std::nullopt;
        out.push_back({split->rest, digit.extent});
    }
    const auto split = by_team(footprint.constant, problem, all.first_dim);
    if (!split) return std::nullopt;
    for (std::size_t dim = 0; dim < all.teams.extent.size(); ++dim)
        if (all.teams.extent[dim] > 1) out.push_back(Stride{split->step[dim], all.teams.extent[dim], dim < all.end_dim});
    // Coefficients that only a symbol of value 0 keeps small: sums of them might not fit.
    if (std::any_of(out.begin(), out.end(), [](const Stride& digit) { return weight(digit.stride) * digit.extent > largest_reach; }))
        return std::nullopt;
    return out;
}

bool depends_on(const Problem& problem, const Operand& operand, std::size_t dim) {
    const Layout& layout = problem.buffer(operand).layout;
    const auto depends = [&](const Expression& e) { return depends_on(e, dim, problem.symbols); };
    const std::vector<Expression> expressions = expressions_of(operand.region);
    return depends(layout.offset) ||
           std::any_of(layout.iters.begin(), layout.iters.end(), [&](const Iter& it) { return depends(it.stride); }) ||
           std::any_of(expressions.begin(), expressions.end(), depends);
}

/// The offsets of a region of one team (none if it is empty there), or nothing where it lies outside its layout there: `bounds` refutes that.
std::optional<std::vector<std::int64_t>> offsets_of_team(const Problem& problem, const Operand& operand, const Values& values) {
    Layout layout = problem.buffer(operand).layout;
    Region region = operand.region;
    region.extent = extents_at(region, values);
    layout.offset = layout.offset.at(values);
    for (Iter& it : layout.iters) it.stride = it.stride.at(values);
    for (Expression& start : region.start) start = start.at(values);
    if (std::any_of(region.extent.begin(), region.extent.end(), [](std::int64_t extent) { return extent < 1; }))
        return std::vector<std::int64_t>{};
    if (!is_inside(layout, region) || least_offset(layout, region) < 0) return std::nullopt;
    return offsets_of(layout, region);
}

/// The first team, a step in each index, the last, and then the others as far as they go.
std::vector<Team> telling_teams(const Teams& teams, std::int64_t most) {
    std::vector<Team> out;
    const auto add = [&](const Team& team) {
        if (static_cast<std::int64_t>(out.size()) < most && std::find(out.begin(), out.end(), team) == out.end()) out.push_back(team);
    };
    if (most >= teams.count()) {  // every one: no need to look for what is there
        for (std::int64_t number = 0; number < teams.count(); ++number) out.push_back(teams.at(number));
        return out;
    }
    add({});
    Team last{};
    for (std::size_t dim = 0; dim < last.size(); ++dim) {
        Team next{};
        next[dim] = last[dim] = teams.extent[dim] - 1;
        next[dim] = std::min<std::int64_t>(1, next[dim]);
        add(next);
    }
    add(last);
    for (std::int64_t number = 1; number < 64 && number < teams.count() && static_cast<std::int64_t>(out.size()) < most; ++number)
        add(teams.at(number));
    return out;
}

std::string touched_text(const Problem& problem, const Operand& operand, Bits address) {
    return fmt::format("byte {} of {}", to_bytes(address).count, problem.buffer(operand).name);
}

Counterexample clash(const Problem& problem, const Operand& operand, std::int64_t offset, const Teams& teams, const Team& a, const Team& b,
                     const Values& values) {
    const Buffer& buffer = problem.buffer(operand);
    Counterexample out;
    out.address = to_bits(buffer.base.value_or(Bytes{0})) + to_bits(Elements{offset}, buffer.dtype.size);
    out.text =
        fmt::format("{} and {} both write {}", to_string(a, teams), to_string(b, teams), touched_text(problem, operand, *out.address));
    out.symbols = in_team(problem.symbols, values, a);
    out.teams = {a, b};
    return out;
}

/// A region that holds both, or nothing where they lie apart by a symbol.
std::optional<Region> hull(const Region& a, const Region& b) {
    Region out = a;
    out.symbolic_extent.clear();  // the greatest extents hold the others
    out.clipped.clear();
    out.further.clear();
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
                    if (is_written && a.buffer == b.buffer && problem.buffer(a).space == Space::global)
                        out.push_back({i, j, first, second});
                }
    return out;
}

bool is_disjoint(const CopyReport& report) {
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [](const Finding& f) { return f.obligation == "disjoint" && f.verdict == Verdict::proved; });
}

/// The elements of this region are other ones in each team.
bool are_apart(const Problem& problem, const Buffer& buffer, const Region& region, const Compared& all,
               const IsNonnegative& is_nonnegative) {
    if (all.teams.count() == 1) return true;
    const auto touched = footprint(buffer.layout, region);
    const auto digits = touched ? digits_of(problem, *touched, all) : std::nullopt;
    return digits && teams_differ(*digits, problem.symbols, is_nonnegative);
}

/// Two teams that differ, one of which has an element in `a` that the other has in `b`.
std::optional<Counterexample> clash_between(const Problem& problem, const Operand& a, const Operand& b, const Compared& of_a,
                                            const Compared& of_b, const Values& values) {
    struct Touch {
        std::int64_t offset;
        Team team;
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
    const auto touch = [&](const Operand& operand, const Compared& all, bool is_b) {
        for (const Team& team : telling_teams(all.teams, std::max<std::int64_t>(2, most_enumerated / elements))) {
            const auto offsets = offsets_of_team(problem, operand, in_team(problem.symbols, values, team));
            if (!offsets) continue;
            for (const std::int64_t offset : *offsets) touches.push_back({offset, team, is_b});
        }
    };
    touch(a, of_a, false);
    if (!is_one) touch(b, of_b, true);
    std::sort(touches.begin(), touches.end(),
              [](const Touch& x, const Touch& y) { return std::tie(x.offset, x.of_b, x.team) < std::tie(y.offset, y.of_b, y.team); });
    for (std::size_t i = 0; i < touches.size();) {
        std::size_t end = i;
        while (end < touches.size() && touches[end].offset == touches[i].offset) ++end;
        const std::size_t looked_at = std::min(end, i + 64);  // of a broadcast there may be many
        for (std::size_t k = i; k < looked_at; ++k)
            for (std::size_t j = k + 1; j < looked_at; ++j)
                if (of_a.differ(touches[j].team, touches[k].team) && (is_one || touches[j].of_b != touches[k].of_b))
                    return clash(problem, a, touches[k].offset, of_a.teams, touches[k].team, touches[j].team, values);
        i = end;
    }
    return std::nullopt;
}

}  // namespace

bool has_teams(const Problem& problem, const Copy& copy) { return writers(problem, copy).teams.count() > 1; }

bool teams_are_apart(const Problem& problem, const Copy& copy, const IsNonnegative& is_nonnegative) {
    return are_apart(problem, problem.buffer(copy.dst), copy.dst.region, writers(problem, copy), is_nonnegative);
}

std::optional<Counterexample> same_in_all_teams(const Problem& problem, const Copy& copy) {
    const Compared all = writers(problem, copy);
    for (std::size_t dim = 0; dim < all.teams.extent.size(); ++dim) {
        if (all.teams.extent[dim] == 1 || depends_on(problem, copy.dst, dim)) continue;
        Team other{};
        other[dim] = 1;
        Counterexample out;
        for (const Values& values : sample_values(problem, most_samples)) {
            const auto offsets = offsets_of_team(problem, copy.dst, in_team(problem.symbols, values, {}));
            if (!offsets || offsets->empty()) continue;
            out = clash(problem, copy.dst, offsets->front(), all.teams, {}, other, values);
            break;
        }
        if (out.text.empty() && !copy.dst.region.symbolic_extent.empty()) continue;  // perhaps it is always empty
        const std::string whose = fmt::format("{} and {} both write", to_string(Team{}, all.teams), to_string(other, all.teams));
        if (out.text.empty()) out.text = fmt::format("{} the same bytes of {}", whose, problem.buffer(copy.dst).name);
        const std::string index = dim == group_dim ? std::string(group_name) : std::string("ctaid.") + "xyz"[dim];
        out.text += fmt::format(": where '{}' writes does not depend on {}", copy.name, index);
        out.teams = {Team{}, other};
        return out;
    }
    return std::nullopt;
}

std::optional<Counterexample> clash_of_teams(const Problem& problem, const Copy& copy, const Values& values) {
    return clash_between(problem, copy.dst, copy.dst, writers(problem, copy), writers(problem, copy), values);
}

Finding synchronised_over_blocks(const Problem& problem, Finding found, const std::vector<CopyReport>& copies,
                                 const IsNonnegative& is_nonnegative) {
    if (block_count(problem.launch) == 1 || found.verdict != Verdict::proved) return found;
    for (const Pair& pair : dependent_pairs(problem)) {
        const Copy &first = problem.copies[pair.first], &second = problem.copies[pair.second];
        const Operand &a = operand(first, pair.first_side), &b = operand(second, pair.second_side);
        const bool is_known = a.region == b.region && ((pair.first_side == Side::dst && is_disjoint(copies[pair.first])) ||
                                                       (pair.second_side == Side::dst && is_disjoint(copies[pair.second])));
        if (is_known) continue;  // blocks write what they have alone
        const std::optional<Region> both = hull(a.region, b.region);
        const Compared of_a = blocks(problem, first), of_b = blocks(problem, second);
        const Compared& all = first.each ? of_a : of_b;
        if (is_nonnegative && both && are_apart(problem, problem.buffer(a), *both, all, is_nonnegative)) {
            if (found.by.size() == 1) found.by.push_back("smt");
            continue;
        }
        const std::string name = problem.buffer(a).name;
        for (const Values& values : sample_values(problem, most_samples)) {
            auto refuted = clash_between(problem, a, b, of_a, of_b, values);
            if (!refuted) continue;
            const std::string with = passed_text(refuted->symbols, problem.symbols);
            refuted->text =
                fmt::format("{}{} touches {} in '{}' and {} in '{}', one of them writes it, and no barrier lies between blocks",
                            with.empty() ? "" : "with " + with + ": ", to_string(refuted->teams[0], of_a.teams),
                            touched_text(problem, a, *refuted->address), first.name, to_string(refuted->teams[1], of_b.teams), second.name);
            return {"synchronised", Verdict::refuted, {"exhaustive"}, std::move(refuted)};
        }
        return {
            "synchronised",
            Verdict::unknown,
            {},
            {},
            fmt::format("no proof that '{}' and '{}' touch different bytes of {} in different blocks, between which there is no barrier",
                        first.name, second.name, name)};
    }
    return found;
}

}  // namespace tileproof
