#include "emit/ptx_matrix_internal.hpp"

#include <algorithm>

#include "layouts/result.hpp"

namespace tileproof {
namespace {

constexpr int lane_bits = 5;

/// What the thread and lane digits add to the address of the lane with the first element of the row that a lane of the first warp supplies.
Expression supplied(const Segment& segment, Side stored, const MatrixForm& form, Bits element, int lane) {
    const MatrixPlace place = held_at(form, supplied_row(form, lane), 0, element);
    const std::vector<std::int64_t> digits = digits_at(segment, 0, place.lane, place.element);
    Expression out = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) out = out + segment.side(stored).address.strides[i].times(digits[i]);
    return out;
}

}  // namespace

Segment supplied_rows(const Segment& segment, Side stored, const MatrixForm& form, Bits element) {
    Segment out = segment;
    AddressPlan& address = (stored == Side::src ? out.src : out.dst).address;
    out.vec = 1;
    out.digits.clear();
    address.strides.clear();
    const std::vector<Expression>& strides = segment.side(stored).address.strides;
    const auto add = [&](Role role, int place, std::int64_t extent, const Expression& stride) {
        out.digits.push_back({0, 0, extent, role, place});
        address.strides.push_back(stride);
    };
    // Bit by bit of the lane: rows and matrices are powers of two, and so are the digits that they come from.
    int place = 0;
    Expression by_lane[lane_bits];
    for (int bit = 0; bit < lane_bits; ++bit)
        add(Role::thread, place++, 2, by_lane[bit] = supplied(segment, stored, form, element, 1 << bit));
    for (int lane = 0; lane < warp_threads; ++lane) {
        Expression sum = 0;
        for (int bit = 0; bit < lane_bits; ++bit) sum = sum + by_lane[bit].times(lane >> bit & 1);
        TILEPROOF_CHECK(sum == supplied(segment, stored, form, element, lane));
    }
    std::int64_t threads = 1;  // below the digit
    for (int of_thread = 0; const Digit* digit = digit_at(segment, Role::thread, of_thread); ++of_thread) {
        const Expression& stride = strides[index_of(segment, *digit)];
        const std::int64_t in_warp = std::clamp<std::int64_t>(warp_threads / threads, 1, digit->extent);  // values that tell lanes apart
        if (digit->extent > in_warp) add(Role::thread, place++, digit->extent / in_warp, stride.times(in_warp));
        threads *= digit->extent;
    }
    for (std::size_t i = 0; i < segment.digits.size(); ++i)
        if (segment.digits[i].role == Role::outer) add(Role::outer, segment.digits[i].place, segment.digits[i].extent, strides[i]);
    AddressPlan& other = (stored == Side::src ? out.dst : out.src).address;
    other.strides.assign(out.digits.size(), Expression(0));
    return out;
}

}  // namespace tileproof
