# Every example, run against the packed package.
CHECKS="$CHECKS examples"

examples() {
  command -v chromium || install_debian chromium
  npm ci --prefix test/runtimes --ignore-scripts
  node examples/test.mjs
}
