# The packed package under bundlers, frameworks, test runners and TypeScript's module resolutions.
CHECKS="$CHECKS consumers getting_started"

consumers() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/run.mjs
}

# docs/getting-started.md, word for word.
getting_started() {
  { command -v chromium && command -v curl && command -v python3; } || install_debian chromium curl python3
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/getting-started.mjs
}
