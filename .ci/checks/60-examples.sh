# Every example, run against the packed package.
CHECKS="$CHECKS examples"

examples() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  node examples/test.mjs
}
