#include "layouts/notation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "layouts/cursor_internal.hpp"
#include "layouts/expression_text_internal.hpp"
#include "layouts/linear_bits.hpp"
#include "layouts/notation_internal.hpp"
#include "layouts/thread_axes.hpp"
#include "layouts/thread_value.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

constexpr int deepest = 32;           // nesting of CuTe tuples
constexpr int largest_exponent = 64;  // of a swizzle; more is invalid whatever the rest says

/// A number, or a tuple of such, and where it stands in the text.
struct Tuple {
    bool is_number = false;
    Expression number = 0;
    std::vector<Tuple> items{};
    std::size_t begin = 0;
    std::size_t end = 0;
    Axis axis = Axis::m;
};

enum class Part { extents, strides, offsets };

std::string_view one_of(Part part) { return part == Part::extents ? "an extent" : part == Part::strides ? "a stride" : "an offset"; }

bool same_profile(const Tuple& a, const Tuple& b) {
    return a.is_number == b.is_number && std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_profile);
}

class LayoutReader {
public:
    LayoutReader(std::string_view text, const std::vector<std::int64_t>& shape, const std::vector<Symbol>& symbols)
        : in_(text, "layout-syntax"), given_shape_(shape), symbols_(symbols) {}

    Result<Layout> read() {
        if (!read_swizzle() || !read_body() || !read_offsets() || !read_end() || !settle_shape() || !judge_offsets()) return *in_.fault();
        settle_bases();
        return std::move(layout_);
    }

private:
    bool read_swizzle();
    bool read_exponents(char open, char close, std::vector<std::int64_t>& exponents);
    bool read_start();
    bool read_body();
    bool read_cute();
    bool read_tirx();
    bool read_iters(bool needs_strides, std::vector<Iter>& iters);
    bool read_thread_value();
    bool read_bits();
    bool read_offsets();
    bool read_replicas();
    bool read_end();
    bool settle_shape();
    bool judge_offsets();
    bool judge_threads();
    void settle_bases();

    std::optional<Tuple> tuple(Part part, int depth);
    std::optional<Tuple> list(Part part, char close, int depth);
    std::optional<Tuple> number(Part part, Grammar grammar);
    bool sees_symbol();
    std::optional<Axis> axis();
    bool add_offset(const Tuple& more);
    bool add_thread_offset(const Tuple& more);
    bool fail_profile(std::string_view relation, const Tuple& extents, const Tuple& strides);
    static void append(std::vector<Iter>& iters, const Tuple& extents, const Tuple& strides);
    bool row_major(const Tuple& extents, std::vector<Iter>& iters);

    Cursor in_;
    const std::vector<std::int64_t>& given_shape_;
    const std::vector<Symbol>& symbols_;
    Layout layout_;
    std::size_t body_begin_ = 0;
    int leaves_ = 0;  // of the extents or strides, so far
};

/// `Sw<B,M,S> o`, `Sw<B,M,S> o OFFSET o` or `swizzle(M,B,S) o`, if there is one.
bool LayoutReader::read_swizzle() {
    const std::size_t begin = in_.at();
    const std::string_view word = in_.sees_name();
    if (word != "Sw" && word != "swizzle") return true;
    in_.name();
    std::vector<std::int64_t> e;
    if (word == "Sw" ? !read_exponents('<', '>', e) : !read_exponents('(', ')', e)) return false;
    if (word == "swizzle") std::swap(e[0], e[1]);
    const bool small = std::all_of(e.begin(), e.end(),
                                   [](std::int64_t exponent) { return exponent >= -largest_exponent && exponent <= largest_exponent; });
    if (small) layout_.swizzle = {static_cast<int>(e[0]), static_cast<int>(e[1]), static_cast<int>(e[2])};
    if (!small || !layout_.swizzle.is_valid()) {
        const std::size_t end = in_.end_of_last();
        in_.fail("invalid-swizzle", in_quotes(in_.text(begin, end)) + " is no valid swizzle", begin, end);
        return in_.help("Sw<B,M,S> needs B >= 0, M >= 0, |S| >= B unless B = 0, and M + B + |S| <= 40" +
                        std::string(word == "Sw" ? "" : "; swizzle(M,B,S) is Sw<B,M,S>"));
    }
    if (layout_.swizzle.period_log2() > max_period_log2)
        return in_.fail("unsupported", "the swizzle repeats only after more than 2^20 elements", begin, in_.end_of_last());
    if (in_.sees_name() != "o") return in_.fail_expected("'o' and a layout");
    in_.name();
    return read_start();
}

