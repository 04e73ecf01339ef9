// SMT proofs of one copy: the short linear argument first; where it does not settle an obligation, its definition.
#include "verify/definition_internal.hpp"
#include "verify/linear_internal.hpp"

namespace tileproof {
namespace {

Finding decide(const char* id, LinearProofs& linear, DefinitionProofs& definition) {
    const std::string_view name(id);
    const Side side = name.ends_with(".src") ? Side::src : Side::dst;
    const auto settle = [&](bool proved, auto&& by_definition) -> Finding {
        if (proved) return {id, Verdict::proved, {"smt"}};
        return by_definition();
    };
    if (name.starts_with("address")) return settle(linear.address(side), [&] { return definition.address(side); });
    if (name.starts_with("bounds")) return settle(linear.bounds(side), [&] { return definition.bounds(side); });
    if (name.starts_with("aligned")) return settle(linear.aligned(side), [&] { return definition.aligned(side); });
    if (name == "contiguous.dst")  // the same place on both sides
        return settle(linear.contiguous(Side::src) && linear.contiguous(Side::dst), [&] { return definition.contiguous(side); });
    if (name == "contiguous.src") return settle(linear.contiguous(side), [&] { return definition.contiguous(side); });
    if (name == "same-element") return settle(linear.same_element(), [&] { return definition.same_element(); });
    if (name == "covers") return settle(linear.covers(), [&] { return definition.covers(); });
    if (name == "disjoint") return settle(linear.disjoint(), [&] { return definition.disjoint(); });
    if (name == "no-alias") return settle(linear.no_alias(), [&] { return definition.no_alias(); });
    TILEPROOF_CHECK(name == "predicate");
    return settle(linear.predicate(), [&] { return definition.predicate(); });
}

}  // namespace

std::vector<Finding> prove(smt::Session& z3, const Judge& judge) {
    std::vector<Finding> out;
    try {
        LinearProofs linear(z3, judge);
        DefinitionProofs definition(z3, judge);
        for (const char* id : searched) out.push_back(decide(id, linear, definition));
    } catch (const z3::exception& fault) {  // while building a term; a check catches its own
        for (std::size_t i = out.size(); i < searched.size(); ++i) out.push_back({searched[i], Verdict::unknown, {"smt"}, {}, fault.msg()});
    }
    return out;
}

}  // namespace tileproof
