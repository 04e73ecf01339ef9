#include "emit/ptx_bounds_internal.hpp"

#include <algorithm>
#include <utility>

#include "layouts/symbolic.hpp"

namespace tileproof {

/// Ands `compared < bound` (lt), or >= (ge), into the predicate `all`.
void BoundsWriter::require(const char* how, const std::string& compared, const std::string& bound, bool wide, std::string& all) {
    const std::string holds = out_.fresh(Bank::pred);
    out_.op(std::string("setp.") + how + (wide ? ".s64" : ".s32"), {holds, compared, bound});
    if (!all.empty()) out_.op("and.pred", {holds, holds, all});
    all = holds;
}

/// Ands into `active` that all of the access is before the bound or that it begins behind it, and into `reads` that all of it is before.
void BoundsWriter::require_around(const MovingBound& bound, std::string* active, std::string* reads) {
    std::string whole;
    require("lt", bound.coordinate, bound.below, true, whole);
    if (active != nullptr) {
        std::string runs;
        require("gt", bound.coordinate, bound.behind, true, runs);
        out_.op("or.pred", {runs, runs, whole});
        if (!active->empty()) out_.op("and.pred", {runs, runs, *active});
        *active = runs;
    }
    if (reads == nullptr) return;
    if (!reads->empty()) out_.op("and.pred", {whole, whole, *reads});
    *reads = whole;
}

/// What is compared of a bound where an access is left out: one register with 1 + the last coordinate that reads, one with the bound itself,
/// but no less than where the segment begins.
BoundsWriter::MovingBound BoundsWriter::around(const Bound& bound, const std::string& coordinate) {
    const std::int64_t start = segment_.start[static_cast<std::size_t>(bound.dim)];
    MovingBound out{coordinate,   at_.symbols.value(out_, bound.below.plus(1 - segment_.vec)),
                    {},           true,
                    bound.beyond, at_.symbols.value(out_, bound.below)};
    if (interval(bound.below, at_.frame.problem->symbols).least >= start) return out;
    const std::string behind = out_.fresh(Bank::b64);
    out_.op("max.s64", {behind, out.behind, std::to_string(start)});
    out.behind = behind;
    return out;
}

void BoundsWriter::prepare() {
    for (const Bound& bound : segment_.predicate) {
        std::vector<std::int64_t> weights;
        for (const Digit& digit : segment_.digits) weights.push_back(digit.dim == bound.dim ? digit.weight : 0);
        const Affine form = affine(segment_, segment_.start[static_cast<std::size_t>(bound.dim)], weights);
        const Reach reached = reach(form, at_.loops);
        const bool is_number = bound.below.is_constant();
        const std::int64_t last_lane = bound.beyond == Beyond::zero_lanes ? segment_.vec - 1 : 0;
        const bool is_below = is_number && reached.greatest + last_lane < bound.below,
                   is_above = !bound.from || reached.least >= *bound.from;
        if (is_below && is_above) continue;  // holds always
        const bool wide = !is_number || !fits_int32(reached.least) || !fits_int32(reached.greatest) || !fits_int32(bound.below) ||
                          (bound.from && !fits_int32(*bound.from));
        const bool leaves_out = bound.beyond == Beyond::zeros_behind;
        const char* const what = bound.beyond == Beyond::nothing      ? "only where "
                                 : bound.beyond == Beyond::zero_lanes ? "zeros in lanes, unless their "
                                                                      : "zeros, unless ";
        const std::vector<Symbol>& symbols = at_.frame.problem->symbols;
        out_.comment(what + (is_above ? "" : std::to_string(*bound.from) + " <= ") + describe(form, segment_.threads) +
                     (is_below ? "" : " < " + to_string(leaves_out ? bound.below.plus(1 - segment_.vec) : bound.below, symbols)) +
                     (leaves_out ? "; only there or where it is behind the first and above " + to_string(bound.below, symbols) : ""));
        if (leaves_out) {
            Value coordinate = at_.sums.sum(form, true);
            if (form.moves()) {
                coordinate = at_.sums.own(coordinate, true);
                at_.moving.push_back({coordinate.name, true, steps(form, at_.loops)});
                bounds_.push_back(around(bound, coordinate.name));
            } else {
                require_around(around(bound, coordinate.name), &active_, &reads_);
            }
            continue;
        }
        const std::string below = is_below ? std::string{} : at_.symbols.value(out_, bound.below);
        Value coordinate = at_.sums.sum(form, wide);
        if (!form.moves() && bound.beyond != Beyond::zero_lanes) {
            std::string& all = bound.beyond == Beyond::nothing ? active_ : reads_;
            if (!is_above) require("ge", coordinate.name, std::to_string(*bound.from), wide, all);
            if (!is_below) require("lt", coordinate.name, below, wide, all);
            continue;
        }
        if (form.moves()) {
            coordinate = at_.sums.own(coordinate, wide);
            at_.moving.push_back({coordinate.name, wide, steps(form, at_.loops)});
        }
        const MovingBound moving{coordinate.name, below, is_above ? std::string{} : std::to_string(*bound.from), wide, bound.beyond};
        if (bound.beyond == Beyond::zero_lanes && form.moves()) splits_.push_back(moving);
        else if (bound.beyond == Beyond::zero_lanes) take_least(bytes_before_, moving);
        else bounds_.push_back(moving);
    }
}

std::string BoundsWriter::active_in_round() {
    std::string active = active_;
    for (const MovingBound& bound : bounds_) {
        if (bound.beyond == Beyond::zeros_behind) require_around(bound, &active, nullptr);
        if (bound.beyond != Beyond::nothing) continue;
        if (!bound.from.empty()) require("ge", bound.coordinate, bound.from, bound.wide, active);
        if (!bound.below.empty()) require("lt", bound.coordinate, bound.below, bound.wide, active);
    }
    return active;
}

std::string BoundsWriter::reads_in_round(const std::string& active) {
    std::string reads = active;
    if (!reads_.empty() && !reads.empty()) {
        reads = out_.fresh(Bank::pred);
        out_.op("and.pred", {reads, active, reads_});
    } else if (!reads_.empty()) {
        reads = reads_;
    }
    for (const MovingBound& bound : bounds_) {
        if (bound.beyond == Beyond::zeros) require("lt", bound.coordinate, bound.below, bound.wide, reads);
        if (bound.beyond == Beyond::zeros_behind) require_around(bound, nullptr, &reads);
    }
    return reads;
}

/// A register with the bytes of an access that lie before the bound.
std::string BoundsWriter::bytes_before(const MovingBound& split) {
    const bool is_register = split.below.front() == '%';
    const std::string type = split.wide ? ".s64" : ".s32", left = out_.fresh(split.wide ? Bank::b64 : Bank::b32);
    if (!is_register) out_.op(split.wide ? "mov.b64" : "mov.b32", {left, split.below});
    out_.op("sub" + type, {left, is_register ? split.below : left, split.coordinate});
    out_.op("max" + type, {left, left, "0"});
    out_.op("min" + type, {left, left, std::to_string(segment_.vec)});
    const std::string bytes = split.wide ? out_.fresh(Bank::b32) : left;
    if (split.wide) out_.op("cvt.u32.u64", {bytes, left});
    const int log2 = floor_log2(at_.buffer(Side::src).dtype.size.count) - 3;
    if (log2 > 0) out_.op("shl.b32", {bytes, bytes, std::to_string(log2)});
    return bytes;
}

void BoundsWriter::take_least(std::string& bytes, const MovingBound& split) {
    const std::string before = bytes_before(split);
    if (!bytes.empty()) out_.op("min.s32", {before, before, bytes});
    bytes = before;
}

std::string BoundsWriter::bytes_read(const std::string& reads, Bytes width) {
    std::string bytes = bytes_before_;
    for (const MovingBound& split : splits_) take_least(bytes, split);
    if (bytes.empty()) bytes = std::to_string(width.count);
    if (reads.empty()) return bytes;
    const std::string chosen = out_.fresh(Bank::b32);
    out_.op("selp.b32", {chosen, bytes, "0", reads});
    return chosen;
}

}  // namespace tileproof
