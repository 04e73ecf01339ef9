#!/usr/bin/env bash
# Runs one property of random_test: run_random.sh PROGRAM FILTER COUNT LONG_COUNT. TILEPROOF_LONG=1 takes the long count, in 16 parts with
# a seed each, as many at a time as there are processors; what a failing part printed is shown.
set -euo pipefail
"$1" --test-case="$2" --count | grep -q 'filters: 1$' || { echo "no test case is named '$2'" >&2; exit 1; }
seed=20261129
if [[ ${TILEPROOF_LONG:-} != 1 ]]; then
    RC_PARAMS="seed=$seed max_success=$3" exec "$1" --test-case="$2"
fi
part() {
    local log status=0
    log=$(RC_PARAMS="seed=$4 max_success=$3" "$1" --test-case="$2" 2>&1) || status=$?
    if ((status != 0)); then printf '%s\n' "$log"; else printf 'seed %s: ' "$4"; grep -m1 '^OK, passed' <<<"$log"; fi
    return "$status"
}
export -f part
seq "$seed" "$((seed + 15))" | xargs -P "$(nproc)" -I{} bash -c 'part "$@"' part "$1" "$2" "$((($4 + 15) / 16))" {}
