// Register samples: a copy between registers and memory at some values of its symbols, to look at element by element.
//
//   src = As[k0:+16, :], k0 = 0, 16, ..., 48      k0 = 0, 16, 32, 48: those at which it moves something, the least first
#pragma once

#include <optional>
#include <vector>

#include "layouts/problem.hpp"

namespace tileproof {

/// The problem with these values and the copy alone; of a copy that fills with zeros, what is read.
Problem copy_at(const Problem& problem, const Copy& copy, const Values& values);
/// Whether such a copy moves something, inside its layouts: what is outside is for `bounds` to refute.
bool moves_something(const Problem& one);

/// Some values at which it does. Requires: register_side(problem, copy).
std::vector<Values> telling_values(const Problem& problem, const Copy& copy);

/// Two elements in one place at one of these. (That there are none for all values is the verifier's to prove.)
std::optional<Diagnostic> rejected_at_a_sample(const Problem& problem, const Copy& copy, const std::vector<Values>& samples);

}  // namespace tileproof
