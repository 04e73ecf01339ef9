// Mutants: a good plan with one thing changed is refuted, or the change is shown to change nothing.
//
//   stride + 1      digit 2 of the source:  refuted, `address.src`
//   places swapped  two digits of the lane:  proved, and the simulation (tests/simulate.hpp) finds every element in its place
//
// Neither a proof of a plan that breaks something, nor `unknown`, nor checkers that disagree is let pass. Kinds that cannot be
// harmless (an instruction of another width, other threads) have to be refuted. TILEPROOF_LONG=1 takes every mutant of every plan.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>

#include <doctest/doctest.h>

#include "layouts/address.hpp"
#include "layouts/cache_hint.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

struct Mutant {
    std::string kind;
    Problem problem;
    Plan plan;
    bool has_to_fail = false;
};

/// Every mutant of one plan. Each change is made to a copy; one that changes nothing is dropped.
class Mutants {
public:
    Mutants(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

    std::vector<Mutant> of_copies() {
        for (std::size_t c = 0; c < plan_.copies.size(); ++c) {
            participants(c);
            buffers(c);
            segments(c);
            for (std::size_t g = 0; g < plan_.copies[c].segments.size(); ++g) {
                copy_ = c;
                segment_ = g;
                digits();
                pairs_of_digits();
                predicates();
                starts();
                again();
                for (const Side side : both_sides) {
                    offsets(side);
                    strides(side);
                    terms(side);
                    swizzles(side);
                    accesses(side);
                    lanes(side);
                }
                lanes_of_both();
                both_widths();
            }
        }
        return std::move(all_);
    }

    std::vector<Mutant> of_program() {
        for (std::size_t i = 0; i < plan_.program.size(); ++i) {
            if (!std::holds_alternative<Barrier>(plan_.program[i])) continue;
            const auto change = [&](const char* kind, const std::function<void(std::vector<Step>&)>& to) {
                Mutant out{kind, problem_, plan_, true};
                to(out.plan.program);
                all_.push_back(std::move(out));
            };
            change("barrier left out", [=](std::vector<Step>& steps) { steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i)); });
            change("barrier too early", [=](std::vector<Step>& steps) { std::swap(steps[i - 1], steps[i]); });
            change("barrier of other threads", [=](std::vector<Step>& steps) { std::get<Barrier>(steps[i]).threads += 32; });
            change("barrier of other threads", [=](std::vector<Step>& steps) { std::get<Barrier>(steps[i]).threads /= 2; });
        }
        return std::move(all_);
    }

