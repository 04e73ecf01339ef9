#include "layouts/region_text.hpp"

#include <algorithm>
#include <utility>

#include "layouts/cursor_internal.hpp"
#include "layouts/expression_text_internal.hpp"
#include "layouts/region_text_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

class OperandReader {
public:
    OperandReader(std::string_view text, const NamedShapes& buffers, const std::vector<Symbol>& symbols, bool may_reach_out)
        : in_(text, "region-syntax"), buffers_(&buffers), symbols_(&symbols), may_reach_out_(may_reach_out) {}
    /// For a region alone.
    OperandReader(std::string_view text, const std::vector<std::int64_t>& shape, std::string whose)
        : in_(text, "region-syntax"), name_(std::move(whose)), shape_(shape) {}

    Result<Operand> read() {
        if (read_name() && read_region() && (in_.at_end() || in_.fail_expected("the end of the region"))) return std::move(operand_);
        return *in_.fault();
    }

private:
    bool read_name();
    bool read_region();
    bool read_dimension();
    std::optional<Expression> number(std::string_view what);
    bool keep(const Expression& from, const Expression& to, std::size_t begin);

    Cursor in_;
    const NamedShapes* buffers_ = nullptr;
    const std::vector<Symbol>* symbols_ = nullptr;
    bool may_reach_out_ = false;
    Operand operand_;
    std::string name_;
    std::vector<std::int64_t> shape_;  // empty: unknown
};

bool OperandReader::read_name() {
    if (buffers_ == nullptr) return in_.sees('[') || in_.fail_expected("a region such as [0:4, :]");
    const std::size_t begin = in_.at();
    name_ = in_.name();
    if (name_.empty()) return in_.fail_expected("the name of a buffer");
    const auto found = buffers_->number_of.find(name_);
    if (found == buffers_->number_of.end()) {
        in_.fail("unknown-buffer", "there is no buffer " + in_quotes(name_), begin, in_.end_of_last());
        std::vector<std::string> names;
        for (const auto& [name, number] : buffers_->number_of) names.push_back(name);
        const std::string hint = did_you_mean(name_, names);
        if (!hint.empty()) return in_.help(hint);
        constexpr std::size_t few = 8;
        return !names.empty() && names.size() <= few ? in_.help("known are " + listed(names)) : false;
    }
    operand_.buffer = found->second;
    shape_ = buffers_->shapes[static_cast<std::size_t>(found->second)];
    return true;
}

bool OperandReader::read_region() {
    Region& region = operand_.region;
    const std::size_t begin = in_.at();
    if (!in_.accept('[')) {
        region.start.assign(shape_.size(), 0);
        region.extent = shape_;
        return true;
    }
    do {
        if (!read_dimension()) return false;
        if (region.start.size() > max_rank) return in_.fail("region-rank", "the region has a rank over 8", begin, in_.end_of_last());
    } while (in_.accept(','));
    if (!in_.accept(']')) return in_.fail_expected("',' or ']'");
    if (shape_.empty() || region.start.size() == shape_.size()) return true;
    return in_.fail(
        "region-rank",
        "the region has rank " + std::to_string(region.start.size()) + ", and " + name_ + " has " + std::to_string(shape_.size()), begin,
        in_.end_of_last());
}

/// `3`, `0:64`, `:`, `5:+32`
bool OperandReader::read_dimension() {
    const std::size_t begin = in_.at();
    if (in_.accept(':')) {
        const std::size_t dim = operand_.region.start.size();
        return keep(0, dim < shape_.size() ? shape_[dim] : 1, begin);
    }
    const std::optional<Expression> start = number("a start, a range or ':'");
    if (!start) return false;
    if (!in_.accept(':')) return keep(*start, start->plus(1), begin);
    const bool is_extent = in_.accept('+');
    const std::optional<Expression> stop = number(is_extent ? "an extent" : "an end");
    if (!stop) return false;
    return keep(*start, is_extent ? *start + *stop : *stop, begin);
}

