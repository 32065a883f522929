#!/usr/bin/env bash
# A Kubernetes of tests/cluster in the foreground, until Ctrl-C. Its first build takes some minutes.
# Arguments go to tests/cluster/cluster.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "Building Kubernetes, unless that was done; from nothing it takes six minutes."
exec python3 -B tests/cluster/cluster.py "$@"
