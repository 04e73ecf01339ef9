#include "emit/ptx.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "emit/ptx_block.hpp"
#include "emit/ptx_internal.hpp"
#include "layouts/cache_hint.hpp"
#include "layouts/grid.hpp"
#include "layouts/matrix.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"

namespace tileproof {
namespace {

std::string entry_name(const Problem& problem) { return "tp_" + identifier(problem.stem); }

/// A prefix keeps names of buffers and symbols apart from PTX's words and from ours.
template <class Named>
std::string parameter_name(const Named& named) {
    return "p_" + named.name;
}
constexpr const char* image_parameter = "shared_image";

const Copy& find_copy(const Problem& problem, const std::string& name) {
    const auto at = std::find_if(problem.copies.begin(), problem.copies.end(), [&](const Copy& c) { return c.name == name; });
    TILEPROOF_CHECK(at != problem.copies.end());
    return *at;
}

const CopyPlan& find_plan(const Plan& plan, const std::string& name) {
    const auto at = std::find_if(plan.copies.begin(), plan.copies.end(), [&](const CopyPlan& c) { return c.copy == name; });
    TILEPROOF_CHECK(at != plan.copies.end());
    return *at;
}

/// The lowest PTX version for the target and for each instruction of the plan, and what asks for it.
std::pair<PtxVersion, std::string> least_version(const Problem& problem, const Plan& plan) {
    std::pair<PtxVersion, std::string> least{problem.target.least_ptx, problem.target.name};
    for (const CopyPlan& copy : plan.copies) {
        for (const Segment& segment : copy.segments) {
            for (const Side side : both_sides) {
                const SidePlan& access = segment.side(side);
                if (access.instruction == no_instruction) continue;
                const AccessForm* const form = access_form(access.instruction);
                const AsyncForm* const async = async_form(access.instruction, access.width);
                const MatrixForm* const matrix = matrix_form(access.instruction);
                TILEPROOF_CHECK(form != nullptr || async != nullptr || matrix != nullptr);
                TILEPROOF_CHECK(problem.target.number >= (form != nullptr    ? form->least_arch
                                                          : async != nullptr ? async->least_arch
                                                                             : matrix->least_arch));
                TILEPROOF_CHECK(matrix == nullptr || !matrix->is_specific || problem.target.suffix != 0);
                PtxVersion needed = form != nullptr ? form->least_ptx : async != nullptr ? async->least_ptx : matrix->least_ptx;
                for (const CacheHint* const hint : without_hints(access.instruction).hints) needed = std::max(needed, hint->least_ptx);
                if (needed > least.first) least = {needed, access.instruction};
            }
        }
    }
    return least;
}

/// "128 bits", or of a block "(4 of 128 bits to 8 of 64 bits)".
std::string widths_text(const Segment& segment) {
    if (!is_block(segment)) return std::to_string(segment.src.width.count) + " bits";
    const auto text = [&](Side side) {
        return std::to_string(heads_of(segment, side).size()) + " of " + std::to_string(segment.side(side).width.count) + " bits";
    };
    return "(" + text(Side::src) + " to " + text(Side::dst) + ")";
}

/// A comment line per step of the program.
std::string summary(const Problem& problem, const Plan& plan) {
    const auto& [x, y, z] = problem.launch.grid;
    const std::string grid = block_count(problem.launch) == 1
                                 ? ""
                                 : ", at most " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z) + " blocks";
    std::string out =
        "// tileproof: " + entry_name(problem) + ", " + std::to_string(problem.launch.block) + " threads a block" + grid + "\n//\n";
    for (const Step& step : plan.program) {
        if (const auto* barrier = std::get_if<Barrier>(&step)) {
            out += "//   barrier " + std::to_string(barrier->id) + ", all threads\n";
            continue;
        }
        if (const auto* wait = std::get_if<Wait>(&step)) {
            out += "//   each thread waits for its asynchronous copies" +
                   (wait->pending == 0 ? std::string() : ", all but the latest " + std::to_string(wait->pending)) + "\n";
            continue;
        }
        const std::string& name = std::get<CopyStep>(step).copy;
        const Copy& copy = find_copy(problem, name);
        const CopyPlan& planned = find_plan(plan, name);
        const Participants who = planned.participants;
        out += "//   " + identifier(name) + ": " + problem.buffer(copy.src).name + " -> " + problem.buffer(copy.dst).name + ", threads " +
               std::to_string(who.first) + " to " + std::to_string(static_cast<std::int64_t>(who.end()) - 1);
        if (who.groups > 1) out += ", each " + to_string(copy.scope) + " for itself";
        for (const Segment& segment : planned.segments)
            out += (planned.segments.size() > 1 ? "\n//       " : ", ") + widths_text(segment) + " x " + std::to_string(segment.outer) +
                   (segment.outer == 1 ? " round" : " rounds");
        out += "\n";
    }
    return out;
}

/// Copies the array of shared buffers from its image in global memory or back, a word a thread and pass. `waits`: as a caller does
/// for the asynchronous copies that are left to it.
void write_image(PtxWriter& out, const KernelFrame& frame, const std::string& image, bool load, bool waits = false) {
    constexpr int word = 4;  // bytes
    const std::string size = std::to_string(frame.shared.total.count);
    const std::string pass = std::to_string(word * frame.problem->launch.block);
    const std::string again = load ? "L_image_load" : "L_image_store";
    out.blank();
    out.comment(load ? "shared memory starts as its image says" : "and the image shows how it ends");
    if (!load && waits) out.op("cp.async.wait_all", {});
    if (!load) out.op("bar.sync", {"0"});
    const std::string byte = out.fresh(Bank::b32), far = out.fresh(Bank::b64);
    const std::string outside = out.fresh(Bank::pred), more = out.fresh(Bank::pred);
    if (frame.thread.empty()) out.op("mov.b32", {byte, "0"});
    else out.op("shl.b32", {byte, frame.thread, std::to_string(floor_log2(word))});
    out.op("setp.ge.u32", {outside, byte, size});
    out.guarded(outside).op("bra", {again + "_end"});
    const std::string near = write_shared_address(out, frame, 0);
    out.op("add.s32", {near, near, byte});
    out.op("cvt.u64.u32", {far, byte});
    out.op("add.s64", {far, image, far});
    out.label(again);
    out.indent();
    const std::string value = out.reused(Bank::data, 1).front();
    out.op(load ? "ld.global.u32" : "ld.shared.u32", {value, "[" + (load ? far : near) + "]"});
    out.op(load ? "st.shared.u32" : "st.global.u32", {"[" + (load ? near : far) + "]", value});
    out.op("add.s32", {near, near, pass});
    out.op("add.s64", {far, far, pass});
    out.op("add.s32", {byte, byte, pass});
    out.op("setp.lt.u32", {more, byte, size});
    out.guarded(more).op("bra", {again});
    out.outdent();
    out.label(again + "_end");
    if (load) out.op("bar.sync", {"0"});
}

std::string load_pointer(PtxWriter& out, const std::string& parameter) {
    std::string pointer = out.fresh(Bank::b64);
    out.op("ld.param.u64", {pointer, "[" + parameter + "]"});
    out.op("cvta.to.global.u64", {pointer, pointer});
    return pointer;
}

/// Every thread's registers, from their place in the image or back. `image`: the address of this block's.
void write_register_image(PtxWriter& out, const KernelFrame& frame, const std::string& image, bool load) {
    if (frame.registers->words().empty()) return;
    const ChipImage chip = chip_image(*frame.problem);
    out.blank();
    out.comment(load ? "registers start as the image says" : "and the image shows how they end");
    for (const auto& [buffer, words] : frame.registers->words()) {
        const Buffer& one = frame.problem->buffers[static_cast<std::size_t>(buffer)];
        const std::int64_t step = to_bytes(Elements{pitch(one)}, one.dtype.size).count;
        std::string at = image;
        if (!frame.thread.empty()) {
            at = out.fresh(Bank::b64);
            out.op("mul.wide.u32", {at, frame.thread, std::to_string(step)});
            out.op("add.s64", {at, image, at});
        }
        for (std::int64_t word = 0; word < words; ++word) {
            const std::string name = frame.registers->word(buffer, word);
            const std::string where =
                "[" + at + "+" + std::to_string(chip.offsets[static_cast<std::size_t>(buffer)].count + 4 * word) + "]";
            load ? out.op("ld.global.u32", {name, where}) : out.op("st.global.u32", {where, name});
            if (load) frame.registers->written(buffer, word);
        }
    }
}

/// Whether an address or a bound of the plan depends on this symbol.
bool uses(const Plan& plan, int symbol) {
    return std::any_of(plan.copies.begin(), plan.copies.end(), [&](const CopyPlan& copy) {
        return std::any_of(copy.segments.begin(), copy.segments.end(), [&](const Segment& segment) { return mentions(segment, symbol); });
    });
}

/// A register with the number of the group that this thread belongs to.
std::string write_group(PtxWriter& out, const KernelFrame& frame) {
    const Launch& launch = frame.problem->launch;
    const int threads = launch.block / launch.groups;
    const std::string value = out.fresh(Bank::b64);
    if (launch.groups == 1) {
        out.op("mov.b64", {value, "0"});
        return value;
    }
    std::string number = frame.thread;
    if (threads > 1) {
        number = out.fresh(Bank::b32);
        out.op("shr.u32", {number, frame.thread, std::to_string(floor_log2(threads))});
    }
    out.op("cvt.u64.u32", {value, number});
    return value;
}

/// A register with `times` times the index of the block.
std::string write_block_index(PtxWriter& out, int dim, std::int64_t times) {
    const std::string index = out.fresh(Bank::b32), value = out.fresh(Bank::b64);
    out.op("mov.u32", {index, std::string("%ctaid.") + "xyz"[dim]});
    if (times == 1) {
        out.op("cvt.u64.u32", {value, index});
    } else if (times <= std::numeric_limits<std::int32_t>::max()) {
        out.op("mul.wide.u32", {value, index, std::to_string(times)});
    } else {
        out.op("cvt.u64.u32", {value, index});
        out.op("mul.lo.s64", {value, value, std::to_string(times)});
    }
    return value;
}

/// This block's image: they lie one after the other.
std::string load_image_pointer(PtxWriter& out, const KernelFrame& frame) {
    const std::string pointer = load_pointer(out, image_parameter);
    std::int64_t step = chip_image(*frame.problem).total.count;
    for (int dim = 0; dim < 3; ++dim) {
        const std::int64_t extent = frame.problem->launch.grid[static_cast<std::size_t>(dim)];
        if (extent > 1) out.op("add.s64", {pointer, pointer, write_block_index(out, dim, step)});
        step *= extent;
    }
    return pointer;
}

/// Loads the thread number and the pointers that the copies use; returns the image's pointer, if there is one to load.
std::string write_prologue(PtxWriter& out, KernelFrame& frame, const Plan& plan, bool image) {
    const Problem& problem = *frame.problem;
    if (problem.launch.block > 1) {
        frame.thread = out.fresh(Bank::b32);
        out.op("mov.u32", {frame.thread, "%tid.x"});
    }
    if (const Bytes align = frame.shared.align; frame.shared.slack().count > 0) {
        out.comment("shared buffers start at a multiple of " + std::to_string(align.count) + " bytes");
        frame.shared_start = out.fresh(Bank::b32);
        out.op("mov.u32", {frame.shared_start, shared_name});
        out.op("add.s32", {frame.shared_start, frame.shared_start, std::to_string(align.count - 1)});
        out.op("and.b32", {frame.shared_start, frame.shared_start, low_32_bits(-align.count)});
    }
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const int number = static_cast<int>(i);
        const bool used = std::any_of(plan.copies.begin(), plan.copies.end(), [&](const CopyPlan& planned) {
            const Copy& copy = find_copy(problem, planned.copy);
            return copy.src.buffer == number || copy.dst.buffer == number;
        });
        if (used && problem.buffers[i].space == Space::global)
            frame.pointer[number] = load_pointer(out, parameter_name(problem.buffers[i]));
    }
    for (std::size_t i = 0; i < problem.symbols.size(); ++i) {
        if (!uses(plan, static_cast<int>(i))) continue;
        if (const auto& from = problem.symbols[i].index) {
            out.comment(problem.symbols[i].name + " = " + to_string(*from, problem.launch));
            frame.symbol[static_cast<int>(i)] = from->is_group() ? write_group(out, frame) : write_block_index(out, from->dim, from->times);
            continue;
        }
        const std::string value = out.fresh(Bank::b64);
        out.op("ld.param.s64", {value, "[" + parameter_name(problem.symbols[i]) + "]"});
        frame.symbol[static_cast<int>(i)] = value;
    }
    return image ? load_image_pointer(out, frame) : std::string{};
}

