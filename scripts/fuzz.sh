#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each: scripts/fuzz.sh [SECONDS]. Seeds are the test data and
# tests/fuzz/plans/; finds go to build/fuzz/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target problem_fuzz notation_fuzz plan_fuzz

seeds=build/fuzz/seeds
rm -rf "$seeds"
mkdir -p "$seeds"/{problem,notation,plan} build/fuzz/{problem,notation,plan}
cp tests/data/cases/*.toml tests/data/tiles/*.toml tests/data/broken_input/*.toml tests/fuzz/problems/*.toml examples/*.toml "$seeds/problem/"
n=0
sed -n 's/^layout *= *"\(.*\)"$/\1/p' "$seeds"/problem/*.toml | sort -u | while IFS= read -r layout; do
    n=$((n + 1))
    printf '%s' "$layout" >"$seeds/notation/$n"
done
cp tests/data/plans/*.json tests/fuzz/plans/*.json "$seeds/plan/"
for target in problem notation plan; do
    printf '== %s, %s seconds\n' "$target" "$seconds"
    build/fuzz/tests/fuzz/${target}_fuzz -max_total_time="$seconds" -seed=20261129 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -dict="tests/fuzz/$target.dict" \
        -artifact_prefix="build/fuzz/$target-" "build/fuzz/$target" "$seeds/$target" 2>&1 | tail -n 12
done
