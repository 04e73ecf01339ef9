// What the machines can do: architectures, PTX versions, access instructions, shared memory. Facts as tables.
//
//   find_arch("sm_90a")                         -> {90, 'a', PTX 8.0, 227 KiB of shared memory a block}
//   access_instruction(load, global, 128 bits)  -> "ld.global.v4.u32", any architecture, PTX 6.0
//   256 bits: global only, sm_100 and later, PTX 8.8 (PTX ISA, "ld", "st": .v8 with .b32)
//
// Versions were found by assembling with ptxas 13.0; limits are from the CUDA C++ Programming Guide, "Compute Capabilities".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/units.hpp"

namespace tileproof {

enum class Space { global, shared, registers };
std::string to_string(Space space);

struct PtxVersion {
    int major = 0;
    int minor = 0;
    friend constexpr auto operator<=>(const PtxVersion&, const PtxVersion&) = default;
};
std::string to_string(PtxVersion version);

struct Arch {
    std::string name;          // as written: "sm_90a"
    int number = 0;            // 90
    char suffix = 0;           // 'a': code for this architecture alone; 'f': for its family; 0: for later ones too
    PtxVersion least_ptx{};    // the lowest that ptxas takes for it
    Bytes shared_per_block{};  // with opt-in
    Bytes static_shared{48 * 1024};
    int threads_per_block = 1024;
};
/// sm_75 ... sm_121, with or without the suffix a or f where that exists.
std::optional<Arch> find_arch(std::string_view name);
std::string arch_names();

enum class Direction { load, store };

/// One access instruction. `least_arch` counts like Arch::number.
struct AccessForm {
    std::string_view mnemonic;
    Direction direction;
    Space space;
    Bits width;
    int registers;       // how many the vector names
    Bits register_size;  // 16-bit registers carry 8-bit data too
    int least_arch;
    PtxVersion least_ptx;
};
/// The form of that direction, space and width, whatever the target; null where none exists.
const AccessForm* access_form(Direction direction, Space space, Bits width);
/// The form with this mnemonic, whatever cache hints it has (layouts/cache_hint.hpp); null where none exists.
const AccessForm* access_form(std::string_view mnemonic);

/// cp.async: from global to shared memory without a register (PTX ISA, "cp.async"). `.cg` leaves the first-level cache alone.
struct AsyncForm {
    std::string_view mnemonic;
    Bits width;
    int least_arch;
    PtxVersion least_ptx;
};
/// The form with this mnemonic, whatever cache hints it has, and width; null where none exists.
const AsyncForm* async_form(std::string_view mnemonic, Bits width);
/// The form to use for a width: `.cg` for 128 bits. Null where none exists.
const AsyncForm* async_form(Bits width);
/// Whether some form is called so, cache hints aside.
bool is_async(std::string_view mnemonic);

/// Every width that some instruction of this tool moves, widest first: 256, 128, 64, 32, 16, 8 bits.
const std::vector<Bits>& access_widths();
/// Whether the target has an access of this width in this space. Registers have all: the other side decides.
bool has_access(const Arch& arch, Space space, Bits width);
/// The lowest PTX version with such an access. Requires: access_form exists, or registers.
PtxVersion least_ptx(Space space, Bits width);

constexpr int warp_threads = 32;
constexpr int warpgroup_threads = 128;

}  // namespace tileproof
