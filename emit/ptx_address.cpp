#include "emit/ptx_address.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "layouts/address.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;
constexpr std::int64_t most_pairs = std::int64_t{1} << 22;

std::vector<std::size_t> by_place(const Segment& segment, Role role) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < segment.digits.size(); ++i)
        if (segment.digits[i].role == role) out.push_back(i);
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return segment.digits[a].place < segment.digits[b].place; });
    return out;
}

void widen(Reach& reach, std::int64_t stride, std::int64_t extent) { (stride < 0 ? reach.least : reach.greatest) += stride * (extent - 1); }

/// The sums of one element of `values` and one multiple 0 .. extent-1 of `stride`, modulo `period`, each once.
/// Nothing where there are too many.
std::optional<std::vector<std::int64_t>> residues_with(const std::vector<std::int64_t>& values, std::int64_t stride, std::int64_t extent,
                                                       std::int64_t period) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (extent > most_pairs / count) return std::nullopt;
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(count * extent));
    for (std::int64_t digit = 0; digit < extent; ++digit)
        for (const std::int64_t value : values) out.push_back((value + digit * stride) & (period - 1));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Whether bytes can carry the sum: every part is a whole number of bytes and the swizzle moves whole bytes.
bool counts_bytes(const Affine& elements, const Swizzle& swizzle, int elements_log2) {
    const std::int64_t low = (std::int64_t{1} << elements_log2) - 1;
    bool whole = (elements.constant & low) == 0 && (swizzle.is_identity() || swizzle.base_log2 >= elements_log2);
    for (const ThreadTerm& term : elements.thread) whole = whole && (term.coefficient & low) == 0;
    for (const std::int64_t round : elements.rounds) whole = whole && (round & low) == 0;
    return whole;
}

/// n elements in bytes; `bytes_log2` < 0 where a byte holds several. Requires: a whole number of bytes.
std::int64_t scaled(std::int64_t n, int bytes_log2) {
    return bytes_log2 >= 0 ? n * (std::int64_t{1} << bytes_log2) : n / (std::int64_t{1} << -bytes_log2);
}

/// Whether the first round's sum does not fit 32 bits: the rounds are added to it in 64. Sums of `every_round` are used as they
/// are, modulo 2^32, and a plan with 32-bit indices uses none beyond that.
bool needs_64_bits(const SideForm& form) {
    if (form.finish == Finish::every_round) return false;
    const Reach first = first_round_reach(form.sum);
    if (form.finish == Finish::linear && first.least < 0)
        return first.least < std::numeric_limits<std::int32_t>::min() || first.greatest > std::numeric_limits<std::int32_t>::max();
    // A swizzle stays inside its block of a period, and 2^32 is a whole number of those.
    return first.least < 0 || first.greatest >= two_to_32 || form.period > two_to_32;
}

}  // namespace

bool Affine::moves() const {
    return std::any_of(rounds.begin(), rounds.end(), [](std::int64_t n) { return n != 0; });
}

std::vector<std::int64_t> loop_extents(const Segment& segment) {
    std::vector<std::int64_t> out;
    for (const std::size_t i : by_place(segment, Role::outer))
        if (segment.digits[i].extent > 1) out.insert(out.begin(), segment.digits[i].extent);
    return out;
}

Affine affine(const Segment& segment, std::int64_t constant, const std::vector<std::int64_t>& per_digit) {
    Affine out{constant};
    std::int64_t divisor = 1;
    for (const std::size_t i : by_place(segment, Role::thread)) {
        const std::int64_t extent = segment.digits[i].extent;
        const std::int64_t coefficient = per_digit[i];
        if (extent > 1 && coefficient != 0) {
            ThreadTerm* const last = out.thread.empty() ? nullptr : &out.thread.back();
            if (last != nullptr && last->divisor * last->extent == divisor && last->coefficient * last->extent == coefficient)
                last->extent *= extent;
            else out.thread.push_back({divisor, extent, coefficient});
        }
        divisor *= extent;
    }
    for (const std::size_t i : by_place(segment, Role::outer))
        if (segment.digits[i].extent > 1) out.rounds.insert(out.rounds.begin(), per_digit[i]);
    return out;
}

Reach first_round_reach(const Affine& form) {
    Reach out{form.constant, form.constant};
    for (const ThreadTerm& term : form.thread) widen(out, term.coefficient, term.extent);
    return out;
}

Reach reach(const Affine& form, const std::vector<std::int64_t>& loops) {
    Reach out = first_round_reach(form);
    for (std::size_t k = 0; k < loops.size(); ++k) widen(out, form.rounds[k], loops[k]);
    return out;
}

