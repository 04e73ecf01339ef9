#include <utility>

#include "emit/ptx_block.hpp"
#include "emit/ptx_bounds_internal.hpp"
#include "emit/ptx_places_internal.hpp"
#include "emit/ptx_tail_internal.hpp"

namespace tileproof {
namespace {

class SegmentWriter {
public:
    SegmentWriter(PtxWriter& out, const KernelFrame& frame, const Copy& copy, const Segment& segment, const std::string& thread,
                  std::string label)
        : at_{out, frame, copy, segment, loop_extents(segment), ThreadSums(out, thread, segment.threads), SymbolRegisters(frame.symbol)},
          out_(out),
          segment_(segment),
          places_(at_),
          bounds_(at_),
          label_(std::move(label)) {}

    void write() {
        bool has_registers = false;
        for (const Side side : both_sides) {
            if (at_.buffer(side).space == Space::registers) has_registers = true;
            else places_.prepare(side);
        }
        bounds_.prepare();
        has_registers ? unrolled(0, 0, true) : loop(0);
    }

private:
    /// The predicate of the round; addresses are ready then.
    std::string begin_round() {
        places_.in_round();
        return bounds_.active_in_round();
    }
    void access();
    void register_access(std::int64_t round);
    void loop(std::size_t level);
    void unrolled(std::size_t level, std::int64_t round, bool is_last);
    void move_on(std::size_t level);

