#include "layouts/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/matrix.hpp"
#include "layouts/plan_address.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_lanes = std::int64_t{1} << 28;  // outer x threads x vec of one segment

Diagnostic malformed(const std::string& copy, const std::string& what) { return {"plan-shape", "the plan of copy '" + copy + "' " + what}; }

/// Whether the factors of each region dimension multiply up to it: weights 1, e0, e0 e1, ... in some order.
bool splits_region(const Box& box, const std::vector<std::int64_t>& extents) {
    std::vector<std::vector<BoxFactor>> by_dim(extents.size());
    for (const auto& factors : box.dims) {
        for (const BoxFactor& factor : factors) {
            if (factor.dim < 0 || static_cast<std::size_t>(factor.dim) >= extents.size()) return false;
            if (factor.extent < 1 || factor.weight == 0 || std::abs(factor.weight) > max_offset) return false;
            by_dim[static_cast<std::size_t>(factor.dim)].push_back(factor);
        }
    }
    for (std::size_t dim = 0; dim < extents.size(); ++dim) {
        auto& factors = by_dim[dim];
        std::sort(factors.begin(), factors.end(), [](const BoxFactor& a, const BoxFactor& b) {
            return std::abs(a.weight) != std::abs(b.weight) ? std::abs(a.weight) < std::abs(b.weight) : a.extent < b.extent;
        });
        std::int64_t reached = 1;
        for (const BoxFactor& factor : factors) {
            if (factor.extent == 1) continue;
            if (std::abs(factor.weight) != reached || factor.extent > extents[dim] / reached) return false;
            reached *= factor.extent;
        }
        if (reached != extents[dim]) return false;
    }
    return true;
}

/// Whether the digits of `role` have the places 0..k-1, each once, and extents that multiply to `product`.
bool digits_multiply(const Segment& segment, Role role, std::int64_t product) {
    std::set<int> places;
    std::int64_t reached = 1;
    for (const Digit& digit : segment.digits) {
        if (digit.role != role) continue;
        if (digit.extent < 1 || digit.extent > product / reached) return false;
        reached *= digit.extent;
        if (!places.insert(digit.place).second) return false;
    }
    return reached == product && (places.empty() || (*places.begin() == 0 && *places.rbegin() + 1 == static_cast<int>(places.size())));
}

/// Far from the ends of int64, whatever is added up.
bool small(std::int64_t n) { return std::abs(n / 2) <= max_offset / 2; }

bool term_is_sane(const FlatTerm& term) {
    const auto part_is_sane = [](const IndexPart& part) {
        return part.div >= 1 && part.mod >= 1 && part.times >= 0 && small(part.div) && small(part.mod) &&
               Wide{part.times} * part.mod <= max_offset;
    };
    return term.div >= 1 && term.mod >= 1 && small(term.div) && small(term.mod) && term.add >= 0 && small(term.add) &&
           term.of.size() <= max_rank && (term.of.empty() ? term.add == 0 : true) &&
           std::all_of(term.of.begin(), term.of.end(), part_is_sane);
}

/// The most that a number or an expression can be away from 0, its coefficients included.
Wide size_of(const Expression& e, const std::vector<Symbol>& symbols) {
    const Interval range = interval(e, symbols);
    return std::max({weight(e), range.greatest, -range.least});
}

/// The most that the address can be away from its offset.
Wide farthest(const Segment& segment, const AddressPlan& address, const std::vector<Symbol>& symbols) {
    Wide sum = 0;
    for (std::size_t i = 0; i < address.strides.size(); ++i) sum += size_of(address.strides[i], symbols) * segment.digits[i].extent;
    for (const FlatTerm& term : address.terms) sum += size_of(term.stride, symbols) * term.mod;
    return sum;
}

