// tileproof: plan, prove, emit and run GPU tile copies.
//
//   parse a problem -> solve it into a plan -> verify into a report -> certify -> emit          (cli/pipeline.hpp)
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/cmd_run.hpp"
#include "cli/commands.hpp"
#include "solver/smt.hpp"

namespace {

using namespace tileproof;
using cli::CommonOptions;

void add_common(CLI::App& command, CommonOptions& options) {
    command.add_option("--format", options.format, "How to print results")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    command.add_option("--color", options.color, "Colours on standard output")->check(CLI::IsMember({"auto", "always", "never"}))->capture_default_str();
    command.add_option("--rlimit", options.rlimit, "Z3 resource units for one query; 0: no limit")->capture_default_str();
    command.add_flag("--quiet,-q", options.quiet, "Print no report, only set the exit status");
}

int run(int argc, char** argv) {
    CLI::App app{"Plans GPU tile copies, proves them, and emits PTX for what is proved."};
    app.name("tileproof");
    app.require_subcommand(1);
    app.set_version_flag("--version", "tileproof " TILEPROOF_VERSION " (Z3 " + smt::z3_version() + ")");
    app.footer("Exit status: 0 all proved, 1 refuted or rejected, 2 bad usage or input or no GPU, 3 unknown, 4 internal error.");
    CommonOptions options;
    std::string file, plan, output, as = "ptx";
    cli::RunArguments run_arguments;

    CLI::App* plan_app = app.add_subcommand("plan", "Plan and prove every copy of a problem file");
    CLI::App* verify_app = app.add_subcommand("verify", "Prove or refute somebody's plan for a problem file");
    CLI::App* emit_app = app.add_subcommand("emit", "Write the code of a proved plan");
    CLI::App* run_app = app.add_subcommand("run", "Execute a proved plan on a GPU and compare every byte");
    for (CLI::App* command : {plan_app, verify_app, emit_app, run_app}) {
        command->add_option("FILE", file, "Problem file (TOML); - is standard input")->required();
        add_common(*command, options);
    }
    verify_app->add_option("--plan", plan, "Plan file (JSON): a report, or one object of its `copies`")->required();
    emit_app->add_option("--output,-o", output, "Where to write; standard output by default");
    emit_app->add_option("--as", as, "Kind of code")->check(CLI::IsMember({"ptx"}))->capture_default_str();
    run_app->add_option("--device", run_arguments.device, "Which GPU")->check(CLI::Range(0, 1023))->capture_default_str();

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? cli::proved : cli::bad_input;  // help and version are no errors
    }
    if (*plan_app) return cli::plan_command(options, file);
    if (*verify_app) return cli::verify_command(options, file, plan);
    if (*emit_app) return cli::emit_command(options, file, output);
    run_arguments.file = file;
    run_arguments.format = options.format;
    run_arguments.quiet = options.quiet;
    run_arguments.rlimit = options.rlimit;
    return cli::run_command(run_arguments);
}

}  // namespace

int main(int argc, char** argv) {
    // Z3 makes and drops many small contexts; without this the heap goes back to the system in between, which costs milliseconds.
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    try {
        return run(argc, argv);
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "tileproof: internal error: %s\n", fault.what());
        return cli::internal;
    }
}
