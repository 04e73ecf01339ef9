#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "emit/ptx_address.hpp"
#include "emit/ptx_block.hpp"
#include "emit/ptx_flat.hpp"
#include "emit/ptx_internal.hpp"
#include "emit/ptx_matrix_internal.hpp"
#include "emit/ptx_sum.hpp"
#include "emit/ptx_symbolic.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

/// A register that each pass of each loop moves along.
struct Moving {
    std::string name;
    bool wide = false;
    std::vector<std::int64_t> steps;  // per loop, outermost first
    std::vector<std::string> symbolic_steps{};  // instead of them: registers or numbers; empty: nothing
};

/// Where an access finds its address.
struct Address {
    std::string name;
    // Finish::every_round only: name = base + swizzled(sum), by way of `work`.
    std::string sum{};
    std::string base{};  // empty: already in the sum
    std::string work{};
};

/// What accesses of one side find their address by: all of them; of a block, those that lie at fixed distances from each other.
struct Place {
    Side side = Side::src;
    AddressPlan plan{};
    SideForm form{};
    Address at{};
};

/// The address of an access: that of a place, and so many bytes behind it.
struct Reached {
    std::size_t place = 0;
    std::int64_t bytes = 0;
};

/// A bound on a coordinate that changes from round to round.
struct MovingBound {
    std::string coordinate;
    std::string below;  // a register or a number; empty: no bound
    std::string from;   // a number, or empty
    bool wide = false;
    Beyond beyond = Beyond::nothing;
};

bool fits_int32(std::int64_t n) {
    return n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::int32_t>::max();
}

class SegmentWriter {
public:
    SegmentWriter(PtxWriter& out, const KernelFrame& frame, const Copy& copy, const Segment& segment,
                  const std::string& thread, std::string label)
        : out_(out),
          frame_(frame),
          copy_(copy),
          segment_(segment),
          addressed_(supplied(frame, copy, segment)),
          label_(std::move(label)),
          loops_(loop_extents(segment)),
          sums_(out, thread, segment.threads),
          symbols_(frame.symbol) {}

    void write() {
        if (segment_.flat) prepare_index();
        for (const Side side : both_sides) {
            if (buffer(side).space == Space::registers) has_registers_ = true;
            else prepare_places(side);
        }
        prepare_bounds();
        has_registers_ ? unrolled(0, 0, true) : loop(0);
    }

private:
    /// Addresses are those that a thread computes: in a matrix instruction, not of what it holds.
    static Segment supplied(const KernelFrame& frame, const Copy& copy, const Segment& segment) {
        for (const Side side : both_sides)
            if (const MatrixForm* const form = matrix_form(segment.side(side).instruction)) return supplied_rows(segment, side, *form, frame.problem->buffer(operand(copy, side)).dtype.size);
        return segment;
    }

    const Buffer& buffer(Side side) const { return frame_.problem->buffer(operand(copy_, side)); }

    bool is_symbolic(Side side) const { return ::tileproof::is_symbolic(segment_.side(side).address); }

    bool rounds_down(Side side) const {
        const Swizzle& swizzle = segment_.side(side).address.swizzle;
        return !swizzle.is_identity() && (std::int64_t{1} << swizzle.base_log2) < segment_.side(side).width / buffer(side).dtype.size && !is_matrix(segment_.side(side).instruction);
    }

    bool moves_in_bytes(Side side) const {
        return segment_.side(side).address.swizzle.is_identity() && buffer(side).dtype.size >= Bits{8};
    }

