// XorBasis: the values that XORs of some given values reach.
//
//   add(6), add(5)      reach 0, 5, 6 and 6 ^ 5 = 3: rank 2, largest 6
//   add(3)              adds nothing, and says why: 0th ^ 1st ^ 2nd = 0, as the set 0b111
//
// Kept in echelon form: one row for each leading bit, with the set of given values that it is the XOR of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "layouts/units.hpp"

namespace tileproof {

class XorBasis {
public:
    /// Takes the next value. Returns 0 if it is independent of the earlier ones, otherwise a set of given values, itself among
    /// them, whose XOR is 0: bit i stands for the i-th value given. Requires: value >= 0, at most 62 values in all.
    std::int64_t add(std::int64_t value) {
        std::int64_t from = std::int64_t{1} << given_++;
        while (value != 0) {
            Row& row = rows_[static_cast<std::size_t>(floor_log2(value))];
            if (row.value == 0) {
                row = {value, from};
                ++rank_;
                return 0;
            }
            value ^= row.value;
            from ^= row.from;
        }
        return from;
    }

    /// How many of the given values are independent: 2^rank values are reached.
    int rank() const { return rank_; }

    bool reaches(std::int64_t value) const {
        while (value != 0) {
            const Row& row = rows_[static_cast<std::size_t>(floor_log2(value))];
            if (row.value == 0) return false;
            value ^= row.value;
        }
        return true;
    }

    std::int64_t largest() const {
        std::int64_t best = 0;
        for (std::size_t i = rows_.size(); i-- > 0;)
            if ((best ^ rows_[i].value) > best) best ^= rows_[i].value;
        return best;
    }

private:
    struct Row {
        std::int64_t value = 0;
        std::int64_t from = 0;
    };
    std::array<Row, 63> rows_{};  // by leading bit
    int given_ = 0;
    int rank_ = 0;
};

}  // namespace tileproof
