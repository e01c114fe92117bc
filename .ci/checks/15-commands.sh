# What the documentation has a stranger type, in any order, twice: a build, a test or an installation leaves every other
# command working. `unit_tests` has run `npm ci` and `npm test` once before.
CHECKS="$CHECKS documented_commands"

documented_commands() {
  commands_of_readme
  npm ci
  commands_of_readme
  commands_of_readme
  npm run build
  npm run build
  commands_of_readme
  npm test
  commands_of_readme
  npm run lint
  npm run lint
}

# The lines of README.md that call the command, on real files.
commands_of_readme() {
  local line lines=0
  head -c 32 /dev/urandom >build/ci/key
  while read -r line <&3; do
    lines=$((lines + 1))
    echo "$line"
    (eval "$line")
  done 3< <(grep '^npx blakesum' README.md | sed 's/FILE\.\.\./LICENSE package.json/g; s/FILE/LICENSE/g; s/CONTEXT/context/g
    s#> sums; npx blakesum -c sums#> build/ci/sums; npx blakesum -c build/ci/sums#; s#< key#< build/ci/key#')
  [ "$lines" -ge 5 ]
  npx blakesum README.md LICENSE package.json
}