std::optional<std::string> fault(const Segment& segment, const AddressPlan& address, const std::vector<Symbol>& symbols) {
    const auto small = [&](const Expression& e) { return size_of(e, symbols) <= max_offset; };
    const bool fits = segment.flat ? address.strides.empty() : address.strides.size() == segment.digits.size() && address.terms.empty();
    if (!fits) return segment.flat ? "has strides in a flat segment" : "has an address whose strides do not match its digits";
    const auto term_is_small = [&](const FlatTerm& term) { return small(term.stride) && term_is_sane(term); };
    if (address.terms.size() > max_iters || !std::all_of(address.terms.begin(), address.terms.end(), term_is_small))
        return "has a flat term that cannot be";
    if (!small(address.offset) || !std::all_of(address.strides.begin(), address.strides.end(), small) ||
        farthest(segment, address, symbols) > max_offset)
        return "has an address that leaves 2^50 elements";
    if (!address.swizzle.is_valid()) return "has an invalid swizzle";
    if (address.index_bits != 32 && address.index_bits != 64) return "has an index of neither 32 nor 64 bits";
    return std::nullopt;
}

std::optional<std::string> coordinate_fault(const Segment& segment, std::size_t rank, const std::vector<Symbol>& symbols) {
    const std::size_t dims = segment.flat ? 1 : rank;
    if (segment.start.size() != dims) return "has a start whose rank is not the box's";
    if (segment.digits.size() > max_iters) return "has more than 64 digits";
    if (!std::all_of(segment.start.begin(), segment.start.end(), small)) return "starts too far away";
    Wide sum = 0;
    for (const Digit& digit : segment.digits) {
        if (digit.dim < 0 || static_cast<std::size_t>(digit.dim) >= dims) return "has a digit in no box dimension";
        if (segment.flat && digit.weight < 0) return "has a negative weight in a flat segment";
        sum += Wide{std::abs(digit.weight)} * digit.extent;
    }
    if (sum > max_offset) return "has coordinates beyond 2^50";
    if (segment.flat && segment.start[0] < 0) return "has a negative start in a flat segment";
    for (const Bound& bound : segment.predicate) {
        if (bound.dim < 0 || static_cast<std::size_t>(bound.dim) >= dims) return "bounds no box dimension";
        if (!bound.below.is_constant() && size_of(bound.below, symbols) > max_offset) return "has a bound beyond 2^50";
    }
    return std::nullopt;
}

std::optional<std::string> fault(const Segment& segment, std::size_t rank, const std::vector<Symbol>& symbols) {
    if (segment.outer < 1 || segment.threads < 1 || segment.vec < 1) return "has a segment without rounds, threads or lanes";
    if (segment.outer > most_lanes / segment.threads || segment.outer * segment.threads > most_lanes / segment.vec)
        return "has a segment of more than 2^28 lanes";
    if (auto what = coordinate_fault(segment, rank, symbols)) return what;
    if (!digits_multiply(segment, Role::outer, segment.outer)) return "has outer digits that do not multiply to `outer`";
    if (!digits_multiply(segment, Role::thread, segment.threads)) return "has thread digits that do not multiply to `threads`";
    if (!digits_multiply(segment, Role::vec, segment.vec)) return "has vec digits that do not multiply to `vec`";
    for (const Side side : both_sides) {
        const SidePlan& plan = segment.side(side);
        if (plan.width.count > 256 || !is_power_of_two(plan.width.count))
            return "has an access width other than 1, 2, 4, 8, 16, 32, 64, 128 or 256 bits";
        if (auto what = fault(segment, plan.address, symbols)) return what;
    }
    return std::nullopt;
}

