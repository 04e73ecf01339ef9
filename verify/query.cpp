#include "verify/query.hpp"

namespace tileproof {

std::string to_string(SolverAnswer answer) {
    switch (answer) {
        case SolverAnswer::sat:
            return "sat";
        case SolverAnswer::unsat:
            return "unsat";
        case SolverAnswer::unknown:
            break;
    }
    return "unknown";
}

}  // namespace tileproof
