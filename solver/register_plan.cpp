#include "solver/register_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "layouts/box.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/refusal.hpp"
#include "solver/register_refusal.hpp"

namespace tileproof {
namespace {

/// A dimension of the box that steps through threads, or through registers of one thread.
struct Dim {
    std::size_t number = 0;
    std::int64_t extent = 1;
    Expression memory = 0;  // stride in memory
    std::int64_t held = 0;  // stride in threads or registers
    bool turned = false;    // counted from the far end, so that these strides are those of extent - 1 - coordinate

    std::int64_t sign() const { return turned ? -1 : 1; }
    Dim from_the_far_end() const { return {number, extent, memory.times(-1), -held, !turned}; }
};

/// Part of a register dimension.
struct Piece {
    std::size_t number = 0;
    std::int64_t weight = 1;
    std::int64_t extent = 1;
};

bool has_predicate(const Copy& copy) { return !copy.src.region.clipped.empty(); }

/// Lanes that follow each other in memory from stride `reached` on, `n` in all: a chain of pieces of register dimensions.
bool chain(const std::vector<Dim>& dims, std::int64_t reached, std::int64_t n, std::vector<Piece>& lanes) {
    if (reached == n) return true;
    for (const Dim& dim : dims) {
        const bool is_used = std::any_of(lanes.begin(), lanes.end(), [&](const Piece& piece) { return piece.number == dim.number; });
        if (!(dim.memory == Expression(reached)) || is_used || dim.extent == 1) continue;
        const std::int64_t taken = std::gcd(dim.extent, n / reached);
        if (taken == 1 || (taken < dim.extent && taken < n / reached)) continue;
        lanes.push_back({dim.number, 1, taken});
        if (chain(dims, reached * taken, n, lanes)) return true;
        lanes.pop_back();
    }
    return false;
}

class Planner {
public:
    Planner(const Problem& problem, const Copy& copy)
        : problem_(problem),
          copy_(copy),
          held_(*register_side(problem, copy)),
          stored_(opposite(held_)),
          box_(*register_box(problem, copy)) {}

    /// Nothing where this kind of plan does not serve.
    std::optional<CopyPlan> plan(Bits width) {
        begin(width / element());
        std::vector<Dim> threads, registers;
        std::vector<Piece> lanes;
        if (!sort_dims(threads, registers) || !chain(registers, 1, segment_.vec, lanes)) return std::nullopt;
        add_lanes_and_rounds(registers, lanes);
        if (!add_threads(threads)) return std::nullopt;
        const Direction direction = stored_ == Side::src ? Direction::load : Direction::store;
        return finished(width, access_form(direction, problem_.buffer(operand(copy_, stored_)).space, width)->mnemonic);
    }

    /// Nothing where lanes and threads are no digits of the box, or the matrices do not divide what a thread holds. Whether the registers
    /// are the fragment is not looked at. Requires: keeps_whole(form, element).
    std::optional<CopyPlan> plan(const MatrixForm& form, std::string& why_not) {
        begin(elements_of_lane(form, element()));
        std::vector<Dim> threads, registers;
        std::vector<Piece> lanes;
        why_not = fmt::format("how the threads hold the region of {} does not split into digits", copy_.name);
        if (!sort_dims(threads, registers)) return std::nullopt;
        std::string no_lanes = matrix_lanes(registers, form, lanes);
        add_lanes_and_rounds(registers, lanes);
        if (!add_threads(threads) || !splits_at_warps(segment_)) return std::nullopt;
        why_not = std::move(no_lanes);
        return why_not.empty() ? finished(matrix_row_width, form.mnemonic) : std::nullopt;
    }

private:
    Bits element() const { return problem_.buffer(copy_.src).dtype.size; }

    void begin(std::int64_t lanes) {
        segment_ = {};
        segment_.start.assign(box_.box.dims.size(), 0);
        segment_.threads = copy_.threads;
        segment_.vec = lanes;
    }

