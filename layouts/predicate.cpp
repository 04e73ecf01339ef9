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

Diagnostic another_bound(const CoordinateBound& bound) {
    return at_bound(bound, "unsupported", "d" + std::to_string(bound.dim) + " has another bound that depends on symbols: this version takes one for each coordinate");
}

}  // namespace

Result<std::vector<CoordinateBound>> read_predicate(std::string_view text, const std::vector<Symbol>& symbols) {
    for (std::size_t dim = 0; dim < max_rank; ++dim)
        for (const Symbol& symbol : symbols)
            if (symbol.name == name_of(dim)) return Diagnostic{"predicate-bound", in_quotes(symbol.name) + " is a coordinate in a predicate, and here a symbol too: rename the symbol", {1, 1, 1}};
    return PredicateReader(text, symbols).read();
}

std::optional<Diagnostic> apply_predicate(Copy& copy, const std::vector<CoordinateBound>& bounds, const std::vector<Symbol>& symbols) {
    const DenseRegion of_src = dense(copy.src.region), of_dst = dense(copy.dst.region);
    for (const CoordinateBound& bound : bounds) {
        if (bound.dim >= of_src.dims.size())
            return at_bound(bound, "predicate-bound", "the region has no coordinate d" + std::to_string(bound.dim) + ": it has " + std::to_string(of_src.dims.size()) + " dimensions of an extent other than 1");
        const Wide most = interval(bound.below, symbols).greatest;
        if (most < 1) return at_bound(bound, "zero-extent", "the predicate leaves nothing of the region, whatever its symbols are");
        for (const Side side : both_sides) {
            if (copy.zero_fill && side == Side::dst) continue;  // it is written as a whole
            const DenseRegion& logical = side == Side::src ? of_src : of_dst;
            if (bound.dim >= logical.dims.size()) continue;  // the extents differ, and that is said elsewhere
            Region& region = side == Side::src ? copy.src.region : copy.dst.region;
            const std::size_t dim = logical.dims[bound.dim];
            if (bound.below.is_constant() && copy.zero_fill) {
                if (std::int64_t{bound.below} >= region.extent[dim]) continue;  // it cuts nothing off
                const auto [there, is_new] = region.symbolic_extent.emplace(dim, bound.below);
                if (!is_new && there->second.is_constant()) there->second = std::min<std::int64_t>(there->second, bound.below);
                else if (!is_new) return another_bound(bound);
                region.clipped.insert(dim);
            } else if (bound.below.is_constant()) {
                region.extent[dim] = std::min<std::int64_t>(region.extent[dim], bound.below);
            } else if (!region.symbolic_extent.emplace(dim, bound.below).second) {
                return another_bound(bound);
            } else {
                region.clipped.insert(dim);
            }
        }
    }
    if (copy.src.region.clipped.empty()) copy.zero_fill = false;  // nothing is cut off
    return std::nullopt;
}

std::string predicate_text(const Copy& copy, const std::vector<Symbol>& symbols) {
    std::string out;
    const Region& region = copy.src.region;
    const DenseRegion logical = dense(region);
    for (std::size_t i = 0; i < logical.dims.size(); ++i) {
        if (region.clipped.count(logical.dims[i]) == 0) continue;
        out += (out.empty() ? "" : ", ") + name_of(i) + " < " + to_string(region.symbolic_extent.at(logical.dims[i]), symbols);
    }
    return out;
}

}  // namespace tileproof
