#include "solver/cut.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "solver/partition.hpp"
#include "solver/refusal.hpp"

namespace tileproof {
namespace {

/// An interval of the cut dimension in slices.
struct Slices {
    std::int64_t rounds = 0;
    std::int64_t accesses = 0;  // of a row
    std::vector<Slice> all{};

    auto key() const { return std::tuple{rounds, all.size(), accesses}; }
    void add(const Slices& more) {
        rounds += more.rounds;
        accesses += more.accesses;
        all.insert(all.end(), more.all.begin(), more.all.end());
    }
};

struct Width {
    Bits width;
    std::int64_t n = 1;      // elements of an access
    std::int64_t place = 0;  // of coordinate 0 in a block
};

/// Peels an interval from outside: pieces of one width at both ends, the rest of wider ones.
class Peeler {
public:
    Peeler(std::vector<std::int64_t> shape, std::size_t dim, std::int64_t threads, std::vector<Width> widths)
        : shape_(std::move(shape)), dim_(dim), threads_(threads), widths_(std::move(widths)) {}

    Slices best() { return best(0, shape_[dim_], widths_.size() - 1); }

private:
    std::int64_t rounds(std::int64_t accesses) {
        const auto [known, is_new] = rounds_.emplace(accesses, 0);
        if (!is_new) return known->second;
        std::vector<std::int64_t> all = shape_;
        all[dim_] = accesses;
        return known->second = fewest_rounds(all, threads_);
    }

    /// The most accesses that take no more rounds.
    std::int64_t in_as_many_rounds(std::int64_t accesses, std::int64_t most) {
        std::int64_t low = accesses;
        while (low < most) {
            const std::int64_t middle = most - (most - low) / 2;
            if (rounds(middle) == rounds(accesses)) low = middle;
            else most = middle - 1;
        }
        return low;
    }

    Slices piece(std::int64_t begin, std::int64_t end, const Width& width) {
        if (begin == end) return {};
        const std::int64_t accesses = (end - begin) / width.n;
        return {rounds(accesses), accesses, {{width.width, dim_, begin, end - begin}}};
    }