private:
    const Segment& segment() const { return plan_.copies[copy_].segments[segment_]; }
    static SidePlan& of(Segment& segment, Side side) { return side == Side::src ? segment.src : segment.dst; }

    void add(const char* kind, const std::function<void(Segment&)>& change, bool has_to_fail = false) {
        Mutant out{kind, problem_, plan_, has_to_fail};
        Segment& changed = out.plan.copies[copy_].segments[segment_];
        change(changed);
        if (!(changed == segment())) all_.push_back(std::move(out));
    }
    void add_to_problem(const char* kind, const std::function<void(Problem&)>& change) {
        Mutant out{kind, problem_, plan_, false};
        change(out.problem);
        all_.push_back(std::move(out));
    }

    void offsets(Side side) {
        const std::int64_t vec = segment().vec;
        for (const auto& [kind, by] :
             {std::pair{"offset + 1", std::int64_t{1}}, {"offset - 1", -1}, {"offset + vec", vec}, {"offset - vec", -vec}})
            add(kind, [side, by = by](Segment& s) { of(s, side).address.offset += by; });
        // As if the region's start were added after the swizzle.
        add("offset swizzled", [side](Segment& s) {
            AddressPlan& address = of(s, side).address;
            address.offset = swizzled(Integers{}, address.swizzle, address.offset);
        });
    }

    void strides(Side side) {
        for (std::size_t i = 0; i < segment().side(side).address.strides.size(); ++i) {
            for (const auto& [kind, by] : {std::pair{"stride + 1", 1}, {"stride - 1", -1}})
                add(kind, [side, i, by = by](Segment& s) { of(s, side).address.strides[i] += by; });
            add("stride doubled", [side, i](Segment& s) { of(s, side).address.strides[i] *= 2; });
            for (std::size_t j = 0; j < i; ++j)
                add("strides swapped",
                    [side, i, j](Segment& s) { std::swap(of(s, side).address.strides[i], of(s, side).address.strides[j]); });
        }
    }

    void terms(Side side) {
        const std::vector<FlatTerm>& terms = segment().side(side).address.terms;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            for (const int by : {1, -1}) {
                const auto change = [&](const char* kind, auto field, std::int64_t least) {
                    add(kind, [=](Segment& s) {
                        FlatTerm& term = of(s, side).address.terms[i];
                        term.*field = std::max<std::int64_t>(least, term.*field + by);
                    });
                };
                change("term div +- 1", &FlatTerm::div, 1);
                change("term mod +- 1", &FlatTerm::mod, 1);
                change("term stride +- 1", &FlatTerm::stride, -max_offset);
                if (!terms[i].of.empty()) change("term add +- 1", &FlatTerm::add, 0);
                parts(side, i, by);
            }
            add("term left out", [side, i](Segment& s) {
                std::vector<FlatTerm>& all = of(s, side).address.terms;
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
            });
        }
    }

    void parts(Side side, std::size_t term, int by) {
        for (std::size_t k = 0; k < segment().side(side).address.terms[term].of.size(); ++k)
            for (const auto& [field, least] : {std::pair{&IndexPart::div, 1}, {&IndexPart::mod, 1}, {&IndexPart::times, 0}})
                add("term part +- 1", [=, field = field, least = least](Segment& s) {
                    IndexPart& part = of(s, side).address.terms[term].of[k];
                    part.*field = std::max<std::int64_t>(least, part.*field + by);
                });
    }

    static std::int64_t& count(Segment& s, Role role) { return role == Role::outer ? s.outer : role == Role::thread ? s.threads : s.vec; }
    static void set_extent(Segment& s, std::size_t i, std::int64_t extent) {
        std::int64_t& whole = count(s, s.digits[i].role);
        whole = whole / s.digits[i].extent * extent;
        s.digits[i].extent = extent;
    }

    void digits() {
        for (std::size_t i = 0; i < segment().digits.size(); ++i) {
            const std::int64_t extent = segment().digits[i].extent;
            add("digit dropped", [=](Segment& s) { set_extent(s, i, 1); });
            add("digit doubled", [=](Segment& s) { set_extent(s, i, extent * 2); });
            add("digit shortened", [=](Segment& s) { set_extent(s, i, std::max<std::int64_t>(1, extent - 1)); });
            add("digit of another role", [=](Segment& s) {
                std::int64_t& from = count(s, s.digits[i].role);
                from /= extent;
                const int place = s.digits[i].place;
                for (Digit& other : s.digits)
                    if (other.role == s.digits[i].role && other.place > place) --other.place;
                const Role role = s.digits[i].role == Role::outer ? Role::thread : Role::outer;
                const auto in_role = [&](const Digit& d) { return d.role == role; };
                s.digits[i].place = static_cast<int>(std::count_if(s.digits.begin(), s.digits.end(), in_role));
                s.digits[i].role = role;
                count(s, role) *= extent;
            });
            add("weight + 1", [=](Segment& s) { s.digits[i].weight += 1; });
        }
    }

    void pairs_of_digits() {
        for (std::size_t i = 0; i < segment().digits.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (segment().digits[i].role == segment().digits[j].role)
                    add("places swapped", [=](Segment& s) { std::swap(s.digits[i].place, s.digits[j].place); });
                add("weights swapped", [=](Segment& s) { std::swap(s.digits[i].weight, s.digits[j].weight); });
                add("dimensions swapped", [=](Segment& s) { std::swap(s.digits[i].dim, s.digits[j].dim); });
            }
        }
    }

    void predicates() {
        const std::int64_t vec = segment().vec;
        for (std::size_t i = 0; i < segment().predicate.size(); ++i) {
            add("predicate removed", [=](Segment& s) { s.predicate.erase(s.predicate.begin() + static_cast<std::ptrdiff_t>(i)); });
            for (const std::int64_t by : {std::int64_t{1}, std::int64_t{-1}, vec, -vec})
                add("predicate moved", [=](Segment& s) { s.predicate[i].below += by; });
            for (const Beyond beyond : {Beyond::nothing, Beyond::zeros, Beyond::zero_lanes, Beyond::zeros_behind})
                add("other things beyond", [=](Segment& s) { s.predicate[i].beyond = beyond; });
        }
    }

    void starts() {
        for (std::size_t i = 0; i < segment().start.size(); ++i)
            for (const int by : {1, -1}) add("start +- 1", [=](Segment& s) { s.start[i] += by; });
    }

    void again() {
        Mutant twice{"segment twice", problem_, plan_, true};
        twice.plan.copies[copy_].segments.push_back(segment());
        all_.push_back(std::move(twice));
    }

    void swizzles(Side side) {
        const Swizzle now = segment().side(side).address.swizzle;
        const auto turn = [&](const char* kind, const Swizzle& into) {
            if (into.is_valid() && !(into.is_identity() && now.is_identity()))
                add(kind, [=](Segment& s) { of(s, side).address.swizzle = into; });
        };
        if (now.is_identity()) return turn("swizzle added", {1, floor_log2(segment().vec), 3});
        turn("swizzle parameters swapped", {now.base_log2, now.bits_log2, now.shift_log2});
        turn("swizzle parameters swapped", {now.bits_log2, now.shift_log2, now.base_log2});
        turn("swizzle removed", {});
        turn("swizzle + 1", {now.bits_log2 + 1, now.base_log2, now.shift_log2});
        turn("swizzle + 1", {now.bits_log2, now.base_log2 + 1, now.shift_log2});
        turn("swizzle + 1", {now.bits_log2, now.base_log2, now.shift_log2 + 1});
    }

    void set_width(Segment& s, Side side, std::int64_t bits, bool with_instruction, bool with_width) const {
        const Space space = problem_.buffer(operand(problem_.copies[copy_], side)).space;
        const AccessForm* form = access_form(side == Side::src ? Direction::load : Direction::store, space, Bits{bits});
        if (form != nullptr && with_instruction) of(s, side).instruction = form->mnemonic;
        if (form != nullptr && with_width) of(s, side).width = Bits{bits};
    }

    void accesses(Side side) {
        const std::int64_t bits = segment().side(side).width.count;
        for (const std::int64_t other : {bits * 2, bits / 2}) {
            add(
                "width of one side", [=, this](Segment& s) { set_width(s, side, other, true, true); }, true);
            add(
                "instruction of another width", [=, this](Segment& s) { set_width(s, side, other, true, false); }, true);
            add(
                "width without instruction", [=, this](Segment& s) { set_width(s, side, other, false, true); }, true);
        }
        const auto hint = [&](const char* kind, const char* word, bool has_to_fail) {
            add(
                kind, [=](Segment& s) { of(s, side).instruction = with_hints(of(s, side).instruction, {cache_hint(word)}); }, has_to_fail);
        };
        if (problem_.buffer(operand(problem_.copies[copy_], side)).space == Space::global && !is_async(segment().src.instruction)) {
            hint("hint added", "L1::no_allocate", false);
            hint("hint of loads", "L2::128B", side == Side::dst);
            hint("hint of what nobody writes", "nc", side == Side::dst || is_written(problem_, problem_.copies[copy_].src.buffer));
            hint("hint of 256 bits", "L2::evict_last", bits != 256);
        }
        // Harmless as long as the addresses are small; to be refuted where they are not.
        add(
            "index too narrow", [=](Segment& s) { of(s, side).address.index_bits = 32; },
            std::abs(segment().side(side).address.offset) > std::int64_t{1} << 31);
    }

    /// Places of all vec digits, as a side has them that says nothing.
    std::vector<int> all_lanes() const {
        std::vector<int> out;
        for (const Digit& digit : segment().digits)
            if (digit.role == Role::vec) out.push_back(static_cast<int>(out.size()));
        return out;
    }

    void lanes(Side side) {
        if (segment().flat) return;
        const auto& now = segment().side(side).lanes;
        const auto name = [&](const char* kind, const std::optional<std::vector<int>>& lanes) {
            add(kind, [=](Segment& s) { of(s, side).lanes = lanes; });
        };
        name("lanes of all digits", all_lanes());
        if (!now) return;
        name("lanes not named", std::nullopt);
        name("lanes reversed", std::vector<int>(now->rbegin(), now->rend()));
        for (std::size_t i = 0; i < now->size(); ++i) {
            std::vector<int> fewer = *now, turned = *now;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(i), turned.end());
            name("lane digit left out", fewer);
            name("lane digits turned", turned);
            for (const int other : all_lanes()) {
                std::vector<int> another = *now;
                another[i] = other;
                name("another lane digit", another);
            }
        }
    }

    void lanes_of_both() {
        add("lanes of the other side", [](Segment& s) { std::swap(s.src.lanes, s.dst.lanes); });
        if (segment().flat) return;
        add("lanes of both sides named", [all = all_lanes()](Segment& s) { s.src.lanes = s.dst.lanes = all; });
    }

    void both_widths() {
        const std::int64_t bits = segment().src.width.count;
        for (const std::int64_t other : {bits * 2, bits / 2})
            add(
                other > bits ? "width doubled" : "width halved",
                [=, this](Segment& s) {
                    for (const Side side : both_sides) set_width(s, side, other, true, true);
                },
                true);
    }

    void segments(std::size_t copy) {
        for (std::size_t g = 0; g < plan_.copies[copy].segments.size(); ++g) {
            const auto at = static_cast<std::ptrdiff_t>(g);
            Mutant twice{"segment twice", problem_, plan_, true}, none{"segment left out", problem_, plan_, true};
            std::vector<Segment>&more = twice.plan.copies[copy].segments, &less = none.plan.copies[copy].segments;
            more.push_back(more[g]);
            less.erase(less.begin() + at);
            all_.push_back(std::move(twice));
            if (!less.empty()) all_.push_back(std::move(none));
        }
    }

    void participants(std::size_t copy) {
        for (const auto& [first, count, groups] : {std::array{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {32, 0, 0}, {0, 0, 1}, {0, 0, -1}}) {
            Mutant out{"other threads", problem_, plan_, true};
            Participants& who = out.plan.copies[copy].participants;
            who.first += first;
            who.count += count;
            who.groups += groups;
            if (who.count > 0 && who.groups > 0) all_.push_back(std::move(out));
        }
    }

    void buffers(std::size_t copy) {
        for (const Side side : both_sides) {
            const auto number = static_cast<std::size_t>(operand(problem_.copies[copy], side).buffer);
            const Buffer& buffer = problem_.buffers[number];
            const std::int64_t element = std::max<std::int64_t>(1, buffer.dtype.size.count / 8);
            const std::int64_t width = plan_.copies[copy].segments[0].side(side).width.count / 8;
            if (buffer.base) {
                add_to_problem("base weaker",
                               [=](Problem& p) { p.buffers[number].base = Bytes{(p.buffers[number].base->count + element) % 256}; });
            } else if (width > element) {
                add_to_problem("base weaker", [=](Problem& p) { p.buffers[number].align = Bytes{width / 2}; });
                add_to_problem("base weaker", [=](Problem& p) { p.buffers[number].base = Bytes{element}; });
            }
            const std::int64_t last = span(buffer.layout).count;
            add_to_problem("capacity smaller", [=](Problem& p) { p.buffers[number].capacity = Elements{last - 1}; });
        }
    }

    const Problem& problem_;
    const Plan& plan_;
    std::size_t copy_ = 0, segment_ = 0;
    std::vector<Mutant> all_;
};

