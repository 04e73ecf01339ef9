#include "solver/width.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "layouts/address.hpp"
#include "solver/smt.hpp"

namespace tileproof {
namespace {

/// Terms of one width in one theory: box coordinates as bit-vectors of `bits` bits, congruent to the true ones.
class BoxTerms {
public:
    BoxTerms(z3::context& context, const CanonicalBox& box, unsigned bits) : context_(context), bits_(bits) {
        const std::vector<std::int64_t> shape = box.box.shape();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            coordinates_.push_back(context.bv_const(("c" + std::to_string(i)).c_str(), bits));
            if (bits >= 63 || shape[i] < (std::int64_t{1} << bits)) ranges_.push_back(z3::ult(coordinates_.back(), number(shape[i])));
        }
    }

    z3::expr number(std::int64_t n) const { return context_.bv_val(n, bits_); }

    /// offset + sum stride * coordinate; the run dimension counts whole runs.
    z3::expr head(const BoxSide& side, std::optional<std::size_t> run, std::int64_t n) const {
        z3::expr sum = number(side.offset);
        for (std::size_t i = 0; i < side.strides.size(); ++i) {
            if (side.strides[i] == 0) continue;
            smt::assign(sum, sum + coordinates_[i] * number(run == i ? n : std::int64_t{side.strides[i]}));
        }
        return sum;
    }

    std::vector<z3::expr> ranges() const { return ranges_; }

    /// In the run dimension the coordinate counts runs instead of elements.
    void limit(std::size_t dim, std::int64_t below) {
        if (bits_ >= 63 || below < (std::int64_t{1} << bits_)) ranges_.push_back(z3::ult(coordinates_[dim], number(below)));
    }

private:
    z3::context& context_;
    unsigned bits_;
    std::vector<z3::expr> coordinates_;
    std::vector<z3::expr> ranges_;
};

struct BitVectors {
    using Value = z3::expr;
    z3::context& context;
    unsigned bits;
    Value constant(std::int64_t k) const { return context.bv_val(k, bits); }
    Value bit_and(const Value& a, std::int64_t k) const { return a & constant(k); }
    static Value bit_xor(const Value& a, const Value& b) { return a ^ b; }
    Value shift_left(const Value& a, int k) const { return z3::shl(a, constant(k)); }
    Value shift_right(const Value& a, int k) const { return z3::lshr(a, constant(k)); }
};

Bits base_residue(const Buffer& buffer) { return to_bits(buffer.base.value_or(Bytes{0})); }

/// Is some run's head off its alignment? Only the low bits of the address matter.
smt::Outcome misaligned(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, std::optional<std::size_t> run,
                        Bits width) {
    if (width == Bits{8} && problem.buffer(copy.src).dtype.size == Bits{8}) return {smt::Answer::unsat};
    const auto bits = static_cast<unsigned>(floor_log2(width.count));
    return smt::guarded([&]() -> smt::Outcome {
        const BoxTerms terms(z3.context(), box, bits);
        std::vector<z3::expr> query = terms.ranges();
        z3::expr wrong = z3.context().bool_val(false);
        for (const Side side : both_sides) {
            const Buffer& buffer = problem.buffer(operand(copy, side));
            const Bits element = buffer.dtype.size;
            const z3::expr head = terms.head(box.side(side), run, width / element);
            smt::assign(wrong, wrong || terms.number(base_residue(buffer).count) + head * terms.number(element.count) != terms.number(0));
        }
        query.push_back(wrong);
        return z3.check(smt::Theory::bit_vectors, query);
    });
}

/// Does a swizzle tear a run apart, or order its lanes differently on the two sides?
smt::Outcome torn(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, std::optional<std::size_t> run,
                  std::int64_t n) {
    std::int64_t largest = 1;
    for (const Side side : both_sides) {
        const Layout& layout = problem.buffer(operand(copy, side)).layout;
        largest = std::max({largest, reach(layout)->greatest, std::int64_t{1} << layout.swizzle.period_log2()});
    }
    const auto bits = static_cast<unsigned>(floor_log2(largest) + 3);
    return smt::guarded([&]() -> smt::Outcome {
        BoxTerms terms(z3.context(), box, bits);
        const BitVectors algebra{z3.context(), bits};
        if (run) terms.limit(*run, box.box.shape()[*run] / n);
        const z3::expr lane = z3.context().bv_const("lane", bits);
        std::vector<z3::expr> query = terms.ranges();
        query.push_back(z3::ult(lane, terms.number(n)));
        z3::expr wrong = z3.context().bool_val(false);
        std::vector<z3::expr> places;
        for (const Side side : both_sides) {
            const Buffer& buffer = problem.buffer(operand(copy, side));
            const z3::expr head = terms.head(box.side(side), run, n);
            const z3::expr residue = terms.number(base_residue(buffer) / buffer.dtype.size % n);
            const z3::expr first = swizzled(algebra, buffer.layout.swizzle, head) + residue;
            const z3::expr at = swizzled(algebra, buffer.layout.swizzle, head + lane) + residue;
            smt::assign(wrong, wrong || ((first ^ at) & terms.number(-n)) != terms.number(0));  // another block
            places.push_back(at & terms.number(n - 1));
        }
        query.push_back(wrong || places[0] != places[1]);
        return z3.check(smt::Theory::bit_vectors, query);
    });
}

}  // namespace

