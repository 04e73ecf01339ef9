// Reading: PTX text -> PtxKernel.
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "tests/ptx_interpreter.hpp"

namespace tileproof::test {
namespace {

std::string trim(const std::string& text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
    const auto end = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
    return begin < end ? std::string(begin, end) : std::string{};
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    std::string part;
    int depth = 0;
    for (const char c : text) {
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == separator && depth == 0) {
            out.push_back(trim(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!trim(part).empty()) out.push_back(trim(part));
    return out;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;) out.push_back(word);
    return out;
}

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

bool is_name(const std::string& text) {
    return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) == 0) && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    });
}

bool read_number(const std::string& text, std::int64_t& out) {
    if (text.empty()) return false;
    try {
        std::size_t used = 0;
        out = std::stoll(text, &used, 0);
        return used == text.size();
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

class PtxReader {
public:
    Result<PtxKernel> read(const std::string& text) {
        std::istringstream in(text);
        for (std::string line; error_.empty() && std::getline(in, line);) {
            ++line_;
            read_line(trim(line.substr(0, line.find("//"))));
        }
        if (error_.empty() && (!version_ || !target_ || out_.entry_.empty() || out_.block_ == 0))
            error_ = ".version, .target, .entry or .reqntid is missing";
        if (error_.empty())
            for (const auto& [label, line] : wanted_labels_)
                if (!out_.labels_.contains(label)) error_ = "line " + std::to_string(line) + ": no label " + label;
        if (!error_.empty()) return Diagnostic{"ptx", error_};
        return out_;
    }

private:
    void fail(const std::string& what) {
        if (error_.empty()) error_ = "line " + std::to_string(line_) + ": " + what;
    }

    void read_line(const std::string& line) {
        if (line.empty() || line == "{" || line == "}" || line == ")") return;
        if (starts_with(line, ".")) return read_directive(line);
        if (line.back() == ':') {
            const std::string name = line.substr(0, line.size() - 1);
            if (!is_name(name) || out_.labels_.contains(name)) fail("bad or repeated label " + name);
            out_.labels_[name] = static_cast<int>(out_.code_.size());
            return;
        }
        if (line.back() != ';') return fail("no semicolon");
        read_instruction(line.substr(0, line.size() - 1));
    }

    void read_directive(const std::string& line) {
        const std::vector<std::string> parts = words(line);
        if (parts[0] == ".version") version_ = parts.size() == 2;
        if (parts[0] == ".target") target_ = parts.size() == 2;
        if (parts[0] == ".version" || parts[0] == ".target" || parts[0] == ".address_size") return;
        if (starts_with(line, ".visible .entry ")) {
            const std::string rest = line.substr(16);
            out_.entry_ = rest.substr(0, rest.find('('));
            return;
        }
        const std::string function = ".visible .func (.param .b32 ";
        if (starts_with(line, function)) {
            const std::size_t end = line.find(") ");
            if (end == std::string::npos) return fail("bad function");
            out_.result_ = line.substr(function.size(), end - function.size());
            out_.entry_ = line.substr(end + 2, line.find('(', end) - end - 2);
            out_.block_ = 1;
            return;
        }
        const bool bare = !out_.result_.empty();  // the parameters of a function
        if (parts[0] == ".param" && parts.size() >= 3 && (bare ? parts[1] == ".b64" : parts[1] == ".u64" || parts[1] == ".s64")) {
            out_.is_number_.push_back(parts[1] == ".s64");
            out_.parameters_.push_back(parts[2].substr(0, parts[2].find(',')));
            return;
        }
        if (parts[0] == ".reqntid") {
            out_.block_ = std::stoi(parts.at(1));
            return;
        }
        if (parts[0] == ".reg") return read_registers(parts);
        if (parts[0] == ".shared" || (parts[0] == ".extern" && parts.at(1) == ".shared")) return read_shared(parts);
        fail("unknown directive " + line);
    }

    void read_registers(const std::vector<std::string>& parts) {
        static const std::map<std::string, int> sizes{{".pred", 1}, {".b16", 16}, {".b32", 32}, {".b64", 64}};
        const std::string& range = parts.at(2);
        const std::size_t open = range.find('<');
        if (!sizes.contains(parts.at(1)) || open == std::string::npos) return fail("bad register declaration");
        const int count = std::stoi(range.substr(open + 1));
        for (int i = 0; i < count; ++i) {
            const std::string name = range.substr(0, open) + std::to_string(i);
            if (out_.register_numbers_.contains(name)) fail("register declared twice");
            out_.register_numbers_[name] = static_cast<int>(out_.registers_.size());
            out_.registers_.push_back({name, sizes.at(parts[1])});
        }
    }

    void read_shared(std::vector<std::string> parts) {
        out_.extern_shared_ = parts[0] == ".extern";
        if (out_.extern_shared_) parts.erase(parts.begin());
        if (parts.size() != 5 || parts[1] != ".align" || parts[3] != ".b8" || !out_.shared_name_.empty())
            return fail("one array of shared bytes is understood");
        out_.shared_align_ = std::stoull(parts[2]);
        const std::size_t open = parts[4].find('[');
        out_.shared_name_ = parts[4].substr(0, open);
        const std::string size = parts[4].substr(open + 1);
        if (out_.extern_shared_ != (size[0] == ']')) return fail("an array has a size unless it is extern");
        if (!out_.extern_shared_) out_.shared_size_ = std::stoull(size);
    }

    void read_instruction(const std::string& text) {
        PtxInstruction out;
        out.line = line_;
        std::string rest = text;
        if (rest[0] == '@') {
            const std::size_t end = rest.find(' ');
            std::string guard = rest.substr(1, end - 1);
            out.guard_negated = guard[0] == '!';
            if (out.guard_negated) guard.erase(0, 1);
            out.guard = number_of(guard);
            rest = trim(rest.substr(end));
        }
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::vector<std::string> opcode = split(rest.substr(0, end), '.');
        out.opcode = opcode[0];
        out.suffixes.assign(opcode.begin() + 1, opcode.end());
        for (const std::string& operand : split(rest.substr(end), ',')) {
            if (out.opcode == "bra") wanted_labels_.emplace_back(operand, line_);
            out.operands.push_back(read_operand(operand));
        }
        out_.code_.push_back(std::move(out));
    }

    int number_of(const std::string& name) {
        const auto at = out_.register_numbers_.find(name);
        if (at == out_.register_numbers_.end()) fail("no register " + name);
        return at == out_.register_numbers_.end() ? 0 : at->second;
    }

    PtxOperand read_operand(const std::string& text) {
        PtxOperand out;
        if (text.empty()) {
            fail("an operand is missing");
        } else if (text[0] == '{') {
            out.kind = PtxOperand::Kind::tuple;
            for (const std::string& part : split(text.substr(1, text.size() - 2), ',')) out.parts.push_back(read_operand(part));
        } else if (text[0] == '[') {
            out = read_operand(text.substr(1, text.size() - 2));
            if (out.kind == PtxOperand::Kind::reg || out.kind == PtxOperand::Kind::symbol) out.kind = PtxOperand::Kind::memory;
            if (out.kind != PtxOperand::Kind::memory) fail("bad address " + text);
        } else if (text == "%tid.x" || text == "%ctaid.x" || text == "%ctaid.y" || text == "%ctaid.z") {
            out.kind = PtxOperand::Kind::special;
            out.name = text;
        } else if (text[0] == '%') {
            const std::size_t plus = std::min(text.find('+'), text.size());
            out.kind = PtxOperand::Kind::reg;
            out.reg = number_of(text.substr(0, plus));
            if (plus < text.size() && !read_number(text.substr(plus + 1), out.number)) fail("bad offset " + text);
        } else if (!read_number(text, out.number)) {
            const std::size_t plus = std::min(text.find('+'), text.size());
            out.kind = PtxOperand::Kind::symbol;
            out.name = text.substr(0, plus);
            if (!is_name(out.name)) fail("bad operand " + text);
            if (plus < text.size() && !read_number(text.substr(plus + 1), out.number)) fail("bad operand " + text);
        }
        return out;
    }

    PtxKernel out_;
    std::string error_;
    int line_ = 0;
    bool version_ = false;
    bool target_ = false;
    std::vector<std::pair<std::string, int>> wanted_labels_;
};

Result<PtxKernel> PtxKernel::parse(const std::string& text) { return PtxReader().read(text); }

int PtxKernel::target(const std::string& label) const { return labels_.at(label); }

std::vector<std::string> PtxKernel::unused_registers() const {
    std::set<int> used;
    const auto note = [&](const PtxOperand& operand, const auto& self) -> void {
        if (operand.reg >= 0) used.insert(operand.reg);
        for (const PtxOperand& part : operand.parts) self(part, self);
    };
    for (const PtxInstruction& instruction : code_) {
        if (instruction.guard >= 0) used.insert(instruction.guard);
        for (const PtxOperand& operand : instruction.operands) note(operand, note);
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < registers_.size(); ++i)
        if (!used.contains(static_cast<int>(i))) out.push_back(registers_[i].name);
    return out;
}

std::vector<std::string> PtxKernel::opcodes_in_loops() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < code_.size(); ++i) {
        if (code_[i].opcode != "bra") continue;
        const auto begin = static_cast<std::size_t>(target(code_[i].operands[0].name));
        for (std::size_t k = begin; k < i; ++k) out.push_back(code_[k].opcode);
    }
    return out;
}

}  // namespace tileproof::test
