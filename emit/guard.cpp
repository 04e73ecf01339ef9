#include "emit/guard.hpp"

#include <algorithm>

#include "verify/used.hpp"

namespace tileproof {
namespace {

/// Whether every partial product and partial sum of `times` this stays below 2^62, in whatever order it is computed.
bool fits(const Expression& expression, const std::vector<Symbol>& symbols, std::int64_t times = 1) {
    constexpr Wide most = Wide{1} << 62;
    const auto size = [](std::int64_t n) { return n < 0 ? -Wide{n} : Wide{n}; };
    Wide sum = 0;
    for (const Monomial& monomial : expression.monomials()) {
        Wide product = size(expression.coefficient(monomial)) * times;
        for (const int index : monomial) {
            const Symbol& s = symbols[static_cast<std::size_t>(index)];
            if (product >= most) return false;
            product *= std::max({Wide{1}, size(s.min), size(s.max)});  // at least 1: what is 0 may come last
        }
        if (product >= most || (sum += product) >= most) return false;
    }
    return true;
}

bool is_touched(const Problem& problem, int buffer) {
    return is_written(problem, buffer) ||
           std::any_of(problem.copies.begin(), problem.copies.end(), [&](const Copy& copy) { return copy.src.buffer == buffer; });
}

class GuardMaker {
public:
    GuardMaker(const VerifiedPlan& verified, KernelInfo kernel) : problem_(verified.problem()), plan_(verified.plan()) {
        guard_.name = kernel.entry + "_may_run";
        guard_.problem = problem_;
        guard_.kernel = std::move(kernel);
    }

    Result<Guard> make() {
        for (const Assumption& assumption : assumptions(problem_)) {
            add(assumption);
            if (fault_) return *fault_;
        }
        return std::move(guard_);
    }

private:
    void add(const Assumption& assumption) {
        const std::string& source = assumption.source;
        if (source == "symbol") add_symbol(assumption);
        else if (source == "fact") add_fact(assumption);
        else if (source == "default-alignment" || source == "stated-alignment" || source == "stated-base") add_base(assumption);
        else if (source == "distinct-buffers") add_distinct();
        else if (source == "default-capacity" || source == "stated-capacity" || source == "exclusive" || source == "grid")
            guard_.unchecked.push_back(assumption.text);
        else fault_ = Diagnostic{"unsupported", "this version knows no guard for what the proof assumes: " + assumption.text};
    }

    void add_symbol(const Assumption& assumption) {
        const Symbol& s = problem_.symbols[static_cast<std::size_t>(assumption.of)];
        if (!occurs(problem_, plan_, assumption.of)) return;  // whatever its value is
        Check check{assumption.text, {IsInRange{assumption.of, s.min, s.max}}};
        if (s.multiple_of > 1) check.conditions.emplace_back(IsMultiple{assumption.of, s.multiple_of});
        guard_.checks.push_back(std::move(check));
    }

    void add_fact(const Assumption& assumption) {
        const Fact& fact = problem_.facts[static_cast<std::size_t>(assumption.of)];
        for (const FactSide* side : {&fact.left, &fact.right})
            if (!fits(side->expression, problem_.symbols) || (side->modulus && !fits(*side->modulus, problem_.symbols)))
                return too_large("the fact " + assumption.text, fact.place);
        guard_.checks.push_back({assumption.text, {fact}});
    }

    void add_base(const Assumption& assumption) {
        const Buffer& buffer = problem_.buffers[static_cast<std::size_t>(assumption.of)];
        if (buffer.space != Space::global) {  // no argument of the kernel
            guard_.unchecked.push_back(assumption.text);
            return;
        }
        const HasResidue residue{assumption.of, buffer.base ? Bytes{256} : buffer.align, buffer.base.value_or(Bytes{0})};
        guard_.checks.push_back({assumption.text, {residue}});
    }

    void add_distinct() {
        const auto is_global = [&](std::size_t i) {
            return problem_.buffers[i].space == Space::global && is_touched(problem_, static_cast<int>(i));
        };
        for (std::size_t i = 0; i < problem_.buffers.size(); ++i)
            for (std::size_t j = i + 1; j < problem_.buffers.size(); ++j) {
                const int a = static_cast<int>(i), b = static_cast<int>(j);
                if (!is_global(i) || !is_global(j) || !(is_written(problem_, a) || is_written(problem_, b))) continue;
                const LieApart apart{a, b, room_of(problem_.buffers[i]), room_of(problem_.buffers[j])};
                guard_.checks.push_back(
                    {"the buffers " + problem_.buffers[i].name + " and " + problem_.buffers[j].name + " do not overlap", {apart}});
            }
    }

    /// What is allocated, as far as it is known.
    Room room_of(const Buffer& buffer) {
        const Expression elements = buffer.symbolic_capacity.value_or(Expression(buffer.capacity.count));
        const std::int64_t element = buffer.dtype.size.count;  // 1, 2, 4, 8, ..., 128
        const std::int64_t bytes = std::max<std::int64_t>(1, element / 8), per_byte = std::max<std::int64_t>(1, 8 / element);
        if (fits(elements, problem_.symbols, bytes)) return {elements.times(bytes).plus(per_byte - 1), floor_log2(per_byte)};
        too_large("the capacity of " + buffer.name, buffer.capacity_place);
        return {};
    }

    void too_large(const std::string& what, const Place& place) {
        fault_ = Diagnostic{"guard-overflow",
                            what + " may leave 64 bits on the way, for values within the ranges of the symbols, so no guard is written",
                            place,
                            {},
                            {"state narrower ranges in [symbols]"}};
    }

    const Problem& problem_;
    const Plan& plan_;
    Guard guard_;
    std::optional<Diagnostic> fault_;
};

}  // namespace

Result<Guard> make_guard(const VerifiedPlan& verified) {
    Result<KernelInfo> kernel = kernel_info(verified.problem(), verified.plan());
    if (!kernel) return kernel.error();
    return GuardMaker(verified, std::move(kernel.value())).make();
}

}  // namespace tileproof
