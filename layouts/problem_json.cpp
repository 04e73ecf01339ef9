#include "layouts/problem_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "layouts/grid.hpp"
#include "layouts/notation.hpp"
#include "layouts/predicate.hpp"
#include "layouts/problem_file.hpp"
#include "layouts/region_text.hpp"
#include "layouts/symbolic.hpp"
#include "layouts/thread_axes.hpp"

namespace tileproof {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::int64_t> extents_of(const std::vector<Iter>& iters) {
    std::vector<std::int64_t> out;
    for (const Iter& it : iters) out.push_back(it.extent);
    return out;
}

Json json(const Buffer& buffer, const std::vector<Symbol>& symbols) {
    Json out;
    out["space"] = to_string(buffer.space);
    out["dtype"] = buffer.dtype.name;
    const Layout& layout = buffer.layout;
    if (layout.is_over_bits()) {
        out["layout"] = to_bits(layout).value();
    } else if (modes(layout) && !buffer.shape_is_stated && !layout.has_threads()) {
        out["layout"] = to_cute(layout, symbols);
    } else {  // iters that the shape regroups, or that are threads
        out["layout"] = to_tirx(layout, symbols);
    }
    const bool is_regrouped = layout.has_threads() ? layout.shape != extents_of(layout.iters) : !modes(layout) && !layout.is_over_bits();
    if (buffer.shape_is_stated || is_regrouped) out["shape"] = layout.shape;
    if (buffer.base) out["base"] = buffer.base->count;
    else if (!buffer.align_is_default) out["align"] = buffer.align.count;
    const bool is_stated =
        !buffer.capacity_is_default ||
        (!is_symbolic(buffer) && buffer.capacity != span(buffer.space == Space::registers ? register_part(layout) : layout));
    if (is_stated && buffer.symbolic_capacity) out["capacity"] = to_string(*buffer.symbolic_capacity, symbols);
    else if (is_stated) out["capacity"] = buffer.capacity.count;
    if (buffer.swizzle_on_address) out["swizzle_on"] = "address";
    return out;
}

Json json(const Problem& problem, const Copy& copy) {
    Json out;
    out["name"] = copy.name;
    for (const Side side : both_sides) {
        const Operand& one = operand(copy, side);
        out[to_string(side)] = region_text(problem.buffer(one), one.region, problem.symbols);
    }
    out["scope"] = to_string(copy.scope);
    if (copy.scope == Scope::cta) out["threads"] = copy.threads;
    if (copy.each) out["group"] = "each";
    else if (copy.group != 0) out["group"] = copy.group;
    if (copy.dispatch != "auto") out["dispatch"] = copy.dispatch;
    if (copy.completion) out["completion"] = *copy.completion == Completion::kernel ? "kernel" : "caller";
    if (!copy.cache.empty()) out["cache"] = copy.cache;
    if (copy.zero_fill) out["zero_fill"] = true;
    if (const std::string predicate = predicate_text(copy, problem.symbols); !predicate.empty()) out["predicate"] = predicate;
    return out;
}

Json json(const Problem& problem) {
    Json out;
    out["target"]["arch"] = problem.target.name;
    if (problem.ptx) out["target"]["ptx"] = to_string(*problem.ptx);
    int least_block = 1;
    for (const Copy& copy : problem.copies)
        least_block = static_cast<int>(std::max<Wide>(least_block, participants(copy, problem.launch).end()));
    if (!problem.launch.block_is_default || problem.launch.block != least_block) out["launch"]["block"] = problem.launch.block;
    const auto is_of_blocks = [](const Symbol& s) { return s.index && !s.index->is_group(); };
    const bool has_block_symbols = std::any_of(problem.symbols.begin(), problem.symbols.end(), is_of_blocks);
    if (has_block_symbols || block_count(problem.launch) > 1) out["launch"]["grid"] = problem.launch.grid;
    for (const Symbol& symbol : problem.symbols)
        if (is_of_blocks(symbol))
            out["launch"][symbol.name] = {{"from", std::string("ctaid.") + "xyz"[symbol.index->dim]}, {"times", symbol.index->times}};
    for (const Symbol& symbol : problem.symbols) {
        if (symbol.index && !symbol.claimed) continue;
        const SymbolRange range = symbol.claimed.value_or(SymbolRange{symbol.min, symbol.max, symbol.multiple_of});
        Json& one = out["symbols"][symbol.name];
        one["min"] = range.min;
        one["max"] = range.max;
        if (range.multiple_of != 1) one["multiple_of"] = range.multiple_of;
    }
    for (const Fact& fact : problem.facts) out["assume"]["facts"].push_back(to_string(fact, problem.symbols));
    for (const Buffer& buffer : problem.buffers) out["buffers"][buffer.name] = json(buffer, problem.symbols);
    out["copies"] = Json::array();
    for (const Copy& copy : problem.copies) out["copies"].push_back(json(problem, copy));
    return out;
}

/// What merged into `before` gives `after`. Requires: two objects.
Json difference(const Json& before, const Json& after) {
    Json out = Json::object();
    for (const auto& [key, value] : after.items()) {
        if (!before.contains(key)) {
            out[key] = value;
        } else if (before[key] != value) {
            out[key] = value.is_object() && before[key].is_object() ? difference(before[key], value) : value;
        }
    }
    for (const auto& [key, value] : before.items())
        if (!after.contains(key)) out[key] = nullptr;
    return out;
}

/// A region that is all of its buffer has no numbers in a file, and some of a file may say otherwise.
bool same_regions(const Problem& before, const Problem& after) {
    for (std::size_t i = 0; i < before.buffers.size(); ++i)
        if (before.buffers[i].layout.shape != after.buffers[i].layout.shape) return false;
    for (std::size_t i = 0; i < before.copies.size(); ++i)
        for (const Side side : both_sides)
            if (operand(before.copies[i], side).region != operand(after.copies[i], side).region) return false;
    return true;
}

}  // namespace

std::string problem_json(const Problem& problem) { return json(problem).dump(); }

std::string merge_patch(const Problem& before, const Problem& after) {
    const Json to = json(after);
    Json out = difference(json(before), to);
    if (!same_regions(before, after)) out["copies"] = to["copies"];
    return out.dump();
}

Result<Problem> patched(const Problem& problem, const std::string& patch) {
    Json file = json(problem);
    file.merge_patch(Json::parse(patch));
    return parse_problem({"<patched>", file.dump()}, problem.stem);
}

}  // namespace tileproof