    bool sort_dims(std::vector<Dim>& threads, std::vector<Dim>& registers) {
        const std::int64_t step = pitch(problem_.buffer(operand(copy_, held_)));
        const std::vector<std::int64_t> shape = box_.box.shape();
        const std::int64_t at = box_.side(held_).offset;
        thread_ = at / step - participants(copy_, problem_.launch).first;
        held_offset_ = at % step;
        memory_offset_ = box_.side(stored_).offset;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::int64_t stride = box_.side(held_).strides[i];
            const bool is_thread = stride != 0 && stride % step == 0 && shape[i] > 1;
            if (!is_thread && std::abs(stride) >= step) return false;
            Dim dim{i, shape[i], box_.side(stored_).strides[i], is_thread ? stride / step : stride};
            // Threads are counted upwards; and registers along rising addresses, which is how lanes lie.
            const std::int64_t far = dim.extent - 1;
            if (is_thread ? dim.held < 0 : falls(dim.memory)) {
                (is_thread ? thread_ : held_offset_) += dim.held * far;
                memory_offset_ = memory_offset_ + dim.memory.times(far);
                segment_.start[i] += far;
                dim = dim.from_the_far_end();
            }
            (is_thread ? threads : registers).push_back(dim);
        }
        return at >= 0;
    }

    /// A stride with symbols in it is no lane's, and may have either sign.
    static bool falls(const Expression& stride) { return stride.is_constant() && std::int64_t{stride} < 0; }

    /// `memory`, `held`: what a step of the digit adds there.
    void add(std::size_t dim, std::int64_t weight, std::int64_t extent, Role role, const Expression& memory, std::int64_t held) {
        if (extent == 1) return;
        const auto same_role =
            std::count_if(segment_.digits.begin(), segment_.digits.end(), [&](const Digit& d) { return d.role == role; });
        segment_.digits.push_back({static_cast<int>(dim), weight, extent, role, static_cast<int>(same_role)});
        AddressPlan& in_memory = (stored_ == Side::src ? segment_.src : segment_.dst).address;
        AddressPlan& in_registers = (held_ == Side::src ? segment_.src : segment_.dst).address;
        in_memory.strides.push_back(memory);
        in_registers.strides.emplace_back(held);
    }

    /// The lanes of a matrix instruction, least significant first. What a row keeps together lies in one thread: a register, or with .trans
    /// half of one or a byte, whose other part belongs to the next rows; of bytes, a second piece of each of these rows. Then the matrices, in
    /// the order of the registers.
    /// Why there are none, or nothing.
    std::string matrix_lanes(const std::vector<Dim>& registers, const MatrixForm& form, std::vector<Piece>& lanes) const {
        const std::int64_t together = (form.transposed ? form.unit : Bits{32}) / element(), pieces = pieces_of_lane(form),
                           row = elements_of_row(element());
        const int rows = rows_of_lane(form);
        const std::string held = problem_.buffer(operand(copy_, held_)).name, stored = problem_.buffer(operand(copy_, stored_)).name;
        if (!chain(registers, 1, together, lanes))
            return fmt::format("no thread has {} neighbours of {} in its registers {}", together, stored, held);
        // Rows may be any; the second piece is where it is, so it comes first.
        const std::size_t whole = lanes.size();
        if (!chain(registers, row / pieces, row, lanes))
            return fmt::format("no thread has two elements of {} in its registers {} that are {} apart", stored, held, row / pieces);
        const std::size_t piece = lanes.size();
        if (!take(registers, rows, lanes))
            return fmt::format("no register of {0} has {1} {2} to be filled from {1} rows", held, rows == 2 ? "two" : "four",
                               form.unit == half_register ? "halves" : "bytes");
        std::rotate(lanes.begin() + static_cast<std::ptrdiff_t>(whole), lanes.begin() + static_cast<std::ptrdiff_t>(piece), lanes.end());
        return take(registers, form.matrices, lanes)
                   ? ""
                   : fmt::format("what a thread has in {} is no multiple of {} registers", held, form.registers());
    }

    /// Takes `count`, a power of two, of what is left of the register dimensions, nearest registers first.
    static bool take(const std::vector<Dim>& registers, std::int64_t count, std::vector<Piece>& lanes) {
        std::vector<Piece> left;
        for (const Dim& dim : registers) left.push_back({dim.number, weight_above(dim, lanes), dim.extent / weight_above(dim, lanes)});
        const auto step = [&](const Piece& piece) { return std::abs(find(registers, piece.number).held * piece.weight); };
        std::stable_sort(left.begin(), left.end(), [&](const Piece& a, const Piece& b) { return step(a) < step(b); });
        for (const Piece& piece : left) {
            const std::int64_t taken = std::gcd(piece.extent, count);
            if (taken == 1) continue;
            lanes.push_back({piece.number, piece.weight, taken});
            count /= taken;
        }
        return count == 1;
    }

    static const Dim& find(const std::vector<Dim>& dims, std::size_t number) {
        return *std::find_if(dims.begin(), dims.end(), [&](const Dim& d) { return d.number == number; });
    }

