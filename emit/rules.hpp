// Rules: every id that the program prints in brackets, what it means, what to do about it, and a problem that shows it.
//
//   stride   refusal     a run other than the first starts off its alignment   ->  pad the rows to a multiple of the width
//   rank     input       more than 8 dimensions
//   covers   obligation  every element of the region is moved
//
// One id may stand for two things (`overflow` is a fault of a file and an obligation); each has a row of its own.
// tests/explain_test.cpp runs every example, looks for its answer, and searches the sources for ids that have no row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tileproof {

enum class RuleKind {
    refusal,     // why a wider access is not legal; no fault
    rejection,   // why a copy cannot be done at all: exit status 1
    input,       // what is wrong with a problem file or the command line: exit status 2
    plan,        // what is wrong with a plan file: exit status 2
    obligation,  // what a proof is made of
    assumption,  // what a proof rests on
    result,      // what came of a search, of writing a file or of a run
};
std::string to_string(RuleKind kind);

struct Rule {
    std::string_view id;
    RuleKind kind;
    std::string_view meaning;
    std::string_view remedy;
    std::string_view example_toml{};    // a problem file (a plan file for RuleKind::plan); empty where no file alone shows it
    std::string_view example_answer{};  // the line that the tool prints for it, without its margin; "..." stands for anything
};

/// All of them: by kind, and within a kind from the frequent to the rare.
const std::vector<Rule>& rules();
/// The rows of this id; none if it is unknown.
std::vector<const Rule*> find_rules(std::string_view id);

/// `explain RULE` for people, at most 100 columns wide.
std::string rules_text(const std::vector<const Rule*>& which, bool color);
/// One line a rule, under a head for each kind.
std::string rule_list_text(bool color);
/// Schema `tileproof.rules/1`.
std::string rules_json(const std::vector<const Rule*>& which);

/// What the examples are called in their answers.
constexpr std::string_view example_file = "copy.toml";
constexpr std::string_view example_plan_file = "plan.json";

}  // namespace tileproof
