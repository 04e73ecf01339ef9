#include "verify/used.hpp"

#include <algorithm>
#include <memory>

#include "layouts/grid.hpp"
#include "layouts/symbolic.hpp"
#include "verify/symbolic_internal.hpp"

namespace tileproof {
namespace {

bool mentions(const FactSide& side, int symbol) {
    return mentions(side.expression, symbol) || (side.modulus && mentions(*side.modulus, symbol));
}

bool mentions(const Buffer& buffer, int symbol) {
    const auto in = [&](const Expression& e) { return mentions(e, symbol); };
    return in(buffer.layout.offset) || (buffer.symbolic_capacity && in(*buffer.symbolic_capacity)) ||
           std::any_of(buffer.layout.iters.begin(), buffer.layout.iters.end(), [&](const Iter& it) { return in(it.stride); });
}

bool mentions(const Region& region, int symbol) {
    const std::vector<Expression> all = expressions_of(region);
    return std::any_of(all.begin(), all.end(), [&](const Expression& e) { return mentions(e, symbol); });
}

/// Bytes that an access or an element of this buffer takes at most; 0 if no copy touches it.
Bytes widest_access(const Problem& problem, const Plan& plan, int buffer) {
    Bytes most{0};
    for (std::size_t i = 0; i < problem.copies.size(); ++i)
        for (const Side side : both_sides) {
            if (operand(problem.copies[i], side).buffer != buffer) continue;
            const auto add = [&](Bits width) { most = std::max(most, Bytes{ceil_div(width.count, 8)}); };
            add(problem.buffers[static_cast<std::size_t>(buffer)].dtype.size);
            for (const Segment& segment : plan.copies[i].segments) add(segment.side(side).width);
        }
    return most;
}

/// The unbounded symbol: all that a file could say of one.
Symbol unbounded(Symbol symbol) {
    symbol.min = -max_offset;
    symbol.max = max_offset;
    symbol.multiple_of = 1;
    return symbol;
}

/// Looking for less is no part of the proof, and not worth as much.
std::uint64_t bounded(std::uint64_t rlimit) {
    constexpr std::uint64_t most = 5'000'000;
    return rlimit == 0 ? most : std::min(rlimit, most);
}

/// Whether some copy is performed by several blocks or groups.
bool has_several_teams(const Problem& problem) {
    return std::any_of(problem.copies.begin(), problem.copies.end(),
                       [&](const Copy& copy) { return teams_of(problem.launch, copy).count() > 1; });
}

/// Whether something is said of what the launch computes: that it is true in every block is no matter of one copy.
bool says_of_launch(const Problem& problem) {
    const auto is_said = [&](const Symbol& symbol) {
        const int i = static_cast<int>(&symbol - problem.symbols.data());
        return symbol.index && (symbol.claimed || std::any_of(problem.facts.begin(), problem.facts.end(), [&](const Fact& fact) {
                                    return mentions(fact.left, i) || mentions(fact.right, i);
                                }));
    };
    return std::any_of(problem.symbols.begin(), problem.symbols.end(), is_said);
}

bool fills(const Problem& problem) {
    return std::any_of(problem.copies.begin(), problem.copies.end(), [](const Copy& copy) { return copy.zero_fill; });
}

class Search {
public:
    Search(const VerifiedPlan& verified, const VerifyOptions& options)
        : plan_(verified.plan()),
          problem_(with_needed_alignments(verified.problem(), plan_)),
          start_(problem_),
          z3_(bounded(options.rlimit), options.context) {
        options_.rlimit = z3_.rlimit();
        options_.exhaustive = false;
        options_.context = options.context;
        for (std::size_t i = 0; i < start_.copies.size(); ++i) {
            const bool sees = is_symbolic(start_, start_.copies[i]) || is_symbolic(plan_.copies[i]);  // what symbols are
            if (sees && !start_.copies[i].zero_fill) copies_.push_back(std::make_unique<One>(*this, i, verified.report().copies[i]));
        }
    }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    Problem run() {
        for (std::size_t i = 0; i < problem_.facts.size();) {
            Problem next = problem_;
            next.facts.erase(next.facts.begin() + static_cast<std::ptrdiff_t>(i));
            if (!accept(std::move(next))) ++i;
        }
        for (std::size_t i = 0; i < problem_.symbols.size(); ++i) {
            if (problem_.symbols[i].index) continue;  // computed, not assumed
            if (!occurs(problem_, plan_, static_cast<int>(i))) problem_.symbols[i] = unbounded(problem_.symbols[i]);
            else if (problem_.symbols[i].multiple_of > 1) weaken_multiple(i);
        }
        return std::move(problem_);
    }

private:
    struct One {
        VerifyOptions options{};  // queries are not kept, and Z3 is asked alone
        Inquiry inquiry;
        ProofsAnew proofs;
        One(Search& search, std::size_t i, const CopyReport& report)
            : inquiry(search.z3_, options, report.name),
              proofs(inquiry, search.start_, search.start_.copies[i], search.plan_.copies[i], report) {}
    };

