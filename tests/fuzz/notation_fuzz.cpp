// libFuzzer target: any bytes as a layout. What is read must be printed and read back as the same layout.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "layouts/notation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
    using namespace tileproof;
    const Result<Layout> layout = read_layout({reinterpret_cast<const char*>(data), bytes});
    if (!layout) return 0;
    if (modes(layout.value())) {
        const Result<Layout> again = read_layout(to_cute(layout.value()));
        if (!again || again.value() != layout.value()) std::abort();
    }
    if (!reach(layout.value()) || span(layout.value()).count < 1) std::abort();
    return 0;
}
