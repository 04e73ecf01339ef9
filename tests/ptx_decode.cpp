#include "tests/ptx_decode.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tileproof::test {
namespace {

struct Type {
    int bits;
    bool is_signed;
};

std::optional<Type> type_of(const std::string& suffix) {
    if (suffix == "pred") return Type{1, false};
    if (suffix.size() < 2 || std::string("usb").find(suffix[0]) == std::string::npos) return std::nullopt;
    for (const int bits : {8, 16, 32, 64})
        if (suffix.substr(1) == std::to_string(bits)) return Type{bits, suffix[0] == 's'};
    return std::nullopt;
}

const std::map<std::string, Op>& op_names() {
    static const std::map<std::string, Op> names{{"mov", Op::mov},
                                                 {"cvt", Op::cvt},
                                                 {"cvta", Op::cvta},
                                                 {"add", Op::add},
                                                 {"sub", Op::sub},
                                                 {"mul", Op::mul},
                                                 {"mad", Op::mad},
                                                 {"shl", Op::shl},
                                                 {"shr", Op::shr},
                                                 {"and", Op::bit_and},
                                                 {"or", Op::bit_or},
                                                 {"xor", Op::bit_xor},
                                                 {"div", Op::div},
                                                 {"rem", Op::rem},
                                                 {"setp", Op::setp},
                                                 {"selp", Op::selp},
                                                 {"max", Op::max},
                                                 {"min", Op::min},
                                                 {"bfe", Op::bit_extract},
                                                 {"bfi", Op::bit_insert},
                                                 {"prmt", Op::permute},
                                                 {"bra", Op::bra},
                                                 {"bar", Op::bar},
                                                 {"ld", Op::ld},
                                                 {"st", Op::st},
                                                 {"ret", Op::ret},
                                                 {"cp", Op::copy_async},
                                                 {"ldmatrix", Op::load_matrices},
                                                 {"stmatrix", Op::store_matrices}};
    return names;
}

/// The suffixes that come before the type, as one string.
std::string modifiers(const PtxInstruction& instruction, std::size_t types) {
    std::string out;
    for (std::size_t i = 0; i + types < instruction.suffixes.size(); ++i) out += (i == 0 ? "" : ".") + instruction.suffixes[i];
    return out;
}

/// Takes `word` from the end of `words`, if it is there.
bool take(std::string& words, const std::string& word) {
    const bool is_there = words.size() >= word.size() && words.compare(words.size() - word.size(), word.size(), word) == 0;
    if (is_there) words.erase(words.size() - word.size());
    return is_there;
}

/// Takes one of these, or none.
bool take_one(std::string& words, const std::vector<std::string>& of) {
    for (const std::string& word : of)
        if (take(words, word)) return true;
    return false;
}

const std::vector<std::string> prefetch_sizes{".L2::64B", ".L2::128B", ".L2::256B"};

/// Takes what a load or store of global memory says of caches, last to first. `bits`: of all its lanes.
void take_hints(std::string& words, Decoded& out, int bits) {
    if (words.rfind("global.", 0) != 0) return;
    const bool load = out.op == Op::ld;
    if (load) take_one(words, prefetch_sizes);
    if (bits == 256) take_one(words, {".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"});
    take_one(words, {".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate"});
    out.non_coherent = load && take(words, ".nc");
}

}  // namespace

std::optional<Decoded> decode(const PtxKernel& kernel, const PtxInstruction& instruction) {
    const auto name = op_names().find(instruction.opcode);
    if (name == op_names().end()) return std::nullopt;
    Decoded out;
    out.op = name->second;
    if (out.op == Op::ret) return out;
    if (out.op == Op::bra) {
        out.target = kernel.target(instruction.operands.at(0).name);
        return out;
    }
    const auto& suffixes = instruction.suffixes;
    if (out.op == Op::bar) return suffixes == std::vector<std::string>{"sync"} ? std::optional(out) : std::nullopt;
    if (out.op == Op::load_matrices || out.op == Op::store_matrices) {  // .sync.aligned.m8n8.x4.trans.shared.b16
        std::string words = modifiers(instruction, 0);
        out.of_bytes = take(words, ".shared.b8");
        if (!out.of_bytes && !take(words, ".shared.b16")) return std::nullopt;
        out.transposed = take(words, ".trans");
        if (out.of_bytes && !out.transposed) return std::nullopt;
        const bool load = out.op == Op::load_matrices;
        const std::string shape = !out.of_bytes ? "m8n8" : load ? "m16n16" : "m16n8";
        for (const int count : {1, 2, 4})
            if (words == "sync.aligned." + shape + ".x" + std::to_string(count) && !(count == 4 && shape == "m16n16"))
                return out.lanes = count, out;
        return std::nullopt;
    }
    if (out.op == Op::copy_async) {
        static const std::map<std::string, Op> forms{{"async.ca.shared.global", Op::copy_async},
                                                     {"async.cg.shared.global", Op::copy_async},
                                                     {"async.commit_group", Op::commit_group},
                                                     {"async.wait_group", Op::wait_group},
                                                     {"async.wait_all", Op::wait_all}};
        std::string words = modifiers(instruction, 0);
        if (words.find(".global.") != std::string::npos) take_one(words, prefetch_sizes);
        const auto form = forms.find(words);
        if (form == forms.end()) return std::nullopt;
        out.op = form->second;
        return out;
    }
    const auto type = suffixes.empty() ? std::nullopt : type_of(suffixes.back());
    if (!type) return std::nullopt;
    out.bits = type->bits;
    out.is_signed = type->is_signed;
    if (out.op == Op::cvt) {
        const auto to = suffixes.size() == 2 ? type_of(suffixes[0]) : std::nullopt;
        if (!to) return std::nullopt;
        out.from_bits = std::exchange(out.bits, to->bits);
        out.from_signed = std::exchange(out.is_signed, to->is_signed);
        return out;
    }
    std::string words = modifiers(instruction, 1);
    if (out.op == Op::ld || out.op == Op::st) {
        if (const std::size_t vector = words.find(".v"); vector != std::string::npos) {
            out.lanes = std::stoi(words.substr(vector + 2));
            words.erase(vector);
        }
        take_hints(words, out, out.bits * out.lanes);
        out.space = words;
        const bool known = words == "global" || words == "shared" || words == "param";
        const bool size = out.lanes == 1 || (out.lanes * out.bits <= 256 && out.lanes <= 8 && (out.lanes & (out.lanes - 1)) == 0);
        return known && size ? std::optional(out) : std::nullopt;
    }
    if (out.op == Op::cvta) return words == "to.global" && out.bits == 64 ? std::optional(out) : std::nullopt;
    if (out.op == Op::setp) {
        out.compare = words;
        return std::string(" eq ne lt le gt ge ").find(" " + words + " ") != std::string::npos ? std::optional(out) : std::nullopt;
    }
    if (out.op == Op::mul || out.op == Op::mad) {
        out.wide = words == "wide";
        return words == "lo" || (out.wide && out.bits == 32) ? std::optional(out) : std::nullopt;
    }
    if (out.op == Op::bit_extract && out.is_signed) return std::nullopt;
    if (out.op == Op::permute && (out.bits != 32 || suffixes.back() != "b32")) return std::nullopt;
    return words.empty() ? std::optional(out) : std::nullopt;
}

}  // namespace tileproof::test
