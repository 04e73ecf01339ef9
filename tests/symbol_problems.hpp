// For tests of what a proof assumes: small problems with symbols and facts, and their verified plans.
//
//   problem_of("pitch", "ld = { min = 64, max = 65536, multiple_of = 8 }", "\"ld >= 128\"", rows, tile)      A, pitch ld, to B, 16 x 64 f16
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

inline Problem parsed(const std::string& text, const std::string& stem) {
    INFO(text);
    Result<Problem> problem = parse_problem({"copy.toml", text}, stem);
    INFO((problem ? std::string() : render(problem.error(), {"copy.toml", text})));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

/// `symbols`: the lines of [symbols]; `facts`: between the brackets; `a`, `b`: the keys of two global buffers after `dtype`.
inline Problem problem_of(const std::string& stem, const std::string& symbols, const std::string& facts, const std::string& a,
                          const std::string& b, const std::string& dtype = "f16", const std::string& src = "A",
                          const std::string& dst = "B") {
    const auto buffer = [&](const std::string& name, const std::string& keys) {
        return name + " = { space = \"global\", dtype = \"" + dtype + "\", " + keys + " }\n";
    };
    const std::string head = "[target]\narch = \"sm_90\"\n[symbols]\n" + symbols + "\n[assume]\nfacts = [" + facts + "]\n[buffers]\n";
    const std::string copies = "[[copies]]\nsrc = \"" + src + "\"\ndst = \"" + dst + "\"\nscope = \"cta\"\nthreads = 64\n";
    return parsed(head + buffer("A", a) + buffer("B", b) + copies, stem);
}

inline const std::string rows = "layout = \"(16,64):(ld,1)\"", tile = "layout = \"(16,64):(64,1)\"";
inline const std::string off_by_4 = "layout = \"(16,64):(64,1) + 4\"";
inline const std::string any_ld = "ld = { min = 64, max = 65536 }", ld_8 = "ld = { min = 64, max = 65536, multiple_of = 8 }";

inline VerifiedPlan verified(const Problem& problem) {
    const Solution solution = solve(problem);
    REQUIRE(solution.complete());
    Certified certified = verify_and_certify(problem, solution.plan());
    REQUIRE(certified.plan.has_value());
    return std::move(*certified.plan);
}

}  // namespace tileproof::test
