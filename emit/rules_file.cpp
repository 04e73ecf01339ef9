#include "emit/rules_internal.hpp"

namespace tileproof {

std::vector<Rule> file_rules() {
    return {
        {"unknown-key", RuleKind::input,
         "A table has a key that a problem file does not know. Nothing is passed over in silence, because a "
         "misspelt key would change what is proved.",
         "Correct the spelling; the nearest known key is suggested.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)", algn = 16 }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:68: error: unknown key 'algn' in [buffers.A] [unknown-key]"},
        {"missing-key", RuleKind::input,
         "A table lacks a key that it needs: `arch` of the target, `space`, `dtype` and `layout` of a "
         "buffer, `src`, `dst` and `scope` of a copy, `threads` of a cta.",
         "Add it.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "cta"
)toml",
         "copy.toml:9:9: error: [[copies]] lacks 'threads' [missing-key]"},
        {"wrong-type", RuleKind::input,
         "A value is of another type than its key takes: a number in quotes, a string where a table belongs.",
         "Write the value as the message says.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)", align = "16" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:76: error: 'align' must be an integer, not a string [wrong-type]"},
        {"out-of-range", RuleKind::input, "A number is outside what its key takes. An alignment, for instance, is a power of two.",
         "Choose a number in the range that the message names.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)", align = 24 }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:76: error: align must be a power of two from 1 to 1048576, not 24 [out-of-range]"},
        {"unknown-value", RuleKind::input, "A word is none of those that its key takes.",
         "Use one of the words that the help line lists or suggests.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "block"
)toml",
         "copy.toml:9:9: error: 'block' is no 'scope' [unknown-value]"},
        {"unknown-arch", RuleKind::input, "There is no such architecture, or not with this suffix: sm_90a exists, sm_80a does not.",
         "Name one of sm_75 to sm_121.",
         R"toml([target]
arch = "sm_80a"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:2:8: error: there is no architecture 'sm_80a' [unknown-arch]"},
        {"ptx-version", RuleKind::input, "The stated PTX version is none, or is older than the target or an instruction of the plan.",
         "Leave `ptx` out, and the lowest version that serves is taken, or name a later one.",
         R"toml([target]
arch = "sm_90"
ptx = "7.0"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:3:7: error: sm_90 needs PTX 7.8 or later, not 7.0 [ptx-version]"},
        {"unknown-dtype", RuleKind::input, "There is no element type of this name.",
         "Use a name such as f16, bf16, f32, u8 or b32; half, float and float16 are understood too.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "fp16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:34: error: there is no element type 'fp16' [unknown-dtype]"},
        {"align-and-base", RuleKind::input,
         "A buffer states both `align` and `base`. The second tells the address modulo 256 and leaves the "
         "first nothing to say.",
         "Keep `base` if the residue is known exactly, else `align`.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(8,8):(8,1)", align = 16, base = 8 }
As = { space = "shared", dtype = "f16", layout = "(8,8):(8,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:84: error: 'base' says more than 'align': give one of them [align-and-base]"},
        {"swizzle-on", RuleKind::input, "A global buffer asks for a swizzle of addresses. Only shared memory is swizzled by the hardware.",
         "Remove `swizzle_on`; the swizzle of a global layout counts from the start of its buffer.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", swizzle_on = "address", layout = "(8,8):(8,1)" }
As = { space = "shared", dtype = "f16", layout = "(8,8):(8,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:1: error: only shared memory is swizzled on addresses, and A is global [swizzle-on]"},
        {"bad-name", RuleKind::input,
         "The name of a buffer or a copy is no identifier. Names become parameters and labels of the emitted "
         "code.",
         "Use letters, digits and '_', not beginning with a digit.",
         R"toml([target]
arch = "sm_90"
[buffers]
A     = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
A-out = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "A"
scope = "warp"
)toml",
         "copy.toml:5:1: error: 'A-out' is no name: letters, digits and '_' make one [bad-name]"},
        {"duplicate-name", RuleKind::input, "Two copies have the same name, so that reports and plans could not tell them apart.",
         "Rename one.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
B  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
name = "move"
src = "A"
dst = "As"
scope = "warp"
[[copies]]
name = "move"
src = "As"
dst = "B"
scope = "warp"
)toml",
         "copy.toml:13:8: error: there is another copy 'move' [duplicate-name]"},
        {"unknown-symbol", RuleKind::input,
         "A stride, an offset, a start, a capacity or a fact names a symbol that the file does not declare.",
         "Declare it in [symbols], with the least and the greatest value that it can have.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(ld,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:4:60: error: there is no symbol 'ld' [unknown-symbol]"},
        {"expression-syntax", RuleKind::input,
         "An expression or a fact cannot be read. Expressions are sums and products of integers and symbols; a fact compares two "
         "of them, and either may be a remainder.",
         "Write for example `32*ld + 8` or `(2*ld) % 16 == 0`.",
         R"toml([target]
arch = "sm_90"
[symbols]
ld = { min = 32, max = 4096 }
[assume]
facts = ["ld >"]
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(ld,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:6:15: error: expected an expression, found the end [expression-syntax]"},
        {"fact-modulus", RuleKind::input, "A fact divides by something that may be 0 or negative, so that its remainder is not defined.",
         "Give the symbol a `min` of at least 1, or divide by a positive number.",
         R"toml([target]
arch = "sm_90"
[symbols]
ld = { min = 0, max = 4096 }
[assume]
facts = ["64 % ld == 0"]
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(ld,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:6:16: error: the modulus of a remainder must be positive whatever the symbols are [fact-modulus]"},
        {"cache-hint", RuleKind::input,
         "Two cache hints say the same kind of thing about one access: two priorities in one level, two sizes to fetch ahead, "
         "both kinds of cp.async, or one hint twice.",
         "Keep one of them.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
cache = ["L2::64B", "L2::128B"]
)toml",
         "copy.toml:10:9: error: an access has one of 'L2::64B' and 'L2::128B', not both [cache-hint]"},
        {"predicate-syntax", RuleKind::input, "A predicate cannot be read.",
         "Write comparisons with commas between them: \"row + d0 < m, d1 < n\".",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
predicate = "d0 < 20 and d1 < 8"
)toml",
         "copy.toml:10:22: error: expected ',' or the end of the predicate, found 'and' [predicate-syntax]"},
        {"predicate-bound", RuleKind::input,
         "A predicate bounds something else than one coordinate of the region from above, or `zero_fill` has no predicate.",
         "A bound is one coordinate, d0 for the first dimension of the region whose extent is not 1, below what depends on symbols alone.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
predicate = "d0 + d1 < 32"
)toml",
         "copy.toml:10:14: error: 'd0 + d1 < 32' is no upper bound of one coordinate of the region [predicate-bound]"},
        {"unsupported", RuleKind::input,
         "The file asks for something that the format has and this version does not do. It is refused as a "
         "whole, never done in part.",
         "Leave it out, or state the problem with what is there; the message names what is missing.",
         R"toml([target]
arch = "sm_90"
[buffers]
A  = { space = "global", dtype = "f16", layout = "(32,32):(32,1)" }
As = { space = "shared", dtype = "f16", layout = "(32,32):(32,1)", stages = 3 }
[[copies]]
src = "A"
dst = "As"
scope = "warp"
)toml",
         "copy.toml:5:68: error: staged buffers ('stages') are not supported by this version "
         "[unsupported]"},
        {"thread-outside", RuleKind::input,
         "A thread that does not take part in the copy holds some of the registers, and nobody else can reach them.",
         "Choose the scope and `group` that have the threads of the layout, or a region that these hold. Axes count from the first thread "
         "of the "
         "copy's warp (laneid), its warpgroup (wid_in_wg, tid_in_wg), or the block (warpid, tx).",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(64,8):(8,1)" }
R = { space = "register", dtype = "f16", layout = "(64,8):(1@tx,1)" }
[[copies]]
src = "A"
dst = "R"
scope = "warp"
)toml",
         "copy.toml:8:7: error: element (32,0) of R is held by thread 32 of the block, and copy0 is done by threads 0 to 31 "
         "[thread-outside]"},
        {"register-key", RuleKind::input, "A buffer in registers has a key that says where memory is: `align`, `base` or `swizzle_on`.",
         "Leave it out: registers have no address.",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(32,8):(8,1)" }
R = { space = "register", dtype = "f16", layout = "(32,8):(1@laneid,1)", align = 16 }
[[copies]]
src = "A"
dst = "R"
scope = "warp"
)toml",
         "copy.toml:5:82: error: 'align' says where memory is, and R is in registers [register-key]"},
        {"too-large", RuleKind::input,
         "A copy has more than 2^24 elements, the shared buffers exceed 2^31 bytes, a buffer has more registers than a thread, the buffers "
         "of a run "
         "exceed 1 GiB, or the blocks of a run move more than 2^28 elements.",
         "A tile of that size is not what one block moves: state the copy of one block.",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(8192,4096):(4096,1)" }
B = { space = "global", dtype = "f16", layout = "(8192,4096):(4096,1)" }
[[copies]]
src = "A"
dst = "B"
scope = "warp"
)toml",
         "copy.toml:7:7: error: a copy of more than 2^24 elements [too-large]"},
        {"duplicate-key", RuleKind::input,
         "A JSON object has one key twice, or a copy in one line says something twice. Which of the two "
         "counts would be a guess.",
         "Remove one.",
         R"json({"target": {"arch": "sm_90", "arch": "sm_80"}}
)json",
         "copy.toml:1:30: error: there is another 'arch' in this object [duplicate-key]"},
        {"usage", RuleKind::input,
         "The command line cannot be read: an unknown command or option, a missing argument, or two that "
         "exclude each other.",
         "`tileproof --help` lists the commands, `tileproof COMMAND --help` the options of one."},
        {"option-syntax", RuleKind::input, "A side of a copy in one line cannot be read.",
         "Write a space, an element type, a layout, then what else is known: 'global f16 (128,64):(64,1) "
         "align 16 [0:64, :]'."},
        {"toml-syntax", RuleKind::input, "The file is no TOML. The parser's own words follow, with the place where it stopped.",
         "Correct the line; often a quote or a bracket is missing.",
         R"toml([target]
arch = "sm_90
)toml",
         "copy.toml:2:... [toml-syntax]"},
        {"json-syntax", RuleKind::input, "The file begins like JSON and is none. A note has the JSON pointer and the byte.",
         "Correct the place; often a comma or a quote is missing or too many.",
         R"json({"target": {"arch": "sm_90",}}
)json",
         "copy.toml:1:29: error: ... [json-syntax]"},
        {"nesting", RuleKind::input, "Tables, arrays, dotted keys or the brackets of a plan are nested more than 32 deep.",
         "No file needs that; look for a bracket that is not closed."},
        {"not-text", RuleKind::input, "The file has a zero byte or bytes that are no UTF-8.",
         "Save it as UTF-8. A plan or a cubin is no problem file."},
        {"file-too-large", RuleKind::input, "A problem file has at most 1 MiB, a plan 16 MiB.",
         "Look whether this is the file that was meant."},
        {"file-unreadable", RuleKind::input,
         "A problem file or a plan cannot be read: it does not exist, is a directory, or may not be read.",
         "Check the path; for a problem file `-` is standard input."},
        {"unknown-rule", RuleKind::input, "`explain` was given a name that is neither a file nor a rule.",
         "`tileproof explain --list` shows every rule."},
    };
}

}  // namespace tileproof
