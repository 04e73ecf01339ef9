// A copy from global to shared memory whose region a predicate clips, as a problem file.
//
//   Problem problem = problem_of({"m = { min = 0, max = 40 }", "", "\"(32,64):(64,1)\"", "\"(32,64):(72,1)\"", "A", "As", "d0 < m"});
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "layouts/problem_file.hpp"
#include "verify/verify.hpp"

namespace tileproof::test {

struct Tile {
    std::string symbols = "";  // lines of [symbols]
    std::string facts = "";
    std::string a = "\"(128,64):(64,1)\"";  // what follows `layout =`
    std::string as = "\"(32,64):(64,1)\"";
    std::string src = "A";
    std::string dst = "As";
    std::string predicate;
    std::string launch = "";
    std::string dtype = "f16";
    std::string more = "";  // lines of the copy
};

inline std::string text_of(const Tile& tile) {
    return "[target]\narch = \"sm_90\"\n[launch]\n" + tile.launch + "\n[symbols]\n" + tile.symbols + "\n[assume]\nfacts = [" + tile.facts +
           "]\n[buffers.A]\nspace = \"global\"\ndtype = \"" + tile.dtype + "\"\nlayout = " + tile.a +
           "\n[buffers.As]\nspace = \"shared\"\ndtype = \"" + tile.dtype + "\"\nlayout = " + tile.as + "\n[[copies]]\nsrc = \"" + tile.src +
           "\"\ndst = \"" + tile.dst + "\"\nscope = \"cta\"\nthreads = 64\n" +
           (tile.predicate.empty() ? "" : "predicate = \"" + tile.predicate + "\"\n") + tile.more;
}

inline Problem problem_of(const Tile& tile) {
    const Source source{"copy.toml", text_of(tile)};
    INFO(source.text);
    Result<Problem> problem = parse_problem(source, "copy");
    INFO((problem ? std::string() : render(problem.error(), source)));
    REQUIRE(problem.ok());
    return std::move(problem.value());
}

inline std::string fault_of(const Tile& tile) {
    const Result<Problem> problem = parse_problem({"copy.toml", text_of(tile)}, "copy");
    return problem ? "none" : problem.error().rule + ": " + problem.error().text;
}

inline const Finding& finding(const Report& report, const std::string& id) {
    const std::vector<Finding>& all = report.copies[0].findings;
    return *std::find_if(all.begin(), all.end(), [&](const Finding& f) { return f.obligation == id; });
}

inline std::string open_findings(const Report& report) {
    std::string out;
    for (const Finding& f : report.copies[0].findings)
        if (f.verdict != Verdict::proved)
            out += f.obligation + " " + to_string(f.verdict) + ": " + (f.counterexample ? f.counterexample->text : f.reason) + "\n";
    return out;
}

}  // namespace tileproof::test
