// Random problems and damaged plans: the planner against the oracle, SMT against enumeration, plans against simulation.
// RapidCheck draws and shrinks; tests/run_random.sh sets seed and count, and they are printed.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "emit/view.hpp"
#include "layouts/address.hpp"
#include "layouts/block.hpp"
#include "layouts/box.hpp"
#include "layouts/notation.hpp"
#include "layouts/problem_json.hpp"
#include "solver/refusal.hpp"
#include "solver/remedy.hpp"
#include "solver/solve.hpp"
#include "tests/oracle.hpp"
#include "tests/ptx_bench.hpp"
#include "tests/random_problem.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"
#include "verify/widest_internal.hpp"

namespace tileproof {
namespace {

random::Draw rapidcheck_draw() {
    return [](std::int64_t lo, std::int64_t hi) { return *rc::gen::inRange<std::int64_t>(lo, hi + 1); };
}

std::string describe(const Problem& problem) {
    std::ostringstream out;
    const Copy& copy = problem.copies[0];
    for (const Side side : both_sides) {
        const Buffer& b = problem.buffer(operand(copy, side));
        out << to_string(side) << ": " << to_string(b.space) << " " << b.dtype.name << " " << to_tirx(b.layout) << " shape ";
        for (const std::int64_t extent : b.layout.shape) out << extent << " ";
        out << "[";
        for (std::size_t i = 0; i < operand(copy, side).region.start.size(); ++i)
            out << operand(copy, side).region.start[i] << ":+" << operand(copy, side).region.extent[i] << " ";
        out << "] align " << b.align.count << (b.base ? " base " + std::to_string(b.base->count) : "") << " capacity " << b.capacity.count
            << "\n";
    }
    out << to_string(copy.scope) << " " << copy.threads << " group " << copy.group << " on " << problem.target.name;
    return out.str();
}

/// Ensures of solve(): the oracle's width, and its rule and witness for each wider width.
void require_oracle_agrees(const Problem& problem, const CopySolution& got) {
    const oracle::Answer want = oracle::widest(problem, problem.copies[0]);
    if (!got.undecided.empty()) {  // a legal width whose runs lie along no dimension of the region: said, not hidden
        RC_LOG() << got.undecided << "\n";
        RC_ASSERT(!canonical_box(problem, problem.copies[0]).has_value());
        RC_ASSERT(!got.plan || got.width.count < want.width_bits);
        return;
    }
    if (want.overlaps) {
        RC_ASSERT(got.rejection.has_value());
        RC_ASSERT(got.rejection->rule == "dst-overlaps");
        return;
    }
    if (got.rejection) RC_LOG() << got.rejection->rule << ": " << got.rejection->text << "\n";
    RC_ASSERT(got.rejection.has_value() == (want.width_bits == 0));
    if (got.rejection) RC_ASSERT(got.rejection->rule == "sub-byte-edge");
    RC_ASSERT(got.width.count == want.width_bits);
    RC_ASSERT(got.refused.size() == want.refused.size());
    for (std::size_t i = 0; i < got.refused.size(); ++i) {
        const Refusal& mine = got.refused[i];
        const oracle::Refused& theirs = want.refused[i];
        RC_LOG() << mine.width.count << ": " << mine.rule << ", oracle " << theirs.rule << "\n";
        RC_ASSERT(mine.width.count == theirs.width_bits);
        RC_ASSERT(mine.rule == theirs.rule);
        RC_ASSERT(mine.witness.has_value() == (theirs.side.has_value() || theirs.run.has_value()));
        if (!mine.witness) continue;
        RC_ASSERT((mine.witness->side ? to_string(*mine.witness->side) : "") == theirs.side.value_or(""));
        if (theirs.run) RC_ASSERT(mine.witness->round * problem.copies[0].threads + mine.witness->thread == *theirs.run);
        RC_ASSERT(mine.witness->address.has_value() == theirs.address.has_value());
        if (theirs.address) RC_ASSERT(mine.witness->address->count == *theirs.address);
        if (theirs.address) RC_ASSERT(mine.witness->modulus == mine.width);
    }
}

std::int64_t rounds_of(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (const Segment& s : plan.segments) out += s.outer;
    return out;
}

/// Whether the swizzle of a side has an element of the region elsewhere than the strides say.
bool moves_something(const Problem& problem, const CanonicalBox& box, Side side) {
    const Swizzle& swizzle = problem.buffer(operand(problem.copies[0], side)).layout.swizzle;
    std::set<std::int64_t> offsets{box.side(side).offset};
    for (std::size_t i = 0; i < box.box.shape().size(); ++i) {
        const std::set<std::int64_t> before = offsets;
        for (std::int64_t c = 1; c < box.box.shape()[i]; ++c)
            for (const std::int64_t offset : before) offsets.insert(offset + c * std::int64_t{box.side(side).strides[i]});
    }
    return std::any_of(offsets.begin(), offsets.end(),
                       [&](std::int64_t offset) { return swizzled(Integers{}, swizzle, offset) != offset; });
}

/// The fewest rounds of any plan that cuts the dimension of the runs into slices, each of one width and a segment of its own: every cut
/// is tried, and whether a run is legal is asked of every row. (Where a swizzle tears some blocks alone, that is no matter of edges: it has to
/// move chunks of whole blocks, or nothing.) Nothing where no such dimension is there.
std::optional<std::int64_t> fewest_rounds_of_slices(const Problem& problem, Bits least) {
    const Copy& copy = problem.copies[0];
    const auto box = canonical_box(problem, copy);
    if (!box || copy.src.buffer == copy.dst.buffer) return std::nullopt;
    const std::vector<std::int64_t> shape = box->box.shape();
    std::size_t dim = 0;
    while (dim < shape.size() && !(shape[dim] > 1 && box->src.strides[dim] == Expression(1) && box->dst.strides[dim] == Expression(1)))
        ++dim;
    if (dim == shape.size()) return std::nullopt;
    std::vector<std::array<std::int64_t, 2>> rows{{box->src.offset, box->dst.offset}};  // where each begins
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i == dim) continue;
        const auto before = rows;
        for (std::int64_t c = 1; c < shape[i]; ++c)
            for (const auto& row : before) rows.push_back({row[0] + c * box->src.strides[i], row[1] + c * box->dst.strides[i]});
    }
    const bool is_moved[2] = {moves_something(problem, *box, Side::src), moves_something(problem, *box, Side::dst)};
    const auto looks_like_run = [&](std::int64_t at, std::int64_t n) {
        for (const auto& row : rows) {
            std::vector<std::int64_t> lanes[2];
            for (const Side side : both_sides) {
                const Buffer& buffer = problem.buffer(operand(copy, side));
                const std::size_t which = side == Side::src ? 0 : 1;
                const std::int64_t first = row[which] + at, residue = 8 * (buffer.base ? buffer.base->count : 0) / buffer.dtype.size.count;
                const Swizzle& swizzle = buffer.layout.swizzle;
                const bool may_tear = is_moved[which] && ((std::int64_t{1} << swizzle.base_log2) % n != 0 || residue % n != 0);
                if ((first + residue) % n != 0 || may_tear) return false;
                const std::int64_t block = (swizzled(Integers{}, buffer.layout.swizzle, first) + residue) / n;
                for (std::int64_t v = 0; v < n; ++v) {
                    const std::int64_t lane = swizzled(Integers{}, buffer.layout.swizzle, first + v) + residue;
                    if (lane / n != block) return false;
                    lanes[which].push_back(lane % n);
                }
            }
            if (lanes[0] != lanes[1]) return false;
        }
        return true;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, bool> runs;
    const auto is_run = [&](std::int64_t at, std::int64_t n) {
        const auto [run, is_new] = runs.emplace(std::pair{at, n}, false);
        if (is_new) run->second = looks_like_run(at, n);
        return run->second;
    };
    const std::int64_t extent = shape[dim];
    std::map<std::int64_t, std::int64_t> known;
    const auto rounds = [&](std::int64_t accesses) {
        const auto found = known.find(accesses);
        if (found != known.end()) return found->second;
        std::vector<std::int64_t> all = shape;
        all[dim] = accesses;
        return known[accesses] = oracle::fewest_rounds(all, copy.threads);
    };
    // best[at][w]: to the coordinate `at`, the last slice of width number w. Neighbours have different widths: they are one slice.
    const std::vector<Bits>& widths = access_widths();
    constexpr std::int64_t never = std::int64_t{1} << 40;
    std::vector<std::vector<std::int64_t>> best(static_cast<std::size_t>(extent) + 1, std::vector<std::int64_t>(widths.size() + 1, never));
    best[0][widths.size()] = 0;
    for (std::int64_t from = 0; from < extent; ++from) {
        for (std::size_t w = 0; w < widths.size(); ++w) {
            std::int64_t before = never;
            for (std::size_t other = 0; other <= widths.size(); ++other)
                if (other != w) before = std::min(before, best[static_cast<std::size_t>(from)][other]);
            if (before == never || widths[w] < least || early_refusal(problem, copy, widths[w])) continue;
            const std::int64_t n = widths[w] / problem.buffer(copy.src).dtype.size;
            for (std::int64_t to = from + n; to <= extent && is_run(to - n, n); to += n) {
                std::int64_t& there = best[static_cast<std::size_t>(to)][w];
                there = std::min(there, before + rounds((to - from) / n));
            }
        }
    }
    return *std::min_element(best.back().begin(), best.back().end());
}

/// Ensures of solve(): several widths are planned only where that takes fewer rounds than one, and never fewer than there can be.
void require_fewest_rounds_of_slices(const Problem& problem, const CopySolution& several, const CopyPlan& single) {
    const std::int64_t rounds = rounds_of(*several.plan);
    // Two slices take two rounds, so nothing is less than that.
    const auto fewest = single.segments[0].outer < 3 ? std::nullopt : fewest_rounds_of_slices(problem, several.width);
    RC_LOG() << "rounds: " << rounds << ", of one width " << single.segments[0].outer << ", of slices " << fewest.value_or(-1) << "\n";
    const std::int64_t least = fewest ? std::min(*fewest, single.segments[0].outer) : single.segments[0].outer;
    RC_ASSERT(rounds >= least);
    RC_ASSERT(rounds <= single.segments[0].outer);
    // Where threads are shared by several dimensions, rounds come in uneven steps, and a longer edge may pay for its round.
    if (several.plan->box.dims.size() == 1 || problem.copies[0].threads == 1) RC_ASSERT(rounds == least);
    RC_CLASSIFY(rounds > least, "fewer rounds by longer edges");
    RC_ASSERT((several.plan->segments.size() > 1) == (rounds < single.segments[0].outer));
    RC_ASSERT(several.single_rounds.has_value() == (several.plan->segments.size() > 1));
    if (several.single_rounds) RC_ASSERT(*several.single_rounds == single.segments[0].outer);
    Bits narrowest = several.plan->segments[0].src.width;
    for (const Segment& s : several.plan->segments) narrowest = std::min({narrowest, s.src.width, s.dst.width});
    RC_ASSERT(narrowest == several.width);
}

/// Ensures of solve(): no split of the threads over the box needs fewer rounds. Of a plan of one width.
void require_fewest_rounds(const Problem& problem, const CopyPlan& plan) {
    const Segment& s = plan.segments[0];
    std::vector<std::int64_t> accesses = plan.box.shape();
    for (const Digit& digit : s.digits)
        if (digit.role == Role::vec && !s.flat) accesses[static_cast<std::size_t>(digit.dim)] /= digit.extent;
    const std::int64_t flat_rounds = ceil_div(moved(problem.copies[0]).count / s.vec, problem.copies[0].threads);
    if (canonical_box(problem, problem.copies[0])) {
        if (s.flat) accesses.back() /= s.vec;
        const std::int64_t split_rounds = oracle::fewest_rounds(accesses, problem.copies[0].threads);
        RC_ASSERT(s.outer == std::min(split_rounds, flat_rounds));
        RC_ASSERT(s.flat == (flat_rounds < split_rounds));
    } else {
        RC_ASSERT(s.flat);
        RC_ASSERT(s.outer == flat_rounds);
    }
}

/// Boxes of `n` places of the region's box that each fill an aligned block of a side's memory, wherever they lie in steps of their
/// extents, as extents along the dimensions. The order of the places is told by their offsets; places that a swizzle turns are no such box.
std::vector<std::vector<std::int64_t>> access_boxes(const Problem& problem, const CanonicalBox& box, Side side, std::int64_t n) {
    const Buffer& buffer = problem.buffer(operand(problem.copies[0], side));
    const std::vector<std::int64_t> shape = box.box.shape();
    const std::int64_t residue = 8 * (buffer.base ? buffer.base->count : 0) / buffer.dtype.size.count;
    const Swizzle& swizzle = buffer.layout.swizzle;
    if (((std::int64_t{1} << swizzle.base_log2) % n != 0 || residue % n != 0) && moves_something(problem, box, side))
        return {};  // lanes would be turned
    const auto offset = [&](const std::vector<std::int64_t>& at) {
        std::int64_t sum = box.side(side).offset;
        for (std::size_t i = 0; i < at.size(); ++i) sum += at[i] * std::int64_t{box.side(side).strides[i]};
        return std::pair{sum, swizzled(Integers{}, swizzle, sum) + residue};
    };
    const auto each = [](const std::vector<std::int64_t>& below, const std::vector<std::int64_t>& step, const auto& visit) {
        for (std::vector<std::int64_t> at(below.size(), 0);;) {
            if (!visit(at)) return false;
            std::size_t i = at.size();
            while (i > 0 && (at[i - 1] += step[i - 1]) >= below[i - 1]) at[--i] = 0;
            if (i == 0) return true;
        }
    };
    const auto fills_blocks = [&](const std::vector<std::int64_t>& extents) {
        return each(shape, extents, [&](const std::vector<std::int64_t>& corner) {
            std::set<std::int64_t> places;
            const auto [linear, first] = offset(corner);
            const bool in_order = each(extents, std::vector<std::int64_t>(extents.size(), 1),
                                       [&, linear = linear, first = first](const std::vector<std::int64_t>& step) {
                                           std::vector<std::int64_t> at = corner;
                                           for (std::size_t i = 0; i < at.size(); ++i) at[i] += step[i];
                                           const auto [there, place] = offset(at);
                                           places.insert(place);
                                           return place - first == there - linear;
                                       });
            return in_order && *places.begin() == first && first % n == 0 && *places.rbegin() == first + n - 1 &&
                   static_cast<std::int64_t>(places.size()) == n;
        });
    };
    std::vector<std::vector<std::int64_t>> out;
    std::vector<std::int64_t> extents(shape.size(), 1);
    const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t dim, std::int64_t left) {
        if (dim == shape.size()) {
            if (left == 1 && fills_blocks(extents)) out.push_back(extents);
            return;
        }
        for (std::int64_t extent = 1; extent <= left; extent *= 2) {
            extents[dim] = extent;
            if (left % extent == 0 && shape[dim] % extent == 0) choose(dim + 1, left / extent);
        }
        extents[dim] = 1;
    };
    choose(0, n);
    return out;
}

