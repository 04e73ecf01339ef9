#include "verify/registers_internal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "layouts/matrix.hpp"
#include "layouts/plan_address.hpp"
#include "layouts/register_file.hpp"
#include "verify/judge_internal.hpp"

namespace tileproof {
namespace {

class RegisterJudge {
public:
    RegisterJudge(const Problem& problem, const Copy& copy, const CopyPlan& plan)
        : plan_(plan),
          held_(*register_side(problem, copy)),
          stored_(opposite(held_)),
          registers_(problem.buffer(operand(copy, held_))),
          pitch_(pitch(registers_)),
          file_(on_register_file(problem, copy)),
          file_plan_(on_register_file(problem, copy, plan)),
          judge_(file_, file_.copies[0], file_plan_),
          covered_(static_cast<std::size_t>(
              std::accumulate(judge_.box_shape().begin(), judge_.box_shape().end(), std::int64_t{1}, std::multiplies<>()))) {
        for (const char* id : searched) findings_.push_back({id, Verdict::proved, {"exhaustive"}});
        // Of registers the look at the digits decides: they are the same in all threads.
        for (const char* what : {"bounds.", "aligned."}) finding(what + to_string(held_)).by = {"structure"};
        finding("no-alias").by = {"structure"};
    }

    std::vector<Finding> run() {
        for (std::size_t g = 0; g < plan_.segments.size(); ++g) {
            names(g);
            const Segment& s = plan_.segments[g];
            const MatrixForm* const matrix = matrix_form(s.side(stored_).instruction);
            for (std::int64_t f = 0; f < s.outer; ++f) {
                for (std::int64_t t = 0; t < s.threads && matrix == nullptr; ++t) access({g, f, t, 0});
                for (std::int64_t t = 0; t < s.threads && matrix != nullptr; t += warp_threads) rows({g, f, t, 0}, *matrix);
            }
        }
        uncovered();
        overlaps();
        count();
        return std::move(findings_);
    }

private:
    /// An access of memory, by the lane with its first element; or a register.
    struct Written {
        std::int64_t start, count;  // elements
        Spot by;
    };

    Finding& finding(const std::string& id) {
        return *std::find_if(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.obligation == id; });
    }
    std::string held(const char* what) const { return std::string(what) + "." + to_string(held_); }
    std::string stored(const char* what) const { return std::string(what) + "." + to_string(stored_); }

    /// The first failure becomes the counterexample, the others are counted.
    void refute(const std::string& id, Counterexample counterexample, const char* unit) {
        Finding& at = finding(id);
        auto& [failing, of] = failures_[id];
        ++failing;
        of = unit;
        if (at.verdict == Verdict::refuted) return;
        at.verdict = Verdict::refuted;
        at.counterexample = std::move(counterexample);
    }

    /// Whether digits other than the threads' name a register of the buffer, whatever they are; and the threads' none at all.
    void names(std::size_t g) {
        const Names names = names_of(plan_.segments[g], held_);
        Counterexample out;
        out.side = held_;
        if (!names.are_the_same_in_all_threads) {
            out.text =
                fmt::format("the registers of {} that an access names depend on the thread, and one instruction names the same in all",
                            registers_.name);
            refute(held("contiguous"), out, "segments");
        }
        if (names.least >= 0 && names.greatest < registers_.capacity.count) return;
        out.text = fmt::format("some access names register {} of {}, which has {} in each thread",
                               names.least < 0 ? names.least : names.greatest, registers_.name, registers_.capacity.count);
        refute(held("bounds"), out, "segments");
    }

    void access(Spot at) {
        const Segment& s = judge_.segment(at);
        if (!judge_.active(at)) return;
        ++accesses_;
        if (auto found = judge_.aligned(at, stored_)) refute(stored("aligned"), *found, "accesses");
        if (auto found = judge_.bounds(at, stored_)) refute(stored("bounds"), *found, "accesses");
        const std::int64_t start = judge_.access_offset(at, stored_), n = judge_.access_elements(at.segment, stored_);
        if (stored_ == Side::dst) written_.push_back({start, n, at});
        std::vector<std::int64_t> at_place(static_cast<std::size_t>(n),
                                           -1);  // the place of the register file that each place of the access is paired with
        for (at.lane = 0; at.lane < s.vec; ++at.lane) {
            const std::int64_t place = judge_.lane_offset(at, stored_) - start, home = judge_.lane_offset(at, held_);
            if (s.vec != n || place < 0 || place >= n || at_place[static_cast<std::size_t>(place)] >= 0) {
                refute(stored("contiguous"), misplaced(at, n, place), "lanes");
            } else {
                at_place[static_cast<std::size_t>(place)] = home;
                name_of(at, place, home);
            }
            lane(at, home);
        }
        for (at.lane = 0; at.lane < s.vec; ++at.lane) pair(at, start, at_place);
    }