void write_program(PtxWriter& out, const KernelFrame& frame, const Plan& plan) {
    const Problem& problem = *frame.problem;
    int number = 0;
    for (const Step& step : plan.program) {
        if (const auto* barrier = std::get_if<Barrier>(&step)) {
            TILEPROOF_CHECK(barrier->threads == problem.launch.block && barrier->id >= 0 && barrier->id < 16);
            out.blank();
            out.op("bar.sync", {std::to_string(barrier->id)});
            continue;
        }
        if (const auto* wait = std::get_if<Wait>(&step)) {
            out.blank();
            out.op("cp.async.wait_group", {std::to_string(wait->pending)});
            continue;
        }
        const std::string& name = std::get<CopyStep>(step).copy;
        write_copy(out, frame, find_copy(problem, name), find_plan(plan, name), number++);
    }
}

}  // namespace

Result<KernelInfo> kernel_info(const Problem& problem, const Plan& plan) {
    KernelInfo info;
    info.entry = entry_name(problem);
    info.block = problem.launch.block;
    info.grid = problem.launch.grid;
    info.groups = problem.launch.groups;
    const auto [least, because] = least_version(problem, plan);
    info.ptx = problem.ptx.value_or(least);
    if (info.ptx < least)
        return Diagnostic{"ptx-version", because + " needs PTX " + to_string(least) + ", but PTX " + to_string(info.ptx) + " is stated"};

    const Placement shared = place_shared(problem);
    info.shared = shared.allocated();
    info.dynamic_shared = info.shared > problem.target.static_shared;
    for (const Buffer& buffer : problem.buffers)
        if (buffer.space == Space::global) info.parameters.push_back({buffer.name, "u64"});
    for (const Symbol& symbol : problem.symbols) {
        if (symbol.index) info.computed.push_back({symbol.name, *symbol.index});
        else info.parameters.push_back({symbol.name, "s64"});
    }
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments)
            if (segment.flat && is_symbolic(copy))
                return Diagnostic{"unsupported", "this version emits no flat segments whose strides depend on symbols"};
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments)
            if (const std::string why = block_limit(segment, problem.buffer(find_copy(problem, copy.copy).src).dtype.size); !why.empty())
                return Diagnostic{"unsupported", why};
    if (info.shared > problem.target.shared_per_block) {
        return Diagnostic{"shared-memory", "the shared buffers take " + std::to_string(info.shared.count) +
                                               " bytes with their alignment, and a block of " + problem.target.name + " has " +
                                               std::to_string(problem.target.shared_per_block.count)};
    }
    return info;
}