/// Ensures of solve(): blocks are planned only where a thread then has fewer accesses, and no others would leave it fewer.
void require_fewest_accesses(const Problem& problem, const CopySolution& solution, const CopyPlan& straight) {
    const auto accesses_of = [](const CopyPlan& plan) {
        std::int64_t out = 0;
        for (const Segment& s : plan.segments) out += s.outer * accesses_in_a_round(s);
        return out;
    };
    const std::int64_t accesses = accesses_of(*solution.plan), without = accesses_of(straight);
    RC_ASSERT(solution.straight_accesses.has_value() == is_block(solution.plan->segments[0]));
    if (solution.straight_accesses) RC_ASSERT(*solution.straight_accesses == without);
    RC_ASSERT(narrowest(*solution.plan) == solution.width);
    const Copy& copy = problem.copies[0];
    const auto box = canonical_box(problem, copy);
    if (!box || copy.src.buffer == copy.dst.buffer || solution.variant != "vec_auto") return;
    std::set<std::int64_t> strides;  // windows that overlap: an element of the source follows several
    for (const Expression& stride : box->src.strides)
        if (!(stride == Expression(0)) && !strides.insert(stride).second) return;
    const Bits element = problem.buffer(copy.src).dtype.size;
    if (element < Bits{8}) return;
    std::int64_t least = without;
    std::map<std::pair<Side, std::int64_t>, std::vector<std::vector<std::int64_t>>> known;
    const auto boxes = [&](Side side, std::int64_t n) -> const auto& {
        const auto [found, is_new] = known.emplace(std::pair{side, n}, std::vector<std::vector<std::int64_t>>{});
        if (is_new) found->second = access_boxes(problem, *box, side, n);
        return found->second;
    };
    for (const Bits src : access_widths()) {
        for (const Bits dst : access_widths()) {
            const auto exists = [&](Side side, Bits width) {
                const Buffer& buffer = problem.buffer(operand(copy, side));
                return width >= element && has_access(problem.target, buffer.space, width) &&
                       (!problem.ptx || *problem.ptx >= least_ptx(buffer.space, width)) && (buffer.base || to_bits(buffer.align) >= width);
            };
            if (!exists(Side::src, src) || !exists(Side::dst, dst)) continue;
            const std::int64_t n = src / element, m = dst / element;
            for (const auto& loads : boxes(Side::src, n)) {
                for (const auto& stores : boxes(Side::dst, m)) {
                    std::vector<std::int64_t> blocks = box->box.shape();
                    std::int64_t elements = 1;
                    for (std::size_t i = 0; i < blocks.size(); ++i) {
                        elements *= std::max(loads[i], stores[i]);
                        blocks[i] /= std::max(loads[i], stores[i]);
                    }
                    if (elements * element.count > 64 * 32) continue;
                    least = std::min(least, oracle::fewest_rounds(blocks, copy.threads) * (elements / n + elements / m));
                }
            }
        }
    }
    RC_LOG() << "accesses: " << accesses << ", without blocks " << without << ", with the best " << least << "\n";
    RC_ASSERT(accesses == least);
}

