// Matrix instructions: ldmatrix and stmatrix, by which the lanes of a warp deal rows of shared memory out to each other's registers.
//
//   ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [address];      four matrices of 8 rows of 16 bytes
//     lane 8 j + r               supplies the address of row r of matrix j
//     lane 4 r + c / 2           gets (r, c) of matrix j into half c % 2 of its register j; c counts 16-bit units
//     lane 4 c + r / 2, .trans   gets it into half r % 2
//   ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {r0, r1, r2, r3}, [address];      two of 16 rows
//     lane 16 j + r              supplies, and
//     lane 4 (c % 8) + r / 4     gets (r, c) into byte r % 4 of its register 2 j + c / 8; c counts bytes
//   stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [address], {r0, r1, r2, r3};      four of 8 rows
//     lane 4 (c % 8) + r / 2     has (r, c) in byte 2 (c / 8) + r % 2 of its register j
//
// A row of 16 bytes is one access: its lane gives the address, other lanes have the data. What a form deals out are units, of 16 bits or 8;
// narrower elements move as the neighbours that share one; of 32 bits, a register of m8n8 without .trans holds one (PTX ISA, "ldmatrix",
// "stmatrix"; the maps of bytes: CuTe's SM100_U8x8_LDSM_T and SM100_U8x4_STSM_T, and what Triton lowers to).
#pragma once

#include <cstdint>
#include <string_view>

#include "layouts/machine.hpp"

namespace tileproof {

constexpr Bits matrix_row_width{128};
/// What forms deal out.
constexpr Bits half_register{16}, byte_of_register{8};

/// One instruction. `least_arch` counts like Arch::number; with `is_specific` it takes a target with a suffix too, sm_100a or sm_100f and
/// later ones.
struct MatrixForm {
    std::string_view mnemonic;
    Direction direction;  // load: from shared memory into registers
    int matrices;
    bool transposed;
    int rows;   // of a matrix
    Bits unit;  // what stays together
    int least_arch;
    bool is_specific;
    PtxVersion least_ptx;

    /// Of each lane, of 32 bits.
    constexpr int registers() const { return matrices * rows / 8; }
};
/// The form with this mnemonic, or of this kind; null where none exists.
const MatrixForm* matrix_form(std::string_view mnemonic);
const MatrixForm* matrix_form(Direction direction, int matrices, bool transposed, Bits unit = half_register);

/// Whether some form is called so.
inline bool is_matrix(std::string_view mnemonic) { return matrix_form(mnemonic) != nullptr; }

struct MatrixRow {
    int matrix = 0;
    int row = 0;
    friend bool operator==(const MatrixRow&, const MatrixRow&) = default;
};
/// The row whose address this lane of the warp supplies. Lanes beyond the last row repeat rows: sm_75 wants an address of each
/// lane that is good.
MatrixRow supplied_row(const MatrixForm& form, int lane);
/// The first lane that supplies this row.
int supplier(const MatrixForm& form, const MatrixRow& row);

/// Where an element is held: a lane of the warp, and a place in its registers, counted in elements from the low bits of the first on.
struct MatrixPlace {
    int lane = 0;
    int element = 0;
    friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};
/// Of element number `n` of a row. Requires: keeps_whole(form, element).
MatrixPlace held_at(const MatrixForm& form, const MatrixRow& row, int n, Bits element);

/// Rows of which each lane has a piece in the same columns, as neighbours in its registers: 1 without .trans.
int rows_of_lane(const MatrixForm& form);
/// Pieces of a row in one lane, eight units apart: 2 where .trans deals 16 bytes out to 8 lanes.
int pieces_of_lane(const MatrixForm& form);

/// Whether an element of this size stays in one piece.
bool keeps_whole(const MatrixForm& form, Bits element);
/// Elements that one instruction moves in each lane. Requires: element <= 32 bits.
int elements_of_lane(const MatrixForm& form, Bits element);
/// Elements of a row.
inline int elements_of_row(Bits element) { return static_cast<int>(matrix_row_width / element); }

}  // namespace tileproof
