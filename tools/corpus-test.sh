#!/usr/bin/env bash
# corpus-test.sh: runs the long tests (build tag realcorpus, names TestRealCorpus...) on a
# real corpus of Weka traces.
#
#   TRACEKIT_WEKA_CORPUS   the corpus: a folder, or an archive of one (.tar.zst).
#                          Unset: nothing runs, and a message says so.
set -euo pipefail

corpus=${TRACEKIT_WEKA_CORPUS:-}
if [[ -z $corpus ]]; then
  echo 'corpus-test: skipped: set TRACEKIT_WEKA_CORPUS to a folder or archive of Weka traces'
  exit 0
fi
if [[ ! -e $corpus ]]; then
  echo "corpus-test: TRACEKIT_WEKA_CORPUS: $corpus does not exist" >&2
  exit 1
fi
# A test runs in the folder of its package, so the path must not depend on ours.
TRACEKIT_WEKA_CORPUS=$(cd "$(dirname "$corpus")" && pwd)/$(basename "$corpus")
export TRACEKIT_WEKA_CORPUS
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests=$(tools/list-tests.sh '^TestRealCorpus' -tags realcorpus)
packages=$(cut -d' ' -f1 <<<"$tests" | sort -u)
# shellcheck disable=SC2086 # one word for each package
go test -tags realcorpus -count=1 -timeout 30m -v -run '^TestRealCorpus' $packages
