#!/usr/bin/env bash
# What to run before each push: format, scripts and manifests, clang-tidy on the files that are not
# upstream yet, and the fast tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh test check
echo "== format"
scripts/format.sh --check
echo "== scripts and manifests"
git ls-files -z --cached --others --exclude-standard -- '*.sh' .ci/run | xargs -0 -r shellcheck
git ls-files -z --cached --others --exclude-standard -- '*.yaml' '*.yml' | xargs -0 -r yamllint --strict
echo "== clang-tidy"
scripts/tidy-diff.sh
echo "== tests"
scripts/build.sh release
python3 -B tests/tidy/tidy.py --sizes
ctest --preset check
