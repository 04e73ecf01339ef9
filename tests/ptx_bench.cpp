#include "tests/ptx_bench.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "emit/ptx_internal.hpp"
#include "layouts/grid.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "emit/ptxas.hpp"
#include "layouts/address.hpp"

namespace tileproof::test {
namespace {

/// Coordinate number k of a region, row-major.
std::vector<std::int64_t> at(const Region& region, std::int64_t k) {
    std::vector<std::int64_t> out = constants(region.start);
    for (std::size_t dim = out.size(); dim-- > 0;) {
        out[dim] += k % region.extent[dim];
        k /= region.extent[dim];
    }
    return out;
}

Region whole(const Layout& layout) { return {std::vector<Expression>(layout.shape.size(), 0), layout.shape}; }

void move_bits(const std::vector<std::uint8_t>& from, std::int64_t from_bit, std::vector<std::uint8_t>& to, std::int64_t to_bit,
               std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t f = from_bit + i, t = to_bit + i;
        const bool bit = ((from[static_cast<std::size_t>(f / 8)] >> (f % 8)) & 1) != 0;
        std::uint8_t& byte = to[static_cast<std::size_t>(t / 8)];
        const auto mask = static_cast<std::uint8_t>(1 << (t % 8));
        byte = static_cast<std::uint8_t>(bit ? byte | mask : byte & ~mask);
    }
}

AddressPlan address_of(const Layout& layout, const Region& region, const Segment& segment, int index_bits) {
    std::vector<std::int64_t> start = constants(region.start);
    for (std::size_t dim = 0; dim < start.size(); ++dim) start[dim] += segment.start[dim];
    AddressPlan out{linear_offset(layout, start), {}, layout.swizzle, index_bits};
    for (const Digit& digit : segment.digits) {
        std::vector<std::int64_t> next = start;
        next[static_cast<std::size_t>(digit.dim)] += digit.weight;
        const bool inside = next[static_cast<std::size_t>(digit.dim)] < layout.shape[static_cast<std::size_t>(digit.dim)];
        out.strides.push_back(digit.extent > 1 && inside ? linear_offset(layout, next) - out.offset : 0);
    }
    return out;
}

std::string first_difference(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& wanted, const std::string& name) {
    if (got.size() != wanted.size()) return name + " has another size";
    const auto [a, b] = std::mismatch(got.begin(), got.end(), wanted.begin());
    return a == got.end() ? std::string{} : "byte " + std::to_string(a - got.begin()) + " of " + name + " differs";
}

}  // namespace

Layout strided(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    Layout out{shape, {}};
    for (std::size_t i = 0; i < shape.size(); ++i) out.iters.push_back({shape[i], strides[i]});
    return out;
}

Layout row_major(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strided(shape, strides);
}

Layout swizzle(const Swizzle& how, Layout layout) {
    layout.swizzle = how;
    return layout;
}

Bench::Bench(const std::string& arch, int block) {
    problem.stem = "test";
    problem.target = find_arch(arch).value();
    problem.launch.block = block;
}

Bench::Bench(Problem planned, Plan how, Values at) : problem(std::move(planned)), plan(std::move(how)), values(std::move(at)) {}

int Bench::add(const std::string& name, Space space, const std::string& dtype, const Layout& layout, std::int64_t align) {
    Buffer buffer;
    buffer.name = name;
    buffer.space = space;
    buffer.dtype = find_dtype(dtype).value();
    buffer.layout = layout;
    buffer.align = {align};
    buffer.capacity = span(layout);
    problem.buffers.push_back(buffer);
    return static_cast<int>(problem.buffers.size()) - 1;
}

int Bench::copy(const std::string& name, int src, int dst, const SegmentSpec& segment) {
    return copy(name, src, dst, std::vector{segment}, {0, problem.launch.block});
}

