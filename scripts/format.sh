#!/usr/bin/env bash
# Formats the C++ in place; `format.sh --check` changes nothing and fails where a file would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh check
mode=(-i)
if [[ "${1:-}" == --check ]]; then mode=(--dry-run --Werror); fi
# Files that git knows, or does not know yet; those that were deleted but not committed drop out.
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' |
  while IFS= read -r -d '' file; do if [[ -f "${file}" ]]; then printf '%s\0' "${file}"; fi; done |
  xargs -0 -r -n 20 -P "$(nproc)" clang-format-14 "${mode[@]}"
