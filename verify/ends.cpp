#include "verify/ends_internal.hpp"

#include <algorithm>
#include <set>

#include "solver/smt_symbols.hpp"

namespace tileproof {

namespace {

constexpr std::int64_t most_lanes = 4096;  // of an access along one dimension, that some_misaligned is asked of
constexpr std::size_t most_ends = 32;      // of a box: at each bound of each dimension

}  // namespace

End End::at_bound(std::size_t dim, const std::vector<BoxBound>& all, std::size_t k, std::int64_t box) const {
    End out = *this;
    out.extents.insert_or_assign(dim, all[k].below);
    if (all[k].clips) out.facts.push_back({{all[k].below}, Comparison::less, {box}});
    add_least(all, k, out.facts);
    return out;
}

End End::behind(std::size_t dim, const std::vector<BoxBound>& all, std::int64_t box) const {
    End out = *this;
    out.extents.insert_or_assign(dim, Expression(box));
    for (const BoxBound& bound : all) out.facts.push_back({{bound.below}, Comparison::greater_equal, {box}});
    return out;
}

bool EndProofs::are_the_greatest() {
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const auto& all) {
        return std::all_of(all.second.begin(), all.second.end(), [&](const BoxBound& bound) {
            const Expression left = Expression(shape_[all.first]) - bound.below;
            return bound.clips || is_impossible(smt::nonnegative(inquiry_.asking(), left, symbols_, facts_));
        });
    });
}

bool EndProofs::are_the_bounds() const {
    std::size_t asked = 0;
    for (const auto& [dim, all] : bounds_) asked += all.size();
    for (const Segment& s : plan_.segments) {
        std::set<const BoxBound*> found;
        for (const Bound& bound : s.predicate) {
            if (bound.below.is_constant()) continue;
            if (bound.from.has_value() || bound.beyond != Beyond::nothing) return false;  // the region has none of such a bound
            const auto counts_down = [&](const Digit& d) { return d.role == Role::vec && d.dim == bound.dim && d.weight < 0; };
            if (std::any_of(s.digits.begin(), s.digits.end(), counts_down)) return false;
            const BoxBound* const wanted = bound_of_region(bound);
            if (wanted == nullptr) return false;
            found.insert(wanted);
        }
        if (found.size() != asked) return false;
    }
    return true;
}

const BoxBound* EndProofs::bound_of_region(const Bound& bound) const {
    const auto all = bounds_.find(static_cast<std::size_t>(bound.dim));
    if (all == bounds_.end()) return nullptr;
    const auto same = std::find_if(all->second.begin(), all->second.end(), [&](const BoxBound& one) { return one.below == bound.below; });
    return same == all->second.end() ? nullptr : &*same;
}

bool EndProofs::lie_between_accesses() {
    if (!are_the_bounds()) return false;
    for (const auto& [dim, all] : bounds_)
        for (std::size_t k = 0; k < all.size(); ++k)
            if (!lies_between_accesses(dim, all, k)) return false;
    return true;
}

bool EndProofs::lies_between_accesses(std::size_t dim, const std::vector<BoxBound>& all, std::size_t k) {
    const BoxBound& bound = all[k];
    std::vector<Fact> facts = facts_;
    facts.push_back({{bound.below}, Comparison::greater_equal, {1}});
    if (bound.clips) facts.push_back({{bound.below}, Comparison::less, {shape_[dim]}});
    add_least(all, k, facts);
    for (const Segment& s : plan_.segments) {
        std::int64_t lanes = 1;
        for (const Digit& d : s.digits) {
            if (d.role != Role::vec || d.dim != static_cast<int>(dim) || d.extent == 1) continue;
            if (d.weight < 1) return false;
            lanes += d.weight * (d.extent - 1);
        }
        if (lanes == 1) continue;
        const auto begins_between = [&](const Digit& d) {
            return d.role != Role::vec && d.dim == static_cast<int>(dim) && d.extent > 1 && d.weight % lanes != 0;
        };
        if (s.start[dim] % lanes != 0 || std::any_of(s.digits.begin(), s.digits.end(), begins_between)) return false;
        if (!is_power_of_two(lanes) || lanes > most_lanes) return false;
        if (!is_impossible(smt::some_misaligned(inquiry_.asking(), {bound.below}, lanes, symbols_, facts))) return false;
    }
    return true;
}

std::optional<std::vector<End>> EndProofs::all(const std::vector<Fact>& facts) const {
    std::vector<End> ends{{{}, facts}};
    for (const auto& [dim, bounds] : bounds_) {
        std::vector<End> next;
        for (const End& end : ends) {
            for (std::size_t k = 0; k < bounds.size(); ++k) next.push_back(end.at_bound(dim, bounds, k, shape_[dim]));
            if (bounds.front().clips) next.push_back(end.behind(dim, bounds, shape_[dim]));
        }
        if (next.size() > most_ends) return std::nullopt;
        ends = std::move(next);
    }
    return ends;
}

}  // namespace tileproof
