#!/usr/bin/env bash
# Sourced by run.sh and demo.sh: starts the simulated cloud and a standalone server, and stops both.
# Callers call start_cloud, start_server and stop_stack; what these find out is exported.

bin="${ASYNCOPS_BIN:-build/release/bin}"
export cloud_url="" server_url="" kubeconfig=""
cloud_pid=""
server_pid=""

# start_cloud LOG PORT [FLAG...]: sets cloud_url.
start_cloud() {
  local log="$1" port="$2"
  shift 2
  "${bin}/simcloud" --port "${port}" "$@" >"${log}" 2>&1 &
  cloud_pid=$!
  cloud_url="$(await_line "${cloud_pid}" "${log}" 's/^simcloud: serving //p')"
}

# start_server LOG DIR PORT [FLAG...]: sets server_url and kubeconfig.
start_server() {
  local log="$1" dir="$2" port="$3"
  shift 3
  "${bin}/asyncops" serve --standalone --data-dir "${dir}" --secure-port "${port}" \
    --allow-outbound 127.0.0.0/8 "$@" >"${log}" 2>&1 &
  server_pid=$!
  kubeconfig="$(await_line "${server_pid}" "${log}" 's/^kubeconfig: //p')"
  server_url="$(sed -n 's/^asyncops .* serving on //p' "${log}")"
}

# await_line PID LOG SED: what the sed program prints of the log, once it does. Fails with the log
# where the process ends first, or after 20 s.
await_line() {
  local pid="$1" log="$2" program="$3" found=""
  for _ in $(seq 200); do
    found="$(sed -n "${program}" "${log}" | head -n 1)"
    if [[ -n "${found}" ]]; then
      echo "${found}"
      return 0
    fi
    kill -0 "${pid}" 2>/dev/null || break
    sleep 0.1
  done
  echo "it did not start:" >&2
  cat "${log}" >&2
  return 1
}

# Ends both, the server first, and waits for them.
stop_stack() {
  local pid
  for pid in "${server_pid}" "${cloud_pid}"; do
    [[ -n "${pid}" ]] || continue
    kill -TERM "${pid}" 2>/dev/null || true
    wait "${pid}" 2>/dev/null || true
  done
  server_pid=""
  cloud_pid=""
}
