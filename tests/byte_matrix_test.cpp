// ldmatrix and stmatrix of bytes: the maps are CuTe's, the machine of the tests deals rows out alike, plans are proved and right when run,
// and what has another fragment, or another target, is declined with the reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "emit/ptxas.hpp"
#include "layouts/matrix.hpp"
#include "solver/solve.hpp"
#include "tests/matrix_bench.hpp"
#include "tests/planned_copy.hpp"
#include "tests/problems.hpp"
#include "tests/ptx_bench.hpp"

namespace tileproof::test {
namespace {

using nlohmann::json;

const std::vector<std::string> arches{"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a",
                                      "sm_110f", "sm_120a", "sm_120f", "sm_121a", "sm_121f"};

json atoms() { return json::parse(std::ifstream(std::string(TILEPROOF_TEST_DATA) + "/cute_byte_atoms.json"))["atoms"]; }

/// "ldmatrix.m16n16.x1.trans" -> "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"
std::string mnemonic_of(std::string name) {
    name.insert(name.find('.'), ".sync.aligned");
    return name + ".shared.b8";
}

/// What the instruction does in CuTe's table: of each lane and byte of its registers, the byte of the rows, 16 to a lane that supplies one.
FragmentTable fragment_of(const json& atom) {
    const bool loads = atom["atom"].get<std::string>()[0] == 'l';
    const FragmentTable supplied = atom[loads ? "src" : "dst"], held = atom[loads ? "dst" : "src"];
    FragmentTable out(32);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        out[lane].resize(held[lane].size(), -1);
        for (std::size_t value = 0; value < held[lane].size(); ++value) {
            int supplier = 0;
            while (supplied[static_cast<std::size_t>(supplier)][0] != held[lane][value] / 16 * 16) ++supplier;
            // Behind ldmatrix CuTe exchanges the upper half of a matrix's first register with the lower of its second.
            const std::size_t byte = loads ? value / 8 * 8 + value / 2 % 2 * 4 + value / 4 % 2 * 2 + value % 2 : value;
            out[lane][byte] = 16 * supplier + held[lane][value] % 16;
        }
    }
    return out;
}

/// Tiles of one instruction each, as they lie in memory and in registers.
struct Tile {
    bool loads;
    int matrices;
    std::string shape, held;

    std::string instruction() const { return (loads ? "ldmatrix.m16n16.x" : "stmatrix.m16n8.x") + std::to_string(matrices) + ".trans"; }
    std::string shared(const std::string& dtype = "u8") const { return "shared " + dtype + " (" + shape + "):(16,1)"; }
    std::string registers(const std::string& dtype = "u8") const { return "register " + dtype + " S[" + held + "] shape " + shape; }
    std::string src() const { return loads ? shared() : registers(); }
    std::string dst() const { return loads ? registers() : shared(); }
};
const std::array<Tile, 5> tiles{
    Tile{true, 1, "16,16", "(4,4,2,8):(1@laneid,1,4,4@laneid)"}, Tile{true, 2, "32,16", "(2,4,4,2,8):(8,1@laneid,1,4,4@laneid)"},
    Tile{false, 1, "8,16", "(4,2,2,8):(1@laneid,1,2,4@laneid)"}, Tile{false, 2, "16,16", "(2,4,2,2,8):(4,1@laneid,1,2,4@laneid)"},
    Tile{false, 4, "32,16", "(4,4,2,2,8):(4,1@laneid,1,2,4@laneid)"}};

std::string on(const std::string& arch, const std::string& src, const std::string& dst, const std::string& scope = "warp",
               std::int64_t threads = 32) {
    return done_by(src, dst, scope, threads, arch);
}

/// Which of these instructions ptxas refuses for this target, by number.
std::set<int> refused(const std::vector<std::string>& instructions, const std::string& arch, PtxVersion version) {
    std::string text =
        ".version " + to_string(version) + "\n.target " + arch +
        "\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %a; .reg .b32 %v<4>; .shared .align 16 .b8 sm[512];\nmov.u32 %a, sm;\n";
    for (int i = 0; i < 4; ++i) text += "mov.u32 %v" + std::to_string(i) + ", 0; ";
    const auto before = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    for (const std::string& instruction : instructions) text += "\n" + instruction;
    std::set<int> out;
    const Result<Assembled> assembled = assemble(text + "\nret;\n}\n", arch);
    if (assembled) return out;
    REQUIRE(!assembled.error().notes.empty());
    std::istringstream notes(assembled.error().notes.front());
    for (std::string line; std::getline(notes, line);)
        if (const std::size_t at = line.find(", line "); at != std::string::npos) out.insert(std::stoi(line.substr(at + 7)) - before - 2);
    REQUIRE(!out.empty());
    return out;
}

}  // namespace

