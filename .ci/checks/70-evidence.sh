# Evidence that the code is right, in a form that fits CI; docs/evidence.md has the longer ones.
CHECKS="$CHECKS proofs native_kernels other_implementations hostile_input"

install_sanitizers() {
  { command -v clang-14 && [ -d /usr/include/simde ] && compgen -G '/usr/lib/llvm-14/lib/clang/*/lib/linux/*msan*'; } ||
    install_debian clang-14 libclang-rt-14-dev libsimde-dev
}

# The shipped kernels compute the specification, for every content: a fixed choice of lengths, three minutes of one core.
proofs() {
  npm run prove
}

# The C under AddressSanitizer, UBSan and MemorySanitizer, with its secrets undefined.
native_kernels() {
  install_sanitizers
  [ -e dist/sbom.cdx.json ] || npm run build
  npm run sanitize
}

# The programs and the engines of the random cases.
install_oracles() {
  install_rust
  install_go
  { command -v chromium && command -v firefox-esr && command -v python3; } ||
    install_debian chromium firefox-esr python3
  install_packages test/runtimes
}

# Random cases against Rust, Python and Go.
other_implementations() {
  install_oracles
  [ -e dist/sbom.cdx.json ] || npm run build
  npm run test:oracle -- --seconds 10 --seed "$(date +%Y%m%d)"
}

# Changed states, hexadecimal, Bao encodings and lists of checksums; then each kind of use a few thousand times.
hostile_input() {
  [ -e dist/sbom.cdx.json ] || npm run build
  npm run fuzz -- --seconds 5
  npm run soak -- --small
}
