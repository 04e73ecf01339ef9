// Thread axes: a layout of registers as two layouts of memory, one of threads and one of registers.
//
//   S[(8,4,2):(4@laneid,1@laneid,1)]        threads   S[(8,4,2):(4,1,0)]        element (2,3,1) is held by thread 11
//                                           registers S[(8,4,2):(0,0,1)]                    in its register 1
//   S[(8,4):(1@laneid,1)] + R[2:8@laneid]   threads   S[(2,8,4):(8,1,0)]        and element (3,2) by the threads 3 and 11
//
// A replica becomes a dimension in front: every place of that dimension holds the element. Threads count from the first of the
// copy's warp (laneid), of its warpgroup (wid_in_wg, tid_in_wg) or of the block (warpid, tx); an axis that is not named counts as 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/result.hpp"

namespace tileproof {

enum class CountedFrom { warp, warpgroup, block };

struct AxisFacts {
    Axis axis;
    std::string_view name;
    std::int64_t threads;  // in one of it: 32 in a warpid
    std::int64_t most;     // of them: there are 32 laneids
    CountedFrom from;
};
/// Of the axes that count threads. Requires: axis != Axis::m.
const AxisFacts& facts_of(Axis axis);
/// `m` too.
std::optional<Axis> find_axis(std::string_view name);
std::string_view name_of(Axis axis);

/// The digits of one axis, its offset included: a layout of memory over the replicas' extents and the shape.
Layout part_of(const Layout& layout, Axis axis);
/// part_of(layout, Axis::m): the register of each element, counted in elements.
Layout register_part(const Layout& layout);
/// The thread of each element, all axes together.
Layout thread_part(const Layout& layout);

/// Both at once: thread x `pitch` + register. Requires: pitch is above every register.
Layout placed(const Layout& layout, std::int64_t pitch);
/// A power of two, at least twice the registers of the layout (in elements): then no stride of threads continues one of registers.
std::int64_t pitch_of(const Layout& layout);

/// Where all threads of the layout count from. Requires: no thread_axes_fault.
CountedFrom counted_from(const Layout& layout);

/// `thread-axes`: axes that do not go together (each would say which thread of a warp it is), or that count to what does not
/// exist (lane 32). `negative-offset`, `overflow`: of threads and registers.
std::optional<Diagnostic> thread_axes_fault(const Layout& layout);

}  // namespace tileproof
