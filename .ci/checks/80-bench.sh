# Every command that bench/README.md names, as short as it can be, in a clone where nothing has been installed for it.
CHECKS="$CHECKS benchmarks_start"

benchmarks_start() {
  command -v firefox-esr || install_debian firefox-esr
  local clone
  clone=$(mktemp -d)
  git clone --quiet . "$clone"
  (
    cd "$clone"
    npm ci
    npm run bench -- --help
    npm run bench -- --algorithm blake3 --size 64 --build simd128 --quick --rounds 2
    npm run bench -- --algorithm blake3 --size 64 --build simd128 --quick --rounds 2 --runtime firefox,bun
    node bench/cold-start.mjs 2
    node bench/streams.mjs 1
    node bench/threads.mjs --quick --most 256KiB
    node bench/javascript.mjs --engine node --engine node26 --engine hermes --algorithm blake3 --size 64 --rounds 1
    node bench/kernel.mjs wasm/dist/blake3.simd128.wasm wasm/dist/blake3.simd128.wasm --sizes 64
    # It exits 1 if the recorded figures miss a target, which is no failure of this check.
    { node bench/targets.mjs bench/results/amd-zen-4/targets-node20.json || true; } | grep 'time per byte'
    node bench/report.mjs
  )
  rm -r "$clone"
}
