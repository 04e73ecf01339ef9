#include "layouts/cache_hint.hpp"

#include <algorithm>
#include <array>

namespace tileproof {
namespace {

using Kind = CacheHint::Kind;

constexpr PtxVersion hinted{7, 4};
constexpr Bits any{0};

constexpr std::array rows{
    CacheHint{"ca", Kind::path, false, false, true, any, 80, {7, 0}},
    CacheHint{"cg", Kind::path, false, false, true, {128}, 80, {7, 0}},
    CacheHint{"nc", Kind::non_coherent, true, false, false, any, 75, {6, 3}},
    CacheHint{"L1::evict_normal", Kind::level1, true, true, false, any, 75, hinted},
    CacheHint{"L1::evict_unchanged", Kind::level1, true, true, false, any, 75, hinted},
    CacheHint{"L1::evict_first", Kind::level1, true, true, false, any, 75, hinted},
    CacheHint{"L1::evict_last", Kind::level1, true, true, false, any, 75, hinted},
    CacheHint{"L1::no_allocate", Kind::level1, true, true, false, any, 75, hinted},
    CacheHint{"L2::evict_normal", Kind::level2, true, true, false, {256}, 100, {8, 8}},
    CacheHint{"L2::evict_first", Kind::level2, true, true, false, {256}, 100, {8, 8}},
    CacheHint{"L2::evict_last", Kind::level2, true, true, false, {256}, 100, {8, 8}},
    CacheHint{"L2::64B", Kind::prefetch, true, false, true, any, 75, hinted},
    CacheHint{"L2::128B", Kind::prefetch, true, false, true, any, 75, hinted},
    CacheHint{"L2::256B", Kind::prefetch, true, false, true, any, 80, hinted},
};

std::vector<std::string_view> split(std::string_view mnemonic) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t dot = mnemonic.find('.');
        out.push_back(mnemonic.substr(0, dot));
        if (dot == std::string_view::npos) return out;
        mnemonic.remove_prefix(dot + 1);
    }
}

std::string joined(const std::vector<std::string_view>& words) {
    std::string out;
    for (const std::string_view word : words) out.append(out.empty() ? "" : ".").append(word);
    return out;
}

}  // namespace

const CacheHint* cache_hint(std::string_view word) {
    const auto* const found = std::find_if(rows.begin(), rows.end(), [&](const CacheHint& row) { return row.word == word; });
    return found == rows.end() ? nullptr : found;
}

std::vector<std::string> cache_hint_words() {
    std::vector<std::string> out;
    for (const CacheHint& row : rows) out.emplace_back(row.word);
    return out;
}

std::string with_hints(std::string_view plain, std::vector<const CacheHint*> hints) {
    std::stable_sort(hints.begin(), hints.end(), [](const CacheHint* a, const CacheHint* b) { return a->kind < b->kind; });
    std::vector<std::string_view> words = split(plain);
    // All of them stand behind the memory that is read or written: the last of `shared.global`.
    auto at = std::find(words.begin(), words.end(), "global");
    if (at != words.end()) ++at;
    for (const CacheHint* hint : hints)
        if (hint->kind != Kind::path) at = words.insert(at, hint->word) + 1;
    return joined(words);
}

HintedName without_hints(std::string_view mnemonic) {
    HintedName out;
    std::vector<std::string_view> plain;
    for (const std::string_view word : split(mnemonic)) {
        const CacheHint* const hint = cache_hint(word);
        if (hint != nullptr && hint->kind != Kind::path) out.hints.push_back(hint);
        else plain.push_back(word);
    }
    out.plain = joined(plain);
    const auto same_kind = [](const CacheHint* a, const CacheHint* b) { return a->kind == b->kind; };
    const bool is_twice = std::adjacent_find(out.hints.begin(), out.hints.end(), same_kind) != out.hints.end();
    const bool is_elsewhere = !out.hints.empty() && std::find(plain.begin(), plain.end(), "global") == plain.end();
    if (is_twice || is_elsewhere || with_hints(out.plain, out.hints) != mnemonic) return {std::string(mnemonic)};
    return out;
}

std::vector<const CacheHint*> hints_for(const std::vector<std::string>& words, HintedAccess access) {
    std::vector<const CacheHint*> out;
    for (const std::string& word : words)
        if (const CacheHint* const hint = cache_hint(word); hint->goes_with(access)) out.push_back(hint);
    return out;
}

std::string why_not(const CacheHint& hint, HintedAccess access, std::optional<Bits> width, const Arch& target,
                    std::optional<PtxVersion> stated) {
    const std::string word(hint.word);
    if (!hint.goes_with(access)) {
        if (hint.asyncs && !hint.loads) return word + " goes with cp.async alone";
        return word + " does not go with " +
               (access == HintedAccess::async  ? "cp.async"
                : access == HintedAccess::load ? "loads"
                                               : "stores");
    }
    if (width && hint.only_width.count != 0 && *width != hint.only_width)
        return word + " goes with accesses of " + std::to_string(hint.only_width.count) + " bits alone, not of " +
               std::to_string(width->count);
    if (target.number < hint.least_arch) return word + " needs sm_" + std::to_string(hint.least_arch) + " or later, not " + target.name;
    if (stated && *stated < hint.least_ptx)
        return word + " needs PTX " + to_string(hint.least_ptx) + " or later, and the file asks for PTX " + to_string(*stated);
    return {};
}

}  // namespace tileproof