    /// The weight of what the lanes leave of a dimension.
    static std::int64_t weight_above(const Dim& dim, const std::vector<Piece>& lanes) {
        std::int64_t out = 1;
        for (const Piece& lane : lanes) out *= lane.number == dim.number ? lane.extent : 1;
        return out;
    }

    void add_lanes_and_rounds(const std::vector<Dim>& registers, const std::vector<Piece>& lanes) {
        const auto add_piece = [&](const Piece& piece, Role role) {
            const Dim& d = find(registers, piece.number);
            add(d.number, d.sign() * piece.weight, piece.extent, role, d.memory.times(piece.weight), d.held * piece.weight);
        };
        for (const Piece& lane : lanes) add_piece(lane, Role::vec);
        for (std::size_t i = registers.size(); i-- > 0;) {
            const std::int64_t weight = weight_above(registers[i], lanes);
            add_piece({registers[i].number, weight, registers[i].extent / weight}, Role::outer);
            segment_.outer *= registers[i].extent / weight;
        }
    }

    /// t = thread_ + sum held * coordinate. The digits of t, least first: for each thread dimension those below its stride, which have one value
    /// in all threads that hold something, and then its own.
    bool add_threads(std::vector<Dim> dims) {
        std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.held < b.held; });
        if (dims.empty()) {  // one thread holds all
            if (thread_ < 0 || thread_ >= copy_.threads) return false;
            if (copy_.threads > 1) add_gap(0, box_.box.shape()[0], copy_.threads, thread_);
            return true;
        }
        std::int64_t below = 1;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const Dim& dim = dims[i];
            const std::int64_t next = i + 1 < dims.size() ? dims[i + 1].held : copy_.threads;
            if (dim.held % below != 0 || next % dim.held != 0 || thread_ < 0) return false;
            const std::int64_t radix = next / dim.held, first = thread_ / dim.held % radix;
            if (first + dim.extent > radix) return false;  // a carry into the next digit
            const std::int64_t gap = dim.held / below;
            if (gap > 1) add_gap(dim.number, radix, gap, thread_ / below % gap);
            add_own(dim, radix, first, gap > 1);
            below = next;
        }
        return thread_ < copy_.threads;
    }

    /// A digit that is `value` in every thread that holds something, and leads out of the box where it is not. `beyond`: where the other
    /// digits of the dimension end.
    void add_gap(std::size_t dim, std::int64_t beyond, std::int64_t extent, std::int64_t value) {
        add(dim, beyond, extent, Role::thread, 0, 0);
        segment_.start[dim] -= beyond * value;
        bound(dim);
    }

    void add_own(const Dim& dim, std::int64_t radix, std::int64_t first, bool has_gap) {
        add(dim.number, dim.sign(), radix, Role::thread, dim.memory, 0);
        segment_.start[dim.number] -= dim.sign() * first;
        memory_offset_ = memory_offset_ - dim.memory.times(first);
        if (!has_gap && radix != dim.extent) bound(dim.number);
    }

    void bound(std::size_t dim) { segment_.predicate.push_back({static_cast<int>(dim), box_.box.shape()[dim], 0}); }

    /// Nothing where a bound with symbols has no place.
    std::optional<CopyPlan> finished(Bits width, std::string_view instruction) {
        for (const Side side : both_sides) {
            const Buffer& buffer = problem_.buffer(operand(copy_, side));
            SidePlan& plan = side == Side::src ? segment_.src : segment_.dst;
            plan.width = width;
            plan.address.offset = side == held_ ? Expression(held_offset_) : memory_offset_;
            if (side == held_) {
                plan.instruction = no_instruction;
                plan.address.index_bits = 32;
                continue;
            }
            plan.instruction = instruction;
            plan.address.swizzle = buffer.layout.swizzle;
            plan.address.index_bits = index_bits(plan.address, buffer);
        }
        CopyPlan out{copy_.name, participants(copy_, problem_.launch), box_.box, {segment_}};
        if (!has_predicate(copy_)) {
            sort_bounds(out.segments[0]);
            return out;
        }
        return bound_by_symbols(std::move(out));
    }

    static void sort_bounds(Segment& segment) {
        std::stable_sort(segment.predicate.begin(), segment.predicate.end(), [](const Bound& a, const Bound& b) { return a.dim < b.dim; });
    }

    /// The plan with each dimension of the region that a predicate bounds in one piece, as a dimension of the box of its own. What was a
    /// dimension of the box along a part of it becomes digits of that one.
    std::optional<CopyPlan> bound_by_symbols(CopyPlan plan) const {
        const Problem file = on_register_file(problem_, copy_);
        const Region& region = file.copies[0].src.region;
        const DenseRegion logical = dense(region);
        Segment& segment = plan.segments[0];
        Segment out = segment;
        out.start.clear();
        out.predicate.clear();
        plan.box.dims.clear();
        struct Place {
            std::size_t dim;
            std::int64_t weight;
            bool is_part;
        };
        std::vector<Place> places;         // of each dimension that was
        std::map<int, std::size_t> whole;  // where in the box a dimension of the region is
        for (std::size_t i = 0; i < box_.box.dims.size(); ++i) {
            const std::vector<BoxFactor>& factors = box_.box.dims[i];
            if (factors.empty() || region.clipped.count(logical.dims[static_cast<std::size_t>(factors[0].dim)]) == 0) {
                places.push_back({plan.box.dims.size(), 1, false});
                plan.box.dims.push_back(factors);
                out.start.push_back(segment.start[i]);
                continue;
            }
            const BoxFactor& part = factors[0];  // alone: see register_box
            const std::int64_t extent = logical.extents[static_cast<std::size_t>(part.dim)];
            const auto [at, is_new] = whole.emplace(part.dim, plan.box.dims.size());
            if (is_new) {
                plan.box.dims.push_back({{part.dim, 1, extent}});
                out.start.push_back(0);
            }
            places.push_back({at->second, part.weight, part.extent != extent});
            out.start[at->second] += part.weight * (part.weight < 0 ? segment.start[i] - (part.extent - 1) : segment.start[i]);
        }
        for (Digit& digit : out.digits) {
            const Place& place = places[static_cast<std::size_t>(digit.dim)];
            digit.dim = static_cast<int>(place.dim);
            digit.weight *= place.weight;
        }
        for (Bound bound : segment.predicate) {
            const Place& place = places[static_cast<std::size_t>(bound.dim)];
            if (place.is_part) return std::nullopt;  // out of range there would be in range elsewhere
            bound.dim = static_cast<int>(place.dim);
            out.predicate.push_back(std::move(bound));
        }
        const Beyond beyond = copy_.zero_fill ? Beyond::zeros : Beyond::nothing;
        for (const auto& [dim, at] : whole)
            for (const Expression& below : cuts_of(region, logical.dims[static_cast<std::size_t>(dim)]))
                out.predicate.push_back({static_cast<int>(at), below, {}, beyond});
        sort_bounds(out);
        segment = std::move(out);
        return plan;
    }

    /// 32 bits wherever every sum stays below 2^31, in bytes and in elements. A product of symbols may be large on its way.
    int index_bits(const AddressPlan& address, const Buffer& buffer) const {
        if (is_symbolic(address)) return 64;
        Wide positive = std::max<std::int64_t>(address.offset, 0), negative = std::min<std::int64_t>(address.offset, 0);
        for (std::size_t i = 0; i < address.strides.size(); ++i) {
            const std::int64_t far = std::int64_t{address.strides[i]} * (segment_.digits[i].extent - 1);
            (far > 0 ? positive : negative) += far;
        }
        positive += segment_.vec + (Wide{1} << address.swizzle.period_log2());
        const Wide limit = (Wide{1} << 31) / std::max<std::int64_t>(1, buffer.dtype.size / Bits{8});
        return positive < limit && -negative < limit ? 32 : 64;
    }

    const Problem& problem_;
    const Copy& copy_;
    Side held_, stored_;
    const CanonicalBox box_;
    std::int64_t thread_ = 0, held_offset_ = 0;  // at box coordinate 0: thread of the scope, register
    Expression memory_offset_ = 0;               // and memory
    Segment segment_{};
};

