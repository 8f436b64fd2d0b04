#!/usr/bin/env bash
# fuzz.sh: runs every fuzz target of the module for a short time, one after another.
#
#   FUZZTIME     time for each target (default 10s)
#   FUZZBUDGET   instead: seconds for all targets together, shared out evenly, 2 to 10 each
set -euo pipefail
cd "$(dirname "$0")/.."

targets=$(tools/list-tests.sh '^Fuzz')
count=$(wc -l <<<"$targets")
fuzztime=${FUZZTIME:-10s}
if [[ -n ${FUZZBUDGET:-} ]]; then
  each=$((FUZZBUDGET / count))
  fuzztime=$((each < 2 ? 2 : each > 10 ? 10 : each))s
fi
printf 'fuzz: %d targets, %s each\n' "$count" "$fuzztime"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

fuzz() {
  # Little minimizing: coverage varies with scheduling, and it would take all the time.
  go test -vet=off -run '^$' -fuzz "^$2\$" -fuzztime "$fuzztime" -fuzzminimizetime 5x "$1" 2>&1 </dev/null | tee "$log"
}

while read -r package target; do
  printf -- '--- %s %s\n' "$package" "$target"
  fuzz "$package" "$target" && continue
  # The fuzzing engine now and then reports its own time limit as a failure. That, and
  # only that, is tried once more; a real failure names its input.
  if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
    printf 'fuzz: %s hit the time limit without a failing input; once more\n' "$target"
    fuzz "$package" "$target" && continue
  fi
  printf 'fuzz: %s of %s failed\n' "$target" "$package" >&2
  exit 1
done <<<"$targets"
