// libFuzzer target: any bytes as a plan for each of the problems in tests/fuzz/problems/. What passes the structural check must be
// judged without a crash or a conflict, and what is proved must work.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "emit/plan_json.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/symbolic.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace {

using namespace tileproof;

constexpr std::size_t most_samples = 40;  // of the symbols

std::vector<Problem> read_problems() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(TILEPROOF_FUZZ_PROBLEMS)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Problem> out;
    for (const auto& file : files) out.push_back(load_problem(file.string()).problem.value());
    return out;
}

std::int64_t lanes(const Plan& plan) {
    std::int64_t sum = 0;
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments) sum += segment.outer * segment.threads * segment.vec;
    return sum;
}

/// By simulation, at several values of the symbols if there are some.
bool works(const Problem& problem, std::size_t copy, const CopyPlan& plan) {
    if (problem.symbols.empty()) return simulate::fault(problem, problem.copies[copy], plan).empty();
    for (const Values& values : sample_values(problem, most_samples)) {
        const Problem there = at(problem, values);
        if (moved(there.copies[copy]) < Elements{1}) continue;
        const std::optional<CopyPlan> planned = at(plan, problem, problem.copies[copy], values);
        if (planned && !simulate::fault(there, there.copies[copy], *planned).empty()) return false;
    }
    return true;
}

void judge(const Problem& problem, const Plan& plan) {
    VerifyOptions options{200'000};
    options.smt = lanes(plan) <= 1 << 12;
    const Report report = verify(problem, plan, options);
    if (!report.conflicts.empty()) std::abort();
    for (std::size_t i = 0; i < plan.copies.size(); ++i)
        if (report.copies[i].verdict() == Verdict::proved && !works(problem, i, plan.copies[i])) std::abort();
}

/// Every number of the plan.
void collect(nlohmann::json& value, std::vector<nlohmann::json*>& out) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (value.is_number_integer() || (!text.empty() && text.find_first_not_of("-0123456789") == std::string::npos)) out.push_back(&value);
    if (value.is_structured())
        for (auto& item : value) collect(item, out);
}

}  // namespace

/// Half of the time other bytes; else another number in what is still a plan.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
    std::minstd_rand random(seed);
    const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
    nlohmann::json plan = nlohmann::json::parse(data, data + bytes, nullptr, false);
    std::vector<nlohmann::json*> numbers;
    if (!plan.is_discarded()) collect(plan, numbers);
    if (numbers.empty() || draw(2) == 0) return LLVMFuzzerMutate(data, bytes, most);
    for (std::size_t times = 1 + draw(3); times > 0; --times) {
        nlohmann::json& number = *numbers[draw(numbers.size())];
        using Limits = std::numeric_limits<std::int64_t>;
        const std::int64_t changes[] = {
            0, 1, -1, 2, 3, 4, 8, 16, 32, 64, 128, 256, std::int64_t{1} << 31, std::int64_t{1} << 50, Limits::max(), Limits::min()};
        const std::int64_t n = changes[draw(std::size(changes))];
        const std::int64_t old =
            number.is_string() ? std::strtoll(number.get_ref<const std::string&>().c_str(), nullptr, 10) : number.get<std::int64_t>();
        const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(n));
        number = draw(2) == 0 ? n : sum;
    }
    const std::string text = plan.dump();
    if (text.size() > most) return LLVMFuzzerMutate(data, bytes, most);
    std::copy(text.begin(), text.end(), data);
    return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
    static const std::vector<Problem> problems = read_problems();
    const std::string text(reinterpret_cast<const char*>(data), bytes);
    for (const Problem& problem : problems) {
        const Result<PlanFile> file = parse_plan(text, problem.symbols);
        if (file && !check_plan(problem, file.value().plan) && lanes(file.value().plan) <= 1 << 16) judge(problem, file.value().plan);
    }
    return 0;
}
