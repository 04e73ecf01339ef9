#include "layouts/symbolic.hpp"

#include <algorithm>
#include <set>

#include "layouts/box.hpp"
#include "layouts/grid.hpp"

namespace tileproof {
namespace {

/// Applies `change` to every Expression of a layout, region or plan that makes up an address.
template <class Change>
void change_layout(Layout& layout, const Change& change) {
    for (Iter& it : layout.iters) it.stride = change(it.stride);
    layout.offset = change(layout.offset);
}

template <class Change>
void change_plan(CopyPlan& plan, const Change& change) {
    for (Segment& segment : plan.segments) {
        for (SidePlan* side : {&segment.src, &segment.dst}) {
            side->address.offset = change(side->address.offset);
            for (Expression& stride : side->address.strides) stride = change(stride);
            for (FlatTerm& term : side->address.terms) term.stride = change(term.stride);
            side->address.tail_stride = change(side->address.tail_stride);
        }
    }
}

/// Bounds that are symbolic extents become the ends of their box dimensions; other bounds with symbols go.
void lift_bounds(CopyPlan& plan, const Region& region) {
    const std::vector<std::int64_t> shape = plan.box.shape();
    const std::optional<BoxBounds> extents = bounds(region, plan.box);
    const auto is_extent = [&](const Bound& bound) {
        if (!extents || bound.beyond == Beyond::zeros_behind) return false;
        const auto found = extents->find(static_cast<std::size_t>(bound.dim));
        return found != extents->end() && std::any_of(found->second.begin(), found->second.end(),
                                                      [&](const BoxBound& one) { return !one.clips && one.below == bound.below; });
    };
    for (Segment& s : plan.segments) {
        const auto goes = [&](const Bound& bound) { return !bound.below.is_constant() && (s.flat || !is_extent(bound)); };
        s.predicate.erase(std::remove_if(s.predicate.begin(), s.predicate.end(), goes), s.predicate.end());
        for (Bound& bound : s.predicate)
            if (!bound.below.is_constant()) bound.below = shape[static_cast<std::size_t>(bound.dim)];
    }
}

/// The segment with its tail where it begins.
void unfold(Segment& s, std::int64_t begin) {
    s.start[static_cast<std::size_t>(s.tail->dim)] += begin;
    for (SidePlan* side : {&s.src, &s.dst}) {
        side->address.offset = side->address.offset + side->address.tail_stride.times(begin);
        side->address.tail_stride = 0;
    }
    s.tail.reset();
}

template <class Visit>
void visit_address(const AddressPlan& address, const Visit& visit) {
    visit(address.offset);
    for (const Expression& stride : address.strides) visit(stride);
    for (const FlatTerm& term : address.terms) visit(term.stride);
    visit(address.tail_stride);
}

template <class Visit>
void visit_plan(const CopyPlan& plan, const Visit& visit) {
    for (const Segment& segment : plan.segments)
        for (const Side side : both_sides) visit_address(segment.side(side).address, visit);
}

/// The group that the values are of; 0 where no symbol says.
std::int64_t group_of(const Problem& problem, const Values& values) {
    for (std::size_t i = 0; i < problem.symbols.size(); ++i)
        if (const auto& index = problem.symbols[i].index; index && index->is_group()) return values[i] / index->times;
    return 0;
}

}  // namespace

bool is_symbolic(const Buffer& buffer) { return buffer.layout.is_symbolic() || buffer.symbolic_capacity.has_value(); }

bool is_symbolic(const Region& region) { return !all_constant(expressions_of(region)); }

bool is_symbolic(const Problem& problem, const Copy& copy) {
    return std::any_of(both_sides.begin(), both_sides.end(), [&](Side side) {
        const Operand& op = operand(copy, side);
        return is_symbolic(problem.buffer(op)) || is_symbolic(op.region);
    });
}

bool is_symbolic(const AddressPlan& address) {
    bool any = false;
    visit_address(address, [&](const Expression& e) { any = any || !e.is_constant(); });
    return any;
}

bool is_symbolic(const CopyPlan& plan) {
    bool any = false;
    const auto visit = [&](const Expression& e) { any = any || !e.is_constant(); };
    visit_plan(plan, visit);
    for (const Segment& segment : plan.segments)
        for (const Bound& bound : segment.predicate) visit(bound.below);
    return any || has_tails(plan);
}

bool mentions(const Segment& segment, int symbol) {
    bool any = false;
    const auto visit = [&](const Expression& e) { any = any || mentions(e, symbol); };
    for (const Side side : both_sides) visit_address(segment.side(side).address, visit);
    for (const Bound& bound : segment.predicate) visit(bound.below);
    if (segment.tail) visit(segment.tail->end);
    return any;
}

std::optional<Expression> straight_stride(const Layout& layout, std::size_t dim) {
    const auto all = split_modes(layout);
    if (!all) return std::nullopt;
    const std::vector<Iter>& mode = (*all)[dim];
    if (mode.empty()) return Expression(0);
    for (std::size_t i = 1; i < mode.size(); ++i)
        if (!(mode[i - 1].stride == mode[i].stride.times(mode[i].extent))) return std::nullopt;
    return mode.back().stride;
}

void reach_out(Layout& layout, const Region& region) {
    for (const std::size_t dim : region.clipped) {
        const std::int64_t end = (region.start[dim].is_constant() ? std::int64_t{region.start[dim]} : 0) + region.extent[dim];
        const std::optional<Expression> stride = straight_stride(layout, dim);
        if (end <= layout.shape[dim] || !stride) continue;
        auto modes = *split_modes(layout);
        modes[dim] = {{end, *stride}};
        layout.shape[dim] = end;
        layout.iters.clear();
        for (const std::vector<Iter>& mode : modes) layout.iters.insert(layout.iters.end(), mode.begin(), mode.end());
    }
}

std::optional<Problem> isolated(const Problem& problem, const Copy& copy) {
    Problem out = problem;
    note_written(out);
    out.buffers = {out.buffer(copy.src), out.buffer(copy.dst)};
    out.copies = {copy};
    for (const Side side : both_sides) {
        Operand& op = side == Side::src ? out.copies[0].src : out.copies[0].dst;
        op.buffer = side == Side::src ? 0 : 1;
        Layout& layout = out.buffers[static_cast<std::size_t>(op.buffer)].layout;
        for (std::size_t dim = 0; dim < op.region.start.size(); ++dim) {
            Expression& start = op.region.start[dim];
            if (start.is_constant()) continue;
            const std::optional<Expression> stride = straight_stride(layout, dim);
            if (!stride) return std::nullopt;
            layout.offset = layout.offset + start * *stride;
            start = 0;
        }
        reach_out(layout, op.region);
    }
    return out;
}

Problem at(const Problem& problem, const Values& values) {
    const auto value = [&](const Expression& e) { return Expression(e.at(values)); };
    Problem out = problem;
    for (Buffer& buffer : out.buffers) {
        change_layout(buffer.layout, value);
        if (buffer.symbolic_capacity) buffer.capacity = Elements{std::max<std::int64_t>(0, buffer.symbolic_capacity->at(values))};
        buffer.symbolic_capacity.reset();
    }
    for (Copy& copy : out.copies) {
        for (Operand* op : {&copy.src, &copy.dst}) {
            for (Expression& start : op->region.start) start = value(start);
            const std::vector<std::int64_t> extents = extents_at(op->region, values);
            op->region.further.clear();
            for (auto& [dim, extent] : op->region.symbolic_extent) {
                extent = extents[dim];
                if (copy.zero_fill && op->region.clipped.count(dim) != 0) continue;  // all of it is filled
                op->region.extent[dim] = extents[dim];
                op->region.clipped.erase(dim);
            }
        }
    }
    out.symbols.clear();
    out.facts.clear();
    for (Copy& copy : out.copies) {
        if (!copy.each) continue;
        copy.group = static_cast<int>(group_of(problem, values));
        copy.each = false;
    }
    out.launch.grid = {1, 1, 1};  // the values are those of one team
    out.launch.groups = 1;
    return out;
}

Problem block_of(const Problem& problem, const Values& passed, const Team& block) {
    Problem out = at(problem, in_team(problem.symbols, passed, block));
    if (std::none_of(problem.copies.begin(), problem.copies.end(), [](const Copy& copy) { return copy.each; })) return out;
    out.copies.clear();
    for (std::size_t i = 0; i < problem.copies.size(); ++i) {
        const std::int64_t groups = problem.copies[i].each ? problem.launch.groups : 1;
        for (Team team = block; team[group_dim] < groups; ++team[group_dim])
            out.copies.push_back(at(problem, in_team(problem.symbols, passed, team)).copies[i]);
    }
    return out;
}

std::optional<CopyPlan> at(const CopyPlan& plan, const Problem& problem, const Copy& copy, const Values& values) {
    CopyPlan out = plan;
    if (copy.each)
        out.participants = {plan.participants.first + plan.participants.count * static_cast<int>(group_of(problem, values)),
                            plan.participants.count};
    change_plan(out, [&](const Expression& e) { return Expression(e.at(values)); });
    const std::vector<std::int64_t> shape = plan.box.shape();
    for (Segment& segment : out.segments) {
        for (Bound& bound : segment.predicate) bound.below = bound.below.at(values);
        if (!segment.tail) continue;
        const auto dim = static_cast<std::size_t>(segment.tail->dim);
        unfold(segment, tail_begin(*segment.tail, segment.start[dim], segment.tail->end.at(values), shape[dim]));
    }
    const Region& region = copy.src.region;
    const std::vector<std::int64_t> extents = extents_at(region, values);
    for (const auto& [dim, extent] : region.symbolic_extent) {
        if (copy.zero_fill && region.clipped.count(dim) != 0) continue;  // all of it is filled
        const std::optional<FactorPlace> place = symbolic_factor(region, dim, plan.box);
        if (!place) return std::nullopt;
        out.box.dims[place->dim][place->factor].extent = extents[dim];
    }
    return out;
}

bool is_inside(const Layout& layout, const Region& region) {
    for (std::size_t dim = 0; dim < region.start.size(); ++dim)
        if (region.start[dim] < 0 || region.start[dim] > layout.shape[dim] || region.extent[dim] > layout.shape[dim] - region.start[dim])
            return false;
    return true;
}

Problem part(const Problem& problem, const Monomial& monomial) {
    Problem out = problem;
    for (Buffer& buffer : out.buffers) {
        change_layout(buffer.layout, [&](const Expression& e) { return Expression(e.coefficient(monomial)); });
        buffer.symbolic_capacity.reset();  // no part of an address
    }
    for (Copy& copy : out.copies)
        for (Operand* op : {&copy.src, &copy.dst}) {
            for (auto& [dim, extent] : op->region.symbolic_extent) extent = op->region.extent[dim];
            op->region.clipped.clear();
            op->region.further.clear();
        }
    out.symbols.clear();
    out.facts.clear();
    return out;
}

CopyPlan part(const CopyPlan& plan, const Region& region, const Monomial& monomial) {
    CopyPlan out = plan;
    lift_bounds(out, region);
    for (Segment& segment : out.segments)
        if (segment.tail) unfold(segment, 0);
    change_plan(out, [&](const Expression& e) { return Expression(e.coefficient(monomial)); });
    return out;
}

CopyPlan at_most(const CopyPlan& plan, const Region& region) {
    CopyPlan out = part(plan, region, {});
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {
        const std::optional<Tail>& tail = plan.segments[i].tail;
        for (const Bound& bound : plan.segments[i].predicate) {
            if (!tail || bound.dim != tail->dim || bound.beyond != Beyond::nothing) continue;
            const Expression behind_end = bound.below - tail->end;
            if (behind_end.is_constant())
                out.segments[i].predicate.push_back({bound.dim, plan.segments[i].start[static_cast<std::size_t>(bound.dim)] +
                                                                    tail->multiple - 1 + std::int64_t{behind_end}});
        }
    }
    return out;
}

std::vector<Monomial> monomials(const Problem& problem, const CopyPlan& plan) {
    std::set<Monomial> all{{}};
    const auto add = [&](const Expression& e) {
        for (const Monomial& monomial : e.monomials()) all.insert(monomial);
    };
    for (const Buffer& buffer : problem.buffers) {
        add(buffer.layout.offset);
        for (const Iter& it : buffer.layout.iters) add(it.stride);
    }
    visit_plan(plan, add);
    return {all.begin(), all.end()};
}

bool are_allowed(const Problem& problem, const Values& values) {
    if (values.size() != problem.symbols.size()) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Symbol& s = problem.symbols[i];
        if (values[i] < s.min || values[i] > s.max || values[i] % s.multiple_of != 0) return false;
    }
    return is_of_one_team(problem.symbols, values) && all_hold(problem.facts, values);
}

