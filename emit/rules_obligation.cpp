#include "emit/rules_internal.hpp"

namespace tileproof {

/// In report order. Plans of the planner's own fail few of these; the words are for those who verify a plan by others.
std::vector<Rule> obligation_rules() {
    return {
        {"legal", RuleKind::obligation,
         "The instructions exist for this target, memory, direction, element type and width, and the file's "
         "PTX version has them. Cache hints are part of an instruction: they go with the access, those that the file asks for "
         "are there, and nc reads only what no copy of the file writes. Judged from the tables of instructions.",
         "Name an instruction of the right direction and memory, whose width is the one that the plan "
         "states, with the hints of the file's `cache`, in the order of the PTX ISA."},
        {"participants", RuleKind::obligation,
         "Exactly the threads of the copy's scope execute it, once each: the plan's `participants` are those "
         "that scope, threads and group say, in as many groups, and the block has them.",
         "Set `participants` and the `threads` of each segment to what the problem says."},
        {"overflow", RuleKind::obligation,
         "No address of the emitted code leaves the integer width that the plan states for it "
         "(`index_bits`), whatever digits run. An interval over all digits decides.",
         "State 64 bits where 32 are too few."},
        {"address.src", RuleKind::obligation,
         "At every round, thread and lane the address that the plan computes for the source is the one that "
         "the layout gives to the coordinate. A plan that linearises a layout which is not linear fails "
         "here.",
         "Compare the strides of the digits with the layout: the counterexample names a coordinate, the "
         "planned offset and the right one."},
        {"address.dst", RuleKind::obligation,
         "The same as address.src for the destination: the plan's address is the layout's, at every round, "
         "thread and lane.",
         "Compare the strides, the offset and the swizzle of the plan with the destination's layout."},
        {"bounds.src", RuleKind::obligation, "Every byte that is read lies inside the source buffer: from 0 to its capacity.",
         "Predicate the last accesses off, or state the capacity that is really there."},
        {"bounds.dst", RuleKind::obligation, "Every byte that is written lies inside the destination buffer: from 0 to its capacity.",
         "Predicate the last accesses off, or state the capacity that is really there."},
        {"aligned.src", RuleKind::obligation,
         "Every source address is a multiple of the access width in bytes, base included. Otherwise the GPU "
         "faults with a misaligned address.",
         "Use a narrower access, or say what is known of the base with `align` or `base`."},
        {"aligned.dst", RuleKind::obligation,
         "Every destination address is a multiple of the access width in bytes, base included. Otherwise the "
         "GPU faults with a misaligned address.",
         "Use a narrower access, or say what is known of the base with `align` or `base`."},
        {"contiguous.src", RuleKind::obligation,
         "The lanes of an access fill one block of source addresses, each place once. An access moves "
         "neighbouring bytes and nothing else.",
         "The vec digits need the strides 1, p, pq and so on, and as many lanes as the width has elements."},
        {"contiguous.dst", RuleKind::obligation,
         "The lanes of an access fill one block of destination addresses, and each lane has the same place "
         "there as in the source: registers are stored in the order in which they were loaded. In a block of "
         "registers each side has its lanes where the digits in its `lanes` put them, whatever the other side has.",
         "The vec digits need the same strides on both sides, swizzles included; in a block, those of `lanes` the "
         "strides 1, p, pq and so on."},
        {"same-element", RuleKind::obligation,
         "What is written at the place of an element is what was read from the place of that element. It "
         "follows from addresses and contiguity, and is checked on its own.",
         "Look at the first of address.src, address.dst, contiguous.src and contiguous.dst that fails too."},
        {"covers", RuleKind::obligation,
         "Every element of the region is moved: for each there are a segment, a round, a thread and a lane "
         "that reach it and are not predicated off.",
         "Add rounds, or loosen the predicate; the counterexample names an element that is left out."},
        {"disjoint", RuleKind::obligation,
         "No destination byte is written twice, neither within a segment nor across segments, nor by two groups of threads that each "
         "perform the copy, nor in global memory by two blocks of the grid. The index of the block, or the group, counts like one more "
         "digit of the address.",
         "Two digits overlap: their weights and extents reach the same coordinate in two ways. Or two blocks do: let a symbol "
         "of [launch] step by all that a block writes, in each dimension of the grid; or two groups: let `group` step by all that one "
         "writes.",
         R"toml([target]
arch = "sm_90"
[launch]
grid = [8]
row = { from = "ctaid.x", times = 64 }
[buffers]
As = { space = "shared", dtype = "f16", layout = "(128,64):(64,1)" }
C  = { space = "global", dtype = "f16", layout = "(1024,64):(64,1)" }
[[copies]]
src = "As"
dst = "C[row:+128, :]"
scope = "warp"
)toml",
         "block 0 and block 1 both write byte 8192 of C"},
        {"no-alias", RuleKind::obligation,
         "No byte that an access writes is read by another thread, nor later by the same one. It matters "
         "where source and destination are one buffer; between threads of one copy there is no order.",
         "Copy to another buffer and from there back, or split the copy into pieces that do not overlap.",
         R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(64,32):(32,1)" }
[[copies]]
src = "A[0:32, :]"
dst = "A[8:40, :]"
scope = "warp"
)toml",
         "thread ... writes element offset ... of A, which thread ... reads"},
        {"predicate", RuleKind::obligation,
         "An access that runs stays inside the region with all its lanes; one that is predicated off touches "
         "nothing. A bound is asked of the whole access, at its lane 0: one that is no multiple of the lanes "
         "lets "
         "an access run that it cuts. With `zero_fill` an access behind a bound may run too, reading nothing and writing zeros: zeros are "
         "exactly where nothing is read.",
         "Bound each dimension whose digits reach further than its extent. Where the extent is no multiple "
         "of "
         "the lanes, move the rest with a narrower segment."},
        {"widest", RuleKind::obligation,
         "No wider access would be legal for the whole region. Looked up in tables and by enumeration, whatever "
         "the plan says of itself but its narrowest access. A limit that cuts the planner's search short leaves it "
         "unknown. Of a plan from a file it is shown and does not count, unless `verify` is told "
         "--require-widest.",
         "Plan anew: `tileproof plan` finds the wider access. Where the narrow one is wanted, leave "
         "--require-widest out; the plan is right as it is."},
        {"assumptions", RuleKind::obligation,
         "What the file states can hold together, so that the proof is about something. What it states of a symbol of [launch], a "
         "range or a fact, is no promise of the caller: it has to follow from the grid and the other facts, for every block.",
         "Look for two statements about one thing. Of a symbol of [launch] state nothing, or what is true of the last block too.",
         R"toml([target]
arch = "sm_90"
[launch]
grid = [64]
row = { from = "ctaid.x", times = 128 }
[symbols]
row = { max = 4096 }
[buffers]
A  = { space = "global", dtype = "f16", layout = "(8192,64):(64,1)" }
As = { space = "shared", dtype = "f16", layout = "(128,64):(64,1)" }
[[copies]]
src = "A[row:+128, :]"
dst = "As"
scope = "warp"
)toml",
         "the launch makes row = 8064 in block 63, and [symbols] says 0 to 4096"},
        {"complete", RuleKind::obligation,
         "Each thread waits for its own cp.async before the barrier that publishes what they wrote, and before "
         "the end of the program unless the file leaves that to the caller.",
         "Put `cp.async.wait_group` between the copy and the barrier, with no more copies pending than were "
         "committed after it."},
        {"synchronised", RuleKind::obligation,
         "Between two copies of which one uses what the other wrote, or overwrites what it read, all their "
         "threads meet in a barrier. No barrier reaches from block to block: in global memory, different blocks of a grid must touch "
         "different bytes in two such copies.",
         "Put a barrier of at least those threads between the two steps of the program."},
        {"converged", RuleKind::obligation,
         "Every barrier is reached by exactly the threads that it waits for, and its number exists (0 to "
         "15). Otherwise the block hangs. ldmatrix and stmatrix are run by all 32 lanes of a warp or by none.",
         "Let a barrier wait for the whole block, and bound a copy by matrix instructions by whole warps."},
        {"fits", RuleKind::obligation,
         "The block and its shared memory fit into the architecture: 1024 threads, and 64 to 227 KiB with "
         "what alignment costs.",
         "Use smaller or fewer tiles, or name an architecture with more shared memory.",
         R"toml([target]
arch = "sm_86"
[buffers]
A  = { space = "global", dtype = "f32", layout = "(256,128):(128,1)" }
As = { space = "shared", dtype = "f32", layout = "(256,128):(128,1)" }
[[copies]]
src = "A"
dst = "As"
scope = "cta"
threads = 256
)toml",
         "131072 bytes of shared memory; a block of sm_86 has 101376"},
    };
}

}  // namespace tileproof
