// tileproof: plan, prove, emit and run GPU tile copies.
//
//   parse a problem -> solve it into a plan -> verify into a report -> certify -> emit          (cli/pipeline.hpp)
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "cli/cmd_run.hpp"
#include "cli/commands.hpp"
#include "solver/smt.hpp"

namespace {

using namespace tileproof;
using cli::CommonOptions;

void add_output(CLI::App& command, CommonOptions& options) {
    command.add_option("--format", options.format, "How to print results")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    command.add_flag("--quiet,-q", options.quiet, "Print no report, only set the exit status");
}

void add_common(CLI::App& command, CommonOptions& options) {
    add_output(command, options);
    command.add_option("--color", options.color, "Colours on standard output")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command.add_option("--rlimit", options.rlimit, "Z3 resource units for one query; 0: no limit")->capture_default_str();
    command.add_flag("--fallback", options.fallback,
                     "Assume no alignment beyond an element, no multiple, and no fact that a plan can do without");
    command.add_flag("--strict", options.strict, "Let cvc5 decide again what Z3 proves; both must agree");
    command.add_option("--cvc5-limit", options.cvc5_limit, "Seconds for one query under --strict")
        ->check(CLI::Range(0.001, 1e6))
        ->capture_default_str();
    command.add_option("--smt2-dir", options.smt2_dir, "Write the queries of the proofs into this folder, as SMT-LIB 2")
        ->check([](const std::string& folder) { return folder.empty() ? std::string("a folder must have a name") : std::string(); });
}

/// FILE, or a copy in one line. Exactly one option of the group that is returned must be given.
CLI::Option_group& add_problem(CLI::App& command, std::string& file, OneLine& line, const char* name = "FILE",
                               const char* what = "Problem file (TOML or JSON); - is standard input") {
    CLI::Option_group& input = *command.add_option_group("problem", "A problem file, or a copy in one line");
    input.add_option(name, file, what);
    CLI::Option* src = input.add_option("--src", line.src, "The source: 'global f16 (128,64):(64,1) align 16 [0:64, :]'");
    input.require_option(1);
    CLI::Option* dst = command.add_option("--dst", line.dst, "The destination, likewise")->needs(src);
    CLI::Option* scope = command.add_option("--scope", line.scope, "Who copies: thread, warp, warpgroup or cta")->needs(src);
    CLI::Option* arch = command.add_option("--arch", line.arch, "For which GPU, sm_90 say")->needs(src);
    command.add_option("--threads", line.threads, "How many threads, for a cta")->needs(src);
    CLI::Option* predicate =
        command.add_option("--predicate", line.predicate, "Where its data ends, in numbers: 'd0 < 100, d1 < 30'")->needs(src);
    command.add_flag("--zero-fill", line.zero_fill, "Zeros in the destination behind that")->needs(predicate);
    for (CLI::Option* other : {dst, scope, arch}) src->needs(other);
    return input;
}

void add_layout(CLI::App& command, CommonOptions& options, cli::LayoutArguments& arguments) {
    command.add_option("NOTATION", arguments.notation, "CuTe, TIRx or bits: '(128,64):(64,1)'")->required();
    command.add_option("--shape", arguments.shape, "Logical shape where the notation does not say it: 128,64");
    CLI::Option_group& question = *command.add_option_group("question", "What to answer");
    question.add_flag("--table", arguments.table, "Print every offset");
    question.add_option("--equal", arguments.equal, "Has this other layout the same offsets?");
    question.add_flag("--bijective", arguments.bijective, "Does it fill 0 .. size-1, each offset once?");
    question.add_option("--overlap", arguments.overlap, "Are two regions disjoint? '[0:4, :]' '[4:8, :]'")
        ->expected(2)
        ->allow_extra_args(false);
    question.add_option("--convert", arguments.convert, "Write it in another notation")->check(CLI::IsMember({"cute", "tirx", "bits"}));
    question.require_option(1);
    add_output(command, options);
}

Diagnostic usage(std::string what) {
    while (!what.empty() && (what.back() == '\n' || what.back() == '.')) what.pop_back();
    return {"usage", what, {}, {}, {"`tileproof --help` lists the commands, `tileproof COMMAND --help` the options of one"}};
}

int run(int argc, char** argv) {
    CLI::App app{"Plans GPU tile copies, proves them, and emits PTX for what is proved."};
    app.name("tileproof");
    app.require_subcommand(1);
    app.set_version_flag("--version", "tileproof " TILEPROOF_VERSION " (Z3 " + smt::z3_version() + ")");
    app.footer(
        "Exit status: 0 all proved, 1 refuted or rejected, 2 bad usage or input or no GPU, 3 unknown, 4 checkers disagree or an internal "
        "error.");
    CommonOptions options;
    std::string file, plan, output, guard, as = "ptx";
    bool require_widest = false;
    OneLine line;
    cli::RunArguments run_arguments;
    cli::LayoutArguments layout_arguments;

    CLI::App* plan_app = app.add_subcommand("plan", "Plan and prove every copy of a problem file");
    CLI::App* verify_app = app.add_subcommand("verify", "Prove or refute somebody's plan for a problem file");
    CLI::App* emit_app = app.add_subcommand("emit", "Write the code of a proved plan");
    CLI::App* run_app = app.add_subcommand("run", "Execute a proved plan on a GPU and compare every byte");
    CLI::App* explain_app = app.add_subcommand("explain", "Say why a width was chosen and each wider one refused, or what a rule means");
    bool list_rules = false;
    add_problem(*explain_app, file, line, "NAME", "Problem file (TOML or JSON), - for standard input, or the id of a rule")
        .add_flag("--list", list_rules, "List every rule");
    CLI::App* layout_app = app.add_subcommand("layout", "Tabulate, compare, judge or convert a layout");
    for (CLI::App* command : {plan_app, emit_app, run_app}) add_problem(*command, file, line);
    for (CLI::App* command : {plan_app, emit_app, run_app, explain_app}) {
        command->add_flag("--single", options.single, "Plan one width for each copy, also where only its edges are narrow");
        command->add_flag("--straight", options.straight, "Plan one access a side for each run, and no blocks of registers");
    }
    verify_app->add_option("FILE", file, "Problem file (TOML or JSON); - is standard input")->required();
    for (CLI::App* command : {plan_app, verify_app, emit_app, run_app, explain_app}) add_common(*command, options);
    add_layout(*layout_app, options, layout_arguments);
    verify_app->add_option("--plan", plan, "Plan file (JSON): a report, or one object of its `copies`; - is standard input")->required();
    verify_app->add_flag("--require-widest", require_widest, "Refute a plan of which a wider access would be legal");
    emit_app->add_option("--output,-o", output, "Where to write; standard output by default");
    emit_app->add_option("--guard", guard, "Write the check whether the kernel may run, instead: a C++ function for the host, or a PTX one")
        ->check(CLI::IsMember({"c++", "ptx"}));
    emit_app->add_option("--as", as, "Kind of code")->check(CLI::IsMember({"ptx"}))->capture_default_str();
    run_app->add_option("--set", run_arguments.set, "Value of a symbol: ld=128")->allow_extra_args(false);
    run_app->add_option("--device", run_arguments.device, "Which GPU")->check(CLI::Range(0, 1023))->capture_default_str();

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {  // help, version
        app.exit(wanted);
        return cli::proved;
    } catch (const CLI::ParseError& error) {
        if (cli::asks_for_json(argc, argv)) options.format = "json";
        return cli::fail(options, {"<command line>", ""}, {usage(error.what())});
    }
    if (*layout_app) return cli::layout_command(options, layout_arguments);
    if (file.empty() && (*plan_app || *emit_app || *run_app || (*explain_app && !list_rules))) {
        file = "<command line>";
        options.one_line = line;
    }
    if (*plan_app) return cli::plan_command(options, file);
    if (list_rules) return cli::list_rules_command(options);
    if (*explain_app) return cli::explain_command(options, file);
    if (*verify_app) return cli::verify_command(options, file, plan, require_widest);
    if (*emit_app) return cli::emit_command(options, file, output, guard);
    run_arguments.file = file;
    run_arguments.options = options;
    return cli::run_command(run_arguments);
}

}  // namespace

int main(int argc, char** argv) {
    // Z3 makes and drops many small contexts; without this the heap goes back to the system in between, which costs milliseconds.
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    try {
        const int status = run(argc, argv);
        std::cout.flush();
        if (std::cout) return status;
        std::fprintf(stderr, "tileproof: error: standard output cannot be written [cannot-write]\n");
        return cli::bad_input;
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "tileproof: internal error: %s\n", fault.what());
        return cli::internal;
    }
}