std::optional<std::size_t> run_dimension(const CanonicalBox& box, std::int64_t n) {
    const std::vector<std::int64_t> shape = box.box.shape();
    for (std::size_t i = 0; n > 1 && i < shape.size(); ++i)
        if (box.src.strides[i] == Expression(1) && box.dst.strides[i] == Expression(1) && shape[i] % n == 0) return i;
    return std::nullopt;
}

Legality judge_width(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box, Bits width) {
    const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
    const std::optional<std::size_t> run = run_dimension(box, n);
    if (n > 1 && !run) return Legality::refused;
    const auto as_legality = [](const smt::Outcome& fault) {
        return fault.answer == smt::Answer::unsat ? Legality::legal
               : fault.answer == smt::Answer::sat ? Legality::refused
                                                  : Legality::undecided;
    };
    const Legality linear = as_legality(misaligned(z3, problem, copy, box, run, width));
    const bool swizzles = !problem.buffer(copy.src).layout.swizzle.is_identity() || !problem.buffer(copy.dst).layout.swizzle.is_identity();
    if (linear != Legality::legal || n == 1 || !swizzles) return linear;
    return as_legality(torn(z3, problem, copy, box, run, n));
}

Overlap destination_overlap(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box) {
    const std::vector<std::int64_t> shape = box.box.shape();
    const smt::Outcome outcome = smt::guarded([&]() -> smt::Outcome {
        z3::context& context = z3.context();
        std::vector<z3::expr> differences, query;
        z3::expr sum = context.int_val(0), some = context.bool_val(false);
        for (std::size_t i = 0; i < shape.size(); ++i) {
            differences.push_back(context.int_const(("d" + std::to_string(i)).c_str()));
            query.push_back(differences[i] > context.int_val(-shape[i]));
            query.push_back(differences[i] < context.int_val(shape[i]));
            smt::assign(sum, sum + differences[i] * context.int_val(box.dst.strides[i]));
            smt::assign(some, some || differences[i] != 0);
        }
        query.push_back(sum == 0);
        query.push_back(some);
        return z3.check(smt::Theory::linear, query, differences);
    });
    if (outcome.answer == smt::Answer::unsat) return {Overlap::none};
    if (outcome.answer == smt::Answer::unknown) return {Overlap::undecided};
    std::vector<std::int64_t> first(shape.size()), second(shape.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
        first[i] = std::max<std::int64_t>(0, -outcome.values[i]);
        second[i] = first[i] + outcome.values[i];
    }
    const auto a = logical_coordinate(copy, Side::dst, box.box, first);
    const auto b = logical_coordinate(copy, Side::dst, box.box, second);
    const Buffer& buffer = problem.buffer(copy.dst);
    TILEPROOF_CHECK(a != b && element_offset(buffer.layout, a) == element_offset(buffer.layout, b));
    Diagnostic out{
        "dst-overlaps",
        fmt::format("elements ({}) and ({}) of {} share the byte {}", fmt::join(std::min(a, b), ","), fmt::join(std::max(a, b), ","),
                    buffer.name, to_bytes(Elements{element_offset(buffer.layout, a)}, buffer.dtype.size).count),
        copy.dst.place};
    out.notes.push_back("a copy that writes one place twice has no defined result, whatever the order");
    return {Overlap::found, out};
}

}  // namespace tileproof
