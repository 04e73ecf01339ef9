// Laws: the same question asked in other words has the same answer.
//
//   (64):(1)  =  ((8,8)):((1,8))  =  ((64,1)):((1,7))          split, coalesced, with a mode of one element
//   (8,8):(8,1)  =  (1,8,8):(0,8,1) at [0, :, :]               with a unit dimension, wherever it stands
//
// The answer: whether the copy is rejected, the width, the rule of each refused width, the rounds, and the verdict on the plan.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

#include <doctest/doctest.h>

#include "layouts/notation.hpp"
#include "solver/solve.hpp"
#include "tests/corpus.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

/// One copy's answer, in words, so that a difference can be read.
std::string answer(const CopySolution& solution, const CopyReport* report) {
    if (solution.rejection) return "rejected: " + solution.rejection->rule;
    std::string out = std::to_string(solution.width.count) + " bits";
    if (solution.plan) out += " in " + std::to_string(solution.plan->segments[0].outer) + " rounds";
    for (const Refusal& refusal : solution.refused) out += ", " + std::to_string(refusal.width.count) + " refused: " + refusal.rule;
    if (!solution.undecided.empty()) out += ", undecided";
    return out + (report != nullptr ? ", " + to_string(report->verdict()) : "");
}

std::vector<std::string> answers(const Problem& problem) {
    const Solution solution = solve(problem);
    std::optional<Report> report;
    VerifyOptions options;
    options.smt = corpus::is_long_run();
    if (solution.complete()) report = verify(problem, solution.plan(), options);
    if (report) CHECK(report->conflicts.empty());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < solution.copies.size(); ++i)
        out.push_back(answer(solution.copies[i], report ? &report->copies[i] : nullptr));
    return out;
}

/// Other words for a problem. False: they do not apply to it.
using Rewrite = std::function<bool(Problem&)>;

bool each_layout(Problem& problem, const std::function<bool(Layout&)>& rewrite) {
    bool any = false;
    for (Buffer& buffer : problem.buffers) any = rewrite(buffer.layout) || any;
    return any;
}

/// A unit dimension at `place` (from the front, or from the back if negative) of every buffer of one space.
bool add_unit(Problem& problem, Space space, int place) {
    bool any = false;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        Buffer& buffer = problem.buffers[i];
        if (buffer.space != space || buffer.layout.shape.size() == max_rank) continue;
        const auto at = [&](auto& list) {
            return place < 0 ? list.end() : list.begin() + std::min<std::ptrdiff_t>(place, std::ssize(list));
        };
        for (Copy& copy : problem.copies) {
            for (Operand* side : {&copy.src, &copy.dst}) {
                if (side->buffer != static_cast<int>(i)) continue;
                side->region.start.insert(at(side->region.start), 0);
                side->region.extent.insert(at(side->region.extent), 1);
            }
        }
        buffer.layout.shape.insert(at(buffer.layout.shape), 1);
        any = true;
    }
    return any;
}

/// Every buffer becomes the second of a stack of three, so far apart that addresses keep their low bits.
bool stack(Problem& problem) {
    constexpr std::int64_t apart = 4096;  // elements: no alignment or swizzle of the corpus looks further
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        Buffer& buffer = problem.buffers[i];
        const std::int64_t stride = ceil_div(buffer.capacity.count, apart) * apart;
        if (buffer.layout.shape.size() == max_rank || buffer.layout.swizzle.period_log2() > 12 || buffer.align.count > apart) return false;
        buffer.layout.shape.insert(buffer.layout.shape.begin(), 3);
        buffer.layout.iters.insert(buffer.layout.iters.begin(), {3, stride});
        buffer.capacity = Elements{buffer.capacity.count + 2 * stride};
        for (Copy& copy : problem.copies) {
            for (Operand* side : {&copy.src, &copy.dst}) {
                if (side->buffer != static_cast<int>(i)) continue;
                side->region.start.insert(side->region.start.begin(), 1);
                side->region.extent.insert(side->region.extent.begin(), 1);
            }
        }
    }
    return true;
}

bool split(Layout& layout) {
    std::vector<Iter> iters;
    for (const Iter& it : layout.iters) {
        std::int64_t factor = 2;
        while (factor * factor <= it.extent && it.extent % factor != 0) ++factor;
        if (it.extent % factor == 0 && it.extent > factor) iters.push_back({it.extent / factor, it.stride * factor});
        iters.push_back({it.extent % factor == 0 ? std::min(factor, it.extent) : it.extent, it.stride});
    }
    const bool any = iters != layout.iters && iters.size() <= max_iters;
    if (any) layout.iters = iters;
    return any;
}

bool coalesce(std::vector<Iter>& iters) {
    std::vector<Iter> out;
    for (const Iter& it : iters) {
        if (!out.empty() && out.back().stride == it.stride * it.extent) out.back() = {out.back().extent * it.extent, it.stride};
        else out.push_back(it);
    }
    const bool any = out != iters;
    iters = out;
    return any;
}

bool coalesce_modes(Layout& layout) {
    const auto dims = modes(layout);
    if (!dims) return false;
    const std::vector<Iter> before = layout.iters;
    layout.iters.clear();
    for (std::vector<Iter> mode : *dims) {
        coalesce(mode);
        layout.iters.insert(layout.iters.end(), mode.begin(), mode.end());
    }
    return layout.iters != before;
}