    SegmentFrame at_;
    PtxWriter& out_;
    const Segment& segment_;
    Places places_;
    BoundsWriter bounds_;
    std::string label_;
};

void SegmentWriter::register_access(std::int64_t round) {
    const std::string active = begin_round();
    const Side stored = at_.buffer(Side::src).space == Space::registers ? Side::dst : Side::src;
    const std::string reads = bounds_.reads_in_round(active);
    write_register_access(out_, *at_.frame.registers, *at_.frame.problem, at_.copy, segment_, round,
                          {places_.address(stored), active, reads});
}

void SegmentWriter::access() {
    const std::string active = begin_round();
    if (const AsyncForm* const form = async_form(segment_.src.instruction, segment_.src.width)) {
        const std::string from = places_.address(Side::src), to = places_.address(Side::dst);
        std::vector<std::string> operands{"[" + to + "]", "[" + from + "]", std::to_string(to_bytes(form->width).count)};
        if (const std::string bytes = bounds_.bytes_read(bounds_.reads_in_round({}), to_bytes(form->width)); bytes != operands.back())
            operands.push_back(bytes);
        out_.guarded(active).op(segment_.src.instruction, operands);
        return;
    }
    const AccessForm* const load = access_form(segment_.src.instruction);
    const AccessForm* const store = access_form(segment_.dst.instruction);
    TILEPROOF_CHECK(load != nullptr && load->direction == Direction::load && load->space == at_.buffer(Side::src).space);
    TILEPROOF_CHECK(store != nullptr && store->direction == Direction::store && store->space == at_.buffer(Side::dst).space);
    if (is_block(segment_)) {
        const std::vector<std::string> from = places_.addresses(Side::src), to = places_.addresses(Side::dst);
        write_block(out_, segment_, at_.buffer(Side::src).dtype.size, from, to, active);
        return;
    }
    TILEPROOF_CHECK(load->width == store->width && load->registers == store->registers);
    const std::vector<std::string> data = out_.reused(load->register_size == Bits{16} ? Bank::b16 : Bank::data, load->registers);
    const std::string from = places_.address(Side::src), to = places_.address(Side::dst);
    const std::string reads = bounds_.reads_in_round(active);
    if (reads != active)
        for (const std::string& name : data) out_.op(load->register_size == Bits{16} ? "mov.b16" : "mov.b32", {name, "0"});
    out_.guarded(reads).op(segment_.src.instruction, {tuple(data), "[" + from + "]"});
    out_.guarded(active).op(segment_.dst.instruction, {"[" + to + "]", tuple(data)});
}

void SegmentWriter::loop(std::size_t level) {
    if (level == at_.loops.size()) return access();
    const std::string again = label_ + "_round" + (at_.loops.size() > 1 ? std::to_string(level) : "");
    const std::string round = out_.fresh(Bank::b32);
    out_.op("mov.b32", {round, "0"});
    out_.label(again);
    out_.indent();
    loop(level + 1);
    move_on(level);
    const std::string more = out_.fresh(Bank::pred);
    out_.op("add.s32", {round, round, "1"});
    out_.op("setp.lt.s32", {more, round, std::to_string(at_.loops[level])});
    out_.guarded(more).op("bra", {again});
    out_.outdent();
}

/// Instructions name registers, so each round has its own. `is_last`: nothing follows, whose addresses would have to move on.
void SegmentWriter::unrolled(std::size_t level, std::int64_t round, bool is_last) {
    if (level == at_.loops.size()) return register_access(round);
    for (std::int64_t i = 0; i < at_.loops[level]; ++i) {
        const bool ends = is_last && i + 1 == at_.loops[level];
        unrolled(level + 1, round * at_.loops[level] + i, ends);
        if (!ends) move_on(level);
    }
}

void SegmentWriter::move_on(std::size_t level) {
    for (const Moving& moving : at_.moving) {
        if (!moving.symbolic_steps.empty()) {
            if (!moving.symbolic_steps[level].empty()) out_.op("add.s64", {moving.name, moving.name, moving.symbolic_steps[level]});
            continue;
        }
        const std::int64_t step = moving.steps[level];
        if (step == 0) continue;
        out_.op(moving.wide ? "add.s64" : "add.s32", {moving.name, moving.name, moving.wide ? std::to_string(step) : low_32_bits(step)});
    }
}

}  // namespace

std::string write_shared_address(PtxWriter& out, const KernelFrame& frame, std::int64_t offset) {
    std::string address = out.fresh(Bank::b32);
    const std::string& start = frame.shared_start;
    if (start.empty()) out.op("mov.u32", {address, shared_name + (offset == 0 ? "" : "+" + std::to_string(offset))});
    else if (offset == 0) out.op("mov.b32", {address, start});
    else out.op("add.s32", {address, start, std::to_string(offset)});
    return address;
}

void write_copy(PtxWriter& out, const KernelFrame& frame, const Copy& copy, const CopyPlan& plan, int number) {
    const std::string name = identifier(copy.name);
    const std::string label = "L" + std::to_string(number) + "_" + name;
    const Participants who = plan.participants;
    const bool whole_block = who.first == 0 && who.end() == frame.problem->launch.block;
    out.blank();
    out.comment(name + ": " + frame.problem->buffer(copy.src).name + " -> " + frame.problem->buffer(copy.dst).name);
    std::string thread = frame.thread;
    if (who.first != 0) {
        thread = out.fresh(Bank::b32);
        out.op("add.s32", {thread, frame.thread, std::to_string(-who.first)});
    }
    if (who.groups > 1) {  // threads of one group are numbered from 0; their number is a power of two
        TILEPROOF_CHECK(whole_block && is_power_of_two(who.count));
        thread = who.count == 1 ? std::string{} : out.fresh(Bank::b32);
        if (who.count > 1) out.op("and.b32", {thread, frame.thread, std::to_string(who.count - 1)});
    }
    if (!whole_block) {
        const std::string outside = out.fresh(Bank::pred);
        out.op("setp.ge.u32", {outside, thread, std::to_string(who.count)});  // unsigned: also those before the first
        out.guarded(outside).op("bra", {label + "_end"});
    }
    const bool several = plan.segments.size() > 1;
    for (std::size_t i = 0; i < plan.segments.size(); ++i) {
        const Segment& segment = plan.segments[i];
        TILEPROOF_CHECK(segment.threads == who.count);
        if (several) out.comment("segment " + std::to_string(i + 1) + " of " + std::to_string(plan.segments.size()));
        const std::string mark = several ? label + "_s" + std::to_string(i) : label;
        if (segment.tail) {
            const TailFrame tail(out, frame, plan.box, segment);
            SegmentWriter(out, tail.frame, copy, tail.segment, thread, mark).write();
        } else {
            SegmentWriter(out, frame, copy, segment, thread, mark).write();
        }
    }
    if (!whole_block) out.label(label + "_end");
    if (is_asynchronous(plan)) out.op("cp.async.commit_group", {});
}

}  // namespace tileproof
