#include "layouts/dtype.hpp"

#include <array>

namespace tileproof {
namespace {

struct Row {
    std::string_view spelling;
    std::string_view name;
    int bits;
};

constexpr std::array rows{
    Row{"b1", "b1", 1},
    Row{"b2", "b2", 2},
    Row{"b4", "b4", 4},
    Row{"b8", "b8", 8},
    Row{"b16", "b16", 16},
    Row{"b32", "b32", 32},
    Row{"b64", "b64", 64},
    Row{"b128", "b128", 128},
    Row{"s4", "s4", 4},
    Row{"u4", "u4", 4},
    Row{"s8", "s8", 8},
    Row{"u8", "u8", 8},
    Row{"s16", "s16", 16},
    Row{"u16", "u16", 16},
    Row{"s32", "s32", 32},
    Row{"u32", "u32", 32},
    Row{"s64", "s64", 64},
    Row{"u64", "u64", 64},
    Row{"e2m1", "e2m1", 4},
    Row{"e4m3", "e4m3", 8},
    Row{"e5m2", "e5m2", 8},
    Row{"e8m0", "e8m0", 8},
    Row{"f16", "f16", 16},
    Row{"bf16", "bf16", 16},
    Row{"tf32", "tf32", 32},
    Row{"f32", "f32", 32},
    Row{"f64", "f64", 64},
    // aliases
    Row{"int8", "s8", 8},
    Row{"uint8", "u8", 8},
    Row{"int16", "s16", 16},
    Row{"uint16", "u16", 16},
    Row{"int32", "s32", 32},
    Row{"uint32", "u32", 32},
    Row{"int64", "s64", 64},
    Row{"uint64", "u64", 64},
    Row{"int4", "s4", 4},
    Row{"uint4", "u4", 4},
    Row{"float16", "f16", 16},
    Row{"bfloat16", "bf16", 16},
    Row{"float32", "f32", 32},
    Row{"float64", "f64", 64},
    Row{"half", "f16", 16},
    Row{"float", "f32", 32},
    Row{"double", "f64", 64},
    Row{"bool", "u8", 8},
    Row{"float8_e4m3fn", "e4m3", 8},
    Row{"float8_e5m2", "e5m2", 8},
    Row{"float4_e2m1fn", "e2m1", 4},
};

}  // namespace

std::optional<DType> find_dtype(std::string_view name) {
    for (const Row& row : rows)
        if (row.spelling == name) return DType{std::string(row.name), Bits{row.bits}};
    return std::nullopt;
}

std::string dtype_names() {
    std::string all;
    for (const Row& row : rows) all += (all.empty() ? "" : " ") + std::string(row.spelling);
    return all;
}

}  // namespace tileproof