int Bench::copy(const std::string& name, int src, int dst, const std::vector<SegmentSpec>& segments, Participants who) {
    Copy out;
    out.name = name;
    out.src = {src, whole(problem.buffers[static_cast<std::size_t>(src)].layout)};
    out.dst = {dst, whole(problem.buffers[static_cast<std::size_t>(dst)].layout)};
    out.threads = who.count;
    CopyPlan planned{name, who, {}, {}};
    for (std::size_t dim = 0; dim < out.src.region.extent.size(); ++dim)
        planned.box.dims.push_back({{static_cast<int>(dim), 1, out.src.region.extent[dim]}});
    for (const SegmentSpec& spec : segments) {
        Segment segment;
        segment.start = spec.start.empty() ? std::vector<std::int64_t>(out.src.region.extent.size(), 0) : spec.start;
        segment.predicate = spec.predicate;
        std::array<int, 3> places{};
        for (const DigitSpec& digit : spec.digits) {
            const auto role = static_cast<std::size_t>(digit.role);
            segment.digits.push_back({digit.dim, digit.weight, digit.extent, digit.role, places[role]++});
            std::array<std::int64_t*, 3> sizes{&segment.outer, &segment.threads, &segment.vec};
            *sizes[role] *= digit.extent;
        }
        for (const Side side : both_sides) {
            const Operand& operand = side == Side::src ? out.src : out.dst;
            const Buffer& buffer = problem.buffer(operand);
            SidePlan& plan_side = side == Side::src ? segment.src : segment.dst;
            plan_side.lanes = side == Side::src ? spec.src_lanes : spec.dst_lanes;
            std::int64_t lanes = segment.vec;
            if (plan_side.lanes) {
                lanes = 1;
                for (const Digit& digit : segment.digits)
                    if (digit.role == Role::vec && std::count(plan_side.lanes->begin(), plan_side.lanes->end(), digit.place) > 0)
                        lanes *= digit.extent;
            }
            plan_side.width = to_bits(Elements{lanes}, buffer.dtype.size);
            const AccessForm* form = access_form(side == Side::src ? Direction::load : Direction::store, buffer.space, plan_side.width);
            plan_side.instruction = std::string(form == nullptr ? "none" : form->mnemonic);
            const int bits = spec.index_bits != 0 ? spec.index_bits : buffer.space == Space::global ? 64 : 32;
            plan_side.address = address_of(buffer.layout, operand.region, segment, bits);
        }
        planned.segments.push_back(segment);
    }
    problem.copies.push_back(out);
    plan.copies.push_back(planned);
    plan.program.emplace_back(CopyStep{name});
    return static_cast<int>(problem.copies.size()) - 1;
}

void Bench::barrier(int id) { plan.program.emplace_back(Barrier{id, problem.launch.block}); }

std::string Bench::text(const PtxOptions& options) const { return write_ptx(problem, plan, options).value(); }

Contents random_contents(const Problem& problem, std::uint32_t seed) {
    std::mt19937 random(seed);
    Contents out;
    for (const Buffer& buffer : problem.buffers) {
        const Bytes size =
            buffer.space == Space::registers ? file_bytes(problem, buffer) : bytes_to_hold(buffer.capacity, buffer.dtype.size);
        out.emplace_back(static_cast<std::size_t>(size.count));
        for (std::uint8_t& byte : out.back()) byte = static_cast<std::uint8_t>(random());
    }
    return out;
}

void run_by_definition(const Problem& whole, Contents& contents) {
    for (const Copy& one : whole.copies) {
        const Problem problem = on_register_file(whole, one);
        const Copy& copy = problem.copies[0];
        const Buffer& from = problem.buffer(copy.src);
        const Buffer& to = problem.buffer(copy.dst);
        const std::int64_t bits = from.dtype.size.count;
        const auto before = contents[static_cast<std::size_t>(copy.src.buffer)];
        std::int64_t elements = 1;
        for (const std::int64_t extent : copy.src.region.extent) elements *= extent;
        const std::vector<std::uint8_t> zeros(16);
        for (std::int64_t k = 0; k < elements; ++k) {
            const std::vector<std::int64_t> place = at(copy.src.region, k);
            bool is_cut_off = false;
            for (const std::size_t dim : copy.src.region.clipped)
                if (place[dim] - copy.src.region.start[dim] >= copy.src.region.symbolic_extent.at(dim)) is_cut_off = true;
            std::vector<std::uint8_t>& target = contents[static_cast<std::size_t>(copy.dst.buffer)];
            const std::int64_t bit = bits * element_offset(to.layout, at(copy.dst.region, k));
            if (is_cut_off) move_bits(zeros, 0, target, bit, bits);
            else move_bits(before, bits * element_offset(from.layout, place), target, bit, bits);
        }
    }
}

/// Flat addresses divide by constants in each round.
static bool has_flat(const Plan& plan) {
    for (const CopyPlan& copy : plan.copies)
        for (const Segment& segment : copy.segments)
            if (segment.flat) return true;
    return false;
}

std::string Bench::difference(std::uint32_t seed) const {
    const std::string plain = difference(false, seed);
    return plain.empty() ? difference(true, seed + 1) : plain;
}