    void prepare_index();
    void prepare_places(Side side);
    bool lie_apart_by_fixed_distances(Side side) const;
    void prepare(Place& place);
    void prepare_symbolic_address(Place& place);
    void symbolic_address_in_round(Place& place);
    void prepare_address(Place& place);
    void prepare_flat_address(Place& place);
    Address global_address(const SideForm& form, const std::string& pointer);
    Address shared_address(const SideForm& form, Bytes offset);
    void xor_in(const SideForm& form, bool wide, const std::string& to, const std::string& x);
    void explain(Side side, const SideForm& form);
    void prepare_bounds();
    void require(const char* how, const std::string& compared, const std::string& bound, bool wide, std::string& all);
    void address_in_round(Place& place);
    void flat_address_in_round(Place& place);
    std::string access_address(const Reached& access);
    std::string access_address(Side side) { return access_address(reached(side).front()); }
    const std::vector<Reached>& reached(Side side) const { return reached_[static_cast<std::size_t>(side)]; }
    std::string addresses_in_round();
    std::string reads_in_round(const std::string& active);
    std::string bytes_before(const MovingBound& split);
    std::string bytes_read(const std::string& reads, Bytes width);
    void access();
    void register_access(std::int64_t round);
    void loop(std::size_t level);
    void unrolled(std::size_t level, std::int64_t round, bool is_last);
    void move_on(std::size_t level);

    PtxWriter& out_;
    const KernelFrame& frame_;
    const Copy& copy_;
    const Segment& segment_;
    const Segment addressed_;
    std::string label_;
    std::vector<std::int64_t> loops_;
    ThreadSums sums_;
    SymbolRegisters symbols_;
    std::vector<Place> places_{};
    std::array<std::vector<Reached>, 2> reached_{};  // each access of a round, by side
    std::vector<Moving> moving_{};
    bool has_registers_ = false;
    std::string index_{};  // of a flat segment, at lane 0
    bool wide_index_ = false;
    std::string active_{};  // predicate of what does not change from round to round; empty: always
    std::string reads_{};   // the same, of reading where it runs
    std::vector<MovingBound> bounds_{};
    std::optional<MovingBound> split_{};  // between the lanes of an access, and other ones from round to round
    std::string bytes_before_{};          // the same, if it does not change: a register
};

/// to = x ^ ((x & mask) >> shift)
void SegmentWriter::xor_in(const SideForm& form, bool wide, const std::string& to, const std::string& x) {
    constexpr std::int64_t low_32 = 0xffffffff;
    const std::string bits = out_.fresh(wide ? Bank::b64 : Bank::b32);
    out_.op(wide ? "and.b64" : "and.b32", {bits, x, hexadecimal(wide ? form.mask : form.mask & low_32)});
    const std::string distance = std::to_string(form.shift < 0 ? -form.shift : form.shift);
    if (form.shift < 0)
        out_.op(wide ? "shl.b64" : "shl.b32", {bits, bits, distance});
    else
        out_.op(wide ? "shr.u64" : "shr.u32", {bits, bits, distance});
    out_.op(wide ? "xor.b64" : "xor.b32", {to, x, bits});
}

Address SegmentWriter::global_address(const SideForm& form, const std::string& pointer) {
    const std::vector<std::int64_t> by_round = steps(form.sum, loops_);
    if (form.finish == Finish::every_round) {
        Address out{out_.fresh(Bank::b64), sums_.own(sums_.sum(form.sum, form.wide), form.wide).name,
                    pointer};
        out.work = form.wide ? out.name : out_.fresh(Bank::b32);
        moving_.push_back({out.sum, form.wide, by_round});
        return out;
    }
    Value value{pointer};
    if (form.finish == Finish::linear && (form.wide || form.sum.thread.empty())) {
        value = sums_.sum(form.sum, true, value);
        if (form.sum.moves()) value = sums_.own(value, true);
    } else {
        Value offset = sums_.sum(form.sum, form.wide);
        if (form.finish == Finish::xor_once) {
            const Value mixed =
                offset.owned ? offset : Value{out_.fresh(form.wide ? Bank::b64 : Bank::b32), true};
            xor_in(form, form.wide, mixed.name, offset.name);
            offset = mixed;
        }
        value = form.wide ? sums_.own(offset, true) : Value{out_.fresh(Bank::b64), true};
        if (!form.wide) out_.op(form.negative ? "cvt.s64.s32" : "cvt.u64.u32", {value.name, offset.name});
        out_.op("add.s64", {value.name, pointer, value.name});
    }
    moving_.push_back({value.name, true, by_round});
    return {value.name};
}