/// A tile 16 GiB into its buffer: 32 bits do not reach it.
corpus::Entry far_away() {
    return corpus::read("far_away", R"toml(
[target]
arch = "sm_90"
[buffers.A]
space = "global"
dtype = "f32"
layout = "(32,32):(32,1) + 4294967296"
[buffers.B]
space = "shared"
dtype = "f32"
layout = "(32,32):(32,1)"
[[copies]]
src = "A"
dst = "B"
scope = "warp"
)toml");
}

std::vector<corpus::Entry> entries() {
    const bool all = corpus::is_long_run();
    std::vector<corpus::Entry> out{far_away()};
    std::size_t number = 0;
    for (corpus::Entry& entry : corpus::files()) {
        const bool is_example = entry.name.rfind("examples/", 0) == 0;
        if (all || is_example || number++ % 3 == 0) out.push_back(std::move(entry));
    }
    for (corpus::Entry& entry : corpus::flat()) out.push_back(std::move(entry));
    for (corpus::Entry& entry : corpus::edged()) out.push_back(std::move(entry));
    for (corpus::Entry& entry : corpus::filled()) out.push_back(std::move(entry));
    for (corpus::Entry& entry : corpus::drawn(20)) out.push_back(std::move(entry));
    return out;
}

/// What a lower solver limit leaves open, the enumeration settles.
VerifyOptions limited() {
    VerifyOptions out;
    out.rlimit = corpus::is_long_run() ? 3'000'000 : 100'000;
    return out;
}

