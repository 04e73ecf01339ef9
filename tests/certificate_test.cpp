// The certificate checker (tests/certificate_checker.cpp) on the product's own reports: yes to each, no to damaged ones, and of
// another mind than `verify` only where a plan moves each element right and states it wrongly: a source that repeats an element,
// say, makes two destinations equal that the plan confuses. The simulation (tests/simulate.hpp) says where that is so.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <toml++/toml.h>

#include "emit/plan_json.hpp"
#include "layouts/notation.hpp"
#include "tests/corpus.hpp"
#include "tests/simulate.hpp"
#include "verify/verify.hpp"

namespace tileproof {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int yes = 0, no = 1;

/// A folder for the files that the programs exchange.
class Desk {
public:
    Desk() : folder_((fs::temp_directory_path() / "tileproof-certificate.XXXXXX").string()) { REQUIRE(mkdtemp(folder_.data()) != nullptr); }
    ~Desk() { fs::remove_all(folder_); }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    std::string path(const char* name) const { return (fs::path(folder_) / name).string(); }
    void put(const char* name, const std::string& text) const { std::ofstream(path(name), std::ios::binary) << text; }
    std::string text(const char* name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// The report on the problem file `text`.
    json plan(const std::string& text) const {
        put("problem.toml", text);
        run(std::string("'") + TILEPROOF_PROGRAM + "' plan --format json problem.toml >report.json 2>plan.err");
        return json::parse(this->text("report.json"));
    }
    /// The checker's exit status; what it said is in `said`.
    int check(const json& report, const json& problem) {
        put("report.json", report.dump());
        put("problem.json", problem.dump());
        const int status = run(std::string("'") + TILEPROOF_CERTIFICATE_CHECKER + "' report.json problem.json >said");
        said = text("said");
        return status;
    }

    std::string said;

private:
    int run(const std::string& command) const {
        const int raw = std::system(("cd '" + folder_ + "' && " + command).c_str());
        return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128;
    }

    std::string folder_;
};

/// The problem file as JSON, its layouts in CuTe notation; nothing where a layout has none.
std::optional<json> as_json(const corpus::Entry& entry) {
    std::ostringstream out;
    out << toml::json_formatter{toml::parse(entry.text)};
    json problem = json::parse(out.str());
    for (const Buffer& buffer : entry.problem.buffers) {
        json& written = problem["buffers"][buffer.name];
        if (written["layout"].get<std::string>().find("S[") == std::string::npos) continue;
        if (!modes(buffer.layout)) return std::nullopt;
        written["layout"] = to_cute(buffer.layout);
        written.erase("shape");
    }
    return problem;
}

bool has_plans(const json& report) {
    bool all = report.contains("copies");
    for (const json& copy : report.value("copies", json::array())) all = all && copy.contains("segments");
    return all;
}

/// Proved, obligation by obligation: a wider width may be undecided all the same.
bool is_proved(const json& report) {
    bool all = true;
    for (const json& finding : report["obligations"]) all = all && finding["verdict"] == "proved";
    for (const json& copy : report["copies"])
        for (const json& finding : copy["obligations"]) all = all && (finding["verdict"] == "proved" || finding["id"] == "widest");
    return all;
}

/// A change to a report, and to the problem where the change is one of what is asked. False: there is nothing to change.
struct Damage {
    const char* name;
    std::function<bool(json& report, json& problem)> apply;
};

json& segment(json& report) { return report["copies"].back()["segments"][0]; }
json& address(json& report, const char* side) { return segment(report)[side]["address"]; }

bool shift(json& number, std::int64_t by) {
    const bool is_text = number.is_string();
    const std::int64_t was = is_text ? std::stoll(number.get<std::string>()) : number.get<std::int64_t>();
    number = is_text ? json(std::to_string(was + by)) : json(was + by);
    return true;
}

bool shift_last_stride(json& report, const char* side, std::int64_t by) {
    json& of = address(report, side);
    if (!of.contains("strides")) return shift(of["terms"].back()["stride"], by);
    return !of["strides"].empty() && shift(of["strides"].back(), by);
}

json* digit(json& report, const char* role) {
    for (json& one : segment(report)["digits"])
        if (one["role"] == role) return &one;
    return nullptr;
}

/// The first digit of `role` reaches `change` further, and the number with it.
bool stretch(json& report, const char* role, const char* count, std::int64_t change) {
    json* found = digit(report, role);
    if (found == nullptr) return false;
    const std::int64_t extent = (*found)["extent"], whole = segment(report)[count];
    (*found)["extent"] = extent + change;
    segment(report)[count] = whole / extent * (extent + change);
    report["copies"].back().erase("width_bits");  // in blocks it follows from the lanes
    return extent + change > 0;
}

bool swap_strides(json& report, const char* side) {
    json& of = address(report, side);
    if (!of.contains("strides") || of["strides"].size() < 2) return false;
    std::swap(of["strides"][0], of["strides"][1]);
    return true;
}

bool double_width(json& report, const char* side) {
    const std::int64_t width = segment(report)[side]["width_bits"];
    segment(report)[side]["width_bits"] = width * 2;
    return width < 256;
}

bool weaken_base(json& report, json& problem) {
    const std::string text = problem["copies"].back()["src"];
    json& buffer = problem["buffers"][text.substr(0, text.find('['))];
    if (buffer.contains("base")) return false;
    const std::int64_t width = segment(report)["src"]["width_bits"], lanes = segment(report)["vec"];
    buffer["align"] = width / 16;
    return lanes > 1;
}

/// One element fewer than the whole destination needs.
bool shrink_destination(json& problem) {
    const std::string text = problem["copies"].back()["dst"];
    if (text.find('[') != std::string::npos) return false;
    json& buffer = problem["buffers"][text];
    buffer["capacity"] = span(read_layout(buffer["layout"].get<std::string>()).value()).count - 1;
    return true;
}

const std::vector<Damage>& damages() {
    static const std::vector<Damage> all{
        {"source one further", [](json& r, json&) { return shift(address(r, "src")["offset"], 1); }},
        {"destination one back", [](json& r, json&) { return shift(address(r, "dst")["offset"], -1); }},
        {"destination an access further", [](json& r, json&) { return shift(address(r, "dst")["offset"], segment(r)["vec"]); }},
        {"source stride + 1", [](json& r, json&) { return shift_last_stride(r, "src", 1); }},
        {"destination stride - 1", [](json& r, json&) { return shift_last_stride(r, "dst", -1); }},
        {"source strides swapped", [](json& r, json&) { return swap_strides(r, "src"); }},
        {"destination strides swapped", [](json& r, json&) { return swap_strides(r, "dst"); }},
        {"a round too few", [](json& r, json&) { return stretch(r, "outer", "outer", -1); }},
        {"a round too many", [](json& r, json&) { return stretch(r, "outer", "outer", 1); }},
        {"a lane too few", [](json& r, json&) { return stretch(r, "vec", "vec", -1); }},
        {"a thread too few", [](json& r, json&) { return stretch(r, "thread", "threads", -1); }},
        {"source width doubled", [](json& r, json&) { return double_width(r, "src"); }},
        {"another instruction",
         [](json& r, json&) {
             json& name = segment(r)["dst"]["instruction"];
             const bool is_bytes = name == "st.shared.u8" || name == "st.global.u8";
             const std::string stem = name.get<std::string>().substr(0, 9);
             name = stem + (is_bytes ? ".u16" : ".u8");
             return true;
         }},
        {"no predicate",
         [](json& r, json&) {
             const bool had = !segment(r)["predicate"].empty();
             segment(r)["predicate"] = json::array();
             return had;
         }},
        {"a bound an access lower",
         [](json& r, json&) {
             return !segment(r)["predicate"].empty() && shift(segment(r)["predicate"][0]["below"], -segment(r)["vec"].get<std::int64_t>());
         }},
        {"a swizzle that is not there",
         [](json& r, json&) {
             address(r, "dst")["swizzle"] = address(r, "dst")["swizzle"][0] == 0 ? json{2, 4, 3} : json{0, 0, 0};
             return true;
         }},
        {"everything twice",
         [](json& r, json&) {
             json& segments = r["copies"].back()["segments"];
             segments.push_back(json(segments[0]));
             return true;
         }},
        {"other threads", [](json& r, json&) { return shift(r["copies"].back()["participants"]["first"], 1); }},
        {"no barrier",
         [](json& r, json&) {
             json kept = json::array();
             for (const json& step : r["program"])
                 if (step.contains("copy")) kept.push_back(step);
             const bool had = kept.size() < r["program"].size();
             r["program"] = kept;
             return had;
         }},
        {"a base aligned less", weaken_base},
        {"a destination too small", [](json&, json& p) { return shrink_destination(p); }},
    };
    return all;
}

struct Opinion {
    int verdict = -1;       // of `verify`: yes, no, or neither
    bool is_right = false;  // by simulation
};

Opinion opinion(const json& report, const json& problem, const std::string& text) {
    Problem asked = corpus::read("damaged", text).problem;
    for (Buffer& buffer : asked.buffers) {  // what damage to the problem may have changed
        const json& now = problem["buffers"][buffer.name];
        if (now.contains("align")) buffer.align = Bytes{now["align"].get<std::int64_t>()};
        if (now.contains("capacity")) buffer.capacity = Elements{now["capacity"].get<std::int64_t>()};
    }
    const Result<PlanFile> read = parse_plan(report.dump());
    REQUIRE_MESSAGE(read.ok(), read.error().text);
    const Plan& plan = read.value().plan;
    if (check_plan(asked, plan)) return {no, false};
    const Report found = verify(asked, plan);
    CHECK(found.conflicts.empty());
    Opinion out{found.verdict() == Verdict::proved ? yes : found.verdict() == Verdict::refuted ? no : -1, true};
    for (std::size_t i = 0; i < asked.copies.size() && out.is_right; ++i)
        out.is_right = simulate::fault(asked, asked.copies[i], plan.copies[i]).empty();
    return out;
}

struct Prepared {
    corpus::Entry entry;
    json problem;
    json report;
};

/// Every problem of the corpus that can be said in CuTe notation, planned.
const std::vector<Prepared>& prepared() {
    static const std::vector<Prepared> all = [] {
        std::vector<Prepared> out;
        const Desk desk;
        std::vector<corpus::Entry> entries = corpus::files();
        for (corpus::Entry& entry : corpus::flat()) entries.push_back(std::move(entry));
        for (const corpus::Entry& entry : entries)
            if (const std::optional<json> problem = as_json(entry)) out.push_back({entry, *problem, desk.plan(entry.text)});
        return out;
    }();
    return all;
}

}  // namespace

TEST_CASE("certificate: yes to every report, no where there is no plan") {
    Desk desk;
    int proved = 0, without = 0;
    for (const auto& [entry, problem, report] : prepared()) {
        const std::string& name = entry.name;
        CAPTURE(name);
        const bool planned = has_plans(report);
        if (planned) CHECK(is_proved(report));
        CHECK(desk.check(report, problem) == (planned ? yes : no));
        CHECK_MESSAGE(desk.said.rfind(planned ? "yes" : "no: ", 0) == 0, desk.said);
        ++(planned ? proved : without);
    }
    std::printf("certificates: %d yes; %d problems without a plan\n", proved, without);
    CHECK(proved >= 80);
}

TEST_CASE("certificate: no to damaged reports, as verify says") {
    Desk desk;
    const std::size_t step = corpus::is_long_run() ? 1 : 8;  // no divisor of the kinds: each meets several problems
    std::vector<int> refused(damages().size(), 0), harmless = refused, misstated = refused;
    std::size_t number = 0;
    for (const auto& [entry, problem, report] : prepared()) {
        if (!has_plans(report)) continue;
        for (std::size_t d = 0; d < damages().size(); ++d) {
            if (++number % step != 0) continue;
            json damaged = report, changed = problem;
            if (!damages()[d].apply(damaged, changed)) continue;
            const std::string& name = entry.name;
            CAPTURE(name);
            CAPTURE(std::string(damages()[d].name));
            const Opinion found = opinion(damaged, changed, entry.text);
            const int answer = desk.check(damaged, changed);
            if (answer == yes) CHECK(found.is_right);
            if (answer != found.verdict) CHECK_MESSAGE((answer == yes && found.verdict == no), desk.said);
            ++(answer != found.verdict ? misstated : answer == yes ? harmless : refused)[d];
        }
    }
    int sums[3]{};
    for (std::size_t d = 0; d < damages().size(); ++d) {
        std::printf("  %-30s %3d refused, %d harmless, %d right but misstated\n", damages()[d].name, refused[d], harmless[d], misstated[d]);
        CHECK_MESSAGE(refused[d] > 0, std::string(damages()[d].name));
        sums[0] += refused[d];
        sums[1] += harmless[d];
        sums[2] += misstated[d];
    }
    std::printf("damaged reports: %d refused and %d harmless by checker and verify alike, %d right but misstated\n", sums[0], sums[1],
                sums[2]);
    CHECK(sums[2] * 20 < sums[0]);
}

TEST_CASE("certificate: what cannot be read is bad input") {
    Desk desk;
    const Prepared& good = prepared().back();
    json symbolic = good.report, elsewhere = good.problem;
    address(symbolic, "src")["offset"] = "8*ld";
    elsewhere["buffers"]["A"]["layout"] = "S[9,16]";
    CHECK(desk.check(good.report, good.problem) == yes);
    CHECK(desk.check(symbolic, good.problem) == 2);
    CHECK(desk.check(good.report, elsewhere) == 2);
    CHECK(desk.check(json::object(), good.problem) == 2);
    json bounded = good.problem, filled = good.report;
    bounded["copies"][0]["predicate"] = "d0 < 4";
    segment(filled)["predicate"].push_back({{"dim", 0}, {"below", "1"}, {"beyond", "zeros"}});
    CHECK(desk.check(good.report, bounded) == 2);
    CHECK(desk.check(filled, good.problem) == no);
    CHECK(desk.check(good.report, json::array()) == 2);

    json counted = good.report;  // from where symbols say
    segment(counted)["tail"] = {{"dim", 0}, {"end", "n"}, {"multiple", 8}};
    CHECK(desk.check(counted, good.problem) == 2);
    CHECK(desk.said.find("not covered: tails") != std::string::npos);

    // Registers, be it by loads of each thread or by ldmatrix, are not for this checker, whatever the layout's notation.
    const std::string one_thread = R"toml(
[target]
arch = "sm_90"
[buffers]
A = { space = "shared", dtype = "f16", layout = "(8,8):(8,1)" }
R = { space = "register", dtype = "f16", layout = "(8,8):(8,1)" }
[[copies]]
src = "A"
dst = "R"
scope = "thread"
)toml";
    const json held = {{"target", {{"arch", "sm_90"}}},
                       {"buffers",
                        {{"A", {{"space", "shared"}, {"dtype", "f16"}, {"layout", "(8,8):(8,1)"}}},
                         {"R", {{"space", "register"}, {"dtype", "f16"}, {"layout", "(8,8):(8,1)"}}}}},
                       {"copies", json::array({{{"src", "A"}, {"dst", "R"}, {"scope", "thread"}}})}};
    json registers = desk.plan(one_thread);
    REQUIRE(registers["copies"][0]["verdict"] == "proved");
    CHECK(desk.check(registers, held) == 2);
    CHECK(desk.said.find("not covered: registers") != std::string::npos);
    json rows = registers;
    rows["copies"][0]["segments"][0]["src"]["instruction"] = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
    CHECK(desk.check(rows, held) == 2);
}

}  // namespace tileproof
