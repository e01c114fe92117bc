# blake-simd/bao beside the Rust crates, and the command beside the program of the same name.
CHECKS="$CHECKS bao_crates bao_interop"

bao_crates() {
  install_rust
  cargo build --quiet --release --locked --manifest-path test/bao-oracle/Cargo.toml --target-dir build/bao-oracle
  node test/bao-oracle/differential.mjs 10000
}

bao_interop() {
  install_crates bao_bin@0.13.1
  sh test/interop/bao.sh "$CI_DIR/tools/bin/bao"
}
