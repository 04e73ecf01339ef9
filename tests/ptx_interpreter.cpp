#include "tests/ptx_interpreter.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tests/ptx_decode.hpp"

namespace tileproof::test {
namespace {

// Tells a generic address from a global one.
constexpr std::uint64_t generic_tag = std::uint64_t{1} << 60;
constexpr std::int64_t most_steps = 50'000'000;

std::uint64_t truncate(std::uint64_t value, int bits) { return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1); }

std::int64_t sign_extend(std::uint64_t value, int bits) {
    if (bits >= 64) return static_cast<std::int64_t>(value);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>((truncate(value, bits) ^ sign) - sign);
}

/// Who touched a byte last.
struct Shadow {
    std::int64_t write_phase = -1, read_phase = -1;
    int writer = -1, reader = -1;  // reader -2: several
};

constexpr int several = -2;

/// Which blocks touched a byte of global memory: between blocks there is no order.
struct BlockShadow {
    std::int64_t writer = -1, reader = -1;         // numbers of blocks; reader -2: several
    bool is_constant = false, is_written = false;  // read as what nobody writes; written, by whatever block
};
using BlockShadows = std::unordered_map<std::uint64_t, BlockShadow>;

/// One block.
class Machine {
public:
    Machine(const PtxKernel& kernel, PtxLaunch& launch, std::int64_t block, BlockShadows& blocks)
        : kernel_(kernel), launch_(launch), block_(block), blocks_(blocks) {}

    PtxOutcome run() {
        prepare();
        while (out_.error.empty()) {
            for (thread_ = 0; thread_ < launch_.block && out_.error.empty(); ++thread_) run_thread();
            if (!out_.error.empty()) break;
            if (!pass_matrices() && !pass_barrier()) break;
        }
        return std::move(out_);
    }

private:
    /// A cp.async that is not complete.
    struct Pending {
        std::uint64_t to = 0, from = 0;
        std::uint64_t bytes = 0;
        std::uint64_t read = 0;  // the others become zeros
    };
    using Group = std::vector<Pending>;

    struct Thread {
        std::vector<std::uint64_t> values;
        std::vector<bool> written;
        std::size_t at = 0;
        bool done = false;
        Group uncommitted{};
        std::vector<Group> groups{};  // committed and not complete, oldest first
    };

    void fail(const std::string& what) {
        if (!out_.error.empty()) return;
        const std::size_t at = std::min(threads_.empty() ? 0 : state().at, kernel_.instructions().size() - 1);
        out_.error = "thread " + std::to_string(thread_) + ", line " + std::to_string(kernel_.instructions()[at].line) + ": " + what;
    }

    Thread& state() { return threads_[static_cast<std::size_t>(std::min(thread_, launch_.block - 1))]; }

    void prepare() {
        for (const PtxInstruction& instruction : kernel_.instructions()) {
            const auto decoded = decode(kernel_, instruction);
            if (!decoded) {
                out_.error = "line " + std::to_string(instruction.line) + ": unknown instruction " + instruction.opcode;
                return;
            }
            code_.push_back(*decoded);
        }
        if (kernel_.parameters().size() != launch_.arguments.size()) out_.error = "wrong number of arguments";
        const std::size_t registers = kernel_.registers().size();
        threads_.assign(static_cast<std::size_t>(launch_.block), {std::vector<std::uint64_t>(registers), std::vector<bool>(registers)});
        shared_base_ = 3 * kernel_.shared_align();
        shared_size_ = kernel_.extern_shared() ? launch_.dynamic_shared : kernel_.shared_size();
        out_.shared.assign(shared_size_, 0xcd);
    }

    void run_thread() {
        Thread& thread = state();
        while (!thread.done && out_.error.empty()) {
            if (thread.at >= code_.size()) return fail("ran past the end");
            if (++steps_ > most_steps) return fail("too many steps");
            const PtxInstruction& instruction = kernel_.instructions()[thread.at];
            const Decoded& decoded = code_[thread.at];
            const bool active = instruction.guard < 0 || (read_register(instruction.guard, 1) != 0) != instruction.guard_negated;
            if (!active) {
                ++thread.at;
                continue;
            }
            if (decoded.op == Op::bar || is_of_warp(decoded)) return;  // stays on it until all have come
            if (decoded.op == Op::ret) thread.done = true;
            if (decoded.op == Op::bra) thread.at = static_cast<std::size_t>(decoded.target);
            else {
                execute(decoded, instruction);
                if (out_.error.empty()) ++thread.at;
            }
        }
    }

