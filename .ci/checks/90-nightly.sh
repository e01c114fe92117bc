# What takes too long for each change: .ci/nightly runs these, the longest first.
NIGHTLY="all_proofs mutation_sample hostile_input_long random_cases model full_sanitizers all_guards all_runtimes large_tests
long_soak benchmarks_start job_engines command_speed"

# The suite over the sources, with all memory that a call does not own under watch.
all_guards() {
  npm run test:guard
}

# All hosts, so that the table of docs/platforms.md is compared, too.
all_runtimes() {
  install_browsers
  install_packages test/runtimes
  install_emulated
  node test/runtimes/run.mjs
}

# Real carries of the counters, and workers that die a hundred times.
large_tests() {
  OVERFLOWS=300 npm run test:large
}

# The job engines of examples/distributed.
job_engines() {
  command -v redis-server || install_debian redis-server
  compgen -G '/usr/lib/postgresql/*/bin/postgres' || install_debian postgresql
  command -v parallel || install_debian parallel
  command -v pip3 || install_debian python3-pip
  install_peers
  pip3 install --quiet --upgrade --target "$CI_DIR/python" --requirement examples/distributed/requirements.txt
  PYTHONPATH=$CI_DIR/python sh test/distributed/engines.sh "$CI_DIR/tools/bin/b3sum"
}

# The benchmark of the command runs, and every program prints the same digests. Times mean nothing beside other checks.
command_speed() {
  install_peers
  LARGE_GIB=1 ROUNDS=1 node bench/command.mjs "$CI_DIR/tools/bin"
}

# Every command that bench/README.md names, as short as it can be, in a clone where nothing has been installed for it.
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


# Each build in a process of its own.
all_proofs() {
  npm run prove -- --full --seed "$NIGHTLY_SEED" --build baseline &
  local first=$!
  npm run prove -- --full --seed "$NIGHTLY_SEED" --build simd128
  npm run prove -- --full --seed "$NIGHTLY_SEED" --build bun
  wait "$first"
}

hostile_input_long() {
  npm run fuzz -- --seconds 300 --seed "$NIGHTLY_SEED"
}

random_cases() {
  install_oracles
  npm run test:oracle -- --seconds 300 --seed "$NIGHTLY_SEED"
  npm run test:oracle -- --bytes 10000000 --seed "$NIGHTLY_SEED" --engines node26,bun,deno,chromium,firefox
}

model() {
  MODEL_COMMANDS=1000000 MODEL_SEED=$NIGHTLY_SEED npx vitest run test/api/whole-api-model.test.ts
}

full_sanitizers() {
  install_sanitizers
  npm run sanitize -- --full
}

# A tenth.
long_soak() {
  npm run soak -- --calls 1000000 --hashers 100000 --streams 10000 --pools 1000 --bytes 429496730 --deaths 100
}

# Mutants that the tests once missed must die.
mutation_sample() {
  { command -v emcc && command -v wasm-metadce; } || install_debian emscripten binaryen
  npm run mutate -- --sample
}