bool LayoutReader::read_exponents(char open, char close, std::vector<std::int64_t>& exponents) {
    for (int i = 0; i < 3; ++i) {
        if (!in_.expect(i == 0 ? open : ',')) return false;
        const std::optional<std::int64_t> exponent = in_.integer("a number");
        if (!exponent) return false;
        exponents.push_back(*exponent);
    }
    return in_.expect(close);
}

/// `OFFSET o` between a swizzle and its layout. A number alone may also begin a layout of rank 1, `16:3`.
bool LayoutReader::read_start() {
    const std::size_t begin = in_.at();
    if (!in_.sees_number() && !in_.sees('_') && !sees_symbol()) return true;
    const std::optional<Tuple> start = number(Part::offsets, Grammar::sum);
    if (!start) return false;
    if (in_.sees_name() != "o") {
        in_.move_to(begin);
        return true;
    }
    in_.name();
    return add_offset(*start);
}

bool LayoutReader::read_body() {
    leaves_ = 0;
    body_begin_ = in_.at();
    const std::string_view word = in_.sees_name();
    if (word == "S") return read_tirx();
    if (word == "TV") return read_thread_value();
    if (word == "bits") return read_bits();
    if (in_.sees('(') || in_.sees('_') || in_.sees_number()) return read_cute();
    return in_.fail_expected("a layout such as (128,64):(64,1) or S[128,64]");
}

bool LayoutReader::read_cute() {
    const std::optional<Tuple> extents = tuple(Part::extents, 0);
    if (!extents || !in_.expect(':')) return false;
    leaves_ = 0;
    const std::optional<Tuple> strides = tuple(Part::strides, 0);
    if (!strides) return false;
    if (!same_profile(*extents, *strides)) return fail_profile("are not nested like", *extents, *strides);
    if (extents->is_number) {
        layout_.shape = {extents->number};
        append(layout_.iters, *extents, *strides);
        return true;
    }
    for (std::size_t i = 0; i < extents->items.size(); ++i) {
        const std::size_t first = layout_.iters.size();
        append(layout_.iters, extents->items[i], strides->items[i]);
        const auto mode = layout_.iters.begin() + static_cast<std::ptrdiff_t>(first);
        std::reverse(mode, layout_.iters.end());  // CuTe's leftmost submode is the fastest
        std::vector<std::int64_t> sizes;
        for (auto it = mode; it != layout_.iters.end(); ++it) sizes.push_back(it->extent);
        const std::optional<std::int64_t> size = checked_product(sizes);
        if (!size) return in_.fail("overflow", "more than 2^50 elements", extents->begin, extents->end);
        layout_.shape.push_back(*size);
    }
    return true;
}

bool LayoutReader::fail_profile(std::string_view relation, const Tuple& extents, const Tuple& strides) {
    const std::string text = "the strides " + in_quotes(in_.text(strides.begin, strides.end)) + " " + std::string(relation) +
                             " the extents " + in_quotes(in_.text(extents.begin, extents.end));
    return in_.fail("layout-syntax", text, strides.begin, strides.end);
}

/// The numbers of both, in the order in which they are written, as iters.
void LayoutReader::append(std::vector<Iter>& iters, const Tuple& extents, const Tuple& strides) {
    if (extents.is_number) iters.push_back({extents.number, strides.number, strides.axis});
    for (std::size_t i = 0; i < extents.items.size(); ++i) append(iters, extents.items[i], strides.items[i]);
}

bool LayoutReader::read_tirx() {
    in_.name();
    if (!read_iters(false, layout_.iters)) return false;
    for (const Iter& it : layout_.iters) layout_.shape.push_back(it.extent);
    return true;
}

/// `[(8,4):(4,1)]`, or `[8,4]` where strides may be left out.
bool LayoutReader::read_iters(bool needs_strides, std::vector<Iter>& iters) {
    if (!in_.expect('[')) return false;
    const std::size_t begin = in_.at();
    leaves_ = 0;
    std::optional<Tuple> extents = list(Part::extents, ']', 0);
    if (!extents) return false;
    const bool one = extents->items.size() == 1;
    if (one) extents = Tuple(extents->items[0]);  // S[(8,4)] is S[8,4]
    std::optional<Tuple> strides;
    if (one && in_.accept(':')) {
        leaves_ = 0;
        strides = tuple(Part::strides, 0);
        if (!strides) return false;
    } else if (needs_strides) {
        return in_.fail_expected("':' and strides");
    }
    if (!in_.expect(']')) return false;
    const auto is_flat = [](const Tuple& t) {
        return std::all_of(t.items.begin(), t.items.end(), [](const Tuple& item) { return item.is_number; });
    };
    if (!is_flat(*extents)) return in_.fail("layout-syntax", "the iters of S[...] are not nested", begin, extents->end);
    if (strides && !same_profile(*extents, *strides)) return fail_profile("are not as many as", *extents, *strides);
    if (!strides) return row_major(*extents, iters);
    append(iters, *extents, *strides);
    return true;
}

