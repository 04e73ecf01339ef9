#include "emit/ptx_places_internal.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "emit/ptx_flat.hpp"
#include "emit/ptx_matrix_internal.hpp"
#include "layouts/block.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

Segment supplied(const SegmentFrame& at) {
    for (const Side side : both_sides)
        if (const MatrixForm* const form = matrix_form(at.segment.side(side).instruction))
            return supplied_rows(at.segment, side, *form, at.buffer(side).dtype.size);
    return at.segment;
}

/// What a flat sum counts in: bytes; elements, where a byte holds several.
std::int64_t flat_scale(const Buffer& buffer) { return std::max<std::int64_t>(1, buffer.dtype.size / Bits{8}); }

}  // namespace

Places::Places(SegmentFrame& at) : at_(at), out_(at.out), frame_(at.frame), segment_(at.segment), addressed_(supplied(at)) {}

void Places::in_round() {
    for (Place& place : places_) {
        if (is_symbolic(place.side)) symbolic_address_in_round(place);
        else segment_.flat ? flat_address_in_round(place) : address_in_round(place);
    }
}

std::vector<std::string> Places::addresses(Side side) {
    std::vector<std::string> out;
    for (const Reached& one : reached(side)) out.push_back(address(one));
    return out;
}

bool Places::is_symbolic(Side side) const { return ::tileproof::is_symbolic(segment_.side(side).address); }

bool Places::rounds_down(Side side) const {
    const Swizzle& swizzle = segment_.side(side).address.swizzle;
    return !swizzle.is_identity() && (std::int64_t{1} << swizzle.base_log2) < segment_.side(side).width / buffer(side).dtype.size &&
           !is_matrix(segment_.side(side).instruction);
}

bool Places::moves_in_bytes(Side side) const {
    return segment_.side(side).address.swizzle.is_identity() && buffer(side).dtype.size >= Bits{8};
}

/// to = x ^ ((x & mask) >> shift)
void Places::xor_in(const SideForm& form, bool wide, const std::string& to, const std::string& x) {
    constexpr std::int64_t low_32 = 0xffffffff;
    const std::string bits = out_.fresh(wide ? Bank::b64 : Bank::b32);
    out_.op(wide ? "and.b64" : "and.b32", {bits, x, hexadecimal(wide ? form.mask : form.mask & low_32)});
    const std::string distance = std::to_string(form.shift < 0 ? -form.shift : form.shift);
    if (form.shift < 0) out_.op(wide ? "shl.b64" : "shl.b32", {bits, bits, distance});
    else out_.op(wide ? "shr.u64" : "shr.u32", {bits, bits, distance});
    out_.op(wide ? "xor.b64" : "xor.b32", {to, x, bits});
}

Places::Address Places::global_address(const SideForm& form, const std::string& pointer) {
    const std::vector<std::int64_t> by_round = steps(form.sum, at_.loops);
    if (form.finish == Finish::every_round) {
        Address out{out_.fresh(Bank::b64), at_.sums.own(at_.sums.sum(form.sum, form.wide), form.wide).name, pointer};
        out.work = form.wide ? out.name : out_.fresh(Bank::b32);
        at_.moving.push_back({out.sum, form.wide, by_round});
        return out;
    }
    Value value{pointer};
    if (form.finish == Finish::linear && (form.wide || form.sum.thread.empty())) {
        value = at_.sums.sum(form.sum, true, value);
        if (form.sum.moves()) value = at_.sums.own(value, true);
    } else {
        Value offset = at_.sums.sum(form.sum, form.wide);
        if (form.finish == Finish::xor_once) {
            const Value mixed = offset.owned ? offset : Value{out_.fresh(form.wide ? Bank::b64 : Bank::b32), true};
            xor_in(form, form.wide, mixed.name, offset.name);
            offset = mixed;
        }
        value = form.wide ? at_.sums.own(offset, true) : Value{out_.fresh(Bank::b64), true};
        if (!form.wide) out_.op(form.negative ? "cvt.s64.s32" : "cvt.u64.u32", {value.name, offset.name});
        out_.op("add.s64", {value.name, pointer, value.name});
    }
    at_.moving.push_back({value.name, true, by_round});
    return {value.name};
}

Places::Address Places::shared_address(const SideForm& form, Bytes offset) {
    // The array's start can join the sum before the swizzle where it is a multiple of the period.
    const bool joins = form.finish == Finish::linear ||
                       (form.elements_log2 == 0 && offset.count % form.period == 0 && frame_.shared.align.count % form.period == 0);
    const auto start = [&](std::int64_t at) { return Value{write_shared_address(out_, frame_, at), true}; };
    Affine form_sum = form.sum;
    Value value;
    if (joins) {
        const std::int64_t at = offset.count + form_sum.constant;
        const bool plain = at >= 0 && fits_int32(at);
        if (plain) form_sum.constant = 0;
        value = at_.sums.sum(form_sum, false, start(plain ? at : offset.count));
    } else {
        value = at_.sums.own(at_.sums.sum(form_sum, false), false);
    }
    const std::vector<std::int64_t> by_round = steps(form.sum, at_.loops);
    if (form.finish == Finish::every_round) {
        Address out{out_.fresh(Bank::b32), value.name, joins ? "" : start(offset.count).name};
        out.work = out.name;
        at_.moving.push_back({value.name, false, by_round});
        return out;
    }
    if (form.finish == Finish::xor_once) {
        xor_in(form, false, value.name, value.name);
        if (!joins) out_.op("add.s32", {value.name, start(offset.count).name, value.name});
    }
    at_.moving.push_back({value.name, false, by_round});
    return {value.name};
}

