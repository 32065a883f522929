#!/usr/bin/env bash
# The whole story in under a minute, on real kubectl: declare, refuse, submit, poll, Ready, history, delete.
# Everything lives in a temporary directory that is gone afterwards. Exit 0, or a sentence that says what failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/stack.sh
source scripts/stack.sh

work="$(mktemp -d)"
finish() {
  local code=$?
  stop_stack
  if [[ "${code}" -ne 0 && -f "${work}/server.log" ]]; then
    echo "--- the server's log ends with:"
    tail -n 20 "${work}/server.log"
  fi
  rm -rf "${work}"
}
trap finish EXIT
trap 'echo "demo: failed at: ${BASH_COMMAND}" >&2' ERR

bold="" plain=""
if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi
say() { printf '\n%s# %s%s\n' "${bold}" "$*" "${plain}"; }
typed() { printf '%s$ %s%s\n' "${bold}" "$*" "${plain}"; }
# Shows the command as a person would type it, then runs it.
run() {
  typed "$@"
  "$@" 2>&1
}
# Columns of the JSON list that is piped in.
table() {
  python3 -c '
import json, sys
fields = sys.argv[1:]
items = json.load(sys.stdin)["items"]
rows = [[name.upper() for name in fields]] + [[str(item.get(name, "")) for name in fields] for item in items]
widths = [max(len(row[i]) for row in rows) for i in range(len(fields))]
for row in rows:
    print("   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())' "$@"
}
# What the cloud itself says: its volumes, and one of its counters.
show_volumes() {
  typed "curl ${cloud_url}/admin/volumes"
  curl -sS "${cloud_url}/admin/volumes" | table id name size status idempotencyKey
}
counted() { curl -sS "${cloud_url}/admin/stats" | sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p"; }
fail() {
  echo "demo: $*" >&2
  exit 1
}

say "A simulated cloud and an asyncops server, in ${work}"
start_cloud "${work}/cloud.log" 0 --operation-duration 3s
start_server "${work}/server.log" "${work}/data" 0
echo "cloud: ${cloud_url}   server: ${server_url}"
export KUBECONFIG="${kubeconfig}"
mkdir "${work}/samples"
for sample in manifests/samples/*.yaml; do
  sed "s|http://127.0.0.1:18080|${cloud_url}|" "${sample}" >"${work}/samples/$(basename "${sample}")"
done
cd "${work}"
apply_sample() { run kubectl apply -f "samples/$1"; }

say "Who may be called, and with which credential"
for sample in 00-namespace 10-credentials 20-externalsystem-location; do
  apply_sample "${sample}.yaml"
done

say "A mistake is refused when it is applied, naming each field and rule"
if run kubectl apply -f samples/invalid.yaml; then fail "the invalid sample was taken"; fi

say "A volume, declared. kubectl watches it become Ready"
apply_sample 30-data-volume.yaml
typed kubectl -n team-a get asyncresources -w
mkfifo watch
tee watch.txt <watch &
tee_pid=$!
kubectl -n team-a get asyncresources -w >watch 2>&1 &
watch_pid=$!
kubectl -n team-a wait --for=condition=Ready --timeout=40s asyncresource/data-volume >/dev/null
# The watch has its own connection: what was seen here may be on its way there.
for _ in $(seq 50); do
  if grep -q ' Ready ' watch.txt; then break; fi
  sleep 0.1
done
kill "${watch_pid}" 2>/dev/null || true
wait "${watch_pid}" 2>/dev/null || true
wait "${tee_pid}"
grep -q ' Creating ' watch.txt || fail "the watch did not show the phase Creating"
grep -q ' Ready ' watch.txt || fail "the watch did not show the phase Ready"

say "Its operation: the cloud's ID, retries and age"
run kubectl -n team-a get asyncresources,asyncoperations
operation="$(kubectl -n team-a get asyncoperations -o jsonpath='{.items[0].metadata.name}')"
run kubectl -n team-a describe asyncoperation "${operation}"

say "Every attempt is kept in SQLite"
history="/apis/operations.asyncops.dev/v1alpha1/namespaces/team-a/asyncoperations/${operation}/history"
typed kubectl get --raw "${history}"
kubectl get --raw "${history}" | table sequence time action method url httpStatus state nextStep

say "The cloud made exactly one volume"
show_volumes
[[ "$(counted created)" == 1 ]] || fail "the cloud counted $(counted created) volumes"

say "The same through two other kinds of API: google.longrunning, and jobs with a status"
for sample in 21-externalsystem-lro 22-externalsystem-jobs 31-log-volume 32-cache-volume; do
  apply_sample "${sample}.yaml"
done
run kubectl -n team-a wait --for=condition=Ready --timeout=40s asyncresource --all
run kubectl -n team-a get externalsystems,asyncresources

say "Deleting one deletes its volume outside, too"
run kubectl -n team-a delete asyncresource data-volume --timeout=40s
show_volumes
[[ "$(counted created)" == 3 ]] || fail "the cloud counted $(counted created) volumes"
[[ "$(counted deleted)" == 1 ]] || fail "the cloud counted $(counted deleted) deletions"

say "Done: declared, refused, submitted, polled, Ready, recorded, deleted. make run keeps it running."
