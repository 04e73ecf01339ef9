#include "solver/register_samples.hpp"

#include <algorithm>

#include "layouts/filling.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "layouts/symbolic.hpp"
#include "solver/register_plan.hpp"

namespace tileproof {
namespace {

constexpr std::int64_t most_samples = 8;                        // each of which is looked at element by element
constexpr std::size_t most_tried = 128;                         // before so many are found at which something is moved
constexpr std::int64_t most_looked_at = std::int64_t{1} << 22;  // elements in all of them

}  // namespace

Problem copy_at(const Problem& problem, const Copy& copy, const Values& values) {
    Problem out = at(problem, values);
    out.copies = {out.copies[static_cast<std::size_t>(&copy - problem.copies.data())]};
    return copy.zero_fill ? moved_part(out, out.copies[0]) : out;
}

bool moves_something(const Problem& one) {
    const Copy& copy = one.copies[0];
    const Operand& stored = register_side(one, copy) == Side::src ? copy.dst : copy.src;
    return moved(copy) >= Elements{1} && is_inside(one.buffer(stored).layout, stored.region) &&
           least_offset(one.buffer(stored).layout, stored.region) >= 0;
}

std::vector<Values> telling_values(const Problem& problem, const Copy& copy) {
    std::vector<Values> out;
    const std::int64_t affordable = std::clamp<std::int64_t>(most_looked_at / moved(copy).count, 1, most_samples);
    for (Values& values : sample_values(problem, most_tried)) {
        if (static_cast<std::int64_t>(out.size()) == affordable) break;
        if (moves_something(copy_at(problem, copy, values))) out.push_back(std::move(values));
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::optional<Diagnostic> rejected_at_a_sample(const Problem& problem, const Copy& copy, const std::vector<Values>& samples) {
    for (const Values& values : samples) {
        const Problem one = copy_at(problem, copy, values);
        std::optional<Diagnostic> found = register_rejection(one, one.copies[0]);
        if (!found || found->rule != "dst-overlaps") continue;
        if (!problem.symbols.empty()) found->text += ", with " + to_string(values, problem.symbols);
        return found;
    }
    return std::nullopt;
}

}  // namespace tileproof