/// What a segment that counts from a tail has to be. Requires: fault() found nothing.
std::optional<std::string> tail_fault(const Segment& segment, const std::vector<std::int64_t>& shape, bool may_have_one,
                                      const std::vector<Symbol>& symbols) {
    for (const Side side : both_sides)
        if (!segment.tail && !(segment.side(side).address.tail_stride == Expression(0))) return "has a stride along a tail, and no tail";
    if (!segment.tail) return std::nullopt;
    const Tail& tail = *segment.tail;
    if (!may_have_one)
        return "has a tail, which only copies between memories have, and those by cp.async only where they fill nothing with zeros";
    if (segment.flat) return "has a tail in a flat segment";
    if (is_block(segment)) return "has a tail in a block of registers";
    if (tail.dim < 0 || static_cast<std::size_t>(tail.dim) >= shape.size()) return "has a tail in no box dimension";
    if (tail.end.is_constant()) return "has a tail behind an end that is a number";
    if (size_of(tail.end, symbols) > max_offset) return "has a tail behind an end beyond 2^50";
    if (tail.multiple > max_offset || !is_power_of_two(tail.multiple)) return "rounds the begin of its tail to no power of two";
    for (const Side side : both_sides) {
        const AddressPlan& address = segment.side(side).address;
        const Wide along = size_of(address.tail_stride, symbols) * shape[static_cast<std::size_t>(tail.dim)];
        if (size_of(address.tail_stride, symbols) > max_offset || along + farthest(segment, address, symbols) > max_offset)
            return "has an address that leaves 2^50 elements";
    }
    return std::nullopt;
}

/// What only copies with a register side have, and what they do not have.
std::optional<std::string> register_fault(const Segment& segment, std::optional<Side> held) {
    const bool has_registers = held.has_value();
    const bool has_from =
        std::any_of(segment.predicate.begin(), segment.predicate.end(), [](const Bound& bound) { return bound.from.has_value(); });
    if (has_from && !has_registers) return "has a bound with a least coordinate, which only copies of registers have";
    const bool fills =
        std::any_of(segment.predicate.begin(), segment.predicate.end(), [](const Bound& bound) { return bound.beyond != Beyond::nothing; });
    if (held == Side::src && fills) return "writes zeros, which stores of registers do not";
    if (segment.flat && has_registers) return "has a flat segment, and registers are not indexed";
    if (is_block(segment) && (has_registers || is_async(segment.src.instruction) || is_async(segment.dst.instruction)))
        return "names the lanes of a side, which only copies that load and store have";
    if (!has_registers) return std::nullopt;
    if (is_symbolic(segment.side(*held).address))
        return "names registers that depend on symbols, and an instruction names the same ones always";
    for (const Bound& bound : segment.predicate)
        if ((bound.below.is_constant() && !small(bound.below)) || (bound.from && !small(*bound.from))) return "has a bound beyond 2^50";
    return std::nullopt;
}

std::optional<std::string> matrix_fault(const Segment& segment, bool may_have_any) {
    const bool has_matrices = is_matrix(segment.src.instruction) || is_matrix(segment.dst.instruction);
    if (has_matrices && !may_have_any) return "has matrix instructions, and they fill nothing with zeros";
    if (has_matrices && !splits_at_warps(segment)) return "has matrix instructions and a thread digit that ends within a warp";
    return std::nullopt;
}

/// Whether lane v is v elements from lane 0 on this side, and stays so: cp.async counts what it reads from the lowest address on.
bool lanes_count_up(const Segment& segment, Side side) {
    const AddressPlan& address = segment.side(side).address;
    std::int64_t radix = 1;
    for (const std::size_t i : lane_digits(segment, side)) {
        if (segment.digits[i].extent > 1 && !(address.strides[i] == Expression(radix))) return false;
        radix *= segment.digits[i].extent;
    }
    return address.swizzle.is_identity() || std::int64_t{1} << address.swizzle.base_log2 >= segment.vec;
}

/// Whether lane v is v further along this dimension.
bool lanes_count_along(const Segment& segment, int dim) {
    std::int64_t radix = 1;
    for (const std::size_t i : lane_digits(segment, Side::src)) {
        const Digit& digit = segment.digits[i];
        if (digit.extent > 1 && (digit.dim != dim || digit.weight != radix)) return false;
        radix *= digit.extent;
    }
    return true;
}