    static bool is_of_warp(const Decoded& d) { return d.op == Op::load_matrices || d.op == Op::store_matrices; }

    /// The matrix instruction that a thread waits at, or null.
    const Decoded* waits_at(const Thread& thread) const {
        return !thread.done && thread.at < code_.size() && is_of_warp(code_[thread.at]) ? &code_[thread.at] : nullptr;
    }

    /// Runs the matrix instruction of each warp that waits at one. False if none does.
    bool pass_matrices() {
        bool any = false;
        for (int first = 0; first < launch_.block && out_.error.empty(); first += 32) {
            const auto begin = threads_.begin() + first, end = threads_.begin() + std::min(first + 32, launch_.block);
            if (std::none_of(begin, end, [&](const Thread& t) { return waits_at(t) != nullptr; })) continue;
            any = true;
            thread_ = first;
            if (end - begin != 32 || !std::all_of(begin, end, [&](const Thread& t) { return !t.done && t.at == begin->at; })) {
                fail("a matrix instruction that only a part of the warp has come to");
                return true;
            }
            matrices(*waits_at(*begin), kernel_.instructions()[begin->at].operands, first);
            for (auto thread = begin; thread != end && out_.error.empty(); ++thread) ++thread->at;
        }
        return any;
    }

    /// PTX ISA, "ldmatrix": eight lanes after each other give the addresses of a matrix's rows; then each row, or with .trans each
    /// column, is dealt out to four lanes, which get two neighbours of it into the two halves of a register.
    void matrices(const Decoded& d, const std::vector<PtxOperand>& operands, int first) {
        constexpr int size = 8;
        const bool store = d.op == Op::store_matrices;
        const PtxOperand &memory = operands.at(store ? 0 : 1), &data = operands.at(store ? 1 : 0);
        const int registers = d.of_bytes && !store ? 2 * d.lanes : d.lanes;
        if (data.kind != PtxOperand::Kind::tuple || static_cast<int>(data.parts.size()) != registers)
            return fail("wrong number of registers");
        std::vector<std::uint64_t> addresses;
        for (int lane = 0; lane < 32; ++lane) {  // also those of lanes whose addresses nobody needs
            thread_ = first + lane;
            addresses.push_back(address_of(memory, true));
            if (addresses.back() % 16 != 0) return fail("address " + std::to_string(addresses.back()) + " of a row is no multiple of 16");
            if (addresses.back() < shared_base_ || addresses.back() - shared_base_ + 16 > shared_size_)
                return fail("a row outside the array");
        }
        if (d.of_bytes)
            return store ? store_byte_columns(d.lanes, data, addresses, first) : load_byte_columns(d.lanes, data, addresses, first);
        for (int number = 0; number < d.lanes; ++number) {
            const PtxOperand& reg = data.parts[static_cast<std::size_t>(number)];
            std::array<std::array<std::uint16_t, size>, size> matrix{};
            const auto deal = [&](const auto& each) {  // each(lane, shift, entry)
                for (int major = 0; major < size; ++major)
                    for (int minor = 0; minor < size; ++minor) {
                        auto& entry = matrix[static_cast<std::size_t>(d.transposed ? minor : major)]
                                            [static_cast<std::size_t>(d.transposed ? major : minor)];
                        each(first + (major * size + minor) / 2, 16 * (minor & 1), entry);
                    }
            };
            if (store)
                deal([&](int thread, int shift, std::uint16_t& entry) {
                    thread_ = thread;
                    entry = static_cast<std::uint16_t>(read_data(reg, 32) >> shift);
                });
            for (int row = 0; row < size; ++row) {
                const int lane = number * size + row;
                thread_ = first + lane;
                std::uint8_t* const at = find(addresses[static_cast<std::size_t>(lane)], 16, true, store);
                if (at == nullptr || !out_.error.empty()) return;
                for (int column = 0; column < size; ++column) {
                    std::uint16_t& entry = matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
                    if (store) {
                        at[2 * column] = static_cast<std::uint8_t>(entry);
                        at[2 * column + 1] = static_cast<std::uint8_t>(entry >> 8);
                    } else {
                        entry = static_cast<std::uint16_t>(at[2 * column] | at[2 * column + 1] << 8);
                    }
                }
            }
            if (store) continue;
            std::array<std::uint64_t, 32> words{};
            deal([&](int thread, int shift, const std::uint16_t& entry) {
                words[static_cast<std::size_t>(thread - first)] |= std::uint64_t{entry} << shift;
            });
            for (int lane = 0; lane < 32; ++lane) {
                thread_ = first + lane;
                write_register(reg, words[static_cast<std::size_t>(lane)], 32);
            }
        }
    }

