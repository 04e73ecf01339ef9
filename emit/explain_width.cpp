#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "emit/explain_width_internal.hpp"
#include "emit/prose_internal.hpp"
#include "emit/ptx_matrix_internal.hpp"
#include "emit/view.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/filling.hpp"
#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

struct Context {
    const Problem& problem;
    const Copy& copy;
    const CopySolution& solution;
    std::optional<CanonicalBox> box = canonical_box(problem, copy);

    const Buffer& buffer(Side side) const { return problem.buffer(operand(copy, side)); }
    // Addresses and sizes are counted in this unit.
    AddressUnit unit() const { return AddressUnit(buffer(Side::src).dtype.size); }
    std::int64_t element() const { return unit().of(buffer(Side::src).dtype.size); }
    std::int64_t width() const { return unit().of(solution.width); }
    std::int64_t n() const { return width() / element(); }
    std::int64_t runs() const { return moved(copy).count / n(); }
    std::int64_t residue(Side side) const { return unit().of(to_bits(buffer(side).base.value_or(Bytes{0}))); }
    std::optional<Side> held() const { return register_side(problem, copy); }
    Side stored() const { return opposite(*held()); }
    /// The box dimension along which runs lie; nothing for single elements.
    std::optional<std::size_t> run_dim() const {
        const std::vector<std::int64_t> shape = box->box.shape();
        for (std::size_t i = 0; n() > 1 && i < shape.size(); ++i)
            if (box->src.strides[i] == Expression(1) && box->dst.strides[i] == Expression(1) && shape[i] % n() == 0) return i;
        return std::nullopt;
    }
};

/// One factor of a box dimension, as a part of a dimension of the buffer on one side.
std::string part_of(const Context& c, Side side, const BoxFactor& factor) {
    const DenseRegion region = dense(operand(c.copy, side).region);
    const auto dim = static_cast<std::size_t>(factor.dim);
    const std::int64_t weight = std::abs(factor.weight);
    std::string name = fmt::format("dimension {}", region.dims[dim]);
    if (weight > 1) name += fmt::format(" in steps of {}", weight);
    else if (factor.extent < region.extents[dim]) name = fmt::format("groups of {} in {}", factor.extent, name);
    return name;
}

/// "along dimension 1", "along dimensions 0 and 1 as one", "within groups of 8 in dimension 1". Numbered as in the buffer of that side.
std::string along(const Context& c, Side side, std::size_t box_dim) {
    const std::vector<BoxFactor>& factors = c.box->box.dims[box_dim];
    const DenseRegion region = dense(operand(c.copy, side).region);
    const bool whole = std::all_of(factors.begin(), factors.end(), [&](const BoxFactor& f) {
        return std::abs(f.weight) == 1 && f.extent == region.extents[static_cast<std::size_t>(f.dim)];
    });
    std::vector<std::string> parts;
    for (const BoxFactor& factor : factors)
        parts.push_back(whole && factors.size() > 1 ? std::to_string(region.dims[static_cast<std::size_t>(factor.dim)])
                                                    : part_of(c, side, factor));
    if (factors.size() == 1) return (parts[0].rfind("groups", 0) == 0 ? "within " : "along ") + parts[0];
    return whole ? fmt::format("along dimensions {} as one", listed(parts)) : fmt::format("along {}, as one", listed(parts));
}

/// Why no access goes across the end of a region that symbols or a predicate bound.
std::string end_text(const Context& c, const std::vector<BoxBound>& bounds) {
    if (bounds.size() > 1) {
        std::vector<std::string> ends;
        for (const BoxBound& one : bounds) ends.push_back(to_string(one.below, c.problem.symbols));
        if (splits_lanes(*c.solution.plan))
            return fmt::format(
                "An access that goes across the end, after the least of {} of them, reads what is before it and fills up with zeros.",
                listed(ends));
        return fmt::format(
            "They end after the least of {}; where that is within the region it is a multiple of {}, so no access goes across it.",
            listed(ends), c.n());
    }
    const BoxBound& bound = bounds.front();
    const std::string end = to_string(bound.below, c.problem.symbols);
    if (splits_lanes(*c.solution.plan))
        return fmt::format("An access that goes across the bound, after {} of them, reads what is before it and fills up with zeros.", end);
    if (!bound.clips)
        return fmt::format("The region ends after {} of them, always a multiple of {}, so no access reaches past its end.", end, c.n());
    return fmt::format(
        "The predicate ends after {} of them; where that is within the region it is a multiple of {}, so no access goes across it.", end,
        c.n());
}

