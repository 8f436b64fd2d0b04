#!/usr/bin/env bash
# list-tests.sh REGEXP [GO TEST FLAG...]: prints "PACKAGE NAME" for every test, benchmark
# or fuzz target of the module whose name matches. It fails if there is none, so that a
# misspelt pattern does not pass for a green run.
set -euo pipefail
cd "$(dirname "$0")/.."

pattern=${1:?usage: list-tests.sh REGEXP [GO TEST FLAG...]}
shift

# go test prints the names found in a package, then "ok" and the package.
go test -vet=off -list "$pattern" "$@" ./... | awk -v pattern="$pattern" '
  /^(Test|Benchmark|Fuzz|Example)/ { names[n++] = $1; next }
  /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; found += n; n = 0; next }
  /^FAIL/ { bad = 1 }
  !/no test files\]$/ { print > "/dev/stderr" }
  END {
    if (bad) exit 1
    if (!found) { print "list-tests: no test matches " pattern > "/dev/stderr"; exit 1 }
  }'
