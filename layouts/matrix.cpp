#include "layouts/matrix.hpp"

#include <array>

namespace tileproof {
namespace {

using enum Direction;
constexpr PtxVersion ptx_65{6, 5}, ptx_78{7, 8};

constexpr std::array matrix_forms{
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", load, 4, false, 75, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x2.shared.b16", load, 2, false, 75, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x1.shared.b16", load, 1, false, 75, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", load, 4, true, 75, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", load, 2, true, 75, ptx_65},
    MatrixForm{"ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", load, 1, true, 75, ptx_65},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x4.shared.b16", store, 4, false, 90, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x2.shared.b16", store, 2, false, 90, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x1.shared.b16", store, 1, false, 90, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", store, 4, true, 90, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", store, 2, true, 90, ptx_78},
    MatrixForm{"stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", store, 1, true, 90, ptx_78},
};

constexpr Bits register_size{32};

/// The lane and the 16-bit unit of its registers that have (row, column) of a matrix.
MatrixPlace unit_at(bool transposed, const MatrixRow& at, int column) {
    const int major = transposed ? column : at.row, minor = transposed ? at.row : column;
    return {4 * major + minor / 2, 2 * at.matrix + minor % 2};
}

}  // namespace

const MatrixForm* matrix_form(std::string_view mnemonic) {
    for (const MatrixForm& form : matrix_forms)
        if (form.mnemonic == mnemonic) return &form;
    return nullptr;
}

const MatrixForm* matrix_form(Direction direction, int matrices, bool transposed) {
    for (const MatrixForm& form : matrix_forms)
        if (form.direction == direction && form.matrices == matrices && form.transposed == transposed) return &form;
    return nullptr;
}

MatrixRow supplied_row(const MatrixForm& form, int lane) { return {lane / matrix_rows % form.matrices, lane % matrix_rows}; }

int supplier(const MatrixRow& row) { return matrix_rows * row.matrix + row.row; }

MatrixPlace held_at(const MatrixForm& form, const MatrixRow& row, int n, Bits element) {
    if (element > matrix_unit) {
        const MatrixPlace low = unit_at(form.transposed, row, 2 * n);
        return {low.lane, low.element / 2};
    }
    const int of_unit = static_cast<int>(matrix_unit / element);
    const MatrixPlace unit = unit_at(form.transposed, row, n / of_unit);
    return {unit.lane, unit.element * of_unit + n % of_unit};
}

bool keeps_whole(const MatrixForm& form, Bits element) { return element <= (form.transposed ? matrix_unit : register_size); }

int elements_of_lane(const MatrixForm& form, Bits element) { return form.matrices * static_cast<int>(register_size / element); }

}  // namespace tileproof