/// The same of what a thread holds. An access that does not run leaves its registers, or the memory, as they are.
std::string held_end_text(const Context& c) {
    std::string out;
    const Segment& segment = c.solution.plan->segments.front();
    for (const Bound& bound : segment.predicate) {
        if (bound.below.is_constant() && bound.beyond == Beyond::nothing) continue;
        std::int64_t lanes = 1;
        for (const Digit& digit : segment.digits) lanes *= digit.role == Role::vec && digit.dim == bound.dim ? digit.extent : 1;
        const std::string end = to_string(bound.below, c.problem.symbols);
        const char* const whole =
            bound.beyond == Beyond::nothing ? "it runs as a whole or not at all" : "it reads as a whole, or sets its registers to 0";
        out +=
            lanes == 1
                ? fmt::format(" The predicate ends after {}; along that dimension an access is in one place, so {}.", end, whole)
                : fmt::format(
                      " The predicate ends after {}; where that is within the region it is a multiple of {}, so no access goes across it.",
                      end, lanes);
    }
    return out;
}

std::string runs_text(const Context& c) {
    const std::string& a = c.buffer(Side::src).name;
    const std::string& b = c.buffer(Side::dst).name;
    if (c.n() == 1) return "An access moves one element, so nothing has to be contiguous.";
    if (c.held())
        return fmt::format(
            "The region falls into {} of {}. Each is contiguous in {} and lies in registers of one thread, and none leaves the region. An "
            "access names the same registers in every thread.{}",
            counted(c.runs(), "run"), counted(c.n(), "element"), c.buffer(c.stored()).name, held_end_text(c));
    if (!c.box || !c.run_dim())
        return fmt::format("The region falls into {} of {}. Each is contiguous in {} and in {}, and none leaves the region.",
                           counted(c.runs(), "run"), counted(c.n(), "element"), a, b);
    const std::size_t dim = *c.run_dim();
    const std::int64_t extent = c.box->box.shape()[dim];
    const auto bound = c.box->bounds.find(dim);
    const std::string fits =
        bound != c.box->bounds.end() ? end_text(c, bound->second)
        : extent == c.n()
            ? fmt::format("These {} are one access, so none leaves the region.", counted(extent, "element"))
            : fmt::format("These {} are {} runs of {}, so no access leaves the region.", counted(extent, "element"), extent / c.n(), c.n());
    if (c.box->box.shape().size() == 1)
        return fmt::format(
            "The region is one straight line of {}{} in {} and in {}: a neighbour on one side is a neighbour "
            "on the other. {}",
            bound == c.box->bounds.end() ? "" : "at most ", counted(extent, "element"), a, b, fits);
    return fmt::format("In {} the stride {} is 1, and in {} too: a neighbour on one side is a neighbour on the other. {}", a,
                       along(c, Side::src, dim), b, fits);
}

