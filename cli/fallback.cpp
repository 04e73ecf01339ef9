#include "cli/fallback.hpp"

#include <algorithm>

#include "layouts/symbolic.hpp"
#include "solver/solve.hpp"
#include "verify/verify.hpp"

namespace tileproof::cli {
namespace {

/// Entry names have room for 64 letters of a stem (emit/ptx_writer.hpp); this one must not lose its end.
std::string fallback_stem(const std::string& stem) {
    constexpr std::size_t longest = 64;
    const std::string end = "_fallback";
    return stem.substr(0, longest - end.size()) + end;
}

void align_to_elements(Problem& problem) {
    for (Buffer& buffer : problem.buffers) {
        if (buffer.space != Space::global) continue;
        const Bytes element{std::max<std::int64_t>(1, buffer.dtype.size.count / 8)};
        const bool is_whole = buffer.base ? buffer.base->count % element.count == 0 : buffer.align >= element;
        if (!is_whole) continue;  // rejected as it is
        buffer.base.reset();
        buffer.align = element;
    }
}

class Search {
public:
    explicit Search(std::uint64_t rlimit) : rlimit_(rlimit) {}

    Problem weakest(const Problem& problem) {
        Problem out = problem;
        align_to_elements(out);
        if (problem.symbols.empty()) return out;
        Problem nothing = out;
        nothing.facts.clear();
        for (Symbol& symbol : nothing.symbols) symbol.multiple_of = 1;
        if (is_proved(nothing)) return nothing;
        if (!is_proved(out)) out = problem;
        for (std::size_t i = 0; i < out.symbols.size(); ++i) {
            Problem next = out;
            next.symbols[i].multiple_of = 1;
            if (out.symbols[i].multiple_of > 1 && is_proved(next)) out = std::move(next);
        }
        for (std::size_t i = 0; i < out.facts.size();) {
            Problem next = out;
            next.facts.erase(next.facts.begin() + static_cast<std::ptrdiff_t>(i));
            if (is_proved(next)) out = std::move(next);
            else ++i;
        }
        return out;
    }

private:
    bool is_proved(const Problem& problem) {
        if (plans_++ >= most_plans || check_problem(problem)) return false;
        const Solution solution = solve(problem, {rlimit_, true, true, &z3_});
        if (!solution.complete()) return false;
        VerifyOptions options;
        options.rlimit = rlimit_;
        options.context = &z3_;
        options.exhaustive =
            std::any_of(problem.copies.begin(), problem.copies.end(), [&](const Copy& copy) { return !is_symbolic(problem, copy); });
        return verify(problem, solution.plan(), options).verdict() == Verdict::proved;
    }

    std::uint64_t rlimit_;
    SolverContext z3_;
    int plans_ = 0;
};

}  // namespace

Problem fallback(const Problem& problem, std::uint64_t rlimit) {
    Problem out = Search(rlimit).weakest(problem);
    out.stem = fallback_stem(problem.stem);
    return out;
}

std::vector<std::string> given_up(const Problem& problem, const Problem& weaker) {
    std::vector<Assumption> left = assumptions(weaker);
    std::vector<std::string> out;
    for (const Assumption& assumption : assumptions(problem)) {
        const auto found = std::find_if(left.begin(), left.end(), [&](const Assumption& other) { return other.text == assumption.text; });
        if (found == left.end()) out.push_back(assumption.text);
        else left.erase(found);
    }
    return out;
}

}  // namespace tileproof::cli
