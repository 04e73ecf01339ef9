#include "tests/flaws/flawed.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tileproof {
namespace {

constexpr std::string_view names[] = {
#include "flaw_names.inc"
};

int chosen() {
    const char* name = std::getenv("TILEPROOF_FLAW");
    if (name == nullptr || *name == '\0') return -1;
    int number = 0;
    for (const std::string_view known : names) {
        if (known == name) return number;
        ++number;
    }
    std::fprintf(stderr, "TILEPROOF_FLAW: no flaw is named '%s'\n", name);
    std::_Exit(3);
}

}  // namespace

bool flawed(int number) {
    static const int on = chosen();
    return number == on;
}

}  // namespace tileproof