/// The box with dimensions that have a part of such a dimension of the region cut into their factors.
CanonicalBox with_parts_apart(const CanonicalBox& box, const std::vector<bool>& is_clipped) {
    CanonicalBox out{{}, {box.src.offset, {}}, {box.dst.offset, {}}};
    for (std::size_t i = 0; i < box.box.dims.size(); ++i) {
        const std::vector<BoxFactor>& factors = box.box.dims[i];
        const bool is_apart =
            std::any_of(factors.begin(), factors.end(), [&](const BoxFactor& f) { return is_clipped[static_cast<std::size_t>(f.dim)]; });
        std::int64_t inner = 1;
        for (const BoxFactor& factor : factors) inner *= is_apart ? factor.extent : 1;
        for (std::size_t k = 0; k < (is_apart ? factors.size() : 1); ++k) {
            inner /= is_apart ? factors[k].extent : 1;
            out.box.dims.push_back(is_apart ? std::vector<BoxFactor>{factors[k]} : factors);
            out.src.strides.push_back(box.src.strides[i].times(inner));
            out.dst.strides.push_back(box.dst.strides[i].times(inner));
        }
    }
    return out;
}

/// Two elements with one place. Requires: a destination without symbols.
std::optional<Diagnostic> overlap(const Problem& problem, const Copy& copy) {
    const Problem file = on_register_file(problem, copy);
    const Operand& dst = file.copies[0].dst;
    const std::vector<std::int64_t> places = offsets_of(file.buffer(dst).layout, dst.region);
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::pair(places[a], a) < std::pair(places[b], b); });
    const auto twice = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] == places[b]; });
    if (twice == order.end()) return std::nullopt;
    const auto where = [&](std::size_t k) {
        std::vector<std::int64_t> at = coordinate_of(static_cast<std::int64_t>(k), dst.region.extent);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += dst.region.start[i];
        at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(copy.dst.region.extent.size()));
        return fmt::format("({})", fmt::join(at, ","));
    };
    return Diagnostic{
        "dst-overlaps",
        fmt::format("elements {} and {} of {} share a place", where(*twice), where(*(twice + 1)), problem.buffer(copy.dst).name),
        copy.dst.place};
}

}  // namespace

