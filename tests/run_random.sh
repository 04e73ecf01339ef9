#!/usr/bin/env bash
# Runs one property of random_test: run_random.sh PROGRAM FILTER COUNT LONG_COUNT. TILEPROOF_LONG=1 takes the long count.
set -euo pipefail
count=$3
if [[ ${TILEPROOF_LONG:-} == 1 ]]; then count=$4; fi
"$1" --test-case="$2" --count | grep -q 'filters: 1$' || { echo "no test case is named '$2'" >&2; exit 1; }
RC_PARAMS="seed=20261129 max_success=$count" exec "$1" --test-case="$2"
