// Element types: a name and a size. Copies move bits, so only the size matters to a plan; the name must agree on both sides.
//
//   find_dtype("half")  -> {"f16", 16 bits}          aliases map to one name
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "layouts/units.hpp"

namespace tileproof {

struct DType {
    std::string name;
    Bits size;

    friend bool operator==(const DType&, const DType&) = default;
};

std::optional<DType> find_dtype(std::string_view name);
/// Every accepted name, aliases included, for suggestions.
std::string dtype_names();

}  // namespace tileproof
