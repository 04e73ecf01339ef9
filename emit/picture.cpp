#include <algorithm>

#include "emit/picture_internal.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t block_columns = 32;

std::string centred(const std::string& text, std::size_t columns) {
    if (text.size() >= columns) return text.substr(0, columns);
    const std::size_t left = (columns - text.size()) / 2;
    return std::string(left, ' ') + text + std::string(columns - text.size() - left, ' ');
}

/// Writes `text` at `column`, after what is there.
void put(std::string& line, std::size_t column, const std::string& text) {
    if (line.size() < column) line.resize(column, ' ');
    line.replace(column, text.size(), text);
}

/// The lanes as cells: `[ 0 | 1 ! 2 | 3 ]`, or `[=====!=====]` where a number does not fit.
std::string cells(const AccessPicture& p, std::size_t byte_columns, std::int64_t break_lane) {
    const std::int64_t lanes = p.width / p.element;
    const std::size_t columns = static_cast<std::size_t>(p.element) * byte_columns;
    const bool numbered = columns >= std::to_string(lanes - 1).size() + 1;
    std::string out;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const char edge = lane == 0 ? '[' : lane == break_lane ? '!' : '|';
        const bool present = lane < p.present;
        if (numbered) {
            out += edge + centred(present ? std::to_string(lane) : "x", columns - 1);
        } else {
            std::string cell(columns, present ? '=' : 'x');
            if (lane == 0 || lane == break_lane) cell[0] = edge;
            out += cell;
        }
    }
    return out + "]";
}

struct Columns {
    std::vector<std::pair<std::size_t, std::size_t>> groups;  // first and last lane of each column
    std::vector<std::vector<std::string>> texts;              // by row, by column
    std::vector<std::size_t> widths;
};

std::string range(std::int64_t first, std::int64_t last) {
    return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

Columns columns_of(const LaneTable& table) {
    Columns out;
    const std::size_t lanes = table.rows.front().values.size();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool continues = lane > 0 && std::all_of(table.rows.begin(), table.rows.end(), [&](const LaneTable::Row& row) {
                                   return row.values[lane] == row.values[lane - 1] + 1;
                               });
        if (continues) out.groups.back().second = lane;
        else out.groups.emplace_back(lane, lane);
    }
    out.texts.resize(table.rows.size() + 1);
    out.widths.assign(out.groups.size(), 0);
    for (std::size_t i = 0; i < out.groups.size(); ++i) {
        const auto [first, last] = out.groups[i];
        out.texts[0].push_back(range(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)));
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            out.texts[row + 1].push_back(range(table.rows[row].values[first], table.rows[row].values[last]));
        for (const auto& texts : out.texts) out.widths[i] = std::max(out.widths[i], texts[i].size());
    }
    return out;
}

}  // namespace

std::vector<std::string> access_picture(const AccessPicture& p) {
    const std::int64_t residue = p.head % p.width, block = p.head - residue;
    const auto byte_columns = static_cast<std::size_t>(std::clamp<std::int64_t>(block_columns / p.width, 1, 8));
    const std::size_t columns = static_cast<std::size_t>(p.width) * byte_columns;
    const std::size_t blocks = residue == 0 ? 1 : 2, indent = static_cast<std::size_t>(residue) * byte_columns;
    const std::int64_t lanes = p.width / p.element;
    // Where the access leaves its block, or the region.
    const std::int64_t break_lane = residue != 0 ? (p.width - residue) / p.element : p.present < lanes ? p.present : 0;

    std::string labels, ruler;
    for (std::size_t i = 0; i <= blocks; ++i) {
        put(labels, i * columns, p.label(block + static_cast<std::int64_t>(i) * p.width));
        put(ruler, i * columns, "|");
        if (i < blocks) ruler += std::string(columns - 1, '-');
    }
    std::string access, marks;
    put(access, indent, cells(p, byte_columns, break_lane));
    put(marks, indent, "^ " + p.at_head);
    std::vector<std::string> out{labels, ruler, access};
    if (break_lane > 0) {
        const std::size_t at = indent + static_cast<std::size_t>(break_lane * p.element) * byte_columns;
        if (marks.size() + 1 > at) {  // no room on one line
            out.push_back(marks);
            marks.clear();
        }
        put(marks, at, "^ " + p.at_break);
    }
    out.push_back(marks);
    return out;
}

std::vector<std::string> lane_table(const LaneTable& table, std::size_t columns) {
    const Columns all = columns_of(table);
    std::size_t margin = 4;
    for (const LaneTable::Row& row : table.rows) margin = std::max(margin, row.name.size());
    std::size_t shown = 0, used = margin;
    while (shown < all.groups.size() && used + 2 + all.widths[shown] + 5 <= columns) used += 2 + all.widths[shown++];
    std::vector<std::string> out;
    std::string marks;
    for (std::size_t row = 0; row <= table.rows.size(); ++row) {
        std::string line = row == 0 ? "lane" : table.rows[row - 1].name;
        std::size_t at = margin;
        for (std::size_t i = 0; i < shown; ++i) {
            at += 2;
            put(line, at + all.widths[i] - all.texts[row][i].size(), all.texts[row][i]);
            const bool here = table.marked > 0 && all.groups[i].first <= table.marked && table.marked <= all.groups[i].second;
            if (row == 0 && here) put(marks, at + all.widths[i] - all.texts[row][i].size(), "^ " + table.mark);
            at += all.widths[i];
        }
        if (shown < all.groups.size()) line += "  ...";
        out.push_back(line);
    }
    if (!marks.empty()) out.push_back(marks);
    return out;
}

}  // namespace tileproof
