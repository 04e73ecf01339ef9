#include "cli/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace tileproof::cli {

bool write_all(int descriptor, const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
        if (n < 0) return false;
        written += static_cast<std::size_t>(n);
    }
    return true;
}

bool replace_file(const std::string& path, const std::string& text, mode_t mode) {
    std::string temporary = path + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor < 0) return false;
    const bool written = write_all(descriptor, text) && fchmod(descriptor, mode) == 0;
    const int fault = errno;
    const bool closed = close(descriptor) == 0;
    if (written && closed && rename(temporary.c_str(), path.c_str()) == 0) return true;
    if (!written) errno = fault;
    const int shown = errno;
    unlink(temporary.c_str());
    errno = shown;
    return false;
}

mode_t default_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace tileproof::cli
