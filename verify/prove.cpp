// SMT proofs of one copy: a short linear argument first; where that does not settle an obligation, its definition; where that
// does not either, the linear argument with all the time there is.
#include <map>

#include "verify/definition_internal.hpp"
#include "verify/inquiry_internal.hpp"
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
    Prover(Inquiry& inquiry, const Judge& judge)
        : inquiry_(inquiry),
          judge_(judge),
          has_more_(inquiry.rlimit() == 0 || inquiry.rlimit() > short_rlimit),
          short_(inquiry, judge, has_more_ ? short_rlimit : inquiry.rlimit(), holds()),
          definition_(inquiry, judge) {}

    /// Each obligation is decided once; a linear argument may build on others, never in a circle.
    const Finding& finding(const char* id) {
        const auto known = findings_.find(id);
        if (known != findings_.end()) return known->second;
        return findings_.emplace(id, inquiry_.about(id, [&] { return decide(id); })).first->second;
    }

private:
    std::function<bool(const char*)> holds() {
        return [this](const char* id) {
            const Finding& found = finding(id);
            if (found.verdict == Verdict::proved) inquiry_.rest_on(found.queries);
            return found.verdict == Verdict::proved;
        };
    }

    Finding decide(const char* id) {
        const std::size_t cut_before = inquiry_.cut_by_limits();
        if (inquiry_.argued([&] { return argued(short_, id); })) return {id, Verdict::proved, {"smt"}};
        const bool was_cut = inquiry_.cut_by_limits() > cut_before;
        Finding by_definition = defined(definition_, id);
        if (by_definition.verdict != Verdict::unknown || !has_more_ || !was_cut) return by_definition;
        if (!long_) long_.emplace(inquiry_, judge_, inquiry_.rlimit(), holds());
        if (inquiry_.argued([&] { return argued(*long_, id); })) return {id, Verdict::proved, {"smt"}};
        return by_definition;
    }

    Inquiry& inquiry_;
    const Judge& judge_;
    bool has_more_;
    LinearProofs short_;
    std::optional<LinearProofs> long_;  // with the whole limit, where neither decides
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