Result<std::string> write_ptx(const Problem& problem, const Plan& plan, const PtxOptions& options) {
    const Result<KernelInfo> known = kernel_info(problem, plan);
    if (!known) return known.error();
    const KernelInfo& info = known.value();

    KernelFrame frame{&problem, place_shared(problem)};
    RegisterBuffers registers(problem, plan);
    frame.registers = &registers;
    const bool image = options.shared_image && chip_image(problem).total.count > 0, shared_image = image && frame.shared.total.count > 0;
    PtxWriter body;
    const std::string image_pointer = write_prologue(body, frame, plan, image);
    if (shared_image) write_image(body, frame, image_pointer, true);
    if (image) write_register_image(body, frame, image_pointer, true);
    write_program(body, frame, plan);
    const bool is_caller = std::any_of(plan.copies.begin(), plan.copies.end(), [](const CopyPlan& copy) { return is_asynchronous(copy); });
    if (image) write_register_image(body, frame, image_pointer, false);
    if (shared_image) write_image(body, frame, image_pointer, false, is_caller);
    body.blank();
    body.op("ret", {});

    std::string parameters;
    for (const Parameter& parameter : info.parameters)
        parameters += (parameters.empty() ? "" : ",\n") + ("    .param ." + parameter.type + " p_" + parameter.name);
    if (options.shared_image) parameters += (parameters.empty() ? "" : ",\n") + ("    .param .u64 " + std::string(image_parameter));

    const std::string array = ".align " + std::to_string(std::min(frame.shared.align, most_shared_align).count) + " .b8 " + shared_name;
    std::string out = summary(problem, plan) + "\n";
    out += ".version " + to_string(info.ptx) + "\n.target " + problem.target.name + "\n.address_size 64\n\n";
    if (info.dynamic_shared)
        out += "// " + std::to_string(info.shared.count) + " bytes, to be asked for at the launch\n.extern .shared " + array + "[];\n\n";
    out += ".visible .entry " + info.entry + (parameters.empty() ? "()" : "(\n" + parameters + "\n)") + "\n.reqntid " +
           std::to_string(info.block) + ", 1, 1\n{\n";
    out += body.declarations() + registers.declarations();
    if (info.shared.count > 0 && !info.dynamic_shared) out += "    .shared " + array + "[" + std::to_string(info.shared.count) + "];\n";
    return out + "\n" + registers.clearing() + body.text() + "}\n";
}

Result<std::string> emit_ptx(const VerifiedPlan& verified, const PtxOptions& options) {
    return write_ptx(verified.problem(), verified.plan(), options);
}

}  // namespace tileproof
