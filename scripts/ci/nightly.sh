#!/usr/bin/env bash
# What takes too long for each change, from a fresh clone, two at a time. Random checks get the day as their seed, or
# $NIGHTLY_SEED. The last line is `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. scripts/ci/checks.sh

export NIGHTLY_SEED=${NIGHTLY_SEED:-$(date +%Y%m%d)}
npm ci || exit 2
# shellcheck disable=SC2086
make_queue $NIGHTLY
run_queue &
run_queue
wait
# shellcheck disable=SC2086
summarize $NIGHTLY
