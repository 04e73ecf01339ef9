// SMT proofs of one copy: the short linear argument first; where it does not settle an obligation, its definition.
#include <map>

#include "verify/definition_internal.hpp"
#include "verify/inquiry_internal.hpp"
#include "verify/linear_internal.hpp"

namespace tileproof {
namespace {

class Prover {
public:
    Prover(Inquiry& inquiry, const Judge& judge)
        : inquiry_(inquiry), linear_(inquiry, judge, [this](const char* id) { return holds(id); }), definition_(inquiry, judge) {}

    /// Each obligation is decided once; a linear argument may build on others, never in a circle.
    const Finding& finding(const char* id) {
        const auto known = findings_.find(id);
        if (known != findings_.end()) return known->second;
        return findings_.emplace(id, inquiry_.about(id, [&] { return decide(id); })).first->second;
    }

private:
    bool holds(const char* id) {
        const Finding& found = finding(id);
        if (found.verdict == Verdict::proved) inquiry_.rest_on(found.queries);
        return found.verdict == Verdict::proved;
    }

    Finding decide(const char* id) {
        const std::string_view name(id);
        const Side side = name.ends_with(".src") ? Side::src : Side::dst;
        const auto settle = [&](auto&& by_linear_argument, auto&& by_definition) -> Finding {
            if (inquiry_.argued(by_linear_argument)) return {id, Verdict::proved, {"smt"}};
            return by_definition();
        };
        if (name.starts_with("address")) return settle([&] { return linear_.address(side); }, [&] { return definition_.address(side); });
        if (name.starts_with("bounds")) return settle([&] { return linear_.bounds(side); }, [&] { return definition_.bounds(side); });
        if (name.starts_with("aligned")) return settle([&] { return linear_.aligned(side); }, [&] { return definition_.aligned(side); });
        if (name == "contiguous.dst")  // the same place on both sides
            return settle([&] { return linear_.contiguous(Side::src) && linear_.contiguous(Side::dst); }, [&] { return definition_.contiguous(side); });
        if (name == "contiguous.src") return settle([&] { return linear_.contiguous(side); }, [&] { return definition_.contiguous(side); });
        if (name == "same-element") return settle([&] { return linear_.same_element(); }, [&] { return definition_.same_element(); });
        if (name == "covers") return settle([&] { return linear_.covers(); }, [&] { return definition_.covers(); });
        if (name == "disjoint") return settle([&] { return linear_.disjoint(); }, [&] { return definition_.disjoint(); });
        if (name == "no-alias") return settle([&] { return linear_.no_alias(); }, [&] { return definition_.no_alias(); });
        TILEPROOF_CHECK(name == "predicate");
        return settle([&] { return linear_.predicate(); }, [&] { return definition_.predicate(); });
    }

    Inquiry& inquiry_;
    LinearProofs linear_;
    DefinitionProofs definition_;
    std::map<std::string, Finding> findings_;
};

}  // namespace

std::vector<Finding> prove(Inquiry& inquiry, const Judge& judge) {
    std::vector<Finding> out;
    try {
        Prover prover(inquiry, judge);
        for (const char* id : searched) out.push_back(prover.finding(id));
    } catch (const z3::exception& fault) {  // while building a term; a check catches its own
        for (std::size_t i = out.size(); i < searched.size(); ++i) out.push_back({searched[i], Verdict::unknown, {"smt"}, {}, fault.msg()});
    }
    return out;
}

}  // namespace tileproof
