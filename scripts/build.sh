#!/usr/bin/env bash
# Configures and builds one CMake preset: scripts/build.sh release|asan|dev
# CMake's warnings and errors are shown, its progress report is not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:?usage: scripts/build.sh PRESET}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
