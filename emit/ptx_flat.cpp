#include "emit/ptx_flat.hpp"

namespace tileproof {
namespace {

struct Arithmetic {
    PtxWriter& out;
    bool wide;

    std::string fresh() const { return out.fresh(wide ? Bank::b64 : Bank::b32); }
    void op(const std::string& name, const std::string& type, const std::vector<std::string>& operands) const {
        out.op(name + "." + type + (wide ? "64" : "32"), operands);
    }

    /// (x / div) mod mod
    std::string digit(const std::string& x, std::int64_t div, std::int64_t mod) const {
        std::string from = x;
        const std::string to = fresh();
        if (div > 1) {
            if (is_power_of_two(div)) op("shr", "u", {to, from, std::to_string(floor_log2(div))});
            else op("div", "u", {to, from, std::to_string(div)});
            from = to;
        }
        if (is_power_of_two(mod)) op("and", "b", {to, from, std::to_string(mod - 1)});
        else op("rem", "u", {to, from, std::to_string(mod)});
        return to;
    }

    /// sum + x * factor, in place where there is a sum
    void accumulate(std::string& sum, const std::string& x, std::int64_t factor) const {
        if (!sum.empty()) return op("mad.lo", "s", {sum, x, std::to_string(factor), sum});
        sum = fresh();
        op("mul.lo", "s", {sum, x, std::to_string(factor)});
    }
};

std::string digit_text(const std::string& x, std::int64_t div, std::int64_t mod) {
    return (div > 1 ? x + " / " + std::to_string(div) : x) + " % " + std::to_string(mod);
}

}  // namespace

std::string write_flat_sum(PtxWriter& out, const AddressPlan& address, std::int64_t scale, const std::string& index, bool wide) {
    const Arithmetic arithmetic{out, wide};
    std::string sum;
    for (const FlatTerm& term : address.terms) {
        std::string x = index;
        if (!term.of.empty()) {
            x.clear();
            for (const IndexPart& part : term.of) arithmetic.accumulate(x, arithmetic.digit(index, part.div, part.mod), part.times);
            if (term.add != 0) arithmetic.op("add", "s", {x, x, std::to_string(term.add)});
        }
        arithmetic.accumulate(sum, arithmetic.digit(x, term.div, term.mod), term.stride * scale);
    }
    const std::int64_t offset = address.offset * scale;
    if (sum.empty()) {
        sum = arithmetic.fresh();
        out.op(wide ? "mov.b64" : "mov.b32", {sum, std::to_string(offset)});
    } else if (offset != 0) {
        arithmetic.op("add", "s", {sum, sum, std::to_string(offset)});
    }
    return sum;
}

std::string describe_flat(const AddressPlan& address, std::int64_t scale) {
    std::string text = address.offset != 0 ? std::to_string(address.offset * scale) : "";
    for (const FlatTerm& term : address.terms) {
        std::string x = "i";
        if (!term.of.empty()) {
            x = term.add != 0 ? std::to_string(term.add) : "";
            for (const IndexPart& part : term.of)
                x += (x.empty() ? "" : " + ") + (part.times == 1 ? "" : std::to_string(part.times) + " ") + "(" +
                     digit_text("i", part.div, part.mod) + ")";
            x = "(" + x + ")";
        }
        text += (text.empty() ? "" : " + ") + std::to_string(term.stride * scale) + " (" + digit_text(x, term.div, term.mod) + ")";
    }
    return text.empty() ? "0" : text;
}

}  // namespace tileproof