Address SegmentWriter::shared_address(const SideForm& form, Bytes offset) {
    // The array's start can join the sum before the swizzle where it is a multiple of the period.
    const bool joins =
        form.finish == Finish::linear || (form.elements_log2 == 0 && offset.count % form.period == 0 &&
                                          frame_.shared.align.count % form.period == 0);
    const auto start = [&](std::int64_t at) { return Value{write_shared_address(out_, frame_, at), true}; };
    Affine form_sum = form.sum;
    Value value;
    if (joins) {
        const std::int64_t at = offset.count + form_sum.constant;
        const bool plain = at >= 0 && fits_int32(at);
        if (plain) form_sum.constant = 0;
        value = sums_.sum(form_sum, false, start(plain ? at : offset.count));
    } else {
        value = sums_.own(sums_.sum(form_sum, false), false);
    }
    const std::vector<std::int64_t> by_round = steps(form.sum, loops_);
    if (form.finish == Finish::every_round) {
        Address out{out_.fresh(Bank::b32), value.name, joins ? "" : start(offset.count).name};
        out.work = out.name;
        moving_.push_back({value.name, false, by_round});
        return out;
    }
    if (form.finish == Finish::xor_once) {
        xor_in(form, false, value.name, value.name);
        if (!joins) out_.op("add.s32", {value.name, start(offset.count).name, value.name});
    }
    moving_.push_back({value.name, false, by_round});
    return {value.name};
}

void SegmentWriter::explain(Side side, const SideForm& form) {
    Affine rounds;
    Affine inside = form.sum;
    if (form.finish == Finish::xor_once) rounds.rounds = std::exchange(inside.rounds, {});
    std::string text = describe(inside, segment_.threads);
    if (form.mask != 0) text = "swizzled(" + text + ")";
    if (rounds.moves()) text += " + " + describe(rounds, segment_.threads);
    out_.comment(std::string(side == Side::src ? "from " : "to ") + buffer(side).name + ", " +
                 (form.elements_log2 == 0 ? "byte " : "element ") + text);
}

/// Whether an access of a block is as many bytes from the first as its linear offset says, in each thread and round, swizzle or not.
bool SegmentWriter::lie_apart_by_fixed_distances(Side side) const {
    const Buffer& at = buffer(side);
    if (is_symbolic(side) || at.dtype.size < Bits{8} || rounds_down(side)) return false;
    // What stands behind a register in brackets has 32 bits (PTX ISA, "Addresses as Operands").
    Wide farthest = 0;
    for (std::size_t i = 0; i < segment_.digits.size(); ++i)
        if (segment_.digits[i].role == Role::vec) farthest += Wide{std::abs(std::int64_t{segment_.side(side).address.strides[i]})} * segment_.digits[i].extent * (at.dtype.size / Bits{8});
    if (farthest >= std::numeric_limits<std::int32_t>::max()) return false;
    Segment unrolled = segment_;  // each access a round of its own
    int count = 0;
    for (std::size_t i = 0; i < unrolled.digits.size(); ++i) {
        if (segment_.digits[i].role != Role::vec || is_lane(segment_, side, i)) continue;
        unrolled.digits[i].role = Role::outer;
        unrolled.digits[i].place = count++;
        unrolled.outer *= segment_.digits[i].extent;
    }
    for (std::size_t i = 0; i < unrolled.digits.size(); ++i)
        if (segment_.digits[i].role == Role::outer) unrolled.digits[i].place += count;
    return side_form(unrolled, segment_.side(side), at.dtype.size, at.space).finish != Finish::every_round;
}

void SegmentWriter::prepare_places(Side side) {
    const AddressPlan& address = addressed_.side(side).address;
    const std::vector<std::int64_t> heads = heads_of(segment_, side);
    std::vector<Reached>& reached = reached_[static_cast<std::size_t>(side)];
    const bool is_one_place = heads.size() == 1 || lie_apart_by_fixed_distances(side);
    std::string distances;
    for (const std::int64_t head : heads) {
        Expression distance = 0;
        const std::vector<std::int64_t> digits = digits_at(segment_, 0, 0, head);
        for (std::size_t i = 0; heads.size() > 1 && i < digits.size(); ++i) distance = distance + address.strides[i].times(digits[i]);
        if (head != 0 && is_one_place) {
            reached.push_back({reached.front().place, to_bytes(Elements{distance}, buffer(side).dtype.size).count});
            distances += (distances.empty() ? "" : ", ") + std::to_string(reached.back().bytes);
            continue;
        }
        places_.push_back({side, address});
        places_.back().plan.offset = address.offset + distance;
        prepare(places_.back());
        reached.push_back({places_.size() - 1, 0});
    }
    if (!distances.empty()) out_.comment("and " + distances + (heads.size() == 2 ? " bytes behind it" : " bytes behind that"));
}

