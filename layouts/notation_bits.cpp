#include "layouts/notation.hpp"
#include "layouts/notation_internal.hpp"
#include "layouts/wording.hpp"

namespace tileproof {
namespace {

bool read_basis(Cursor& in, std::vector<std::int64_t>& dim, int& bits) {
    const std::size_t begin = in.at();
    const std::optional<std::int64_t> value = in.integer("a basis value");
    if (!value) return false;
    const std::size_t end = in.end_of_last();
    if (*value < 0) return in.fail("negative-offset", "the basis value " + std::to_string(*value) + " is negative", begin, end);
    if (*value >= max_offset) return in.fail("overflow", "a basis value of 2^50 or more", begin, end);
    if (++bits > max_bits) return in.fail("overflow", "more than 2^50 elements", begin, end);
    dim.push_back(*value);
    return true;
}

}  // namespace

bool read_bases(Cursor& in, BitBases& bases) {
    int bits = 0;
    if (!in.expect('[')) return false;
    do {
        const std::size_t begin = in.at();
        if (!in.accept('(')) return in.fail_expected("the basis values of a dimension, such as (1,2,4)");
        if (bases.size() == max_iters) return in.fail("rank", "more than 64 dimensions", begin, begin + 1);
        std::vector<std::int64_t>& dim = bases.emplace_back();
        if (in.accept(')')) continue;  // of extent 1
        do {
            if (!read_basis(in, dim, bits)) return false;
        } while (in.accept(','));
        if (!in.accept(')')) return in.fail_expected("',' or ')'");
    } while (in.accept(','));
    return in.accept(']') || in.fail_expected("',' or ']'");
}

Result<std::string> to_bits(const Layout& layout) {
    const Result<BitBases> bases = bit_bases(layout);
    if (!bases) return bases.error();
    std::string out;
    for (const std::vector<std::int64_t>& dim : bases.value()) out += (out.empty() ? "bits[" : ",") + tuple_of(dim);
    return out + "]";
}

}  // namespace tileproof