    /// A lane that runs, whose register is at `home` in the register file.
    void lane(const Spot& at, std::int64_t home) {
        ++lanes_;
        const std::vector<std::int64_t> box = judge_.box_coordinate(at);
        if (!judge_.inside(box)) return refute("predicate", *judge_.predicate(at), "lanes");
        covered_[position(box)] = true;
        if (auto found = judge_.address(at, stored_)) refute(stored("address"), *found, "lanes");
        if (judge_.layout_offset(box, held_) != home)
            refute(held("address"), wrong_register(at, home, judge_.layout_offset(box, held_)), "lanes");
        if (held_ == Side::dst) written_.push_back({home, 1, at});
    }

    /// The rows that a matrix instruction moves in one round of the warp that begins at `warp`: each is an access, whose elements are
    /// where the instruction puts them, and whose address is that of the lane with the first. What does not fit the instruction moves nothing.
    void rows(const Spot& warp, const MatrixForm& form) {
        const Segment& s = judge_.segment(warp);
        const Bits element = judge_.element();
        if (warp.thread + warp_threads > s.threads || !keeps_whole(form, element) || s.vec != elements_of_lane(form, element)) {
            Counterexample out = place_of(warp);
            out.side = stored_;
            out.text = fmt::format("{} does not move {} elements of {} bits in each of the threads from {} on", form.mnemonic, s.vec,
                                   element.count, warp.thread);
            return refute(stored("contiguous"), std::move(out), "accesses");
        }
        for (int matrix = 0; matrix < form.matrices; ++matrix)
            for (int row = 0; row < form.rows; ++row) one_row(warp, form, {matrix, row});
    }

    void one_row(const Spot& warp, const MatrixForm& form, const MatrixRow& row) {
        std::vector<Spot> spots;
        for (int n = 0; n < elements_of_row(judge_.element()); ++n) {
            const MatrixPlace place = held_at(form, row, n, judge_.element());
            spots.push_back({warp.segment, warp.round, warp.thread + place.lane, place.element});
        }
        if (std::none_of(spots.begin(), spots.end(), [&](const Spot& one) { return runs(one); })) return;
        ++accesses_;
        const std::int64_t start = judge_.lane_offset(spots.front(), stored_), n = static_cast<std::int64_t>(spots.size());
        if (auto found = judge_.aligned(spots.front(), stored_, start))
            refute(stored("aligned"), of_row(std::move(*found), warp, form, row), "accesses");
        if (auto found = judge_.bounds(spots.front(), stored_, start))
            refute(stored("bounds"), of_row(std::move(*found), warp, form, row), "accesses");
        if (stored_ == Side::dst) written_.push_back({start, n, spots.front()});
        std::vector<std::int64_t> at_place;
        for (std::int64_t i = 0; i < n; ++i) {
            const Spot& at = spots[static_cast<std::size_t>(i)];
            const std::int64_t home = judge_.lane_offset(at, held_), place = judge_.lane_offset(at, stored_) - start;
            if (place != i) refute(stored("contiguous"), torn_row(at, row, place, i), "lanes");
            at_place.push_back(home);
            if (runs(at)) lane(at, home);  // if not, the warp does not run as a whole: `converged`
        }
        for (const Spot& at : spots) pair(at, start, at_place);
    }

    bool runs(const Spot& lane) const { return judge_.active(lane); }

    Counterexample of_row(Counterexample found, const Spot& warp, const MatrixForm& form, const MatrixRow& row) const {
        found.text = fmt::format("row {} of matrix {}, whose address thread {} supplies: {}", row.row, row.matrix,
                                 warp.thread + supplier(form, row), found.text);
        return found;
    }

