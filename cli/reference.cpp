#include "cli/reference.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <utility>

#include "layouts/address.hpp"
#include "layouts/register_file.hpp"

namespace tileproof::cli {
namespace {

constexpr std::int64_t base_modulus = 256;  // Buffer::base is known modulo this

std::size_t index_of(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The coordinates of a region in row-major order.
class RegionWalk {
public:
    explicit RegionWalk(const Region& region) : region_(&region), at_(constants(region.start)) {}

    const std::vector<std::int64_t>& at() const { return at_; }
    void next() {
        for (std::size_t dim = at_.size(); dim-- > 0;) {
            if (++at_[dim] < region_->start[dim] + region_->extent[dim]) return;
            at_[dim] = region_->start[dim];
        }
    }

private:
    const Region* region_;
    std::vector<std::int64_t> at_;
};

/// Whether the source has this element of the region. What it lacks is filled with zeros.
bool is_in_source(const Copy& copy, const std::vector<std::int64_t>& at) {
    const Region& region = copy.src.region;
    return std::all_of(region.clipped.begin(), region.clipped.end(),
                       [&](std::size_t dim) { return at[dim] - region.start[dim] < region.symbolic_extent.at(dim); });
}

/// Calls visit(offset) with the element offset of each element of one side, in order; of registers, their place in the register file.
template <class Visit>
void for_each_offset(const Problem& problem, const Copy& asked, Side side, Visit visit) {
    const Problem file = on_register_file(problem, asked);
    const Copy& copy = file.copies[0];
    const Layout& layout = file.buffer(operand(copy, side)).layout;
    RegionWalk walk(operand(copy, side).region);
    for (std::int64_t k = 0; k < moved(copy).count; ++k, walk.next())
        if (side == Side::dst || is_in_source(copy, walk.at())) visit(element_offset(layout, walk.at()));
}

/// `count` bits inside one byte to another; the rest of that byte stays.
void move_part(const Image& from, std::int64_t from_bit, Image& to, std::int64_t to_bit, std::int64_t count) {
    const int mask = (1 << count) - 1;
    const int part = (from[index_of(from_bit / 8)] >> (from_bit % 8)) & mask;
    std::uint8_t& byte = to[index_of(to_bit / 8)];
    byte = static_cast<std::uint8_t>((byte & ~(mask << (to_bit % 8))) | part << (to_bit % 8));
}

void run_copy(const Problem& asked, const Copy& asked_copy, Images& images) {
    const Problem problem = on_register_file(asked, asked_copy);
    const Copy& copy = problem.copies[0];
    Image& to = images[index_of(copy.dst.buffer)];
    Image own;  // where a buffer is copied into itself: how it was
    const bool in_place = copy.src.buffer == copy.dst.buffer;
    if (in_place) own = to;
    const Image& from = in_place ? own : images[index_of(copy.src.buffer)];

    const Buffer& src = problem.buffer(copy.src);
    const Buffer& dst = problem.buffer(copy.dst);
    const std::int64_t element = src.dtype.size.count;
    const Image zeros(16);  // the largest element
    RegionWalk source(copy.src.region), target(copy.dst.region);
    for (std::int64_t k = 0; k < moved(copy).count; ++k, source.next(), target.next()) {
        const std::int64_t to_bit = element * element_offset(dst.layout, target.at());
        const bool is_read = is_in_source(copy, source.at());
        const std::int64_t from_bit = is_read ? element * element_offset(src.layout, source.at()) : 0;
        const Image& data = is_read ? from : zeros;
        TILEPROOF_CHECK(from_bit + element <= 8 * static_cast<std::int64_t>(data.size()));
        TILEPROOF_CHECK(to_bit + element <= 8 * static_cast<std::int64_t>(to.size()));
        if (element >= 8) std::memcpy(to.data() + to_bit / 8, data.data() + from_bit / 8, index_of(element / 8));
        else move_part(data, from_bit, to, to_bit, element);
    }
}

/// `size` bytes from `begin` on as one number, the first byte lowest: "0x3f800000".
std::string number_at(const Image& image, std::int64_t begin, std::int64_t size) {
    constexpr const char* digits = "0123456789abcdef";
    std::string out = "0x";
    for (std::int64_t i = size; i-- > 0;) {
        const std::uint8_t byte = image[index_of(begin + i)];
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

/// "B[3,5]"
std::string element_name(const Buffer& buffer, const std::vector<std::int64_t>& coordinate) {
    std::string out;
    for (const std::int64_t n : coordinate) out += (out.empty() ? "" : ",") + std::to_string(n);
    return buffer.name + "[" + out + "]";
}

/// The last copy that writes an element, and the coordinates there and where it comes from.
struct Origin {
    const Copy* copy;
    std::vector<std::int64_t> source;
    std::vector<std::int64_t> target;
    bool is_zero = false;  // nothing is read there
};

/// Without the dimensions of replicas in front.
std::vector<std::int64_t> without_replicas(std::vector<std::int64_t> at, const Region& region) {
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(region.extent.size()));
    return at;
}

std::optional<Origin> origin_of(const Problem& problem, int buffer, std::int64_t element) {
    for (std::size_t i = problem.copies.size(); i-- > 0;) {
        const Copy& asked = problem.copies[i];
        if (asked.dst.buffer != buffer) continue;
        const Problem file = on_register_file(problem, asked);
        const Copy& copy = file.copies[0];
        RegionWalk source(copy.src.region), target(copy.dst.region);
        for (std::int64_t k = 0; k < moved(copy).count; ++k, source.next(), target.next())
            if (element_offset(file.buffer(copy.dst).layout, target.at()) == element)
                return Origin{&asked, without_replicas(source.at(), asked.src.region), without_replicas(target.at(), asked.dst.region),
                              !is_in_source(copy, source.at())};
    }
    return std::nullopt;
}

/// The spot that a byte of the stretch is in, or else the nearest.
const Spot& spot_near(const Problem& problem, const Stretch& stretch, std::int64_t byte) {
    const auto distance = [&](const Spot& spot) {
        const std::int64_t end = spot.begin.count + bytes_of(problem, problem.buffers[index_of(spot.buffer)]).count;
        return std::max({std::int64_t{0}, spot.begin.count - byte, byte - end + 1});
    };
    return *std::min_element(stretch.spots.begin(), stretch.spots.end(),
                             [&](const Spot& a, const Spot& b) { return distance(a) < distance(b); });
}

/// Completes what is known of a difference inside its buffer, `begin` being the element's first byte in the stretch.
std::string inside_text(const LaunchOf& launch, const Spot& spot, Difference& difference) {
    const Problem& problem = launch.problem;
    const Buffer& buffer = problem.buffers[index_of(difference.buffer)];
    const bool is_shared = buffer.space != Space::global;
    // What is on chip is written by its own block, and an element of a global one by one block at most.
    std::int64_t block = is_shared ? spot.block : 0;
    Problem one = launch.block(block);
    std::optional<Origin> origin = origin_of(one, difference.buffer, *difference.element);
    while (!origin && !is_shared && block + 1 < launch.blocks()) {
        one = launch.block(++block);
        origin = origin_of(one, difference.buffer, *difference.element);
    }
    const std::string by = launch.blocks() > 1 ? " in " + to_string(blocks_of(problem.launch).at(block), blocks_of(problem.launch)) : "";
    const std::string place = "byte " + std::to_string(difference.byte) + ", element " + std::to_string(*difference.element);
    if (!origin) return "no copy writes " + place + " of " + buffer.name;
    difference.coordinate = origin->target;
    const Buffer& source = problem.buffer(origin->copy->src);
    if (origin->is_zero)
        return element_name(buffer, origin->target) + " (" + place + "), which copy " + origin->copy->name + " fills with zeros" + by;
    return element_name(buffer, origin->target) + " (" + place + "), which copy " + origin->copy->name + " takes from " +
           element_name(source, origin->source) + by;
}

std::string outside_text(const Problem& problem, const Buffer& buffer, std::int64_t byte) {
    const std::int64_t end = bytes_of(problem, buffer).count;
    const std::int64_t away = byte < 0 ? -byte : byte - end + 1;
    return "byte " + std::to_string(byte) + ", " + std::to_string(away) + (byte < 0 ? " before the start of " : " past the end of ") +
           buffer.name;
}

}  // namespace

Image noise(Bytes size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Image out(index_of(size.count));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        word = i % 8 == 0 ? random() : word >> 8;
        out[i] = static_cast<std::uint8_t>(word & 0xff);
    }
    return out;
}

Bytes bytes_of(const Problem& problem, const Buffer& buffer) {
    return buffer.space == Space::registers ? file_bytes(problem, buffer) : bytes_to_hold(buffer.capacity, buffer.dtype.size);
}

std::optional<Bytes> bytes_to_run(const Problem& problem) {
    Bytes all{};
    for (const Buffer& buffer : problem.buffers) {
        all = all + bytes_of(problem, buffer);
        if (all > most_run_bytes) return std::nullopt;
    }
    return all;
}

Images random_images(const Problem& problem, std::uint64_t seed) {
    Images out;
    for (const Buffer& buffer : problem.buffers) out.push_back(noise(bytes_of(problem, buffer), (seed << 32) + out.size()));
    return out;
}

void run_reference(const Problem& problem, Images& images) {
    for (const Copy& copy : problem.copies) run_copy(problem, copy, images);
}

std::optional<std::int64_t> elements_to_run(const LaunchOf& launch) {
    std::int64_t of_block = 0;
    for (const Copy& copy : launch.problem.copies) of_block += moved(copy).count * (copy.each ? launch.problem.launch.groups : 1);
    if (of_block > most_run_elements / launch.blocks()) return std::nullopt;
    return of_block * launch.blocks();
}

std::vector<Images> run_reference(const LaunchOf& launch, Images& images, bool keep_shared) {
    const Images before = images;
    std::vector<Images> kept;
    for (std::int64_t number = 0; number < launch.blocks(); ++number) {
        for (std::size_t i = 0; i < images.size(); ++i)
            if (launch.problem.buffers[i].space != Space::global) images[i] = before[i];
        run_reference(launch.block(number), images);
        if (!keep_shared) continue;
        kept.emplace_back(images.size());
        for (std::size_t i = 0; i < images.size(); ++i)
            if (launch.problem.buffers[i].space != Space::global) kept.back()[i] = images[i];
    }
    return kept;
}

SharedUse shared_use(const Problem& problem) {
    enum class State : std::uint8_t { untouched, unread, read };
    std::vector<std::vector<State>> states;
    for (const Buffer& buffer : problem.buffers)
        states.emplace_back(index_of(buffer.space == Space::global ? 0 : to_bits(bytes_of(problem, buffer)) / buffer.dtype.size),
                            State::untouched);

    SharedUse use;
    for (const Copy& copy : problem.copies) {
        for (const Side side : both_sides) {
            if (problem.buffer(operand(copy, side)).space == Space::global) continue;
            std::vector<State>& elements = states[index_of(operand(copy, side).buffer)];
            for_each_offset(problem, copy, side, [&](std::int64_t offset) {
                State& state = elements.at(index_of(offset));
                if (side == Side::src && state == State::untouched) use.reads_unwritten = true;
                if (side == Side::dst) state = State::unread;
                if (side == Side::src && state == State::unread) state = State::read;
            });
        }
    }
    for (const auto& elements : states) use.leaves_unread |= std::find(elements.begin(), elements.end(), State::unread) != elements.end();
    return use;
}

bool needs_shared_image(const Problem& problem) { return shared_use(problem).needs_image(); }

Bytes stretch_size(const Buffer& buffer) {
    const std::int64_t period = buffer.base ? base_modulus : std::max(base_modulus, buffer.align.count);
    return guard_size + Bytes{2 * period} + bytes_to_hold(buffer.capacity, buffer.dtype.size) + guard_size;
}

Bytes base_in_stretch(const Buffer& buffer, std::uint64_t allocation_address, bool least_aligned) {
    const std::int64_t promised = buffer.base ? base_modulus : buffer.align.count;
    const std::int64_t modulus = least_aligned ? 2 * promised : std::max(promised, base_modulus);
    const std::int64_t residue = (buffer.base ? buffer.base->count : 0) + (least_aligned ? promised : 0);
    const auto least = static_cast<std::int64_t>(allocation_address % static_cast<std::uint64_t>(modulus)) + guard_size.count;
    const std::int64_t skip = ((residue - least) % modulus + modulus) % modulus;
    return guard_size + Bytes{skip};
}

Image stretch_image(const Stretch& stretch, const Images& images, std::uint64_t seed) {
    return stretch_image(stretch, std::vector<Images>{images}, seed);
}

Image stretch_image(const Stretch& stretch, const std::vector<Images>& of_blocks, std::uint64_t seed) {
    Image out = noise(stretch.size, seed);
    for (const Spot& spot : stretch.spots) {
        const Image& image = of_blocks[of_blocks.size() == 1 ? 0 : index_of(spot.block)][index_of(spot.buffer)];
        std::copy(image.begin(), image.end(), out.begin() + spot.begin.count);
    }
    return out;
}

std::optional<Difference> first_difference(const Problem& problem, const Stretch& stretch, const Image& before, const Image& wanted,
                                           const Image& found) {
    return first_difference(LaunchOf{problem}, stretch, before, wanted, found);
}

std::optional<Difference> first_difference(const LaunchOf& launch, const Stretch& stretch, const Image& before, const Image& wanted,
                                           const Image& found) {
    const Problem& problem = launch.problem;
    TILEPROOF_CHECK(before.size() == wanted.size() && wanted.size() == found.size());
    const auto first = std::mismatch(wanted.begin(), wanted.end(), found.begin()).first;
    if (first == wanted.end()) return std::nullopt;
    const std::int64_t at = first - wanted.begin();
    const Spot& spot = spot_near(problem, stretch, at);
    const Buffer& buffer = problem.buffers[index_of(spot.buffer)];

    Difference out;
    out.buffer = spot.buffer;
    out.byte = at - spot.begin.count;
    for (std::size_t i = index_of(at); i < wanted.size(); ++i) out.differing_bytes += wanted[i] != found[i] ? 1 : 0;
    std::int64_t begin = at, size = 1;
    if (out.byte >= 0 && out.byte < bytes_of(problem, buffer).count) {
        // Where a byte holds several elements, the first of them that differs; the byte is what is shown.
        const std::int64_t element = buffer.dtype.size.count;
        const int differing = wanted[index_of(at)] ^ found[index_of(at)];
        out.element = (8 * out.byte + (element < 8 ? std::countr_zero(static_cast<unsigned>(differing)) : 0)) / element;
        size = std::max<std::int64_t>(1, element / 8);
        begin = spot.begin.count + *out.element * element / 8;
        out.text = inside_text(launch, spot, out);
    } else {
        out.text = outside_text(problem, buffer, out.byte);
    }
    out.expected = number_at(wanted, begin, size);
    out.found = number_at(found, begin, size);
    out.text += ": expected " + out.expected + ", found " + out.found;
    if (out.found == number_at(before, begin, size)) out.text += ", as before the launch";
    if (out.differing_bytes > 1) out.text += "; " + std::to_string(out.differing_bytes) + " bytes differ in all";
    return out;
}

}  // namespace tileproof::cli