void SegmentWriter::prepare(Place& place) {
    if (is_symbolic(place.side)) prepare_symbolic_address(place);
    else segment_.flat ? prepare_flat_address(place) : prepare_address(place);
}

void SegmentWriter::prepare_address(Place& place) {
    const Buffer& at = buffer(place.side);
    SidePlan side = addressed_.side(place.side);
    side.address = place.plan;
    place.form = side_form(addressed_, side, at.dtype.size, at.space);
    explain(place.side, place.form);
    const int number = operand(copy_, place.side).buffer;
    place.at = at.space == Space::global
                   ? global_address(place.form, frame_.pointer.at(number))
                   : shared_address(place.form, frame_.shared.offsets[static_cast<std::size_t>(number)]);
}

void SegmentWriter::prepare_index() {
    std::vector<std::int64_t> weights;
    for (const Digit& digit : segment_.digits) weights.push_back(digit.weight);
    const Affine form = affine(segment_, segment_.start[0], weights);
    wide_index_ = segment_.src.address.index_bits == 64 || segment_.dst.address.index_bits == 64;
    out_.comment("index " + describe(form, segment_.threads));
    index_ = sums_.own(sums_.sum(form, wide_index_), wide_index_).name;
    moving_.push_back({index_, wide_index_, steps(form, loops_)});
}

/// A plain sum moves along in bytes. One with a swizzle, or of parts of bytes, moves in elements: it is swizzled, scaled and added to
/// the base in each round.
void SegmentWriter::prepare_symbolic_address(Place& place) {
    const Side side = place.side;
    const Buffer& at = buffer(side);
    out_.comment(std::string(side == Side::src ? "from " : "to ") + at.name + ", where symbols say");
    SymbolicSum sum = write_symbolic_sum(out_, sums_, symbols_, segment_, place.plan);
    if (at.space == Space::global && moves_in_bytes(side)) {
        const int log2 = floor_log2(at.dtype.size.count) - 3;
        for (std::string& step : sum.steps) {
            if (step.empty() || log2 == 0) continue;
            if (step.front() == '%') out_.op("shl.b64", {step, step, std::to_string(log2)});
            else step = std::to_string(std::stoll(step) << log2);
        }
        if (log2 > 0) out_.op("shl.b64", {sum.name, sum.name, std::to_string(log2)});
        out_.op("add.s64", {sum.name, frame_.pointer.at(operand(copy_, side).buffer), sum.name});
        place.at = {sum.name};
        moving_.push_back({sum.name, true, {}, sum.steps});
        return;
    }
    moving_.push_back({sum.name, true, {}, sum.steps});
    const int number = operand(copy_, side).buffer;
    if (at.space == Space::global)
        place.at = {out_.fresh(Bank::b64), sum.name, frame_.pointer.at(number)};
    else
        place.at = {out_.fresh(Bank::b32), sum.name, write_shared_address(out_, frame_, frame_.shared.offsets[static_cast<std::size_t>(number)].count)};
    if (!segment_.side(side).address.swizzle.is_identity() || at.dtype.size != Bits{8}) place.at.work = out_.fresh(Bank::b64);
}

void SegmentWriter::symbolic_address_in_round(Place& place) {
    const Side side = place.side;
    if (buffer(side).space == Space::global && moves_in_bytes(side)) return;
    const Address& at = place.at;
    const Swizzle& swizzle = segment_.side(side).address.swizzle;
    const Bits element = buffer(side).dtype.size;
    std::string value = at.sum;
    if (!swizzle.is_identity()) {
        SideForm form;
        form.mask = swizzle.source_mask();
        form.shift = swizzle.shift_log2;
        xor_in(form, true, at.work, value);
        value = at.work;
    }
    if (element != Bits{8}) {
        const int log2 = floor_log2(element.count) - 3;
        out_.op(log2 > 0 ? "shl.b64" : "shr.u64", {at.work, value, std::to_string(log2 > 0 ? log2 : -log2)});
        value = at.work;
    }
    if (buffer(side).space == Space::shared) {
        out_.op("cvt.u32.u64", {at.name, value});
        out_.op("add.s32", {at.name, at.base, at.name});
    } else {
        out_.op("add.s64", {at.name, at.base, value});
    }
}