    Counterexample torn_row(const Spot& at, const MatrixRow& row, std::int64_t place, std::int64_t wanted) const {
        Counterexample out = place_of(at);
        out.side = stored_;
        out.text =
            fmt::format("lane {} of {} holds element {} of row {} of matrix {}, and its address is {} elements from the start of the row",
                        at.lane, who(at), wanted, row.row, row.matrix, place);
        return out;
    }

    /// What moves between memory and the register is the element of both.
    void pair(const Spot& at, std::int64_t start, const std::vector<std::int64_t>& at_place) {
        const std::vector<std::int64_t> box = judge_.box_coordinate(at);
        if (!judge_.inside(box)) return;
        const std::int64_t place = judge_.layout_offset(box, stored_) - start, home = judge_.layout_offset(box, held_);
        if (place >= 0 && place < static_cast<std::int64_t>(at_place.size()) && at_place[static_cast<std::size_t>(place)] == home) return;
        Counterexample out = place_of(at);
        out.text =
            fmt::format("element ({}) of the region is {} elements into what {} moves, and register {} of thread {} is not what goes there",
                        fmt::join(out.coordinate, ","), place, who(at), home % pitch_, shown(home / pitch_));
        refute("same-element", std::move(out), "lanes");
    }

    /// One instruction: the same register at the same place in every thread.
    void name_of(const Spot& at, std::int64_t place, std::int64_t home) {
        const std::int64_t reg = home - (judge_.people().first + at.thread) * pitch_;
        const auto [known, is_new] = names_.try_emplace(std::tuple(at.segment, at.round, place), std::pair(reg, at.thread));
        if (is_new || known->second.first == reg) return;
        Counterexample out = place_of(at);
        out.side = held_;
        out.text =
            fmt::format("element {} of an access is register {} in {} and register {} in thread {}: one instruction names the same in all",
                        place, reg, who(at), known->second.first, known->second.second);
        refute(held("contiguous"), std::move(out), "lanes");
    }

    Counterexample misplaced(const Spot& at, std::int64_t n, std::int64_t place) const {
        if (auto found = judge_.contiguous(at, stored_, at.lane)) return *found;
        Counterexample out = place_of(at);
        out.side = stored_;
        out.text = fmt::format("two lanes of {} are element {} of its access of {}", who(at), place, n);
        return out;
    }

    Counterexample wrong_register(const Spot& at, std::int64_t planned, std::int64_t wanted) const {
        Counterexample out = place_of(at);
        out.side = held_;
        const std::int64_t own = judge_.people().first + at.thread;
        out.text = fmt::format(
            "{}, lane {}, {} element ({}) of the region {} its register {}; the layout of {} has it in register {} of thread {}", who(at),
            at.lane, held_ == Side::src ? "reads" : "writes", fmt::join(out.coordinate, ","), held_ == Side::src ? "from" : "into",
            planned - own * pitch_, registers_.name, wanted % pitch_, shown(wanted / pitch_));
        return out;
    }

    /// Where it is, without a byte.
    Counterexample place_of(const Spot& at) const {
        Counterexample out;
        if (plan_.segments.size() > 1) out.segment = static_cast<std::int64_t>(at.segment);
        out.round = at.round;
        out.thread = at.thread;
        out.lane = at.lane;
        const std::vector<std::int64_t> box = judge_.box_coordinate(at);
        if (judge_.inside(box)) out.coordinate = judge_.missing(box).coordinate;
        return out;
    }
    static std::string who(const Spot& at) { return fmt::format("thread {} in round {}", at.thread, at.round); }
    std::int64_t shown(std::int64_t thread_of_block) const { return thread_of_block - judge_.people().first; }

    std::size_t position(const std::vector<std::int64_t>& box) const {
        std::int64_t out = 0;
        for (std::size_t i = 0; i < box.size(); ++i) out = out * judge_.box_shape()[i] + box[i];
        return static_cast<std::size_t>(out);
    }

    void uncovered() {
        for (std::size_t k = 0; k < covered_.size(); ++k) {
            if (covered_[k]) continue;
            std::vector<std::int64_t> box(judge_.box_shape().size());
            std::int64_t rest = static_cast<std::int64_t>(k);
            for (std::size_t i = box.size(); i-- > 0; rest /= judge_.box_shape()[i]) box[i] = rest % judge_.box_shape()[i];
            refute("covers", judge_.missing(box), "elements");
        }
    }

