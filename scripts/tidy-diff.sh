#!/usr/bin/env bash
# tidy-diff.sh [REVISION]: clang-tidy on the lines changed since REVISION, and on files that git does
# not know yet. REVISION is what the upstream branch already has, or HEAD where there is no upstream.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh check
if [[ -f build/clang/compile_commands.json ]]; then
  cmake build/clang >/dev/null
else
  cmake --preset clang >/dev/null
fi
base="${1:-$(git merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD)}"
{
  git diff --unified=0 --no-color --diff-filter=d "${base}" -- '*.h' '*.cc'
  git ls-files -z --others --exclude-standard -- '*.h' '*.cc' |
    while IFS= read -r -d '' file; do
      # `diff --no-index` exits with 1 because the two differ.
      git diff --unified=0 --no-color --no-index /dev/null "${file}" || true
    done
} | clang-tidy-diff-19.py -clang-tidy-binary clang-tidy-19 -p1 -path build/clang -j "$(nproc)" -quiet
