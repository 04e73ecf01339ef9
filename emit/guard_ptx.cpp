// The guard as a device function. Everything is computed and the answers joined: beyond the ranges a value may wrap, or a remainder by
// zero be anything, but then the answer is 0 already.
#include <map>

#include <fmt/format.h>

#include "emit/guard.hpp"
#include "emit/ptx_writer.hpp"

namespace tileproof {
namespace {

std::string mnemonic(Comparison comparison) {
    switch (comparison) {
        case Comparison::equal:
            return "eq";
        case Comparison::unequal:
            return "ne";
        case Comparison::less:
            return "lt";
        case Comparison::less_equal:
            return "le";
        case Comparison::greater:
            return "gt";
        case Comparison::greater_equal:
            return "ge";
    }
    return "?";
}

class PtxGuard {
public:
    explicit PtxGuard(const Guard& guard) : guard_(guard) {}

    std::string text() {
        for (const Check& check : guard_.checks) {
            out_.blank();
            out_.comment(check.text);
            for (const Condition& condition : check.conditions) std::visit([this](const auto& c) { write(c); }, condition);
        }
        out_.blank();
        const std::string ok = out_.fresh(Bank::b32);
        if (all_.empty()) out_.op("mov.b32", {ok, "1"});
        else out_.op("selp.b32", {ok, "1", "0", all_});
        out_.op("st.param.b32", {"[ok]", ok});
        out_.op("ret", {});

        std::string parameters;
        for (const Parameter& parameter : guard_.kernel.parameters)
            parameters += (parameters.empty() ? "" : ",\n") + ("    .param .b64 p_" + parameter.name);
        const std::string module =
            ".version " + to_string(guard_.kernel.ptx) + "\n.target " + guard_.problem.target.name + "\n.address_size 64\n\n";
        const std::string signature =
            ".visible .func (.param .b32 ok) " + guard_.name + (parameters.empty() ? "()" : "(\n" + parameters + "\n)");
        return head() + module + signature + "\n{\n" + out_.declarations() + out_.text() + "}\n";
    }

private:
    std::string head() const {
        std::string out = fmt::format(
            "// tileproof: may {} run with these arguments? They are the kernel's, in its order; ok is 1 or 0.\n//\n", guard_.kernel.entry);
        out +=
            "// Where ok is 1, all that the kernel's proof assumes holds, save what only the caller can know, below. The conditions are "
            "the\n"
            "// assumptions that the proof uses, one for one. Where the ranges hold, no sum or product below leaves 64 bits.\n";
        out += "//\n// Not checked, and still assumed:\n";
        for (const std::string& assumption : guard_.unchecked) out += "//   " + assumption + "\n";
        return out + fmt::format("//   the launch is of blocks of {} {}\n\n", guard_.kernel.block,
                                 guard_.kernel.block == 1 ? "thread" : "threads");
    }

    /// a <comparison> b, joined with what was before.
    void require(const std::string& comparison, const std::string& a, const std::string& b) {
        const std::string holds = out_.fresh(Bank::pred);
        out_.op("setp." + comparison, {holds, a, b});
        if (all_.empty()) all_ = holds;
        else out_.op("and.pred", {all_, all_, holds});
    }

    const std::string& load(std::string& known, const std::string& opcode, const std::string& name) {
        if (!known.empty()) return known;
        known = out_.fresh(Bank::b64);
        out_.op(opcode, {known, "[p_" + name + "]"});
        return known;
    }
    const std::string& symbol(int index) {
        return load(symbols_[index], "ld.param.s64", guard_.problem.symbols[static_cast<std::size_t>(index)].name);
    }
    const std::string& address(int index) {
        return load(addresses_[index], "ld.param.u64", guard_.problem.buffers[static_cast<std::size_t>(index)].name);
    }

