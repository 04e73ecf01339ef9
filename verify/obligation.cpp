#include "verify/obligation.hpp"

namespace tileproof {

const std::vector<Obligation>& obligations() {
    static const std::vector<Obligation> all{
        {"legal", "the instructions exist for this target, space, type and width"},
        {"participants", "exactly the scope's threads execute the copy, once each"},
        {"overflow", "no address computation leaves the integer width of the emitted code"},
        {"address.src", "the plan's source address equals the layout's, for every lane"},
        {"address.dst", "the plan's destination address equals the layout's, for every lane"},
        {"bounds.src", "every byte read lies inside the source buffer"},
        {"bounds.dst", "every byte written lies inside the destination buffer"},
        {"aligned.src", "every source address is a multiple of the access width"},
        {"aligned.dst", "every destination address is a multiple of the access width"},
        {"contiguous.src", "the lanes of an access fill one block of source addresses"},
        {"contiguous.dst",
         "the lanes of an access fill one block of destination addresses, each in the same place as in the source, or where its block has "
         "it"},
        {"same-element", "what is written at a destination lane is what was read for that coordinate"},
        {"covers", "every element of the region is moved"},
        {"disjoint", "no destination byte is written twice"},
        {"no-alias", "no byte that an access writes is read by another thread, nor later by the same"},
        {"predicate", "an access that runs stays inside the region, and one that does not touches nothing"},
        {"widest", "no wider width is legal"},
        {"assumptions", "the stated assumptions can hold together", true},
        {"complete", "each thread waits for its own asynchronous copies before the barrier that publishes them", true},
        {"synchronised", "dependent copies are separated by a sufficient barrier", true},
        {"converged", "every barrier is reached by all the threads that it waits for, and every matrix instruction by whole warps", true},
        {"fits", "shared memory and block size fit the architecture", true},
    };
    return all;
}

}  // namespace tileproof