/// Ensures of wider_width: above any width, the oracle's widest if that is wider.
void require_widest_agrees(const Problem& problem) {
    const oracle::Answer want = oracle::widest(problem, problem.copies[0]);
    for (const std::int64_t than : {0, 8, 16, 32, 64, 128}) {
        const WiderWidth wider = wider_width(problem, problem.copies[0], Bits{than});
        RC_ASSERT(wider.width.has_value() == (want.width_bits > than));
        if (wider.width) RC_ASSERT(wider.width->count == want.width_bits);
    }
}

std::string list_findings(const Report& report) {
    std::string out;
    for (const Finding& f : report.copies[0].findings)
        if (f.verdict != Verdict::proved)
            out += f.obligation + " " + to_string(f.verdict) + " " + f.reason + (f.counterexample ? f.counterexample->text : "") + "\n";
    for (const std::string& conflict : report.conflicts) out += conflict + "\n";
    return out;
}

bool settled_by_both(const Finding& finding) {
    return finding.by == std::vector<std::string>{"structure"} || finding.by == std::vector<std::string>{"smt", "exhaustive"};
}

}  // namespace

TEST_CASE("random problems: width, refusals, rounds and proofs") {
    CHECK(rc::check("the planner agrees with the oracle, and both checkers prove its plan", [] {
        const Problem problem = random::problem(rapidcheck_draw());
        RC_LOG() << describe(problem) << "\n";
        RC_ASSERT(!check_problem(problem).has_value());
        for (const Buffer& b : problem.buffers) {
            if (modes(b.layout)) RC_ASSERT(read_layout(to_cute(b.layout)).value() == b.layout);
            RC_ASSERT(read_layout(to_tirx(b.layout), b.layout.shape).value() == b.layout);
        }
        if (rejection(problem, problem.copies[0])) RC_DISCARD("rejected before planning");
        const Solution solution = solve(problem);
        require_oracle_agrees(problem, solution.copies[0]);
        require_widest_agrees(problem);
        RC_CLASSIFY(!solution.complete(), solution.copies[0].rejection ? solution.copies[0].rejection->rule : "no plan");
        if (!solution.complete()) return;
        RC_CLASSIFY(!solution.copies[0].undecided.empty(), "wider, but not plannable");
        RC_CLASSIFY(solution.copies[0].plan->segments[0].flat, "flat");
        RC_CLASSIFY(problem.buffers[0].dtype.size < Bits{8}, "part of a byte");
        RC_TAG(solution.copies[0].width.count);
        const Plan plan = solution.plan();
        RC_ASSERT(!check_plan(problem, plan).has_value());
        const Solution single = solve(problem, {.single = true, .straight = true}), straight = solve(problem, {.straight = true});
        require_oracle_agrees(problem, single.copies[0]);
        require_fewest_rounds(problem, *single.copies[0].plan);
        require_fewest_rounds_of_slices(problem, straight.copies[0], *single.copies[0].plan);
        require_fewest_accesses(problem, solution.copies[0], *straight.copies[0].plan);
        RC_CLASSIFY(plan.copies[0].segments.size() > 1, "several widths");
        RC_CLASSIFY(solution.copies[0].straight_accesses.has_value(), "blocks");
        const Report report = verify(problem, plan);
        RC_LOG() << list_findings(report);
        RC_ASSERT(report.conflicts.empty());
        RC_ASSERT(report.copies[0].verdict() == Verdict::proved);  // the file may still need too much shared memory
        for (const Finding& finding : report.copies[0].findings) RC_ASSERT(settled_by_both(finding));
        RC_ASSERT(simulate::fault(problem, problem.copies[0], plan.copies[0]) == "");
    }));
}