    /// PTX ISA, "ldmatrix", 16x16: the rows in memory are the columns of a matrix. Four lanes hold a row of it, each four neighbours in a
    /// register; the next register has the same of the row eight below.
    void load_byte_columns(int matrices, const PtxOperand& data, const std::vector<std::uint64_t>& addresses, int first) {
        for (int number = 0; number < matrices; ++number) {
            std::array<std::array<std::uint64_t, 2>, 32> words{};
            for (int column = 0; column < 16; ++column) {
                thread_ = first + 16 * number + column;
                const std::uint8_t* const at = find(addresses[static_cast<std::size_t>(16 * number + column)], 16, true, false);
                if (at == nullptr || !out_.error.empty()) return;
                for (int row = 0; row < 16; ++row)
                    words[static_cast<std::size_t>(row % 8 * 4 + column / 4)][row < 8 ? 0 : 1] |= std::uint64_t{at[row]}
                                                                                                  << 8 * (column % 4);
            }
            for (int lane = 0; lane < 32; ++lane) {
                thread_ = first + lane;
                for (std::size_t i = 0; i < 2; ++i)
                    write_register(data.parts[static_cast<std::size_t>(2 * number) + i], words[static_cast<std::size_t>(lane)][i], 32);
            }
        }
    }

    /// PTX ISA, "stmatrix", 16x8: lanes hold a matrix as the accumulators of an mma are held, two neighbours of a row and the two eight
    /// below; a column of it goes to a row of memory.
    void store_byte_columns(int matrices, const PtxOperand& data, const std::vector<std::uint64_t>& addresses, int first) {
        for (int number = 0; number < matrices; ++number) {
            std::uint8_t matrix[16][8] = {};
            for (int group = 0; group < 8; ++group)
                for (int in_group = 0; in_group < 4; ++in_group) {
                    thread_ = first + 4 * group + in_group;
                    const std::uint64_t word = read_data(data.parts[static_cast<std::size_t>(number)], 32);
                    matrix[group][2 * in_group] = static_cast<std::uint8_t>(word);
                    matrix[group][2 * in_group + 1] = static_cast<std::uint8_t>(word >> 8);
                    matrix[group + 8][2 * in_group] = static_cast<std::uint8_t>(word >> 16);
                    matrix[group + 8][2 * in_group + 1] = static_cast<std::uint8_t>(word >> 24);
                }
            for (int column = 0; column < 8; ++column) {
                thread_ = first + 8 * number + column;
                std::uint8_t* const at = find(addresses[static_cast<std::size_t>(8 * number + column)], 16, true, true);
                if (at == nullptr || !out_.error.empty()) return;
                for (int row = 0; row < 16; ++row) at[row] = matrix[row][column];
            }
        }
    }

