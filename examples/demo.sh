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

say "A release gate: exit code 0 only if it is shown that the new system is not worse"
run evenhand gate gold.txt systems/strong-b.txt systems/strong-a.txt --margin 0.01

say "The report: all of this with pictures, in one file to publish"
mkdir -p ../out
run evenhand report gold.txt systems/*.txt --title "Example shared task" --output ../out/report.html
printf '\nOpen it in a browser: %s\n' "$(cd ../out && pwd)/report.html"
