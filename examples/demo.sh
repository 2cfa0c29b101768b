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

say "All systems, in points: which one wins depends on what 'macro F1' means"
scores() {
  for file in systems/*.txt; do
    evenhand twins gold.txt "$file" --format json | python -c '
import json, sys
twins = json.load(sys.stdin)
points = [100 * twins[name] for name in ("macro_f1", "f1_of_averages", "gap")]
print(f"{sys.argv[1]:16}" + "".join(f"{value:>z16.2f}" for value in points))
' "$(basename "$file" .txt)"
  done
}
table=$(scores | LC_ALL=C sort -k2,2 -nr)
printf '%-16s%16s%16s%16s\n' system macro_f1 f1_of_averages gap
printf '%s\n\n' "$table"
echo "best by macro_f1:       $(LC_ALL=C sort -k2,2 -nr <<<"$table" | awk 'NR == 1 { print $1 }')"
echo "best by f1_of_averages: $(LC_ALL=C sort -k3,3 -nr <<<"$table" | awk 'NR == 1 { print $1 }')"

say "Are two systems different? What the test items can and cannot tell"
run evenhand compare gold.txt systems/balanced.txt systems/detectors.txt --metric macro_f1 \
  --metric f1_of_averages --metric accuracy --power 0.8

# The next capabilities go here, one block each:
#   say "The leaderboard"; run evenhand rank gold.txt systems/*.txt
#   say "The report";      run evenhand report gold.txt systems/*.txt --output ../out/report.html
