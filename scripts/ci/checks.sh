# How checks run: sourced by run.sh and nightly.sh, at the top of the clone. Each check is one function of checks/; its
# output goes to $CI_DIR/NAME.log and is shown if it fails.
export CI=true
# Warnings of npm would hide what a failed check says.
export npm_config_loglevel=error
# Absolute, since two clones of the project run the checks. Programs that more than one check uses are in build/ci/tools.
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

# Prints the last line, `N passed, N failed`; fails if one of the checks has.
summarize() {
  local name passed=0 failed=0
  for name; do
    if [ -e "$CI_DIR/$name.result" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  done
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