    /// How long a piece of width i at one end may be whose other end, `at(length)`, is to lie between blocks of the width j: up to
    /// the first such place, up to one between blocks of a wider width still, or as far as the last round of these has room.
    template <class At>
    std::vector<std::int64_t> lengths(std::int64_t most, std::size_t i, std::size_t j, const At& at) {
        std::vector<std::int64_t> out;
        const std::int64_t n = widths_[i].n;
        const auto first = [&](const Width& width) {
            const std::int64_t off = (at(0) + width.place) % width.n;
            return at(1) > at(0) ? (width.n - off) % width.n : off;
        };
        for (std::size_t k = 0; k <= j; ++k) {
            const std::int64_t least = first(widths_[k]);
            if (least > most) continue;
            out.push_back(least);
            if (least > 0) out.push_back(least + (in_as_many_rounds(least / n, most / n) * n - least) / widths_[k].n * widths_[k].n);
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    /// The best slices from `begin` to `end`, which lie between blocks of width i, of this width at the ends and wider ones inside.
    const Slices& best(std::int64_t begin, std::int64_t end, std::size_t i) {
        const auto key = std::tuple{begin, end, i};
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        Slices out = piece(begin, end, widths_[i]);
        for (std::size_t j = 0; j < i && begin < end; ++j) {
            const std::int64_t most = end - begin - widths_[j].n;
            const std::vector<std::int64_t> lefts = lengths(most, i, j, [&](std::int64_t length) { return begin + length; }),
                                            rights = lengths(most, i, j, [&](std::int64_t length) { return end - length; });
            for (const std::int64_t left : lefts) {
                for (const std::int64_t right : rights) {
                    if (left + right > most) continue;
                    Slices one = best(begin + left, end - right, j);
                    one.add(piece(begin, begin + left, widths_[i]));
                    one.add(piece(end - right, end, widths_[i]));
                    if (one.key() < out.key()) out = std::move(one);
                }
            }
        }
        return known_.emplace(key, std::move(out)).first->second;
    }

    std::vector<std::int64_t> shape_;
    std::size_t dim_;
    std::int64_t threads_;
    std::vector<Width> widths_;  // widest first; the last is legal for all
    std::map<std::int64_t, std::int64_t> rounds_{};
    std::map<std::tuple<std::int64_t, std::int64_t, std::size_t>, Slices> known_{};
};

/// Whether the bits that the swizzle reads are 0 in each offset of the box. With strides as near to 0 as a multiple of the swizzle's
/// step lets them be, no step of a digit leaps over the offsets where they are not.
bool leaves_in_place(const Swizzle& swizzle, const std::vector<std::int64_t>& shape, const BoxSide& at) {
    const std::int64_t unread = swizzle.source_mask() & -swizzle.source_mask();  // offsets below this, of each step
    const std::int64_t step = unread << swizzle.bits_log2;
    const auto rest = [&](std::int64_t n) { return (n % step + step) % step; };
    if (!at.offset.is_constant()) return false;
    std::int64_t least = rest(at.offset), most = least;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) continue;
        if (!at.strides[i].is_constant()) return false;
        const std::int64_t up = rest(at.strides[i]), nearest = up <= step / 2 ? up : up - step;
        if (nearest != 0 && shape[i] > step) return false;
        (nearest < 0 ? least : most) += nearest * (shape[i] - 1);
    }
    return least >= 0 && most < unread;
}

}  // namespace

std::optional<std::int64_t> place_in_block(const Problem& problem, const Copy& copy, const CanonicalBox& box, std::size_t dim,
                                           std::int64_t n) {
    const std::vector<std::int64_t> shape = box.box.shape();
    std::optional<std::int64_t> out;
    for (const Side side : both_sides) {
        const Buffer& buffer = problem.buffer(operand(copy, side));
        const std::int64_t residue = to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size;
        if (!keeps_blocks(buffer, n, shape, box.side(side))) return std::nullopt;
        for (std::size_t i = 0; i < shape.size(); ++i)
            if (i != dim && shape[i] > 1 && box.side(side).strides[i] % n != 0) return std::nullopt;
        const std::int64_t place = ((box.side(side).offset + residue) % n + n) % n;
        if (out && *out != place) return std::nullopt;
        out = place;
    }
    return out;
}

bool keeps_blocks(const Buffer& buffer, std::int64_t n, const std::vector<std::int64_t>& shape, const BoxSide& at) {
    const Swizzle& swizzle = buffer.layout.swizzle;
    const std::int64_t residue = to_bits(buffer.base.value_or(Bytes{0})) / buffer.dtype.size;
    return swizzle.is_identity() || ((std::int64_t{1} << swizzle.base_log2) % n == 0 && residue % n == 0) ||
           leaves_in_place(swizzle, shape, at);
}

std::optional<CopyPlan> cut(smt::Session& z3, const Problem& problem, const Copy& copy, const CanonicalBox& box,
                            const std::vector<Bits>& widths, const CopyPlan& single, const PlaceInBlock& place) {
    const Segment& whole = single.segments.front();
    if (whole.outer < 3) return std::nullopt;  // two segments have two rounds
    const std::vector<std::int64_t> shape = box.box.shape();
    std::size_t dim = 0;
    while (dim < shape.size() && !(shape[dim] > 1 && box.src.strides[dim] == Expression(1) && box.dst.strides[dim] == Expression(1))) ++dim;
    if (dim == shape.size() || box.bounds.count(dim) != 0) return std::nullopt;
    std::vector<Width> able;
    for (const Bits width : widths) {
        if (width < whole.src.width || early_refusal(problem, copy, width)) continue;
        const std::int64_t n = width / problem.buffer(copy.src).dtype.size;
        // At the width for all, every block is whole: coordinate 0 lies between two.
        const std::optional<std::int64_t> at = width == whole.src.width ? 0 : place(dim, n);
        if (at) able.push_back({width, n, *at});
    }
    if (able.size() < 2) return std::nullopt;
    Slices best = Peeler(shape, dim, copy.threads, std::move(able)).best();
    if (best.rounds >= whole.outer) return std::nullopt;
    std::sort(best.all.begin(), best.all.end(),
              [](const Slice& a, const Slice& b) { return a.width != b.width ? a.width > b.width : a.begin < b.begin; });
    CopyPlan out{copy.name, participants(copy, problem.launch), box.box, {}};
    for (const Slice& slice : best.all) {
        std::optional<Segment> segment = box_segment(z3, problem, copy, box, slice);
        if (!segment) return std::nullopt;
        out.segments.push_back(*std::move(segment));
    }
    return out;
}

}  // namespace tileproof
