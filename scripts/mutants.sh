#!/usr/bin/env bash
# mutants.sh [WORD]: breaks a copy of the engine in each of the ways that tests/mutants/bugs.py
# lists (those with WORD in their names), and fails where no test notices.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy="build/mutants/source"
mkdir -p "${copy}"
# What did not change keeps its time, so that little is built again.
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do
    [[ -f "${file}" ]] || continue
    cmp --silent "${file}" "${copy}/${file}" && continue
    mkdir -p "${copy}/$(dirname "${file}")"
    cp -p "${file}" "${copy}/${file}"
  done

build="${PWD}/build/mutants/build"
if [[ ! -f "${build}/build.ninja" ]]; then
  # -O1: a mutant is compiled once and runs a few thousand tests.
  cmake -S "${copy}" -B "${build}" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1
fi
export TMPDIR="/dev/shm"
[[ -d "${TMPDIR}" ]] || export TMPDIR="/tmp"
exec python3 -B tests/mutants/mutants.py run "${copy}" "${build}" "${1:-}"