    /// Of memory, accesses that meet in a cell; of registers, lanes with one place.
    void overlaps() {
        std::sort(written_.begin(), written_.end(), [](const Written& a, const Written& b) {
            return std::tie(a.start, a.by.segment, a.by.round, a.by.thread, a.by.lane) <
                   std::tie(b.start, b.by.segment, b.by.round, b.by.thread, b.by.lane);
        });
        for (std::size_t i = 1; i < written_.size(); ++i) {
            const Written &a = written_[i - 1], &b = written_[i];
            if (held_ == Side::src ? !share_a_cell(a, b) : a.start != b.start) continue;
            Counterexample out = place_of(a.by);
            if (held_ == Side::src) {
                out = overwritten(a, b);
            } else {
                out.side = held_;
                out.text = fmt::format("{} and {} both write register {} of thread {}", who(a.by), who(b.by), a.start % pitch_,
                                       shown(a.start / pitch_));
            }
            return refute("disjoint", std::move(out), held_ == Side::src ? "accesses" : "lanes");
        }
    }

    /// Requires: a does not begin behind b.
    bool share_a_cell(const Written& a, const Written& b) const {
        const int cell = judge_.cell_log2();
        return (a.start + a.count - 1) >> cell >= b.start >> cell;
    }

    Counterexample overwritten(const Written& a, const Written& b) const {
        Counterexample out = place_of(a.by);
        const Buffer& buffer = judge_.buffer(stored_);
        const bool share_elements = b.start < a.start + a.count;
        out.side = stored_;
        out.address = judge_.address_at(stored_, b.start);
        out.text =
            fmt::format("{} and {} both write {}", who(a.by), who(b.by),
                        share_elements ? fmt::format("element offset {} of {}", b.start, buffer.name)
                                       : fmt::format("byte {} of {}, which holds elements of both", out.address->count >> 3, buffer.name));
        return out;
    }

    void count() {
        for (const auto& [id, failed] : failures_) {
            const auto& [failing, unit] = failed;
            if (id == "disjoint" || std::string(unit) == "segments") continue;
            const std::int64_t all = std::string(unit) == "accesses" ? accesses_
                                     : std::string(unit) == "lanes"  ? lanes_
                                                                     : static_cast<std::int64_t>(covered_.size());
            finding(id).failures = {failing, all, unit};
        }
    }

    const CopyPlan& plan_;
    Side held_, stored_;
    const Buffer& registers_;
    std::int64_t pitch_;
    const Problem file_;
    const CopyPlan file_plan_;
    const Judge judge_;
    std::vector<bool> covered_;
    std::vector<Finding> findings_;
    std::map<std::string, std::pair<std::int64_t, const char*>> failures_;
    std::vector<Written> written_;
    std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>>
        names_;  // of each place of an access: register, thread
    std::int64_t accesses_ = 0, lanes_ = 0;
};

}  // namespace

std::vector<Finding> judge_registers(const Problem& problem, const Copy& copy, const CopyPlan& plan) {
    return RegisterJudge(problem, copy, plan).run();
}

Names names_of(const Segment& segment, Side held) {
    const AddressPlan& address = segment.side(held).address;
    Names out{address.offset, address.offset, address.swizzle.is_identity()};
    for (std::size_t i = 0; i < segment.digits.size(); ++i) {
        const std::int64_t stride = address.strides[i], far = stride * (segment.digits[i].extent - 1);
        if (segment.digits[i].role == Role::thread) out.are_the_same_in_all_threads = out.are_the_same_in_all_threads && far == 0;
        else (far < 0 ? out.least : out.greatest) += far;
    }
    return out;
}

std::int64_t threads_that_run(const CopyPlan& plan) {
    std::int64_t out = 0;
    for (std::int64_t t = 0; t < plan.participants.count; ++t) {
        const auto runs = [&](const Segment& s) {
            bool any = false;
            for (std::int64_t f = 0; f < s.outer && t < s.threads && !any; ++f) any = is_active(s, digits_at(s, f, t, 0));
            return any;
        };
        out += std::any_of(plan.segments.begin(), plan.segments.end(), runs) ? 1 : 0;
    }
    return out;
}

}  // namespace tileproof
