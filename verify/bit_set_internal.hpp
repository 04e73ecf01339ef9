// BitSet: which of 0 .. count-1 have been seen, one bit each; ranges go in a word at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tileproof {

class BitSet {
public:
    explicit BitSet(std::int64_t count) : words_(static_cast<std::size_t>((count + 63) / 64)) {}

    bool contains(std::int64_t i) const { return (words_[static_cast<std::size_t>(i >> 6)] >> (i & 63) & 1) != 0; }
    std::int64_t count() const {
        std::int64_t out = 0;
        for (const std::uint64_t word : words_) out += std::popcount(word);
        return out;
    }
    /// Puts first .. end-1 in. False where one of them was in already. Requires: 0 <= first, end <= count.
    bool insert(std::int64_t first, std::int64_t end) {
        std::uint64_t before = 0;
        while (first < end) {
            const std::int64_t more = std::min<std::int64_t>(end - first, 64 - (first & 63));
            const std::uint64_t bits = ~std::uint64_t{0} >> (64 - more) << (first & 63);
            std::uint64_t& word = words_[static_cast<std::size_t>(first >> 6)];
            before |= word & bits;
            word |= bits;
            first += more;
        }
        return before == 0;
    }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace tileproof
