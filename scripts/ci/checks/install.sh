# What checks need beyond Node and npm, installed once for all of them.

install_debian() {
  local as_root=
  [ "$(id -u)" -eq 0 ] || as_root=sudo
  $as_root apt-get -o DPkg::Lock::Timeout=300 update -q
  DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=300 install -qy --no-install-recommends "$@"
}

# Clones the project into an empty folder, as it was built. Installed packages share their files.
clone_built() {
  git clone --quiet . "$1" && cp -al node_modules "$1" &&
    cp -r --parents dist wasm/dist javascript ./*/package.json "$1"
}

# Installs a folder's packages, npm getting the arguments after it; those of a folder without a lock are the versions
# that its package.json names, and what they depend on today. Two clones of the project share the files, which no check
# changes.
install_packages() {
  local folder=$1 store=$CI_DIR/packages/$1
  shift
  mkdir -p "$store"
  (
    flock 9
    [ ! -e "$store/complete" ] || exit 0
    cp "$folder"/package*.json "$store"
    if [ -e "$store/package-lock.json" ]; then npm ci --prefix "$store" --ignore-scripts "$@"
    else npm install --prefix "$store" --ignore-scripts --no-package-lock "$@"; fi
    touch "$store/complete"
  ) 9>"$store/lock"
  rm -rf "$folder/node_modules"
  cp -al "$store/node_modules" "$folder/"
}

# Node for other processors and for Windows, and what runs it: npm refuses packages for other systems unless it is
# forced.
install_emulated() {
  local packages="qemu-user libatomic1-arm64-cross libatomic1-armhf-cross wine wine64" name
  for name in arm64 armhf ppc64el s390x; do packages="$packages libstdc++6-$name-cross"; done
  # shellcheck disable=SC2086
  dpkg -s $packages >/dev/null 2>&1 || install_debian $packages
  install_packages test/runtimes/emulated --force
}

install_browsers() {
  { command -v chromium && command -v firefox-esr && command -v xvfb-run && command -v WebKitWebDriver; } ||
    install_debian chromium firefox-esr webkit2gtk-driver xvfb
}

# Debian's newer Rust, of the packages that browsers are built with.
install_rust() {
  command -v cargo || install_debian cargo-web libc6-dev
}

install_emscripten() {
  { command -v emcc && command -v wasm-metadce; } || install_debian emscripten binaryen
}

install_sanitizers() {
  { command -v clang-14 && [ -d /usr/include/simde ] && compgen -G '/usr/lib/llvm-14/lib/clang/*/lib/linux/*asan*'; } ||
    install_debian clang-14 libclang-rt-14-dev libsimde-dev
}

install_stores() {
  command -v redis-server || install_debian redis-server
  compgen -G '/usr/lib/postgresql/*/bin/postgres' || install_debian postgresql
}

# Installs programs from crates.io as CRATE@VERSION, unoptimised, which takes half the time. They share what they are
# compiled from, so one check at a time does it: cargo may replace a program while another cargo copies it.
install_crates() {
  install_rust
  mkdir -p "$CI_DIR"
  (
    flock 9
    for crate; do
      cargo install --quiet --debug --locked --root "$CI_DIR/tools" --target-dir "$CI_DIR/crates" "$crate"
    done
  ) 9>"$CI_DIR/crates.lock"
}

install_peers() {
  install_crates b3sum@1.8.6 blake2_bin@1.0.5
}
