# What takes too long for each change: .ci/nightly runs these, the longest first.
NIGHTLY="all_proofs mutation_sample hostile_input_long random_cases model full_sanitizers long_soak"

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