/// What each access of this side adds to the base, and why all of it is a multiple of the width. `lanes`: the elements of an access along
/// each box dimension; `from`: from what to what a step along such a dimension is. Requires: c.box.
std::string aligned_text(const Context& c, Side side, const std::vector<std::int64_t>& lanes, const std::string& from) {
    const Buffer& buffer = c.buffer(side);
    std::string out = buffer.name + ": ";
    const std::int64_t modulus = c.unit().of(to_bits(Bytes{256}));
    const std::string base = buffer.base ? fmt::format("the base is {} mod {}", c.residue(side), modulus)
                                         : fmt::format("the base is a multiple of {}", counted(buffer.align.count, "byte"));
    const BoxSide& strides = c.box->side(side);
    const auto bytes = [&](const Expression& elements) { return to_string(elements.times(c.element()), c.problem.symbols); };
    out += base;
    if (buffer.base)
        out += fmt::format(" and the first {} {} further, at {}", from.substr(from.rfind(' ') + 1),
                           bytes(strides.offset) + " " + c.unit().name() + "s", bytes(strides.offset.plus(c.residue(side) / c.element())));
    else out += fmt::format(", the first {} is at {} {}", from.substr(from.rfind(' ') + 1), c.unit().name(), bytes(strides.offset));
    const std::vector<std::int64_t> shape = c.box->box.shape();
    std::vector<std::string> steps;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
        const bool is_run = lanes[dim] > 1;
        const std::string step = bytes(strides.strides[dim].times(lanes[dim]));
        if (shape[dim] == lanes[dim]) continue;
        const std::string unit = steps.empty() ? " " + c.unit().name() + (step == "1" ? "" : "s") : "";
        steps.push_back(fmt::format("{}{} {}", step, unit, is_run ? from : along(c, side, dim)));
    }
    if (steps.empty()) return out;
    out += steps.size() == 1 ? ", and a step is " : ", and the steps are ";
    for (std::size_t i = 0; i < steps.size(); ++i) out += (i == 0 ? "" : "; ") + steps[i];
    return out;
}

/// The matrix instruction of the copy, or null.
const MatrixForm* matrices(const Context& c) {
    return c.solution.plan ? matrix_form(c.solution.plan->segments.front().side(c.stored()).instruction) : nullptr;
}

std::string matrix_rows_text(const Context& c, const MatrixForm& form) {
    const bool loads = form.direction == Direction::load;
    return fmt::format(
        "The region falls into {} of {}, each in one piece in {}. {} {} each {} {}: just where {} has it. The address of a row comes from "
        "one lane of the warp.",
        counted(c.runs(), "row"), counted(c.n(), "element"), c.buffer(c.stored()).name, loads ? "ldmatrix" : "stmatrix",
        loads ? "deals" : "gathers", loads ? "out to" : "from",
        !form.transposed             ? "four threads, a register of each"
        : form.unit == half_register ? "eight threads, half a register of each"
                                     : "eight threads, two bytes of each",
        c.buffer(*c.held()).name);
}

/// So many elements, of which symbols may say how many, in bytes or bits. Of a step backwards, its length.
std::string size_text(const Context& c, const Expression& elements) {
    if (elements.is_constant()) return c.unit().counted(std::abs(std::int64_t{elements}) * c.element());
    return fmt::format("{} {}s", to_string(elements.times(c.element()), c.problem.symbols), c.unit().name());
}

/// Where the first row begins, and the steps to the others: of those that double the one before, the first.
std::string steps_to_rows(const Context& c, const MatrixForm& form) {
    const Segment rows = supplied_rows(c.solution.plan->segments.front(), c.stored(), form, c.buffer(Side::src).dtype.size);
    const AddressPlan& address = rows.side(c.stored()).address;
    std::vector<std::string> steps;
    for (const auto& [role, name] : {std::pair{Role::thread, "from row to row"}, std::pair{Role::outer, "from round to round"}}) {
        std::vector<std::string> sizes;
        Expression last = 0;
        for (std::size_t i = 0; i < address.strides.size(); ++i) {
            if (rows.digits[i].role != role || address.strides[i] == Expression(0)) continue;
            if (!(address.strides[i] == last.times(2))) sizes.push_back(size_text(c, address.strides[i]));
            last = address.strides[i];
        }
        if (!sizes.empty()) steps.push_back(fmt::format("{} {}", listed(sizes), name));
    }
    return fmt::format("the first row is {} further{}", size_text(c, address.offset),
                       steps.empty() ? "" : ", and the steps are " + listed(steps));
}

std::string matrix_alignment_text(const Context& c, const MatrixForm& form) {
    const Buffer& buffer = c.buffer(c.stored());
    const std::string base = buffer.base ? fmt::format("the base is {} mod {}", c.residue(c.stored()), c.unit().of(to_bits(Bytes{256})))
                                         : fmt::format("the base is a multiple of {}", counted(buffer.align.count, "byte"));
    if (is_symbolic(c.solution.plan->segments.front().side(c.stored()).address))
        return fmt::format("Every row starts at a multiple of {} in {}, because all of these are: {}, {}. Registers need no alignment.",
                           c.unit().counted(c.width()), buffer.name, base, steps_to_rows(c, form));
    return fmt::format("Every row starts at a multiple of {} in {}, where {}: each of the {} was looked at. Registers need no alignment.",
                       c.unit().counted(c.width()), buffer.name, base, c.runs());
}

