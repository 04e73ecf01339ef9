#!/usr/bin/env bash
# Verifier mutants: runs tests of the verifier with one flaw of table.cmake at a time; each time one of them must fail.
#
#   run_flaws.sh PROGRAM [FLAW...]         PROGRAM is build/release/tests/flaws/verifier_mutants; without names, every flaw
#
# First the program has to pass without a flaw, and to refuse an unknown one; otherwise nothing that follows would mean anything.
# A flaw is killed by a check that fails or by an internal check of the verifier (TILEPROOF_CHECK); a crash or a time-out kills
# nothing. Prints each flaw that is not killed, and the count; status 1 if there is any. What the tests said of each lies in
# flawed/logs beside the program.
set -euo pipefail

program=$(realpath "${1:?usage: run_flaws.sh PROGRAM [FLAW...]}")
table=$(dirname "$program")/flawed/flaws.txt
logs=$(dirname "$program")/flawed/logs
shift

# What sweeps over all cases, or asks the command line, which has no flaw. The seconds they take would count for every flaw.
slow="the cases again*,damaged symbolic plans are refuted,the widest for all values of the symbols,the planner's plans are the widest,on the command line,random copies with registers*,random damage to plans with registers*,random fragments*,random damage to plans of matrices*,random registers and memory*,random zeros in registers*,random damage to plans of registers*,cases: other projects*,symbols: what Z3 answers*,ptxas takes what the table takes*,each hint*"

# What takes seconds and is asked last, of the flaws that the others leave alive.
late="random grids*,one tile: each form*,bytes: each form*,64 blocks of 128 rows*,warps with rows of their own*,zeros: the widest*,zeros: plans are written*,zeros in registers: the widest*,zeros in registers: plans are written*,predicates: the widest*,tails: fewer rounds*,tails: every number*,tails: random*,zeros behind tails: fewer*,zeros behind tails: every*,zeros behind tails: random*"

# pass NAME SECONDS FILTER...: the tests that pass the filter, up to the first failure, with this flaw.
pass() {
    TILEPROOF_FLAW=$1 timeout "$2" "$program" --abort-after=1 --duration=true "${@:3}" >>"$logs/${1:-none}" 2>&1
}

# run NAME: all of them. Those that took more than half a second without a flaw wait until the others have not noticed it.
run() {
    local heavy=
    if [[ -e $logs/heavy ]]; then heavy=$(<"$logs/heavy"); fi
    : >"$logs/${1:-none}"
    pass "$1" 300 --test-case-exclude="$slow,$late${heavy:+,$heavy}" || return
    if [[ -n $heavy ]]; then pass "$1" 300 --test-case="$heavy" --test-case-exclude="$slow,$late" || return; fi
    pass "$1" 1200 --test-case="$late"
}

# judge NAME SENTENCE: one line of the verdicts.
judge() {
    local status=0 log=$logs/$1
    run "$1" || status=$?
    if ((status == 0)); then echo "SURVIVED  $1: $2"
    elif ((status == 124)); then echo "TIME-OUT  $1: $2"
    elif grep -q 'internal error: ' "$log"; then echo "killed    $1 (internal check)"
    elif ((status == 1)) && grep -m 1 ' ERROR: ' "$log" | grep -qvE 'CRASHED|THREW'; then echo "killed    $1"
    else echo "CRASHED   $1: $2 (status $status)"; fi
}

if [[ -n ${flaw_line:-} ]]; then  # called by xargs below, for one line of the table
    IFS=$'\t' read -r name _ sentence <<<"$flaw_line"
    judge "$name" "$sentence" 2>/dev/null  # bash reports an abort
    exit
fi

rm -rf "$logs"
mkdir -p "$logs"
if ! run "" || ! grep -qE 'test cases: +[1-9]' "$logs/none"; then
    tail -n 20 "$logs/none"
    echo "verifier mutants: without a flaw the tests do not pass" >&2
    exit 1
fi
# A comma, which parts filters, becomes the ? that any letter matches.
sed -nE 's/^(0\.[5-9]|[1-9])[0-9.]* s: (.*)$/\2/p' "$logs/none" | tr ',' '?' | paste -sd, >"$logs/heavy"
status=0
run no-such-flaw || status=$?
if ((status != 3)); then
    echo "verifier mutants: an unknown flaw is not refused, so TILEPROOF_FLAW is not read" >&2
    exit 1
fi

for name in "$@"; do
    if ! grep -qP "^$name\t" "$table"; then echo "verifier mutants: no flaw is named '$name'" >&2; exit 1; fi
    grep -P "^$name\t" "$table" >>"$logs/chosen"
done
if (($# > 0)); then table=$logs/chosen; fi
tr '\n' '\0' <"$table" | xargs -0 -P "$(nproc)" -I{} env flaw_line={} "${BASH_SOURCE[0]}" "$program" >"$logs/verdicts"
grep -v '^killed ' "$logs/verdicts" || true
flaws=$(wc -l <"$table") killed=$(grep -c '^killed ' "$logs/verdicts" || true)
echo "verifier mutants: $killed of $flaws killed"
((flaws > 0 && killed == flaws))