TEST_CASE("ptxas takes what the table takes of matrices, and nothing else") {
    std::istringstream names(arch_names());
    int targets = 0;
    for (std::string arch; names >> arch; ++targets) {
        const Arch target = *find_arch(arch);
        CHECK(target.suffix == (std::isdigit(static_cast<unsigned char>(arch.back())) != 0 ? 0 : arch.back()));
        for (const PtxVersion version : std::set<PtxVersion>{target.least_ptx, {7, 7}, {7, 8}, {9, 0}}) {
            if (version < target.least_ptx) continue;
            CAPTURE(arch);
            CAPTURE(to_string(version));
            std::vector<std::string> taken, others;
            for (const Direction direction : {Direction::load, Direction::store})
                for (const int matrices : {1, 2, 4})
                    for (const bool transposed : {false, true})
                        for (const Bits unit : {Bits{16}, Bits{8}}) {
                            const MatrixForm* const form = matrix_form(direction, matrices, transposed, unit);
                            const bool loads = direction == Direction::load;
                            std::string name =
                                form != nullptr ? std::string(form->mnemonic)
                                                : std::string(loads ? "ldmatrix.sync.aligned.m16n16.x" : "stmatrix.sync.aligned.m16n8.x") +
                                                      std::to_string(matrices) + (transposed ? ".trans" : "") + ".shared.b8";
                            std::string tuple = "%v0";
                            for (int i = 1; i < (form != nullptr ? form->registers() : std::min(4, loads ? 2 * matrices : matrices)); ++i)
                                tuple += ", %v" + std::to_string(i);
                            const bool exists = form != nullptr && form->least_arch <= target.number &&
                                                !(form->is_specific && target.suffix == 0) && form->least_ptx <= version;
                            (exists ? taken : others).push_back(name + (loads ? " {" + tuple + "}, [%a];" : " [%a], {" + tuple + "};"));
                        }
            CHECK(taken.size() + others.size() == 24);
            CHECK(refused(taken, arch, version).empty());
            const std::set<int> lines = refused(others, arch, version);
            for (int i = 0; i < static_cast<int>(others.size()); ++i)
                CHECK_MESSAGE(lines.count(i) == 1, others[static_cast<std::size_t>(i)]);
        }
    }
    CHECK(targets == 22);
}

TEST_CASE("bytes: the table has what a lane supplies and holds as CuTe does, and so has the machine of the tests") {
    int compared = 0;
    for (const json& atom : atoms()) {
        const std::string name = atom["atom"];
        INFO(name);
        const MatrixForm* const form = matrix_form(mnemonic_of(name));
        REQUIRE(form != nullptr);
        const FragmentTable fragment = fragment_of(atom), supplied = atom[name[0] == 'l' ? "src" : "dst"];
        for (int lane = 0; lane < 32; ++lane) {
            const MatrixRow row = supplied_row(*form, lane);
            const int first = supplier(*form, row);
            CHECK(first <= lane);
            CHECK((first == lane) == (lane < form->rows * form->matrices));
            CHECK(supplied[static_cast<std::size_t>(first)] == supplied[static_cast<std::size_t>(lane)]);
            REQUIRE(fragment[static_cast<std::size_t>(lane)].size() == static_cast<std::size_t>(elements_of_lane(*form, {8})));
            for (int n = 0; n < elements_of_row({8}); ++n) {
                const MatrixPlace place = held_at(*form, row, n, {8});
                CHECK(fragment[static_cast<std::size_t>(place.lane)][static_cast<std::size_t>(place.element)] == 16 * first + n);
                ++compared;
            }
        }
        deals(mnemonic_of(name), fragment, Bytes{1}, 5);
    }
    CHECK(compared == 5 * 32 * 16);
}

