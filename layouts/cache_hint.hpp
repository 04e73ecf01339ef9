// Cache hints: what an access to global memory may say about the caches, where the machine takes it, and how it is spelt.
//
//   nc                with ld, 128 bits       ld.global.nc.v4.u32                    by the path for what nobody writes
//   L1::no_allocate   with ld and with st     st.global.L1::no_allocate.v4.u32       PTX 7.4
//   L2::evict_first   with 256 bits alone     ld.global.L2::evict_first.v8.b32       sm_100, PTX 8.8
//   L2::256B          with cp.async too       cp.async.cg.shared.global.L2::256B     sm_80, PTX 7.4
//   ca, cg            which cp.async          cp.async.ca.shared.global
//
// A hint is part of the name of an instruction, so a plan carries it and `legal` judges it. It changes no value that is read and no
// order: the accesses stay weak. `nc` is the exception that needs a reason: nobody may write those bytes while the kernel runs.
// Order of the qualifiers, and what goes with what: PTX ISA, "ld", "ld.global.nc", "st", "cp.async"; versions and architectures were
// found with ptxas 13.0, which a test asks again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layouts/machine.hpp"

namespace tileproof {

/// What takes a hint.
enum class HintedAccess { load, store, async };

struct CacheHint {
    /// One of each at most, in this order in the name of an instruction.
    enum class Kind { path, non_coherent, level1, level2, prefetch };

    std::string_view word;
    Kind kind;
    bool loads, stores, asyncs;
    Bits only_width;  // 0: any
    int least_arch;   // counts like Arch::number
    PtxVersion least_ptx;

    bool goes_with(HintedAccess access) const {
        return access == HintedAccess::load ? loads : access == HintedAccess::store ? stores : asyncs;
    }
};
/// The hint that is written so; null where there is none.
const CacheHint* cache_hint(std::string_view word);
std::vector<std::string> cache_hint_words();

/// The name of an instruction with these hints. `ca` and `cg` are part of the plain name.
std::string with_hints(std::string_view plain, std::vector<const CacheHint*> hints);

/// The plain name and the hints; all of it plain, and so no instruction, where the qualifiers stand in another order or twice.
struct HintedName {
    std::string plain;
    std::vector<const CacheHint*> hints{};
};
HintedName without_hints(std::string_view mnemonic);

/// Of these words, the hints that go with such an access. Requires: cache_hint knows them.
std::vector<const CacheHint*> hints_for(const std::vector<std::string>& words, HintedAccess access);

/// Why no access of this kind has this hint on this target; empty where some has. Without a width: whether some width has.
std::string why_not(const CacheHint& hint, HintedAccess access, std::optional<Bits> width, const Arch& target,
                    std::optional<PtxVersion> stated);

}  // namespace tileproof