bool LayoutReader::row_major(const Tuple& extents, std::vector<Iter>& iters) {
    append(iters, extents, extents);
    std::int64_t stride = 1;
    for (std::size_t i = iters.size(); i-- > 0;) {
        Iter& it = iters[i];
        it.stride = stride;
        if (it.extent > max_offset / stride) return in_.fail("overflow", "more than 2^50 elements", extents.begin, extents.end);
        stride *= it.extent;
    }
    return true;
}

/// `TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)`: a mode of threads and one of values, and the shape.
bool LayoutReader::read_thread_value() {
    in_.name();
    const std::optional<Tuple> extents = tuple(Part::extents, 0);
    if (!extents || !in_.expect(':')) return false;
    leaves_ = 0;
    const std::optional<Tuple> strides = tuple(Part::strides, 0);
    if (!strides) return false;
    if (!same_profile(*extents, *strides)) return fail_profile("are not nested like", *extents, *strides);
    if (extents->items.size() != 2)
        return in_.fail("layout-syntax", "a thread-value layout has two modes, of threads and of values", extents->begin, extents->end);
    if (in_.sees_name() != "of") return in_.fail_expected("'of' and the shape of the tile");
    in_.name();
    leaves_ = 0;
    const std::optional<Tuple> shape = tuple(Part::extents, 0);
    if (!shape) return false;
    const auto is_nested = [](const Tuple& item) { return !item.is_number; };
    if (!shape->is_number && (shape->items.empty() || std::any_of(shape->items.begin(), shape->items.end(), is_nested)))
        return in_.fail("layout-syntax", "the shape of the tile is a list of extents", shape->begin, shape->end);
    ThreadValue tv;
    for (const std::size_t mode : {std::size_t{0}, std::size_t{1}}) {
        std::vector<Iter> parts;
        append(parts, extents->items[mode], strides->items[mode]);
        for (const Iter& part : parts) {
            if (!part.stride.is_constant() || part.axis != Axis::m)
                return in_.fail("layout-syntax", "the strides of a thread-value layout count elements of the tile, by numbers",
                                strides->begin, strides->end);
            (mode == 0 ? tv.threads : tv.values).push_back({part.extent, part.stride});
        }
    }
    if (shape->is_number) tv.shape.push_back(shape->number);
    for (const Tuple& extent : shape->items) tv.shape.push_back(extent.number);
    Result<Layout> layout = inverted(tv);
    if (!layout) return in_.fail(layout.error().rule, layout.error().text, body_begin_, in_.end_of_last());
    Layout& read = layout.value();
    read.offset = layout_.offset;
    read.swizzle = layout_.swizzle;
    layout_ = std::move(read);
    return true;
}

/// A swizzle is linear over bits, so it can go into the bases. A constant cannot: whether it is added or joined by XOR is open.
bool LayoutReader::read_bits() {
    in_.name();
    if (!read_bases(in_, layout_.bases)) return false;
    if (!(layout_.offset == Expression(0)) || in_.sees('+'))
        return in_.fail("layout-syntax", "a layout over bits begins at offset 0", body_begin_, in_.end_of_last());
    for (const std::vector<std::int64_t>& dim : layout_.bases) layout_.shape.push_back(std::int64_t{1} << dim.size());
    return true;
}

/// A number, or a tuple in parentheses.
std::optional<Tuple> LayoutReader::tuple(Part part, int depth) {
    const std::size_t begin = in_.at();
    if (!in_.accept('(')) return number(part, depth == 0 ? Grammar::product : Grammar::sum);
    if (depth == deepest) {
        in_.fail("layout-syntax", "parentheses nested more than 32 deep", begin, begin + 1);
        return std::nullopt;
    }
    std::optional<Tuple> items = list(part, ')', depth + 1);
    if (!items || !in_.expect(')')) return std::nullopt;
    items->begin = begin;
    items->end = in_.end_of_last();
    return items;
}