TEST_CASE("bytes: 4-bit elements move in pairs, and 16 bits are torn") {
    for (const Tile& tile : tiles) {
        const MatrixForm& form = *matrix_form(tile.loads ? Direction::load : Direction::store, tile.matrices, true, {8});
        CHECK(form.registers() == tile.matrices * (tile.loads ? 2 : 1));
        CHECK(keeps_whole(form, {8}));
        CHECK_FALSE(keeps_whole(form, {16}));
        CHECK(elements_of_lane(form, {4}) == 2 * elements_of_lane(form, {8}));
        for (int n = 0; n < elements_of_row({4}); ++n) {
            const MatrixPlace place = held_at(form, {tile.matrices - 1, 5}, n, {4}),
                              byte = held_at(form, {tile.matrices - 1, 5}, n / 2, {8});
            CHECK(place == MatrixPlace{byte.lane, 2 * byte.element + n % 2});
        }
    }
}

TEST_CASE("bytes: the machine of the tests knows no other forms") {
    const auto is_known = [](const std::string& mnemonic, int registers) {
        const Result<PtxKernel> read = PtxKernel::parse(matrix_kernel(mnemonic, registers));
        if (!read) return false;
        PtxLaunch launch;
        launch.block = 32;
        launch.global = {{1 << 20, 8192, {}}, {2 << 20, 512, {}}, {3 << 20, 128, std::vector<std::uint8_t>(128)}};
        launch.arguments = {1 << 20, 2 << 20, 3 << 20};
        launch.look_for_races = false;  // all lanes give one row
        return read.value().run(launch).error.empty();
    };
    CHECK(is_known("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", 4));
    CHECK_FALSE(is_known("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", 2));
    CHECK_FALSE(is_known("ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8", 4));
    CHECK_FALSE(is_known("ldmatrix.sync.aligned.m16n16.x1.shared.b8", 2));
    CHECK_FALSE(is_known("ldmatrix.sync.aligned.m16n8.x1.trans.shared.b8", 1));
    CHECK(is_known("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", 4));
    CHECK_FALSE(is_known("stmatrix.sync.aligned.m16n16.x1.trans.shared.b8", 2));
    CHECK_FALSE(is_known("stmatrix.sync.aligned.m8n8.x1.trans.shared.b8", 1));
}

TEST_CASE("bytes: each form, and in the code of each target that has it") {
    for (const Tile& tile : tiles) {
        CAPTURE(tile.instruction());
        CHECK(on("sm_100a", tile.src(), tile.dst()) == "1 x " + tile.instruction());
        const Problem problem = one_line(tile.src(), tile.dst(), "warp", 32, "sm_100a");
        Bench bench(problem, solve(problem).plan());
        CHECK(bench.text().find(mnemonic_of(tile.instruction())) != std::string::npos);
        CHECK(bench.text().find(".version 8.6") != std::string::npos);
        CHECK(bench.text().find(".target sm_100a") != std::string::npos);
        CHECK(bench.assembly_errors(arches) == "");
        for (const std::string& arch : arches)
            CHECK(solve(one_line(tile.src(), tile.dst(), "warp", 32, arch)).copies[0].variant == "ldstmatrix");
    }
}