std::string matrix_threads_text(const Context& c, const MatrixForm& form) {
    const Segment& segment = c.solution.plan->segments.front();
    const std::int64_t rows = form.rows * form.matrices, instructions = c.runs() / rows;
    std::string out = fmt::format("{} over {}: {}, {} of {} at once for a warp in each.", counted(instructions, "instruction"),
                                  counted(segment.threads / warp_threads, "warp"), counted(segment.outer, "round"),
                                  form.matrices == 1 ? "one matrix" : fmt::format("{} matrices", form.matrices), counted(form.rows, "row"));
    if (const std::int64_t turns = segment.outer * (segment.threads / warp_threads); turns > instructions)
        out += fmt::format(" In {} other turns the warp does nothing.", turns - instructions);
    return out;
}

/// What threads and rounds add to the base.
std::string register_alignment_text(const Context& c) {
    const Buffer& buffer = c.buffer(c.stored());
    const Segment& segment = c.solution.plan->segments.front();
    const std::vector<Expression>& strides = segment.side(c.stored()).address.strides;
    std::vector<std::string> steps;
    for (const auto& [role, name] : {std::pair{Role::thread, "along the threads"}, std::pair{Role::outer, "from round to round"}})
        for (std::size_t i = 0; i < strides.size(); ++i)
            if (segment.digits[i].role == role && !(strides[i] == Expression(0)))
                steps.push_back(fmt::format("{} {}", size_text(c, strides[i]), name));
    const std::string base = buffer.base ? fmt::format("the base is {} mod {}", c.residue(c.stored()), c.unit().of(to_bits(Bytes{256})))
                                         : fmt::format("the base is a multiple of {}", counted(buffer.align.count, "byte"));
    const std::string first = size_text(c, c.box ? c.box->side(c.stored()).offset : segment.side(c.stored()).address.offset);
    return fmt::format(
        "Every run starts at a multiple of {} in {}, in every thread, because all of these are: {}, the first run is {} further{}. "
        "Registers need no alignment.",
        c.unit().counted(c.width()), buffer.name, base, first,
        steps.empty() ? "" : (steps.size() == 1 ? ", and a step is " : ", and the steps are ") + listed(steps));
}

std::string alignment_text(const Context& c) {
    if (c.held() && c.n() > 1) return register_alignment_text(c);
    if (c.solution.width == Bits{8} && c.n() == 1) return "A single byte may lie anywhere.";
    if (c.n() == 1)
        return fmt::format("Elements of {} lie at multiples of {} from their base, and each base is a multiple of that too.",
                           c.unit().counted(c.width()), c.width());
    if (!c.box)
        return fmt::format(
            "The regions cut across the layouts, so that no step is the same everywhere. Each of the {} was "
            "looked at: on both sides it starts at a multiple of {}.",
            counted(c.runs(), "run"), c.unit().counted(c.width()));
    std::vector<std::int64_t> lanes(c.box->box.dims.size(), 1);
    if (const auto dim = c.run_dim()) lanes[*dim] = c.n();
    return fmt::format("Every run starts at a multiple of {} on both sides, because all of these are:\n{}.\n{}.",
                       c.unit().counted(c.width()), aligned_text(c, Side::src, lanes, "from run to run"),
                       aligned_text(c, Side::dst, lanes, "from run to run"));
}

