#include "layouts/predicate.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "layouts/box.hpp"
#include "layouts/cursor_internal.hpp"
#include "layouts/expression_text_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

std::string name_of(std::size_t dim) { return "d" + std::to_string(dim); }

/// Coordinates are symbols behind those of the file while a predicate is read.
std::vector<Symbol> with_coordinates(const std::vector<Symbol>& symbols) {
    std::vector<Symbol> out = symbols;
    for (std::size_t dim = 0; dim < max_rank; ++dim) out.push_back({name_of(dim), 0, most_elements.count});
    return out;
}

class PredicateReader {
public:
    PredicateReader(std::string_view text, const std::vector<Symbol>& symbols)
        : in_(text, "predicate-syntax"), symbols_(symbols), all_(with_coordinates(symbols)) {}

    Result<std::vector<CoordinateBound>> read() {
        do {
            if (!read_bound()) return *in_.fault();
        } while (in_.accept(','));
        if (!in_.at_end() && !in_.fail_expected("',' or the end of the predicate")) return *in_.fault();
        return std::move(out_);
    }

private:
    bool read_bound() {
        const std::size_t begin = in_.at();
        const std::optional<Expression> left = side();
        if (!left) return false;
        const bool is_less = in_.sees('<');
        if (!in_.accept('<') && !in_.accept('>')) return in_.fail_expected("a comparison: < <= > >=");
        const bool or_equal = in_.sees('=');
        if (or_equal) in_.accept('=');
        const std::optional<Expression> right = side();
        if (!right) return false;
        const Expression less = is_less ? *left : *right, more = is_less ? *right : *left;
        return keep(more.minus(less).plus(or_equal ? 1 : 0), begin);
    }

    std::optional<Expression> side() { return read_expression(in_, all_, "a coordinate such as d0, or a bound", Grammar::sum); }

    /// `above` is positive. It is bound - d for one coordinate d.
    bool keep(const Expression& above, std::size_t begin) {
        const std::size_t end = in_.end_of_last();
        const std::string bound = in_quotes(in_.text(begin, end));
        std::optional<std::size_t> dim;
        for (const Monomial& monomial : above.monomials()) {
            for (const int symbol : monomial) {
                const auto i = static_cast<std::size_t>(symbol);
                if (i < symbols_.size()) continue;
                const bool is_alone = monomial.size() == 1 && !dim && above.coefficient(monomial) == -1;
                if (!is_alone) return no_bound(bound, begin, end);
                dim = i - symbols_.size();
            }
        }
        if (!dim) return no_bound(bound, begin, end);
        const Expression below = above.plus(Expression::symbol(static_cast<int>(symbols_.size() + *dim)));
        if (!checked_product(below, 1, symbols_, max_offset)) return in_.fail("overflow", "the bound may be beyond 2^50", begin, end);
        out_.push_back({*dim, below, begin + 1, end - begin});
        return true;
    }

    bool no_bound(const std::string& bound, std::size_t begin, std::size_t end) {
        in_.fail("predicate-bound", bound + " is no upper bound of one coordinate of the region", begin, end);
        return in_.help("a bound is one coordinate, d0 or d1 and so on, below what depends on symbols alone: \"row + d0 < m\"");
    }

    Cursor in_;
    const std::vector<Symbol>& symbols_;
    const std::vector<Symbol> all_;
    std::vector<CoordinateBound> out_;
};

Diagnostic at_bound(const CoordinateBound& bound, std::string rule, std::string text) {
    Diagnostic out{std::move(rule), std::move(text)};
    out.place = {1, static_cast<int>(bound.column), static_cast<int>(bound.length)};
    return out;
}

/// Adds a bound to those of a dimension. The least of numbers counts, and of equal bounds one.
void add_bound(Region& region, std::size_t dim, const Expression& below) {
    const auto [first, is_new] = region.symbolic_extent.emplace(dim, below);
    if (is_new) {
        region.clipped.insert(dim);
        return;
    }
    if (first->second == below) return;
    std::vector<Expression>& further = region.further[dim];
    std::vector<Expression*> known;
    if (region.clipped.count(dim) != 0) known.push_back(&first->second);
    for (Expression& one : further) known.push_back(&one);
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const Expression* one) { return *one == below || (one->is_constant() && below.is_constant()); });
    if (same == known.end()) further.push_back(below);
    else if (below.is_constant()) **same = std::min<std::int64_t>(**same, below);
    if (further.empty()) region.further.erase(dim);
}

}  // namespace