std::optional<Expression> OperandReader::number(std::string_view what) {
    static const std::vector<Symbol> none;
    return read_expression(in_, symbols_ == nullptr ? none : *symbols_, what, Grammar::sum);
}

/// Judges start:end, written from `begin` on, and takes it as the next dimension.
bool OperandReader::keep(const Expression& from, const Expression& to, std::size_t begin) {
    Region& region = operand_.region;
    const std::size_t dim = region.start.size(), stop = in_.end_of_last();
    const std::string range = "the range " + in_quotes(in_.text(begin, stop));
    const Expression extent = to - from;
    // What a symbol decides is judged as an obligation: here it starts at 0, wherever it may, and ends within the shape.
    const std::int64_t start = from.is_constant() ? std::int64_t{from} : 0;
    std::int64_t end = 0;
    if (extent.is_constant()) {
        end = start + std::int64_t{extent};
    } else {
        const Wide greatest = interval(extent, *symbols_).greatest;
        if (greatest < 1) return in_.fail("zero-extent", range + " is empty, whatever its symbols are", begin, stop);
        const std::int64_t room = dim < shape_.size() ? shape_[dim] : max_offset;
        std::int64_t most = static_cast<std::int64_t>(std::min<Wide>(greatest, std::max<std::int64_t>(room - start, 1)));
        if (const std::int64_t d = divisor(extent, *symbols_); most > d) most -= most % d;
        end = start + most;
        region.symbolic_extent.emplace(dim, extent);
    }
    if (start < 0) {
        in_.fail("region-outside", range + " begins outside " + name_ + ", below 0", begin, stop);
        return in_.help("coordinates count from 0; a negative one does not count from the end");
    }
    if (end < start) return in_.fail("region-reversed", range + " ends before it begins", begin, stop);
    if (end == start) return in_.fail("zero-extent", range + " is empty: its extent is 0", begin, stop);
    if (dim < shape_.size() && end > shape_[dim] && !may_reach_out_)
        return in_.fail("region-outside",
                        range + " reaches outside " + name_ + ", whose dimension " + std::to_string(dim) + " has the extent " +
                            std::to_string(shape_[dim]),
                        begin, stop);
    region.start.push_back(from);
    region.extent.push_back(end - start);
    return true;
}

bool is_at_the_start(const Region& region) {
    return std::all_of(region.start.begin(), region.start.end(), [](const Expression& start) { return start == Expression(0); });
}

}  // namespace

Result<Operand> read_operand(std::string_view text, const NamedShapes& buffers, const std::vector<Symbol>& symbols, bool may_reach_out) {
    return OperandReader(text, buffers, symbols, may_reach_out).read();
}

Result<Region> read_region(std::string_view text, const std::vector<std::int64_t>& shape, const std::string& whose) {
    Result<Operand> operand = OperandReader(text, shape, whose).read();
    if (!operand) return operand.error();
    return std::move(operand.value().region);
}

std::string region_text(const Buffer& buffer, const Region& region, const std::vector<Symbol>& symbols) {
    const auto is_symbolic = [&](std::size_t dim) { return region.symbolic_extent.count(dim) != 0 && region.clipped.count(dim) == 0; };
    if (region.extent == buffer.layout.shape && region.symbolic_extent.size() == region.clipped.size() && is_at_the_start(region))
        return buffer.name;
    std::string dims;
    for (std::size_t i = 0; i < region.start.size(); ++i) {
        if (i > 0) dims += ", ";
        dims += to_string(region.start[i], symbols);
        const Expression extent = is_symbolic(i) ? extent_of(region, i) : Expression(region.extent[i]);
        if (region.extent[i] > 1 || is_symbolic(i)) dims += ":" + to_string(region.start[i] + extent, symbols);
    }
    return buffer.name + "[" + dims + "]";
}

}  // namespace tileproof