/// Tuples between commas, up to `close` (or a colon, which is not for the list to judge).
std::optional<Tuple> LayoutReader::list(Part part, char close, int depth) {
    Tuple all;
    all.begin = in_.at();
    while (!in_.sees(close)) {
        if (!all.items.empty() && !in_.accept(',')) break;
        std::optional<Tuple> item = tuple(part, depth);
        if (!item) return std::nullopt;
        // Empty tuples count too, so that what is kept is bounded.
        if (item->items.empty() && ++leaves_ > max_iters) {
            in_.fail("rank", "more than 64 iters", item->begin, item->end);
            return std::nullopt;
        }
        all.items.push_back(std::move(*item));
    }
    all.end = std::max(all.begin, in_.end_of_last());
    return all;
}

bool LayoutReader::sees_symbol() {
    const std::string_view name = in_.sees_name();
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const Symbol& symbol) { return symbol.name == name; });
}

/// `8`, `_8`, `-8`, and for strides and offsets expressions and `8@axis`.
std::optional<Tuple> LayoutReader::number(Part part, Grammar grammar) {
    const std::size_t begin = in_.at();
    if (in_.sees('_')) {
        in_.move_to(begin + 1);
        if (!in_.sees_number()) in_.move_to(begin);  // a name such as _n
    }
    const std::string_view symbol = in_.sees_name();
    if (part == Part::extents && !symbol.empty()) {
        in_.fail("unsupported", in_quotes(symbol) + " is not a number, and extents must be numbers", begin, begin + symbol.size());
        return std::nullopt;
    }
    std::optional<Expression> value;
    if (part == Part::extents) {
        if (const std::optional<std::int64_t> extent = in_.integer(one_of(part))) value = *extent;
    } else {
        value = read_expression(in_, symbols_, one_of(part), grammar);
    }
    if (!value) return std::nullopt;
    const Tuple read{true, *value, {}, begin, in_.end_of_last()};
    if (part == Part::extents && *value < 1) {
        in_.fail("zero-extent", "the extent " + std::to_string(*value) + " is not positive", read.begin, read.end);
        return std::nullopt;
    }
    if (part == Part::extents && in_.sees('*')) {
        in_.fail("unsupported", "extents must be numbers, not expressions", in_.at(), in_.at() + 1);
        return std::nullopt;
    }
    if (part == Part::extents || !in_.sees('@')) return read;
    const std::optional<Axis> of = axis();
    if (!of) return std::nullopt;
    Tuple out = read;
    out.axis = *of;
    if (*of != Axis::m && !value->is_constant()) {
        in_.fail("unsupported", "strides and offsets of threads must be numbers", read.begin, read.end);
        return std::nullopt;
    }
    return out;
}

/// `@m` is the memory axis, where everything is unless it says otherwise; the other axes are threads.
std::optional<Axis> LayoutReader::axis() {
    in_.accept('@');
    const std::size_t begin = in_.at();
    const std::string_view name = in_.name();
    if (name.empty()) {
        in_.fail_expected("an axis such as laneid");
        return std::nullopt;
    }
    const std::optional<Axis> found = find_axis(name);
    if (!found) {
        in_.fail("layout-syntax", "there is no axis " + in_quotes(name), begin, in_.end_of_last());
        in_.help("axes are m, laneid, warpid, wid_in_wg, tid_in_wg and tx");
    }
    return found;
}

bool LayoutReader::read_offsets() {
    while (in_.sees('+') || (in_.sees('-') && !symbols_.empty())) {
        const bool minus = in_.sees('-');
        in_.accept(minus ? '-' : '+');
        if (!minus && in_.sees_name() == "R" && !sees_symbol()) {
            if (!read_replicas()) return false;
            continue;
        }
        std::optional<Tuple> more = number(Part::offsets, Grammar::product);
        if (more && minus) more->number = more->number.times(-1);
        if (!more || !(more->axis == Axis::m ? add_offset(*more) : add_thread_offset(*more))) return false;
    }
    return true;
}

/// `R[2:4@warpid]`: every element is held once more for each value of these digits.
bool LayoutReader::read_replicas() {
    in_.name();
    const std::size_t begin = in_.at();
    if (!read_iters(true, layout_.replicas)) return false;
    std::vector<std::int64_t> extents;
    for (const Iter& it : layout_.replicas) {
        extents.push_back(it.extent);
        if (!it.stride.is_constant()) return in_.fail("unsupported", "strides of replicas must be numbers", begin, in_.end_of_last());
    }
    if (layout_.replicas.size() > max_rank) return in_.fail("rank", "more than 8 replica iters", begin, in_.end_of_last());
    const std::optional<std::int64_t> all = checked_product(extents);
    return all ? true : in_.fail("overflow", "more than 2^50 replicas", begin, in_.end_of_last());
}

