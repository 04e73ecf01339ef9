#include "layouts/matrix.hpp"

#include <array>

namespace tileproof {
namespace {

using enum Direction;
constexpr Bits b16 = half_register, b8 = byte_of_register;
constexpr PtxVersion ptx_65{6, 5}, ptx_78{7, 8}, ptx_86{8, 6};

constexpr std::array matrix_forms{
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", load, 4, false, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x2.shared.b16", load, 2, false, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x1.shared.b16", load, 1, false, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", load, 4, true, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", load, 2, true, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", load, 1, true, 8, b16, 75, false, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", load, 2, true, 16, b8, 100, true, ptx_86},
    MatrixForm{"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", load, 1, true, 16, b8, 100, true, ptx_86},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x4.shared.b16", store, 4, false, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x2.shared.b16", store, 2, false, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x1.shared.b16", store, 1, false, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", store, 4, true, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", store, 2, true, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", store, 1, true, 8, b16, 90, false, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", store, 4, true, 8, b8, 100, true, ptx_86},
    MatrixForm{"stmatrix.sync.aligned.m16n8.x2.trans.shared.b8", store, 2, true, 8, b8, 100, true, ptx_86},
    MatrixForm{"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", store, 1, true, 8, b8, 100, true, ptx_86},
};

constexpr Bits register_size{32};
constexpr int lanes_across = 4;  // of a row without .trans, of a column with it
constexpr int lanes_along = warp_threads / lanes_across;

/// The lane and the unit of its registers that have (row, column) of a matrix; columns count units.
MatrixPlace unit_at(const MatrixForm& form, const MatrixRow& at, int column) {
    if (!form.transposed) {
        const int columns = static_cast<int>(register_size / form.unit);
        return {lanes_across * at.row + column / columns, columns * at.matrix + column % columns};
    }
    const int rows = rows_of_lane(form), piece = column / lanes_along + pieces_of_lane(form) * at.matrix;
    return {lanes_across * (column % lanes_along) + at.row / rows, rows * piece + at.row % rows};
}

}  // namespace

const MatrixForm* matrix_form(std::string_view mnemonic) {
    for (const MatrixForm& form : matrix_forms)
        if (form.mnemonic == mnemonic) return &form;
    return nullptr;
}

const MatrixForm* matrix_form(Direction direction, int matrices, bool transposed, Bits unit) {
    for (const MatrixForm& form : matrix_forms)
        if (form.direction == direction && form.matrices == matrices && form.transposed == transposed && form.unit == unit) return &form;
    return nullptr;
}

MatrixRow supplied_row(const MatrixForm& form, int lane) { return {lane / form.rows % form.matrices, lane % form.rows}; }

int supplier(const MatrixForm& form, const MatrixRow& row) { return form.rows * row.matrix + row.row; }

int rows_of_lane(const MatrixForm& form) { return form.transposed ? form.rows / lanes_across : 1; }

int pieces_of_lane(const MatrixForm& form) { return form.transposed ? static_cast<int>(matrix_row_width / form.unit) / lanes_along : 1; }

MatrixPlace held_at(const MatrixForm& form, const MatrixRow& row, int n, Bits element) {
    if (element > form.unit) {
        const int units = static_cast<int>(element / form.unit);
        const MatrixPlace low = unit_at(form, row, units * n);
        return {low.lane, low.element / units};
    }
    const int of_unit = static_cast<int>(form.unit / element);
    const MatrixPlace unit = unit_at(form, row, n / of_unit);
    return {unit.lane, unit.element * of_unit + n % of_unit};
}

bool keeps_whole(const MatrixForm& form, Bits element) { return element <= (form.transposed ? form.unit : register_size); }

int elements_of_lane(const MatrixForm& form, Bits element) { return form.registers() * static_cast<int>(register_size / element); }

}  // namespace tileproof
