# Rebuilds the kernels and compares them with what is checked in.
CHECKS="$CHECKS kernels_format kernels_rebuild kernels_debug kernels_arm64"

# As Debian 12's clang-format 14 has it.
kernels_format() {
  command -v clang-format || install_debian clang-format
  find wasm -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
}

kernels_rebuild() {
  { command -v emcc && command -v wasm-metadce; } || install_debian emscripten binaryen
  local here elsewhere file
  here=build/ci/kernels elsewhere=$(mktemp -d)
  node wasm/build/build.mjs --out "$here"
  diff -r wasm/dist "$here"
  # Two of them from another folder: no path may leave a trace.
  cp -r wasm "$elsewhere/sources of the kernels"
  node "$elsewhere/sources of the kernels/build/build.mjs" --out "$elsewhere/dist" blake2s blake512
  for file in "$elsewhere"/dist/blake*; do cmp "$file" "wasm/dist/${file##*/}"; done
  rm -r "$elsewhere"
}

# One kernel with checks: it compiles, and has the digests of the one without.
kernels_debug() {
  { command -v emcc && command -v wasm-metadce; } || install_debian emscripten binaryen
  node wasm/build/build.mjs --debug blake2s
  node bench/kernel.mjs wasm/dist/blake2s.simd128.wasm build/debug/blake2s.simd128.wasm --rounds 1
}

# What V8 makes of them on ARM64, by LLVM's models of processors.
kernels_arm64() {
  command -v llvm-mca-22 || install_debian llvm-22
  install_emulated
  npm run arm64
}
