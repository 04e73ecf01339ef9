// Row faults: why the rows of a plan are not what its matrix instruction moves.
//
//   As f16 (16,16):(20,1) -> the fragment of ldmatrix.x4      thread 1 would supply the address of row 1: byte 40 = 8 mod 16
//   As f16 (16,16):(ld,1), ld a multiple of 4                  the same, with ld = 20
//   As f16 (16,16):(ld,1), ld a multiple of 8                  none: each row begins at a multiple of 8 elements, whatever ld is
//
// Of numbers each row is looked at. With symbols lanes have strides that are numbers, so a row in one piece is one for all values; where it begins
// is a sum of steps, each of which has to be a multiple of a row: decided by Z3, and refuted by the least values that enumeration finds a fault at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/matrix.hpp"
#include "layouts/plan.hpp"

namespace tileproof::smt {
class Session;
}

namespace tileproof {

/// "ldmatrix.trans"
std::string name_of(const MatrixForm& form);

struct RowFault {
    enum class Kind {
        warp,
        fragment,
        address
    };  // a part of a warp moves nothing; the threads hold other elements; the row begins elsewhere
    Kind kind{};
    std::string text;
};
/// `is_open`: no fault was found, and that there is none for any value of the symbols is not decided.
struct RowAnswer {
    std::optional<RowFault> fault{};
    bool is_open = false;
};
/// `samples`: of the symbols, looked at first (solver/register_samples.hpp). Requires: a plan of one segment for this form, no symbolic extents.
RowAnswer judge_rows(smt::Session& z3, const Problem& problem, const Copy& copy, const MatrixForm& form, const CopyPlan& plan,
                     const std::vector<Values>& samples);

}  // namespace tileproof
