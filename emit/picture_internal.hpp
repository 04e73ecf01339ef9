// Pictures of one access, as lines of text: across the blocks of its width, or lane by lane.
//
//   32                              48                              64
//   |-------------------------------|-------------------------------|
//                   [ 0 | 1 | 2 | 3 ! 4 | 5 | 6 | 7 ]
//                   ^ byte 40       ^ byte 48
//
// Numbers in, lines out: nothing here knows problems or plans.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tileproof {

/// Where an access would lie among the aligned blocks of its width. Addresses and sizes in one unit: bytes, or elements.
struct AccessPicture {
    std::int64_t head = 0;                             // address of its first element
    std::int64_t width = 0;                            // a power of two
    std::int64_t element = 0;                          // divides the width
    std::int64_t present = 0;                          // lanes from the head on that belong to the region; the others are drawn as x
    std::function<std::string(std::int64_t)> label{};  // of a block's address
    std::string at_head{};                             // what the first mark says
    std::string at_break{};                            // what the second says: at the boundary inside the access, or where the region ends
};
/// Ensures: no line is longer than 85 columns unless a mark's text makes it so.
std::vector<std::string> access_picture(const AccessPicture& picture);

/// Numbers of each lane, one row for each of several things.
struct LaneTable {
    struct Row {
        std::string name;
        std::vector<std::int64_t> values;  // one a lane
    };
    std::vector<Row> rows;
    std::size_t marked = 0;  // a lane to point at; 0: none
    std::string mark{};
};
/// Neighbouring lanes whose values all rise by one share a column ("0-3"); columns that do not fit into `columns` are left out.
std::vector<std::string> lane_table(const LaneTable& table, std::size_t columns);

}  // namespace tileproof
