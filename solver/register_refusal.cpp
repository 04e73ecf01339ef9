#include "solver/register_refusal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "layouts/address.hpp"
#include "layouts/offset_walk.hpp"
#include "layouts/register_file.hpp"
#include "layouts/wording.hpp"
#include "solver/refusal.hpp"

namespace tileproof {
namespace {

using Run = std::vector<std::int64_t>;  // elements by rising address of memory, swizzle left out

/// The tuple of registers that each register belongs to; in every run the same one.
class Tuples {
public:
    bool accept(const std::vector<std::int64_t>& registers) {
        for (const std::int64_t reg : registers) {
            const auto [at, is_new] = of_.emplace(reg, registers);
            if (!is_new && at->second != registers) return false;
        }
        return true;
    }

private:
    std::map<std::int64_t, std::vector<std::int64_t>> of_;
};

class RegisterSearch {
public:
    RegisterSearch(const Problem& problem, const Copy& copy, Bits width)
        : problem_(problem),
          copy_(copy),
          width_(width),
          held_(*register_side(problem, copy)),
          stored_(opposite(held_)),
          file_(on_register_file(problem, copy)),
          memory_(file_.buffer(operand(file_.copies[0], stored_))),
          n_(width / memory_.dtype.size),
          pitch_(pitch(problem.buffer(operand(copy, held_)))),
          places_(linear_offsets(file_.buffer(operand(file_.copies[0], held_)).layout, operand(file_.copies[0], held_).region)),
          offsets_(linear_offsets(memory_.layout, operand(file_.copies[0], stored_).region)) {}

    std::optional<Refusal> find() {
        collect_runs();
        Tuples linear, swizzled;
        std::optional<Refusal> torn;  // counts only if no run is illegal without the swizzle
        std::map<std::int64_t, std::int64_t> rounds;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const Run& run = runs_[i];
            thread_ = thread(run.front());
            round_ = rounds[thread_]++;
            if (auto fault = misaligned(run, i > 0)) return fault;
            if (held_ == Side::dst)
                if (auto fault = discontinuous(run)) return fault;
            if (auto fault = misheld(run, linear)) return fault;
            if (held_ == Side::src)
                if (auto fault = discontinuous(run)) return fault;
            if (static_cast<std::int64_t>(run.size()) < n_)
                return refuse("no-partner",
                              fmt::format("the access of {} at {} would leave the region: only {} of its {} elements belong to it", who(),
                                          element(run.front()), run.size(), n_),
                              witness(run.front(), std::nullopt));
            if (!torn) torn = is_torn(run, swizzled);
        }
        return torn;
    }

private:
    std::int64_t thread(std::int64_t k) const { return places_[static_cast<std::size_t>(k)] / pitch_; }
    std::int64_t reg(std::int64_t k) const { return places_[static_cast<std::size_t>(k)] % pitch_; }
    std::int64_t offset(std::int64_t k) const { return offsets_[static_cast<std::size_t>(k)]; }
    Bits address(std::int64_t at) const { return to_bits(memory_.base.value_or(Bytes{0})) + to_bits(Elements{at}, memory_.dtype.size); }

