#include <algorithm>

#include <fmt/format.h>

#include "emit/explain_refusal_internal.hpp"
#include "emit/picture_internal.hpp"
#include "emit/prose_internal.hpp"
#include "layouts/filling.hpp"
#include "layouts/address.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

/// An element of the region: its row-major number and its offsets with the swizzles left out.
struct Picked {
    std::int64_t number = 0;
    std::int64_t src = 0;
    std::int64_t dst = 0;
    std::int64_t side(Side s) const { return s == Side::src ? src : dst; }
};

std::int64_t number_of(const Region& region, const std::vector<std::int64_t>& relative) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < relative.size(); ++i) number = number * region.extent[i] + relative[i];
    return number;
}

/// Absolute coordinate of the element with this number.
std::vector<std::int64_t> coordinate_of(const Region& region, std::int64_t number) {
    std::vector<std::int64_t> out(region.extent.size());
    for (std::size_t i = out.size(); i-- > 0;) {
        out[i] = region.start[i] + number % region.extent[i];
        number /= region.extent[i];
    }
    return out;
}

bool step(std::vector<std::int64_t>& at, const Region& region) {
    for (std::size_t i = at.size(); i-- > 0;) {
        if (++at[i] < region.start[i] + region.extent[i]) return true;
        at[i] = region.start[i];
    }
    return false;
}

/// One refusal with everything that its detail is made of.
struct Case {
    const Problem& problem;
    const Copy& copy;
    const Refusal& refusal;
    std::vector<Picked> run{};  // the refused run, by rising destination offset

    const Buffer& buffer(Side side) const { return problem.buffer(operand(copy, side)); }
    // Addresses and sizes are counted in this unit.
    AddressUnit unit() const { return AddressUnit(buffer(Side::src).dtype.size); }
    std::int64_t element() const { return unit().of(buffer(Side::src).dtype.size); }
    std::int64_t width() const { return unit().of(refusal.width); }
    std::int64_t n() const { return width() / element(); }
    std::int64_t base(Side side) const { return unit().of(to_bits(buffer(side).base.value_or(Bytes{0}))); }
    std::int64_t address(Side side, std::int64_t offset) const { return base(side) + offset * element(); }
    std::int64_t residue(std::int64_t address) const { return ((address % width()) + width()) % width(); }
    std::string elements(std::int64_t count) const { return counted(count, "element"); }
    std::int64_t head() const { return number_of(copy.src.region, refusal.witness->coordinate); }

    /// Offsets of the block of destination addresses that the refused run belongs to.
    std::int64_t block() const {
        const std::int64_t shift = base(Side::dst) / element();
        const std::int64_t at = linear_offset(buffer(Side::dst).layout, coordinate_of(copy.dst.region, head())) + shift;
        return at - at % n() - shift;
    }
    Picked lane(std::int64_t number, std::int64_t dst) const {
        return {number, linear_offset(buffer(Side::src).layout, coordinate_of(copy.src.region, number)), dst};
    }
};

/// Which refusals name one run. The others are about the target, the count or the base.
bool has_run(const Refusal& refusal) { return refusal.witness && !refusal.witness->coordinate.empty(); }

/// Fills in the runs of all cases in one walk over the destination region.
void find_runs(std::vector<Case>& cases) {
    std::vector<std::pair<Case*, std::int64_t>> wanted;
    for (Case& one : cases)
        if (has_run(one.refusal)) wanted.emplace_back(&one, one.block());
    if (wanted.empty()) return;
    const Case& any = *wanted.front().first;
    const Layout& layout = any.buffer(Side::dst).layout;
    const Region& region = any.copy.dst.region;
    std::vector<std::int64_t> at = constants(region.start);
    std::int64_t number = 0;
    do {
        const std::int64_t offset = linear_offset(layout, at);
        for (const auto& [one, block] : wanted)
            if (offset >= block && offset < block + one->n()) one->run.push_back(one->lane(number, offset));
        ++number;
    } while (step(at, region));
    for (const auto& [one, block] : wanted)
        std::sort(one->run.begin(), one->run.end(), [](const Picked& a, const Picked& b) { return a.dst < b.dst; });
}