/// What a flat sum counts in: bytes; elements, where a byte holds several.
std::int64_t flat_scale(const Buffer& buffer) { return std::max<std::int64_t>(1, buffer.dtype.size / Bits{8}); }

/// The address is computed in each round; here only what it starts from.
void SegmentWriter::prepare_flat_address(Place& place) {
    const Side side = place.side;
    const Buffer& at = buffer(side);
    const AddressPlan& address = place.plan;
    const std::string sum = describe_flat(address, flat_scale(at));
    out_.comment(std::string(side == Side::src ? "from " : "to ") + at.name + (at.dtype.size < Bits{8} ? ", element " : ", byte ") +
                 (address.swizzle.is_identity() ? sum : "swizzled(" + sum + ")") + " for index i");
    const int number = operand(copy_, side).buffer;
    if (at.space == Space::global)
        place.at = {out_.fresh(Bank::b64), {}, frame_.pointer.at(number)};
    else
        place.at = {out_.fresh(Bank::b32), {}, write_shared_address(out_, frame_, frame_.shared.offsets[static_cast<std::size_t>(number)].count)};
}

void SegmentWriter::flat_address_in_round(Place& place) {
    const Side side = place.side;
    const Address& at = place.at;
    const AddressPlan& address = place.plan;
    const Bits element = buffer(side).dtype.size;
    const std::int64_t scale = flat_scale(buffer(side));
    std::string sum = write_flat_sum(out_, address, scale, index_, wide_index_);
    if (!address.swizzle.is_identity()) {
        SideForm form;
        form.mask = address.swizzle.source_mask() * scale;
        form.shift = address.swizzle.shift_log2;
        xor_in(form, wide_index_, sum, sum);
    }
    if (element < Bits{8}) out_.op(wide_index_ ? "shr.u64" : "shr.u32", {sum, sum, std::to_string(floor_log2(Bits{8} / element))});
    if (buffer(side).space == Space::shared) {
        if (wide_index_) out_.op("cvt.u32.u64", {at.name, sum});
        out_.op("add.s32", {at.name, at.base, wide_index_ ? at.name : sum});
    } else {
        if (!wide_index_) out_.op("cvt.u64.u32", {at.name, sum});
        out_.op("add.s64", {at.name, at.base, wide_index_ ? sum : at.name});
    }
}

/// Where a swizzle reaches below the access, its lanes lie in any order in one block of addresses, and the access starts at the block.
std::string SegmentWriter::access_address(const Reached& access) {
    const Side side = places_[access.place].side;
    const std::string& name = places_[access.place].at.name;
    if (!rounds_down(side)) return access.bytes == 0 ? name : name + "+" + std::to_string(access.bytes);
    const bool global = buffer(side).space == Space::global;
    const std::string block = out_.fresh(global ? Bank::b64 : Bank::b32);
    out_.op(global ? "and.b64" : "and.b32", {block, name, std::to_string(-to_bytes(segment_.side(side).width).count)});
    return block;
}

/// Ands `compared < bound` (lt), or >= (ge), into the predicate `all`.
void SegmentWriter::require(const char* how, const std::string& compared, const std::string& bound, bool wide, std::string& all) {
    const std::string holds = out_.fresh(Bank::pred);
    out_.op(std::string("setp.") + how + (wide ? ".s64" : ".s32"), {holds, compared, bound});
    if (!all.empty()) out_.op("and.pred", {holds, holds, all});
    all = holds;
}

