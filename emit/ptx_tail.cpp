#include "emit/ptx_tail_internal.hpp"

#include <utility>

#include "emit/ptx_symbolic.hpp"

namespace tileproof {
namespace {

constexpr const char* begin_name = "begin";

/// A register with the end, but no less than 0 and no more than the extent, rounded down.
std::string write_begin(PtxWriter& out, const KernelFrame& frame, const Tail& tail, std::int64_t extent) {
    const std::vector<Symbol>& symbols = frame.problem->symbols;
    const Interval ends = interval(tail.end, symbols);
    const bool may_be_less = ends.least < 0, may_be_more = ends.greatest > extent;
    out.comment(std::string(begin_name) + " = " + to_string(tail.end, symbols) + (may_be_less ? ", at least 0" : "") + (may_be_more ? ", at most " + std::to_string(extent) : "") +
                ", rounded down to a multiple of " + std::to_string(tail.multiple));
    std::string value = SymbolRegisters(frame.symbol).value(out, tail.end);
    std::string begin = out.fresh(Bank::b64);
    if (may_be_less) out.op("max.s64", {begin, std::exchange(value, begin), "0"});
    if (may_be_more) out.op("min.s64", {begin, std::exchange(value, begin), std::to_string(extent)});
    out.op("and.b64", {begin, value, std::to_string(-tail.multiple)});
    return begin;
}

}  // namespace

TailFrame::TailFrame(PtxWriter& out, const KernelFrame& outer, const Box& box, const Segment& with_tail) : problem(*outer.problem), frame(outer), segment(with_tail) {
    const auto symbol = static_cast<int>(problem.symbols.size());
    const std::int64_t extent = box.shape()[static_cast<std::size_t>(segment.tail->dim)];
    frame.symbol[symbol] = write_begin(out, outer, *segment.tail, extent);
    problem.symbols.push_back({begin_name, 0, extent, segment.tail->multiple});
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