/// What accesses that write zeros have to be. Requires: fault() found nothing.
std::optional<std::string> zero_fault(const Segment& segment, Bits element) {
    int around = 0;
    for (const Bound& bound : segment.predicate) {
        if (bound.beyond == Beyond::nothing) continue;
        if (segment.flat) return "has a flat segment that writes zeros";
        if (is_block(segment)) return "writes zeros in a block of registers";
        if (bound.from) return "writes zeros before a coordinate";
        if (bound.beyond == Beyond::zeros) continue;
        if (bound.beyond == Beyond::zeros_behind) {
            if (is_async(segment.src.instruction)) return "leaves a cp.async out where a bound is";
            if (bound.below.is_constant()) return "leaves an access out where a number is";
            if (++around > 1) return "leaves accesses out at two bounds";
            if (!lanes_count_along(segment, bound.dim)) return "leaves out an access whose lanes do not count up along the bound";
            continue;
        }
        if (!is_async(segment.src.instruction)) return "splits the lanes of an access that is no cp.async";
        if (element < Bits{8}) return "splits the lanes of an access to parts of bytes";
        if (!lanes_count_along(segment, bound.dim)) return "splits lanes that do not count up along the bound";
        if (!lanes_count_up(segment, Side::src) || !lanes_count_up(segment, Side::dst))
            return "splits lanes that do not count up in memory";
    }
    return std::nullopt;
}

std::optional<Diagnostic> check_program(const Problem& problem, const Plan& plan) {
    std::vector<std::string> ran;
    for (const Step& step : plan.program)
        if (const auto* copy = std::get_if<CopyStep>(&step)) ran.push_back(copy->copy);
    std::vector<std::string> asked;
    for (const Copy& copy : problem.copies) asked.push_back(copy.name);
    for (const Step& step : plan.program)
        if (const auto* wait = std::get_if<Wait>(&step); wait != nullptr && wait->pending < 0)
            return Diagnostic{"plan-program", "the program waits for all but a negative number of copies"};
    if (ran != asked) return Diagnostic{"plan-program", "the program does not run each copy of the problem once, in file order"};
    return std::nullopt;
}

}  // namespace

std::string to_string(Role role) { return role == Role::outer ? "outer" : role == Role::thread ? "thread" : "vec"; }

std::string to_string(Beyond beyond) {
    return beyond == Beyond::nothing      ? "nothing"
           : beyond == Beyond::zeros      ? "zeros"
           : beyond == Beyond::zero_lanes ? "zero_lanes"
                                          : "zeros_behind";
}

std::vector<std::int64_t> Box::shape() const {
    std::vector<std::int64_t> out;
    for (const auto& factors : dims) {
        std::int64_t extent = 1;
        for (const BoxFactor& factor : factors) extent *= factor.extent;
        out.push_back(extent);
    }
    return out;
}

bool is_asynchronous(const CopyPlan& plan) {
    return std::any_of(plan.segments.begin(), plan.segments.end(),
                       [](const Segment& s) { return is_async(s.src.instruction) || is_async(s.dst.instruction); });
}

bool has_matrices(const CopyPlan& plan) {
    return std::any_of(plan.segments.begin(), plan.segments.end(),
                       [](const Segment& s) { return is_matrix(s.src.instruction) || is_matrix(s.dst.instruction); });
}

const Digit* digit_at(const Segment& segment, Role role, int place) {
    const auto digit =
        std::find_if(segment.digits.begin(), segment.digits.end(), [&](const Digit& d) { return d.role == role && d.place == place; });
    return digit == segment.digits.end() ? nullptr : &*digit;
}

std::size_t index_of(const Segment& segment, const Digit& digit) { return static_cast<std::size_t>(&digit - segment.digits.data()); }

std::vector<std::int64_t> digits_at(const Segment& segment, std::int64_t round, std::int64_t thread, std::int64_t lane) {
    std::vector<std::int64_t> out(segment.digits.size());
    for (const Role role : {Role::outer, Role::thread, Role::vec}) {
        std::int64_t number = role == Role::outer ? round : role == Role::thread ? thread : lane;
        for (int place = 0; const Digit* digit = digit_at(segment, role, place); ++place) {
            out[index_of(segment, *digit)] = number % digit->extent;
            number /= digit->extent;
        }
    }
    return out;
}

