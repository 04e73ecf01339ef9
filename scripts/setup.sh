#!/usr/bin/env bash
# Installs what tileproof needs and this machine lacks, and says nothing where nothing is missing.
# Debian 12 or newer, Ubuntu 24.04 or newer; elsewhere install the like of `packages` by hand.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(g++ cmake ninja-build pkg-config make libz3-dev libboost-graph-dev libfmt-dev doctest-dev
    nlohmann-json3-dev libtomlplusplus-dev libcli11-dev librapidcheck-dev libbenchmark-dev libvalijson-dev
    libssl-dev cvc5)
oldest_ptxas=13.0 # the oldest release that knows every target in the tests

say() { printf 'setup: %s\n' "$*" >&2; }

# Runs a command and shows what it printed only if it fails.
quietly() {
    local log status=0
    log=$("$@" </dev/null 2>&1) || status=$?
    if ((status != 0)); then printf '%s\n' "$log" >&2; fi
    return "$status"
}

have_package() {
    [[ $(dpkg-query -W -f='${db:Status-Status} ' "$1" 2>/dev/null) == installed* ]]
}

# A cvc5 from elsewhere will do.
have_cvc5() {
    [[ -n ${TILEPROOF_CVC5:-} ]] || command -v cvc5 >/dev/null
}

have_pip() {
    python3 -m pip --version >/dev/null 2>&1 || /usr/bin/python3 -m pip --version >/dev/null 2>&1
}

install_packages() {
    local -a as_root=() options=(-y --no-install-recommends)
    if ((EUID != 0)); then
        if ! sudo -n true 2>/dev/null; then
            local sudo='' as=' as root'
            if command -v sudo >/dev/null; then sudo='sudo ' as=''; fi
            say "some packages are missing and this user may not install them. Run this line$as, then make again:"
            printf '%sapt-get update && %sapt-get install %s %s\n' "$sudo" "$sudo" "${options[*]}" "$*" >&2
            exit 1
        fi
        as_root=(sudo -n)
    fi
    say "installing $*"
    local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    quietly "${apt[@]}" update || say "apt-get update failed; trying with the lists that are there"
    if ! quietly "${apt[@]}" install "${options[@]}" "$@"; then
        say "apt-get could not install $*"
        exit 1
    fi
}

ptxas=$(scripts/find_ptxas.sh) || ptxas=
if [[ -z $ptxas && -n ${TILEPROOF_PTXAS:-} ]]; then exit 1; fi # find_ptxas.sh has said why

missing=()
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    for package in "${packages[@]}"; do
        if [[ $package == cvc5 ]] && have_cvc5; then continue; fi
        have_package "$package" || missing+=("$package")
    done
    if [[ -z $ptxas ]] && ! have_pip; then missing+=(python3 python3-pip); fi
    if ((${#missing[@]} > 0)); then install_packages "${missing[@]}"; fi
else
    say "this system has no apt-get; taking it that these are installed: ${packages[*]}"
fi

if [[ -z $ptxas ]]; then
    say "no ptxas on this machine; fetching the one of CUDA 13.0 into .tools/"
    if ! scripts/fetch_ptxas.sh; then
        say "the CUDA Toolkit's ptxas is the one prerequisite that could not be had."
        say "Install the CUDA Toolkit, $oldest_ptxas or later, or set TILEPROOF_PTXAS to the path of a ptxas."
        exit 1
    fi
    ptxas=$(scripts/find_ptxas.sh)
fi

release=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
if [[ $(printf '%s\n' "$oldest_ptxas" "$release" | sort -V | head -n 1) != "$oldest_ptxas" ]]; then
    say "note: $ptxas is of release $release, and tests of newer targets need $oldest_ptxas. To use a private one:"
    say "scripts/fetch_ptxas.sh && export TILEPROOF_PTXAS=\$PWD/.tools/cuda/bin/ptxas"
fi
