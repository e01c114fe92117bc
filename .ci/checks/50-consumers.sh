# The packed package under bundlers, frameworks, test runners and TypeScript's module resolutions.
CHECKS="$CHECKS consumers"

consumers() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/run.mjs
}