std::vector<std::int64_t> coordinate(const Segment& segment, const std::vector<std::int64_t>& digits) {
    std::vector<std::int64_t> out = segment.start;
    for (std::size_t i = 0; i < digits.size(); ++i)
        out[static_cast<std::size_t>(segment.digits[i].dim)] += segment.digits[i].weight * digits[i];
    return out;
}

bool lets_run(const Segment& segment, const Bound& bound, std::int64_t coordinate) {
    if (bound.beyond == Beyond::zeros_behind)
        return coordinate + segment.vec <= bound.below ||
               (coordinate > bound.below && coordinate > segment.start[static_cast<std::size_t>(bound.dim)]);
    return bound.beyond != Beyond::nothing || (coordinate < bound.below && (!bound.from || coordinate >= *bound.from));
}

bool is_active(const Segment& segment, const std::vector<std::int64_t>& digits) {
    const std::vector<std::int64_t> at = coordinate(segment, digits);
    return std::all_of(segment.predicate.begin(), segment.predicate.end(),
                       [&](const Bound& bound) { return lets_run(segment, bound, at[static_cast<std::size_t>(bound.dim)]); });
}

std::int64_t lanes_read(const Segment& segment, const std::vector<std::int64_t>& digits) {
    if (!is_active(segment, digits)) return 0;
    const std::vector<std::int64_t> at = coordinate(segment, digits);
    std::int64_t lanes = segment.vec;
    for (const Bound& bound : segment.predicate) {
        const std::int64_t left = std::int64_t{bound.below} - at[static_cast<std::size_t>(bound.dim)];
        if (bound.beyond == Beyond::zeros && left <= 0) return 0;
        if (bound.beyond == Beyond::zeros_behind && left < segment.vec) return 0;
        if (bound.beyond == Beyond::zero_lanes) lanes = std::clamp<std::int64_t>(left, 0, lanes);
    }
    return lanes;
}

bool has_symbolic_bounds(const Segment& segment) {
    return std::any_of(segment.predicate.begin(), segment.predicate.end(), [](const Bound& bound) { return !bound.below.is_constant(); });
}

bool has_tails(const CopyPlan& plan) {
    return std::any_of(plan.segments.begin(), plan.segments.end(), [](const Segment& s) { return s.tail.has_value(); });
}

bool leaves_out(const CopyPlan& plan) {
    const auto leaves = [](const Bound& bound) { return bound.beyond == Beyond::zeros_behind; };
    return std::any_of(plan.segments.begin(), plan.segments.end(),
                       [&](const Segment& s) { return std::any_of(s.predicate.begin(), s.predicate.end(), leaves); });
}

std::int64_t tail_begin(const Tail& tail, std::int64_t start, std::int64_t end, std::int64_t extent) {
    const std::int64_t inside = std::max<std::int64_t>(0, std::min(end, extent) - start);
    return inside - inside % tail.multiple;
}

bool fills_with_zeros(const CopyPlan& plan) {
    const auto fills = [](const Bound& bound) { return bound.beyond != Beyond::nothing; };
    return std::any_of(plan.segments.begin(), plan.segments.end(),
                       [&](const Segment& s) { return std::any_of(s.predicate.begin(), s.predicate.end(), fills); });
}

std::int64_t planned_offset(const Segment& segment, Side side, const std::vector<std::int64_t>& digits) {
    const std::int64_t index = segment.flat ? coordinate(segment, digits)[0] : 0;
    return swizzled(Integers{}, segment.side(side).address.swizzle, planned_linear_offset(Integers{}, segment, side, digits, index));
}

std::vector<std::int64_t> unravel(const std::vector<std::int64_t>& box_shape, std::int64_t index) {
    std::vector<std::int64_t> out(box_shape.size());
    for (std::size_t i = out.size(); i-- > 1; index /= box_shape[i]) out[i] = index % box_shape[i];
    out[0] = index;
    return out;
}

