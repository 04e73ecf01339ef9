// Is a mode straight? Along one dimension of a region the offset is start + sum step * g, for all values of the box factors g of that dimension.
//
//   mode (4,4):(100,2), factors 2 with weight 8 and 8 with weight 1      position 8 g0 + g1; g1 = 4 h1 + h0, so the digits are 2 g0 + h1 and h0
//   claimed 200 g0 + 2 g1                                                it is 100 (2 g0 + h1) + 2 h0, another value where h1 = 1: not straight
//
// Digits in their ranges that add up to the position are the only ones there are. So where the factors split the iters, what they give of each
// digit is tried, which takes Z3 little; otherwise it has to look for the digits.
#include <algorithm>
#include <cstdlib>

#include "layouts/box.hpp"
#include "verify/linear_internal.hpp"

namespace tileproof {
namespace {

/// Where a mode is straight, thousands of resource units say so. What takes more is left to the definition.
constexpr std::uint64_t most_for_a_mode = 200'000;

class ModeClaim {
public:
    ModeClaim(z3::context& context, const std::vector<Iter>& mode, std::int64_t start, std::int64_t value)
        : context_(context), mode_(mode), radix_(mode.size(), 1), position_(number(start)), claimed_(number(value)) {
        // (A mode of extent 1 has no iters: its one position has no digits, and the value 0.)
        for (std::size_t m = mode.size(); m-- > 1;) radix_[m - 1] = radix_[m] * mode[m].extent;
        for (std::size_t m = 0; m < mode.size(); ++m) split_.push_back(number(start / radix_[m] % mode[m].extent));
    }

    /// Factor number k, a step of which adds so much to the value.
    void add(const BoxFactor& factor, std::size_t k, std::int64_t step) {
        const z3::expr g = variable("g", k);
        const z3::expr forward = factor.weight > 0 ? g : number(factor.extent - 1) - g;
        const std::int64_t weight = std::abs(factor.weight);
        ranges_.push_back(g >= number(0));
        ranges_.push_back(g < number(factor.extent));
        smt::assign(position_, position_ + forward * number(weight));
        smt::assign(claimed_, claimed_ + g * number(step));
        split(forward, factor.extent, weight, "g" + std::to_string(k) + "_");
    }

    /// Some position is not that of the digits which the factors give, or its value is another.
    std::vector<z3::expr> fails_as_split() const { return in_ranges(!are_digits(split_) || differs(split_)); }
    /// Some position has digits with another value. (It lies inside the mode, as the region does in the shape, so it has digits.)
    std::vector<z3::expr> fails() const {
        std::vector<z3::expr> digits;
        for (std::size_t m = 0; m < mode_.size(); ++m) digits.push_back(variable("a", m));
        return in_ranges(are_digits(digits) && differs(digits));
    }

private:
    z3::expr number(std::int64_t n) const { return context_.int_val(n); }
    z3::expr variable(const std::string& name, std::size_t n) const { return context_.int_const((name + std::to_string(n)).c_str()); }

    /// A factor counts in one iter from its weight on; or on through the next ones, and then has a part in each: those are its digits, which it always has.
    void split(const z3::expr& factor, std::int64_t extent, std::int64_t weight, const std::string& name) {
        if (mode_.empty()) return;
        std::size_t m = mode_.size() - 1;
        while (m > 0 && radix_[m - 1] <= weight) --m;
        z3::expr sum = number(0);
        std::int64_t step = weight / radix_[m], left = extent, scale = 1;
        do {
            const std::int64_t here = m > 0 ? std::min(left, std::max<std::int64_t>(1, mode_[m].extent / step)) : left;
            const z3::expr part = variable(name, m);
            ranges_.push_back(part >= number(0) && part < number(here));
            smt::assign(split_[m], split_[m] + part * number(step));
            smt::assign(sum, sum + part * number(scale));
            scale *= here;
            left = ceil_div(left, here);
            step = 1;
            if (m > 0) --m;
        } while (left > 1);
        ranges_.push_back(sum == factor);
    }

    z3::expr in_range(const z3::expr& a, std::size_t m) const { return a >= number(0) && a < number(mode_[m].extent); }
    z3::expr are_digits(const std::vector<z3::expr>& digits) const {
        z3::expr sum = number(0), all = context_.bool_val(true);
        for (std::size_t m = 0; m < mode_.size(); ++m) {
            smt::assign(sum, sum + digits[m] * number(radix_[m]));
            smt::assign(all, all && in_range(digits[m], m));
        }
        return all && sum == position_;
    }
    z3::expr differs(const std::vector<z3::expr>& digits) const {
        z3::expr value = number(0);
        for (std::size_t m = 0; m < mode_.size(); ++m) smt::assign(value, value + digits[m] * number(mode_[m].stride));
        return value != claimed_;
    }
    std::vector<z3::expr> in_ranges(const z3::expr& what) const {
        std::vector<z3::expr> out = ranges_;
        out.push_back(what);
        return out;
    }

    z3::context& context_;
    const std::vector<Iter>& mode_;
    std::vector<std::int64_t> radix_;  // of each iter: the extents behind it
    z3::expr position_, claimed_;
    std::vector<z3::expr> split_{}, ranges_{};  // digits by the factors; what factors and their parts lie in
};

}  // namespace

bool LinearProofs::mode_is_linear(Side side, std::size_t region_dim, std::int64_t start_value, const std::vector<std::int64_t>& steps) {
    const auto all_modes = split_modes(judge_.buffer(side).layout);
    if (!all_modes) return false;
    const Region& region = operand(judge_.copy(), side).region;
    const std::size_t dim = dense(region).dims[region_dim];
    ModeClaim claim(z3_.context(), (*all_modes)[dim], region.start[dim], start_value);
    std::size_t k = 0;
    for (const auto& factors : judge_.plan().box.dims)
        for (const BoxFactor& factor : factors)
            if (factor.dim == static_cast<int>(region_dim)) claim.add(factor, k, steps[k]), ++k;
    const std::uint64_t rlimit = rlimit_ == 0 ? most_for_a_mode : std::min(rlimit_, most_for_a_mode);
    const auto is_impossible = [&](const std::vector<z3::expr>& query) {
        return z3_.check(smt::Theory::linear, query, {}, rlimit).answer == smt::Answer::unsat;
    };
    return z3_.argued([&] { return is_impossible(claim.fails_as_split()); }) || is_impossible(claim.fails());
}

}  // namespace tileproof
