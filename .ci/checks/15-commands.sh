# What the documentation has a stranger type: a build, a test or an installation, also the second of its kind, leaves every
# other command working. `unit_tests` has run `npm ci` and `npm test` once before.
CHECKS="$CHECKS documented_commands"

documented_commands() {
  npm ci
  npx blakesum README.md LICENSE package.json
  npm run build
  npm run lint
  documented_calls
}

# The lines of README.md and docs/blakesum.md that call the command, on real files.
documented_calls() {
  local line lines=0
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
