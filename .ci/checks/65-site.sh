# The documentation outside of the unit tests: migrations beside the other packages, and the site in three browsers.
CHECKS="$CHECKS migrations site jsr"

migrations() {
  npm ci --prefix test/migrations
  node test/migrations/run.mjs
}

site() {
  { command -v chromium && command -v firefox-esr && command -v xvfb-run && command -v WebKitWebDriver; } ||
    install_debian chromium firefox-esr webkit2gtk-driver xvfb
  npm run site
  node site/test.mjs
}

# What `npx jsr publish` would publish, with the Deno of the runtimes.
jsr() {
  local deno=$PWD/test/runtimes/node_modules/@deno/linux-x64-glibc/deno
  install_packages test/runtimes
  npm run build
  node scripts/jsr.mjs
  (cd build/jsr && "$deno" publish --dry-run --allow-dirty)
}
