// The tables behind emit/rules.hpp, one a file. A row without an example has no file that shows it.
#pragma once

#include "emit/rules.hpp"

namespace tileproof {

std::vector<Rule> refusal_rules();
std::vector<Rule> rejection_rules();
std::vector<Rule> file_rules();    // input: the file and its keys
std::vector<Rule> layout_rules();  // input: layouts, regions, people
std::vector<Rule> plan_rules();
std::vector<Rule> obligation_rules();
std::vector<Rule> assumption_rules();
std::vector<Rule> result_rules();

}  // namespace tileproof