std::string Bench::difference(bool image, std::uint32_t seed) const {
    const Result<KernelInfo> known = kernel_info(problem, plan);
    const Result<std::string> text = write_ptx(problem, plan, {image});
    if (!known || !text) return known ? text.error().text : known.error().text;
    const KernelInfo& info = known.value();
    const Result<PtxKernel> read = PtxKernel::parse(text.value());
    if (!read) return read.error().text;
    const PtxKernel& kernel = read.value();
    if (kernel.entry() != info.entry) return "the entry has another name";
    for (const std::string& name : kernel.unused_registers())  // a buffer in registers may have gaps
        if (name.rfind("%q", 0) != 0) return "register " + name + " is declared, not used";
    for (const std::string& opcode : kernel.opcodes_in_loops())
        if (!has_flat(plan) && (opcode == "div" || opcode == "rem")) return "a loop divides";

    std::vector<Problem> blocks;  // the problem of each
    for (std::int64_t i = 0; i < block_count(problem.launch); ++i)
        blocks.push_back(block_of(problem, values, blocks_of(problem.launch).at(i)));
    const Contents before = random_contents(blocks.front(), seed);
    PtxLaunch launch;
    launch.block = info.block;
    launch.grid = info.grid;
    launch.dynamic_shared = info.dynamic_shared ? static_cast<std::uint64_t>(info.shared.count) : 0;
    const ChipImage chip = chip_image(problem);
    std::vector<std::uint8_t> on_chip(static_cast<std::size_t>(chip.total.count), 0x5a);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const Buffer& buffer = problem.buffers[i];
        if (buffer.space != Space::global) {
            const auto offset = chip.offsets[i].count;
            const std::int64_t room = buffer.space == Space::shared ? info.shared.count : chip.total.count;
            if (offset + static_cast<std::int64_t>(before[i].size()) > room) return "a buffer does not fit";
            std::copy(before[i].begin(), before[i].end(), on_chip.begin() + offset);
            continue;
        }
        // No better aligned than promised.
        const auto align = static_cast<std::uint64_t>(buffer.base ? 256 : buffer.align.count);
        const std::uint64_t base =
            (((i + 1) << 34) / align * 2 + 1) * align + static_cast<std::uint64_t>(buffer.base ? buffer.base->count : 0);
        launch.global.push_back({base, before[i].size(), before[i]});
        launch.arguments.push_back(base);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!problem.symbols[i].index) launch.arguments.push_back(static_cast<std::uint64_t>(values[i]));
    std::vector<std::uint8_t> images;  // one a block
    if (image) {
        for (std::size_t i = 0; i < blocks.size(); ++i) images.insert(images.end(), on_chip.begin(), on_chip.end());
        launch.global.push_back({4, images.size(), images});
        launch.arguments.push_back(4);
    }
    const PtxOutcome outcome = kernel.run(launch);
    if (!outcome.error.empty()) return outcome.error;

    Contents wanted = before;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (std::size_t i = 0; i < problem.buffers.size(); ++i)
            if (problem.buffers[i].space != Space::global) wanted[i] = before[i];  // of its own
        run_by_definition(blocks[b], wanted);
        for (std::size_t i = 0; i < problem.buffers.size() && image; ++i)
            if (problem.buffers[i].space != Space::global)
                std::copy(wanted[i].begin(), wanted[i].end(),
                          images.begin() + static_cast<std::ptrdiff_t>(b * on_chip.size()) + chip.offsets[i].count);
    }
    std::size_t global = 0;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        if (problem.buffers[i].space != Space::global) continue;
        const std::string found = first_difference(launch.global[global++].bytes, wanted[i], problem.buffers[i].name);
        if (!found.empty()) return found;
    }
    return image ? first_difference(launch.global.back().bytes, images, "the image") : std::string{};
}

std::string Bench::assembly_errors(const std::vector<std::string>& arches) const {
    std::string out;
    for (const std::string& arch : arches) {
        Problem other = problem;
        other.target = find_arch(arch).value();
        for (const bool image : {false, true}) {
            const Result<std::string> ptx = write_ptx(other, plan, {image});
            if (!ptx) {
                out += arch + ": " + ptx.error().text + "\n";
                continue;
            }
            const Result<Assembled> assembled = assemble(ptx.value(), arch);
            if (assembled && assembled.value().messages.empty()) continue;
            out += arch + ": ";
            if (assembled) out += assembled.value().messages;
            else out += render(assembled.error(), {"test.ptx", ptx.value()});
        }
    }
    return out;
}

}  // namespace tileproof::test
