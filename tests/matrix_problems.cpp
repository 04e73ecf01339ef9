#include "tests/matrix_problems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "layouts/offset_walk.hpp"
#include "layouts/one_line.hpp"
#include "layouts/register_file.hpp"
#include "tests/ptx_bench.hpp"

namespace tileproof::test {

std::optional<Problem> RandomTiles::draw() {
    struct Factor {
        std::int64_t extent, held;
        std::string axis;
        std::int64_t memory;
    };
    const auto [dtype, bits] = one_of<std::pair<std::string, std::int64_t>>(
        {{"f16", 16}, {"f16", 16}, {"bf16", 16}, {"u8", 8}, {"u8", 8}, {"e4m3", 8}, {"f32", 32}, {"u4", 4}});
    const bool of_bytes = bits <= 8 && below(3) > 0, transposed = of_bytes || (bits <= 16 && below(2) == 0);
    const std::int64_t row = 128 / bits,
                       together = (of_bytes     ? 8
                                   : transposed ? 16
                                                : 32) /
                                  bits,
                       rows = of_bytes ? one_of<std::int64_t>({2, 4, 4}) : 2,
                       pitch = row * one_of<std::int64_t>({1, 1, 2, 3, 4, 8}) + (below(10) == 0 ? row / 2 : 0);
    std::vector<Factor> factors;
    if (together > 1) factors.push_back({together, 1, "", 1});
    std::int64_t reg = together;
    const auto second_piece = [&] { factors.push_back({2, reg, "", row / 2}), reg *= 2; };
    const bool is_first = below(3) == 0;
    if (of_bytes && is_first) second_piece();
    if (transposed)
        factors.push_back({8, 4, "@laneid", together}), factors.push_back({4, 1, "@laneid", rows * pitch}),
            factors.push_back({rows, reg, "", pitch}), reg *= rows;
    else factors.push_back({8, 4, "@laneid", pitch}), factors.push_back({4, 1, "@laneid", together});
    if (of_bytes && !is_first) second_piece();
    std::int64_t memory = 4 * rows * pitch;
    if (pitch > row && below(2) == 0 && pitch / row % 2 == 0) factors.push_back({2, reg, "", row}), reg *= 2;  // beside each other
    const auto tiles = [&](std::int64_t extent, std::int64_t held, const std::string& axis) {
        factors.push_back({extent, held, axis, memory});
        memory *= extent;
        if (below(8) == 0) memory += one_of<std::int64_t>({row, 3 * row, row / 2});
    };
    std::int64_t threads = 32;
    for (std::int64_t more = below(3); more > 0; --more) {
        const std::int64_t extent = one_of<std::int64_t>({2, 2, 3, 4, 5, 6});
        if (below(3) == 0 && threads == 32) {
            tiles(extent, 1, "@warpid");
            threads *= extent;
        } else {
            tiles(extent, reg, "");
            reg *= extent;
        }
    }
    std::int64_t first = 0, thread = 0;
    const auto any = [&]() -> Factor& { return factors[static_cast<std::size_t>(below(static_cast<std::int64_t>(factors.size())))]; };
    switch (below(12)) {  // a fault, or not one
        case 0:
            std::swap(any().held, any().held);
            break;
        case 1:
            std::swap(any().memory, any().memory);
            break;
        case 2:
            any().memory *= 2;
            break;
        case 3:
            any().memory += one_of<std::int64_t>({1, row, row / 2});
            break;
        case 4:
            first = one_of<std::int64_t>({1, row / 2, row, 2 * row});
            break;
        case 5:
            threads += one_of<std::int64_t>({16, 32, 64}), thread = one_of<std::int64_t>({0, 16, 32});
            break;
        case 6: {
            Factor& one = any();
            if (one.axis.empty()) one.held *= 2;
        } break;
        case 7: {
            Factor& one = any();
            one.extent = std::max<std::int64_t>(1, one.extent / 2);
        } break;
        default:
            break;
    }
    std::shuffle(factors.begin(), factors.end(), random);
    std::string shape, held, strides, region;
    const bool is_part = below(6) == 0;
    for (const Factor& factor : factors) {
        const std::string comma = shape.empty() ? "" : ",";
        shape += comma + std::to_string(factor.extent);
        held += comma + std::to_string(factor.held) + factor.axis;
        strides += comma + std::to_string(factor.memory);
        const std::int64_t begin = is_part && below(3) == 0 ? below(factor.extent) : 0;
        region += comma + std::to_string(begin) + ":" + std::to_string(factor.extent - (begin > 0 ? below(factor.extent - begin) : 0));
    }
    std::string registers = "register " + dtype + " S[(" + shape + "):(" + held + ")]";
    if (thread > 0) registers += " + " + std::to_string(thread) + "@tx";
    else if (below(8) == 0) registers += " + R[2:1@warpid]", threads *= 2;
    registers += " shape " + shape;
    const std::string swizzle = bits == 16  ? one_of<std::string>({"", "Sw<3,3,3> o ", "Sw<2,3,3> o ", "Sw<1,3,3> o ", "Sw<2,2,3> o "})
                                : bits == 8 ? one_of<std::string>({"", "Sw<3,4,3> o "})
                                            : one_of<std::string>({"", "Sw<2,5,2> o "});
    std::string shared = "shared " + dtype + " " + swizzle + "(" + shape + "):(" + strides + ")";
    if (first > 0) shared += " + " + std::to_string(first);
    shared += one_of<std::string>({"", " align 1024", " align 16", " base 32", " align 8", " base 8"});
    if (is_part) registers += " [" + region + "]", shared += " [" + region + "]";
    const bool loads = below(2) == 0;
    const Loaded loaded =
        load_one_line({loads ? shared : registers, loads ? registers : shared, "cta", threads,
                       of_bytes ? one_of<std::string>({"sm_100a", "sm_100a", "sm_100f", "sm_121a", "sm_120f", "sm_100", "sm_90a"})
                                : one_of<std::string>({"sm_90", "sm_100", "sm_100a"})});
    return loaded.problem.ok() ? std::optional(loaded.problem.value()) : std::nullopt;
}

namespace {

/// Of each thread of the block, where in memory the element in each of its registers lies.
using Holdings = std::map<std::int64_t, std::map<std::int64_t, std::int64_t>>;

/// Nothing where a register or a place of memory occurs twice in a thread.
std::optional<Holdings> holdings(const Problem& problem, const Copy& copy) {
    const Problem file = on_register_file(problem, copy);
    const Copy& one = file.copies[0];
    const bool loads = problem.buffer(copy.src).space == Space::shared;
    const std::vector<std::int64_t> offsets = offsets_of(file.buffer(loads ? one.src : one.dst).layout, (loads ? one.src : one.dst).region);
    const std::vector<std::int64_t> places = offsets_of(file.buffer(loads ? one.dst : one.src).layout, (loads ? one.dst : one.src).region);
    const std::int64_t step = pitch(problem.buffer(loads ? copy.dst : copy.src));
    Holdings out;
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::size_t k = 0; k < places.size(); ++k)
        if (!out[places[k] / step].emplace(places[k] % step, offsets[k]).second || !seen.emplace(places[k] / step, offsets[k]).second)
            return std::nullopt;
    return out;
}

/// Registers whose elements follow each other in memory in this thread, `n` by `n`; empty where they do not.
std::vector<std::vector<std::int64_t>> groups(const std::map<std::int64_t, std::int64_t>& of_thread, std::int64_t n) {
    std::vector<std::pair<std::int64_t, std::int64_t>> by_offset;
    for (const auto& [reg, offset] : of_thread) by_offset.emplace_back(offset, reg);
    std::sort(by_offset.begin(), by_offset.end());
    std::vector<std::vector<std::int64_t>> out;
    for (std::size_t i = 0; i < by_offset.size(); ++i) {
        if (i % static_cast<std::size_t>(n) == 0) out.emplace_back();
        else if (by_offset[i].first != by_offset[i - 1].first + 1) return {};
        out.back().push_back(by_offset[i].second);
    }
    return by_offset.size() % static_cast<std::size_t>(n) == 0 ? out : std::vector<std::vector<std::int64_t>>{};
}

/// Of bytes, by the words of PTX: lane 4g + q holds bytes g and g + 8 of rows, the same rows in lanes with the same q. How many such rows
/// each lane has; 0 where it holds something else, or a row begins at no multiple of 16 bytes.
std::size_t rows_of_bytes(const Holdings& held, const std::set<std::int64_t>& warps, std::int64_t bits, std::int64_t base) {
    const std::int64_t n = 8 / bits;
    const auto bytes = groups(held.begin()->second, n);
    if (bytes.empty()) return 0;
    std::vector<std::optional<std::size_t>> partners;  // of each byte that is the first of a row, the one eight behind
    for (const std::int64_t warp : warps) {
        for (std::int64_t lane = 0; lane < 32; ++lane) {
            const auto &leader = held.at(32 * warp + lane % 4), &own = held.at(32 * warp + lane);
            std::vector<std::optional<std::size_t>> found(bytes.size());
            for (std::size_t k = 0; k < bytes.size(); ++k) {
                const std::int64_t start = leader.at(bytes[k][0]);
                for (std::size_t i = 0; i < bytes[k].size(); ++i)
                    if (own.at(bytes[k][i]) != start + lane / 4 * n + static_cast<std::int64_t>(i)) return 0;
                if ((base + start * bits) % 128 != 0) continue;
                for (std::size_t other = 0; other < bytes.size(); ++other)
                    if (leader.at(bytes[other][0]) == start + 8 * n) found[k] = other;
            }
            if (partners.empty()) partners = found;
            if (partners != found) return 0;
        }
    }
    const auto rows =
        static_cast<std::size_t>(std::count_if(partners.begin(), partners.end(), [](const auto& partner) { return partner.has_value(); }));
    return 2 * rows == bytes.size() ? rows : 0;
}

}  // namespace

