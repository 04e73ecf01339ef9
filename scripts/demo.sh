#!/usr/bin/env bash
# Plans and proves the copy of one problem file, emits its PTX, assembles it and shows its loads and stores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

problem=${1:?usage: scripts/demo.sh PROBLEM.toml}
ptx=build/$(basename "$problem" .toml).ptx
cubin=${ptx%.ptx}.cubin
ptxas=$(scripts/find_ptxas.sh)

printf '\n== plan and prove %s\n\n' "$problem"
build/tileproof plan "$problem"

printf '\n== emit %s and assemble it\n\n' "$ptx"
build/tileproof emit "$problem" -o "$ptx"
arch=$(sed -n 's/^[[:space:]]*\.target[[:space:]]*\([a-z0-9_]*\).*/\1/p' "$ptx")
"$ptxas" -arch="$arch" -o "$cubin" "$ptx"
printf 'ptxas -arch=%s takes it. Its first loads and stores:\n\n' "$arch"
grep -m 12 -E '^[^/]*\<(ld|st|cp)\.(async\.|volatile\.|relaxed\.|weak\.)*(global|shared|ca|cg)\>' "$ptx"