void SegmentWriter::prepare_bounds() {
    for (const Bound& bound : segment_.predicate) {
        std::vector<std::int64_t> weights;
        for (const Digit& digit : segment_.digits)
            weights.push_back(digit.dim == bound.dim ? digit.weight : 0);
        const Affine form = affine(segment_, segment_.start[static_cast<std::size_t>(bound.dim)], weights);
        const Reach reached = reach(form, loops_);
        const bool is_number = bound.below.is_constant();
        const std::int64_t last_lane = bound.beyond == Beyond::zero_lanes ? segment_.vec - 1 : 0;
        const bool is_below = is_number && reached.greatest + last_lane < bound.below, is_above = !bound.from || reached.least >= *bound.from;
        if (is_below && is_above) continue;  // holds always
        const bool wide = !is_number || !fits_int32(reached.least) || !fits_int32(reached.greatest) || !fits_int32(bound.below) || (bound.from && !fits_int32(*bound.from));
        const char* const what = bound.beyond == Beyond::nothing ? "only where " : bound.beyond == Beyond::zeros ? "zeros, unless " : "zeros in lanes, unless their ";
        out_.comment(what + (is_above ? "" : std::to_string(*bound.from) + " <= ") + describe(form, segment_.threads) +
                     (is_below ? "" : " < " + to_string(bound.below, frame_.problem->symbols)));
        const std::string below = is_below ? std::string{} : symbols_.value(out_, bound.below);
        Value coordinate = sums_.sum(form, wide);
        if (!form.moves() && bound.beyond != Beyond::zero_lanes) {
            std::string& all = bound.beyond == Beyond::nothing ? active_ : reads_;
            if (!is_above) require("ge", coordinate.name, std::to_string(*bound.from), wide, all);
            if (!is_below) require("lt", coordinate.name, below, wide, all);
            continue;
        }
        if (form.moves()) {
            coordinate = sums_.own(coordinate, wide);
            moving_.push_back({coordinate.name, wide, steps(form, loops_)});
        }
        const MovingBound moving{coordinate.name, below, is_above ? std::string{} : std::to_string(*bound.from), wide, bound.beyond};
        if (bound.beyond == Beyond::zero_lanes && form.moves()) split_ = moving;
        else if (bound.beyond == Beyond::zero_lanes) bytes_before_ = bytes_before(moving);
        else bounds_.push_back(moving);
    }
}

void SegmentWriter::address_in_round(Place& place) {
    const SideForm& form = place.form;
    const Address& at = place.at;
    if (form.finish != Finish::every_round) return;
    const bool global = buffer(place.side).space == Space::global;
    std::string value = at.sum;
    if (form.mask != 0) {
        xor_in(form, form.wide, at.work, value);
        value = at.work;
    }
    if (form.elements_log2 > 0) {
        out_.op(form.wide ? "shr.u64" : "shr.u32", {at.work, value, std::to_string(form.elements_log2)});
        value = at.work;
    }
    if (global && !form.wide) {
        out_.op("cvt.u64.u32", {at.name, value});
        value = at.name;
    }
    if (!at.base.empty()) out_.op(global ? "add.s64" : "add.s32", {at.name, at.base, value});
}

/// The predicate of the round; addresses are ready then.
std::string SegmentWriter::addresses_in_round() {
    for (Place& place : places_) {
        if (is_symbolic(place.side)) symbolic_address_in_round(place);
        else segment_.flat ? flat_address_in_round(place) : address_in_round(place);
    }
    std::string active = active_;
    for (const MovingBound& bound : bounds_) {
        if (bound.beyond != Beyond::nothing) continue;
        if (!bound.from.empty()) require("ge", bound.coordinate, bound.from, bound.wide, active);
        if (!bound.below.empty()) require("lt", bound.coordinate, bound.below, bound.wide, active);
    }
    return active;
}

/// The predicate of reading in this round, given that of running; empty: always.
std::string SegmentWriter::reads_in_round(const std::string& active) {
    std::string reads = active;
    if (!reads_.empty() && !reads.empty()) {
        reads = out_.fresh(Bank::pred);
        out_.op("and.pred", {reads, active, reads_});
    } else if (!reads_.empty()) {
        reads = reads_;
    }
    for (const MovingBound& bound : bounds_)
        if (bound.beyond == Beyond::zeros) require("lt", bound.coordinate, bound.below, bound.wide, reads);
    return reads;
}

