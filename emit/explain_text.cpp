#include "emit/explain_text.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "emit/explain_refusal_internal.hpp"
#include "emit/explain_width_internal.hpp"
#include "emit/prose_internal.hpp"
#include "emit/rules.hpp"
#include "layouts/predicate.hpp"
#include "layouts/region_text.hpp"
#include "layouts/wording.hpp"
#include "verify/obligation.hpp"

namespace tileproof {
namespace {

constexpr std::size_t picture_column = text_column + 2;

std::string sentence_of(const std::string& obligation) {
    for (const Obligation& one : obligations())
        if (one.id == obligation) return std::string(one.sentence);
    return {};
}

/// "by Z3 and by enumeration"
std::string method(const std::vector<std::string>& by) {
    std::vector<std::string> words;
    for (const std::string& one : by)
        words.push_back(one == "smt" ? "by Z3" : one == "cvc5" ? "by cvc5" : one == "exhaustive" ? "by enumeration" : "by inspection");
    return listed(words);
}

struct Writer {
    const View& view;
    Paint paint;
    std::string out{};
    std::vector<std::string> rules{};  // named so far, for the last line

    void row(const std::string& head, const std::string& text) { out += ::tileproof::row(head, text, paint); }
    void name_rule(const std::string& rule) {
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
    }

    const Copy& copy_of(const CopySolution& solution) const {
        return *std::find_if(view.problem.copies.begin(), view.problem.copies.end(),
                             [&](const Copy& c) { return c.name == solution.name; });
    }

    void rejected(const Diagnostic& why) {
        row("rejected", fmt::format("{} [{}]", why.text, why.rule));
        name_rule(why.rule);
        for (const Rule* rule : find_rules(why.rule))
            if (rule->kind == RuleKind::rejection) out += paragraph(fmt::format("{}\n{}", rule->meaning, rule->remedy), text_column);
    }

    void refused(const Copy& copy, const CopySolution& solution) {
        const std::vector<RefusalDetail> details = refusal_details(view.problem, copy, solution.refused);
        for (std::size_t i = 0; i < details.size(); ++i) {
            const Refusal& refusal = solution.refused[i];
            out += "\n";
            row(fmt::format("not {}", refusal.width.count), fmt::format("{} [{}]", refusal.text, refusal.rule));
            name_rule(refusal.rule);
            out += paragraph(details[i].more, text_column);
            if (!details[i].picture.empty()) out += "\n" + indented(details[i].picture, picture_column);
            if (!refusal.unlock) continue;
            if (!details[i].picture.empty()) out += "\n";
            row("unlock", fmt::format("{} bits would be legal with this: {}.", refusal.width.count, refusal.unlock->text));
        }
    }

    void not_proved(const std::vector<Finding>& findings) {
        for (const Finding& finding : findings) {
            if (finding.verdict == Verdict::proved) continue;
            row(to_string(finding.verdict),
                fmt::format("{}\n{} [{}]", sentence_of(finding.obligation),
                            finding.counterexample ? finding.counterexample->text : finding.reason, finding.obligation));
            name_rule(finding.obligation);
        }
    }

    void copy(const CopySolution& solution) {
        const Copy& copy = copy_of(solution);
        const Buffer& src = view.problem.buffer(copy.src);
        const Buffer& dst = view.problem.buffer(copy.dst);
        out += fmt::format("\n{}  {} -> {}, {}  {}\n", paint.bold(solution.name), region_text(src, copy.src.region, view.problem.symbols),
                           region_text(dst, copy.dst.region, view.problem.symbols),
                           copy.scope == Scope::cta ? counted(copy.threads, "thread")
                           : copy.each              ? "each " + to_string(copy.scope)
                                                    : fmt::format("{} {}", to_string(copy.scope), copy.group),
                           paint.verdict(to_string(view.outcome_of(solution))));
        if (const std::string where = predicate_text(copy, view.problem.symbols); !where.empty())
            row("where", where + (copy.zero_fill ? "; zeros elsewhere" : ""));
        if (solution.rejection) {
            rejected(*solution.rejection);
            refused(copy, solution);
            return;
        }
        if (solution.plan) {
            const Bits width = narrowest(*solution.plan);
            const std::int64_t lanes = width / src.dtype.size;
            const std::string several = fmt::format(
                "{} bits are legal for the whole region, and none wider. Where its edges are left out, wider accesses are.", width.count);
            const std::string blocks = fmt::format(
                "{} bits are the width of a run, which both sides have lane by lane, and no wider one is legal. Blocks of registers have "
                "wider accesses.",
                width.count);
            row("width", solution.straight_accesses ? blocks
                         : solution.single_rounds
                             ? several
                             : fmt::format("{} bits: {} of {} in one access of {}.{}", width.count, counted(lanes, "element"),
                                           src.dtype.name, counted(to_bytes(width).count, "byte"),
                                           !solution.undecided.empty() ? ""
                                           : solution.refused.empty()  ? " There is none wider."
                                                                       : " No wider access is legal."));
        }
        const CopyReport* report = view.report_of(solution.name);
        if (solution.plan && report != nullptr && report->verdict() == Verdict::proved)
            for (const Ground& ground : grounds(view.problem, copy, solution)) row(ground.head, ground.text);
        if (report != nullptr) not_proved(report->counted());
        if (!solution.undecided.empty())
            row("unknown",
                fmt::format("a solver limit was hit before this was decided: {}. A higher --rlimit may decide it.", solution.undecided));
        refused(copy, solution);
    }

