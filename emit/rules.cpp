#include "emit/rules.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emit/prose_internal.hpp"
#include "emit/rules_internal.hpp"

namespace tileproof {
namespace {

struct Kind {
    RuleKind kind;
    const char* name;
    const char* about;
};
constexpr Kind kinds[] = {
    {RuleKind::refusal, "refusal", "why a wider access is not legal"},
    {RuleKind::rejection, "rejection", "why a copy cannot be done at all (exit status 1)"},
    {RuleKind::input, "input", "what is wrong with a problem file or a command line (exit status 2)"},
    {RuleKind::plan, "plan", "what is wrong with a plan file (exit status 2)"},
    {RuleKind::obligation, "obligation", "what a proof is made of"},
    {RuleKind::assumption, "assumption", "what a proof rests on"},
    {RuleKind::result, "result", "what came of a search, of writing a file or of a run"},
};

const Kind& about(RuleKind kind) {
    return *std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.kind == kind; });
}

/// As it is written, each line at column `indent`.
std::string verbatim(std::string_view text, std::size_t indent) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return indented(lines, indent);
}

/// The first sentence of a paragraph.
std::string first_sentence(std::string_view text) {
    const std::size_t end = text.find(". ");
    return std::string(text.substr(0, end == std::string_view::npos ? text.size() : end + 1));
}

}  // namespace

std::string to_string(RuleKind kind) { return about(kind).name; }

const std::vector<Rule>& rules() {
    static const std::vector<Rule> all = [] {
        std::vector<Rule> out;
        for (const auto& table : {refusal_rules(), rejection_rules(), file_rules(), layout_rules(), plan_rules(), obligation_rules(),
                                  assumption_rules(), result_rules()})
            out.insert(out.end(), table.begin(), table.end());
        return out;
    }();
    return all;
}

std::vector<const Rule*> find_rules(std::string_view id) {
    std::vector<const Rule*> out;
    for (const Rule& rule : rules())
        if (rule.id == id) out.push_back(&rule);
    return out;
}

std::string rules_text(const std::vector<const Rule*>& which, bool color) {
    const Paint paint(color);
    std::string out;
    for (const Rule* rule : which) {
        const std::string id(rule->id);
        out += fmt::format("{}{}  {}: {}\n\n", out.empty() ? "" : "\n", paint.bold(id), to_string(rule->kind), about(rule->kind).about);
        out += row("means", rule->meaning, paint);
        out += row("do", rule->remedy, paint);
        if (rule->example_toml.empty()) continue;
        out += "\n" + row("example", rule->kind == RuleKind::plan ? example_plan_file : example_file, paint) + "\n";
        out += verbatim(rule->example_toml, text_column);
        out += "\n" + row("answer", rule->example_answer, paint);
    }
    return out;
}

std::string rule_list_text(bool color) {
    const Paint paint(color);
    std::string out;
    for (const Kind& kind : kinds) {
        out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", paint.bold(kind.name), kind.about);
        for (const Rule& rule : rules()) {
            if (rule.kind != kind.kind) continue;
            constexpr std::size_t column = 24;
            std::string line = paragraph(first_sentence(rule.meaning), column);
            const std::string id(rule.id);
            line.replace(0, column, "  " + paint.bold(id) + std::string(column - 2 - id.size(), ' '));
            out += line;
        }
    }
    return out;
}

std::string rules_json(const std::vector<const Rule*>& which) {
    nlohmann::ordered_json out;
    out["schema"] = "tileproof.rules/1";
    out["rules"] = nlohmann::ordered_json::array();
    for (const Rule* rule : which) {
        nlohmann::ordered_json one;
        one["id"] = rule->id;
        one["kind"] = to_string(rule->kind);
        one["meaning"] = rule->meaning;
        one["remedy"] = rule->remedy;
        one["example"] = rule->example_toml.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(rule->example_toml);
        one["answer"] = rule->example_answer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(rule->example_answer);
        out["rules"].push_back(std::move(one));
    }
    return out.dump(2) + "\n";
}

}  // namespace tileproof
