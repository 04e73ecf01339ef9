// Decoding: the words of a PTX instruction -> what it does.
//
//   "ld.shared.v4.u32"                    ->  ld, shared, 4 lanes of 32 bits
//   "ld.global.nc.L1::no_allocate.u32"    ->  ld, global, non-coherent, 1 lane of 32 bits
//
// What else is said of caches has no effect here, but only what PTX has is taken, in its order (PTX ISA, "ld", "st", "cp.async").
#pragma once

#include <optional>
#include <string>

#include "tests/ptx_interpreter.hpp"

namespace tileproof::test {

enum class Op {
    mov,
    cvt,
    cvta,
    add,
    sub,
    mul,
    mad,
    shl,
    shr,
    bit_and,
    bit_or,
    bit_xor,
    bit_extract,
    bit_insert,
    permute,
    div,
    rem,
    max,
    min,
    setp,
    selp,
    bra,
    bar,
    ld,
    st,
    load_matrices,
    store_matrices,
    copy_async,
    commit_group,
    wait_group,
    wait_all,
    ret
};

/// An instruction with its words understood.
struct Decoded {
    Op op = Op::ret;
    int bits = 0;       // of the type; 1: predicate
    int from_bits = 0;  // cvt
    bool is_signed = false;
    bool from_signed = false;
    bool wide = false;          // mul.wide, mad.wide
    bool non_coherent = false;  // ld: of what nobody may write
    std::string compare{};
    std::string space{};
    int lanes = 1;            // ld, st; of ldmatrix and stmatrix, the matrices
    bool transposed = false;  // ldmatrix, stmatrix
    bool of_bytes = false;    // and matrices of bytes
    int target = 0;           // bra
};

/// Nothing for an instruction that is not known here.
std::optional<Decoded> decode(const PtxKernel& kernel, const PtxInstruction& instruction);

}  // namespace tileproof::test