TEST_CASE("bytes: rows may be any, so what one direction deals out the other gathers") {
    CHECK(on("sm_120a", tiles[0].registers(), tiles[0].shared()) == "1 x stmatrix.m16n8.x2.trans");
    CHECK(on("sm_120a", tiles[1].registers(), tiles[1].shared()) == "1 x stmatrix.m16n8.x4.trans");
    CHECK(on("sm_120a", tiles[3].shared(), tiles[3].registers()) == "1 x ldmatrix.m16n16.x1.trans");  // bytes change places, as in CuTe
    CHECK(on("sm_120a", tiles[4].shared(), tiles[4].registers()) == "1 x ldmatrix.m16n16.x2.trans");
    CHECK(on("sm_120a", tiles[2].shared(), tiles[2].registers()) ==
          "vec_auto: no thread has 4 neighbours of src in its registers dst; no thread has 2 neighbours of src in its registers dst; no "
          "register of dst has four bytes to be filled from four rows");
    // Accumulators of mma, 16 x 8 of f32 made bytes, transposed into memory; the B operand of m16n8k32 from rows of n.
    CHECK(on("sm_100a", "register e4m3 TV((4,8),(2,2)):((32,1),(16,8)) of (16,8)", "shared e4m3 (16,8):(1,16)") ==
          "1 x stmatrix.m16n8.x1.trans");
    CHECK(on("sm_100a", "shared e4m3 (32,16):(16,1)", "register e4m3 S[(2,4,4,2,8):(4,1@laneid,1,8,4@laneid)] shape 32,16") ==
          "1 x ldmatrix.m16n16.x2.trans");
    // Pairs of 4-bit elements; the half of a row first in the registers; registers in no order.
    CHECK(on("sm_100f", "shared u4 (16,32):(32,1)", "register u4 S[(4,4,2,8,2):(1@laneid,2,8,4@laneid,1)] shape 16,32") ==
          "1 x ldmatrix.m16n16.x1.trans");
    CHECK(on("sm_100f", "shared u8 (16,16):(16,1)", "register u8 S[(4,4,2,8):(1@laneid,2,1,4@laneid)] shape 16,16") ==
          "1 x ldmatrix.m16n16.x1.trans");
    CHECK(on("sm_100f", "register u8 S[(2,4,2,2,8):(-1,1@laneid,5,2,4@laneid)] + 1 shape 16,16", "shared u8 (16,16):(16,1)") ==
          "1 x stmatrix.m16n8.x2.trans");
    // Wide rows: their columns in matrices, one after the other or beside each other; several warps; swizzles; a part of a buffer.
    CHECK(on("sm_100a", "shared u8 (16,64):(64,1)", "register u8 S[(4,4,8,8):(1@laneid,1,4,4@laneid)] shape 16,64") ==
          "2 x ldmatrix.m16n16.x2.trans");
    CHECK(on("sm_100a", "shared u8 Sw<3,4,3> o (64,128):(128,1) align 1024 [16:48, 32:48]", tiles[1].registers()) ==
          "1 x ldmatrix.m16n16.x2.trans");
    CHECK(on("sm_103a", "register u8 S[(4,4,2,2,8):(1@warpid,1@laneid,1,2,4@laneid)] shape 32,16", "shared u8 (32,16):(48,1)", "cta",
             128) == "1 x stmatrix.m16n8.x1.trans");
    CHECK(on("sm_100a", "shared u8 (48,16):(16,1)", "register u8 S[(3,4,4,2,8):(8,1@laneid,1,4,4@laneid)] shape 48,16") ==
          "3 x ldmatrix.m16n16.x1.trans");
    CHECK(on("sm_100a", "register u8 S[(6,4,2,2,8):(4,1@laneid,1,2,4@laneid)] shape 48,16", "shared u8 (48,16):(16,1)") ==
          "3 x stmatrix.m16n8.x2.trans");
}

TEST_CASE("bytes: declined, and why") {
    const std::string lacks = "needs sm_100a, sm_100f or a later target with such a suffix";
    for (const std::string arch : {"sm_90", "sm_90a", "sm_100", "sm_121"}) {
        CAPTURE(arch);
        CHECK(on(arch, tiles[0].src(), tiles[0].dst()) == "vec_auto: dst is the fragment of ldmatrix.m16n16.trans, which " + lacks);
        CHECK(on(arch, tiles[2].src(), tiles[2].dst()) == "vec_auto: src is the fragment of stmatrix.m16n8.trans, which " + lacks);
    }
    CHECK(on("sm_89", tiles[2].src(), tiles[2].dst()) == "vec_auto: stmatrix needs sm_90 or later");
    CHECK(on("sm_100a", "shared u8 (16,16):(24,1)", tiles[0].registers()) ==
          "vec_auto: thread 1 in round 0 would supply the address of a row at src[1,0], byte 24 = 8 mod 16");
    CHECK(on("sm_100", "shared u8 (16,16):(24,1)", tiles[0].registers()) ==
          "vec_auto: dst is the fragment of ldmatrix.m16n16.trans, which " + lacks);
    CHECK(on("sm_100a", "shared u8 (4,16):(16,1)", "register u8 S[(4,2,8):(1,4,4@laneid)] shape 4,16") ==
          "vec_auto: of the warp of thread 0, 24 threads have nothing to move, and all have to take part");
    // Without the second half of a row, with another one there, and with threads in another order.
    const std::string no_neighbours =
        "vec_auto: no thread has 4 neighbours of src in its registers dst; no thread has 2 neighbours of src in its registers dst; ";
    CHECK(on("sm_100a", "shared u8 (32,8):(16,1)", "register u8 S[(2,4,4,8):(4,1@laneid,1,4@laneid)] shape 32,8") ==
          no_neighbours + "no thread has two elements of src in its registers dst that are 8 apart");
    CHECK(on("sm_100a", tiles[0].shared(), "register u8 S[(4,4,2,8):(1@laneid,1,4,-4@laneid)] + 28@laneid shape 16,16") ==
          no_neighbours + "ldmatrix.m16n16.trans brings what lies 1 element behind src[0,7] to thread 4, where dst wants src[0,6]");
    CHECK(on("sm_100a", "shared f16 (16,16):(16,1)", "register f16 S[(4,4,2,8):(1@laneid,1,4,4@laneid)] shape 16,16").find(".m16n16") ==
          std::string::npos);
    // Forms that widen on the way are no copies.
    CHECK(on("sm_100a", "shared u4 (8,16):(32,1)", "register u4 S[(8,4,4):(4@laneid,1@laneid,2)] shape 8,16") ==
          "vec_auto: no thread has 8 neighbours of src in its registers dst; no register of dst has two halves to be filled from two rows; "
          "no thread has two elements of src in its registers dst that are 16 apart; ldmatrix with .b4x16_p64 unpacks 4 bits to 8, which "
          "is no copy");
}

