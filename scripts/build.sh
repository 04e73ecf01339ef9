#!/usr/bin/env bash
# Configures and builds one CMake preset: scripts/build.sh release|asan|dev
# In CI (the variable CI is set) warnings are errors. CMake's warnings and errors are shown, its progress report is not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:?usage: scripts/build.sh PRESET}
warnings=()
if [[ -n ${CI:-} ]]; then warnings=(-DTILEPROOF_WERROR=ON); fi
cmake --preset "$preset" "${warnings[@]}" >/dev/null
cmake --build --preset "$preset"
