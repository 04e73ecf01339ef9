// Ends: where a region with symbols stops in the dimensions of a plan's box, for all values of the symbols at once.
//
//   columns 0 to 63, the region ends at n      accesses of 8 lanes begin at 0, 8, 16, ...: n % 8 == 0 says that none is cut in two
//   it ends at n and at m                      where n <= m at n, where m <= n at m; where both are 64 or more, with the box
//
// Each method answers true only for a proof.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "verify/all_values_internal.hpp"

namespace tileproof {

/// Where the bounded dimensions of the box stop, and what holds of the symbols there.
struct End {
    std::map<std::size_t, Expression> extents;  // by dimension of the box, in coordinates
    std::vector<Fact> facts;

    /// The same, stopping in this dimension at bound k, the least of `all`, or with the box, of which no bound cuts anything off.
    End at_bound(std::size_t dim, const std::vector<BoxBound>& all, std::size_t k, std::int64_t box) const;
    End behind(std::size_t dim, const std::vector<BoxBound>& all, std::int64_t box) const;
};

class EndProofs : ForAllValues {
public:
    using ForAllValues::ForAllValues;

    /// No symbolic extent exceeds that of the box. (What a predicate leaves cannot.)
    bool are_the_greatest();
    /// The bounds of the plan with symbols are those of the region, all of them and no others. Lanes count up from the one that is compared,
    /// so an access that moves an element of the region for the greatest extents runs for the smaller ones too.
    bool are_the_bounds() const;
    /// What has its first lane below the bounds of a dimension has all of them there: accesses begin at multiples of their lanes along that
    /// dimension, and so does what is behind the least bound where it cuts something off: it is above 0 then, and below the end of the box.
    bool lie_between_accesses();
    /// Every way for the region to stop, where `facts` hold: in a bounded dimension at the least of its bounds, or with the box where all of
    /// them are a predicate's. Nothing: there are too many.
    std::optional<std::vector<End>> all(const std::vector<Fact>& facts) const;

private:
    /// lie_between_accesses of bound k, where it is the least of those of the dimension.
    bool lies_between_accesses(std::size_t dim, const std::vector<BoxBound>& all, std::size_t k);
    /// The region's bound that a bound of the plan is, or null.
    const BoxBound* bound_of_region(const Bound& bound) const;
};

}  // namespace tileproof
