#include "emit/rules_internal.hpp"

namespace tileproof {

std::vector<Rule> layout_rules() {
    return {
        {"layout-syntax", RuleKind::input,
         "A layout cannot be read. There are two notations: CuTe's extents:strides, and S[extents:strides] "
         "of TIRx.",
         "Compare with (128,64):(64,1), ((8,16),64):((64,512),1), Sw<3,3,3> o (128,64):(64,1) or S[128,64]. "
         "Extents and strides are nested alike.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:59: error: the strides '(32)' are not nested like the extents '(32,32)' "
         "[layout-syntax]"},
        {"overflow", RuleKind::input, "A number does not fit into a signed 64-bit integer, or a layout reaches beyond 2^50 elements.",
         "Check the number; no memory is that large.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(99999999999999999999,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:60: error: '99999999999999999999' does not fit into a signed 64-bit integer "
         "[overflow]"},
        {"thread-axes", RuleKind::input,
         "The axes of a layout name threads that do not exist, name them twice over, or stand in a layout of memory.",
         "laneid goes from 0 to 31, wid_in_wg to 3, tid_in_wg to 127, warpid to 31, tx to 1023. Use tx alone, tid_in_wg alone, or laneid "
         "with warpid or wid_in_wg; and only in buffers with space = \"register\".",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(64,8):(8,1)" }
R = { space = "register", dtype = "f16", layout = "(64,8):(1@laneid,1)" }
[[copies]]
src = "A"
dst = "R"
scope = "warpgroup"
)toml",
         "copy.toml:5:52: error: laneid goes up to 63, and there is none beyond 31 [thread-axes]"},
        {"not-invertible", RuleKind::input,
         "A thread-value layout is read backwards, from elements to threads and registers. That needs every element of the tile in some "
         "register, and in several "
         "only where a stride is 0.",
         "Check extents and strides against the shape behind `of`: sorted by stride, each continues the one before it.",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(512):(1)" }
R = { space = "register", dtype = "f16", layout = "TV(16,16):(16,1) of 512" }
[[copies]]
src = "A"
dst = "R"
scope = "warp"
)toml",
         "copy.toml:5:52: error: no thread holds element 256, the coordinate (256) [not-invertible]"},
        {"zero-extent", RuleKind::input, "An extent of a layout or a region is 0 or negative, so that there is nothing to copy.",
         "Extents begin with 1. `a:b` stands for the b - a places from a on, without b.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[0:0, :]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:10: error: the range '0:0' is empty: its extent is 0 [zero-extent]"},
        {"rank", RuleKind::input, "A layout has more than 8 dimensions, more than 64 iters, or no dimension.",
         "Put dimensions together: CuTe's nested modes make several iters one dimension, and `shape` states "
         "a shape of its own.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "S[2,2,2,2,2,2,2,2,2]" }
As = { space = "shared", dtype = "f16", layout = "(32,16):(16,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:51: error: the rank is 9, and at most 8 is supported [rank]"},
        {"invalid-swizzle", RuleKind::input,
         "The three numbers make no swizzle. Sw<B,M,S> XORs B bits into others that are |S| away; if they "
         "overlapped (|S| < B), two offsets could become one.",
         "Use |S| >= B, B >= 0 and M >= 0. TIRx writes swizzle(M,B,S) for the same thing.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,64):(64,1)" }
As = { space = "shared", dtype = "f16", layout = "Sw<3,3,2> o (32,64):(64,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:5:51: error: 'Sw<3,3,2>' is no valid swizzle [invalid-swizzle]"},
        {"negative-offset", RuleKind::input, "Some coordinate of the layout lies before the start of its buffer.",
         "Add an offset (`+ n`) that makes the least one 0: a reversed dimension of 32 needs 31 x its "
         "stride.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,-1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:51: error: the least offset is negative: -31 [negative-offset]"},
        {"shape-mismatch", RuleKind::input, "`shape` does not have as many elements as the layout beside it.",
         "Correct one of them, or leave `shape` out: then each top-level mode is one dimension.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", shape = [8, 64], layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:49: error: the shape (8,64) does not have the 1024 elements of the layout "
         "[shape-mismatch]"},
        {"not-linear", RuleKind::input,
         "A layout cannot be written over bits: an extent is no power of two, coordinate 0 has another "
         "offset than 0, or offsets add with a carry where bits would XOR.",
         "Keep the notation that it has; bits[...] is for layouts whose extents and strides are powers of "
         "two."},
        {"inexpressible", RuleKind::input,
         "A layout has no words in the notation asked for: CuTe cannot say an iter that reaches over two "
         "dimensions, and neither CuTe nor TIRx has arbitrary bases over bits.",
         "Ask for another notation; the sentence says what is missing."},
        {"unknown-buffer", RuleKind::input, "A copy names a buffer that the file does not have.", "Correct the name, or add the buffer.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "AS"
scope = "warp"
)toml",
         "copy.toml:8:8: error: there is no buffer 'AS' [unknown-buffer]"},
        {"region-syntax", RuleKind::input, "A region cannot be read.",
         "Write one entry a dimension: `3`, `0:64`, `5:+32` or `:`, as in A[3, 0:64].",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[0:32; 0:32]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:14: error: expected ',' or ']', found ';' [region-syntax]"},
        {"region-rank", RuleKind::input, "A region has another number of entries than its buffer has dimensions.",
         "Give each dimension an entry; `:` takes all of it.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(4,32,32):(1024,32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[:, :]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:9: error: the region has rank 2, and A has 3 [region-rank]"},
        {"region-outside", RuleKind::input, "A region reaches outside the shape of its buffer.",
         "Compare the range with the extent; ranges end before their second number, and negative numbers do "
         "not count from the end.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[1:33, :]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:10: error: the range '1:33' reaches outside A, whose dimension 0 has the extent 32 "
         "[region-outside]"},
        {"region-reversed", RuleKind::input, "A range ends before it begins.",
         "Exchange the two numbers. A tile that is to be read backwards needs a layout with a negative "
         "stride.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A[32:0, :]"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:7:10: error: the range '32:0' ends before it begins [region-reversed]"},
        {"threads-differ", RuleKind::input, "`threads` contradicts the scope: a thread is 1, a warp 32, a warpgroup 128 threads.",
         "Leave `threads` out, or use scope = \"cta\", which takes any number.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
threads = 64
)toml",
         "copy.toml:10:11: error: a warp has 32 threads, not 64 [threads-differ]"},
        {"block-too-small", RuleKind::input, "The stated block lacks some of the threads that a copy is done by.",
         "Raise `block` in [launch], or leave it out: the least block that serves is then taken.",
         R"toml([target]
arch = "sm_90"
[launch]
block = 64
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
group = 2
)toml",
         "copy.toml:4:9: error: a block of 64 threads lacks some of copy0, which is done by threads 64 to 95 "
         "[block-too-small]"},
    };
}

}  // namespace tileproof
