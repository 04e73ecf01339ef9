#include "emit/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emit/prose_internal.hpp"
#include "layouts/block.hpp"
#include "layouts/grid.hpp"
#include "layouts/matrix.hpp"
#include "layouts/symbolic.hpp"
#include "verify/obligation.hpp"

namespace tileproof {
namespace {

/// The digit as a function of its role's number: `t`, `t%8`, `t/8`, `t/8%4`.
std::string term(const Segment& segment, const Digit& digit) {
    std::int64_t below = 1;
    bool top = true;
    for (const Digit& other : segment.digits) {
        if (other.role != digit.role) continue;
        if (other.place < digit.place) below *= other.extent;
        if (other.place > digit.place) top = false;
    }
    std::string out = digit.role == Role::outer ? "f" : digit.role == Role::thread ? "t" : "v";
    if (below > 1) out += fmt::format("/{}", below);
    if (!top) out += fmt::format("%{}", digit.extent);
    return out;
}

/// `t/8` binds like a number only in parentheses.
std::string factor_text(const std::string& text) { return text.size() > 1 ? "(" + text + ")" : text; }

/// `i%77`, `i/77%77`, `(3 + i/8%8)/8`
std::string flat_text(const FlatTerm& term) {
    const auto digit = [](const std::string& x, std::int64_t div, std::int64_t mod) {
        return x + (div > 1 ? fmt::format("/{}", div) : "") + fmt::format("%{}", mod);
    };
    if (term.of.empty()) return digit("i", term.div, term.mod);
    std::string x = term.add != 0 ? std::to_string(term.add) : "";
    for (const IndexPart& part : term.of)
        x += fmt::format("{}{}({})", x.empty() ? "" : " + ", part.times == 1 ? "" : fmt::format("{}*", part.times),
                         digit("i", part.div, part.mod));
    return digit("(" + x + ")", term.div, term.mod);
}

std::string formula(const Segment& segment, Side side, const std::string& buffer, const std::vector<Symbol>& symbols) {
    const AddressPlan& address = segment.side(side).address;
    std::string sum;
    const auto add = [&](const Expression& factor, const std::string& text) {
        if (factor == Expression(0)) return;
        std::string size = to_string(factor, symbols);
        const bool is_sum = factor.monomials().size() > 1, negative = !is_sum && size.front() == '-';
        if (negative) size.erase(0, 1);
        if (is_sum && !text.empty()) size = "(" + size + ")";
        sum += negative ? (sum.empty() ? "-" : " - ") : (sum.empty() ? "" : " + ");
        sum += text.empty() ? size : size == "1" ? text : fmt::format("{}*{}", size, factor_text(text));
    };
    add(address.offset, "");
    add(address.tail_stride, "b");
    if (segment.flat)
        for (const FlatTerm& flat : address.terms) add(flat.stride, flat_text(flat));
    else
        for (std::size_t i = segment.digits.size(); i-- > 0;) add(address.strides[i], term(segment, segment.digits[i]));
    if (sum.empty()) sum = "0";
    return fmt::format("{}[{}]", buffer, address.swizzle.is_identity() ? sum : fmt::format("{}({})", to_string(address.swizzle), sum));
}

std::string count(std::int64_t n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

/// "4 x ld.global.v4.u32" where a round has several.
std::string instruction_text(const Segment& segment, Side side) {
    const auto accesses = heads_of(segment, side).size();
    return (accesses > 1 ? fmt::format("{} x ", accesses) : "") + printable(segment.side(side).instruction);
}

/// "4x4 elements in registers: 4 loads of 128 bits and 4 stores of 128 bits a round, where straight runs are 32 bits; 8 accesses a thread, not 32"
std::string block_text(const Segment& segment, std::optional<std::int64_t> straight) {
    std::map<int, std::int64_t> by_dim;
    for (const Digit& digit : segment.digits)
        if (digit.role == Role::vec) by_dim.emplace(digit.dim, 1).first->second *= digit.extent;
    std::string extents;
    for (const auto& [dim, extent] : by_dim) extents += fmt::format("{}{}", extents.empty() ? "" : "x", extent);
    const auto text = [&](Side side, const char* one, const char* many) {
        return fmt::format("{} of {} bits", count(static_cast<std::int64_t>(heads_of(segment, side).size()), one, many),
                           segment.side(side).width.count);
    };
    const std::int64_t accesses = segment.outer * accesses_in_a_round(segment);
    return fmt::format("{} elements in registers: {} and {} a round, where straight runs are {} bits{}", extents,
                       text(Side::src, "load", "loads"), text(Side::dst, "store", "stores"), run_width(segment).count,
                       straight ? fmt::format("; {} a thread, not {}", count(accesses, "access", "accesses"), *straight) : "");
}

/// "b = n, at most 64, rounded down to a multiple of 8"; from the start of the segment on. Requires: it has a tail.
std::string tail_text(const Segment& segment, const Box& box, const std::vector<Symbol>& symbols) {
    const auto dim = static_cast<std::size_t>(segment.tail->dim);
    const Expression left = segment.tail->end.plus(-segment.start[dim]);
    const std::int64_t most = std::max<std::int64_t>(0, box.shape()[dim] - segment.start[dim]);
    const Interval range = interval(left, symbols);
    return fmt::format("b = {}{}{}, rounded down to a multiple of {}", to_string(left, symbols), range.least < 0 ? ", at least 0" : "",
                       range.greatest > most ? fmt::format(", at most {}", most) : "", segment.tail->multiple);
}

std::string sentence_of(const std::string& obligation) {
    const std::vector<Obligation>& all = obligations();
    return std::string(std::find_if(all.begin(), all.end(), [&](const Obligation& o) { return o.id == obligation; })->sentence);
}

/// How many threads do at least one access of this segment.
std::int64_t active_threads(const Segment& segment) {
    std::int64_t out = 0;
    for (std::int64_t t = 0; t < segment.threads; ++t) {
        bool active = false;
        for (std::int64_t f = 0; f < segment.outer && !active; ++f) active = is_active(segment, digits_at(segment, f, t, 0));
        out += active ? 1 : 0;
    }
    return out;
}

/// ", and behind the first" where the bound may be before the begin of the segment.
std::string at_first(const Segment& segment, const Bound& bound, const std::vector<Symbol>& symbols) {
    const bool is_behind = interval(bound.below, symbols).least >= segment.start[static_cast<std::size_t>(bound.dim)] && !segment.tail;
    return is_behind ? "" : ", and behind the first";
}

struct Writer {
    const View& view;
    Paint paint;
    std::string out{};

    template <class... Args>
    void row(const std::string& head, fmt::format_string<Args...> format, Args&&... args) {
        out += fmt::format("  {:<8} ", head) + fmt::format(format, std::forward<Args>(args)...) + "\n";
    }

    void segment(const Copy& copy, const Box& box, const Segment& s) {
        if (s.flat) {
            std::string index = s.start[0] != 0 ? std::to_string(s.start[0]) : "";
            for (std::size_t i = s.digits.size(); i-- > 0;)
                index +=
                    fmt::format("{}{}{}", index.empty() ? "" : " + ", s.digits[i].weight == 1 ? "" : fmt::format("{}*", s.digits[i].weight),
                                factor_text(term(s, s.digits[i])));
            row("index", "i = {}", index.empty() ? "0" : index);
        }
        if (s.tail) row("tail", "{}", tail_text(s, box, view.problem.symbols));
        row("src", "{:<18}  {}", instruction_text(s, Side::src),
            formula(s, Side::src, view.problem.buffer(copy.src).name, view.problem.symbols));
        row("dst", "{:<18}  {}", instruction_text(s, Side::dst),
            formula(s, Side::dst, view.problem.buffer(copy.dst).name, view.problem.symbols));
        for (const Bound& bound : s.predicate) {
            std::string coordinate = s.tail && s.tail->dim == bound.dim ? "b" : "";
            if (s.start[static_cast<std::size_t>(bound.dim)] != 0)
                coordinate += (coordinate.empty() ? "" : " + ") + std::to_string(s.start[static_cast<std::size_t>(bound.dim)]);
            for (std::size_t i = s.digits.size(); i-- > 0;) {
                if (s.digits[i].dim != bound.dim || s.digits[i].role == Role::vec) continue;
                const std::string digit = term(s, s.digits[i]);
                coordinate += coordinate.empty() ? "" : " + ";
                coordinate += s.digits[i].weight == 1 ? digit : fmt::format("{}*{}", s.digits[i].weight, factor_text(digit));
            }
            const bool is_of_lanes = bound.beyond == Beyond::zero_lanes;
            if (is_of_lanes && s.vec > 1) coordinate += coordinate.empty() ? "v" : " + v";
            const bool leaves_out = bound.beyond == Beyond::zeros_behind;
            if (coordinate.empty()) coordinate = "0";
            const auto below = [&](std::int64_t less) { return to_string(bound.below.plus(-less), view.problem.symbols); };
            row(is_of_lanes                       ? "lanes"
                : bound.beyond == Beyond::nothing ? "if"
                                                  : "read if",
                "{}{} < {}", bound.from ? fmt::format("{} <= ", *bound.from) : "", coordinate, below(leaves_out ? s.vec - 1 : 0));
            if (leaves_out) row("zeros if", "{} > {}{}", coordinate, below(0), at_first(s, bound, view.problem.symbols));
        }
    }

    /// ", 24 queries by cvc5 too"
    static std::string confirmed(const CopyReport& report) {
        const auto sure = [](const Query& query) { return query.second && query.second->answer == query.answer; };
        const auto n = std::count_if(report.queries.begin(), report.queries.end(), sure);
        return n == 0 ? "" : fmt::format(", {} by cvc5 too", count(n, "query", "queries"));
    }

    void obligations(const std::vector<Finding>& findings, const std::string& note = "") {
        std::int64_t proved = 0;
        for (const Finding& finding : findings) proved += finding.verdict == Verdict::proved ? 1 : 0;
        if (proved == static_cast<std::int64_t>(findings.size())) {
            row("proofs", "{} of {} obligations proved{}", proved, findings.size(), note);
            return;
        }
        row("proofs", "{} of {} obligations proved{}; not these:", proved, findings.size(), note);
        for (const Finding& finding : findings) {
            if (finding.verdict == Verdict::proved) continue;
            out += fmt::format("    {}  {}  {}\n", paint.verdict(to_string(finding.verdict)), paint.bold(finding.obligation),
                               paint.dim(sentence_of(finding.obligation)));
            const std::string counted =
                finding.failures ? fmt::format(" ({} of {} {})", finding.failures->failing, finding.failures->all, finding.failures->unit)
                                 : "";
            out += fmt::format("             {}{}\n", printable(finding.counterexample ? finding.counterexample->text : finding.reason),
                               counted);
        }
    }

    void proofs(const CopyReport& report) {
        obligations(report.counted(), confirmed(report));
        if (!report.widest || report.widest_counts) return;
        const Finding& widest = *report.widest;
        row("widest", "{}: {} {}", to_string(widest.verdict),
            widest.counterexample ? widest.counterexample->text : sentence_of(widest.obligation), paint.dim("(not counted)"));
    }

    void copy(const CopySolution& solution) {
        const auto found =
            std::find_if(view.problem.copies.begin(), view.problem.copies.end(), [&](const Copy& c) { return c.name == solution.name; });
        const Copy& copy = *found;
        const std::string verdict = to_string(view.outcome_of(solution));
        out += fmt::format("\n{}  {} -> {}, {}  {}\n", paint.bold(solution.name), view.problem.buffer(copy.src).name,
                           view.problem.buffer(copy.dst).name,
                           copy.scope == Scope::cta ? fmt::format("{} threads", copy.threads)
                           : copy.each              ? "each " + to_string(copy.scope)
                           : copy.group == 0        ? to_string(copy.scope)
                                                    : fmt::format("{} {}", to_string(copy.scope), copy.group),
                           paint.verdict(verdict));
        if (solution.rejection) {
            row("", "{} [{}]", solution.rejection->text, solution.rejection->rule);
            return;
        }
        for (const Declined& one : solution.declined) row("no " + one.variant, "{}", one.reason);
        const CopyReport* report = view.report_of(solution.name);
        if (solution.plan) {
            const CopyPlan& plan = *solution.plan;
            const CopyPlan most = at_most(plan, copy.src.region);  // without bounds that depend on symbols
            for (std::size_t i = 0; i < plan.segments.size(); ++i) {
                const Segment& s = plan.segments[i];
                const std::int64_t active = plan.segments.size() == 1 ? report->active_threads : active_threads(most.segments[i]);
                const std::string threads = active == plan.participants.count
                                                ? count(active, "thread", "threads")
                                                : fmt::format("{} of {} threads", active, plan.participants.count);
                const bool has_rows = is_matrix(s.src.instruction) || is_matrix(s.dst.instruction);
                row(plan.segments.size() == 1 ? "width" : "segment", "{}{}: {} x {} x {}",
                    paint.bold(fmt::format("{} bits", run_width(s).count)), has_rows ? " a row" : "", count(s.vec, "element", "elements"),
                    threads, count(s.outer, "round", "rounds"));
                segment(copy, plan.box, s);
                if (is_block(s)) row("blocks", "{}", block_text(s, solution.straight_accesses));
            }
            if (solution.single_rounds) {
                std::int64_t rounds = 0;
                for (const Segment& s : plan.segments) rounds += s.outer;
                row("edges", "only they are narrow: {} for all; {} bits alone would take {}", count(rounds, "round", "rounds"),
                    solution.width.count, *solution.single_rounds);
            }
        }
        for (const Refusal& refusal : solution.refused) {
            row("not " + std::to_string(refusal.width.count), "{} [{}]", refusal.text, refusal.rule);
            if (refusal.unlock) row("unlock", "{}", refusal.unlock->text);
        }
        if (!solution.undecided.empty()) row("open", "{}: not decided", solution.undecided);
        if (report != nullptr) proofs(*report);
    }

    std::string program() const {
        std::string text;
        for (const Step& step : view.solution.program) {
            if (!text.empty()) text += "; ";
            if (const auto* copy = std::get_if<CopyStep>(&step)) text += copy->copy;
            else if (const auto* wait = std::get_if<Wait>(&step)) text += fmt::format("cp.async.wait_group {}", wait->pending);
            else text += fmt::format("bar.sync {}", std::get<Barrier>(step).id);
        }
        return text;
    }

    static std::string blocks_text(const Launch& launch) {
        const auto& [x, y, z] = launch.grid;
        return y == 1 && z == 1 ? count(x, "block", "blocks") : fmt::format("{} x {} x {} blocks", x, y, z);
    }
    static std::string of_each(const Launch& launch) { return block_count(launch) > 1 ? " each" : ""; }

    /// What blocks compute for themselves.
    void computed_symbols() {
        const char* head = "computes";
        for (const Symbol& symbol : view.problem.symbols) {
            if (!symbol.index) continue;
            row(head, "{} = {}, from {} to {}", symbol.name, to_string(*symbol.index, view.problem.launch), symbol.min, symbol.max);
            head = "";
        }
    }

    void file() {
        out +=
            fmt::format("{}  {}{}  {}\n", paint.bold(printable(view.file)), view.problem.target.name,
                        view.kernel ? fmt::format(", PTX {}", to_string(view.kernel->ptx)) : "", paint.verdict(to_string(view.outcome())));
        for (const CopySolution& solution : view.solution.copies) copy(solution);
        if (view.solution.program.empty()) return;
        out += fmt::format("\n{}\n", paint.bold("program"));
        row("steps", "{}", program());
        if (view.kernel)
            row("launch", "{}: {} of {}, {} bytes of shared memory{}", view.kernel->entry, blocks_text(view.problem.launch),
                count(view.kernel->block, "thread", "threads"), view.kernel->shared.count, of_each(view.problem.launch));
        computed_symbols();
        obligations(view.report.program);
        const char* head = "assumes";
        for (const View::Shown& shown : view.shown_assumptions()) {
            row(head, "{}  {}  {}", shown.assumption.id, shown.assumption.text, paint.dim(shown.note()));
            head = "";
        }
        head = "without";
        for (const std::string& assumption : view.not_assumed.value_or(std::vector<std::string>{})) {
            row(head, "{}", assumption);
            head = "";
        }
        for (const std::string& conflict : view.report.conflicts) out += fmt::format("internal error: {}\n", conflict);
    }
};

}  // namespace

std::string report_text(const View& view, bool color) {
    Writer writer{view, Paint(color)};
    writer.file();
    return writer.out;
}

}  // namespace tileproof
