#include "emit/ptx_block.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "layouts/machine.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t word_bits = 32;

/// Byte `byte` of data register `word`.
struct ByteAt {
    std::int64_t word = 0;
    std::int64_t byte = 0;
};

/// Data registers that an access fills or empties: its words, and one for less than a word.
std::int64_t words_of(Bits width) { return std::max<std::int64_t>(1, width.count / word_bits); }

/// By access of the destination, and byte of it: where the loads leave that byte. Nothing where a byte is not one of the source.
std::optional<std::vector<std::vector<ByteAt>>> byte_sources(const Segment& segment, Bits element) {
    for (const Side side : both_sides)  // as long as nobody has proved the plan
        if (to_bits(Elements{lanes_of(segment, side)}, element) != segment.side(side).width) return std::nullopt;
    const std::vector<std::int64_t> src_heads = heads_of(segment, Side::src), dst_heads = heads_of(segment, Side::dst);
    const auto number = [](const std::vector<std::int64_t>& heads, std::int64_t head) {
        return std::find(heads.begin(), heads.end(), head) - heads.begin();
    };
    const std::int64_t bits = std::min<std::int64_t>(element.count, 8);  // of what is followed: a byte, or an element in one
    std::vector<std::vector<ByteAt>> out(dst_heads.size(), std::vector<ByteAt>(static_cast<std::size_t>(segment.dst.width.count / 8)));
    std::vector<std::vector<std::int64_t>> known(dst_heads.size(),
                                                 std::vector<std::int64_t>(static_cast<std::size_t>(segment.dst.width.count / 8), -1));
    for (std::int64_t lane = 0; lane < segment.vec; ++lane) {
        const Lane src = lane_of(segment, Side::src, lane), dst = lane_of(segment, Side::dst, lane);
        const auto load = number(src_heads, src.head), store = number(dst_heads, dst.head);
        for (std::int64_t part = 0; part < element.count; part += bits) {
            const std::int64_t from = src.place * element.count + part, to = dst.place * element.count + part;
            if (from % 8 != to % 8) return std::nullopt;
            const std::int64_t at = load * words_of(segment.src.width) * word_bits + from;
            std::int64_t& before = known[static_cast<std::size_t>(store)][static_cast<std::size_t>(to / 8)];
            if (before >= 0 && before != at / 8) return std::nullopt;
            before = at / 8;
            out[static_cast<std::size_t>(store)][static_cast<std::size_t>(to / 8)] = {at / word_bits, at % word_bits / 8};
        }
    }
    return out;
}

class BlockWriter {
public:
    BlockWriter(PtxWriter& out, const Segment& segment, Bits element, const std::string& active)
        : out_(out), segment_(segment), sources_(*byte_sources(segment, element)), active_(active) {
        loaded_ = static_cast<std::size_t>(words_of(segment.src.width)) * heads_of(segment, Side::src).size();
        data_ = out_.reused(Bank::data, static_cast<int>(loaded_ + most_put_together()));
    }

    void load(const std::vector<std::string>& from) {
        const auto words = static_cast<std::size_t>(words_of(segment_.src.width));
        for (std::size_t k = 0; k < from.size(); ++k) {
            const std::vector<std::string> names(data_.begin() + static_cast<std::ptrdiff_t>(k * words),
                                                 data_.begin() + static_cast<std::ptrdiff_t>((k + 1) * words));
            if (!is_narrow(segment_.src)) {
                op(segment_.src.instruction, {tuple(names), "[" + from[k] + "]"});
                continue;
            }
            op(segment_.src.instruction, {half(), "[" + from[k] + "]"});
            op("cvt.u32.u16", {names[0], half()});
        }
    }

    void store(const std::vector<std::string>& to) {
        for (std::size_t k = 0; k < to.size(); ++k) {
            std::size_t free = loaded_;
            std::vector<std::string> names;
            for (std::size_t byte = 0; byte < sources_[k].size(); byte += 4) names.push_back(word(sources_[k], byte, free));
            if (!is_narrow(segment_.dst)) {
                op(segment_.dst.instruction, {"[" + to[k] + "]", tuple(names)});
                continue;
            }
            op("cvt.u16.u32", {half(), names[0]});
            op(segment_.dst.instruction, {"[" + to[k] + "]", half()});
        }
    }

private:
    static bool is_narrow(const SidePlan& side) { return side.width.count < word_bits; }
    std::string half() { return out_.reused(Bank::b16, 1).front(); }
    void op(const std::string& opcode, const std::vector<std::string>& operands) { out_.guarded(active_).op(opcode, operands); }

    /// Bytes first .. first + 3 of an access, as far as it goes, are a loaded register as it is.
    static bool is_loaded_word(const std::vector<ByteAt>& bytes, std::size_t first) {
        for (std::size_t i = first; i < std::min(first + 4, bytes.size()); ++i)
            if (bytes[i].word != bytes[first].word || bytes[i].byte != static_cast<std::int64_t>(i - first)) return false;
        return true;
    }

    /// Registers for the words of one access that no load leaves.
    std::size_t most_put_together() const {
        std::size_t most = 0;
        for (const auto& bytes : sources_) {
            std::size_t count = 0;
            for (std::size_t byte = 0; byte < bytes.size(); byte += 4) count += is_loaded_word(bytes, byte) ? 0 : 1;
            most = std::max(most, count);
        }
        return most;
    }

    /// The register with four bytes of an access. prmt takes them from two registers: nibble i of its selector names byte i of the result,
    /// 0 to 3 in the first and 4 to 7 in the second (PTX ISA, "prmt"). Each further register joins what is there.
    std::string word(const std::vector<ByteAt>& bytes, std::size_t first, std::size_t& free) {
        if (is_loaded_word(bytes, first)) return loaded(bytes[first].word);
        const std::string& to = data_[free++];
        const std::size_t count = std::min<std::size_t>(4, bytes.size() - first);
        std::vector<std::int64_t> words;
        for (std::size_t i = 0; i < count; ++i)
            if (std::find(words.begin(), words.end(), bytes[first + i].word) == words.end()) words.push_back(bytes[first + i].word);
        std::string before = loaded(words[0]);
        for (std::size_t next = words.size() > 1 ? 1 : 0; next < words.size(); ++next) {
            std::int64_t selector = 0;
            for (std::size_t i = 0; i < count; ++i) {
                const ByteAt& at = bytes[first + i];
                const bool is_next = next > 0 && at.word == words[next];
                const std::int64_t kept = next > 1 ? static_cast<std::int64_t>(i) : at.word == words[0] ? at.byte : 0;
                selector |= (is_next ? 4 + at.byte : kept) << (4 * i);
            }
            op("prmt.b32", {to, before, loaded(words[next]), hexadecimal(selector)});
            before = to;
        }
        return to;
    }

    const std::string& loaded(std::int64_t word) const { return data_[static_cast<std::size_t>(word)]; }

    PtxWriter& out_;
    const Segment& segment_;
    std::vector<std::vector<ByteAt>> sources_;  // by access of the destination
    const std::string& active_;
    std::size_t loaded_ = 0;         // registers that loads fill
    std::vector<std::string> data_;  // these, and those that are put together
};

}  // namespace

std::string block_limit(const Segment& segment, Bits element) {
    return !is_block(segment) || byte_sources(segment, element) ? "" : "this version parts no elements that share a byte";
}

void write_block(PtxWriter& out, const Segment& segment, Bits element, const std::vector<std::string>& from,
                 const std::vector<std::string>& to, const std::string& active) {
    BlockWriter writer(out, segment, element, active);
    writer.load(from);
    writer.store(to);
}

}  // namespace tileproof