TEST_CASE("random problems: the emitted code, run on the CPU, does what was proved") {
    CHECK(rc::check("interpreted PTX copies by the definition", [] {
        const Problem problem = random::problem(rapidcheck_draw());
        if (rejection(problem, problem.copies[0])) RC_DISCARD("rejected before planning");
        const Solution solution = solve(problem);
        if (!solution.complete()) RC_DISCARD("no plan");
        const Certified certified = verify_and_certify(problem, solution.plan());
        if (!certified.plan) RC_DISCARD("too much shared memory");
        RC_LOG() << describe(problem) << "\n";
        test::Bench bench(problem, solution.plan());
        const std::string fault = problem.buffers[0].space == Space::shared ? bench.difference(true, 1) : bench.difference();
        RC_LOG() << fault << "\n" << bench.text();
        RC_CLASSIFY(bench.plan.copies[0].segments[0].flat, "flat");
        RC_CLASSIFY(is_block(bench.plan.copies[0].segments[0]), "blocks");
        RC_CLASSIFY(bench.plan.copies[0].segments.size() > 1, "several widths");
        RC_ASSERT(fault == "");
    }));
}

TEST_CASE("random problems: what lifts a refusal, by the oracle") {
    CHECK(rc::check("the patched problem has the width", [] {
        const Problem problem = random::problem(rapidcheck_draw());
        if (rejection(problem, problem.copies[0])) RC_DISCARD("rejected before planning");
        RC_LOG() << describe(problem) << "\n";
        Solution solution = solve(problem);
        add_unlocks(problem, solution);
        std::int64_t lifted = 0;
        for (const Refusal& refusal : solution.copies[0].refused) {
            RC_ASSERT(refusal.unlock_sought);
            if (!refusal.unlock) continue;
            ++lifted;
            RC_LOG() << refusal.width.count << " " << refusal.rule << ": " << refusal.unlock->text << " " << refusal.unlock->patch << "\n";
            const Result<Problem> after = patched(problem, refusal.unlock->patch);
            RC_ASSERT(after.ok());
            const oracle::Answer width = oracle::widest(after.value(), after.value().copies[0]);
            RC_ASSERT(!width.overlaps);
            RC_ASSERT(width.width_bits >= refusal.width.count);
        }
        RC_TAG(lifted);
    }));
}

