#!/usr/bin/env bash
# Prints the path of the ptxas to use; status 1 and nothing where there is none.
# Order: $TILEPROOF_PTXAS, PATH, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr/local/cuda-* (newest first),
# /opt/cuda, and the private copy that scripts/fetch_ptxas.sh makes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -n ${TILEPROOF_PTXAS:-} ]]; then
    if [[ ! -f $TILEPROOF_PTXAS || ! -x $TILEPROOF_PTXAS ]]; then
        echo "find_ptxas: TILEPROOF_PTXAS=$TILEPROOF_PTXAS is not an executable file" >&2
        exit 1
    fi
    realpath -s -- "$TILEPROOF_PTXAS"
    exit 0
fi

candidates=()
if on_path=$(type -P ptxas); then candidates+=("$on_path"); fi
if [[ -n ${CUDA_HOME:-} ]]; then candidates+=("$CUDA_HOME/bin/ptxas"); fi
if [[ -n ${CUDA_PATH:-} ]]; then candidates+=("$CUDA_PATH/bin/ptxas"); fi
candidates+=(/usr/local/cuda/bin/ptxas)
mapfile -t versioned < <(compgen -G '/usr/local/cuda-*/bin/ptxas' | sort -rV)
candidates+=("${versioned[@]}" /opt/cuda/bin/ptxas "$root/.tools/cuda/bin/ptxas")

for candidate in "${candidates[@]}"; do
    if [[ -f $candidate && -x $candidate ]]; then
        realpath -s -- "$candidate"
        exit 0
    fi
done
exit 1