std::vector<std::int64_t> logical_coordinate(const Copy& copy, Side side, const Box& box, const std::vector<std::int64_t>& box_coordinate) {
    const Region& region = operand(copy, side).region;
    const std::vector<std::size_t> dims = dense(region).dims;
    std::vector<std::int64_t> out = constants(region.start);
    for (std::size_t i = 0; i < box.dims.size(); ++i) {
        std::int64_t rest = box_coordinate[i];
        for (std::size_t k = box.dims[i].size(); k-- > 0;) {
            const BoxFactor& factor = box.dims[i][k];
            const std::int64_t digit = rest % factor.extent;
            rest /= factor.extent;
            out[dims[static_cast<std::size_t>(factor.dim)]] +=
                factor.weight > 0 ? factor.weight * digit : -factor.weight * (factor.extent - 1 - digit);
        }
    }
    return out;
}

bool splits_at_warps(const Segment& segment) {
    std::int64_t threads = 1;  // below the digit
    for (int place = 0; const Digit* digit = digit_at(segment, Role::thread, place); ++place) {
        if (threads % warp_threads == 0) break;
        threads *= digit->extent;
        if (warp_threads % threads != 0 && threads % warp_threads != 0) return false;
    }
    return true;
}

std::optional<Diagnostic> check_plan(const Problem& problem, const Plan& plan) {
    if (plan.copies.size() != problem.copies.size())
        return Diagnostic{"plan-copies", "the plan does not have exactly the copies of the problem"};
    for (std::size_t i = 0; i < plan.copies.size(); ++i) {
        const CopyPlan& copy = plan.copies[i];
        if (copy.copy != problem.copies[i].name)
            return Diagnostic{"plan-copies",
                              "the plan has copy '" + copy.copy + "' where the problem has '" + problem.copies[i].name + "'"};
        if (copy.box.dims.empty()) return malformed(copy.copy, "has a box without dimensions");
        // Replicas of a register side are dimensions of what is moved.
        const Problem stand_in = on_register_file(problem, problem.copies[i]);
        const std::optional<Side> held = register_side(problem, problem.copies[i]);
        if (!splits_region(copy.box, dense(stand_in.copies[0].src.region).extents))
            return malformed(copy.copy, "has a box that does not split the region");
        if (copy.segments.empty() || copy.segments.size() > 64) return malformed(copy.copy, "needs 1 to 64 segments");
        // Padding costs lanes, but not without end: what a plan asks of the verifier stays in proportion to what is copied.
        std::int64_t lanes = 0;
        for (const Segment& segment : copy.segments) {
            if (const auto what = fault(segment, copy.box.dims.size(), problem.symbols)) return malformed(copy.copy, *what);
            for (const Side side : both_sides)
                if (segment.side(side).width < problem.buffer(operand(problem.copies[i], side)).dtype.size)
                    return malformed(copy.copy, "has an access narrower than an element");
            if (const auto what = register_fault(segment, held)) return malformed(copy.copy, *what);
            if (const auto what = tail_fault(segment, copy.box.shape(),
                                             !held && !(is_asynchronous(copy) && (problem.copies[i].zero_fill || fills_with_zeros(copy))),
                                             problem.symbols))
                return malformed(copy.copy, *what);
            if (const auto what = matrix_fault(segment, !problem.copies[i].zero_fill && !fills_with_zeros(copy)))
                return malformed(copy.copy, *what);
            if (const auto what = zero_fault(segment, problem.buffer(problem.copies[i].src).dtype.size)) return malformed(copy.copy, *what);
            if (const std::string what = block_fault(segment, problem.buffer(problem.copies[i].src).dtype.size); !what.empty())
                return malformed(copy.copy, what);
            lanes += segment.outer * segment.threads * segment.vec;
            if (is_async(segment.src.instruction) != is_asynchronous(copy))
                return malformed(copy.copy, "is asynchronous in some segments only");
            if (lanes > 16 * (held ? problem.launch.block : 1) * moved(stand_in.copies[0]).count + (std::int64_t{1} << 20))
                return malformed(copy.copy, "has far more lanes than elements to move");
        }
    }
    return check_program(problem, plan);
}

}  // namespace tileproof
