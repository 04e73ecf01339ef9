#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "emit/report_json.hpp"
#include "emit/report_text.hpp"

namespace tileproof::cli {

int plan_command(const CommonOptions& options, const std::string& file) {
    int status = proved;
    const std::unique_ptr<Planned> planned = plan_file(options, file, status);
    if (!planned) return status;
    if (options.json() || !options.quiet) {
        planned->seek_unlocks(options);
        planned->seek_uses(options);
    }
    const View view = planned->view(file);
    if (options.json()) print(report_json(view));
    else if (!options.quiet) print(report_text(view, use_color(options)));
    else complain(view);
    return conclude(options, *planned, status);
}

}  // namespace tileproof::cli
