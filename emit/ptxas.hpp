// ptxas: the assembler of the CUDA Toolkit, run as a child process, to see that emitted PTX is PTX.
//
//   assemble(text, "sm_90")   -> a cubin, or `ptxas-failed` with what ptxas said, `ptxas-missing`, `ptxas-timeout`
//
// No shell is involved. Temporary files are private to the call and removed before it returns; calls may run in parallel.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "layouts/result.hpp"

namespace tileproof {

/// $TILEPROOF_PTXAS (then nothing else is tried), PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin,
/// /usr/local/cuda-*/bin (newest first), /opt/cuda/bin.
std::optional<std::string> find_ptxas();

struct Assembled {
    std::string cubin;     // the bytes of the object file
    std::string messages;  // warnings and notes; usually empty
};

constexpr std::chrono::seconds ptxas_time_limit{60};

/// `arch` as in `.target`: "sm_90", "sm_100a".
Result<Assembled> assemble(const std::string& ptx, const std::string& arch, std::chrono::milliseconds limit = ptxas_time_limit);

}  // namespace tileproof
