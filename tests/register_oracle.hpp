// The widest legal access of a copy with a side in registers, by the words of the definition: slow, and shares nothing with the product
// but where a layout puts an element.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof::oracle {

struct RegisterAnswer {
    bool overlaps = false;                               // two elements with one destination
    int width_bits = 0;                                  // 0: none is legal
    std::vector<std::pair<int, std::string>> refused{};  // wider widths, widest first, with their rules
};
/// Requires: one side is in registers.
RegisterAnswer widest_with_registers(const Problem& problem, const Copy& copy);

}  // namespace tileproof::oracle