void Places::explain(Side side, const SideForm& form) {
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
bool Places::lie_apart_by_fixed_distances(Side side) const {
    const Buffer& at = buffer(side);
    if (is_symbolic(side) || at.dtype.size < Bits{8} || rounds_down(side)) return false;
    // What stands behind a register in brackets has 32 bits (PTX ISA, "Addresses as Operands").
    Wide farthest = 0;
    for (std::size_t i = 0; i < segment_.digits.size(); ++i)
        if (segment_.digits[i].role == Role::vec)
            farthest += Wide{std::abs(std::int64_t{segment_.side(side).address.strides[i]})} * segment_.digits[i].extent *
                        (at.dtype.size / Bits{8});
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

void Places::prepare(Side side) {
    if (segment_.flat && index_.empty()) prepare_index();
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

void Places::prepare(Place& place) {
    if (is_symbolic(place.side)) prepare_symbolic_address(place);
    else segment_.flat ? prepare_flat_address(place) : prepare_address(place);
}

void Places::prepare_address(Place& place) {
    const Buffer& at = buffer(place.side);
    SidePlan side = addressed_.side(place.side);
    side.address = place.plan;
    place.form = side_form(addressed_, side, at.dtype.size, at.space);
    explain(place.side, place.form);
    const int number = operand(at_.copy, place.side).buffer;
    place.at = at.space == Space::global ? global_address(place.form, frame_.pointer.at(number))
                                         : shared_address(place.form, frame_.shared.offsets[static_cast<std::size_t>(number)]);
}

void Places::prepare_index() {
    std::vector<std::int64_t> weights;
    for (const Digit& digit : segment_.digits) weights.push_back(digit.weight);
    const Affine form = affine(segment_, segment_.start[0], weights);
    wide_index_ = segment_.src.address.index_bits == 64 || segment_.dst.address.index_bits == 64;
    out_.comment("index " + describe(form, segment_.threads));
    index_ = at_.sums.own(at_.sums.sum(form, wide_index_), wide_index_).name;
    at_.moving.push_back({index_, wide_index_, steps(form, at_.loops)});
}

/// A plain sum moves along in bytes. One with a swizzle, or of parts of bytes, moves in elements: it is swizzled, scaled and added to
/// the base in each round.
void Places::prepare_symbolic_address(Place& place) {
    const Side side = place.side;
    const Buffer& at = buffer(side);
    out_.comment(std::string(side == Side::src ? "from " : "to ") + at.name + ", where symbols say");
    SymbolicSum sum = write_symbolic_sum(out_, at_.sums, at_.symbols, addressed_, place.plan);
    if (at.space == Space::global && moves_in_bytes(side)) {
        const int log2 = floor_log2(at.dtype.size.count) - 3;
        for (std::string& step : sum.steps) {
            if (step.empty() || log2 == 0) continue;
            if (step.front() == '%') out_.op("shl.b64", {step, step, std::to_string(log2)});
            else step = std::to_string(std::stoll(step) << log2);
        }
        if (log2 > 0) out_.op("shl.b64", {sum.name, sum.name, std::to_string(log2)});
        out_.op("add.s64", {sum.name, frame_.pointer.at(operand(at_.copy, side).buffer), sum.name});
        place.at = {sum.name};
        at_.moving.push_back({sum.name, true, {}, sum.steps});
        return;
    }
    at_.moving.push_back({sum.name, true, {}, sum.steps});
    const int number = operand(at_.copy, side).buffer;
    if (at.space == Space::global) place.at = {out_.fresh(Bank::b64), sum.name, frame_.pointer.at(number)};
    else
        place.at = {out_.fresh(Bank::b32), sum.name,
                    write_shared_address(out_, frame_, frame_.shared.offsets[static_cast<std::size_t>(number)].count)};
    if (!segment_.side(side).address.swizzle.is_identity() || at.dtype.size != Bits{8}) place.at.work = out_.fresh(Bank::b64);
}

void Places::symbolic_address_in_round(Place& place) {
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

/// The address is computed in each round; here only what it starts from.
void Places::prepare_flat_address(Place& place) {
    const Side side = place.side;
    const Buffer& at = buffer(side);
    const AddressPlan& address = place.plan;
    const std::string sum = describe_flat(address, flat_scale(at));
    out_.comment(std::string(side == Side::src ? "from " : "to ") + at.name + (at.dtype.size < Bits{8} ? ", element " : ", byte ") +
                 (address.swizzle.is_identity() ? sum : "swizzled(" + sum + ")") + " for index i");
    const int number = operand(at_.copy, side).buffer;
    if (at.space == Space::global) place.at = {out_.fresh(Bank::b64), {}, frame_.pointer.at(number)};
    else
        place.at = {
            out_.fresh(Bank::b32), {}, write_shared_address(out_, frame_, frame_.shared.offsets[static_cast<std::size_t>(number)].count)};
}

void Places::flat_address_in_round(Place& place) {
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
std::string Places::address(const Reached& access) {
    const Side side = places_[access.place].side;
    const std::string& name = places_[access.place].at.name;
    if (!rounds_down(side)) return access.bytes == 0 ? name : name + "+" + std::to_string(access.bytes);
    const bool global = buffer(side).space == Space::global;
    const std::string block = out_.fresh(global ? Bank::b64 : Bank::b32);
    out_.op(global ? "and.b64" : "and.b32", {block, name, std::to_string(-to_bytes(segment_.side(side).width).count)});
    return block;
}

void Places::address_in_round(Place& place) {
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

}  // namespace tileproof
