// Random copies with a side in registers, for tests: layouts of threads and registers of random form, and a memory that often suits them.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "layouts/box.hpp"
#include "layouts/one_line.hpp"
#include "layouts/plan.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof::test {

/// Registers of random form on one side, and a memory that often suits them on the other.
struct RandomRegisters {
    std::mt19937 random;

    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }
    template <class T>
    T one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
    }

    struct Factor {
        std::int64_t extent;
        bool is_thread;
        std::int64_t held = 0;
    };

    std::optional<Problem> draw() {
        const std::int64_t threads = one_of<std::int64_t>({1, 32, 32, 64, 96, 128});
        std::vector<Factor> factors;
        std::int64_t stride = one_of<std::int64_t>({1, 1, 1, 2, 4});
        while (stride < threads && factors.size() < 3) {
            const std::int64_t extent = one_of<std::int64_t>({2, 4, 8, 16, 32});
            if (stride * extent > threads) break;
            factors.push_back({extent, true, stride});
            stride *= extent * one_of<std::int64_t>({1, 1, 1, 1, 2});
        }
        std::int64_t reg = one_of<std::int64_t>({1, 1, 1, 2, 3}), elements = 1;
        for (int i = static_cast<int>(below(3)) + 1; i > 0; --i) {
            const std::int64_t extent = one_of<std::int64_t>({1, 2, 2, 3, 4, 8});
            if (elements * extent > 32) break;
            factors.push_back({extent, false, reg});
            reg *= extent + (below(6) == 0 ? 1 : 0);
            elements *= extent;
        }
        std::shuffle(factors.begin(), factors.end(), random);
        // Dimensions of one or two factors.
        std::string extents, strides, shape, memory_extents, memory_strides;
        std::vector<std::int64_t> dims;
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (i == 0 || below(3) > 0) dims.push_back(factors[i].extent);
            else dims.back() *= factors[i].extent;
            const std::int64_t sign = factors[i].is_thread || below(8) > 0 ? 1 : 0;
            extents += (i == 0 ? "" : ",") + std::to_string(factors[i].extent);
            strides += (i == 0 ? "" : ",") + std::to_string(factors[i].held * (sign == 0 && below(2) == 0 ? 0 : 1)) +
                       (factors[i].is_thread ? "@tx" : "");
        }
        std::vector<std::int64_t> order(dims.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
        if (below(2) == 0) std::shuffle(order.begin(), order.end(), random);
        std::vector<std::int64_t> memory(dims.size());
        std::int64_t step = 1, first = 0;
        for (std::size_t i = order.size(); i-- > 0;) {
            memory[static_cast<std::size_t>(order[i])] = below(12) == 0 ? 0 : below(10) == 0 ? -step : step;
            if (memory[static_cast<std::size_t>(order[i])] < 0) first += step * (dims[static_cast<std::size_t>(order[i])] - 1);
            step = step * dims[static_cast<std::size_t>(order[i])] + one_of<std::int64_t>({0, 0, 0, 0, 1, 2, 4, 8});
        }
        for (std::size_t i = 0; i < dims.size(); ++i) {
            shape += (i == 0 ? "" : ",") + std::to_string(dims[i]);
            memory_strides += (i == 0 ? "" : ",") + std::to_string(memory[i]);
        }
        const std::string dtype = one_of<std::string>({"f32", "f32", "f16", "f16", "u8", "f64", "u4"});
        std::string held = "register " + dtype + " S[(" + extents + "):(" + strides + ")]";
        if (below(5) == 0) held += " + R[2:" + std::to_string(stride) + "@tx]";
        if (below(4) == 0) held += " + " + std::to_string(below(3));
        if (below(4) == 0) held += " + " + std::to_string(below(threads)) + "@tx";
        held += " shape " + shape;
        const std::string swizzle =
            below(3) > 0 ? "" : one_of<std::string>({"Sw<1,2,1> o ", "Sw<2,3,3> o ", "Sw<3,0,3> o ", "Sw<1,1,1> o "});
        std::string stored =
            one_of<std::string>({"global ", "shared "}) + dtype + " " + swizzle + "(" + shape + "):(" + memory_strides + ")";
        if (below(3) == 0) first += one_of<std::int64_t>({1, 2, 4, 8});
        if (first > 0) stored += " + " + std::to_string(first);
        stored += below(5) == 0 ? " base " + std::to_string(one_of<std::int64_t>({8, 16, 24, 64}))
                                : " align " + std::to_string(one_of<std::int64_t>({8, 16, 64, 256}));
        if (below(3) == 0) {  // part of it
            std::string region = " [";
            for (std::size_t i = 0; i < dims.size(); ++i) {
                const std::int64_t begin = below(dims[i]), end = begin + 1 + below(dims[i] - begin);
                region += (i == 0 ? "" : ", ") + std::to_string(below(2) == 0 ? 0 : begin) + ":" + std::to_string(end);
            }
            held += region + "]";
            stored += region + "]";
        }
        const bool loads = below(2) == 0;
        const Loaded loaded =
            load_one_line({loads ? stored : held, loads ? held : stored, "cta", threads, one_of<std::string>({"sm_90", "sm_100"})});
        if (!loaded.problem) return std::nullopt;
        Problem out = loaded.problem.value();
        out.copies[0].dispatch = "vec_auto";
        return out;
    }

    /// A symbol in place of a number, which stays one of its values.
    Expression symbol_for(Problem& problem, std::int64_t number, std::int64_t most) {
        std::int64_t multiple = 1;
        while (multiple < 32 && number % (multiple * 2) == 0 && below(4) != 0) multiple *= 2;
        const auto index = static_cast<int>(problem.symbols.size());
        problem.symbols.push_back(
            {"s" + std::to_string(index), number, std::max(number, std::min(most, number + (1 + below(12)) * multiple)), multiple, {}});
        return Expression::symbol(index);
    }

    /// Strides of the memory above 1, the largest most often; its offset; and where the region starts in it.
    void add_symbols(Problem& problem) {
        Copy& copy = problem.copies[0];
        Operand& stored = problem.buffer(copy.src).space == Space::registers ? copy.dst : copy.src;
        Buffer& buffer = problem.buffers[static_cast<std::size_t>(stored.buffer)];
        std::int64_t largest = 0;
        for (const Iter& it : buffer.layout.iters) largest = std::max<std::int64_t>(largest, it.stride);
        for (Iter& it : buffer.layout.iters) {
            const std::int64_t stride = it.stride;
            if (it.extent > 1 && stride > 1 && below(stride == largest ? 2 : 6) == 0) it.stride = symbol_for(problem, stride, 1 << 20);
        }
        if (below(4) == 0) buffer.layout.offset = buffer.layout.offset + symbol_for(problem, 8 * below(5), 1 << 20);
        for (std::size_t i = 0; i < stored.region.extent.size(); ++i) {
            const std::int64_t start = stored.region.start[i], room = buffer.layout.shape[i] - stored.region.extent[i];
            if (start < room && below(3) == 0) stored.region.start[i] = symbol_for(problem, start, room);
        }
        if (!problem.symbols.empty() && below(4) == 0)
            problem.facts.push_back(
                {{Expression::symbol(0), Expression(8)}, Comparison::equal, {Expression(problem.symbols[0].min % 8)}, "", {}});
        if (!buffer.layout.is_symbolic()) return;
        buffer.symbolic_capacity = symbolic_span(buffer.layout, problem.symbols);
        if (!buffer.symbolic_capacity || buffer.space == Space::global) return;
        buffer.capacity =
            Elements{static_cast<std::int64_t>(interval(*buffer.symbolic_capacity, problem.symbols).greatest)};  // shared memory has a size
        buffer.symbolic_capacity.reset();
    }

    /// A bound of one dimension that may lie before, inside and behind the region, unless the memory bends there.
    void add_predicate(Problem& problem) {
        Copy& copy = problem.copies[0];
        const DenseRegion from = dense(copy.src.region), to = dense(copy.dst.region);
        if (from.dims.empty() || from.extents != to.extents) return;
        const auto i = static_cast<std::size_t>(below(static_cast<std::int64_t>(from.dims.size())));
        const bool loads = problem.buffer(copy.dst).space == Space::registers;
        if (!straight_stride(problem.buffer(loads ? copy.src : copy.dst).layout, loads ? from.dims[i] : to.dims[i])) return;
        const std::int64_t extent = from.extents[i];
        std::int64_t multiple = 1;
        while (multiple < 16 && below(3) != 0) multiple *= 2;
        const auto index = static_cast<int>(problem.symbols.size());
        problem.symbols.push_back({"s" + std::to_string(index),
                                   multiple * (below(extent / multiple + 3) - 2),
                                   multiple * (extent / multiple + 1 + below(4)),
                                   multiple,
                                   {}});
        for (Region* const region : {&copy.src.region, &copy.dst.region}) {
            const std::size_t dim = region == &copy.src.region ? from.dims[i] : to.dims[i];
            region->symbolic_extent.emplace(dim, Expression::symbol(index));
            region->clipped.insert(dim);
        }
        if (below(3) != 0) return;  // one more of the same
        const Expression more = below(2) == 0 ? symbol_for(problem, multiple * below(extent / multiple + 2), extent + 8)
                                              : Expression::symbol(index).times(2).plus(-multiple * below(3));
        copy.src.region.further[from.dims[i]] = {more};
        copy.dst.region.further[to.dims[i]] = {more};
    }

    /// A load that fills its registers with zeros behind the predicate. Without one, a number bounds one dimension; false where there is none to bound.
    bool fill(Problem& problem) {
        Copy& copy = problem.copies[0];
        if (problem.buffer(copy.dst).space != Space::registers) return false;
        if (copy.src.region.clipped.empty()) {
            const DenseRegion from = dense(copy.src.region);
            if (from.dims.empty()) return false;
            const auto i = static_cast<std::size_t>(below(static_cast<std::int64_t>(from.dims.size())));
            if (!straight_stride(problem.buffer(copy.src).layout, from.dims[i])) return false;
            const std::int64_t extent = from.extents[i], multiple = one_of<std::int64_t>({1, 2, 4, 8});
            copy.src.region.symbolic_extent[from.dims[i]] =
                std::min(extent - 1, multiple * (1 + below((extent + multiple - 1) / multiple)));
            copy.src.region.clipped.insert(from.dims[i]);
        }
        copy.dst.region.symbolic_extent.clear();
        copy.dst.region.clipped.clear();
        copy.dst.region.further.clear();
        copy.zero_fill = true;
        return true;
    }

    /// One number of it is another, or a bound is gone.
    void damage(Segment& s) {
        const auto any = [&](auto& all) -> auto& { return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))]; };
        SidePlan& side = below(2) == 0 ? s.src : s.dst;
        const std::int64_t by = one_of<std::int64_t>({-1, 1, 2, 4, 8, 32});
        switch (below(9)) {
            case 0:
                side.address.offset = side.address.offset + Expression(by);
                break;
            case 1:
                if (!side.address.strides.empty()) {
                    auto& stride = any(side.address.strides);
                    stride = stride + Expression(by);
                }
                break;
            case 2:
                if (!s.digits.empty()) any(s.digits).weight += by;
                break;
            case 3:
                if (!s.predicate.empty()) any(s.predicate).below = any(s.predicate).below + Expression(by);
                break;
            case 4:
                if (!s.predicate.empty()) any(s.predicate).from = below(2) == 0 ? std::nullopt : std::optional(by);
                break;
            case 5:
                any(s.start) += by;
                break;
            case 6:
                if (s.digits.size() > 1) {
                    auto& a = any(s.digits);
                    auto& b = any(s.digits);
                    if (a.role == b.role) std::swap(a.place, b.place);
                }
                break;
            case 7:
                if (s.digits.size() > 1 && side.address.strides.size() > 1) std::swap(any(side.address.strides), any(side.address.strides));
                break;
            default:
                if (!s.predicate.empty()) s.predicate.pop_back();
                break;
        }
    }
};

}  // namespace tileproof::test
