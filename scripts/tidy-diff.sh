#!/usr/bin/env bash
# tidy-diff.sh [REVISION]: clang-tidy on the sources that differ from REVISION, or whose header does, for
# the inner loop. REVISION is what the upstream branch already has, or HEAD where there is no upstream.
# Whole files, not lines: the tree is clean, and scripts/tidy.py remembers what it has seen.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh check
base="${1:-$(git merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD)}"
mapfile -t files < <(
  {
    git diff --name-only --diff-filter=d "${base}" -- '*.h' '*.cc'
    git ls-files --others --exclude-standard -- '*.h' '*.cc'
  } | sed 's/\.h$/.cc/' | sort -u
)
if [[ "${#files[@]}" == 0 ]]; then exit 0; fi
exec scripts/tidy.py "${files[@]}"
