#include "emit/ptx_symbolic.hpp"

#include <set>

#include "emit/ptx_address.hpp"

namespace tileproof {
namespace {

std::vector<Monomial> monomials_of(const AddressPlan& address) {
    std::set<Monomial> all;
    const auto add = [&](const Expression& e) {
        for (const Monomial& monomial : e.monomials())
            if (!monomial.empty()) all.insert(monomial);
    };
    add(address.offset);
    for (const Expression& stride : address.strides) add(stride);
    return {all.begin(), all.end()};
}

Affine coefficients(const Segment& segment, const AddressPlan& address, const Monomial& monomial) {
    std::vector<std::int64_t> strides;
    for (const Expression& stride : address.strides) strides.push_back(stride.coefficient(monomial));
    return affine(segment, address.offset.coefficient(monomial), strides);
}

}  // namespace

const std::string& SymbolRegisters::monomial(PtxWriter& out, const Monomial& monomial) {
    if (monomial.size() == 1) return symbols_.at(monomial.front());
    const auto known = products_.find(monomial);
    if (known != products_.end()) return known->second;
    const std::string name = out.fresh(Bank::b64);
    const std::string& rest = this->monomial(out, Monomial(monomial.begin() + 1, monomial.end()));
    out.op("mul.lo.s64", {name, symbols_.at(monomial.front()), rest});
    return products_.emplace(monomial, name).first->second;
}

std::string SymbolRegisters::value(PtxWriter& out, const Expression& expression) {
    std::string sum = std::to_string(expression.coefficient({}));
    bool is_first = sum == "0";
    for (const Monomial& monomial : expression.monomials()) {
        if (monomial.empty()) continue;
        const std::string& one = this->monomial(out, monomial);
        const std::int64_t factor = expression.coefficient(monomial);
        if (is_first && factor == 1) {
            sum = one;
        } else {
            const std::string next = out.fresh(Bank::b64);
            if (is_first) out.op("mul.lo.s64", {next, one, std::to_string(factor)});
            else out.op("mad.lo.s64", {next, one, std::to_string(factor), sum});
            sum = next;
        }
        is_first = false;
    }
    return sum;
}

SymbolicSum write_symbolic_sum(PtxWriter& out, ThreadSums& sums, SymbolRegisters& symbols, const Segment& segment,
                               const AddressPlan& address) {
    const std::vector<std::int64_t> loops = loop_extents(segment);
    const Affine numbers = coefficients(segment, address, {});
    SymbolicSum result{sums.own(sums.sum(numbers, true), true).name, {}};
    const std::vector<std::int64_t> plain = steps(numbers, loops);
    for (const std::int64_t step : plain) result.steps.push_back(step == 0 ? "" : std::to_string(step));
    for (const Monomial& monomial : monomials_of(address)) {
        const std::string value = symbols.monomial(out, monomial);
        const Affine form = coefficients(segment, address, monomial);
        if (form.constant != 0 || !form.thread.empty())
            out.op("mad.lo.s64", {result.name, form.thread.empty() ? value : sums.sum(form, true).name,
                                  form.thread.empty() ? std::to_string(form.constant) : value, result.name});
        const std::vector<std::int64_t> factors = steps(form, loops);
        for (std::size_t k = 0; k < factors.size(); ++k) {
            if (factors[k] == 0) continue;
            const std::string step = out.fresh(Bank::b64);
            if (result.steps[k].empty()) out.op("mul.lo.s64", {step, value, std::to_string(factors[k])});
            else out.op("mad.lo.s64", {step, value, std::to_string(factors[k]), result.steps[k]});
            result.steps[k] = step;
        }
    }
    return result;
}

}  // namespace tileproof