Result<std::vector<CoordinateBound>> read_predicate(std::string_view text, const std::vector<Symbol>& symbols) {
    for (std::size_t dim = 0; dim < max_rank; ++dim)
        for (const Symbol& symbol : symbols)
            if (symbol.name == name_of(dim))
                return Diagnostic{"predicate-bound",
                                  in_quotes(symbol.name) + " is a coordinate in a predicate, and here a symbol too: rename the symbol",
                                  {1, 1, 1}};
    return PredicateReader(text, symbols).read();
}

std::optional<Diagnostic> apply_predicate(Copy& copy, const std::vector<CoordinateBound>& bounds, const std::vector<Symbol>& symbols) {
    const DenseRegion of_src = dense(copy.src.region), of_dst = dense(copy.dst.region);
    for (const CoordinateBound& bound : bounds) {
        if (bound.dim >= of_src.dims.size())
            return at_bound(bound, "predicate-bound",
                            "the region has no coordinate d" + std::to_string(bound.dim) + ": it has " +
                                std::to_string(of_src.dims.size()) + " dimensions of an extent other than 1");
        const Wide most = interval(bound.below, symbols).greatest;
        if (most < 1) return at_bound(bound, "zero-extent", "the predicate leaves nothing of the region, whatever its symbols are");
        for (const Side side : both_sides) {
            if (copy.zero_fill && side == Side::dst) continue;  // it is written as a whole
            const DenseRegion& logical = side == Side::src ? of_src : of_dst;
            if (bound.dim >= logical.dims.size()) continue;  // the extents differ, and that is said elsewhere
            Region& region = side == Side::src ? copy.src.region : copy.dst.region;
            const std::size_t dim = logical.dims[bound.dim];
            const bool is_extent =
                region.symbolic_extent.count(dim) != 0 && region.clipped.count(dim) == 0;  // of the region itself, by symbols
            if (is_extent && copy.zero_fill) return at_bound(bound, "unsupported", fills_up_to_symbols(copy.name, {}).text);
            if (bound.below.is_constant() && copy.zero_fill && std::int64_t{bound.below} >= region.extent[dim])
                continue;  // it cuts nothing off
            if (bound.below.is_constant() && !copy.zero_fill) {
                if (std::int64_t{bound.below} < region.extent[dim] && is_extent)
                    region.clipped.insert(dim);  // the number is the region's end, and the symbols may reach beyond
                region.extent[dim] = std::min<std::int64_t>(region.extent[dim], bound.below);
            } else {
                add_bound(region, dim, bound.below);
            }
            if (bounds_of(region, dim).size() > most_bounds) return at_bound(bound, "unsupported", too_many_bounds(bound.dim, {}).text);
        }
    }
    if (copy.src.region.clipped.empty()) copy.zero_fill = false;  // nothing is cut off
    return std::nullopt;
}

Diagnostic too_many_bounds(std::size_t dim, const Place& place) {
    return {"unsupported", "d" + std::to_string(dim) + " has more than " + std::to_string(most_bounds) + " bounds that depend on symbols",
            place};
}

Diagnostic fills_up_to_symbols(const std::string& copy, const Place& place) {
    return {"unsupported", copy + " fills with zeros a region that ends where symbols say, along what the predicate bounds", place};
}

std::string predicate_text(const Copy& copy, const std::vector<Symbol>& symbols) {
    std::string out;
    const Region& region = copy.src.region;
    const DenseRegion logical = dense(region);
    for (std::size_t i = 0; i < logical.dims.size(); ++i)
        for (const Expression& below : cuts_of(region, logical.dims[i]))
            out += (out.empty() ? "" : ", ") + name_of(i) + " < " + to_string(below, symbols);
    return out;
}

}  // namespace tileproof
