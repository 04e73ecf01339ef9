#include "layouts/copy_reader_internal.hpp"

#include "layouts/cache_hint.hpp"
#include "layouts/predicate.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

void read_predicate_of(Table& table, const std::vector<Symbol>& symbols, Copy& copy) {
    const std::optional<Text> text = table.text("predicate");
    if (table.has("zero_fill")) {
        const std::optional<bool> fills = table.flag("zero_fill");
        copy.zero_fill = fills.value_or(false);
        if (copy.zero_fill && !table.has("predicate"))
            return table.fault(
                {"predicate-bound", "'zero_fill' fills what a predicate leaves out, and there is none", table.place("zero_fill")});
    }
    if (!text) return;
    copy.predicate_place = text->place;
    const Result<std::vector<CoordinateBound>> bounds = read_predicate(text->value, symbols);
    if (!bounds) return table.fault(text->at(bounds.error()));
    if (const auto fault = apply_predicate(copy, bounds.value(), symbols)) table.fault(text->at(*fault));
}

void read_people(Table& table, Copy& copy) {
    constexpr std::array scopes{Scope::thread, Scope::warp, Scope::warpgroup, Scope::cta};
    const std::optional<std::size_t> scope = table.one_of("scope", {scope_names.begin(), scope_names.end()});
    if (scope) {
        copy.scope = scopes[*scope];
        copy.threads = threads_of_scope[*scope];
    }
    if (const auto threads = table.integer("threads", 1, most_threads)) {
        copy.threads = static_cast<int>(*threads);
        copy.threads_place = table.place("threads");
    } else if (scope && copy.scope == Scope::cta) {
        table.require("threads", table.place("scope"), "a cta does not say itself how many threads it has");
    }
    if (table.says("group", "each")) {
        copy.each = true;
        copy.group_place = table.place("group");
    } else if (const auto group = table.integer("group", 0, most_threads - 1)) {
        copy.group = static_cast<int>(*group);
        copy.group_place = table.place("group");
    }
}

void read_dispatch(Table& table, Copy& copy) {
    const std::vector<std::string> known{"auto",     "vec_auto", "vec_16b",    "vec_32b", "vec_64b",
                                         "vec_128b", "vec_256b", "ldstmatrix", "ldgsts",  "fallback"};
    if (const std::optional<std::size_t> found = table.one_of("dispatch", known)) {
        copy.dispatch = known[*found];
        copy.dispatch_place = table.place("dispatch");
    }
    if (const std::optional<std::size_t> found = table.one_of("completion", {"kernel", "caller"}))
        copy.completion = *found == 0 ? Completion::kernel : Completion::caller;
}

/// One hint, or a list of them.
void read_cache(Table& table, Copy& copy) {
    std::vector<Text> hints;
    if (table.is_string("cache")) hints.push_back(*table.text("cache"));
    else hints = table.texts("cache");
    for (const Text& one : hints) {
        copy.cache.push_back(one.value);
        copy.cache_place = table.place("cache");
        if (cache_hint(one.value) != nullptr) continue;
        Diagnostic unknown = one.fault("unknown-value", in_quotes(one.value) + " is no cache hint");
        unknown.help.push_back(hint(one.value, cache_hint_words()));
        table.fault(std::move(unknown));
    }
}

}  // namespace

void read_copy(Table table, const NamedShapes& names, const std::vector<Symbol>& symbols, Copy& copy) {
    table.check_keys({{"name"},
                      {"src"},
                      {"dst"},
                      {"scope"},
                      {"threads"},
                      {"group"},
                      {"dispatch"},
                      {"completion"},
                      {"cache"},
                      {"predicate"},
                      {"zero_fill"}});
    copy.place = table.header();
    if (const std::optional<Text> name = table.text("name")) {
        copy.name = name->value;
        copy.place = name->place;
    }
    for (const Side side : both_sides) {
        const std::optional<Text> text = table.text(to_string(side));
        if (!text) continue;
        Result<Operand> operand = read_operand(text->value, names, symbols, table.has("predicate"));
        if (!operand) {
            table.fault(text->at(operand.error()));
            continue;
        }
        operand.value().place = text->place;
        (side == Side::src ? copy.src : copy.dst) = std::move(operand.value());
    }
    const bool has_regions = !copy.src.region.start.empty() && !copy.dst.region.start.empty();
    if (has_regions) read_predicate_of(table, symbols, copy);
    read_people(table, copy);
    read_dispatch(table, copy);
    read_cache(table, copy);
    for (const char* key : {"src", "dst", "scope"}) table.require(key, table.header());
}

}  // namespace tileproof
