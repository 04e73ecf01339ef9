#include "layouts/region_text.hpp"

#include <utility>

#include "layouts/cursor_internal.hpp"
#include "layouts/region_text_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

class OperandReader {
public:
    OperandReader(std::string_view text, const NamedShapes& buffers)
        : in_(text, "region-syntax"), buffers_(&buffers) {}
    /// For a region alone.
    OperandReader(std::string_view text, const std::vector<std::int64_t>& shape, std::string whose)
        : in_(text, "region-syntax"), name_(std::move(whose)), shape_(shape) {}

    Result<Operand> read() {
        if (read_name() && read_region() && (in_.at_end() || in_.fail_expected("the end of the region")))
            return std::move(operand_);
        return *in_.fault();
    }

private:
    bool read_name();
    bool read_region();
    bool read_dimension();
    std::optional<std::int64_t> number(std::string_view what);
    bool keep(std::int64_t start, std::int64_t end, std::size_t begin);

    Cursor in_;
    const NamedShapes* buffers_ = nullptr;
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
        if (region.start.size() > max_rank)
            return in_.fail("region-rank", "the region has a rank over 8", begin, in_.end_of_last());
    } while (in_.accept(','));
    if (!in_.accept(']')) return in_.fail_expected("',' or ']'");
    if (shape_.empty() || region.start.size() == shape_.size()) return true;
    return in_.fail("region-rank",
                    "the region has rank " + std::to_string(region.start.size()) + ", and " + name_ +
                        " has " + std::to_string(shape_.size()),
                    begin, in_.end_of_last());
}

/// `3`, `0:64`, `:`, `5:+32`
bool OperandReader::read_dimension() {
    const std::size_t begin = in_.at();
    if (in_.accept(':')) {
        const std::size_t dim = operand_.region.start.size();
        return keep(0, dim < shape_.size() ? shape_[dim] : 1, begin);
    }
    const std::optional<std::int64_t> start = number("a start, a range or ':'");
    if (!start) return false;
    std::int64_t end = 0;
    bool fits = true;
    if (!in_.accept(':')) {
        fits = !__builtin_add_overflow(*start, std::int64_t{1}, &end);
    } else if (in_.accept('+')) {
        const std::optional<std::int64_t> extent = number("an extent");
        if (!extent) return false;
        fits = !__builtin_add_overflow(*start, *extent, &end);
    } else {
        const std::optional<std::int64_t> stop = number("an end");
        if (!stop) return false;
        end = *stop;
    }
    if (!fits)
        return in_.fail("overflow", "the end of the range does not fit into a signed 64-bit integer", begin,
                        in_.end_of_last());
    return keep(*start, end, begin);
}

std::optional<std::int64_t> OperandReader::number(std::string_view what) {
    const std::size_t begin = in_.at();
    const std::string_view symbol = in_.sees_name();
    if (!symbol.empty()) {
        in_.fail("unsupported",
                 in_quotes(symbol) + " is not a number, and this version reads no symbols in regions", begin,
                 begin + symbol.size());
        return std::nullopt;
    }
    const std::optional<std::int64_t> value = in_.integer(what);
    if (value && (in_.sees('+') || in_.sees('-') || in_.sees('*'))) {
        in_.fail("unsupported", "this version reads no expressions in regions", in_.at(), in_.at() + 1);
        return std::nullopt;
    }
    return value;
}

/// Judges start:end, written from `begin` on, and takes it as the next dimension.
bool OperandReader::keep(std::int64_t start, std::int64_t end, std::size_t begin) {
    Region& region = operand_.region;
    const std::size_t dim = region.start.size(), stop = in_.end_of_last();
    const std::string range = "the range " + in_quotes(in_.text(begin, stop));
    if (start < 0) {
        in_.fail("region-outside", range + " begins outside " + name_ + ", below 0", begin, stop);
        return in_.help("coordinates count from 0; a negative one does not count from the end");
    }
    if (end < start) return in_.fail("region-reversed", range + " ends before it begins", begin, stop);
    if (end == start) return in_.fail("zero-extent", range + " is empty: its extent is 0", begin, stop);
    if (dim < shape_.size() && end > shape_[dim])
        return in_.fail("region-outside",
                        range + " reaches outside " + name_ + ", whose dimension " + std::to_string(dim) +
                            " has the extent " + std::to_string(shape_[dim]),
                        begin, stop);
    region.start.push_back(start);
    region.extent.push_back(end - start);
    return true;
}

}  // namespace

Result<Operand> read_operand(std::string_view text, const NamedShapes& buffers) {
    return OperandReader(text, buffers).read();
}

Result<Region> read_region(std::string_view text, const std::vector<std::int64_t>& shape,
                           const std::string& whose) {
    Result<Operand> operand = OperandReader(text, shape, whose).read();
    if (!operand) return operand.error();
    return std::move(operand.value().region);
}

std::string region_text(const Buffer& buffer, const Region& region) {
    if (region.extent == buffer.layout.shape) return buffer.name;
    std::string dims;
    for (std::size_t i = 0; i < region.start.size(); ++i) {
        if (i > 0) dims += ", ";
        dims += std::to_string(region.start[i]);
        if (region.extent[i] > 1) dims += ":" + std::to_string(region.start[i] + region.extent[i]);
    }
    return buffer.name + "[" + dims + "]";
}

}  // namespace tileproof
