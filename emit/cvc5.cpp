#include "emit/cvc5.hpp"

#include <cctype>

#include <fmt/format.h>

#include "support/process.hpp"

namespace tileproof {
namespace {

using std::chrono::milliseconds;

SecondAnswer undecided(std::string why) { return {SolverAnswer::unknown, std::move(why)}; }

/// The first line of what a program printed, as a reason can show it.
std::string first_line(const std::string& output) {
    constexpr std::size_t most = 120;
    return printable(output.substr(0, std::min(output.find('\n'), most)));
}

SecondAnswer answer_of(const support::Finished& run, milliseconds limit) {
    using support::Ending;
    switch (run.ending) {
        case Ending::not_started:
            return undecided("cvc5 failed: " + run.fault);
        case Ending::timed_out:
            return undecided(fmt::format("cvc5 did not decide within {:g} s", static_cast<double>(limit.count()) / 1000));
        case Ending::crashed:
            return undecided("cvc5 crashed");
        case Ending::exited:
            break;
    }
    if (run.status != 0) return undecided(fmt::format("cvc5 failed with exit status {}: {}", run.status, first_line(run.output)));
    for (const SolverAnswer answer : {SolverAnswer::sat, SolverAnswer::unsat})
        if (run.output == to_string(answer) + "\n") return {answer, {}};
    if (run.output == "unknown\n") return undecided("cvc5 answers unknown");
    return undecided("cvc5 gives no answer but prints: " + first_line(run.output));
}

}  // namespace

Result<std::string> find_cvc5() {
    if (const std::optional<std::string> found = support::find_program("cvc5", "TILEPROOF_CVC5")) return *found;
    const std::string stated = support::environment("TILEPROOF_CVC5");
    Diagnostic missing{"cvc5-missing", stated.empty() ? "the second solver, cvc5, is not in PATH"
                                                      : "TILEPROOF_CVC5 does not name a program: " + printable(stated)};
    missing.help = {
        "install it (on Debian and Ubuntu: apt-get install cvc5), or set TILEPROOF_CVC5 to the path of a "
        "cvc5"};
    return missing;
}

std::optional<std::string> cvc5_version(const std::string& program, milliseconds limit) {
    const support::Finished run = support::run_program({program, "--version"}, limit);
    const std::string intro = "This is cvc5 version ";
    if (!run.succeeded() || run.output.compare(0, intro.size(), intro) != 0) return std::nullopt;
    std::string out;
    for (std::size_t i = intro.size(); i < run.output.size() && std::isgraph(static_cast<unsigned char>(run.output[i])) != 0; ++i)
        out += run.output[i];
    if (out.empty()) return std::nullopt;
    return out;
}

SecondSolver cvc5(const std::string& program, milliseconds limit) {
    return {"cvc5", [program, limit](const std::string& script) {
                const support::TemporaryFile file(".smt2");
                if (!file.exists() || !file.write(script)) return undecided("cvc5 failed: a temporary file could not be written");
                // A limit of its own too, for the case that nobody is left to stop it.
                const milliseconds own_limit = limit + std::chrono::seconds(5);
                return answer_of(
                    support::run_program({program, "--lang=smt2", "--tlimit=" + std::to_string(own_limit.count()), file.path()}, limit),
                    limit);
            }};
}

}  // namespace tileproof
