// Guard: the check that decides at run time whether a kernel may be launched, made from what its proof assumes.
//
//   tp_rows_may_run(A, B, ld):   64 <= ld <= 65536,   ld % 8 == 0,   A % 16 == 0,   B % 16 == 0,   A and B lie apart
//
// Whoever calls it runs the fast kernel where it says true, and the plan of `--fallback` where it says false.
//
// Ensures: if the check says true, every assumption of the problem holds, save those in `unchecked`; if all assumptions hold it says
// true. For: each assumption becomes its own conditions, and one that is not known here is a fault, not left out. Conditions that stand
// later may rely on those before them. Ranges stand first; and where they hold, no monomial, partial product or partial sum of what
// follows reaches 2^62, which is looked at for each, so 64-bit arithmetic is that of integers. What cannot be shown so is refused.
// (Of `distinct-buffers` the pairs are checked of which a copy writes one: where all is read, an overlap changes nothing.)
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "emit/ptx.hpp"

namespace tileproof {

/// min <= symbol <= max.
struct IsInRange {
    int symbol = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;
};
struct IsMultiple {
    int symbol = 0;
    std::int64_t of = 1;
};
/// The address of a buffer, modulo a power of two.
struct HasResidue {
    int buffer = 0;
    Bytes modulus{1};
    Bytes residue{0};
};
/// Bytes: sum / 2^divisor_log2, rounded down, or none if the sum is negative. (Packed elements: "(n + 1) / 2" of 4 bits.)
struct Room {
    Expression sum = 0;
    int divisor_log2 = 0;
};
/// Neither begins inside the other: (b - a) mod 2^64 >= room of a, and (a - b) mod 2^64 >= room of b.
struct LieApart {
    int a = 0;
    int b = 0;
    Room room_a{};
    Room room_b{};
};
using Condition = std::variant<IsInRange, IsMultiple, Fact, HasResidue, LieApart>;

struct Check {
    std::string text;  // the assumption, or its part
    std::vector<Condition> conditions;
};

struct Guard {
    std::string name;  // tp_<stem>_may_run
    Problem problem;   // what indices count in; its assumptions are what is checked
    KernelInfo kernel;
    std::vector<Check> checks;
    std::vector<std::string> unchecked;  // what the proof rests on besides, and only the caller can know
};

/// The guard of a plan. To ask no more than needed, give it `reduced(verified)` (verify/used.hpp).
/// Errors: `guard-overflow`; those of kernel_info; `unsupported` for an assumption that no condition is known for.
Result<Guard> make_guard(const VerifiedPlan& verified);

/// `inline bool tp_<stem>_may_run(const void* p_A, ..., std::int64_t p_ld)`, with what it includes. C++11.
std::string guard_cpp(const Guard& guard);

/// A module with `.visible .func (.param .b32 ok) tp_<stem>_may_run(.param .b64 p_A, ..., .param .b64 p_ld)`; ok is 1 or 0.
std::string guard_ptx(const Guard& guard);

}  // namespace tileproof
