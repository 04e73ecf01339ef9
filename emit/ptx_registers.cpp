#include "emit/ptx_registers_internal.hpp"

#include <algorithm>
#include <utility>

#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t word_bits = 32;

/// A stretch of bits that moves between a data register of the access and a register of the buffer.
struct Stretch {
    std::int64_t data_bit = 0;  // in its data register
    std::int64_t word = 0;      // of the buffer
    std::int64_t word_bit = 0;
    std::int64_t bits = 0;
};

/// The stretches of the data register that holds the access's bits from `begin` on.
std::vector<Stretch> stretches(const std::vector<std::int64_t>& elements, std::int64_t element_bits, std::int64_t begin,
                               std::int64_t bits) {
    std::vector<Stretch> out;
    const std::int64_t step = std::min(element_bits, word_bits);
    for (std::int64_t at = begin; at < begin + bits; at += step) {
        const std::int64_t there = elements[static_cast<std::size_t>(at / element_bits)] * element_bits + at % element_bits;
        const bool follows =
            !out.empty() && out.back().word == there / word_bits && out.back().word_bit + out.back().bits == there % word_bits;
        if (follows) out.back().bits += step;
        else out.push_back({at - begin, there / word_bits, there % word_bits, step});
    }
    return out;
}

class AccessWriter {
public:
    /// `everywhere`: all threads of the block come here.
    AccessWriter(PtxWriter& out, RegisterBuffers& buffers, int buffer, const AccessForm& form, const std::string& instruction,
                 const RegisterAccess& access, bool everywhere)
        : out_(out),
          buffers_(buffers),
          buffer_(buffer),
          form_(form),
          instruction_(instruction),
          address_("[" + access.address + "]"),
          active_(access.active),
          reads_(access.reads),
          runs_in_all_(everywhere && active_.empty()) {}

    void write(const std::vector<std::int64_t>& elements, std::int64_t element_bits) {
        const std::int64_t bits = std::min(form_.width.count, word_bits);  // of each data register
        for (std::int64_t k = 0; k < form_.registers; ++k) data_.push_back(stretches(elements, element_bits, k * bits, bits));
        temporaries_ = out_.reused(Bank::data, most_temporaries());
        form_.direction == Direction::load ? load() : store();
    }

private:
    /// A data register that is a register of the buffer.
    bool is_whole(std::size_t k) const { return data_[k].size() == 1 && data_[k][0].bits == word_bits; }
    /// One for each data register that is put together, and one more where something has to be shifted on its way.
    int most_temporaries() const {
        const auto together =
            std::count_if(data_.begin(), data_.end(), [](const auto& all) { return all.size() > 1 || all[0].bits < word_bits; });
        const bool shifts = std::any_of(data_.begin(), data_.end(), [](const auto& all) { return all.size() > 1; });
        return static_cast<int>(together) + (shifts ? 1 : 0);
    }
    const std::string& temporary(std::size_t k) const {
        std::size_t number = 0;
        for (std::size_t i = 0; i < k; ++i) number += is_whole(i) ? 0 : 1;
        return temporaries_[number];
    }
    std::string word(const Stretch& stretch) const { return buffers_.word(buffer_, stretch.word); }
    std::string name(std::size_t k) const { return is_whole(k) ? word(data_[k][0]) : temporary(k); }
    PtxWriter& op() { return out_.guarded(active_); }
    bool fills() const { return reads_ != active_; }

    std::string operand() const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < data_.size(); ++k) names.push_back(name(k));
        return names.size() == 1 && is_matrix(instruction_) ? "{" + names[0] + "}" : tuple(names);
    }
    bool is_narrow() const { return form_.register_size == Bits{16}; }
    std::string half() { return out_.reused(Bank::b16, 1).front(); }

    void load() {
        if (is_narrow()) {
            if (fills()) out_.op("mov.b16", {half(), "0"});
            out_.guarded(reads_).op(instruction_, {half(), address_});
            op().op("cvt.u32.u16", {temporaries_[0], half()});
        } else {
            for (std::size_t k = 0; k < data_.size() && fills(); ++k) op().op("mov.b32", {name(k), "0"});
            out_.guarded(reads_).op(instruction_, {operand(), address_});
        }
        for (std::size_t k = 0; k < data_.size(); ++k) {
            if (is_whole(k)) {
                // In threads where the access does not run, the register keeps what it has.
                runs_in_all_ ? buffers_.written(buffer_, data_[k][0].word) : buffers_.needed(buffer_, data_[k][0].word);
                continue;
            }
            for (const Stretch& s : data_[k]) {
                buffers_.needed(buffer_, s.word);
                const std::string from = s.data_bit == 0 ? temporary(k) : temporaries_.back();
                if (s.data_bit != 0) op().op("bfe.u32", {from, temporary(k), std::to_string(s.data_bit), std::to_string(s.bits)});
                op().op("bfi.b32", {word(s), from, word(s), std::to_string(s.word_bit), std::to_string(s.bits)});
            }
        }
    }

    void store() {
        for (std::size_t k = 0; k < data_.size(); ++k) {
            for (const Stretch& s : data_[k]) {
                buffers_.needed(buffer_, s.word);
                if (is_whole(k)) continue;
                const std::string to = s.data_bit == 0 ? temporary(k) : temporaries_.back();
                op().op("bfe.u32", {to, word(s), std::to_string(s.word_bit), std::to_string(s.bits)});
                if (s.data_bit != 0)
                    op().op("bfi.b32", {temporary(k), to, temporary(k), std::to_string(s.data_bit), std::to_string(s.bits)});
            }
        }
        if (!is_narrow()) {
            op().op(instruction_, {address_, operand()});
            return;
        }
        op().op("cvt.u16.u32", {half(), temporaries_[0]});
        op().op(instruction_, {address_, half()});
    }

    PtxWriter& out_;
    RegisterBuffers& buffers_;
    int buffer_;
    const AccessForm& form_;
    const std::string& instruction_;  // its mnemonic, with cache hints
    std::string address_, active_, reads_;
    bool runs_in_all_;
    std::vector<std::vector<Stretch>> data_{};  // of each data register
    std::vector<std::string> temporaries_{};    // of those that are not whole, and the last for shifts
};

}  // namespace

