#!/usr/bin/env bash
# A bundle for a shared task on Codabench, tried on two submissions before it is uploaded.
# bash examples/codabench.sh [DIR] [options of evenhand publish codabench, such as --python 3.11]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-"$here/out/codabench"}
short=$(mktemp -d)
trap 'rm -rf "$short"' EXIT
head -n 100 "$here/shared-task/systems/balanced.txt" >"$short/short.txt"

# Exit code 1 says that a submission was refused, as the short one must be.
evenhand publish codabench "$folder" --gold "$here/shared-task/gold.txt" \
  --title "Moods" --description "Which mood does a message speak of?" \
  --metric macro_f1 --metric f1_of_averages --metric accuracy --intervals "${@:2}" \
  --try "$here/shared-task/systems/balanced.txt" --try "$short/short.txt" || test $? -eq 1