/// A register with the bytes of an access that lie before the bound.
std::string SegmentWriter::bytes_before(const MovingBound& split) {
    const bool is_register = split.below.front() == '%';
    const std::string type = split.wide ? ".s64" : ".s32", left = out_.fresh(split.wide ? Bank::b64 : Bank::b32);
    if (!is_register) out_.op(split.wide ? "mov.b64" : "mov.b32", {left, split.below});
    out_.op("sub" + type, {left, is_register ? split.below : left, split.coordinate});
    out_.op("max" + type, {left, left, "0"});
    out_.op("min" + type, {left, left, std::to_string(segment_.vec)});
    const std::string bytes = split.wide ? out_.fresh(Bank::b32) : left;
    if (split.wide) out_.op("cvt.u32.u64", {bytes, left});
    const int log2 = floor_log2(buffer(Side::src).dtype.size.count) - 3;
    if (log2 > 0) out_.op("shl.b32", {bytes, bytes, std::to_string(log2)});
    return bytes;
}

/// A register or number with the bytes that cp.async reads; it writes zeros behind them.
std::string SegmentWriter::bytes_read(const std::string& reads, Bytes width) {
    std::string bytes = std::to_string(width.count);
    if (!bytes_before_.empty()) bytes = bytes_before_;
    else if (split_) bytes = bytes_before(*split_);
    if (reads.empty()) return bytes;
    const std::string chosen = out_.fresh(Bank::b32);
    out_.op("selp.b32", {chosen, bytes, "0", reads});
    return chosen;
}

void SegmentWriter::register_access(std::int64_t round) {
    const std::string active = addresses_in_round();
    const Side stored = buffer(Side::src).space == Space::registers ? Side::dst : Side::src;
    write_register_access(out_, *frame_.registers, *frame_.problem, copy_, segment_, round, access_address(stored), active);
}

void SegmentWriter::access() {
    const std::string active = addresses_in_round();
    if (const AsyncForm* const form = async_form(segment_.src.instruction, segment_.src.width)) {
        const std::string from = access_address(Side::src), to = access_address(Side::dst);
        std::vector<std::string> operands{"[" + to + "]", "[" + from + "]", std::to_string(to_bytes(form->width).count)};
        if (const std::string bytes = bytes_read(reads_in_round({}), to_bytes(form->width)); bytes != operands.back()) operands.push_back(bytes);
        out_.guarded(active).op(segment_.src.instruction, operands);
        return;
    }
    const AccessForm* const load = access_form(segment_.src.instruction);
    const AccessForm* const store = access_form(segment_.dst.instruction);
    TILEPROOF_CHECK(load != nullptr && load->direction == Direction::load &&
                    load->space == buffer(Side::src).space);
    TILEPROOF_CHECK(store != nullptr && store->direction == Direction::store &&
                    store->space == buffer(Side::dst).space);
    if (is_block(segment_)) {
        std::array<std::vector<std::string>, 2> at;
        for (const Side side : both_sides)
            for (const Reached& one : reached(side)) at[static_cast<std::size_t>(side)].push_back("[" + access_address(one) + "]");
        write_block(out_, segment_, buffer(Side::src).dtype.size, at[0], at[1], active);
        return;
    }
    TILEPROOF_CHECK(load->width == store->width && load->registers == store->registers);
    const std::vector<std::string> data =
        out_.reused(load->register_size == Bits{16} ? Bank::b16 : Bank::data, load->registers);
    std::string tuple;
    for (const std::string& name : data) tuple += (tuple.empty() ? "" : ", ") + name;
    if (data.size() > 1) tuple = "{" + tuple + "}";
    const std::string from = access_address(Side::src), to = access_address(Side::dst);
    const std::string reads = reads_in_round(active);
    if (reads != active)
        for (const std::string& name : data) out_.op(load->register_size == Bits{16} ? "mov.b16" : "mov.b32", {name, "0"});
    out_.guarded(reads).op(segment_.src.instruction, {tuple, "[" + from + "]"});
    out_.guarded(active).op(segment_.dst.instruction, {"[" + to + "]", tuple});
}

