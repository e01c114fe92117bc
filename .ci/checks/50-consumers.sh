# The packed package under bundlers, frameworks, test runners and TypeScript's module resolutions.
CHECKS="$CHECKS consumers"

consumers() {
  command -v chromium || install_debian chromium
  npm ci --prefix test/runtimes --ignore-scripts
  npm ci --prefix test/consumers --ignore-scripts
  node test/consumers/run.mjs
}
