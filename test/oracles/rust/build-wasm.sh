#!/bin/sh
# Builds the benchmark's rival twice, into build/oracles/wasm/baseline and simd128. Needs cargo and rustup.
set -eu

# The versions that are known to work together; wasm-bindgen's is also in Cargo.toml.
wasm_pack=0.15.1
wasm_bindgen=0.2.130

crate=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=${crate%/test/oracles/rust}
out=$root/build/oracles/wasm
tools=$root/build/tools
PATH=$tools/bin:$PATH

# install NAME VERSION PROGRAM: puts a cargo program of that version into build/tools, unless one is on the PATH.
install() {
  case "$("$3" --version 2>/dev/null)" in
    *" $2") ;;
    *) cargo install "$1" --version "$2" --root "$tools" ;;
  esac
}

# build NAME [CARGO-OPTION ...]
build() {
  name=$1
  shift
  wasm-pack build "$crate" --release --target web --mode no-install --no-pack --no-typescript \
    --out-dir "$out/$name" --out-name rival -- --locked --target-dir "$out-target/$name" "$@"
}

rustup target add wasm32-unknown-unknown
install wasm-pack "$wasm_pack" wasm-pack
install wasm-bindgen-cli "$wasm_bindgen" wasm-bindgen

build baseline
RUSTFLAGS="-C target-feature=+simd128" build simd128 --features simd128
