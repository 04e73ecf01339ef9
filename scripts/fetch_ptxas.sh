#!/usr/bin/env bash
# Puts the ptxas of CUDA 13.0 into .tools/cuda/bin, inside this repository and nowhere else. It comes from the
# PyPI wheel nvidia-cuda-nvcc, under NVIDIA's licence, which is kept beside it. Needs python3 with pip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [[ -z $python ]]; then
    echo "fetch_ptxas: needs python3 with pip" >&2
    exit 1
fi

mkdir -p .tools
scratch=$(mktemp -d .tools/fetch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

fetch() {
    "$python" -m pip download --quiet --no-deps --only-binary :all: --no-cache-dir --dest "$scratch" "$1"
}
# The release that the tests were written against; a later one of the same major version if that is gone.
if ! log=$(fetch 'nvidia-cuda-nvcc==13.0.*' 2>&1) && ! log=$(fetch 'nvidia-cuda-nvcc>=13,<14' 2>&1); then
    printf '%s\n' "$log" >&2
    exit 1
fi

"$python" - "$scratch" <<'PYTHON'
import pathlib, sys, zipfile

scratch = pathlib.Path(sys.argv[1])
(wheel,) = scratch.glob("*.whl")
tree = scratch / "cuda"
(tree / "bin").mkdir(parents=True)
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if name.endswith("/bin/ptxas"):
            (tree / "bin" / "ptxas").write_bytes(archive.read(name))
        elif ".dist-info/" in name and name.lower().endswith("license.txt"):
            (tree / "LICENSE.txt").write_bytes(archive.read(name))
(tree / "bin" / "ptxas").chmod(0o755)
PYTHON

if ! log=$("$scratch/cuda/bin/ptxas" --version 2>&1); then
    printf 'fetch_ptxas: the ptxas of this wheel does not run here\n%s\n' "$log" >&2
    exit 1
fi
rm -rf .tools/cuda
mv "$scratch/cuda" .tools/cuda