std::string swizzle_text(const Context& c) {
    std::string out;
    std::vector<std::string> finer;  // with chunks smaller than a run
    for (const Side side : both_sides) {
        const Swizzle& swizzle = c.buffer(side).layout.swizzle;
        if (swizzle.is_identity() || c.n() == 1) continue;
        const std::int64_t chunk = std::int64_t{1} << swizzle.base_log2;
        const std::string name = fmt::format("{} of {}", to_string(swizzle), c.buffer(side).name);
        if (chunk % c.n() == 0 && c.residue(side) % c.width() == 0)
            out += fmt::format("{}{} moves chunks of {} as a whole, and a run of {} lies inside one.", out.empty() ? "" : " ", name,
                               counted(chunk, "element"), c.n());
        else finer.push_back(name);
    }
    if (finer.empty()) return out;
    return out + fmt::format("{}Under {} every run of {} stays in one block, {}.", out.empty() ? "" : " ", listed(finer), c.n(),
                             c.held() ? "its registers in the same order in every thread" : "each lane in the same place on both sides");
}

std::string instruction_text(const Context& c) {
    std::vector<std::string> names;
    for (const Segment& segment : c.solution.plan->segments)
        for (const Side side : both_sides)
            if (segment.side(side).instruction != no_instruction &&
                std::find(names.begin(), names.end(), segment.side(side).instruction) == names.end())
                names.push_back(segment.side(side).instruction);
    std::string out = fmt::format("{} has {}.", c.problem.target.name, listed(names));
    if (!c.copy.cache.empty())
        out += fmt::format(" The file asks for {}: {} neither what is read nor in which order.", listed(c.copy.cache),
                           c.copy.cache.size() == 1 ? "this hint changes" : "these hints change");
    if (std::find(c.copy.cache.begin(), c.copy.cache.end(), "nc") != c.copy.cache.end())
        out += fmt::format(" nc is right because no copy of the file writes {}.", c.buffer(Side::src).name);
    return out;
}

/// Where a segment begins and ends in a box dimension, symbolic bounds aside.
std::pair<std::int64_t, std::int64_t> ends(const Context& c, const Segment& segment, std::size_t dim) {
    std::int64_t end = segment.start[dim] + 1;
    for (const Digit& digit : segment.digits)
        if (digit.dim == static_cast<int>(dim)) end += digit.weight * (digit.extent - 1);
    for (const Bound& bound : segment.predicate)
        if (bound.dim == static_cast<int>(dim) && bound.below.is_constant()) end = std::min<std::int64_t>(end, bound.below);
    return {segment.start[dim], std::min(end, c.box->box.shape()[dim])};
}

/// The box dimension that the segments cut: where the first of them does not begin at 0, or not end at the end.
std::size_t cut_dim(const Context& c) {
    const std::vector<std::int64_t> shape = c.box->box.shape();
    std::size_t dim = 0;
    while (ends(c, c.solution.plan->segments.front(), dim) == std::pair{std::int64_t{0}, shape[dim]}) ++dim;
    return dim;
}

/// Requires: the plan has several widths.
std::string cut_text(const Context& c) {
    const std::vector<Segment>& segments = c.solution.plan->segments;
    const std::size_t dim = cut_dim(c);
    const std::string where = along(c, Side::src, dim);
    const std::string block = c.unit().counted(c.unit().of(segments.front().src.width));
    std::string out = fmt::format(
        "Runs lie {} of {}, and so they do in {}. The other steps are multiples of {} on both sides, and both "
        "start at the same place in a block of {}: blocks begin at the same elements of each run. ",
        where, c.buffer(Side::src).name, c.buffer(Side::dst).name, block, block);
    std::map<std::int64_t, std::string> by_begin;
    std::int64_t rounds = 0;
    for (const Segment& segment : segments) {
        const auto [begin, end] = ends(c, segment, dim);
        by_begin[begin] = fmt::format("{} bits from {} to {}", segment.src.width.count, begin, end - 1);
        rounds += segment.outer;
    }
    std::vector<std::string> parts;
    for (const auto& [begin, part] : by_begin) parts.push_back(part);
    return out + fmt::format(
                     "Wide accesses move those, and narrower ones what is before and behind them: {}. That is {}, and {} bits "
                     "alone would take {}.",
                     listed(parts), counted(rounds, "round"), c.solution.width.count, *c.solution.single_rounds);
}

