# What each change has to pass, the longest first, so that both copies of the project end at about the same time. Each
# check is a function that runs under `set -euo pipefail`. unit_tests is run before all others, alone.
CHECKS="unit_tests consumers proofs runtimes site distributed native_kernels other_implementations peers_interop
kernels_rebuild programs_start getting_started types migrations kernels_debug hostile_input documented_commands examples
package_shape b2sum_interop kernels_format lint jsr"

# ---- what needs Node and npm alone ----

# `npm test` builds.
unit_tests() {
  npm ci --ignore-scripts
  npm test
}

# The build checks js/.
types() {
  npx tsc --noEmit -p test
}

lint() {
  npm run lint
}

# What npm would publish: complete, no larger than it should be, and understood by every kind of module resolution.
package_shape() {
  local folder
  folder=$(mktemp -d)
  npm pack --ignore-scripts --pack-destination "$folder"
  npx publint --strict "$folder"/*.tgz
  npx attw "$folder"/*.tgz --profile esm-only
  rm -r "$folder"
}

# The lines of README.md and docs/blakesum.md that call the command, on real files.
documented_commands() {
  local line lines=0 work
  work=$(mktemp -d)
  ln -s "$PWD/dist/cli/blakesum.cjs" "$work/blakesum"
  PATH=$work:$PATH
  head -c 32 /dev/urandom >"$work/key"
  while read -r line <&3; do
    lines=$((lines + 1))
    echo "$line"
    (eval "$line")
  done 3< <(grep -hE '^(npx -p blake-simd )?blakesum ' README.md docs/blakesum.md | sed "s/^npx -p blake-simd/npx/
    s/FILE\.\.\./LICENSE package.json/g; s/FILE/LICENSE/g; s/CONTEXT/context/g; s/FOLDER/docs/g
    s#< key#< $work/key#; s#> completions#> $work/completions#; s#\bsums\b#$work/sums#g")
  [ "$lines" -ge 15 ]
  rm -r "$work"
}

# ---- the kernels ----

# As Debian 12's clang-format 14 has it.
kernels_format() {
  command -v clang-format || install_debian clang-format
  find wasm -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
}

# Rebuilds the kernels and compares them with what is checked in; in another folder, since no path may leave a trace.
kernels_rebuild() {
  install_emscripten
  local elsewhere
  elsewhere=$(mktemp -d)
  cp -r wasm "$elsewhere/sources of the kernels" && ln -s "$PWD/node_modules" "$elsewhere"
  node "$elsewhere/sources of the kernels/build/build.mjs" --out "$elsewhere/dist"
  diff -r wasm/dist "$elsewhere/dist"
  rm -r "$elsewhere"
}

# One kernel with checks: it compiles, and has the digests of the one without.
kernels_debug() {
  install_emscripten
  node wasm/build/build.mjs --debug blake2s
  node bench/kernel.mjs wasm/dist/blake2s.simd128.wasm build/debug/blake2s.simd128.wasm --rounds 1
}

# ---- evidence, in a form that fits CI: docs/evidence.md has the longer ones ----

# Whether the kernels are those that the proofs and sanitizers passed last. Nothing else can make these fail, and each
# night they run in any case. After they have passed for new kernels, commit their sums:
# cp wasm/dist/SHA256SUMS test/evidence/proved.SHA256SUMS
are_proved() {
  cmp wasm/dist/SHA256SUMS test/evidence/proved.SHA256SUMS
}

# The shipped kernels compute the specification, for every content: a fixed choice of lengths, two minutes of one core.
proofs() {
  are_proved || npm run prove
}

# The C under AddressSanitizer and UBSan.
native_kernels() {
  are_proved && return
  install_sanitizers
  npm run sanitize
}

# Random cases against Rust and @noble/hashes; blake-simd/bao and `blakesum bao` beside the Rust crates.
other_implementations() {
  install_rust
  npm run random-cases -- --seconds 10 --seed "$(date +%Y%m%d)"
  node test/interop/bao-crates.mjs 5000
}

# Changed states and lists of checksums.
hostile_input() {
  npm run fuzz -- --seconds 5
}

# ---- beside other programs ----

b2sum_interop() {
  sh test/interop/b2sum.sh
}

# The same standard output and exit status as b2sum, b3sum and blake2 in every call of test/interop/peer-cases.mjs.
peers_interop() {
  install_peers
  node test/interop/peers.mjs "$CI_DIR/tools/bin"
}

# ---- the packed package where it is used ----

# Every runtime: Node, Deno, Bun and workerd from npm, browsers from Debian; engines without WebAssembly.
runtimes() {
  install_browsers
  install_packages test/runtimes
  node test/runtimes/run.mjs --brief
}

# Bundlers, frameworks, test runners and TypeScript's module resolutions.
consumers() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/run.mjs --brief
}

# docs/getting-started.md, word for word.
getting_started() {
  { command -v chromium && command -v curl && command -v python3; } || install_debian chromium curl python3
  install_packages test/runtimes
  install_packages test/consumers
  node test/consumers/getting-started.mjs
}

examples() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  node examples/test.mjs
}

# Objects whose parts are hashed by other machines, whatever fails (docs/large-objects.md).
distributed() {
  install_stores
  install_peers
  node test/distributed/run.mjs "$CI_DIR/tools/bin/b3sum"
  node test/distributed/s3.mjs "$CI_DIR/tools/bin/b3sum"
}

# Migrations beside the other packages.
migrations() {
  npm ci --prefix test/migrations
  node test/migrations/run.mjs
}

# The site in three browsers.
site() {
  install_browsers
  npm ci --prefix site
  node site/build.mjs
  node site/test.mjs
}

# `npx jsr publish`, which would otherwise download a Deno, with that of the runtimes.
jsr() {
  local deno=$PWD/test/runtimes/node_modules/@deno/linux-x64-glibc/deno
  install_packages test/runtimes
  node scripts/jsr.mjs
  (cd build/jsr && DENO_BIN_PATH=$deno npx --yes jsr@0.14.3 publish --dry-run --allow-dirty)
}