    /// False once all threads have returned.
    bool pass_barrier() {
        const auto done = std::count_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.done; });
        if (done == launch_.block) return false;
        for (Thread& thread : threads_) {
            if (thread.done || thread.at != threads_.front().at) {
                fail("the threads are at different barriers, or some have returned");
                return false;
            }
        }
        for (Thread& thread : threads_) ++thread.at;
        ++phase_;
        ++out_.barriers;
        return true;
    }

    std::uint64_t read_register(int number, int bits) {
        Thread& thread = state();
        const auto at = static_cast<std::size_t>(number);
        const PtxRegister& reg = kernel_.registers()[at];
        if (bits != 0 && reg.bits != bits) fail(reg.name + " has " + std::to_string(reg.bits) + " bits, not " + std::to_string(bits));
        if (!thread.written[at]) fail(reg.name + " is read before it is written");
        return thread.values[at];
    }

    void write_register(const PtxOperand& operand, std::uint64_t value, int bits, bool may_be_wider = false) {
        if (operand.kind != PtxOperand::Kind::reg) return fail("the destination is no register");
        const auto at = static_cast<std::size_t>(operand.reg);
        const PtxRegister& reg = kernel_.registers()[at];
        if (reg.bits != bits && !(may_be_wider && reg.bits > bits)) fail(reg.name + " does not have " + std::to_string(bits) + " bits");
        state().values[at] = truncate(value, reg.bits);
        state().written[at] = true;
    }

    std::uint64_t read(const PtxOperand& operand, int bits) {
        switch (operand.kind) {
            case PtxOperand::Kind::reg:
                return read_register(operand.reg, bits);
            case PtxOperand::Kind::number:
                return truncate(static_cast<std::uint64_t>(operand.number), bits);
            case PtxOperand::Kind::special:
                return special(operand.name);
            case PtxOperand::Kind::symbol:
                if (operand.name != kernel_.shared_name()) fail("unknown name " + operand.name);
                return truncate(shared_base_ + static_cast<std::uint64_t>(operand.number), bits);
            default:
                fail("bad operand");
                return 0;
        }
    }

    std::uint64_t special(const std::string& name) const {
        const auto [x, y, z] = launch_.grid;
        const std::int64_t value = name == "%tid.x"     ? thread_
                                   : name == "%ctaid.x" ? block_ % x
                                   : name == "%ctaid.y" ? block_ / x % y
                                                        : block_ / x / y % z;
        return static_cast<std::uint64_t>(value);
    }

    void execute(const Decoded& d, const PtxInstruction& instruction) {
        const auto& operands = instruction.operands;
        switch (d.op) {
            case Op::ret:
            case Op::bra:
            case Op::bar:
                return;
            case Op::ld:
            case Op::st:
                return access(d, operands);
            case Op::mov:
                return write_register(operands.at(0), read(operands.at(1), d.bits), d.bits);
            case Op::cvt: {
                const std::uint64_t value = read(operands.at(1), d.from_bits);
                return write_register(operands.at(0), d.from_signed ? static_cast<std::uint64_t>(sign_extend(value, d.from_bits)) : value,
                                      d.bits);
            }
            case Op::cvta: {
                const std::uint64_t value = read(operands.at(1), 64);
                if ((value & generic_tag) == 0) fail("cvta of what is no generic address");
                return write_register(operands.at(0), value & ~generic_tag, 64);
            }
            case Op::copy_async:
                return copy_async(instruction);
            case Op::commit_group:
                state().groups.push_back(std::exchange(state().uncommitted, {}));
                return;
            case Op::wait_group:
                return complete(operands.at(0).number);
            case Op::wait_all:
                state().groups.push_back(std::exchange(state().uncommitted, {}));
                return complete(0);
            case Op::bit_extract:
            case Op::bit_insert:
                return bit_field(d, operands);
            case Op::permute:
                return permute(operands);
            case Op::setp:
                return compare(d, operands);
            case Op::selp:
                return write_register(operands.at(0), read(operands.at(read(operands.at(3), 1) != 0 ? 1 : 2), d.bits), d.bits);
            default:
                return arithmetic(d, operands);
        }
    }

    /// bfe d, a, pos, len; bfi d, a, b, pos, len. Fields beyond the register are refused, as nobody should want them.
    void bit_field(const Decoded& d, const std::vector<PtxOperand>& operands) {
        const bool inserts = d.op == Op::bit_insert;
        const std::uint64_t a = read(operands.at(1), d.bits), b = inserts ? read(operands.at(2), d.bits) : 0;
        const std::uint64_t pos = read(operands.at(inserts ? 3 : 2), 32), len = read(operands.at(inserts ? 4 : 3), 32);
        if (len == 0 || pos + len > static_cast<std::uint64_t>(d.bits)) return fail("a bit field outside its register");
        const std::uint64_t mask = len >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << len) - 1;
        write_register(operands.at(0), inserts ? (b & ~(mask << pos)) | (a & mask) << pos : a >> pos & mask, d.bits);
    }

    /// prmt d, a, b, selector: byte i of d is byte (nibble i of the selector) of b:a. Copied signs (nibbles above 7) nobody should want.
    void permute(const std::vector<PtxOperand>& operands) {
        const std::uint64_t bytes = read(operands.at(1), 32) | read(operands.at(2), 32) << 32, selector = read(operands.at(3), 32);
        std::uint64_t result = 0;
        for (int i = 0; i < 4; ++i) {
            const std::uint64_t from = selector >> (4 * i) & 15;
            if (from > 7) return fail("prmt of a sign");
            result |= (bytes >> (8 * from) & 0xff) << (8 * i);
        }
        if (selector >> 16 != 0) return fail("prmt with more than four nibbles");
        write_register(operands.at(0), result, 32);
    }

    void compare(const Decoded& d, const std::vector<PtxOperand>& operands) {
        const std::uint64_t a = read(operands.at(1), d.bits), b = read(operands.at(2), d.bits);
        const bool less = d.is_signed ? sign_extend(a, d.bits) < sign_extend(b, d.bits) : a < b;
        const bool holds = d.compare == "eq"   ? a == b
                           : d.compare == "ne" ? a != b
                           : d.compare == "lt" ? less
                           : d.compare == "le" ? less || a == b
                           : d.compare == "gt" ? !less && a != b
                                               : !less;
        write_register(operands.at(0), holds ? 1 : 0, 1);
    }

    /// A function may compute more than it needs, so where PTX promises nothing, the rest is anything: here 1 on division by zero.
    /// Of a negative number it has either sign: here that of the last bit.
    static std::uint64_t signed_rest(std::uint64_t a, std::uint64_t b) {
        const auto n = static_cast<std::int64_t>(a), by = static_cast<std::int64_t>(b);
        if (by == 0 || by == -1) return by == 0 ? 1 : 0;
        const std::int64_t rest = n % by;
        return static_cast<std::uint64_t>(rest < 0 && by > 0 && (n & 1) != 0 ? rest + by : rest);
    }

    void arithmetic(const Decoded& d, const std::vector<PtxOperand>& operands) {
        const bool shift = d.op == Op::shl || d.op == Op::shr;
        std::uint64_t a = read(operands.at(1), d.bits);
        std::uint64_t b = read(operands.at(2), shift ? 32 : d.bits);
        const std::uint64_t c = d.op == Op::mad ? read(operands.at(3), d.wide ? 64 : d.bits) : 0;
        if (d.wide && d.is_signed) {
            a = static_cast<std::uint64_t>(sign_extend(a, 32));
            b = static_cast<std::uint64_t>(sign_extend(b, 32));
        }
        std::uint64_t result = 0;
        switch (d.op) {
            case Op::add:
                result = a + b;
                break;
            case Op::sub:
                result = a - b;
                break;
            case Op::mul:
            case Op::mad:
                result = a * b + c;
                break;
            case Op::bit_and:
                result = a & b;
                break;
            case Op::bit_or:
                result = a | b;
                break;
            case Op::bit_xor:
                result = a ^ b;
                break;
            case Op::shl:
                result = b >= static_cast<std::uint64_t>(d.bits) ? 0 : a << b;
                break;
            case Op::shr:
                if (d.is_signed) fail("arithmetic shifts are not understood");
                result = b >= static_cast<std::uint64_t>(d.bits) ? 0 : a >> b;
                break;
            case Op::max:
            case Op::min:
                if (!d.is_signed) return fail("only signed numbers have a max or min here");
                result = (sign_extend(a, d.bits) < sign_extend(b, d.bits)) == (d.op == Op::max) ? b : a;
                break;
            case Op::rem:
                if (!d.is_signed && b == 0) return fail("division by zero");
                result = d.is_signed ? signed_rest(a, b) : a % b;
                break;
            default:
                if (b == 0 || d.is_signed) return fail("division by zero, or signed");
                result = a / b;
        }
        write_register(operands.at(0), truncate(result, d.wide ? 64 : d.bits), d.wide ? 64 : d.bits);
    }

    void copy_async(const PtxInstruction& instruction) {
        const auto& operands = instruction.operands;
        const auto bytes = static_cast<std::uint64_t>(operands.at(2).number);
        const bool is_cg = instruction.suffixes.at(1) == "cg";
        if (bytes != 16 && (is_cg || (bytes != 4 && bytes != 8))) return fail("no cp.async of " + std::to_string(bytes) + " bytes");
        const Pending copy{address_of(operands.at(0), true), address_of(operands.at(1), false), bytes,
                           operands.size() > 3 ? read(operands.at(3), 32) : bytes};
        if (copy.read > bytes) fail("cp.async of " + std::to_string(bytes) + " bytes reads " + std::to_string(copy.read));
        for (const std::uint64_t address : {copy.to, copy.from})
            if (address % bytes != 0) fail("address " + std::to_string(address) + " is no multiple of " + std::to_string(bytes));
        state().uncommitted.push_back(copy);
    }

    /// All but the latest `pending` groups of this thread.
    void complete(std::int64_t pending) {
        std::vector<Group>& groups = state().groups;
        for (; static_cast<std::int64_t>(groups.size()) > pending; groups.erase(groups.begin())) {
            for (const Pending& copy : groups.front()) {
                std::uint8_t* const to = find(copy.to, copy.bytes, true, true);
                if (to == nullptr) continue;
                std::fill_n(to, copy.bytes, std::uint8_t{0});  // behind what is read
                if (copy.read == 0) continue;
                const std::uint8_t* const from = find(copy.from, copy.read, false, false);
                if (from != nullptr) std::copy_n(from, copy.read, to);
            }
        }
    }

    std::uint64_t address_of(const PtxOperand& memory, bool shared) {
        if (memory.kind != PtxOperand::Kind::memory) return fail("no address"), 0;
        const int address_bits = kernel_.registers()[static_cast<std::size_t>(std::max(0, memory.reg))].bits;
        std::uint64_t address = memory.reg >= 0 ? read_register(memory.reg, 0) : 0;
        if (memory.reg < 0 && memory.name == kernel_.shared_name()) address = shared_base_;
        if (memory.reg >= 0 && address_bits != (shared ? 32 : 64)) fail("the address has the wrong size");
        return address + static_cast<std::uint64_t>(memory.number);
    }

    void access(const Decoded& d, const std::vector<PtxOperand>& operands) {
        const bool store = d.op == Op::st;
        const PtxOperand& memory = operands.at(store ? 0 : 1);
        const PtxOperand& data = operands.at(store ? 1 : 0);
        if (memory.kind != PtxOperand::Kind::memory) return fail("no address");
        if (d.space == "param") {
            if (store && !kernel_.result().empty() && memory.name == kernel_.result() && d.bits == 32) {
                out_.returned = read_data(data, 32);
                return;
            }
            if (store) return fail("a store to a parameter");
            const auto& names = kernel_.parameters();
            const auto at = std::find(names.begin(), names.end(), memory.name);
            if (at == names.end() || d.bits != 64) return fail("no parameter " + memory.name);
            const auto number = static_cast<std::size_t>(at - names.begin());
            if (!kernel_.result().empty()) return write_register(data, launch_.arguments[number], 64);
            if (kernel_.is_number(number) != d.is_signed) return fail("a pointer for a number, or a number for a pointer");
            return write_register(data, launch_.arguments[number] | (d.is_signed ? 0 : generic_tag), 64);
        }
        const bool shared = d.space == "shared";
        const std::uint64_t address = address_of(memory, shared);
        const std::vector<PtxOperand> lanes = d.lanes == 1 ? std::vector<PtxOperand>{data} : data.parts;
        if (static_cast<int>(lanes.size()) != d.lanes) return fail("wrong number of registers");
        const auto bytes = static_cast<std::uint64_t>(d.bits / 8);
        const std::uint64_t all = bytes * static_cast<std::uint64_t>(d.lanes);
        if (address % all != 0) return fail("address " + std::to_string(address) + " is no multiple of " + std::to_string(all));
        std::uint8_t* const at = find(address, all, shared, store);
        if (!shared && launch_.look_for_races) mark_constant(address, all, store, d.non_coherent);
        if (!out_.error.empty()) return;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            std::uint64_t value = 0;
            if (store) {
                value = read_data(lanes[lane], d.bits);
                for (std::uint64_t i = 0; at != nullptr && i < bytes; ++i)
                    at[lane * bytes + i] = static_cast<std::uint8_t>(value >> (8 * i));
            } else {
                for (std::uint64_t i = 0; at != nullptr && i < bytes; ++i)
                    value |= static_cast<std::uint64_t>(at[lane * bytes + i]) << (8 * i);
                write_register(lanes[lane], value, d.bits, true);
            }
        }
    }

    std::uint64_t read_data(const PtxOperand& operand, int bits) {
        if (operand.kind != PtxOperand::Kind::reg) {
            fail("only registers are stored");
            return 0;
        }
        if (kernel_.registers()[static_cast<std::size_t>(operand.reg)].bits < bits) fail("the register is too small");
        return read_register(operand.reg, 0);
    }

    /// The bytes at this address, noted in the trace; null without data or with an error.
    std::uint8_t* find(std::uint64_t address, std::uint64_t size, bool shared, bool store) {
        PtxAccess access{thread_, store, shared, address, static_cast<int>(size)};
        if (shared) {
            access.address = address - shared_base_;
            out_.trace.push_back(access);
            if (address < shared_base_ || access.address + size > shared_size_) {
                fail("shared address outside the array");
                return nullptr;
            }
            mark(shared_shadow_, access);
            return out_.shared.data() + access.address;
        }
        out_.trace.push_back(access);
        for (PtxAllocation& allocation : launch_.global) {
            if (address < allocation.address || address - allocation.address + size > allocation.size) continue;
            mark(global_shadow_, access);
            mark_block(access);
            return allocation.bytes.empty() ? nullptr : allocation.bytes.data() + (address - allocation.address);
        }
        fail("global address outside every allocation");
        return nullptr;
    }

    /// What is read as non-coherent is not written while the kernel runs, by whomever.
    void mark_constant(std::uint64_t address, std::uint64_t bytes, bool store, bool non_coherent) {
        for (std::uint64_t i = 0; i < bytes && (store || non_coherent); ++i) {
            BlockShadow& shadow = blocks_[address + i];
            shadow.is_constant = shadow.is_constant || non_coherent;
            shadow.is_written = shadow.is_written || store;
            if (shadow.is_constant && shadow.is_written) fail("a non-coherent read of what the kernel writes");
        }
    }

    void mark_block(const PtxAccess& access) {
        if (!launch_.look_for_races || launch_.grid == std::array<std::int64_t, 3>{1, 1, 1}) return;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(access.bytes); ++i) {
            BlockShadow& shadow = blocks_[access.address + i];
            const bool written = shadow.writer >= 0 && shadow.writer != block_, read = shadow.reader != -1 && shadow.reader != block_;
            if (written || (access.store && read)) fail("race with another block");
            if (access.store) shadow.writer = block_;
            else shadow.reader = read ? several : block_;
        }
    }

    void mark(std::unordered_map<std::uint64_t, Shadow>& shadows, const PtxAccess& access) {
        if (!launch_.look_for_races) return;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(access.bytes); ++i) {
            Shadow& shadow = shadows[access.address + i];
            const bool written = shadow.write_phase == phase_ && shadow.writer != thread_;
            const bool read = shadow.read_phase == phase_ && shadow.reader != thread_;
            if (written || (access.store && read)) fail("race with another thread");
            if (access.store) {
                shadow.write_phase = phase_;
                shadow.writer = thread_;
            } else {
                shadow.reader = shadow.read_phase == phase_ && shadow.reader != thread_ ? several : thread_;
                shadow.read_phase = phase_;
            }
        }
    }

    const PtxKernel& kernel_;
    PtxLaunch& launch_;
    std::int64_t block_ = 0;
    BlockShadows& blocks_;
    PtxOutcome out_;
    std::vector<Decoded> code_;
    std::vector<Thread> threads_;
    int thread_ = 0;
    std::int64_t phase_ = 0;
    std::int64_t steps_ = 0;
    std::uint64_t shared_base_ = 0;
    std::uint64_t shared_size_ = 0;
    std::unordered_map<std::uint64_t, Shadow> shared_shadow_;
    std::unordered_map<std::uint64_t, Shadow> global_shadow_;
};

}  // namespace

PtxOutcome PtxKernel::run(PtxLaunch& launch) const {
    if (launch.block != block_) return {"the block is not as .reqntid says"};
    PtxOutcome out;
    BlockShadows shadows;
    for (std::int64_t block = 0; block < launch.grid[0] * launch.grid[1] * launch.grid[2]; ++block) {
        PtxOutcome one = Machine(*this, launch, block, shadows).run();
        out.shared = std::move(one.shared);
        out.trace.insert(out.trace.end(), one.trace.begin(), one.trace.end());
        out.barriers += one.barriers;
        out.returned = one.returned;
        if (!one.error.empty()) {
            out.error = (block > 0 ? "block " + std::to_string(block) + ", " : "") + one.error;
            break;
        }
    }
    return out;
}

}  // namespace tileproof::test