/// "dimension 1 of A", with the steps from the region's start that put the head off its alignment; empty where no one dimension does.
std::string culprit(const Case& c, Side side) {
    const Layout& layout = c.buffer(side).layout;
    const Region& region = operand(c.copy, side).region;
    const std::vector<std::int64_t> at = coordinate_of(region, c.head());
    const std::int64_t origin = linear_offset(layout, constants(region.start));
    const auto moved_by = [&](std::size_t dim, std::int64_t steps) {
        std::vector<std::int64_t> there = constants(region.start);
        there[dim] += steps;
        return (linear_offset(layout, there) - origin) * c.element();
    };
    for (std::size_t dim = at.size(); dim-- > 0;) {
        const std::int64_t steps = at[dim] - region.start[dim];
        if (steps == 0 || c.residue(moved_by(dim, steps)) == 0) continue;
        const std::int64_t one = moved_by(dim, 1), all = moved_by(dim, steps);
        const std::string where = fmt::format("dimension {} of {}", dim, c.buffer(side).name);
        const std::string sum = fmt::format("{}s = {} mod {}", std::to_string(all) + " " + c.unit().name(), c.residue(all), c.width());
        if (steps == 1) return fmt::format("A step along {} is {}.", where, sum);
        if (one * steps == all) return fmt::format("A step along {} is {}; {} of them are {}.", where, c.unit().counted(one), steps, sum);
        return fmt::format("{} steps along {} are {}.", steps, where, sum);
    }
    return {};
}

constexpr std::int64_t widest_picture = 84;  // units in the two blocks of a picture

std::string caption(const Case& c, Side side) {
    const Buffer& buffer = c.buffer(side);
    return fmt::format("{} in blocks of {}{}", buffer.name, c.unit().counted(c.width()),
                       buffer.layout.swizzle.is_identity() ? "" : ", its swizzle left out");
}

void add_access(RefusalDetail& out, const Case& c, Side side, std::int64_t head, std::int64_t present) {
    // Elements of less than a byte are drawn as they are, and labelled in bits.
    const std::int64_t scale = c.unit().bits == 1 ? c.element() : 1;
    AccessPicture picture{head / scale, c.width() / scale, c.element() / scale, present};
    if (2 * picture.width > widest_picture) return;
    picture.label = [scale](std::int64_t address) { return std::to_string(address * scale); };
    picture.at_head = fmt::format("{} {}", c.unit().name(), head);
    picture.at_break =
        present < c.n() ? "from here on nothing of the region" : fmt::format("{} {}", c.unit().name(), head - c.residue(head) + c.width());
    if (!out.picture.empty()) out.picture.emplace_back();
    out.picture.push_back(caption(c, side));
    const std::vector<std::string> lines = access_picture(picture);
    out.picture.insert(out.picture.end(), lines.begin(), lines.end());
}

std::string must_be_aligned(const Case& c) {
    return fmt::format("An access of {} needs an address that is a multiple of {}.", c.unit().counted(c.width()), c.width());
}

RefusalDetail target(const Case& c) {
    std::vector<std::string> lacks;
    for (const Side side : both_sides) {
        const Space space = c.buffer(side).space;
        if (space == Space::registers) continue;
        const AccessForm* form = access_form(side == Side::src ? Direction::load : Direction::store, space, c.refusal.width);
        if (form == nullptr)
            lacks.push_back(fmt::format("For {}: no architecture accesses {} bits of {} memory at once.", c.buffer(side).name,
                                        c.refusal.width.count, to_string(space)));
        else if (form->least_arch > c.problem.target.number)
            lacks.push_back(fmt::format("For {}: {} needs sm_{} or later.", c.buffer(side).name, form->mnemonic, form->least_arch));
    }
    RefusalDetail out;
    for (const std::string& lack : lacks) out.more += (out.more.empty() ? "" : " ") + lack;
    return out;
}

RefusalDetail count(const Case& c) {
    return {fmt::format("An access of {} bits holds {} of {}; the region has {}.", c.refusal.width.count, c.elements(c.n()),
                        c.buffer(Side::src).dtype.name, moved(c.copy).count),
            {}};
}