/// Of so many mutants of one kind one is taken.
std::size_t thinning(const Problem& problem) {
    if (corpus::is_long_run()) return 1;
    return moved(problem.copies[0]) > Elements{2048} ? 36 : 12;
}

struct Tally {
    int malformed = 0, refuted = 0, equivalent = 0, escaped = 0;
};

std::string first_fault(const Mutant& mutant) {
    for (std::size_t i = 0; i < mutant.problem.copies.size(); ++i) {
        const std::string fault = simulate::fault(mutant.problem, mutant.problem.copies[i], mutant.plan.copies[i]);
        if (!fault.empty()) return fault;
    }
    return "";
}

/// Empty if the mutant is refuted or harmless; else how it escaped.
std::string judge(const Mutant& mutant, Tally& tally) {
    if (check_plan(mutant.problem, mutant.plan)) return ++tally.malformed, "";
    const Report report = verify(mutant.problem, mutant.plan, limited());
    if (!report.conflicts.empty()) return "conflict: " + report.conflicts[0];
    if (report.verdict() == Verdict::unknown) return "unknown";
    if (report.verdict() == Verdict::refuted) return ++tally.refuted, "";
    if (mutant.has_to_fail) return "proved, and cannot be right";
    const std::string fault = first_fault(mutant);
    if (!fault.empty()) return "proved, but " + fault;
    return ++tally.equivalent, "";
}

}  // namespace