    void program() {
        std::vector<std::string> steps;
        bool barrier = false;
        for (const Step& step : view.solution.program) {
            if (const auto* copy = std::get_if<CopyStep>(&step)) {
                steps.push_back(copy->copy);
            } else if (const auto* wait = std::get_if<Wait>(&step)) {
                steps.push_back(fmt::format("cp.async.wait_group {}", wait->pending));
            } else {
                const Barrier& all = std::get<Barrier>(step);
                steps.push_back(fmt::format("bar.sync {} of {}", all.id, counted(all.threads, "thread")));
                barrier = true;
            }
        }
        if (steps.size() < 2) return;
        std::string text;
        for (const std::string& step : steps) text += (text.empty() ? "" : ", ") + step;
        out += "\n";
        row("order", text + "." +
                         (barrier ? " A barrier stands before each copy that touches what an earlier one "
                                    "wrote, or writes what an earlier one touched."
                                  : ""));
    }

    /// "    covers          every element of the region is moved"
    void obligation(const std::string& id) {
        constexpr std::size_t sentence_column = picture_column + 16;
        std::string lines = paragraph(sentence_of(id), sentence_column);
        lines.replace(0, sentence_column, fmt::format("{}{:<16}", std::string(picture_column, ' '), id));
        out += lines;
    }

    /// The obligations that hold everywhere, by how they were decided.
    void proofs() {
        std::map<std::string, std::vector<std::string>> by_method;  // method -> ids
        std::vector<std::string> methods;
        for (const Obligation& obligation : obligations()) {
            std::optional<std::vector<std::string>> by;  // the ways in which it is proved in every copy
            bool everywhere = true;
            const auto look = [&](const std::vector<Finding>& findings) {
                for (const Finding& finding : findings) {
                    if (finding.obligation != obligation.id) continue;
                    everywhere = everywhere && finding.verdict == Verdict::proved;
                    const auto is_missing = [&](const std::string& way) {
                        return std::find(finding.by.begin(), finding.by.end(), way) == finding.by.end();
                    };
                    if (!by) by = finding.by;
                    else by->erase(std::remove_if(by->begin(), by->end(), is_missing), by->end());
                }
            };
            for (const CopyReport& copy : view.report.copies) look(copy.counted());
            look(view.report.program);
            if (!by || !everywhere) continue;
            const std::string how = by->empty() ? "in one way or another" : method(*by);
            if (by_method[how].empty()) methods.push_back(how);
            by_method[how].push_back(std::string(obligation.id));
        }
        if (methods.empty()) return;
        out += "\n";
        row("proved", view.report.copies.size() > 1 ? "for every copy that has a plan, each thread, round and lane:"
                                                    : "for each thread, round and lane:");
        for (const std::string& how : methods) {
            out += paragraph(how, text_column);
            for (const std::string& id : by_method[how]) obligation(id);
        }
    }

    void rests_on() {
        out += "\n";
        std::string head = "provided";
        for (const View::Shown& shown : view.shown_assumptions()) {
            out += ::tileproof::row(head.empty() ? " " : head,
                                    fmt::format("{}  {}  {}", shown.assumption.id, shown.assumption.text, shown.note()), paint);
            head.clear();
        }
        head = "without";
        for (const std::string& assumption : view.not_assumed.value_or(std::vector<std::string>{})) {
            out += ::tileproof::row(head.empty() ? " " : head, assumption, paint);
            head.clear();
        }
    }

    void file() {
        out +=
            fmt::format("{}  {}{}  {}\n", paint.bold(printable(view.file)), view.problem.target.name,
                        view.kernel ? fmt::format(", PTX {}", to_string(view.kernel->ptx)) : "", paint.verdict(to_string(view.outcome())));
        for (const CopySolution& solution : view.solution.copies) copy(solution);
        program();
        proofs();
        if (!view.report.copies.empty()) {
            not_proved(view.report.program);
            rests_on();
        }
        for (const std::string& conflict : view.report.conflicts) out += fmt::format("internal error: {}\n", printable(conflict));
        if (rules.empty()) return;
        out += "\n";
        row("more", fmt::format("`tileproof explain RULE` documents a rule: {}.", listed(rules)));
    }
};

}  // namespace

std::string explain_text(const View& view, bool color) {
    Writer writer{view, Paint(color)};
    writer.file();
    return writer.out;
}

}  // namespace tileproof