RefusalDetail base_alignment(const Case& c) {
    const Side side = c.refusal.witness->side.value_or(Side::src);
    const Buffer& buffer = c.buffer(side);
    RefusalDetail out{fmt::format("{} The base may be at such a multiple or {} past one, and no offset suits both.", must_be_aligned(c),
                                  counted(buffer.align.count, "byte")),
                      {}};
    const std::int64_t width = to_bytes(c.refusal.width).count;
    const Bits scale{std::min<std::int64_t>(8, buffer.dtype.size.count)};  // a column is a byte, or an element
    AccessPicture picture{to_bits(buffer.align) / scale, c.refusal.width / scale, buffer.dtype.size / scale, c.n()};
    if (2 * picture.width > widest_picture) return out;
    picture.label = [scale](std::int64_t address) {
        return address == 0 ? std::string("x") : "x + " + std::to_string(address * scale.count / 8);
    };
    picture.at_head = fmt::format("x + {}: a base of {}", buffer.align.count, buffer.name);
    picture.at_break = fmt::format("x + {}", width);
    out.picture = {fmt::format("the access at offset 0 of {}; x is a multiple of {}", buffer.name, width)};
    const std::vector<std::string> lines = access_picture(picture);
    out.picture.insert(out.picture.end(), lines.begin(), lines.end());
    return out;
}

/// region-offset, phase, stride
RefusalDetail misaligned(const Case& c) {
    const Side side = c.refusal.witness->side.value_or(Side::src);
    const std::int64_t address = c.unit().of(*c.refusal.witness->address), offset = (address - c.base(side)) / c.element();
    RefusalDetail out{must_be_aligned(c), {}};
    if (c.refusal.rule == "stride") {
        const std::string cause = culprit(c, side);
        if (!cause.empty()) out.more += " " + cause;
    } else {
        const std::string base = c.base(side) == 0 ? "" : fmt::format("base {} + ", c.base(side));
        out.more += fmt::format(" This is element offset {} of {}: {}{} x {} = {} {}.", offset, c.buffer(side).name, base, offset,
                                c.unit().counted(c.element()), c.unit().name(), address);
    }
    add_access(out, c, side, address, c.n());
    if (c.refusal.rule == "phase") {
        const auto head = std::find_if(c.run.begin(), c.run.end(), [&](const Picked& lane) { return lane.number == c.head(); });
        const Side other = opposite(side);
        if (head != c.run.end()) add_access(out, c, other, c.address(other, head->side(other)), c.n());
    }
    return out;
}

LaneTable::Row offsets(const Case& c, Side side, bool with_swizzle) {
    const Buffer& buffer = c.buffer(side);
    const bool swizzle = with_swizzle && !buffer.layout.swizzle.is_identity();
    LaneTable::Row out{buffer.name + (swizzle ? " after " + to_string(buffer.layout.swizzle) : ""), {}};
    for (const Picked& lane : c.run)
        out.values.push_back(swizzle ? swizzled(Integers{}, buffer.layout.swizzle, lane.side(side)) : lane.side(side));
    return out;
}

constexpr std::size_t table_columns = page_columns - text_column - 2;

RefusalDetail not_contiguous(const Case& c) {
    const Side side = c.refusal.witness->side.value_or(Side::src);
    const std::string& name = c.buffer(side).name;
    RefusalDetail out{fmt::format("The {} of an access must be neighbours on both sides, swizzles left out. In {} they are not:",
                                  c.elements(c.n()), name),
                      {}};
    LaneTable table{{offsets(c, Side::src, false), offsets(c, Side::dst, false)}};
    const std::vector<std::int64_t>& values = table.rows[side == Side::src ? 0 : 1].values;
    for (std::size_t lane = 1; lane < values.size() && table.marked == 0; ++lane)
        if (values[lane] != values[0] + static_cast<std::int64_t>(lane)) table.marked = lane;
    if (table.marked > 0)
        table.mark =
            fmt::format("{} of {}, where {} is needed", values[table.marked], name, values[0] + static_cast<std::int64_t>(table.marked));
    out.picture = lane_table(table, table_columns);
    return out;
}

RefusalDetail no_partner(const Case& c) {
    const auto present = static_cast<std::int64_t>(c.run.size());
    const std::int64_t missing = c.n() - present;
    RefusalDetail out{fmt::format("The other {} of this block of {} {} not in the region, and an access would overwrite {}.",
                                  c.elements(missing), c.buffer(Side::dst).name, missing == 1 ? "is" : "are", missing == 1 ? "it" : "them"),
                      {}};
    if (c.run.empty()) return out;
    add_access(out, c, Side::dst, c.address(Side::dst, c.run.front().dst), present);
    return out;
}

