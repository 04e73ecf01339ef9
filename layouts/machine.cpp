#include "layouts/machine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "layouts/cache_hint.hpp"

namespace tileproof {
namespace {

struct ArchRow {
    int number;
    PtxVersion plain, accelerated, family;  // lowest PTX version for sm_N, sm_Na, sm_Nf; {0,0}: does not exist
    int shared_kib;
};

constexpr std::array arch_rows{
    ArchRow{75, {6, 3}, {}, {}, 64},           ArchRow{80, {7, 0}, {}, {}, 163},          ArchRow{86, {7, 1}, {}, {}, 99},
    ArchRow{87, {7, 4}, {}, {}, 163},          ArchRow{89, {7, 8}, {}, {}, 99},           ArchRow{90, {7, 8}, {8, 0}, {}, 227},
    ArchRow{100, {8, 6}, {8, 6}, {8, 8}, 227}, ArchRow{103, {8, 8}, {8, 8}, {8, 8}, 227}, ArchRow{110, {9, 0}, {9, 0}, {9, 0}, 227},
    ArchRow{120, {8, 7}, {8, 7}, {8, 8}, 99},  ArchRow{121, {8, 8}, {8, 8}, {8, 8}, 99},
};

constexpr PtxVersion always{6, 3};
using enum Direction;
constexpr auto global = Space::global;
constexpr auto shared = Space::shared;

constexpr std::array access_forms{
    AccessForm{"ld.global.v8.b32", load, global, {256}, 8, {32}, 100, {8, 8}},
    AccessForm{"ld.global.v4.u32", load, global, {128}, 4, {32}, 75, always},
    AccessForm{"ld.global.v2.u32", load, global, {64}, 2, {32}, 75, always},
    AccessForm{"ld.global.u32", load, global, {32}, 1, {32}, 75, always},
    AccessForm{"ld.global.u16", load, global, {16}, 1, {16}, 75, always},
    AccessForm{"ld.global.u8", load, global, {8}, 1, {16}, 75, always},
    AccessForm{"st.global.v8.b32", store, global, {256}, 8, {32}, 100, {8, 8}},
    AccessForm{"st.global.v4.u32", store, global, {128}, 4, {32}, 75, always},
    AccessForm{"st.global.v2.u32", store, global, {64}, 2, {32}, 75, always},
    AccessForm{"st.global.u32", store, global, {32}, 1, {32}, 75, always},
    AccessForm{"st.global.u16", store, global, {16}, 1, {16}, 75, always},
    AccessForm{"st.global.u8", store, global, {8}, 1, {16}, 75, always},
    AccessForm{"ld.shared.v4.u32", load, shared, {128}, 4, {32}, 75, always},
    AccessForm{"ld.shared.v2.u32", load, shared, {64}, 2, {32}, 75, always},
    AccessForm{"ld.shared.u32", load, shared, {32}, 1, {32}, 75, always},
    AccessForm{"ld.shared.u16", load, shared, {16}, 1, {16}, 75, always},
    AccessForm{"ld.shared.u8", load, shared, {8}, 1, {16}, 75, always},
    AccessForm{"st.shared.v4.u32", store, shared, {128}, 4, {32}, 75, always},
    AccessForm{"st.shared.v2.u32", store, shared, {64}, 2, {32}, 75, always},
    AccessForm{"st.shared.u32", store, shared, {32}, 1, {32}, 75, always},
    AccessForm{"st.shared.u16", store, shared, {16}, 1, {16}, 75, always},
    AccessForm{"st.shared.u8", store, shared, {8}, 1, {16}, 75, always},
};

constexpr std::array async_forms{
    AsyncForm{"cp.async.cg.shared.global", {128}, 80, {7, 0}},
    AsyncForm{"cp.async.ca.shared.global", {128}, 80, {7, 0}},
    AsyncForm{"cp.async.ca.shared.global", {64}, 80, {7, 0}},
    AsyncForm{"cp.async.ca.shared.global", {32}, 80, {7, 0}},
};

}  // namespace

std::string to_string(Space space) { return space == Space::global ? "global" : space == Space::shared ? "shared" : "register"; }

std::string to_string(PtxVersion version) { return std::to_string(version.major) + "." + std::to_string(version.minor); }

std::optional<Arch> find_arch(std::string_view name) {
    for (const ArchRow& row : arch_rows) {
        const std::string plain = "sm_" + std::to_string(row.number);
        const PtxVersion least = name == plain         ? row.plain
                                 : name == plain + "a" ? row.accelerated
                                 : name == plain + "f" ? row.family
                                                       : PtxVersion{};
        if (least == PtxVersion{}) continue;
        const char suffix = name == plain ? char{0} : name.back();
        return Arch{std::string(name), row.number, suffix, least, Bytes{row.shared_kib * 1024}};
    }
    return std::nullopt;
}

std::string arch_names() {
    std::string all;
    for (const ArchRow& row : arch_rows) {
        for (const auto& [least, suffix] : {std::pair{row.plain, ""}, {row.accelerated, "a"}, {row.family, "f"}})
            if (least != PtxVersion{}) all += (all.empty() ? "sm_" : " sm_") + std::to_string(row.number) + suffix;
    }
    return all;
}

const AccessForm* access_form(Direction direction, Space space, Bits width) {
    for (const AccessForm& form : access_forms)
        if (form.direction == direction && form.space == space && form.width == width) return &form;
    return nullptr;
}

const AccessForm* access_form(std::string_view mnemonic) {
    const std::string plain = without_hints(mnemonic).plain;
    for (const AccessForm& form : access_forms)
        if (form.mnemonic == plain) return &form;
    return nullptr;
}

const AsyncForm* async_form(std::string_view mnemonic, Bits width) {
    const std::string plain = without_hints(mnemonic).plain;
    for (const AsyncForm& form : async_forms)
        if (form.mnemonic == plain && form.width == width) return &form;
    return nullptr;
}

const AsyncForm* async_form(Bits width) {
    for (const AsyncForm& form : async_forms)
        if (form.width == width) return &form;
    return nullptr;
}

bool is_async(std::string_view mnemonic) {
    const std::string plain = without_hints(mnemonic).plain;
    return std::any_of(async_forms.begin(), async_forms.end(), [&](const AsyncForm& form) { return form.mnemonic == plain; });
}

const std::vector<Bits>& access_widths() {
    static const std::vector<Bits> widths{{256}, {128}, {64}, {32}, {16}, {8}};
    return widths;
}

PtxVersion least_ptx(Space space, Bits width) {
    return space == Space::registers ? PtxVersion{} : access_form(Direction::load, space, width)->least_ptx;
}

bool has_access(const Arch& arch, Space space, Bits width) {
    if (space == Space::registers) return true;
    const AccessForm* form = access_form(Direction::load, space, width);
    return form != nullptr && arch.number >= form->least_arch;
}

}  // namespace tileproof
