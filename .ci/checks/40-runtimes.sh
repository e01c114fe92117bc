# The packed package in every runtime: Node, Deno, Bun and workerd from npm, browsers from Debian. Each night, all_runtimes has
# Node for other processors and for Windows, too, under emulators.
CHECKS="$CHECKS runtimes engines"

runtimes() {
  install_browsers
  install_packages test/runtimes
  node test/runtimes/run.mjs --native
}

# Engines without WebAssembly: Node without a compiler, also on other processors, Hermes and QuickJS from npm.
engines() {
  install_packages test/runtimes
  install_emulated
  node test/runtimes/engines.mjs
}
