// The report for people: short, aligned, coloured on a terminal.
//
//   load  A -> As                                  proved
//     width   128 bits    4 elements x 32 threads x 8 rounds
//     src     ld.global.v4.u32    A[v + 4*t + 128*f]
//     dst     st.shared.v4.u32    As[v + 4*t + 128*f]
//     256     refused: sm_90 has no 256-bit access to global memory [target]
#pragma once

#include <string>

#include "emit/view.hpp"

namespace tileproof {

std::string report_text(const View& view, bool color);

}  // namespace tileproof
