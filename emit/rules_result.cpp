#include "emit/rules_internal.hpp"

namespace tileproof {

std::vector<Rule> assumption_rules() {
    constexpr std::string_view plain = R"toml([target]
arch = "sm_90"
[buffers]
A = { space = "global", dtype = "f16", layout = "(32):(1)" }
B = { space = "global", dtype = "f16", layout = "(32):(1)", align = 256 }
C = { space = "global", dtype = "f16", layout = "(32):(1)", base = 8, capacity = 64 }
[[copies]]
src = "A"
dst = "B"
scope = "warp"
)toml";
    constexpr std::string_view rows = R"toml([target]
arch = "sm_90"
[launch]
grid = [64]
row = { from = "ctaid.x", times = 128 }
[buffers]
A  = { space = "global", dtype = "f16", layout = "(8192,64):(64,1)" }
As = { space = "shared", dtype = "f16", layout = "(128,64):(64,1)" }
[[copies]]
src = "A[row:+128, :]"
dst = "As"
scope = "warp"
)toml";
    return {
        {"grid", RuleKind::assumption,
         "The kernel is launched with a grid no larger than the file says, in each dimension. The ranges of symbols that are computed "
         "from the index of the block follow from it.",
         "Launch that grid, or state the one that is launched.", rows,
         "the grid is at most 64 x 1 x 1 blocks, with row = 128*ctaid.x (grid)"},
        {"default-alignment", RuleKind::assumption, "A global buffer without `align` is taken as aligned to 16 bytes.",
         "State `align`, or `base`; then the number is yours.", plain, "the base of A is a multiple of 16 bytes (default-alignment)"},
        {"stated-alignment", RuleKind::assumption,
         "The base of a global buffer is as aligned as the file says. For a shared buffer this is no "
         "assumption: the emitted code asks for it.",
         "Check it where the kernel is launched.", plain, "the base of B is a multiple of 256 bytes (stated-alignment)"},
        {"stated-base", RuleKind::assumption, "The base address has the residue modulo 256 that the file says.",
         "Check it where the kernel is launched.", plain, "the base of C is 8 bytes past a multiple of 256 bytes (stated-base)"},
        {"default-capacity", RuleKind::assumption, "A global buffer without `capacity` is taken to hold what its layout reaches over.",
         "State `capacity` if more or less is allocated.", plain, "A has at least 32 elements allocated (default-capacity)"},
        {"stated-capacity", RuleKind::assumption,
         "A global buffer has as many elements allocated as the file says. The emitted code cannot see it.",
         "Check it where the kernel is launched.", plain, "C has at least 64 elements allocated (stated-capacity)"},
        {"distinct-buffers", RuleKind::assumption, "Different global buffers do not overlap.",
         "Describe overlapping memory as one buffer; then `no-alias` is proved or refuted.", plain,
         "the buffers A, B and C do not overlap (distinct-buffers)"},
        {"exclusive", RuleKind::assumption,
         "While the copies run, nobody else reads or writes these bytes: no other thread, no other block.",
         "Put a barrier or a launch boundary around them.", plain, "no other thread or block touches these bytes meanwhile (exclusive)"},
    };
}

std::vector<Rule> result_rules() {
    return {
        {"undecided", RuleKind::result,
         "A solver limit was hit before something was decided (exit status 3). What is found so far is no "
         "wrong answer, but a wider width may exist.",
         "Raise --rlimit, or set it to 0 for no limit."},
        {"shared-memory", RuleKind::result, "The shared buffers exceed what a block of this architecture has.",
         "Use smaller or fewer tiles; `fits` says how much there is."},
        {"guard-overflow", RuleKind::result,
         "`emit --guard` computes with 64-bit integers, and a fact or a capacity may leave them on the way, for values within the ranges "
         "of "
         "the symbols. Such a guard could say yes by accident, so none is written.",
         "State narrower ranges in [symbols], or the fact in another way."},
        {"cannot-write", RuleKind::result,
         "The output file, or a file in the folder of --smt2-dir, could not be written. Nothing is left behind, "
         "and a file of that name is as it was.",
         "Check the folder and its permissions."},
        {"cvc5-missing", RuleKind::result,
         "--strict found no cvc5 to decide again what Z3 proves (exit status 2). Without a second solver "
         "nothing is claimed to be confirmed by one.",
         "Install it (on Debian and Ubuntu: apt-get install cvc5), or set TILEPROOF_CVC5 to the path of a "
         "cvc5. Without --strict none is needed."},
        {"ptxas-missing", RuleKind::result, "No ptxas was found to assemble the code with.",
         "Install the CUDA Toolkit, or set TILEPROOF_PTXAS to the path of a ptxas."},
        {"ptxas-failed", RuleKind::result, "ptxas could not be started or refused the code.",
         "Its own words follow as a note. If it refuses emitted code, that is a fault of tileproof: please "
         "report it."},
        {"ptxas-timeout", RuleKind::result, "ptxas did not end in time and was stopped.", "Try again on a machine that is less busy."},
        {"no-gpu", RuleKind::result,
         "`run` found no GPU that can run this code (exit status 2): no driver, no such device, or one of "
         "another architecture.",
         "`plan`, `verify` and `emit` need none. --device chooses among several."},
        {"gpu-error", RuleKind::result, "A call of the CUDA driver or the kernel itself failed.",
         "The driver's words follow. A proved kernel that faults is a fault of tileproof: please report it."},
        {"gpu-differs", RuleKind::result, "After a run some byte is not what the reference says (exit status 4).",
         "The first wrong element is named. This is a fault of tileproof: please report it with the file."},
        {"internal-error", RuleKind::result,
         "Z3, the enumeration or, with --strict, cvc5 disagree about an obligation (exit status 4). At least "
         "one of them is wrong, so nothing is claimed.",
         "This is a fault of tileproof or of a solver: please report it with the file, and with the queries "
         "that the message names."},
    };
}

}  // namespace tileproof