/// Requires: the plan has tails.
std::string tails_text(const Context& c) {
    const std::vector<Segment>& segments = c.solution.plan->segments;
    const Segment& body = segments.front();
    const Tail& tail = *std::find_if(segments.begin(), segments.end(), [](const Segment& s) { return s.tail.has_value(); })->tail;
    const auto dim = static_cast<std::size_t>(tail.dim);
    const std::int64_t n = body.vec, first = body.start[dim];
    const std::string block = c.unit().counted(c.unit().of(body.src.width)), where = to_string(tail.end, c.problem.symbols),
                      bits = fmt::format("{} bits", body.src.width.count);
    std::string out = fmt::format(
        "Runs lie {} of {}, and so they do in {}. The other steps are multiples of {} on both sides, and both start at {}: of each run, "
        "the elements {}, {}, {} and so on "
        "begin accesses of {}. The end, after {} of them, need be no multiple of {}. Accesses of {} {}; ",
        along(c, Side::src, dim), c.buffer(Side::src).name, c.buffer(Side::dst).name, block,
        first == 0 ? "one" : "the same place in a block of " + block, first, first + n, first + 2 * n, bits, where, n, bits,
        c.copy.zero_fill
            ? "read where all of one is before the end and write zeros where all of it is behind; the one where it lies does not run"
            : "run where all of one is before the end");
    std::vector<std::string> before, behind, last;
    std::int64_t rounds = 0;
    for (const Segment& s : segments) {
        rounds += s.outer;
        const std::string by = fmt::format("by {} bits", s.src.width.count);
        if (s.tail)
            behind.push_back(fmt::format("{} from the last multiple of {} {}on", by, s.tail->multiple,
                                         first == 0 ? "" : fmt::format("behind element {} ", first)));
        else if (&s != &body) (s.start[dim] < first ? before : last).push_back(by);
    }
    if (!before.empty()) out += fmt::format("what is before element {} is moved {}, and ", first, listed(before));
    if (!last.empty()) out += fmt::format("what is behind the last of them {}, and ", listed(last));
    return out + fmt::format("the rest is moved {}. That is {}, and {} bits alone would take {}.", listed(behind), counted(rounds, "round"),
                             c.solution.width.count, *c.solution.single_rounds);
}

std::string accesses(std::int64_t n) { return fmt::format("{} {}", n, n == 1 ? "access" : "accesses"); }

/// Elements of an access along each box dimension.
std::vector<std::int64_t> lanes_along(const Context& c, const Segment& segment, Side side) {
    std::vector<std::int64_t> out(c.box->box.dims.size(), 1);
    for (const std::size_t i : lane_digits(segment, side)) out[static_cast<std::size_t>(segment.digits[i].dim)] *= segment.digits[i].extent;
    return out;
}

/// "4 loads of 128 bits: 4 elements along dimension 1 of A", and why they are aligned. Requires: the plan has blocks.
std::string block_side_text(const Context& c, const Segment& segment, Side side) {
    const Buffer& buffer = c.buffer(side);
    const std::vector<std::int64_t> lanes = lanes_along(c, segment, side);
    std::vector<std::string> parts;
    for (std::size_t dim = 0; dim < lanes.size(); ++dim)
        if (lanes[dim] > 1) parts.push_back(fmt::format("{} {}", lanes[dim], along(c, side, dim)));
    const Bits width = segment.side(side).width;
    const std::int64_t n = lanes_of(segment, side);
    std::string out = fmt::format("{} of {} bits, each of {} of {}",
                                  counted(static_cast<std::int64_t>(heads_of(segment, side).size()), side == Side::src ? "load" : "store"),
                                  width.count, counted(n, "element"), buffer.name);
    if (n > 1) out += fmt::format(" that follow each other, {}", listed(parts));
    out += fmt::format(". Each is at a multiple of {}, because all of these are: {}.", c.unit().counted(c.unit().of(width)),
                       aligned_text(c, side, lanes, "from access to access"));
    if (const Swizzle& swizzle = buffer.layout.swizzle; !swizzle.is_identity())
        out += fmt::format(" {} moves chunks of {} as a whole, and an access lies inside one.", to_string(swizzle),
                           counted(std::int64_t{1} << swizzle.base_log2, "element"));
    return out;
}

