// SMT proofs of one copy: a short linear argument first; where that does not settle an obligation, its definition; where that
// does not either, the linear argument with all the time there is.
#include <map>

#include "verify/definition_internal.hpp"
#include "verify/linear_internal.hpp"

namespace tileproof {
namespace {

/// Resource units of one query of a short linear argument: some 20 ms. Of those that succeed, the files of tests/data/ and examples/
/// need at most 2,436, and 99.9 % of 20,000 in random copies less than 11,000; the few beyond (a million and 5 s) lose to the definition.
constexpr std::uint64_t short_rlimit = 20'000;

/// The linear argument for an obligation.
bool argued(LinearProofs& linear, std::string_view id) {
    const Side side = id.ends_with(".src") ? Side::src : Side::dst;
    if (id.starts_with("address")) return linear.address(side);
    if (id.starts_with("bounds")) return linear.bounds(side);
    if (id.starts_with("aligned")) return linear.aligned(side);
    if (id == "contiguous.dst") return linear.contiguous(Side::src) && linear.contiguous(Side::dst);  // the same place on both sides
    if (id == "contiguous.src") return linear.contiguous(side);
    if (id == "same-element") return linear.same_element();
    if (id == "covers") return linear.covers();
    if (id == "disjoint") return linear.disjoint();
    if (id == "no-alias") return linear.no_alias();
    TILEPROOF_CHECK(id == "predicate");
    return linear.predicate();
}

Finding defined(DefinitionProofs& definition, std::string_view id) {
    const Side side = id.ends_with(".src") ? Side::src : Side::dst;
    if (id.starts_with("address")) return definition.address(side);
    if (id.starts_with("bounds")) return definition.bounds(side);
    if (id.starts_with("aligned")) return definition.aligned(side);
    if (id.starts_with("contiguous")) return definition.contiguous(side);
    if (id == "same-element") return definition.same_element();
    if (id == "covers") return definition.covers();
    if (id == "disjoint") return definition.disjoint();
    if (id == "no-alias") return definition.no_alias();
    TILEPROOF_CHECK(id == "predicate");
    return definition.predicate();
}

class Prover {
public:
    Prover(smt::Session& z3, const Judge& judge)
        : z3_(z3), judge_(judge), has_more_(z3.rlimit() == 0 || z3.rlimit() > short_rlimit),
          short_(z3, judge, has_more_ ? short_rlimit : z3.rlimit(), holds()), definition_(z3, judge) {}

    /// Each obligation is decided once; a linear argument may build on others, never in a circle.
    const Finding& finding(const char* id) {
        const auto known = findings_.find(id);
        if (known != findings_.end()) return known->second;
        return findings_.emplace(id, decide(id)).first->second;
    }

private:
    std::function<bool(const char*)> holds() {
        return [this](const char* id) { return finding(id).verdict == Verdict::proved; };
    }

    Finding decide(const char* id) {
        if (argued(short_, id)) return {id, Verdict::proved, {"smt"}};
        Finding by_definition = defined(definition_, id);
        if (by_definition.verdict != Verdict::unknown || !has_more_) return by_definition;
        if (!long_) long_.emplace(z3_, judge_, z3_.rlimit(), holds());
        if (argued(*long_, id)) return {id, Verdict::proved, {"smt"}};
        return by_definition;
    }

    smt::Session& z3_;
    const Judge& judge_;
    bool has_more_;  // more than a short argument may take
    LinearProofs short_;
    std::optional<LinearProofs> long_;
    DefinitionProofs definition_;
    std::map<std::string, Finding> findings_;
};

}  // namespace

std::vector<Finding> prove(smt::Session& z3, const Judge& judge) {
    std::vector<Finding> out;
    try {
        Prover prover(z3, judge);
        for (const char* id : searched) out.push_back(prover.finding(id));
    } catch (const z3::exception& fault) {  // while building a term; a check catches its own
        for (std::size_t i = out.size(); i < searched.size(); ++i) out.push_back({searched[i], Verdict::unknown, {"smt"}, {}, fault.msg()});
    }
    return out;
}

}  // namespace tileproof