    /// The least power of two that does, among the divisors. The first guess is what the widest access of the plan would need.
    void weaken_multiple(std::size_t i) {
        const std::int64_t stated = problem_.symbols[i].multiple_of, power = stated & -stated;
        const auto enough = [&](std::int64_t multiple) {
            Problem next = problem_;
            next.symbols[i].multiple_of = multiple;
            return accept(std::move(next));
        };
        const std::int64_t guess = std::min(power, widest_lanes());
        std::int64_t multiple = guess;
        while (multiple < stated && !enough(multiple)) multiple = multiple < power ? multiple * 2 : stated;
        if (multiple > guess) return;  // what is less did not do
        while (multiple > 1 && enough(multiple / 2)) multiple /= 2;
    }

    std::int64_t widest_lanes() const {
        std::int64_t most = 1;
        for (const CopyPlan& copy : plan_.copies)
            for (const Segment& segment : copy.segments) most = std::max(most, segment.vec);
        return std::int64_t{1} << floor_log2(most);
    }

    /// Whether every copy with symbols is proved for this problem too; then it takes the place of the present one.
    bool accept(Problem next) {
        if (verifications_++ >= most_verifications || check_problem(next)) return false;
        if (has_several_teams(next) || fills(next) || says_of_launch(next)) {  // what is between teams, or parts, is no matter of one copy
            if (verify(next, plan_, options_).verdict() != Verdict::proved) return false;
            problem_ = std::move(next);
            return true;
        }
        if (!std::all_of(copies_.begin(), copies_.end(), [&](const auto& one) { return one->proofs.hold(next.symbols, next.facts); }))
            return false;
        problem_ = std::move(next);
        return true;
    }

    VerifyOptions options_{};
    const Plan& plan_;
    Problem problem_;
    const Problem start_;
    smt::Session z3_;
    std::vector<std::unique_ptr<One>> copies_;
    int verifications_ = 0;
};

/// The kinds of assumptions that can be weakened; alignments may change their source when they are.
std::string kind(const Assumption& assumption) {
    for (const char* alignment : {"default-alignment", "stated-alignment", "stated-base"})
        if (assumption.source == alignment) return "alignment";
    return assumption.source == "symbol" || assumption.source == "fact" ? assumption.source : "";
}

}  // namespace

bool occurs(const Problem& problem, const Plan& plan, int symbol) {
    for (const Buffer& buffer : problem.buffers)
        if (mentions(buffer, symbol)) return true;
    for (const Fact& fact : problem.facts)
        if (mentions(fact.left, symbol) || mentions(fact.right, symbol)) return true;
    for (const Copy& copy : problem.copies)
        if (mentions(copy.src.region, symbol) || mentions(copy.dst.region, symbol)) return true;
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments)
            if (mentions(segment, symbol)) return true;
    return false;
}

Problem with_needed_alignments(const Problem& problem, const Plan& plan) {
    TILEPROOF_CHECK(plan.copies.size() == problem.copies.size());
    Problem out = problem;
    for (std::size_t i = 0; i < out.buffers.size(); ++i) {
        Buffer& buffer = out.buffers[i];
        if (buffer.space != Space::global) continue;
        const Bytes needed = std::max(Bytes{1}, widest_access(problem, plan, static_cast<int>(i)));
        if (buffer.base) {
            if (buffer.base->count % needed.count != 0) continue;
            buffer.base.reset();
            buffer.align = needed;
        } else {
            buffer.align = std::min(buffer.align, needed);
        }
    }
    return out;
}

Problem with_needed_assumptions(const VerifiedPlan& verified, const VerifyOptions& options) { return Search(verified, options).run(); }

VerifiedPlan reduced(const VerifiedPlan& verified, const VerifyOptions& options) {
    const Problem weaker = with_needed_assumptions(verified, options);
    VerifyOptions again;
    again.rlimit = options.rlimit;
    again.second = options.second;
    again.context = options.context;
    // Where Z3 is enough, nothing is enumerated twice. What a wider width would be is not asked.
    const auto is_concrete = [&](const Copy& copy) { return !is_symbolic(weaker, copy); };
    again.exhaustive = options.exhaustive && std::any_of(weaker.copies.begin(), weaker.copies.end(), is_concrete);
    Certified proved = verify_and_certify(weaker, verified.plan(), again);
    return proved.plan ? std::move(*proved.plan) : verified;
}

std::vector<std::optional<Use>> uses(const Problem& problem, const Plan& plan, const Problem& weaker) {
    std::vector<Assumption> left = assumptions(weaker);
    std::vector<std::optional<Use>> out;
    for (const Assumption& assumption : assumptions(problem)) {
        const std::string what = kind(assumption);
        out.emplace_back();
        if (what.empty()) continue;
        // Facts keep their order but not their numbers.
        const auto is_it = [&](const Assumption& other) {
            return kind(other) == what && (what == "fact" ? other.text == assumption.text : other.of == assumption.of);
        };
        const auto found = std::find_if(left.begin(), left.end(), is_it);
        out.back() = Use{found != left.end() && (what != "symbol" || occurs(weaker, plan, assumption.of))};
        if (found == left.end()) continue;
        if (out.back()->used && found->text != assumption.text) out.back()->needed = found->text;
        left.erase(found);  // of two that say the same, one may be left
    }
    return out;
}

}  // namespace tileproof
