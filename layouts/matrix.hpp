// Matrix instructions: ldmatrix and stmatrix, by which the lanes of a warp deal rows of shared memory out to each other's registers.
//
//   ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [address];      four matrices of 8 rows of 16 bytes
//     lane 8 j + r               supplies the address of row r of matrix j
//     lane 4 r + c / 2           gets (r, c) of matrix j into half c % 2 of its register j; c counts 16-bit units
//     lane 4 c + r / 2, .trans   gets it into half r % 2
//
// A row of 16 bytes is one access: its lane gives the address, other lanes have the data. Elements of 16 bits are units; narrower ones
// move as the neighbours that share a unit; of 32 bits, a register without .trans holds one (PTX ISA, "ldmatrix", "stmatrix").
#pragma once

#include <cstdint>
#include <string_view>

#include "layouts/machine.hpp"

namespace tileproof {

/// One instruction. `least_arch` counts like Arch::number.
struct MatrixForm {
    std::string_view mnemonic;
    Direction direction;  // load: from shared memory into registers
    int matrices;         // and 32-bit registers of each lane
    bool transposed;
    int least_arch;
    PtxVersion least_ptx;
};
/// The form with this mnemonic, or of this kind; null where none exists.
const MatrixForm* matrix_form(std::string_view mnemonic);
const MatrixForm* matrix_form(Direction direction, int matrices, bool transposed);

/// Whether some form is called so.
inline bool is_matrix(std::string_view mnemonic) { return matrix_form(mnemonic) != nullptr; }

constexpr Bits matrix_row_width{128};
constexpr int matrix_rows = 8;
constexpr Bits matrix_unit{16};

struct MatrixRow {
    int matrix = 0;
    int row = 0;
    friend bool operator==(const MatrixRow&, const MatrixRow&) = default;
};
/// The row whose address this lane of the warp supplies. Lanes beyond the last row repeat rows: sm_75 wants an address of each
/// lane that is good.
MatrixRow supplied_row(const MatrixForm& form, int lane);
/// The first lane that supplies this row.
int supplier(const MatrixRow& row);

/// Where an element is held: a lane of the warp, and a place in its registers, counted in elements from the low bits of the first on.
struct MatrixPlace {
    int lane = 0;
    int element = 0;
    friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};
/// Of element number `n` of a row. Requires: keeps_whole(form, element).
MatrixPlace held_at(const MatrixForm& form, const MatrixRow& row, int n, Bits element);

/// Whether an element of this size stays in one piece.
bool keeps_whole(const MatrixForm& form, Bits element);
/// Elements that one instruction moves in each lane. Requires: element <= 32 bits.
int elements_of_lane(const MatrixForm& form, Bits element);
/// Elements of a row.
inline int elements_of_row(Bits element) { return static_cast<int>(matrix_row_width / element); }

}  // namespace tileproof
