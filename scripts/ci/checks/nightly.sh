# What takes too long for each change: scripts/ci/run.sh nightly runs these, the longest first.
NIGHTLY="all_proofs hostile_input_long guard random_cases model sources full_sanitizers all_runtimes all_consumers
large_tests long_soak kernels_arm64 benchmarks_start job_engines site_audit command_speed"

# Calls while another thread changes a caller's memory.
guard() {
  RACED_CALLS=100000 npm run test:guard
}

# All hosts and engines, also Node for other processors and for Windows under emulators, so that the tables of
# docs/platforms.md are compared, too. Each host hashes other random cases each night.
all_runtimes() {
  install_browsers
  install_rust
  install_packages test/runtimes
  install_emulated
  npm run random-cases -- --cases 5000 --seed "$NIGHTLY_SEED" --write build/random-cases.json
  node test/runtimes/run.mjs --cases build/random-cases.json
}

# All versions of TypeScript with all resolutions.
all_consumers() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/run.mjs
}

# What V8 makes of the kernels on ARM64, by LLVM's models of processors.
kernels_arm64() {
  command -v llvm-mca-22 || install_debian llvm-22
  install_emulated
  npm run arm64
}

# The site by Lighthouse.
site_audit() {
  install_browsers
  npm run site
  node site/audit.mjs
}

# Real carries of the counters, and Blobs of files of 4 GiB and more.
large_tests() {
  npm run test:large
}

# The job engines of examples/distributed.
job_engines() {
  install_stores
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

# The benchmarks in more runtimes, in a clone where nothing has been installed for them, and what takes a minute.
# programs_start has the others.
benchmarks_start() {
  command -v firefox-esr || install_debian firefox-esr
  local clone
  clone=$(mktemp -d)
  git clone --quiet . "$clone"
  (
    cd "$clone"
    npm ci
    npm run bench -- --help
    npm run bench -- --algorithm blake3 --size 64 --build simd128 --quick --rounds 2 --runtime firefox,bun
    npm run bench -- --used --mode create,file --rounds 2 --runtime node,firefox --json build/used.json
    node bench/javascript.mjs --engine node26 --engine hermes --algorithm blake3 --size 64 --rounds 1
    node bench/cases/write-long-digests.mjs
    npx biome check --write bench/cases/long-digests.mjs
    git diff --exit-code bench/cases
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
  install_rust
  npm run random-cases -- --seconds 300 --seed "$NIGHTLY_SEED"
  node test/interop/bao-crates.mjs 100000 "$NIGHTLY_SEED"
}

model() {
  MODEL_COMMANDS=1000000 MODEL_SEED=$NIGHTLY_SEED npx vitest run test/api/whole-api-model.test.ts
}

# Every message of up to four chunks, of each kind of source and by each call.
sources() {
  SOURCES_CHUNKS=4 SOURCES_SEED=$NIGHTLY_SEED npx vitest run test/sources/splits.test.ts
}

full_sanitizers() {
  install_sanitizers
  npm run sanitize -- --full
}

# A tenth.
long_soak() {
  npm run soak -- --calls 1000000 --hashers 100000 --streams 10000 --pools 1000
}
