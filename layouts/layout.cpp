#include "layouts/layout.hpp"

#include <algorithm>

#include "layouts/address.hpp"
#include "layouts/result.hpp"
#include "layouts/xor_basis.hpp"

namespace tileproof {
namespace {

/// The sums that digits of some iters can have, as far as `most`: one bit a sum.
class Sums {
public:
    explicit Sums(std::int64_t most) : most_(most), words_(static_cast<std::size_t>(most / word_bits) + 1) { words_[0] = 1; }

    bool contains(std::int64_t sum) const { return (words_[static_cast<std::size_t>(sum / word_bits)] >> (sum % word_bits) & 1) != 0; }
    /// From S to S + {0, 1, ..., extent - 1} x stride, with a number of shifts that is logarithmic in the extent.
    /// Requires: stride > 0.
    void add(std::int64_t extent, std::int64_t stride) {
        const std::int64_t useful = std::min(extent, most_ / stride + 1);
        for (std::int64_t had = 1; had < useful;) {
            const std::int64_t more = std::min(had, useful - had);
            join_shifted(more * stride);
            had += more;
        }
    }

private:
    static constexpr std::int64_t word_bits = 64;

    void join_shifted(std::int64_t by) {
        const auto words = static_cast<std::size_t>(by / word_bits);
        const auto bits = static_cast<int>(by % word_bits);
        for (std::size_t i = words_.size(); i-- > words;) {
            words_[i] |= words_[i - words] << bits;
            if (bits > 0 && i > words) words_[i] |= words_[i - words - 1] >> (word_bits - bits);
        }
    }

    std::int64_t most_;
    std::vector<std::uint64_t> words_;
};

std::int64_t largest_over_bits(const Layout& layout, const Swizzle& swizzle) {
    XorBasis all;
    for (const std::vector<std::int64_t>& dim : layout.bases)
        for (const std::int64_t basis : dim) all.add(swizzled(Integers{}, swizzle, basis));
    return all.largest();
}

}  // namespace

std::string to_string(const Swizzle& swizzle) {
    return "Sw<" + std::to_string(swizzle.bits_log2) + "," + std::to_string(swizzle.base_log2) + "," + std::to_string(swizzle.shift_log2) +
           ">";
}

bool Layout::has_threads() const {
    const auto counts_threads = [](const Iter& it) { return it.axis != Axis::m; };
    return !replicas.empty() || !thread_offset.empty() || std::any_of(iters.begin(), iters.end(), counts_threads);
}

bool Layout::is_symbolic() const {
    const auto is_symbolic = [](const Iter& it) { return !it.stride.is_constant(); };
    return !offset.is_constant() || std::any_of(iters.begin(), iters.end(), is_symbolic) ||
           std::any_of(replicas.begin(), replicas.end(), is_symbolic);
}

std::optional<std::vector<std::vector<Iter>>> modes(const Layout& layout) {
    if (layout.is_over_bits()) return std::nullopt;
    std::vector<std::vector<Iter>> out;
    std::size_t next = 0;
    for (const std::int64_t extent : layout.shape) {
        std::vector<Iter> mode;
        std::int64_t room = extent;
        while (room > 1) {
            if (next == layout.iters.size() || room % layout.iters[next].extent != 0) return std::nullopt;
            const Iter& it = layout.iters[next++];
            room /= it.extent;
            if (it.extent > 1) mode.push_back(it);
        }
        out.push_back(std::move(mode));
    }
    return out;
}

std::optional<std::vector<std::vector<Iter>>> split_modes(const Layout& layout) {
    std::vector<std::vector<Iter>> out(layout.shape.size());
    std::vector<Iter> left(layout.iters.begin(), layout.iters.end());  // the innermost at the back, possibly cut
    for (std::size_t dim = layout.shape.size(); dim-- > 0;) {
        for (std::int64_t room = layout.shape[dim]; room > 1;) {
            if (left.empty()) return std::nullopt;
            Iter& it = left.back();
            const std::int64_t taken = std::min(room, it.extent);
            if (room % taken != 0 || it.extent % taken != 0) return std::nullopt;
            if (taken > 1) out[dim].insert(out[dim].begin(), {taken, it.stride});
            room /= taken;
            it = {it.extent / taken, it.stride.times(taken)};
            if (it.extent == 1) left.pop_back();
        }
    }
    return out;
}

Elements size(const Layout& layout) {
    std::int64_t product = 1;
    for (const std::int64_t extent : layout.shape) product *= extent;
    return {product};
}

std::optional<std::int64_t> checked_product(const std::vector<std::int64_t>& extents) {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents) {
        if (extent < 1 || extent > max_offset / product) return std::nullopt;
        product *= extent;
    }
    return product;
}

std::optional<Reach> reach(const Layout& layout) {
    if (layout.is_over_bits()) return Reach{0, largest_over_bits(layout, {})};
    Wide least = std::int64_t{layout.offset}, greatest = least;
    for (const Iter& it : layout.iters) {
        const Wide far = static_cast<Wide>(it.extent - 1) * std::int64_t{it.stride};
        (far < 0 ? least : greatest) += far;
        if (least < -max_offset || greatest > max_offset) return std::nullopt;
    }
    return Reach{static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
}

Elements span(const Layout& layout) {
    const std::optional<Reach> ends = reach(layout);
    TILEPROOF_CHECK(ends.has_value());
    if (layout.is_over_bits()) return {largest_over_bits(layout, layout.swizzle) + 1};
    if (layout.swizzle.is_identity()) return {ends->greatest + 1};
    // A swizzle stays within its period blocks, so the largest offset comes from the block of the greatest linear one. How far
    // below that one the others of the block lie is a sum of digits x |stride|.
    const std::int64_t period = std::int64_t{1} << layout.swizzle.period_log2();
    const std::int64_t room = std::min(ends->greatest % period, ends->greatest - ends->least);
    Sums below(room);
    for (const Iter& it : layout.iters)
        if (it.extent > 1 && it.stride != 0) below.add(it.extent, std::abs(it.stride));
    std::int64_t largest = 0;
    for (std::int64_t sum = 0; sum <= room; ++sum)
        if (below.contains(sum)) largest = std::max(largest, swizzled(Integers{}, layout.swizzle, ends->greatest - sum));
    return {largest + 1};
}

bool offsets_fit(const Layout& layout, const std::vector<Symbol>& symbols) {
    const Interval start = interval(layout.offset, symbols);
    Wide least = start.least, greatest = start.greatest, coefficients = weight(layout.offset);
    for (const Iter& it : layout.iters) {
        const std::optional<Expression> far = checked_product(it.stride, Expression(it.extent), symbols, max_offset);
        if (!far) return false;
        const Interval reached = interval(*far, symbols);
        least += std::min<Wide>(0, reached.least);
        greatest += std::max<Wide>(0, reached.greatest);
        coefficients += weight(*far);
    }
    return least >= -max_offset && greatest <= max_offset && coefficients <= max_offset;
}

std::optional<Expression> symbolic_span(const Layout& layout, const std::vector<Symbol>& symbols) {
    Expression greatest = layout.offset;
    for (const Iter& it : layout.iters) {
        if (it.extent == 1) continue;
        const Interval stride = interval(it.stride, symbols);
        if (stride.least >= 0) greatest = greatest + it.stride.times(it.extent - 1);
        else if (stride.greatest > 0) return std::nullopt;
    }
    // A swizzle stays inside its block of a period.
    return greatest + Expression(std::int64_t{1} << layout.swizzle.period_log2());
}

}  // namespace tileproof