bool add_ones(Layout& layout) {
    std::vector<Iter> iters{{1, 7}};
    for (const Iter& it : layout.iters) {
        iters.push_back(it);
        iters.push_back({1, 0});
        iters.push_back({1, 3});
    }
    if (iters.size() > max_iters) return false;
    layout.iters = iters;
    return true;
}

bool reread(Layout& layout, const Result<Layout>& read) {
    REQUIRE_MESSAGE(read.ok(), read.error().text);
    CHECK(read.value() == layout);
    layout = read.value();
    return true;
}

bool rename(Problem& problem) {
    for (Buffer& buffer : problem.buffers) buffer.name = "other_" + buffer.name;
    for (Copy& copy : problem.copies) copy.name = "z" + copy.name;
    problem.stem = "renamed";
    return true;
}

bool reverse_buffers(Problem& problem) {
    std::reverse(problem.buffers.begin(), problem.buffers.end());
    const int last = static_cast<int>(problem.buffers.size()) - 1;
    for (Copy& copy : problem.copies)
        for (Operand* side : {&copy.src, &copy.dst}) side->buffer = last - side->buffer;
    return last > 0;
}

struct Law {
    const char* name;
    Rewrite rewrite;
};

const std::vector<Law>& laws() {
    constexpr auto global = Space::global, shared = Space::shared;
    static const std::vector<Law> all{
        {"unit dimensions in front", [](Problem& p) { return add_unit(p, global, 0) | add_unit(p, shared, 0); }},
        {"unit dimensions behind", [](Problem& p) { return add_unit(p, global, -1) | add_unit(p, shared, -1); }},
        {"unit dimensions in different places",
         [](Problem& p) { return add_unit(p, global, 1) && add_unit(p, global, 0) && add_unit(p, shared, -1); }},
        {"one of a stack of three", stack},
        {"modes split", [](Problem& p) { return each_layout(p, split); }},
        {"modes split as far as they go",
         [](Problem& p) {
             bool any = false;
             while (each_layout(p, split)) any = true;
             return any;
         }},
        {"modes coalesced", [](Problem& p) { return each_layout(p, coalesce_modes); }},
        {"iters coalesced across dimensions", [](Problem& p) { return each_layout(p, [](Layout& l) { return coalesce(l.iters); }); }},
        {"modes of one element", [](Problem& p) { return each_layout(p, add_ones); }},
        {"coalesced, split and with ones",
         [](Problem& p) {
             each_layout(p, [](Layout& l) { return coalesce(l.iters); });
             each_layout(p, split);
             return each_layout(p, add_ones);
         }},
        {"written in CuTe notation",
         [](Problem& p) { return each_layout(p, [](Layout& l) { return modes(l) && reread(l, read_layout(to_cute(l))); }); }},
        {"written in TIRx notation",
         [](Problem& p) { return each_layout(p, [](Layout& l) { return reread(l, read_layout(to_tirx(l), l.shape)); }); }},
        {"renamed", rename},
        {"buffers in another order", reverse_buffers},
    };
    return all;
}

std::vector<corpus::Entry> entries() {
    std::vector<corpus::Entry> out = corpus::files();
    for (corpus::Entry& entry : corpus::flat()) out.push_back(std::move(entry));
    for (corpus::Entry& entry : corpus::edged()) out.push_back(std::move(entry));
    for (corpus::Entry& entry : corpus::drawn(20)) out.push_back(std::move(entry));
    return out;
}

}  // namespace

TEST_CASE("laws: a copy said in other words has the same width, refusals, rounds and verdict") {
    const std::size_t step = corpus::is_long_run() ? 1 : 3;  // no divisor of the number of laws
    std::vector<int> asked(laws().size(), 0);
    std::size_t number = 0;
    for (const corpus::Entry& entry : entries()) {
        CAPTURE(entry.name);
        const std::vector<std::string> before = answers(entry.problem);
        for (std::size_t i = 0; i < laws().size(); ++i) {
            if (number++ % step != 0) continue;
            const std::string law = laws()[i].name;
            CAPTURE(law);
            Problem other = entry.problem;
            if (!laws()[i].rewrite(other)) continue;
            const auto fault = check_problem(other);
            REQUIRE_MESSAGE(!fault, fault->text);
            const std::vector<std::string> after = answers(other);
            REQUIRE(after.size() == before.size());
            for (std::size_t c = 0; c < before.size(); ++c) CHECK(after[c] == before[c]);
            ++asked[i];
        }
    }
    int all = 0;
    for (std::size_t i = 0; i < laws().size(); ++i) {
        std::printf("  %-38s %3d problems\n", laws()[i].name, asked[i]);
        CHECK_MESSAGE(asked[i] > 0, std::string(laws()[i].name));
        all += asked[i];
    }
    std::printf("%d rewritten problems, the same answers\n", all);
}

TEST_CASE("laws: what is not the same question is noticed") {
    int changed = 0, problems = 0;
    for (const corpus::Entry& entry : corpus::flat()) {
        Problem other = entry.problem;
        other.buffers[0].layout.offset += 1;
        other.buffers[0].capacity.count += 1;
        changed += answers(other) != answers(entry.problem) ? 1 : 0;
        ++problems;
    }
    CHECK(changed * 2 >= problems);
}

}  // namespace tileproof