TEST_CASE("bytes: plans that are wrong in one thing") {
    const auto copy = [](const Tile& tile) { return PlannedCopy(tile.src(), tile.dst(), "warp", 32, "sm_100a"); };
    // The target: portable code has no such forms, nor has an older one with a suffix.
    for (const auto& target :
         {std::pair{"sm_100", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 exists on sm_100 only with a suffix, a or f"},
          {"sm_90a", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 does not exist on sm_90a"}}) {
        PlannedCopy other = copy(tiles[4]);
        other.problem.target = *find_arch(target.first);
        CHECK(other.refuted() == Ids{"legal"});
        CHECK(other.says("legal") == target.second);
    }
    PlannedCopy early = copy(tiles[1]);
    early.problem.ptx = PtxVersion{8, 5};
    CHECK(early.refuted() == Ids{"legal"});
    // Other forms with as many elements in a lane.
    PlannedCopy units = copy(tiles[1]);
    units.segment().src.instruction = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
    CHECK(units.refuted() == Ids{"aligned.src", "contiguous.src", "same-element"});
    PlannedCopy pairs = copy(tiles[4]);
    pairs.segment().dst.instruction = "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
    CHECK(pairs.refuted().count("contiguous.dst") == 1);
    PlannedCopy fewer = copy(tiles[1]);
    fewer.segment().src.instruction = "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8";
    CHECK(fewer.refuted() == Ids{"contiguous.src", "covers", "legal"});
    CHECK(fewer.says("legal") ==
          "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 moves 8 elements of each thread, and the plan has 16 lanes");
    // 16-bit elements.
    PlannedCopy halves("shared f16 (8,8):(8,1)", "register f16 S[(8,4,2):(4@laneid,1@laneid,1)] shape 8,8", "warp", 32, "sm_100a");
    halves.segment().src.instruction = "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8";
    CHECK(halves.says("legal") == "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 tears elements of 16 bits apart");
    // Bytes of a register in another order; the halves of rows exchanged; the last row beyond the buffer; a row at no multiple of 16.
    PlannedCopy order = copy(tiles[0]);
    const int halves_at = 1;
    std::swap(order.stride(Side::dst, Role::vec, 0), order.stride(Side::dst, Role::vec, halves_at));
    CHECK(order.refuted().count("same-element") == 1);
    PlannedCopy exchanged = copy(tiles[0]);
    exchanged.stride(Side::dst, Role::vec, halves_at) = -std::int64_t{exchanged.stride(Side::dst, Role::vec, halves_at)};
    exchanged.segment().dst.address.offset = 4;
    CHECK(exchanged.refuted() == Ids{"address.dst", "same-element"});
    PlannedCopy beyond = copy(tiles[1]);
    beyond.segment().src.address.offset = 16;
    CHECK(beyond.refuted() == Ids{"address.src", "bounds.src", "same-element"});
    CHECK(beyond.says("bounds.src").rfind("row 15 of matrix 1, whose address thread 31 supplies: thread 3 in round 0 reads", 0) == 0);
    PlannedCopy odd("shared u8 (16,16):(32,1) capacity 512", tiles[0].registers(), "warp", 32, "sm_100a");
    odd.segment().src.address.offset = 8;
    CHECK(odd.refuted() == Ids{"address.src", "aligned.src", "same-element"});
    PlannedCopy twice = copy(tiles[3]);
    twice.stride(Side::dst, Role::vec, 2) = 0;  // the second matrix over the first
    CHECK(twice.refuted() == Ids{"address.dst", "disjoint", "same-element"});
}

}  // namespace tileproof::test
