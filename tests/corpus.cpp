#include "tests/corpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <doctest/doctest.h>

#include "layouts/placement.hpp"
#include "layouts/problem_file.hpp"
#include "solver/solve.hpp"
#include "tests/random_problem.hpp"

namespace tileproof::corpus {
namespace {

namespace fs = std::filesystem;

void add_folder(std::vector<Entry>& all, const fs::path& folder, bool with_symbols = false) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".toml") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
        std::ifstream in(path);
        const std::string name = folder.filename().string() + "/" + path.stem().string();
        Entry entry = read(name, std::string{std::istreambuf_iterator<char>(in), {}});
        const auto is_held = [](const Buffer& buffer) { return buffer.space == Space::registers; };
        if (std::any_of(entry.problem.buffers.begin(), entry.problem.buffers.end(), is_held)) continue;  // tests/register_test.cpp
        if (entry.problem.symbols.empty() != with_symbols) all.push_back(std::move(entry));
    }
}

struct Pair {
    const char *name, *src, *src_region, *dst, *dst_region;
};

/// Of f32, from global to shared memory, by a warp.
std::vector<Entry> read_pairs(const std::string& folder, const std::vector<Pair>& pairs) {
    std::vector<Entry> all;
    for (const Pair& p : pairs) {
        const auto buffer = [](const char* name, const char* space, const char* layout) {
            return std::string("[buffers.") + name + "]\nspace = \"" + space + "\"\ndtype = \"f32\"\nlayout = \"" + layout +
                   "\"\nalign = 256\n";
        };
        const std::string text = "[target]\narch = \"sm_90\"\n" + buffer("A", "global", p.src) + buffer("B", "shared", p.dst) +
                                 "[[copies]]\nsrc = \"A" + p.src_region + "\"\ndst = \"B" + p.dst_region + "\"\nscope = \"warp\"\n";
        all.push_back(read(folder + p.name, text));
    }
    return all;
}

}  // namespace

Entry read(const std::string& name, const std::string& text) {
    const Result<Problem> problem = parse_problem({name, text}, "corpus");
    REQUIRE_MESSAGE(problem.ok(), name << ": " << problem.error().text);
    return {name, text, problem.value()};
}

std::vector<Entry> files() {
    std::vector<Entry> all;
    add_folder(all, TILEPROOF_EXAMPLES);
    for (const char* folder : {"tiles", "cases"}) add_folder(all, fs::path(TILEPROOF_TEST_DATA) / folder);
    return all;
}

std::vector<Entry> symbolic() {
    std::vector<Entry> all;
    add_folder(all, TILEPROOF_EXAMPLES, true);
    return all;
}

std::vector<Entry> flat() {
    return read_pairs("flat/", {
                                   {"odd_5x5", "(5,5):(7,1)", "", "(5,5):(5,1)", ""},
                                   {"odd_33x33", "(33,33):(40,1)", "", "(33,33):(34,1)", ""},
                                   {"odd_7x20", "(7,20):(24,1)", "", "(7,20):(20,1) + 8", ""},
                                   {"rows_3_to_10_of_blocks", "((8,2),8):((8,100),1)", "[3:11, :]", "(8,8):(8,1)", ""},
                                   {"blocks_on_both_sides", "((8,2),8):((8,100),1)", "[3:11, :]", "((4,4),8):((8,40),1)", "[5:13, :]"},
                                   {"4x6_against_6x4", "((6,4)):((1,8))", "", "((4,6)):((1,8))", ""},
                                   {"odd_swizzled", "(9,16):(20,1)", "", "Sw<2,2,3> o (9,16):(16,1)", ""},
                               });
}

std::vector<Entry> edged() {
    return read_pairs("edged/", {
                                    {"rows_of_33", "(64,33):(40,1)", "", "(64,33):(36,1)", ""},
                                    {"from_column_3", "(24,40):(40,1)", "[:, 3:36]", "(24,40):(44,1)", "[:, 3:36]"},
                                    {"swizzled_from_column_1", "(16,64):(64,1)", "[:, 1:50]", "Sw<3,2,3> o (16,64):(64,1)", "[:, 1:50]"},
                                    {"one_line", "(400):(1)", "[3:390]", "(400):(1)", "[7:394]"},
                                });
}

std::vector<Entry> filled() {
    const auto tile = [](const char* name, const std::string& predicate, const std::string& more) {
        return read(std::string("filled/") + name,
                    "[target]\narch = \"sm_90\"\n[buffers.A]\nspace = \"global\"\ndtype = \"f16\"\nlayout = "
                    "\"(24,40):(40,1)\"\n[buffers.B]\nspace = \"shared\"\n"
                    "dtype = \"f16\"\nlayout = \"(24,40):(48,1)\"\n[[copies]]\nsrc = \"A\"\ndst = \"B\"\nscope = \"warp\"\nzero_fill = "
                    "true\npredicate = \"" +
                        predicate + "\"\n" + more);
    };
    const std::string by_async = "completion = \"caller\"\n";
    return {tile("rows_and_columns", "d0 < 13, d1 < 24", ""), tile("async_rows", "d0 < 13", by_async),
            tile("async_lanes", "d0 < 20, d1 < 21", by_async)};
}

std::vector<Entry> drawn(int count) {
    std::mt19937_64 generator(20261130);
    const random::Draw draw = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    std::vector<Entry> all;
    for (int number = 0; static_cast<int>(all.size()) < count; ++number) {
        const Problem problem = random::problem(draw);
        const bool fits = place_shared(problem).allocated() <= problem.target.shared_per_block;
        if (!fits || rejection(problem, problem.copies[0]) || !solve(problem).complete()) continue;
        all.push_back({"drawn/" + std::to_string(number), "", problem});
    }
    return all;
}

Problem alone(const Problem& problem, std::size_t copy) {
    Problem out = problem;
    note_written(out);
    out.copies = {problem.copies[copy]};
    return out;
}

std::optional<Problem> with_symbolic_strides(Problem problem) {
    for (Buffer& buffer : problem.buffers) {
        if (buffer.space != Space::global || buffer.layout.is_over_bits()) continue;
        Iter* largest = nullptr;
        for (Iter& it : buffer.layout.iters)
            if (it.extent > 1 && it.stride > 1 && (largest == nullptr || it.stride > largest->stride)) largest = &it;
        if (largest == nullptr) continue;
        const std::int64_t stride = largest->stride, divisor = std::min<std::int64_t>(stride & -stride, 64);
        problem.symbols.push_back({"s" + std::to_string(problem.symbols.size()), stride, stride + 40 * divisor, divisor, {}});
        largest->stride = Expression::symbol(static_cast<int>(problem.symbols.size()) - 1);
        buffer.symbolic_capacity = symbolic_span(buffer.layout, problem.symbols);
    }
    if (problem.symbols.empty() || check_problem(problem)) return std::nullopt;
    return problem;
}

bool is_long_run() {
    const char* asked = std::getenv("TILEPROOF_LONG");
    return asked != nullptr && std::string(asked) == "1";
}

}  // namespace tileproof::corpus