    /// A register or a number.
    std::string value(const Expression& e) {
        if (e.is_constant()) return std::to_string(std::int64_t{e});
        std::string sum;
        for (const Monomial& monomial : e.monomials()) {
            if (monomial.empty()) continue;
            std::string product = symbol(monomial.front());
            const auto times = [&](const std::string& factor) {
                const std::string next = out_.fresh(Bank::b64);
                out_.op("mul.lo.s64", {next, product, factor});
                product = next;
            };
            for (std::size_t i = 1; i < monomial.size(); ++i) times(symbol(monomial[i]));
            if (const std::int64_t coefficient = e.coefficient(monomial); coefficient != 1) times(std::to_string(coefficient));
            sum = sum.empty() ? product : added(sum, product);
        }
        const std::int64_t constant = e.coefficient({});
        return constant == 0 ? sum : added(sum, std::to_string(constant));
    }
    std::string added(const std::string& a, const std::string& b) {
        const std::string sum = out_.fresh(Bank::b64);
        out_.op("add.s64", {sum, a, b});
        return sum;
    }
    /// What a number is computed with has to be a register.
    std::string in_register(const std::string& operand) {
        if (operand.front() == '%') return operand;
        const std::string out = out_.fresh(Bank::b64);
        out_.op("mov.b64", {out, operand});
        return out;
    }

    /// From 0 to modulus - 1. `rem` of a negative number has no sign that PTX promises.
    std::string remainder(const std::string& of, const Expression& modulus) {
        const std::string from = in_register(of), rest = out_.fresh(Bank::b64);
        if (modulus.is_constant() && is_power_of_two(modulus)) {
            out_.op("and.b64", {rest, from, std::to_string(std::int64_t{modulus} - 1)});
            return rest;
        }
        const std::string by = value(modulus), negative = out_.fresh(Bank::pred);
        out_.op("rem.s64", {rest, from, by});
        out_.op("setp.lt.s64", {negative, rest, "0"});
        out_.guarded(negative).op("add.s64", {rest, rest, by});
        return rest;
    }
    std::string side(const FactSide& s) { return s.modulus ? remainder(value(s.expression), *s.modulus) : value(s.expression); }

    std::string room(const Room& r) {
        std::string bytes = value(r.sum);
        if (interval(r.sum, guard_.problem.symbols).least < 0) {
            const std::string from = in_register(bytes);
            bytes = out_.fresh(Bank::b64);
            out_.op("max.s64", {bytes, from, "0"});
        }
        if (r.divisor_log2 == 0) return bytes;
        const std::string from = in_register(bytes), out = out_.fresh(Bank::b64);
        out_.op("shr.u64", {out, from, std::to_string(r.divisor_log2)});
        return out;
    }

    void write(const IsInRange& c) {
        require("ge.s64", symbol(c.symbol), std::to_string(c.min));
        require("le.s64", symbol(c.symbol), std::to_string(c.max));
    }
    void write(const IsMultiple& c) { require("eq.s64", remainder(symbol(c.symbol), c.of), "0"); }
    void write(const Fact& c) {
        const std::string a = in_register(side(c.left));
        require(mnemonic(c.comparison) + ".s64", a, side(c.right));
    }
    void write(const HasResidue& c) { require("eq.s64", remainder(address(c.buffer), c.modulus.count), std::to_string(c.residue.count)); }
    void write(const LieApart& c) {
        const std::string a = address(c.a), b = address(c.b);
        const auto require_room = [&](const std::string& from, const std::string& to, const Room& r) {
            const std::string distance = out_.fresh(Bank::b64);
            out_.op("sub.s64", {distance, to, from});
            require("ge.u64", distance, room(r));
        };
        require_room(a, b, c.room_a);
        require_room(b, a, c.room_b);
    }

    const Guard& guard_;
    PtxWriter out_;
    std::string all_{};  // the predicate that is left
    std::map<int, std::string> symbols_{};
    std::map<int, std::string> addresses_{};
};

}  // namespace

std::string guard_ptx(const Guard& guard) { return PtxGuard(guard).text(); }

}  // namespace tileproof
