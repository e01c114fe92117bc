#!/usr/bin/env bash
# Runs checks from a fresh clone, two at a time: `run.sh` those of each change, after `npm test`; `run.sh nightly` those
# that take too long for that, with the day as the seed of random ones, or $NIGHTLY_SEED. The last line is `N passed, N
# failed`.
#
# Each check is one function of checks/; its output goes to $CI_DIR/NAME.log and is shown if it fails.
set -u
cd "$(dirname "$0")/../.." || exit 2
export CI=true
# Warnings of npm would hide what a failed check says.
export npm_config_loglevel=error
# Absolute, since two clones of the project run the checks. Programs that more than one check uses are in
# build/ci/tools.
export CI_DIR=$PWD/build/ci
mkdir -p "$CI_DIR"
rm -f "$CI_DIR"/*.result

for file in scripts/ci/checks/*.sh; do
  # shellcheck source=/dev/null
  . "$file"
done

# In a shell of its own: bash ignores `set -e` in whatever an `if` of this one calls.
run_check() {
  bash -euo pipefail -c 'for file in scripts/ci/checks/*.sh; do . "$file"; done; "$1"' check "$1"
}

check() {
  local name=$1 start=$SECONDS
  if run_check "$name" >"$CI_DIR/$name.log" 2>&1; then
    echo ok >"$CI_DIR/$name.result"
    echo "ok      $name ($((SECONDS - start)) s)"
  else
    echo "FAILED  $name ($((SECONDS - start)) s)"
    tail -n 60 "$CI_DIR/$name.log" | sed 's/^/        /'
  fi
}

make_queue() {
  printf '%s\n' "$@" >"$CI_DIR/queue"
}

# Takes the next check off the queue; fails if there is none.
next_check() {
  flock "$CI_DIR/lock" sh -c 'head -n 1 "$1" | grep . && sed -i 1d "$1"' next "$CI_DIR/queue"
}

run_queue() {
  local name
  while name=$(next_check); do check "$name"; done
}

# A second copy of the project, so that two checks that build or install in it can run at the same time.
second_copy() {
  local copy
  copy=$(mktemp -d)
  clone_built "$copy" && cd "$copy" && run_queue
  rm -rf "$copy"
}

# Prints the last line; fails if one of the checks has.
summarize() {
  local name passed=0 failed=0
  for name; do
    if [ -e "$CI_DIR/$name.result" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  done
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

if [ "${1-}" = nightly ]; then
  export NIGHTLY_SEED=${NIGHTLY_SEED:-$(date +%Y%m%d)}
  npm ci || exit 2
  # shellcheck disable=SC2086
  set -- $NIGHTLY
  make_queue "$@"
  run_queue &
else
  # shellcheck disable=SC2086
  set -- $CHECKS
  check "$1"
  make_queue "${@:2}"
  second_copy &
fi
run_queue
wait
summarize "$@"
