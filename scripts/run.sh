#!/usr/bin/env bash
# Runs the server and a simulated cloud in the foreground, on a data directory that stays. Ctrl-C stops both.
# ASYNCOPS_DATA_DIR (default build/run), ASYNCOPS_PORT (6443) and SIMCLOUD_PORT (18080, which the samples
# name) may be set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/stack.sh
source scripts/stack.sh

data="${ASYNCOPS_DATA_DIR:-${PWD}/build/run}"
mkdir -p "${data}"
trap stop_stack EXIT
trap 'exit 0' INT TERM

start_cloud "${data}/simcloud.log" "${SIMCLOUD_PORT:-18080}"
start_server "${data}/asyncops.log" "${data}/data" "${ASYNCOPS_PORT:-6443}"
cat <<TEXT
asyncops serves on ${server_url}, the simulated cloud on ${cloud_url}. Logs and data are in ${data}.
Paste into a second terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl apply -f ${PWD}/manifests/samples/ || true   # invalid.yaml is refused, and says why
  kubectl -n team-a get asyncresources -w

Ctrl-C stops both.
TEXT
wait -n "${server_pid}" "${cloud_pid}"
echo "one of them ended by itself; the logs say why" >&2
exit 1
