#include "verify/matrix_rows_internal.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "layouts/matrix.hpp"
#include "solver/smt_symbols.hpp"

namespace tileproof {
namespace {

constexpr int lane_bits = 5;

/// Which bit of a lane's number, or of the number of an element in that lane, some bit is.
struct PlaceBit {
    bool is_of_lane = false;
    int log2 = 0;
};

/// What a digit, or a part of one, adds to the coordinate and to the addresses.
struct Piece {
    int dim = 0;
    std::int64_t weight = 1;
    std::int64_t extent = 1;
    std::array<Expression, 2> strides{};  // source, destination

    /// So many of it, beginning with that many steps of it.
    Piece part(std::int64_t step, std::int64_t count) const {
        return {dim, weight * step, count, {strides[0].times(step), strides[1].times(step)}};
    }
    bool is_continued_by(const Piece& next) const {
        return next.dim == dim && next.weight == weight * extent && next.strides[0] == strides[0].times(extent) &&
               next.strides[1] == strides[1].times(extent);
    }
};

int count_of_rows(const MatrixForm& form) { return form.matrices * form.rows; }
MatrixPlace place_of(const MatrixForm& form, int row, int n, Bits element) {
    return held_at(form, {row / form.rows, row % form.rows}, n, element);
}

std::optional<PlaceBit> as_bit(const MatrixPlace& place) {
    if (place.element == 0 && is_power_of_two(place.lane)) return PlaceBit{true, floor_log2(place.lane)};
    if (place.lane == 0 && is_power_of_two(place.element)) return PlaceBit{false, floor_log2(place.element)};
    return std::nullopt;
}

/// The bits of a row's number, or of the number of an element in it. Nothing where one is no bit.
template <class PlaceOf>
std::optional<std::vector<PlaceBit>> bits_of(int count, const PlaceOf& place) {
    std::vector<PlaceBit> out;
    for (int bit = 1; bit < count; bit *= 2) {
        const std::optional<PlaceBit> found = as_bit(place(bit));
        if (!found) return std::nullopt;
        out.push_back(*found);
    }
    return out;
}

/// Whether the places are the sums of what their bits are.
bool are_sums(const MatrixForm& form, Bits element, const std::vector<PlaceBit>& of_row, const std::vector<PlaceBit>& of_element) {
    for (int row = 0; row < count_of_rows(form); ++row) {
        for (int n = 0; n < elements_of_row(element); ++n) {
            MatrixPlace sum;
            const auto add = [&](const std::vector<PlaceBit>& bits, int number) {
                for (std::size_t k = 0; k < bits.size(); ++k)
                    (bits[k].is_of_lane ? sum.lane : sum.element) += (number >> k & 1) << bits[k].log2;
            };
            add(of_row, row);
            add(of_element, n);
            if (!(sum == place_of(form, row, n, element))) return false;
        }
    }
    return true;
}

Piece piece_of(const Segment& segment, const Digit& digit) {
    const std::size_t i = index_of(segment, digit);
    return {digit.dim, digit.weight, digit.extent, {segment.src.address.strides[i], segment.dst.address.strides[i]}};
}

/// What a bit of the number of a role adds. Nothing where it is no bit of one digit.
std::optional<Piece> bit_of(const Segment& segment, Role role, int log2) {
    const std::int64_t bit = std::int64_t{1} << log2;
    std::int64_t below = 1;
    for (int place = 0; const Digit* digit = digit_at(segment, role, place); ++place) {
        if (bit % below != 0) return std::nullopt;
        if (bit / below < digit->extent)
            return digit->extent % (2 * (bit / below)) == 0 ? std::optional(piece_of(segment, *digit).part(bit / below, 2)) : std::nullopt;
        below *= digit->extent;
    }
    return std::nullopt;
}

void add(Segment& out, Role role, const std::vector<Piece>& pieces) {
    std::vector<Piece> merged;
    for (const Piece& piece : pieces) {
        if (piece.extent == 1) continue;
        if (!merged.empty() && merged.back().is_continued_by(piece)) merged.back().extent *= piece.extent;
        else merged.push_back(piece);
    }
    for (std::size_t place = 0; place < merged.size(); ++place) {
        out.digits.push_back({merged[place].dim, merged[place].weight, merged[place].extent, role, static_cast<int>(place)});
        out.src.address.strides.push_back(merged[place].strides[0]);
        out.dst.address.strides.push_back(merged[place].strides[1]);
        (role == Role::outer ? out.outer : role == Role::thread ? out.threads : out.vec) *= merged[place].extent;
    }
}

Digit digit_of(const Piece& piece) { return {piece.dim, piece.weight, piece.extent, Role::outer, 0}; }

}  // namespace

std::optional<MatrixRows> matrix_rows(const Segment& segment, Side stored, Bits element) {
    const MatrixForm& form = *matrix_form(segment.side(stored).instruction);
    if (segment.flat || segment.tail || !keeps_whole(form, element) || segment.vec != elements_of_lane(form, element)) return std::nullopt;
    const auto of_row = bits_of(count_of_rows(form), [&](int row) { return place_of(form, row, 0, element); });
    const auto of_element = bits_of(elements_of_row(element), [&](int n) { return place_of(form, 0, n, element); });
    if (!of_row || !of_element || !are_sums(form, element, *of_row, *of_element)) return std::nullopt;

    std::vector<Piece> rounds, warps, lanes;
    const auto take = [&](const std::vector<PlaceBit>& bits, std::vector<Piece>& pieces) {
        return std::all_of(bits.begin(), bits.end(), [&](const PlaceBit& bit) {
            const std::optional<Piece> found = bit_of(segment, bit.is_of_lane ? Role::thread : Role::vec, bit.log2);
            if (found) pieces.push_back(*found);
            return found.has_value();
        });
    };
    MatrixRows out{segment, {}, {}, {}};
    if (!take(*of_row, rounds) || !take(*of_element, lanes)) return std::nullopt;
    for (const Piece& piece : rounds) out.by_row.push_back(digit_of(piece));
    for (int bit = 0; bit < lane_bits; ++bit) {
        const std::optional<Piece> found = bit_of(segment, Role::thread, bit);
        if (!found) return std::nullopt;
        out.by_lane.push_back(digit_of(*found));
    }
    for (int place = 0; const Digit* digit = digit_at(segment, Role::outer, place); ++place) {
        rounds.push_back(piece_of(segment, *digit));
        out.by_turn.push_back(digit_of(rounds.back()));
    }
    std::int64_t threads = 1;  // below the digit
    for (int place = 0; const Digit* digit = digit_at(segment, Role::thread, place); ++place) {
        const std::int64_t in_warp = std::clamp<std::int64_t>(warp_threads / threads, 1, digit->extent);
        if (digit->extent % in_warp != 0) return std::nullopt;
        warps.push_back(piece_of(segment, *digit).part(in_warp, digit->extent / in_warp));
        out.by_turn.push_back(digit_of(warps.back()));
        threads *= digit->extent;
    }

    Segment& rows = out.rows;
    rows.digits.clear();
    rows.src.address.strides.clear();
    rows.dst.address.strides.clear();
    rows.outer = rows.threads = rows.vec = 1;
    add(rows, Role::vec, lanes);
    add(rows, Role::thread, warps);
    add(rows, Role::outer, rounds);
    return out;
}

PlanByRows by_rows(CopyPlan plan, std::optional<Side> stored, Bits element) {
    PlanByRows out{std::move(plan)};
    for (Segment& segment : out.plan.segments) {
        if (!is_matrix(segment.src.instruction) && !is_matrix(segment.dst.instruction)) continue;
        std::optional<MatrixRows> rows =
            stored && is_matrix(segment.side(*stored).instruction) ? matrix_rows(segment, *stored, element) : std::nullopt;
        if (!rows) {
            out.fits = false;
            continue;
        }
        segment = rows->rows;
        out.matrices.push_back(std::move(*rows));
    }
    return out;
}

bool warps_run_whole(Inquiry& inquiry, const MatrixRows& of, const std::vector<Symbol>& symbols, const std::vector<Fact>& facts) {
    const Segment& rows = of.rows;
    if (rows.predicate.empty()) return true;
    if (std::any_of(rows.predicate.begin(), rows.predicate.end(), [](const Bound& bound) { return bound.beyond != Beyond::nothing; }))
        return false;
    z3::context& context = inquiry.context();
    const auto number = [&](std::int64_t n) { return context.int_val(n); };
    smt::IntegerSymbols values(context, symbols);
    std::vector<z3::expr> query, begins;  // of each dimension in a turn of a warp
    const auto move = [&](std::vector<z3::expr>& coordinate, const std::vector<Digit>& digits, const std::string& prefix) {
        for (std::size_t i = 0; i < digits.size(); ++i) {
            const z3::expr value = context.int_const((prefix + std::to_string(i)).c_str());
            query.push_back(value >= number(0));
            query.push_back(value < number(digits[i].extent));
            z3::expr& sum = coordinate[static_cast<std::size_t>(digits[i].dim)];
            smt::assign(sum, sum + value * number(digits[i].weight));
        }
    };
    const auto runs = [&](const std::vector<Digit>& digits, const std::string& prefix) {
        std::vector<z3::expr> at = begins;
        move(at, digits, prefix);
        z3::expr all = context.bool_val(true);
        for (const Bound& bound : rows.predicate) {
            const z3::expr& c = at[static_cast<std::size_t>(bound.dim)];
            smt::assign(all, all && c < values.term(bound.below));
            if (bound.from) smt::assign(all, all && c >= number(*bound.from));
        }
        return all;
    };
    for (const std::int64_t start : rows.start) begins.push_back(number(start));
    move(begins, of.by_turn, "t");
    query.push_back(runs(of.by_lane, "l") != runs(of.by_row, "r"));
    values.assume(query, facts);
    values.finish(query);
    return inquiry.check(smt::Theory::linear, query).answer == smt::Answer::unsat;
}

}  // namespace tileproof