std::optional<int> matrices_at_once(const Problem& problem, const Copy& copy) {
    const Buffer& memory = problem.buffer(problem.buffer(copy.src).space == Space::shared ? copy.src : copy.dst);
    const std::int64_t bits = memory.dtype.size.count, base = memory.base ? memory.base->count * 8 : 0;
    if (bits > 32 || (!memory.base && memory.align.count < 16) || copy.threads % 32 != 0) return 0;
    const std::optional<Holdings> held = holdings(problem, copy);
    if (!held) return std::nullopt;
    std::set<std::int64_t> warps;
    for (const auto& [thread, registers] : *held) {
        warps.insert(thread / 32);
        for (const auto& [reg, offset] : registers)
            if (held->begin()->second.count(reg) == 0) return std::nullopt;
        if (registers.size() != held->begin()->second.size()) return std::nullopt;
    }
    if (held->size() != 32 * warps.size()) return 0;
    for (const bool transposed : {false, true}) {
        if (transposed && bits > 16) break;
        const std::int64_t n = (transposed ? 16 : 32) / bits;
        const auto together = groups(held->begin()->second, n);
        bool fits = !together.empty() && (!transposed || together.size() % 2 == 0);
        for (const std::int64_t warp : warps) {
            for (int lane = 0; lane < 32 && fits; ++lane) {
                const std::int64_t first = 32 * warp + (transposed ? lane % 4 : lane / 4 * 4),
                                   column = transposed ? lane / 4 : lane % 4;  // the thread with the row's first element
                for (const auto& registers : together) {
                    const std::int64_t start = held->at(first).at(registers[0]);
                    fits = fits && (base + start * bits) % 128 == 0;
                    for (std::size_t i = 0; i < registers.size(); ++i)
                        fits = fits && held->at(32 * warp + lane).at(registers[i]) == start + column * n + static_cast<std::int64_t>(i);
                }
            }
        }
        const std::size_t words = together.size() / (transposed ? 2 : 1);
        if (fits) return words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
    }
    const std::string& target = problem.target.name;
    if (bits > 8 || problem.target.number < 100 || (target.back() != 'a' && target.back() != 'f')) return 0;
    const std::size_t rows = rows_of_bytes(*held, warps, bits, base);
    if (problem.buffer(copy.src).space == Space::shared) return rows == 0 || rows % 4 != 0 ? 0 : rows % 8 == 0 ? 2 : 1;
    return rows == 0 || rows % 2 != 0 ? 0 : rows % 8 == 0 ? 4 : rows % 4 == 0 ? 2 : 1;
}

std::string run_difference(const Problem& problem, const Plan& plan) {
    Bench bench(problem, plan);
    return bench.difference(true, 7);
}

}  // namespace tileproof::test
