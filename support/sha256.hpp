// sha256: the SHA-256 of bytes, in hexadecimal, by OpenSSL.
//
//   sha256("abc")   -> "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#pragma once

#include <string>
#include <string_view>

namespace tileproof::support {

std::string sha256(std::string_view bytes);

}  // namespace tileproof::support
