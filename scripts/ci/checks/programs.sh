# Every program of bench/, site/ and scripts/, with the modules beside them: the check that starts it, and if that is
# programs_start, the arguments that make it short. Those of nightly.sh take too long for each change.
PROGRAMS="
bench/arm64.mjs                     kernels_arm64
bench/bao.mjs                       programs_start 1
bench/cases/write-long-digests.mjs  benchmarks_start
bench/cold-start.mjs                programs_start 1
bench/command.mjs                   command_speed
bench/javascript.mjs                programs_start --engine node --algorithm blake3 --size 64 --rounds 1
bench/kernel.mjs                    kernels_debug
bench/report.mjs                    programs_start
bench/run.mjs                       programs_start --algorithm blake3 --size 64 --build simd128 --quick --rounds 2
bench/sizes.mjs                     programs_start
bench/streams.mjs                   programs_start 1
bench/survey/complete-lock.mjs      programs_start bench
bench/targets.mjs                   programs_start bench/results/amd-zen-4/targets-node20.json
bench/threads.mjs                   programs_start --quick --most 256KiB
scripts/address.mjs                 programs_start https://example.com/owner/name
scripts/api.mjs                     site
scripts/bundle.mjs                  unit_tests
scripts/complete.mjs                programs_start
scripts/declarations.mjs            unit_tests
scripts/jsr.mjs                     jsr
scripts/pictures.mjs                programs_start build
scripts/sbom.mjs                    unit_tests
site/audit.mjs                      site_audit
site/browsers.mjs                   site
site/build.mjs                      site
site/highlight.mjs                  site
site/markdown.mjs                   site
site/reference.mjs                  site
site/server.mjs                     site
site/template.mjs                   site
site/test.mjs                       site
"

# In a clone, since some of them write files that are checked in.
programs_start() {
  local clone program check arguments
  clone=$(mktemp -d)
  clone_built "$clone"
  (
    cd "$clone"
    install_packages bench
    install_packages test/runtimes
    # None is missing in the list, and none has gone.
    diff <(awk 'NF { print $1 }' <<<"$PROGRAMS") \
      <({ ls bench/*.mjs scripts/*.mjs site/*.mjs && grep -l '^// node ' bench/*/*.mjs; } | LC_ALL=C sort)
    while read -r program check arguments; do
      [ "$check" = programs_start ] || continue
      echo "$program ($SECONDS s)"
      # shellcheck disable=SC2086
      case $program in
        # It fails if the recorded figures miss a target.
        bench/targets.mjs) { node "$program" $arguments || true; } | grep 'time per byte' ;;
        *) node "$program" $arguments </dev/null ;;
      esac
    done <<<"$PROGRAMS"
  )
  rm -r "$clone"
}
