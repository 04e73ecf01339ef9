// smt: the one header that sees z3++.h, and the one place that catches its exceptions.
//
//   smt::Session z3(rlimit);                       // with a context of its own, or a shared one
//   auto x = z3.context().int_const("x");
//   z3.check(smt::Theory::linear, {x * 4 == 3})    // unsat; two checks share nothing but the context
//
// Three answers: a limit, an exception or "unknown" of Z3 is `unknown`, with its reason. In the C++ API `<` and `/` on
// bit-vectors are signed.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <string>
#include <vector>

#include "solver/solver_context.hpp"

namespace tileproof::smt {

enum class Answer { sat, unsat, unknown };

struct Outcome {
    Answer answer = Answer::unknown;
    std::string reason{};                // of unknown
    std::vector<std::int64_t> values{};  // of the wanted terms, for sat
};

/// linear: integers, by the plain solver; bit_vectors: by the plain solver too if it is quick, otherwise by the one for QF_BV.
enum class Theory { linear, bit_vectors };

/// Runs `build`, which builds terms and returns an Outcome; any Z3 exception becomes unknown.
template <class Build>
Outcome guarded(Build&& build) {
    try {
        return build();
    } catch (const z3::exception& fault) {
        return {Answer::unknown, fault.msg()};
    }
}

class Session {
public:
    explicit Session(std::uint64_t rlimit, SolverContext* shared = nullptr)
        : shared_(shared != nullptr ? *shared : own_), rlimit_(rlimit) {}

    z3::context& context();
    std::uint64_t rlimit() const { return rlimit_; }
    std::int64_t queries() const { return queries_; }

    /// Decides the conjunction on its own, by Z3's simplifier where that is enough; for sat, gives the values of `wanted` (bit-vectors as signed numbers).
    Outcome check(Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted = {}) {
        return check(theory, conjunction, wanted, rlimit_);
    }
    /// The same with a limit of its own. 0: no limit.
    Outcome check(Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted, std::uint64_t rlimit);

    /// The same conjunction as an SMT-LIB 2 script for any solver: logic, declarations, assertions, (check-sat).
    /// Z3 reads it back, to see that it is the same; throws z3::exception if not.
    std::string script(Theory theory, const std::vector<z3::expr>& conjunction);

private:
    SolverContext own_;
    SolverContext& shared_;
    std::uint64_t rlimit_;
    std::int64_t queries_ = 0;
};

/// target = value, by copying. The header of Z3 4.8.12 forgets to release the old term when a term is move-assigned; every
/// such leak costs most of a millisecond when the context ends.
inline void assign(z3::expr& target, const z3::expr& value) { target = value; }

/// Z3's version, e.g. "4.8.12".
std::string z3_version();

}  // namespace tileproof::smt
