#!/usr/bin/env bash
# A Kubernetes of tests/cluster in the foreground, with asyncops and a simulated cloud, until Ctrl-C. Its first
# build takes some minutes. Arguments go to tests/cluster/play.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "Building Kubernetes, unless that was done; from nothing it takes six minutes."
exec python3 -B tests/cluster/play.py --asyncops build/release/bin/asyncops --simcloud build/release/bin/simcloud "$@"
