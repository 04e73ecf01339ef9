#include "emit/rules_internal.hpp"

namespace tileproof {

std::vector<Rule> rejection_rules() {
    return {
        {"dtype-differs", RuleKind::rejection,
         "The two buffers have different element types. A copy moves bits and does not convert, even where "
         "the sizes agree.",
         "Give both buffers the same `dtype`. Where only the bits matter, b8, b16, b32 and b64 go with any "
         "type of their size.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16",  layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "bf16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:7: error: the elements of A are f16, those of As are bf16, and a copy does not convert "
         "[dtype-differs]"},
        {"declined", RuleKind::rejection,
         "The copy asks for a variant by name, and that one cannot do it. `ldgsts` is cp.async: global to shared memory, 4, 8 or 16 "
         "bytes an access. `ldstmatrix` is ldmatrix and stmatrix: shared memory to registers or back, by whole warps, in aligned rows of "
         "16 "
         "bytes, and registers that are the fragment. `vec_16b` to `vec_256b` are a single access of a single thread.",
         "Leave `dispatch` out: then what serves is found.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(33,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
dispatch = "ldgsts"
)toml",
         "copy.toml:10:12: error: 'ldgsts' cannot do this copy: no access of 4, 8 or 16 bytes is legal: thread 16 in round 0 would read "
         "A[1,0], at byte 66 = 2 mod 4 [stride] [declined]"},
        {"cache-hint", RuleKind::rejection,
         "The copy cannot have a cache hint that it asks for: the target or the PTX version lacks it, no access of the copy takes it, "
         "it goes with a width that is not legal here, or nc is asked for on a buffer that the file writes. A hint is never left out "
         "in silence.",
         "Take one of those that the help names, or leave `cache` out.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
name = "load"
src = "A"
dst = "As"
scope = "warp"
cache = "L2::evict_first"
)toml",
         "copy.toml:11:9: error: the hints of 'load' cannot be had: L2::evict_first needs sm_100 or later, not sm_90 [cache-hint]"},
        {"extents-differ", RuleKind::rejection,
         "The two regions have different extents. The k-th element of one goes to the k-th of the other, so "
         "both need the same extents in the "
         "same order; only dimensions of extent 1 are passed over.",
         "Compare the two regions. A tile that is reordered on its way needs a layout that says so, not a "
         "region of another shape.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,64):(64,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[0:32, 0:64]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:7: error: the source has the extents (32,64) and the destination (32,32), and they "
         "must be equal where they are not 1 [extents-differ]"},
        {"dst-overlaps", RuleKind::rejection,
         "Two elements of the destination region lie at the same place. Which of the two values stays would "
         "depend on who comes last.",
         "Look for a stride that is too small, or 0, in the layout of the destination. A source may repeat "
         "elements, a destination may not.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(2,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(2,32):(0,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:8:7: error: elements (0,0) and (1,0) of As share the byte 0 [dst-overlaps]"},
        {"capacity-below-span", RuleKind::rejection,
         "The stated capacity is less than what the layout reaches over: its largest offset, after the "
         "swizzle, plus one.",
         "Raise `capacity` or shrink the layout. Without `capacity` the span itself is taken, for global "
         "buffers as a printed assumption.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(40,1)", capacity = 1024 }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:79: error: the layout of A reaches over 1272 elements, and its capacity is 1024 "
         "elements [capacity-below-span]"},
        {"swizzle-period", RuleKind::rejection,
         "The buffer is swizzled on the shared address itself (`swizzle_on = \"address\"`), and its base is "
         "not aligned to the swizzle's period. "
         "The hardware would then move elements elsewhere than the layout says.",
         "Align the buffer to the period, 2^(M+B+|S|) elements. In bytes that is 1024, 512 or 256 for the "
         "128-, 64- and 32-byte modes of TMA.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(64,64):(64,1)" }
[buffers.As]
space = "shared"
dtype = "f16"
layout = "Sw<3,3,3> o (64,64):(64,1)"
align = 512
swizzle_on = "address"
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:9:9: error: Sw<3,3,3> on addresses repeats every 1024 bytes, and the base of As is a "
         "multiple of 512 bytes only [swizzle-period]"},
        {"sub-byte-edge", RuleKind::rejection,
         "Elements of less than a byte, of which not even the 8 bits of one byte can be moved at once: the region starts or "
         "ends inside a byte, or the elements of a byte lie apart on the other side. Memory has no smaller access, and a "
         "store of part of a byte would race with the thread that owns the rest.",
         "Start and end the region at whole bytes on both sides, with the elements of a byte in the same order.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "u4", layout = "(32,33):(33,1)" }
As = { space = "shared", dtype = "u4", layout = "(32,33):(40,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:8:7: error: the u4 elements of As cannot be moved in whole bytes, and memory has no smaller access "
         "[sub-byte-edge]"},
        {"element-alignment", RuleKind::rejection,
         "The base of a buffer is no multiple of its element's size, so that elements would straddle their "
         "own boundaries.",
         "Correct `align` or `base`; both count bytes.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f32", layout = "(32,32):(32,1)", align = 2 }
As = { space = "shared", dtype = "f32", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:76: error: the alignment of A, 2 bytes, is no multiple of an element of f32, 4 bytes "
         "[element-alignment]"},
        {"unsupported", RuleKind::rejection,
         "A layout over bits whose bases are no strides, not even behind a swizzle; a copy from registers to registers; or a copy between "
         "registers and "
         "memory with symbols, with a region that cuts across a layout, or with threads that do not divide. It can be read, and this "
         "version plans no copy of it.",
         "Look for CuTe strides and a swizzle that give the same offsets; `tileproof layout` compares two "
         "notations. With registers, copy whole dimensions, and give symbols their values.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(8):(1)" }
As = { space = "shared", dtype = "f16", layout = "bits[(1,3,7)]" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:5:50: error: the bases of As are no strides behind a swizzle, and this version plans no "
         "other layouts over bits [unsupported]"},
    };
}

}  // namespace tileproof