RefusalDetail swizzle_chunk(const Case& c) {
    const Side side = c.refusal.witness->side.value_or(Side::dst);
    const LaneTable table{{offsets(c, Side::src, true), offsets(c, Side::dst, true)}};
    std::vector<std::int64_t> blocks;
    for (const std::int64_t offset : table.rows[side == Side::src ? 0 : 1].values) blocks.push_back(c.address(side, offset) / c.width());
    const bool torn = std::any_of(blocks.begin(), blocks.end(), [&](std::int64_t b) { return b != blocks.front(); });
    const std::int64_t chunk = std::int64_t{1} << c.buffer(side).layout.swizzle.base_log2;
    RefusalDetail out;
    if (torn)
        out.more = fmt::format("An access needs all its lanes in one block of {}. In {} they land in several:", c.unit().counted(c.width()),
                               c.buffer(side).name);
    else
        out.more = fmt::format(
            "They stay in one block of {}, but a lane must have the same place in it on both sides. "
            "Without the swizzles it has:",
            c.unit().counted(c.width()));
    if (!c.buffer(side).layout.swizzle.is_identity() && chunk < c.n())
        out.more = fmt::format("{} keeps only {} together. {}", to_string(c.buffer(side).layout.swizzle), c.elements(chunk), out.more);
    out.picture = lane_table(table, table_columns);
    return out;
}

/// Whether a picture of the wider one shows the narrower one too.
bool same_lanes(const Refusal& wider, const Refusal& narrower) {
    return wider.rule == "not-contiguous" && narrower.rule == wider.rule && has_run(wider) && has_run(narrower) &&
           wider.witness->side == narrower.witness->side && wider.witness->coordinate == narrower.witness->coordinate;
}

RefusalDetail detail(const Case& c) {
    const std::string& rule = c.refusal.rule;
    if (rule == "target") return target(c);
    if (rule == "count") return count(c);
    if (rule == "base-alignment" && c.refusal.witness) return base_alignment(c);
    if (!has_run(c.refusal)) return {};
    const bool has_address = c.refusal.witness->address.has_value();
    if (has_address && (rule == "region-offset" || rule == "phase" || rule == "stride")) return misaligned(c);
    if (register_side(c.problem, c.copy)) return {};  // the sentence names the registers; their lanes are in no order to be drawn
    if (rule == "not-contiguous") return not_contiguous(c);
    if (rule == "no-partner") return no_partner(c);
    if (rule == "swizzle-chunk") return swizzle_chunk(c);
    return {};
}

/// Of a copy that fills with zeros, the part that the width is refused for.
RefusalDetail part_detail(const Problem& problem, const Copy& copy, const Refusal& refusal) {
    const Problem one = refusal.rule == "no-partner" ? moved_part(problem, copy) : whole_part(problem, copy);
    return refusal_details(one, one.copies[0], {refusal}).front();
}

/// Each at the values of the symbols that its witness has.
std::vector<RefusalDetail> symbolic_details(const Problem& problem, const Copy& copy, const std::vector<Refusal>& refused) {
    std::vector<RefusalDetail> out;
    for (const Refusal& refusal : refused) {
        const bool has_values = refusal.witness && !refusal.witness->symbols.empty();
        if (!has_values) {
            out.push_back(detail({problem, copy, refusal}));
            continue;
        }
        const Problem one = at(problem, refusal.witness->symbols);
        const auto same = std::find_if(one.copies.begin(), one.copies.end(), [&](const Copy& c) { return c.name == copy.name; });
        out.push_back(refusal_details(one, *same, {refusal}).front());
    }
    return out;
}

}  // namespace

std::vector<RefusalDetail> refusal_details(const Problem& problem, const Copy& copy, const std::vector<Refusal>& refused) {
    if (is_symbolic(problem, copy)) return symbolic_details(problem, copy, refused);
    if (copy.zero_fill) {
        std::vector<RefusalDetail> parts;
        for (const Refusal& refusal : refused) parts.push_back(part_detail(problem, copy, refusal));
        return parts;
    }
    std::vector<Case> cases;
    for (const Refusal& refusal : refused) cases.push_back({problem, copy, refusal});
    if (!register_side(problem, copy)) find_runs(cases);
    std::vector<RefusalDetail> out;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (i > 0 && same_lanes(refused[i - 1], refused[i])) {
            out.push_back({fmt::format("These are the first of the lanes of {} bits above.", refused[i - 1].width.count), {}});
            continue;
        }
        out.push_back(detail(cases[i]));
    }
    return out;
}

}  // namespace tileproof
