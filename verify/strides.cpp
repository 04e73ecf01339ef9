#include "verify/strides_internal.hpp"

#include <algorithm>

namespace tileproof {
namespace {

/// In the order of `key`, the least first. With `merge` the digits before the first index of a block need not be apart from each other.
template <class Key>
bool are_apart(std::vector<Stride> left, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative, bool merge,
               const Key& key) {
    const auto rank = [&](const Stride& digit) { return key(interval(digit.stride, symbols)); };
    std::stable_sort(left.begin(), left.end(), [&](const Stride& a, const Stride& b) { return rank(a) < rank(b); });
    Expression reached = 0;
    bool is_below_teams = true;
    while (!left.empty()) {
        auto next = left.begin();
        const bool merges = merge && is_below_teams && !next->is_team && is_nonnegative(next->stride);
        if (!merges)
            next =
                std::find_if(left.begin(), left.end(), [&](const Stride& digit) { return is_nonnegative(digit.stride - reached.plus(1)); });
        if (next == left.end()) return false;
        is_below_teams = is_below_teams && !next->is_team;
        reached = reached + next->stride.times(next->extent - 1);
        left.erase(next);
    }
    return true;
}

bool are_apart(std::vector<Stride> digits, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative, bool merge) {
    for (Stride& digit : digits)  // counted from the other end, the same offsets
        if (interval(digit.stride, symbols).greatest <= 0) digit.stride = digit.stride.times(-1);
    return are_apart(digits, symbols, is_nonnegative, merge, [](const Interval& range) { return range.least; }) ||
           are_apart(digits, symbols, is_nonnegative, merge, [](const Interval& range) { return range.greatest; });
}

}  // namespace

bool strides_are_apart(std::vector<Stride> digits, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative) {
    return are_apart(std::move(digits), symbols, is_nonnegative, false);
}

bool teams_differ(std::vector<Stride> digits, const std::vector<Symbol>& symbols, const IsNonnegative& is_nonnegative) {
    return strides_are_apart(digits, symbols, is_nonnegative) || are_apart(std::move(digits), symbols, is_nonnegative, true);
}

}  // namespace tileproof
