#!/usr/bin/env bash
# Holds the layers: state, choose, judge, write. scripts/check_includes.sh [SOURCE_DIR]
#
#   folder     may include of ours
#   layouts/   layouts/
#   support/   layouts/ support/
#   solver/    layouts/ solver/
#   verify/    layouts/ verify/, and of solver/ what is about Z3, smt.hpp, smt_symbols.hpp and solver_context.hpp: the judge does not see the planner
#   emit/      layouts/ support/ verify/ emit/
#   cli/       anything
#
# Ours is included root-relative ("layouts/layout.hpp"). Z3's own headers belong to solver/smt.hpp and solver/smt.cpp.
# A public header (any .hpp below the first five but solver/smt.hpp and *_internal.hpp) includes no third-party
# library and neither smt.hpp nor an internal header, so none of these reaches whoever includes it.
#
# Prints each violation as file:line: text; status 1 if there is any, 2 for a wrong SOURCE_DIR.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}" || exit 2

sources=()
for layer in layouts support solver verify emit cli; do
    if [[ -d $layer ]]; then
        mapfile -d '' -t found < <(find "$layer" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -print0 | sort -z)
        sources+=("${found[@]}")
    fi
done
if ((${#sources[@]} == 0)); then
    echo "check_includes: no sources yet"
    exit 0
fi

awk '
BEGIN {
    allowed["layouts"] = " layouts "
    allowed["support"] = " layouts support "
    allowed["solver"] = " layouts solver "
    allowed["verify"] = " layouts verify "
    allowed["emit"] = " layouts support verify emit "
    allowed["cli"] = " layouts support solver verify emit cli "
    ours = " layouts support solver verify emit cli tests "
}

function first_folder(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "" }

function violation(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    violations++
}

FNR == 1 {
    files++
    layer = first_folder(FILENAME)
    smt = FILENAME ~ /^solver\/smt(_symbols)?\.(hpp|cpp)$/
    is_public = layer != "cli" && FILENAME ~ /\.(hpp|h)$/ && FILENAME !~ /_internal\.(hpp|h)$/ && !smt
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    line = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
    quoted = substr(line, 1, 1) == "\""
    path = substr(line, 2)
    sub(/[">].*$/, "", path)
    folder = first_folder(path)

    if (path ~ /(^|\/)\.\.?\// || (quoted && folder == ""))
        violation("\"" path "\" is not root-relative")
    else if (index(ours, " " folder " ") && !index(allowed[layer], " " folder " ") &&
             !(layer == "verify" && path ~ /^solver\/(smt(_symbols)?|solver_context)\.hpp$/))
        violation(layer "/ must not include \"" path "\"")
    else if (path ~ /(^|\/)z3[^\/]*\.h$/ && !smt)
        violation("only solver/smt.hpp and solver/smt.cpp include <" path ">")
    else if (is_public && folder ~ /^(fmt|boost|nlohmann|toml\+\+|CLI|openssl)$/)
        violation("a public header must not include <" path ">")
    else if (is_public && (path ~ /^solver\/smt(_symbols)?\.hpp$/ || path ~ /_internal\.(hpp|h)$/))
        violation("a public header must not include \"" path "\", which is internal")
}

END {
    if (violations) exit 1
    printf "check_includes: %d files hold the layers\n", files
}
' "${sources[@]}"
