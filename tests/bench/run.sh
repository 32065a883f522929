#!/usr/bin/env bash
# make bench: measures the built server against nginx and raw SQLite, and prints one table
# (docs/benchmarks.md). Names of rows as arguments run those alone: B1 B1a B1b B2 B3 B4 B5 B6 B6a B7 B7a
# B8 B9 B11 B12 B13 start. Rows that need Go programs are SKIPPED where these cannot be had.
# Exit 1 where an answer was wrong; a missed goal is no failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in nginx wrk curl openssl python3 strip; do
  if ! PATH="${PATH}:/usr/sbin" command -v "${tool}" >/dev/null; then
    echo "bench: ${tool} is missing; scripts/install-deps.sh bench brings it" >&2
    exit 1
  fi
done
exec env PATH="${PATH}:/usr/sbin" python3 tests/bench/bench.py "$@"
