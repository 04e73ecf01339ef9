#include "verify/parts_internal.hpp"

#include <algorithm>

namespace tileproof {

Parts::Parts(const Segment& segment, Role role, const std::vector<std::int64_t>& weights)
    : least_(segment.start.size(), 0), greatest_(segment.start.size(), 0) {
    for (int place = 0; const Digit* digit = digit_at(segment, role, place); ++place) {
        const auto dim = static_cast<std::size_t>(digit->dim);
        const std::size_t i = index_of(segment, *digit);
        const auto stride = [&](const SidePlan& side) -> std::int64_t { return segment.flat ? 0 : std::int64_t{side.address.strides[i]}; };
        steps_.push_back({digit->extent, stride(segment.src), stride(segment.dst), digit->weight * weights[dim], digit->weight, dim});
        const std::int64_t farthest = digit->weight * (digit->extent - 1);
        (farthest < 0 ? least_ : greatest_)[dim] += farthest;
    }
}

void Parts::find(std::int64_t value, Part& out) const {
    out.src = out.dst = out.position = 0;
    out.coordinate.assign(least_.size(), 0);
    for (const Step& step : steps_) {
        const std::int64_t digit = value % step.extent;
        value /= step.extent;
        out.src += digit * step.src;
        out.dst += digit * step.dst;
        out.position += digit * step.position;
        out.coordinate[step.dim] += digit * step.weight;
    }
}

PartTable Parts::table() const {
    std::size_t count = 1;
    for (const Step& step : steps_) count *= static_cast<std::size_t>(step.extent);
    PartTable out;
    out.rank = least_.size();
    for (auto* sums : {&out.src, &out.dst, &out.position}) sums->assign(count, 0);
    out.coordinates.assign(count * out.rank, 0);
    std::size_t lower = 1;  // values of the places so far
    for (const Step& step : steps_) {
        // A value is a lower one and a step from the value with one less in this place.
        for (std::size_t to = lower, from = 0; to < lower * static_cast<std::size_t>(step.extent); ++to, ++from) {
            out.src[to] = out.src[from] + step.src;
            out.dst[to] = out.dst[from] + step.dst;
            out.position[to] = out.position[from] + step.position;
            std::copy_n(out.coordinates.begin() + static_cast<std::ptrdiff_t>(from * out.rank), out.rank,
                        out.coordinates.begin() + static_cast<std::ptrdiff_t>(to * out.rank));
            out.coordinates[to * out.rank + step.dim] += step.weight;
        }
        lower *= static_cast<std::size_t>(step.extent);
    }
    return out;
}

}  // namespace tileproof
