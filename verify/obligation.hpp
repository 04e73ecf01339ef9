// The obligations: every condition that a plan must meet, each with a stable id and one sentence.
//
// Notation, for one copy. An access is a (segment, round f, thread t) whose predicate holds at lane 0; it has lanes v.
//   P(v)   the element offset that the plan computes for lane v of a side
//   A      the address of the access: P(0); rounded down to a block of the width where the swizzle reaches below it
//   L(c)   the element offset that the layout gives the box coordinate c; c(v) is that of lane v
//   n      elements of an access: width / element size
#pragma once

#include <string_view>
#include <vector>

namespace tileproof {

struct Obligation {
    std::string_view id;
    std::string_view sentence;
    bool of_program = false;  // judged once a file, not once a copy
};

/// All obligations that this version judges, in report order.
const std::vector<Obligation>& obligations();

}  // namespace tileproof
