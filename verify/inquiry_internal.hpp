// Inquiry: every question to Z3 about one copy, and which finding rests on which questions.
//
//   obligation bounds.dst   asks   query 4, a lemma   query 7         its proof rests on 4 and 7
//   obligation disjoint     asks   query 9            uses the lemma  its proof rests on 4 and 9, and on those of address.dst
//
// If queries are kept, each becomes a text; if there is a second solver, an `unsat` of Z3 is its answer only where the second
// solver gives it too, and `unknown` otherwise. So whoever asks need not know, and what is built on the answer is right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/smt.hpp"
#include "solver/smt_symbols.hpp"
#include "verify/query.hpp"
#include "verify/report.hpp"
#include "verify/verify.hpp"

namespace tileproof {

class Inquiry {
public:
    /// Numbers of queries, in the order in which they were asked.
    using Queries = std::vector<std::size_t>;

    /// Something that is proved once and used in several places.
    struct Fact {
        std::optional<bool> holds{};
        Queries rests_on{};
    };

    /// Requires: all three outlive this.
    Inquiry(smt::Session& z3, const VerifyOptions& options, const std::string& copy) : z3_(z3), options_(options), copy_(copy) {}

    z3::context& context() { return z3_.context(); }
    /// As smt::Session::check.
    smt::Outcome check(smt::Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted = {}) {
        return check(theory, conjunction, wanted, z3_.rlimit());
    }
    smt::Outcome check(smt::Theory theory, const std::vector<z3::expr>& conjunction, const std::vector<z3::expr>& wanted,
                       std::uint64_t rlimit);
    /// As smt::asking of a session.
    smt::Ask asking() {
        return {context(), [this](smt::Theory theory, const std::vector<z3::expr>& query, const std::vector<z3::expr>& wanted) {
                    return check(theory, query, wanted);
                }};
    }
    std::uint64_t rlimit() const { return z3_.rlimit(); }
    /// Queries so far to which Z3 answered unknown: a higher limit may decide them.
    std::size_t cut_by_limits() const { return cut_by_limits_; }

    /// An argument: what it asks counts only if it succeeds.
    template <class Argue>
    bool argued(Argue&& argue) {
        Fact fact;
        return once("", fact, argue);
    }
    /// The same, remembered in `fact`. `lemma` says what it is, for the texts of its queries.
    template <class Argue>
    bool once(const char* lemma, Fact& fact, Argue&& argue) {
        if (!fact.holds) {
            const char* const outer = std::exchange(lemma_, *lemma != '\0' ? lemma : lemma_);
            fact.holds = collect(fact.rests_on, argue);
            lemma_ = outer;
        }
        if (*fact.holds) rest_on(fact.rests_on);
        return *fact.holds;
    }
    /// What is being argued rests on these too.
    void rest_on(const Queries& queries) { asked_.insert(asked_.end(), queries.begin(), queries.end()); }

    /// Runs `decide` for an obligation; its finding then says what it rests on, and that the second solver decided too.
    template <class Decide>
    Finding about(const char* obligation, Decide&& decide) {
        const char* const outer_obligation = std::exchange(obligation_, obligation);
        const char* const outer_lemma = std::exchange(lemma_, "");
        const Mark before{queries_.size(), open_.size()};
        Queries asked;
        Finding out = signed_off(collect(asked, decide), asked, before);
        obligation_ = outer_obligation;
        lemma_ = outer_lemma;
        return out;
    }

    /// The queries that the findings rest on, and those that the solvers dispute, named; Finding::queries then counts in these.
    /// Ends the inquiry.
    std::vector<Query> finish(std::vector<Finding>& findings);

private:
    struct Asked {
        std::string obligation;
        Query query;
    };
    struct Mark {
        std::size_t queries = 0;
        std::size_t open = 0;
    };

    template <class Ask>
    auto collect(Queries& into, Ask&& ask) {
        Queries outer = std::exchange(asked_, {});
        auto out = ask();
        into = std::exchange(asked_, std::move(outer));
        return out;
    }
    std::string header(const smt::Outcome& outcome) const;
    SecondAnswer second_answer(const std::string& text) const;
    Finding signed_off(Finding finding, const Queries& asked, const Mark& before) const;

    smt::Session& z3_;
    const VerifyOptions& options_;
    const std::string& copy_;
    std::size_t cut_by_limits_ = 0;
    std::vector<Asked> queries_;
    Queries asked_;                  // by what is being argued
    std::vector<std::string> open_;  // why, of every query that is not decided
    const char* obligation_ = "";
    const char* lemma_ = "";
};

}  // namespace tileproof
