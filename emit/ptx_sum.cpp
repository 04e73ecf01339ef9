#include "emit/ptx_sum.hpp"

#include <limits>

namespace tileproof {

std::string ThreadSums::digit(const ThreadTerm& term) {
    const bool top = term.divisor * term.extent == threads_;
    if (term.divisor == 1 && top) return thread_;
    std::string& known = digits_[{term.divisor, term.extent}];
    if (!known.empty()) return known;
    known = out_.fresh(Bank::b32);
    std::string from = thread_;
    if (term.divisor > 1) {
        if (is_power_of_two(term.divisor)) out_.op("shr.u32", {known, from, std::to_string(floor_log2(term.divisor))});
        else out_.op("div.u32", {known, from, std::to_string(term.divisor)});
        from = known;
    }
    if (top) return known;
    if (is_power_of_two(term.extent)) out_.op("and.b32", {known, from, std::to_string(term.extent - 1)});
    else out_.op("rem.u32", {known, from, std::to_string(term.extent)});
    return known;
}

void ThreadSums::add(Value& value, const ThreadTerm& term) {
    const std::string factor = digit(term);
    const bool once = term.coefficient == 1;
    if (value.name.empty() && once) {
        value = {factor, false};
        return;
    }
    const std::string before = value.name;
    if (!value.owned) value = {out_.fresh(Bank::b32), true};
    if (before.empty() && is_power_of_two(term.coefficient))
        out_.op("shl.b32", {value.name, factor, std::to_string(floor_log2(term.coefficient))});
    else if (before.empty()) out_.op("mul.lo.s32", {value.name, factor, low_32_bits(term.coefficient)});
    else if (once) out_.op("add.s32", {value.name, before, factor});
    else out_.op("mad.lo.s32", {value.name, factor, low_32_bits(term.coefficient), before});
}

void ThreadSums::add_wide(Value& value, const ThreadTerm& term) {
    const std::string factor = digit(term);
    const bool narrow =
        term.coefficient >= std::numeric_limits<std::int32_t>::min() && term.coefficient <= std::numeric_limits<std::int32_t>::max();
    const std::string before = value.name;
    if (!value.owned) value = {out_.fresh(Bank::b64), true};
    const std::string coefficient = std::to_string(term.coefficient);
    if (narrow && before.empty()) {
        out_.op("mul.wide.s32", {value.name, factor, coefficient});
    } else if (narrow) {
        out_.op("mad.wide.s32", {value.name, factor, coefficient, before});
    } else if (before.empty()) {
        out_.op("cvt.u64.u32", {value.name, factor});
        out_.op("mul.lo.s64", {value.name, value.name, coefficient});
    } else {
        const std::string wide_factor = out_.fresh(Bank::b64);
        out_.op("cvt.u64.u32", {wide_factor, factor});
        out_.op("mad.lo.s64", {value.name, wide_factor, coefficient, before});
    }
}

Value ThreadSums::sum(const Affine& form, bool wide, Value start) {
    Value value = std::move(start);
    for (const ThreadTerm& term : form.thread) wide ? add_wide(value, term) : add(value, term);
    if (form.constant == 0 && !value.name.empty()) return value;
    const std::string constant = wide ? std::to_string(form.constant) : low_32_bits(form.constant);
    const std::string before = value.name;
    if (!value.owned) value = {out_.fresh(wide ? Bank::b64 : Bank::b32), true};
    if (before.empty()) out_.op(wide ? "mov.b64" : "mov.b32", {value.name, constant});
    else out_.op(wide ? "add.s64" : "add.s32", {value.name, before, constant});
    return value;
}

Value ThreadSums::own(const Value& value, bool wide) {
    if (value.owned) return value;
    Value copy{out_.fresh(wide ? Bank::b64 : Bank::b32), true};
    out_.op(wide ? "mov.b64" : "mov.b32", {copy.name, value.name});
    return copy;
}

}  // namespace tileproof
