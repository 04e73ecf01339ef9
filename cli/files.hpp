// Files that appear whole or not at all.
//
//   replace_file("out/copy.ptx", text, default_mode())     written beside its place first, then renamed; a link there is replaced
#pragma once

#include <string>

#include <sys/types.h>

namespace tileproof::cli {

/// Writes all of it; false with errno where that fails.
bool write_all(int descriptor, const std::string& text);

/// All or nothing: the text goes to a new file beside the target, which then replaces it. False with errno where that fails.
bool replace_file(const std::string& path, const std::string& text, mode_t mode);

/// The mode of a new file, as the user's umask has it.
mode_t default_mode();

}  // namespace tileproof::cli
