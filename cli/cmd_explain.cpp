#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "emit/explain_text.hpp"
#include "emit/report_json.hpp"
#include "emit/rules.hpp"
#include "layouts/wording.hpp"

namespace tileproof::cli {
namespace {

/// Something that can be read as a problem file. A folder of a rule's name does not hide the rule.
bool is_file(const std::string& path) {
    struct stat info {};
    return path == "-" || (stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode));
}

int show_rules(const CommonOptions& options, const std::vector<const Rule*>& which) {
    if (options.json()) print(rules_json(which));
    else if (!options.quiet) print(rules_text(which, use_color(options)));
    return proved;
}

int unknown_name(const CommonOptions& options, const std::string& name) {
    Diagnostic fault{"unknown-rule", "there is no file and no rule of the name " + in_quotes(name)};
    std::vector<std::string> ids;
    for (const Rule& rule : rules()) ids.emplace_back(rule.id);
    if (std::string near = did_you_mean(name, ids); !near.empty()) fault.help.push_back(std::move(near));
    fault.help.emplace_back("`tileproof explain --list` shows every rule");
    return fail(options, {"tileproof", ""}, {fault});
}

/// The report with the explanation as one more key.
std::string with_explanation(const View& view) {
    nlohmann::ordered_json out = nlohmann::ordered_json::parse(report_json(view));
    out["explanation"] = explain_text(view, false);
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int explain_file(const CommonOptions& options, const std::string& file) {
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, file, status);
    if (!planned) return status;
    if (options.json() || !options.quiet) {
        planned->seek_unlocks(options);
        planned->seek_uses(options);
    }
    const View view = planned->view(file);
    if (options.json()) print(with_explanation(view));
    else if (!options.quiet) print(explain_text(view, use_color(options)));
    return conclude(options, *planned, status);
}

}  // namespace

int explain_command(const CommonOptions& options, const std::string& name) {
    if (options.one_line || is_file(name)) return explain_file(options, name);
    const std::vector<const Rule*> found = find_rules(name);
    return found.empty() ? unknown_name(options, name) : show_rules(options, found);
}

int list_rules_command(const CommonOptions& options) {
    if (!options.json()) {
        if (!options.quiet) print(rule_list_text(use_color(options)));
        return proved;
    }
    std::vector<const Rule*> all;
    for (const Rule& rule : rules()) all.push_back(&rule);
    return show_rules(options, all);
}

}  // namespace tileproof::cli