/// Requires: the plan has blocks.
std::string block_text(const Context& c) {
    const Segment& segment = c.solution.plan->segments.front();
    const std::int64_t count = segment.outer * accesses_in_a_round(segment);
    return fmt::format(
        "Runs are narrow, and {} in registers are not. In each round a thread loads as many and stores them, each side in accesses of its "
        "own, which cross the "
        "borders of runs; registers change their names on the way:\n{}\n{}\nThat is {} of a thread, and runs of {} bits alone would take "
        "{}.",
        counted(segment.vec, "element"), block_side_text(c, segment, Side::src), block_side_text(c, segment, Side::dst), accesses(count),
        c.solution.width.count, *c.solution.straight_accesses);
}

std::string threads_text(const Context& c) {
    const CopyPlan& plan = *c.solution.plan;
    std::int64_t rounds = 0;
    for (const Segment& segment : plan.segments) rounds += segment.outer;
    const std::int64_t turns = rounds * plan.participants.count;
    std::int64_t runs = c.runs();
    if (c.solution.straight_accesses) {
        const Segment& segment = plan.segments.front();
        const std::int64_t blocks = moved(c.copy).count / segment.vec;
        std::string out =
            fmt::format("{} over {}: {}, {} of a thread in each.", counted(blocks, "block"), counted(plan.participants.count, "thread"),
                        counted(rounds, "round"), accesses(accesses_in_a_round(segment)));
        if (turns > blocks)
            out += fmt::format(" That is {}; in the other {} the thread does nothing.", counted(turns, "turn"), turns - blocks);
        return out;
    }
    if (has_tails(plan))
        return fmt::format("{} over {}, at most one access of a thread in each.", counted(rounds, "round"),
                           counted(plan.participants.count, "thread"));
    if (c.solution.single_rounds) {
        runs = 0;
        const std::size_t dim = cut_dim(c);
        for (const Segment& segment : plan.segments) {
            const auto [begin, end] = ends(c, segment, dim);
            runs += (end - begin) / segment.vec * (moved(c.copy).count / c.box->box.shape()[dim]);
        }
    }
    std::string out = fmt::format("{} over {}: {}, one access of a thread in each.", accesses(runs),
                                  counted(plan.participants.count, "thread"), counted(rounds, "round"));
    if (turns > runs) out += fmt::format(" That is {}; in the other {} the thread does nothing.", counted(turns, "turn"), turns - runs);
    return out;
}

std::vector<Ground> grounds_of(const Context& c) {
    if (const MatrixForm* const form = matrices(c)) {
        std::vector<Ground> out{{"runs", matrix_rows_text(c, *form)}, {"aligned", matrix_alignment_text(c, *form)}};
        if (std::string text = swizzle_text(c); !text.empty()) out.push_back({"swizzle", std::move(text)});
        out.push_back({"exists", instruction_text(c)});
        out.push_back({"threads", matrix_threads_text(c, *form)});
        return out;
    }
    std::vector<Ground> out{{"runs", runs_text(c)}, {"aligned", alignment_text(c)}};
    if (has_tails(*c.solution.plan)) out = {{"tails", tails_text(c)}};
    else if (c.solution.single_rounds) out = {{"cut", cut_text(c)}};
    else if (std::string text = swizzle_text(c); !text.empty()) out.push_back({"swizzle", std::move(text)});
    if (c.solution.straight_accesses) out.push_back({"blocks", block_text(c)});
    out.push_back({"exists", instruction_text(c)});
    out.push_back({"threads", threads_text(c)});
    return out;
}

}  // namespace

std::vector<Ground> grounds(const Problem& problem, const Copy& copy, const CopySolution& solution) {
    if (register_side(problem, copy)) {
        const Problem file = on_register_file(problem, copy);
        if (is_symbolic(file, file.copies[0]))
            if (const std::optional<Problem> alone = isolated(file, file.copies[0]))
                return grounds_of({*alone, alone->copies[0], solution});
        return grounds_of({file, file.copies[0], solution});
    }
    if (is_symbolic(problem, copy))
        if (const std::optional<Problem> alone = isolated(problem, copy)) return grounds_of({*alone, alone->copies[0], solution});
    return grounds_of({problem, copy, solution});
}

}  // namespace tileproof
