#!/usr/bin/env bash
# All checks, from a fresh clone: `npm test`, then what needs more than Node, two at a time. The last line is
# `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. scripts/ci/checks.sh

# A second copy of the project, so that two checks that build or install in it can run at the same time. Installed packages share
# their files with the first.
second_copy() {
  local copy
  copy=$(mktemp -d)
  git clone --quiet . "$copy" && cp -al node_modules "$copy" && cd "$copy" && npm run build >/dev/null && run_queue
  rm -rf "$copy"
}

check unit_tests
# shellcheck disable=SC2086
make_queue ${CHECKS#unit_tests}
second_copy &
run_queue
wait
# shellcheck disable=SC2086
summarize $CHECKS
