#include "emit/rules_internal.hpp"

namespace tileproof {

std::vector<Rule> plan_rules() {
    return {
        {"json-syntax", RuleKind::plan, "The plan is no JSON.", "Pass what `plan --format json` printed, or an object of its `copies`.",
         R"json({"copies": [
)json",
         "plan.json:2:1: error: this is not JSON [json-syntax]"},
        {"plan-json", RuleKind::plan,
         "A part of the plan is missing or has another type. The pointer in front of the sentence says "
         "where.",
         "Compare with a report, or with docs/schema/plan.schema.json. Integers may be numbers or decimal "
         "strings.",
         R"json({"copies": [{"name": "load", "segments": [], "participants": {"first": 0}}]}
)json",
         "plan.json: error: /copies/0/participants has no 'count' [plan-json]"},
        {"plan-shape", RuleKind::plan,
         "The plan can be read, but its numbers do not fit together: digits that do not multiply up to "
         "`outer`, `threads` and `vec`, a box that does "
         "not split the region, an address with another number of strides than digits, lanes of a block that "
         "are no vec digits.",
         "Check the digits: the extents of a role multiply to its number, and their places are 0, 1, 2 and "
         "so on."},
        {"plan-summary", RuleKind::plan,
         "A copy says something about its own plan that is not so: its `width_bits` is not that of the "
         "narrowest access of its segments (in blocks of registers, of the runs that both sides have), or `box.shape` is not the product "
         "of the factors in `box.of`. What the "
         "plan does is in `segments` and `box.of`; whoever reads the summary alone would be misled.",
         "Correct the summary, or leave it out.",
         R"json({"copies": [{"name": "load", "participants": {"first": 0, "count": 32},
  "box": {"shape": [64], "of": [[[0, 1, 128]]]}, "segments": []}]}
)json",
         "plan.json: error: /copies/0/box/shape is [64], but box.of makes it [128] [plan-summary]"},
        {"plan-copies", RuleKind::plan,
         "The plan does not have exactly the copies of the problem, in the same order and with the same "
         "names.",
         "Verify a plan against the file that it was made for."},
        {"plan-program", RuleKind::plan, "The program of the plan does not run each copy once, in the order of the file.",
         "Barriers may be added and removed; the order of the copies is the file's."},
    };
}

}  // namespace tileproof
