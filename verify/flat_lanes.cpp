#include "verify/flat_lanes_internal.hpp"

#include <algorithm>
#include <optional>

namespace tileproof {
namespace {

/// What (x / div) mod mod grows by from lane to lane, where x is a multiple of n at lane 0 and grows by 1. Nothing where that differs.
std::optional<std::int64_t> growth(std::int64_t div, std::int64_t mod, std::int64_t n) {
    if (div % n == 0) return 0;              // x / div is the same for n values of x from a multiple of n on
    if (div == 1 && mod % n == 0) return 1;  // they end before the next multiple of mod
    return std::nullopt;
}

std::optional<std::int64_t> growth(const FlatTerm& term, std::int64_t n) {
    if (term.of.empty()) return growth(term.div, term.mod, n);
    std::int64_t grows_by = 0;
    bool is_multiple = term.add % n == 0;  // the sum, at lane 0
    for (const IndexPart& part : term.of) {
        const std::optional<std::int64_t> one = growth(part.div, part.mod, n);
        if (!one) return std::nullopt;
        grows_by += part.times * *one;
        is_multiple = is_multiple && (*one == 1 || part.times % n == 0);  // what grows by 1 is a multiple of n at lane 0
    }
    if (grows_by == 0) return 0;
    return grows_by == 1 && is_multiple ? growth(term.div, term.mod, n) : std::nullopt;
}

/// Accesses begin at multiples of n in the index, and their lanes are the next n.
bool counts_up(const Segment& segment) {
    std::int64_t lanes = 1;
    for (int place = 0; lanes < segment.vec; ++place) {
        const Digit* const digit = digit_at(segment, Role::vec, place);
        if (digit == nullptr || (digit->extent > 1 && digit->weight != lanes)) return false;
        lanes *= digit->extent;
    }
    const auto begins_between = [&](const Digit& d) { return d.role != Role::vec && d.extent > 1 && d.weight % segment.vec != 0; };
    return segment.start[0] % segment.vec == 0 && std::none_of(segment.digits.begin(), segment.digits.end(), begins_between);
}

}  // namespace

bool lanes_follow(const Segment& segment, const AddressPlan& address) {
    if (!counts_up(segment)) return false;
    if (segment.vec == 1) return true;
    Wide sum = 0;
    for (const FlatTerm& term : address.terms) {
        const std::optional<std::int64_t> one = growth(term, segment.vec);
        if (!one || !term.stride.is_constant()) return false;
        sum += Wide{*one} * std::int64_t{term.stride};
    }
    return sum == 1;
}

}  // namespace tileproof
