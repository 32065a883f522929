#!/usr/bin/env bash
# The one list of Debian 12 packages. `install-deps.sh` brings what building and running need; the
# groups named as arguments come on top: test, check, bench. Where everything is there it costs one
# dpkg-query and changes nothing.
set -euo pipefail

packages_of() {
  case "$1" in
    run)
      # The compiler and the build; the libraries, each with one adapter in the tree; then what the
      # scripts call.
      echo g++ cmake ninja-build make ccache pkg-config
      echo libboost1.81-dev libboost-system1.81-dev libboost-url1.81-dev libcpp-httplib-dev
      echo libgmock-dev libgtest-dev libpistache-dev libre2-dev libsimdjson-dev libsqlite3-dev
      echo libsqlitecpp-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev prometheus-cpp-dev zlib1g-dev
      echo curl openssl procps python3
      # Any kubectl on PATH serves, and another package may own its path: never Debian's over it.
      if ! command -v kubectl >/dev/null 2>&1; then echo kubernetes-client; fi
      ;;
    test)
      # The tests of the manifests read YAML.
      echo git jq python3-yaml
      # The clients of tests/clients are fetched by these; a Go that is too old is PyPI's affair.
      echo ca-certificates python3-venv
      if ! command -v npm >/dev/null 2>&1; then echo npm; fi
      ;;
    check) echo clang-19 libclang-rt-19-dev clang-format-14 clang-tidy-19 git shellcheck yamllint ;;
    bench) echo jq nginx wrk ;;
    *)
      echo "install-deps.sh: unknown group '$1'; the groups are: test check bench" >&2
      return 2
      ;;
  esac
}

# Prints those of its arguments that dpkg does not have installed.
missing_of() {
  local installed package
  # dpkg-query exits with 1 when it does not know a name: an answer here, not a failure.
  # shellcheck disable=SC2016  # the braces are for dpkg-query
  installed="$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    if ! grep -qx "installed ${package}" <<<"${installed}"; then echo "${package}"; fi
  done
}

as_root() {
  if [[ "$(id -u)" == 0 ]]; then "$@"; else sudo "$@"; fi
}

# Whether as_root can work: sudo needs a terminal where it has to ask for a password.
can_be_root() {
  [[ "$(id -u)" == 0 ]] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  [[ -t 0 ]] || sudo -n true 2>/dev/null
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}

# The package lists are refreshed only when the installation fails without that.
install() {
  apt install --no-install-recommends "$@" && return 0
  apt update && apt install --no-install-recommends "$@"
}

# Debian's nginx starts itself on port 80 when it is installed, and again at every boot, but the
# benchmark runs its own. policy-rc.d is Debian's way to say so during an installation (a file that
# the owner of the machine put there is respected); `disable` covers the next boot.
install_nginx_too() {
  local policy=/usr/sbin/policy-rc.d outcome=0 ours=''
  if [[ ! -e "${policy}" ]]; then
    ours=yes
    # shellcheck disable=SC2016  # $1 is the policy's own
    printf '%s\n' '#!/bin/sh' 'case "$1" in nginx*) exit 101 ;; esac' 'exit 0' |
      as_root tee "${policy}" >/dev/null
    as_root chmod 755 "${policy}"
  fi
  install "$@" || outcome=$?
  if [[ -n "${ours}" ]]; then as_root rm -f "${policy}"; fi
  if [[ -d /run/systemd/system ]]; then as_root systemctl disable nginx >/dev/null 2>&1 || true; fi
  return "${outcome}"
}

main() {
  local group list='' wanted missing
  for group in run "$@"; do list+=" $(packages_of "${group}")"; done
  read -r -a wanted < <(tr -s '\n ' ' ' <<<"${list}" && echo)
  if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "install-deps.sh: this is no Debian; install the equivalents of: ${wanted[*]}" >&2
    return 1
  fi
  mapfile -t missing < <(missing_of "${wanted[@]}" | sort -u)
  if [[ "${#missing[@]}" == 0 ]]; then return 0; fi
  if ! can_be_root; then
    echo "install-deps.sh: missing packages: ${missing[*]}" >&2
    echo "install-deps.sh: neither root nor sudo here; ask an administrator to run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
  echo "install-deps.sh: installing ${missing[*]}"
  case " ${missing[*]} " in
    *' nginx '*) install_nginx_too "${missing[@]}" ;;
    *) install "${missing[@]}" ;;
  esac
}

main "$@"
