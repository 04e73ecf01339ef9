// flawed(k): whether flaw k of tests/flaws/table.cmake is the chosen one. Only in the library of flawed copies.
#pragma once

namespace tileproof {

/// The environment variable TILEPROOF_FLAW names the one flaw that is on; unset or empty, none is. An unknown name ends the
/// program with status 3.
bool flawed(int number);

}  // namespace tileproof
