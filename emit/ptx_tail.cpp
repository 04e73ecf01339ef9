#include "emit/ptx_tail_internal.hpp"

#include <algorithm>
#include <utility>

#include "emit/ptx_symbolic.hpp"

namespace tileproof {
namespace {

constexpr const char* begin_name = "begin";

/// A register with what is left from the start of the segment to the end, but no less than 0 and no more than the box has, rounded down.
std::string write_begin(PtxWriter& out, const KernelFrame& frame, const Tail& tail, std::int64_t start, std::int64_t most) {
    const std::vector<Symbol>& symbols = frame.problem->symbols;
    const Expression left = tail.end.plus(-start);
    const Interval range = interval(left, symbols);
    const bool may_be_less = range.least<0, may_be_more = range.greatest> most;
    out.comment(std::string(begin_name) + " = " + to_string(left, symbols) + (may_be_less ? ", at least 0" : "") +
                (may_be_more ? ", at most " + std::to_string(most) : "") + ", rounded down to a multiple of " +
                std::to_string(tail.multiple));
    std::string value = SymbolRegisters(frame.symbol).value(out, left);
    std::string begin = out.fresh(Bank::b64);
    if (may_be_less) out.op("max.s64", {begin, std::exchange(value, begin), "0"});
    if (may_be_more) out.op("min.s64", {begin, std::exchange(value, begin), std::to_string(most)});
    out.op("and.b64", {begin, value, std::to_string(-tail.multiple)});
    return begin;
}

}  // namespace

TailFrame::TailFrame(PtxWriter& out, const KernelFrame& outer, const Box& box, const Segment& with_tail)
    : problem(*outer.problem), frame(outer), segment(with_tail) {
    const auto symbol = static_cast<int>(problem.symbols.size());
    const auto dim = static_cast<std::size_t>(segment.tail->dim);
    const std::int64_t most = std::max<std::int64_t>(0, box.shape()[dim] - segment.start[dim]);
    frame.symbol[symbol] = write_begin(out, outer, *segment.tail, segment.start[dim], most);
    problem.symbols.push_back({begin_name, 0, most, segment.tail->multiple});
    frame.problem = &problem;
    const Expression begin = Expression::symbol(symbol);
    for (Bound& bound : segment.predicate)
        if (bound.dim == segment.tail->dim) bound.below = bound.below - begin;
    for (SidePlan* side : {&segment.src, &segment.dst}) {
        side->address.offset = side->address.offset + side->address.tail_stride * begin;
        side->address.tail_stride = 0;
    }
    segment.tail.reset();
}

}  // namespace tileproof
