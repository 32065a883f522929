#!/usr/bin/env bash
# check-watch.sh BUILD [ARGUMENT...]: the watch checker at its full length, and 10,000 idle watches.
set -euo pipefail
here="$(dirname "${BASH_SOURCE[0]}")"
build="${1:?usage: check-watch.sh BUILD [ARGUMENT...]}"
shift

suite() {
  python3 -B "${here}/clients_test.py" watch_checker "${build}/bin/asyncops" \
    "${build}/tests/clients/cache" "$@"
}

# With the status that the engine writes of each creation, 100,000 events and more.
suite -writes 84000 -restarts 12 "$@"
suite -idle 10000
