#include "emit/rules_internal.hpp"

namespace tileproof {

/// In the order in which they are tried.
std::vector<Rule> refusal_rules() {
    return {
        {"target", RuleKind::refusal,
         "The target has no access of this width to one of the two memories. 256-bit accesses exist from "
         "sm_100 and PTX 8.8 on, and only to global memory; "
         "128 bits and less exist everywhere.",
         "Nothing, if the code has to run on this architecture. Otherwise name a later `arch` in [target], "
         "and no older `ptx`. A copy to or from shared memory stays at 128 bits.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f32", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f32", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "not 256 sm_90 has no 256-bit access to global memory [target]"},
        {"count", RuleKind::refusal, "The region has fewer elements than one access of this width would move.",
         "Copy a larger region, or several at once: two small copies between neighbouring places can often "
         "be one.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64):(1)" }
As = { space = "shared", dtype = "f16", layout = "(64):(1)" }
[[copies]]
src = "A[0:2]"
dst = "As[0:2]"
scope = "thread"
)toml",
         "not 128 the region has 32 bits in all [count]"},
        {"base-alignment", RuleKind::refusal,
         "The base address of a buffer is known to be a multiple of fewer bytes than the access has. Some "
         "base that the problem allows would misalign every access.",
         "If the base is better aligned, say so with `align` (bytes), or with `base` where it is known "
         "modulo 256. Memory from cudaMalloc is aligned to 256 bytes.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,16):(16,1)", align = 8 }
As = { space = "shared", dtype = "f16", layout = "(64,16):(16,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "not 128 the base of A is a multiple of 8 bytes only, 16 are needed [base-alignment]"},
        {"swizzle-chunk", RuleKind::refusal,
         "Without the swizzles the width would be legal, but a swizzle moves chunks smaller than the access, "
         "so that its elements come apart or "
         "change places. Sw<B,M,S> keeps 2^M elements together.",
         "Use a swizzle whose chunk holds the access: M = 3 for 128-bit accesses of 16-bit elements, M = 2 "
         "for 32-bit ones, M = 4 for bytes.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,64):(64,1)" }
As = { space = "shared", dtype = "f16", layout = "Sw<3,2,3> o (32,64):(64,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "not 128 the swizzles order the 8 elements of As[0,32] (thread 4 in round 0) differently on the two "
         "sides [swizzle-chunk]"},
        {"region-offset", RuleKind::refusal,
         "The first access of the region is misaligned: on one side, or on both by the same number of bytes. "
         "Shifting the region by that much would align it.",
         "Start the region at a multiple of the width, or copy its first elements apart. Where the base "
         "itself is off, `base` tells by how much and may cancel it.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(64,16):(16,1)" }
[[copies]]
src = "A[:, 4:20]"
dst = "As"
scope = "warp"
)toml",
         "not 128 the region starts at A[0,4], at byte 8 = 8 mod 16 [region-offset]"},
        {"phase", RuleKind::refusal,
         "The first access of the region is misaligned on both sides, by different numbers of bytes. "
         "Whatever shift aligns one side leaves the other misaligned.",
         "Move one of the two tiles in its buffer (a padded row, another start) until both start at the same "
         "residue.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(64,32):(32,1)" }
[[copies]]
src = "A[:, 4:20]"
dst = "As[:, 2:18]"
scope = "warp"
)toml",
         "not 128 the region starts at A[0,4], at byte 8 = 8 mod 16, and on the other side at 4 mod 16: no "
         "common shift aligns both [phase]"},
        {"stride", RuleKind::refusal,
         "The region starts aligned, but the step to a later run is no multiple of the width: rows of 40 "
         "bytes put every second row 8 bytes past a multiple of 16.",
         "Choose a pitch that is a multiple of the width. For 128 bits that is 16 bytes: 8 elements of f16, "
         "4 of f32. The narrower width is right as it is.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,16):(20,1)" }
As = { space = "shared", dtype = "f16", layout = "(64,16):(20,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "cta"
threads = 4
)toml",
         "not 128 thread 2 in round 0 would read A[1,0], at byte 40 = 8 mod 16 [stride]"},
        {"not-contiguous", RuleKind::refusal,
         "Elements that are neighbours on one side lie apart on the other, so no single access can hold "
         "them. This is what a transposition does.",
         "Give both sides a common fastest dimension. A true transposition takes narrow accesses on one "
         "side, or registers in between.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(1,32)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "not 128 thread 0 in round 0 would read 8 elements from A[0,0] on, but element 1 of them lies at "
         "offset 32, not 1 [not-contiguous]"},
        {"register-thread", RuleKind::refusal,
         "Elements that are neighbours in memory are in registers of different threads, so no single access of a thread can move them.",
         "It follows from who holds what: a fragment of mma gives a thread two neighbours of a row. Another layout of the registers, or "
         "shared memory in between, can be wider.",
         R"toml([target]
arch = "sm_90"
[buffers]
C = { space = "register", dtype = "f32", layout = "S[(8,4,2):(4@laneid,1@laneid,1)]" }
A = { space = "global", dtype = "f32", layout = "(8,4,2):(8,2,1)" }
[[copies]]
src = "C"
dst = "A"
scope = "warp"
)toml",
         "not 128 A[0,0,0] and A[0,1,0], which one access would hold, are in registers of threads 0 and 1 [register-thread]"},
        {"register-order", RuleKind::refusal,
         "One instruction names the same registers in every thread. Here two accesses would have some registers in common, and not all of "
         "them at the same places.",
         "Let every thread hold its elements in registers of one order, in groups as wide as the access.",
         R"toml([target]
arch = "sm_90"
[buffers]
R = { space = "register", dtype = "f32", layout = "(4,4):(1,1)" }
A = { space = "global", dtype = "f32", layout = "(4,4):(4,1)" }
[[copies]]
src = "R"
dst = "A"
scope = "thread"
)toml",
         "not 128 thread 0 in round 1 would write A[1,0] from registers 1 2 3 4, and another access has some of "
         "them in another order: one instruction names the same registers in every thread [register-order]"},
        {"no-partner", RuleKind::refusal,
         "An aligned block of the destination is only partly in the region: rows of 12 elements are one and "
         "a half accesses of 8. "
         "A whole access would overwrite what the copy has to leave alone.",
         "Make the contiguous extent a multiple of the access, for instance by copying the padding too, or "
         "split off the rest as a copy of its own.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,12):(16,1)" }
As = { space = "shared", dtype = "f16", layout = "(64,12):(16,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "not 128 the access of thread 1 in round 0 at As[0,8] would leave the region: only 4 of its 8 "
         "elements belong to it [no-partner]"},
    };
}

}  // namespace tileproof
