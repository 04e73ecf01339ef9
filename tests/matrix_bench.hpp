// Matrix instructions under test: one of them in a kernel of its own, and copies that are planned, proved and run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layouts/solution.hpp"
#include "tests/matrix_problems.hpp"

namespace tileproof::test {

/// `fragment[lane][value]`: which unit a lane holds, low bits of its first register first. Units are numbered along the rows that the lanes
/// supply, lane after lane.
using FragmentTable = std::vector<std::vector<int>>;

/// A kernel that gives row `rows[lane]` of 16 bytes as the lane's address; memory comes from the first parameter and goes back there, the
/// lanes' registers likewise with the second.
std::string matrix_kernel(const std::string& mnemonic, int registers);

/// Runs the kernel on random memory, registers and rows, and compares every byte with the table.
void deals(const std::string& mnemonic, const FragmentTable& fragment, Bytes unit, unsigned seed);

/// The plan of the problem's copy, proved, and right when run.
CopySolution holds(const Problem& problem);

/// "4 x ldmatrix.x4.trans": rounds and instruction of a copy that is proved and does what it should, with the shape if it is not m8n8; of
/// others, the variant and why.
std::string done_by(const Problem& problem);
std::string done_by(const std::string& src, const std::string& dst, const std::string& scope = "warp", std::int64_t threads = 32,
                    const std::string& arch = "sm_90");

}  // namespace tileproof::test
