// libFuzzer target: any bytes as a layout. What is read must be printed and read back as the same layout.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "layouts/notation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
    using namespace tileproof;
    const Result<Layout> layout = read_layout({reinterpret_cast<const char*>(data), bytes});
    if (!layout) return 0;
    for (const Notation notation : {Notation::cute, Notation::tirx}) {
        const Result<std::string> text = written(layout.value(), notation);
        if (!text) continue;
        const Result<Layout> again = read_layout(text.value(), layout.value().shape);
        if (!again || again.value() != layout.value()) std::abort();
    }
    if (!reach(layout.value()) || span(layout.value()).count < 1) std::abort();
    return 0;
}
