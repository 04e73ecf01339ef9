// Registers in PTX: the buffers in registers, and the accesses that load and store them.
//
//   R f32, 7 elements a thread       .reg .b32 %q0_<7>;        ld.global.v4.u32 {%q0_0, %q0_4, %q0_2, %q0_6}, [%rd3];
//   H f16, 8 elements a thread       .reg .b32 %q1_<4>;        neighbours in a register move as they are; others by way of %v:
//                                                              bfe.u32 %v1, %v0, 16, 16;   bfi.b32 %q1_3, %v1, %q1_3, 0, 16;
//
// Element e of a buffer is the bits from e * size on of its row of 32-bit registers, which every thread of the block has. They stay
// from copy to copy. A register that the kernel changes in part, or in some threads, or reads, before it has written it is 0 at
// first; with the image (PtxOptions) all come from there and go back in the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emit/ptx_writer.hpp"
#include "layouts/problem.hpp"
#include "layouts/plan.hpp"

namespace tileproof {

class RegisterBuffers {
public:
    /// Of the buffers that the plan uses.
    RegisterBuffers(const Problem& problem, const Plan& plan);

    /// The register with bits 32 word .. 32 word + 31 of a buffer.
    std::string word(int buffer, std::int64_t number) const;
    /// Words that are in use, by buffer.
    const std::map<int, std::int64_t>& words() const { return words_; }
    std::string declarations() const;

    /// Notes that the kernel, from here on, has written the word in all threads; or that it needs what the word holds.
    void written(int buffer, std::int64_t number) { first_.emplace(std::pair(buffer, number), true); }
    void needed(int buffer, std::int64_t number) { first_.emplace(std::pair(buffer, number), false); }
    /// The words that are needed before they are written, set to 0.
    std::string clearing() const;

private:
    std::map<int, std::int64_t> words_;
    std::map<std::pair<int, std::int64_t>, bool> first_;  // whether the first that happens to it is to be written
};

/// The registers of a segment's accesses in one round: the element of the buffer at each place of the access, by rising address; of a
/// matrix instruction, in the order of its registers.
/// Empty where no thread runs; where none reads, in any order. Requires: a plan whose obligations hold.
std::vector<std::int64_t> registers_of(const Segment& segment, Side held, std::int64_t round);

/// Where an access is in memory, and the predicates of running and of reading, or empty. One that runs and does not read sets its registers to 0.
struct RegisterAccess {
    std::string address, active, reads;
};
/// One access: from memory into registers, or the other way.
void write_register_access(PtxWriter& out, RegisterBuffers& buffers, const Problem& problem, const Copy& copy, const Segment& segment,
                           std::int64_t round, const RegisterAccess& access);

}  // namespace tileproof
