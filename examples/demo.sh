#!/usr/bin/env bash
# What evenhand says about the example shared task; `make demo` runs this with evenhand on the PATH.
set -euo pipefail
cd "$(dirname "$0")/shared-task"

say() { printf '\n\n== %s\n\n' "$*"; }
run() { printf '$ %s\n\n' "$*"; "$@"; }

say "One system: every metric"
run evenhand score gold.txt systems/balanced.txt

say "Two systems that change place with the formula of macro F1"
run evenhand twins gold.txt systems/balanced.txt
echo
run evenhand twins gold.txt systems/detectors.txt

say "The leaderboard: how sure it is, and which formula decides it"
run evenhand rank gold.txt systems/*.txt

# The next capabilities go here, one block each:
#   say "The report";      run evenhand report gold.txt systems/*.txt --output ../out/report.html