std::optional<CanonicalBox> register_box(const Problem& problem, const Copy& copy) {
    const Problem file = on_register_file(problem, copy);
    if (!is_symbolic(file, file.copies[0]) && !copy.zero_fill) return canonical_box(file, file.copies[0]);
    std::optional<Problem> alone = isolated(file, file.copies[0]);
    if (!alone) return std::nullopt;
    std::vector<bool> is_clipped;  // by dimension that is not dropped
    for (const std::size_t dim : dense(alone->copies[0].src.region).dims)
        is_clipped.push_back(alone->copies[0].src.region.clipped.count(dim) != 0);
    for (Operand* const op : {&alone->copies[0].src, &alone->copies[0].dst}) {
        for (const std::size_t dim : op->region.clipped) op->region.symbolic_extent[dim] = Expression(op->region.extent[dim]);
        op->region.clipped.clear();
        op->region.further.clear();
    }
    std::optional<CanonicalBox> out = canonical_box(*alone, alone->copies[0]);
    return out ? std::optional(with_parts_apart(*out, is_clipped)) : std::nullopt;
}

Diagnostic no_digits_of(const Copy& copy) {
    return {"unsupported",
            "how the threads hold the region of " + copy.name +
                ", or how an access lies in it, does not split into digits, and this version plans nothing else",
            copy.place};
}

std::optional<CopyPlan> plan_registers(const Problem& problem, const Copy& copy, Bits width) { return Planner(problem, copy).plan(width); }

std::optional<Diagnostic> register_rejection(const Problem& problem, const Copy& copy) {
    const bool is_known =
        !is_symbolic(problem, copy) || (register_side(problem, copy) == Side::dst && copy.dst.region.symbolic_extent.empty());
    if (auto twice = is_known ? overlap(problem, copy) : std::nullopt) return twice;
    if (register_box(problem, copy)) return std::nullopt;
    const std::string what =
        "the regions of " + copy.name +
        " cut through iters, or split them without a common refinement, which this version does not plan with registers";
    return Diagnostic{"unsupported", what, copy.place};
}

std::optional<CopyPlan> plan_matrices(const Problem& problem, const Copy& copy, const MatrixForm& form, std::string& why_not) {
    return Planner(problem, copy).plan(form, why_not);
}

CopySolution solve_registers(const Problem& problem, const Copy& copy, const std::vector<Bits>& widths) {
    CopySolution out;
    out.name = copy.name;
    if ((out.rejection = register_rejection(problem, copy))) return out;
    Planner planner(problem, copy);
    for (const Bits width : widths) {
        if (width < problem.buffer(copy.src).dtype.size) break;
        std::optional<Refusal> refused = early_refusal(problem, copy, width);
        if (!refused) refused = find_register_refusal(problem, copy, width);
        if (refused) {
            out.refused.push_back(std::move(*refused));
            continue;
        }
        out.plan = planner.plan(width);
        if (!out.plan) {
            if (out.undecided.empty())
                out.undecided = fmt::format("how to plan {} bits, which are legal: threads or lanes are no digits of the box", width.count);
            continue;
        }
        out.width = width;
        break;
    }
    if (!out.plan && !out.undecided.empty()) {
        out.undecided.clear();
        out.rejection = no_digits_of(copy);
    }
    return out;
}

}  // namespace tileproof
