// SMT proofs of one copy: the short linear argument first; where it does not settle an obligation, its definition.
#include <map>

#include "verify/definition_internal.hpp"
#include "verify/linear_internal.hpp"

namespace tileproof {
namespace {

class Prover {
public:
    Prover(smt::Session& z3, const Judge& judge)
        : linear_(z3, judge, [this](const char* id) { return finding(id).verdict == Verdict::proved; }), definition_(z3, judge) {}

    /// Each obligation is decided once; a linear argument may build on others, never in a circle.
    const Finding& finding(const char* id) {
        const auto known = findings_.find(id);
        if (known != findings_.end()) return known->second;
        return findings_.emplace(id, decide(id)).first->second;
    }

private:
    Finding decide(const char* id) {
        const std::string_view name(id);
        const Side side = name.ends_with(".src") ? Side::src : Side::dst;
        const auto settle = [&](bool proved, auto&& by_definition) -> Finding {
            if (proved) return {id, Verdict::proved, {"smt"}};
            return by_definition();
        };
        if (name.starts_with("address")) return settle(linear_.address(side), [&] { return definition_.address(side); });
        if (name.starts_with("bounds")) return settle(linear_.bounds(side), [&] { return definition_.bounds(side); });
        if (name.starts_with("aligned")) return settle(linear_.aligned(side), [&] { return definition_.aligned(side); });
        if (name == "contiguous.dst")  // the same place on both sides
            return settle(linear_.contiguous(Side::src) && linear_.contiguous(Side::dst), [&] { return definition_.contiguous(side); });
        if (name == "contiguous.src") return settle(linear_.contiguous(side), [&] { return definition_.contiguous(side); });
        if (name == "same-element") return settle(linear_.same_element(), [&] { return definition_.same_element(); });
        if (name == "covers") return settle(linear_.covers(), [&] { return definition_.covers(); });
        if (name == "disjoint") return settle(linear_.disjoint(), [&] { return definition_.disjoint(); });
        if (name == "no-alias") return settle(linear_.no_alias(), [&] { return definition_.no_alias(); });
        TILEPROOF_CHECK(name == "predicate");
        return settle(linear_.predicate(), [&] { return definition_.predicate(); });
    }

    LinearProofs linear_;
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