std::optional<std::vector<Values>> all_values(const Problem& problem, std::size_t most) {
    constexpr std::size_t most_looked_at = 1U << 15;
    std::vector<Values> out;
    Values least, values;
    for (const Symbol& s : problem.symbols) {
        least.push_back(s.min + ((s.multiple_of - s.min % s.multiple_of) % s.multiple_of));
        if (least.back() > s.max) return out;
    }
    values = least;
    for (std::size_t tried = 0; tried < most_looked_at; ++tried) {
        if (are_allowed(problem, values)) {
            if (out.size() == most) return std::nullopt;
            out.push_back(values);
        }
        std::size_t i = values.size();
        while (i > 0 && (values[i - 1] += problem.symbols[i - 1].multiple_of) > problem.symbols[i - 1].max) --i, values[i] = least[i];
        if (i == 0) return out;
    }
    return std::nullopt;
}

std::vector<Values> sample_values(const Problem& problem, std::size_t most) {
    constexpr std::size_t most_tries = 4096;
    const std::vector<Symbol>& symbols = problem.symbols;
    std::vector<std::vector<std::int64_t>> choices;  // of each symbol, most telling first
    for (const Symbol& s : symbols) {
        const std::int64_t m = s.multiple_of;
        const auto up = [&](std::int64_t n) { return n + ((m - n % m) % m + m) % m; };
        const std::int64_t least = up(s.min), greatest = s.max - ((s.max % m) + m) % m;
        std::vector<std::int64_t> mine;
        const auto add = [&](std::int64_t n) {
            if (n >= least && n <= greatest && std::find(mine.begin(), mine.end(), n) == mine.end()) mine.push_back(n);
        };
        add(least);
        add(greatest);
        for (std::int64_t k = 1; k <= 64; ++k) add(least + k * m);
        for (std::int64_t n = 1; n > 0 && n <= s.max; n *= 2) add(up(n));
        if (mine.empty()) return {};
        choices.push_back(std::move(mine));
    }
    // Rising sums of the places in the lists: the telling choices of all symbols come together first.
    std::vector<Values> out;
    std::size_t tries = 0;
    std::vector<std::size_t> place(symbols.size(), 0);
    const auto visit = [&](const auto& self, std::size_t i, std::size_t sum) -> void {
        if (out.size() >= most || tries >= most_tries) return;
        if (i == symbols.size()) {
            if (sum != 0) return;
            ++tries;
            Values values;
            for (std::size_t k = 0; k < place.size(); ++k) values.push_back(choices[k][place[k]]);
            if (is_of_one_team(symbols, values) && all_hold(problem.facts, values)) out.push_back(std::move(values));
            return;
        }
        for (std::size_t p = std::min(sum, choices[i].size() - 1) + 1; p-- > 0;) {
            place[i] = p;
            self(self, i + 1, sum - p);
        }
    };
    std::size_t longest = 0;
    for (const auto& mine : choices) longest += mine.size() - 1;
    for (std::size_t sum = 0; sum <= longest && out.size() < most && tries < most_tries; ++sum) visit(visit, 0, sum);
    return out;
}

}  // namespace tileproof
