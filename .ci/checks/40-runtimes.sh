# The packed package in every runtime: Node, Deno, Bun and workerd from npm, browsers from Debian.
CHECKS="$CHECKS runtimes engines"

runtimes() {
  { command -v chromium && command -v firefox-esr && command -v xvfb-run && command -v WebKitWebDriver; } ||
    install_debian chromium firefox-esr webkit2gtk-driver xvfb
  install_packages test/runtimes
  node test/runtimes/run.mjs
}

# Engines without WebAssembly: Node without a compiler, Hermes and QuickJS from npm.
engines() {
  install_packages test/runtimes
  node test/runtimes/engines.mjs
}