TEST_CASE("random damage: SMT and enumeration agree, and what they prove works") {
    CHECK(rc::check("no verdict differs, and no broken plan is proved", [] {
        const random::Draw draw = rapidcheck_draw();
        const Problem problem = random::problem(draw);
        if (rejection(problem, problem.copies[0])) RC_DISCARD("rejected before planning");
        const Solution solution = solve(problem);
        if (!solution.complete()) RC_DISCARD("no plan");
        Plan plan = solution.plan();
        RC_CLASSIFY(plan.copies[0].segments.size() > 1, "several widths");
        random::damage(plan.copies[0], draw);
        RC_LOG() << describe(problem) << "\n";
        if (check_plan(problem, plan)) RC_DISCARD("not even a plan");
        const Report report = verify(problem, plan);
        RC_LOG() << list_findings(report);
        RC_ASSERT(report.conflicts.empty());
        RC_ASSERT(report.copies[0].verdict() != Verdict::unknown);
        std::int64_t one_sided = 0;  // SMT leaves `covers` open where digits overlap
        for (const Finding& finding : report.copies[0].findings) {
            if (settled_by_both(finding)) continue;
            RC_ASSERT(finding.obligation == "covers");
            ++one_sided;
        }
        RC_CLASSIFY(one_sided > 0, "covers by enumeration alone");
        const bool proved = report.copies[0].verdict() == Verdict::proved;
        RC_CLASSIFY(proved, "harmless");
        const std::string broken = simulate::fault(problem, problem.copies[0], plan.copies[0]);
        RC_LOG() << "simulation: " << broken << "\n";
        if (proved) RC_ASSERT(broken == "");
    }));
}

}  // namespace tileproof