bool LayoutReader::add_thread_offset(const Tuple& more) {
    const Wide sum = Wide{layout_.thread_offset[more.axis]} + std::int64_t{more.number};
    if (sum < -max_offset || sum > max_offset) return in_.fail("overflow", "an offset beyond 2^50 threads", more.begin, more.end);
    layout_.thread_offset[more.axis] = static_cast<std::int64_t>(sum);
    if (sum == 0) layout_.thread_offset.erase(more.axis);
    return true;
}

bool LayoutReader::add_offset(const Tuple& more) {
    const Interval sum = interval(layout_.offset + more.number, symbols_);
    if (sum.least < -max_offset || sum.greatest > max_offset)
        return in_.fail("overflow", "an offset beyond 2^50 elements", more.begin, more.end);
    layout_.offset = layout_.offset + more.number;
    return true;
}

bool LayoutReader::read_end() { return in_.at_end() || in_.fail_expected("the end of the layout"); }

/// Checks the counts, and lets a given shape replace the one that the notation says.
bool LayoutReader::settle_shape() {
    const std::size_t begin = body_begin_, end = in_.end_of_last();
    if (layout_.iters.size() > max_iters) return in_.fail("rank", "more than 64 iters", begin, end);
    const std::optional<std::int64_t> elements = checked_product(layout_.shape);
    if (!elements) return in_.fail("overflow", "more than 2^50 elements", begin, end);
    if (!given_shape_.empty()) {
        for (const std::int64_t extent : given_shape_)
            if (extent < 1) return in_.fail("zero-extent", "the shape " + tuple_of(given_shape_) + " has an extent below 1", begin, end);
        if (checked_product(given_shape_) != elements) {
            const std::string text =
                "the shape " + tuple_of(given_shape_) + " does not have the " + std::to_string(*elements) + " elements of the layout";
            return in_.fail("shape-mismatch", text, begin, end);
        }
        layout_.shape = given_shape_;
        if (layout_.is_over_bits()) layout_.bases = regrouped(layout_.bases, given_shape_);
    }
    if (layout_.shape.empty()) return in_.fail("rank", "a layout needs at least one dimension", begin, end);
    if (layout_.shape.size() > max_rank) {
        in_.fail("rank", "the rank is " + std::to_string(layout_.shape.size()) + ", and at most 8 is supported", begin, end);
        return given_shape_.empty() ? in_.help("a logical shape of fewer dimensions can be stated beside it") : false;
    }
    return true;
}

bool LayoutReader::judge_threads() {
    const std::size_t begin = body_begin_, end = in_.end_of_last();
    if (layout_.is_over_bits()) return in_.fail("unsupported", "a layout over bits has no replicas and no offsets of threads", begin, end);
    if (!layout_.swizzle.is_identity())
        return in_.fail("unsupported", "a swizzle moves elements of memory, and these are in registers", begin, end);
    if (layout_.is_symbolic()) return in_.fail("unsupported", "where registers are must be numbers", begin, end);
    const std::optional<Diagnostic> fault = thread_axes_fault(layout_);
    return fault ? in_.fail(fault->rule, fault->text, begin, end) : true;
}

bool LayoutReader::judge_offsets() {
    if (layout_.has_threads()) return judge_threads();
    if (layout_.is_symbolic()) return true;  // check_problem's business, which knows the ranges of the symbols
    const std::optional<Reach> ends = reach(layout_);
    const std::size_t begin = body_begin_, end = in_.end_of_last();
    if (!ends) return in_.fail("overflow", "an offset beyond 2^50 elements", begin, end);
    if (ends->least < 0) return in_.fail("negative-offset", "the least offset is negative: " + std::to_string(ends->least), begin, end);
    return true;
}

/// Bases that are strides, or become some by a swizzle, are read as such.
void LayoutReader::settle_bases() {
    if (layout_.is_over_bits()) layout_ = layout_over_bits(bit_bases(layout_).value());
}

}  // namespace

Result<Layout> read_layout(std::string_view text, const std::vector<std::int64_t>& shape, const std::vector<Symbol>& symbols) {
    return LayoutReader(text, shape, symbols).read();
}

}  // namespace tileproof