RegisterBuffers::RegisterBuffers(const Problem& problem, const Plan& plan) {
    for (const CopyPlan& planned : plan.copies) {
        const auto copy = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& c) { return c.name == planned.copy; });
        TILEPROOF_CHECK(copy != problem.copies.end());
        if (const std::optional<Side> held = register_side(problem, *copy))
            words_[operand(*copy, *held).buffer] = register_words(problem.buffer(operand(*copy, *held)));
    }
}

std::string RegisterBuffers::word(int buffer, std::int64_t number) const {
    TILEPROOF_CHECK(number >= 0 && number < words_.at(buffer));
    return "%q" + std::to_string(buffer) + "_" + std::to_string(number);
}

std::string RegisterBuffers::declarations() const {
    std::string out;
    for (const auto& [buffer, words] : words_) out += "    .reg .b32  %q" + std::to_string(buffer) + "_<" + std::to_string(words) + ">;\n";
    return out;
}

std::string RegisterBuffers::clearing() const {
    PtxWriter out;
    bool is_first = true;
    for (const auto& [at, is_written] : first_) {
        if (is_written) continue;
        if (std::exchange(is_first, false)) out.comment("registers that are in use before the kernel has written them");
        out.op("mov.b32", {word(at.first, at.second), "0"});
    }
    return out.text();
}

std::vector<std::int64_t> registers_of(const Segment& segment, Side held, std::int64_t round) {
    const Side stored = opposite(held);
    const AddressPlan& address = segment.side(held).address;
    // Proved for all values: lane v is v elements from the first.
    const bool follow = is_symbolic(segment.side(stored).address) || has_symbolic_bounds(segment);
    Segment always = segment;  // for some values of the symbols, if not for all
    std::erase_if(always.predicate, [](const Bound& bound) { return !bound.below.is_constant(); });
    std::optional<std::int64_t> thread;  // one that reads, or else one that fills with zeros
    for (std::int64_t t = 0; t < segment.threads; ++t) {
        const std::vector<std::int64_t> digits = digits_at(segment, round, t, 0);
        if (!is_active(always, digits)) continue;
        const bool reads = lanes_read(always, digits) > 0;
        if (reads || !thread) thread = t;
        if (reads) break;
    }
    if (!thread) return {};
    std::vector<std::pair<std::int64_t, std::int64_t>> lanes;  // offset in memory, register
    for (std::int64_t lane = 0; lane < segment.vec; ++lane) {
        const std::vector<std::int64_t> digits = digits_at(segment, round, *thread, lane);
        std::int64_t reg = address.offset;
        for (std::size_t i = 0; i < digits.size(); ++i) reg += std::int64_t{address.strides[i]} * digits[i];
        lanes.emplace_back(follow ? lane : planned_offset(segment, stored, digits), reg);
    }
    if (!is_matrix(segment.side(stored).instruction)) std::sort(lanes.begin(), lanes.end());
    std::vector<std::int64_t> out;
    for (const auto& [at, reg] : lanes) out.push_back(reg);
    return out;
}

void write_register_access(PtxWriter& out, RegisterBuffers& buffers, const Problem& problem, const Copy& copy, const Segment& segment,
                           std::int64_t round, const RegisterAccess& access) {
    const Side held = *register_side(problem, copy), stored = opposite(held);
    const std::vector<std::int64_t> elements = registers_of(segment, held, round);
    if (elements.empty()) return;
    const std::string& instruction = segment.side(stored).instruction;
    const AccessForm* form = access_form(instruction);
    AccessForm of_matrices{};
    if (const MatrixForm* const matrix = matrix_form(instruction)) {  // to each thread, an access of as many registers
        of_matrices = {matrix->mnemonic,   matrix->direction, Space::shared, Bits{32 * matrix->registers()}, matrix->registers(), {32},
                       matrix->least_arch, matrix->least_ptx};
        form = &of_matrices;
    }
    TILEPROOF_CHECK(form != nullptr && form->space == problem.buffer(operand(copy, stored)).space);
    TILEPROOF_CHECK(form->direction == (stored == Side::src ? Direction::load : Direction::store));
    const Participants who = participants(copy, problem.launch);
    const bool everywhere = who.first == 0 && who.end() == problem.launch.block;
    AccessWriter(out, buffers, operand(copy, held).buffer, *form, instruction, access, everywhere)
        .write(elements, problem.buffer(copy.src).dtype.size.count);
}

}  // namespace tileproof
