#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "emit/report_json.hpp"
#include "emit/report_text.hpp"

namespace tileproof::cli {

int plan_command(const CommonOptions& options, const std::string& file) {
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, file, status);
    if (!planned) return status;
    const View view = planned->view(file);
    if (options.json()) print(report_json(view));
    else if (!options.quiet) print(report_text(view, use_color(options)));
    // A rejection is about the file: show where, as a compiler would.
    std::vector<Diagnostic> rejections;
    for (const CopySolution& copy : planned->solution.copies)
        if (copy.rejection) rejections.push_back(*copy.rejection);
    if (planned->kernel_fault) rejections.push_back(*planned->kernel_fault);
    if (!rejections.empty()) {
        CommonOptions text_only = options;
        text_only.format = "text";
        fail(text_only, planned->source, rejections);
    }
    return planned->kernel_fault && status == proved ? static_cast<int>(refuted) : status;
}

}  // namespace tileproof::cli
