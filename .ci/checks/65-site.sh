# The documentation outside of the unit tests: migrations beside the other packages, and the site in three browsers.
CHECKS="$CHECKS migrations site"

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