TEST_CASE("mutants: each is refuted, or harmless by simulation too") {
    std::map<std::string, Tally> tallies;
    std::map<std::string, std::size_t> met;
    const auto judge_all = [&](const std::vector<Mutant>& mutants) {
        for (const Mutant& mutant : mutants) {
            const std::size_t step = thinning(mutant.problem);
            if (met[mutant.kind]++ % step != 0) continue;
            Tally& tally = tallies[mutant.kind];
            const std::string escape = judge(mutant, tally);
            if (!escape.empty()) ++tally.escaped;
            CHECK_MESSAGE(escape.empty(), mutant.kind << ": " << escape);
        }
    };
    for (const corpus::Entry& entry : entries()) {
        CAPTURE(entry.name);
        const Solution whole = solve(entry.problem);
        if (!whole.complete()) continue;
        const Plan plan = whole.plan();
        REQUIRE(verify(entry.problem, plan, limited()).verdict() == Verdict::proved);
        judge_all(Mutants(entry.problem, plan).of_program());
        for (std::size_t i = 0; i < entry.problem.copies.size(); ++i) {
            const Problem problem = corpus::alone(entry.problem, i);
            judge_all(Mutants(problem, Plan{{plan.copies[i]}, {CopyStep{problem.copies[0].name}}}).of_copies());
        }
    }
    Tally sum;
    for (const auto& [kind, tally] : tallies) {
        std::printf("  %-30s %5d refuted, %4d equivalent, %d escaped, %d no plans\n", kind.c_str(), tally.refuted, tally.equivalent,
                    tally.escaped, tally.malformed);
        sum.refuted += tally.refuted;
        sum.equivalent += tally.equivalent;
        sum.escaped += tally.escaped;
    }
    std::printf("%d mutants of %zu kinds: %d refuted, %d equivalent, %d escaped\n", sum.refuted + sum.equivalent + sum.escaped,
                tallies.size(), sum.refuted, sum.equivalent, sum.escaped);
    CHECK(tallies.size() >= 40);
    CHECK(sum.refuted > 500);
}

}  // namespace tileproof
