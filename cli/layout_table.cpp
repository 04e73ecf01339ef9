#include "cli/layout_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "layouts/offset_walk.hpp"
#include "layouts/thread_axes.hpp"

namespace tileproof::cli {
namespace {

std::vector<std::int64_t> all_offsets(const Layout& layout) {
    std::vector<std::int64_t> all;
    for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) all.push_back(walk.offset());
    return all;
}

int digits(std::int64_t number) { return static_cast<int>(std::to_string(number).size()); }

struct Grid {
    const std::vector<std::string>& cells;
    std::int64_t columns = 1;
    int head_width = 1;
    int width = 1;
    bool is_wrapped = false;  // a row's head is its first index, a column's head is +0, +1, ...

    std::string head() const {
        std::string line = fmt::format(" {:>{}} |", "", head_width);
        for (std::int64_t c = 0; c < columns; ++c) line += fmt::format(" {:>{}}", (is_wrapped ? "+" : "") + std::to_string(c), width);
        const auto before = static_cast<std::size_t>(head_width) + 2;
        return line + "\n" + std::string(before, '-') + "+" + std::string(line.size() - before - 1, '-') + "\n";
    }
    /// The elements begin .. begin + count - 1.
    std::string rows(std::int64_t begin, std::int64_t count) const {
        std::string out;
        for (std::int64_t i = 0; i < count; ++i) {
            if (i % columns == 0) out += fmt::format(" {:>{}} |", is_wrapped ? i : i / columns, head_width);
            out += fmt::format(" {:>{}}", cells[static_cast<std::size_t>(begin + i)], width);
            if ((i + 1) % columns == 0 || i + 1 == count) out += '\n';
        }
        return out;
    }
};

/// "12", or with threads "3:12": thread and register.
std::vector<std::string> cells_of(const Layout& layout) {
    std::vector<std::string> out;
    for (const std::int64_t offset : all_offsets(layout.has_threads() ? register_part(layout) : layout))
        out.push_back(std::to_string(offset));
    if (!layout.has_threads()) return out;
    const std::vector<std::int64_t> threads = all_offsets(thread_part(layout));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::to_string(threads[i]) + ":" + out[i];
    return out;
}

}  // namespace

std::string layout_table_text(const Layout& of) {
    constexpr std::int64_t widest_row = 16;  // of a vector
    const std::vector<std::string> cells = cells_of(of);
    const Layout layout = of.has_threads() ? register_part(of) : of;
    const std::size_t rank = layout.shape.size();
    const bool is_vector = rank == 1;
    const std::int64_t extent = layout.shape.back(), outer = is_vector ? 1 : layout.shape[rank - 2];
    Grid grid{cells, is_vector ? std::min(extent, widest_row) : extent, 1, 1, is_vector};
    grid.head_width = digits(is_vector ? extent - 1 : outer - 1);
    const auto is_shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
    grid.width = std::max(static_cast<int>(std::max_element(cells.begin(), cells.end(), is_shorter)->size()),
                          digits(grid.columns - 1) + (is_vector ? 1 : 0));
    const std::int64_t slice = extent * outer, count = static_cast<std::int64_t>(cells.size());
    std::string out = of.has_threads() ? "thread:register\n" : "";
    for (std::int64_t begin = 0; begin < count; begin += slice) {
        if (rank > 2) {
            std::vector<std::int64_t> at = coordinate_of(begin, layout.shape);
            at.resize(rank - 2);
            out += fmt::format("{}[{}, :, :]\n", begin > 0 ? "\n" : "", fmt::join(at, ", "));
        }
        out += grid.head() + grid.rows(begin, slice);
    }
    return out;
}

std::string layout_table_json(const Layout& layout) {
    if (layout.has_threads()) {
        std::vector<std::int64_t> replicas;
        for (const Iter& it : layout.replicas) replicas.push_back(it.extent);
        return fmt::format("{{\"shape\": [{}], {}\"offsets\": [{}], \"threads\": [{}]}}\n", fmt::join(layout.shape, ", "),
                           replicas.empty() ? "" : fmt::format("\"replicas\": [{}], ", fmt::join(replicas, ", ")),
                           fmt::join(all_offsets(register_part(layout)), ", "), fmt::join(all_offsets(thread_part(layout)), ", "));
    }
    return fmt::format("{{\"shape\": [{}], \"offsets\": [{}]}}\n", fmt::join(layout.shape, ", "), fmt::join(all_offsets(layout), ", "));
}

}  // namespace tileproof::cli