std::vector<std::int64_t> steps(const Affine& form, const std::vector<std::int64_t>& loops) {
    std::vector<std::int64_t> out = form.rounds;
    for (std::size_t k = 0; k + 1 < loops.size(); ++k) out[k] -= form.rounds[k + 1] * loops[k + 1];
    return out;
}

std::string describe(const Affine& form, std::int64_t threads) {
    std::string out;
    const auto plus = [&](std::int64_t n, const std::string& what) {
        out += out.empty() ? (n < 0 ? "-" : "") : (n < 0 ? " - " : " + ");
        const std::string size = std::to_string(n < 0 ? -n : n);
        out += what.empty() ? size : size == "1" ? what : size + " " + what;
    };
    for (std::size_t i = form.thread.size(); i-- > 0;) {
        const ThreadTerm& term = form.thread[i];
        std::string digit = term.divisor == 1 ? "t" : "t / " + std::to_string(term.divisor);
        if (term.divisor * term.extent != threads) digit += " % " + std::to_string(term.extent);
        plus(term.coefficient, digit == "t" ? digit : "(" + digit + ")");
    }
    int loop = 0;
    for (const std::int64_t round : form.rounds) {
        const std::string name = form.rounds.size() > 1 ? "i" + std::to_string(loop++) : "i";
        if (round != 0) plus(round, name);
    }
    if (form.constant != 0 || out.empty()) plus(form.constant, "");
    return out;
}

bool xor_is_invariant(const Affine& sum, const std::vector<std::int64_t>& loops, const Swizzle& swizzle) {
    const std::int64_t period = std::int64_t{1} << swizzle.period_log2();
    if (std::all_of(sum.rounds.begin(), sum.rounds.end(), [&](std::int64_t n) { return n % period == 0; })) return true;
    // swz(x) - x depends on x modulo the period only, so residues decide.
    std::optional<std::vector<std::int64_t>> threads{{sum.constant & (period - 1)}};
    for (const ThreadTerm& term : sum.thread)
        if (threads) threads = residues_with(*threads, term.coefficient, term.extent, period);
    std::optional<std::vector<std::int64_t>> rounds{{0}};
    for (std::size_t k = 0; k < loops.size(); ++k)
        if (rounds) rounds = residues_with(*rounds, sum.rounds[k], loops[k], period);
    if (!threads || !rounds || threads->size() > static_cast<std::size_t>(most_pairs) / rounds->size()) return false;
    const auto moved = [&](std::int64_t x) { return swizzled(Integers{}, swizzle, x) - x; };
    for (const std::int64_t thread : *threads)
        for (const std::int64_t round : *rounds)
            if (moved(thread) != moved((thread + round) & (period - 1))) return false;
    return true;
}

SideForm side_form(const Segment& segment, const SidePlan& side, Bits element, Space space) {
    const std::vector<std::int64_t> loops = loop_extents(segment);
    const AddressPlan& address = side.address;
    Affine elements = affine(segment, address.offset, constants(address.strides));

    SideForm out;
    Swizzle swizzle = address.swizzle;
    out.finish = swizzle.is_identity()                        ? Finish::linear
                 : xor_is_invariant(elements, loops, swizzle) ? Finish::xor_once
                                                              : Finish::every_round;
    if (out.finish == Finish::xor_once && elements.thread.empty()) {  // one address: swizzled here and now
        elements.constant = swizzled(Integers{}, swizzle, elements.constant);
        swizzle = {};
        out.finish = Finish::linear;
    }

    int bytes_log2 = floor_log2(element.count) - 3;  // bytes of an element; negative: a byte holds several
    if (bytes_log2 < 0 && !counts_bytes(elements, swizzle, -bytes_log2)) {
        out.elements_log2 = -bytes_log2;
        out.finish = Finish::every_round;
        bytes_log2 = 0;
    }
    out.sum = elements;
    out.sum.constant = scaled(elements.constant, bytes_log2);
    for (ThreadTerm& term : out.sum.thread) term.coefficient = scaled(term.coefficient, bytes_log2);
    for (std::int64_t& round : out.sum.rounds) round = scaled(round, bytes_log2);
    if (!swizzle.is_identity()) {
        out.mask = scaled(swizzle.source_mask(), bytes_log2);
        out.shift = swizzle.shift_log2;
        out.period = scaled(std::int64_t{1} << swizzle.period_log2(), bytes_log2);
    }
    if (space == Space::shared) return out;  // 32-bit addresses, so arithmetic modulo 2^32 is all that it takes
    out.wide = address.index_bits == 64 || needs_64_bits(out);
    out.negative = !out.wide && first_round_reach(out.sum).least < 0;
    return out;
}

}  // namespace tileproof
