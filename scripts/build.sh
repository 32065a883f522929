#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures the preset where that has not been done, and builds the
# targets, or everything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="${1:?usage: build.sh PRESET [TARGET...]}"
shift

if [[ ! -f "build/${preset}/build.ninja" ]]; then cmake --preset "${preset}"; fi
# One compiler per core: with Ninja's default of two more, Boost.Beast's files outgrow small machines.
targets=()
if [[ "$#" -gt 0 ]]; then targets=(--target "$@"); fi
cmake --build --preset "${preset}" --parallel "$(nproc)" "${targets[@]}"
