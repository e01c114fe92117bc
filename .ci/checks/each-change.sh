# What each change has to pass, the longest first, so that both copies of the project end at about the same time. Each check is
# a function that runs under `set -euo pipefail`. unit_tests is run before all others, alone.
CHECKS="unit_tests proofs consumers guard runtimes distributed peers_interop site native_kernels bao_interop kernels_rebuild
documented_commands engines bao_crates getting_started other_implementations kernels_debug types package_shape package_installs
migrations examples b2sum_interop hostile_input kernels_format lint jsr"

# ---- what needs Node and npm alone ----

# `npm test` builds.
unit_tests() {
  npm ci --ignore-scripts
  npm test
}

# Calls while a caller's memory changes.
guard() {
  npm run test:guard
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

# A project of a user's: the tarball installed, imported by name, the command on its path.
package_installs() {
  local project
  project=$(mktemp -d)
  npm pack --ignore-scripts --pack-destination "$project"
  (
    cd "$project"
    npm init -y
    npm install ./*.tgz
    printf hello >greeting
    [ "$(npx blakesum greeting)" = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f  greeting" ]
    node --input-type=module -e 'import { blake3, toHex } from "blake-simd"; if (!toHex(blake3("hello")).startsWith("ea8f163d")) process.exit(1)'
  )
  rm -r "$project"
}

# What the documentation has a stranger type: a second installation, which builds again, leaves every other command working.
# Then the lines of README.md and docs/blakesum.md that call the command, on real files.
documented_commands() {
  local line lines=0
  npm ci
  mkdir -p build/ci
  head -c 32 /dev/urandom >build/ci/key
  while read -r line <&3; do
    lines=$((lines + 1))
    echo "$line"
    (eval "$line")
  done 3< <(grep -hE '^(npx -p blake-simd )?blakesum ' README.md docs/blakesum.md | sed 's/^\(npx -p blake-simd \)\?blakesum/npx blakesum/
    s/; blakesum/; npx blakesum/; s/FILE\.\.\./LICENSE package.json/g; s/FILE/LICENSE/g
    s/CONTEXT/context/g; s/FOLDER/docs/g; s#< key#< build/ci/key#; s#> completions#> build/ci/completions#
    s#\bsums\b#build/ci/sums#g')
  [ "$lines" -ge 15 ]
  npx blakesum README.md LICENSE package.json
}

# ---- the kernels ----

# As Debian 12's clang-format 14 has it.
kernels_format() {
  command -v clang-format || install_debian clang-format
  find wasm -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
}

# Rebuilds the kernels and compares them with what is checked in.
kernels_rebuild() {
  install_emscripten
  local here elsewhere file
  here=build/ci/kernels elsewhere=$(mktemp -d)
  node wasm/build/build.mjs --out "$here"
  diff -r wasm/dist "$here"
  # One of them from another folder: no path may leave a trace.
  cp -r wasm "$elsewhere/sources of the kernels" && ln -s "$PWD/node_modules" "$elsewhere"
  node "$elsewhere/sources of the kernels/build/build.mjs" --out "$elsewhere/dist" blake2s
  for file in "$elsewhere"/dist/blake*; do cmp "$file" "wasm/dist/${file##*/}"; done
  rm -r "$elsewhere"
}

# One kernel with checks: it compiles, and has the digests of the one without.
kernels_debug() {
  install_emscripten
  node wasm/build/build.mjs --debug blake2s
  node bench/kernel.mjs wasm/dist/blake2s.simd128.wasm build/debug/blake2s.simd128.wasm --rounds 1
}

# ---- evidence, in a form that fits CI: docs/evidence.md has the longer ones ----

# The shipped kernels compute the specification, for every content: a fixed choice of lengths, three minutes of one core.
proofs() {
  npm run prove
}

# The C under AddressSanitizer and UBSan.
native_kernels() {
  install_sanitizers
  [ -e dist/sbom.cdx.json ] || npm run build
  npm run sanitize
}

# Random cases against Rust and @noble/hashes.
other_implementations() {
  install_rust
  [ -e dist/sbom.cdx.json ] || npm run build
  npm run random-cases -- --seconds 10 --seed "$(date +%Y%m%d)"
}

# Changed states and lists of checksums.
hostile_input() {
  [ -e dist/sbom.cdx.json ] || npm run build
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

# blake-simd/bao beside the Rust crates, and the command beside the program of the same name.
bao_crates() {
  install_rust
  node test/interop/bao-crates.mjs 5000
}

bao_interop() {
  install_crates bao_bin@0.13.1
  sh test/interop/bao.sh "$CI_DIR/tools/bin/bao"
}

# ---- the packed package where it is used ----

# Every runtime: Node, Deno, Bun and workerd from npm, browsers from Debian.
runtimes() {
  install_browsers
  install_packages test/runtimes
  node test/runtimes/run.mjs --brief
}

# Engines without WebAssembly: Node without a compiler, Chromium, Hermes and QuickJS.
engines() {
  command -v chromium || install_debian chromium
  install_packages test/runtimes
  node test/runtimes/engines.mjs --brief
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
