# Evidence that the code is right, in a form that fits CI; docs/evidence.md has the longer ones.
CHECKS="$CHECKS mutation_sample native_kernels"

# Mutants that the suite once missed must die.
mutation_sample() {
  { command -v emcc && command -v wasm-metadce; } || install_debian emscripten binaryen
  npm run mutate -- --sample --shard 1/2 &
  local first=$!
  npm run mutate -- --sample --shard 2/2
  wait "$first"
}

# The C under AddressSanitizer, UBSan and MemorySanitizer, and with its secrets undefined.
native_kernels() {
  { command -v clang-14 && test -e /usr/include/simde && test -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.msan-x86_64.a; } ||
    install_debian clang-14 libclang-rt-14-dev libsimde-dev
  [ -e dist/index.js ] || npm run build
  npm run sanitize
  npm run constant-time
}