    /// Where registers are written, the blocks of a thread are its own, and a place that is read several times is in several runs.
    void collect_runs() {
        std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> order;  // thread, offset, element
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(offsets_.size()); ++k)
            order.emplace_back(held_ == Side::dst ? thread(k) : 0, offset(k), k);
        std::sort(order.begin(), order.end());
        const auto block = [&](std::size_t i) { return std::pair(std::get<0>(order[i]), address(std::get<1>(order[i])) / width_); };
        for (std::size_t i = 0; i < order.size();) {
            std::vector<Run> runs;
            std::size_t nth = 0;  // of the elements at one offset
            const std::size_t first = i;
            for (; i < order.size() && block(i) == block(first); ++i) {
                nth = i > first && std::get<1>(order[i]) == std::get<1>(order[i - 1]) ? nth + 1 : 0;
                if (nth == runs.size()) runs.emplace_back();
                runs[nth].push_back(std::get<2>(order[i]));
            }
            for (Run& run : runs) runs_.push_back(std::move(run));
        }
        std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.front() < b.front(); });
    }

    std::optional<Refusal> misaligned(const Run& run, bool later) const {
        const Bits at = address(offset(run.front()));
        if (at % width_ == Bits{0}) return std::nullopt;
        const std::string where = fmt::format("{}, at {}", element(run.front()), address_text(at, width_));
        const std::string text =
            later ? fmt::format("{} would {} {}", who(), verb(), where) : fmt::format("the region starts at {}", where);
        return refuse(later ? "stride" : "region-offset", text, witness(run.front(), at));
    }

    std::optional<Refusal> discontinuous(const Run& run) const {
        for (std::size_t j = 0; j < run.size(); ++j) {
            const std::int64_t wanted = offset(run.front()) + static_cast<std::int64_t>(j);
            if (offset(run[j]) == wanted) continue;
            return refuse("not-contiguous",
                          fmt::format("{} would {} {} elements from {} on, but no element of its own lies at offset {}", who(), verb(), n_,
                                      element(run.front()), wanted),
                          witness(run.front(), std::nullopt));
        }
        return std::nullopt;
    }

    std::optional<Refusal> misheld(const Run& run, Tuples& tuples) const {
        std::vector<std::int64_t> registers;
        for (const std::int64_t k : run) {
            registers.push_back(reg(k));
            if (thread(k) == thread_) continue;
            return refuse("register-thread",
                          fmt::format("{} and {}, which one access would hold, are in registers of threads {} and {}", element(run.front()),
                                      element(k), shown(thread_), shown(thread(k))),
                          witness(run.front(), std::nullopt));
        }
        if (tuples.accept(registers)) return std::nullopt;
        return refuse("register-order",
                      fmt::format("{} would {} {} from registers {}, and another access has some of them in another order: one instruction "
                                  "names the same registers in every thread",
                                  who(), verb(), element(run.front()), fmt::join(registers, " ")),
                      witness(run.front(), std::nullopt));
    }

    std::optional<Refusal> is_torn(const Run& run, Tuples& tuples) const {
        std::vector<std::pair<std::int64_t, std::int64_t>> lanes;  // offset after the swizzle, register
        for (const std::int64_t k : run) lanes.emplace_back(swizzled(Integers{}, memory_.layout.swizzle, offset(k)), reg(k));
        std::sort(lanes.begin(), lanes.end());
        std::vector<std::int64_t> registers;
        for (const auto& [at, reg] : lanes) registers.push_back(reg);
        const bool one_block = address(lanes.front().first) / width_ == address(lanes.back().first) / width_;
        if (one_block && tuples.accept(registers)) return std::nullopt;
        const std::string what = fmt::format("{} of {} moves chunks of {} elements: it ", to_string(memory_.layout.swizzle), memory_.name,
                                             std::int64_t{1} << memory_.layout.swizzle.base_log2);
        const Bits low = address(lanes.front().first);
        return refuse("swizzle-chunk",
                      what + (one_block ? fmt::format("orders the registers of {}, {}, otherwise than those of another access",
                                                      element(run.front()), who())
                                        : fmt::format("tears the {} elements that {} would {} from {} on apart ({})", n_, who(), verb(),
                                                      element(run.front()), address_text(low))),
                      witness(run.front(), low));
    }

    Refusal refuse(const char* rule, std::string text, Witness witness) const {
        return {width_, rule, std::move(text), std::move(witness)};
    }

    /// Within the scope.
    std::int64_t shown(std::int64_t thread) const { return thread - participants(copy_, problem_.launch).first; }
    std::string who() const { return fmt::format("thread {} in round {}", shown(thread_), round_); }
    const char* verb() const { return stored_ == Side::src ? "read" : "write"; }

    std::vector<std::int64_t> relative(std::int64_t k, Side side) const {
        std::vector<std::int64_t> at = coordinate_of(k, operand(file_.copies[0], side).region.extent);
        const std::size_t replicas = at.size() - operand(copy_, side).region.extent.size();
        at.erase(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(replicas));
        return at;
    }
    std::string element(std::int64_t k) const {
        std::vector<std::int64_t> at = relative(k, stored_);
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += operand(copy_, stored_).region.start[i];
        return fmt::format("{}[{}]", memory_.name, fmt::join(at, ","));
    }

    Witness witness(std::int64_t k, std::optional<Bits> at) const {
        Witness out;
        out.side = stored_;
        out.thread = shown(thread_);
        out.round = round_;
        out.coordinate = relative(k, Side::src);
        if (!at) return out;
        out.address = at;
        out.modulus = width_;
        return out;
    }

    const Problem& problem_;
    const Copy& copy_;
    Bits width_;
    Side held_, stored_;
    const Problem file_;
    const Buffer& memory_;
    std::int64_t n_, pitch_;
    std::vector<std::int64_t> places_, offsets_;  // of each element: in the register file, in memory
    std::vector<Run> runs_{};
    std::int64_t thread_ = 0, round_ = 0;  // of the run that is looked at
};

}  // namespace

std::optional<Refusal> find_register_refusal(const Problem& problem, const Copy& copy, Bits width) {
    if (moved(copy) < Elements{1}) return std::nullopt;
    return RegisterSearch(problem, copy, width).find();
}

}  // namespace tileproof