void SegmentWriter::loop(std::size_t level) {
    if (level == loops_.size()) return access();
    const std::string again = label_ + "_round" + (loops_.size() > 1 ? std::to_string(level) : "");
    const std::string round = out_.fresh(Bank::b32);
    out_.op("mov.b32", {round, "0"});
    out_.label(again);
    out_.indent();
    loop(level + 1);
    move_on(level);
    const std::string more = out_.fresh(Bank::pred);
    out_.op("add.s32", {round, round, "1"});
    out_.op("setp.lt.s32", {more, round, std::to_string(loops_[level])});
    out_.guarded(more).op("bra", {again});
    out_.outdent();
}

/// Instructions name registers, so each round has its own. `is_last`: nothing follows, whose addresses would have to move on.
void SegmentWriter::unrolled(std::size_t level, std::int64_t round, bool is_last) {
    if (level == loops_.size()) return register_access(round);
    for (std::int64_t i = 0; i < loops_[level]; ++i) {
        const bool ends = is_last && i + 1 == loops_[level];
        unrolled(level + 1, round * loops_[level] + i, ends);
        if (!ends) move_on(level);
    }
}

void SegmentWriter::move_on(std::size_t level) {
    for (const Moving& moving : moving_) {
        if (!moving.symbolic_steps.empty()) {
            if (!moving.symbolic_steps[level].empty()) out_.op("add.s64", {moving.name, moving.name, moving.symbolic_steps[level]});
            continue;
        }
        const std::int64_t step = moving.steps[level];
        if (step == 0) continue;
        out_.op(moving.wide ? "add.s64" : "add.s32",
                {moving.name, moving.name, moving.wide ? std::to_string(step) : low_32_bits(step)});
    }
}

}  // namespace

std::string write_shared_address(PtxWriter& out, const KernelFrame& frame, std::int64_t offset) {
    std::string address = out.fresh(Bank::b32);
    const std::string& start = frame.shared_start;
    if (start.empty())
        out.op("mov.u32", {address, shared_name + (offset == 0 ? "" : "+" + std::to_string(offset))});
    else if (offset == 0)
        out.op("mov.b32", {address, start});
    else
        out.op("add.s32", {address, start, std::to_string(offset)});
    return address;
}

void write_copy(PtxWriter& out, const KernelFrame& frame, const Copy& copy, const CopyPlan& plan,
                int number) {
    const std::string name = identifier(copy.name);
    const std::string label = "L" + std::to_string(number) + "_" + name;
    const Participants who = plan.participants;
    const bool whole_block = who.first == 0 && who.end() == frame.problem->launch.block;
    out.blank();
    out.comment(name + ": " + frame.problem->buffer(copy.src).name + " -> " +
                frame.problem->buffer(copy.dst).name);
    std::string thread = frame.thread;
    if (who.first != 0) {
        thread = out.fresh(Bank::b32);
        out.op("add.s32", {thread, frame.thread, std::to_string(-who.first)});
    }
    if (who.groups > 1) {  // threads of one group are numbered from 0; their number is a power of two
        TILEPROOF_CHECK(whole_block && is_power_of_two(who.count));
        thread = who.count == 1 ? std::string{} : out.fresh(Bank::b32);
        if (who.count > 1) out.op("and.b32", {thread, frame.thread, std::to_string(who.count - 1)});
    }
    if (!whole_block) {
        const std::string outside = out.fresh(Bank::pred);
        out.op("setp.ge.u32",
               {outside, thread, std::to_string(who.count)});  // unsigned: also those before the first
        out.guarded(outside).op("bra", {label + "_end"});
    }
    const bool several = plan.segments.size() > 1;
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {
        const Segment& segment = plan.segments[i];
        TILEPROOF_CHECK(segment.threads == who.count);
        if (several)
            out.comment("segment " + std::to_string(i + 1) + " of " + std::to_string(plan.segments.size()));
        SegmentWriter(out, frame, copy, segment, thread, several ? label + "_s" + std::to_string(i) : label)
            .write();
    }
    if (!whole_block) out.label(label + "_end");
    if (is_asynchronous(plan)) out.op("cp.async.commit_group", {});
}

}  // namespace tileproof
