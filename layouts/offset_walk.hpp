// OffsetWalk: the offsets of a layout, coordinate after coordinate in row-major order.
//
//   for (OffsetWalk walk(layout); !walk.at_end(); walk.step()) use(walk.coordinate(), walk.offset());
//
// It carries the digits along instead of dividing, so that millions of elements take milliseconds; what it visits is what
// element_offset says (layouts/address.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "layouts/layout.hpp"
#include "layouts/problem.hpp"

namespace tileproof {

/// The coordinate with this row-major index. Requires: 0 <= index < size.
std::vector<std::int64_t> coordinate_of(std::int64_t index, const std::vector<std::int64_t>& shape);

class OffsetWalk {
public:
    /// All of the layout. `layout` must outlive the walk.
    explicit OffsetWalk(const Layout& layout);

    bool at_end() const { return index_ == size_; }
    void step();
    std::int64_t index() const { return index_; }
    std::vector<std::int64_t> coordinate() const { return coordinate_of(index_, layout_->shape); }
    std::int64_t offset() const;

private:
    const Layout* layout_;
    std::int64_t size_ = 0;
    std::int64_t index_ = 0;
    std::int64_t linear_ = 0;
    std::vector<std::int64_t> digits_;       // of the iters, outermost first
    std::vector<std::int64_t> carry_bases_;  // over bits: the XOR of the bases of the bits 0 .. k
};

/// The offsets of one region, in row-major order of its coordinates. Requires: the region lies inside the shape.
std::vector<std::int64_t> offsets_of(const Layout& layout, const Region& region);
/// The least of them, swizzle left out; of an empty region 0.
std::int64_t least_offset(const Layout& layout, const Region& region);

}  // namespace tileproof
