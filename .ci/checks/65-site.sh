# The documentation outside of the unit tests: migrations beside the other packages, and the site in three browsers.
CHECKS="$CHECKS migrations site jsr"

migrations() {
  npm ci --prefix test/migrations
  node test/migrations/run.mjs
}

site() {
  install_browsers
  npm run site
  node site/test.mjs
  node site/audit.mjs
}

# `npx jsr publish`, which would otherwise download a Deno, with that of the runtimes.
jsr() {
  local deno=$PWD/test/runtimes/node_modules/@deno/linux-x64-glibc/deno
  install_packages test/runtimes
  node scripts/jsr.mjs
  (cd build/jsr && DENO_BIN_PATH=$deno npx --yes jsr@0.14.3 publish --dry-run --allow-dirty)
}
