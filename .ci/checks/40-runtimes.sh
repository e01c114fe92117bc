# The packed package in every runtime: Node, Deno, Bun and workerd from npm, browsers from Debian, and Node
# for other processors and for Windows under emulators.
CHECKS="$CHECKS runtimes engines"

runtimes() {
  { command -v chromium && command -v firefox-esr && command -v xvfb-run && command -v WebKitWebDriver; } ||
    install_debian chromium firefox-esr webkit2gtk-driver xvfb
  install_packages test/runtimes
  install_emulated
  node test/runtimes/run.mjs
}

# Engines without WebAssembly: Node without a compiler, also on other processors, Hermes and QuickJS from npm.
engines() {
  install_packages test/runtimes
  install_emulated
  node test/runtimes/engines.mjs
}
