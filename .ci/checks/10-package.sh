# Each check is a function that runs under `set -euo pipefail`. These need Node and npm alone.
CHECKS="$CHECKS unit_tests guard types lint package_shape package_installs"

# `npm test` builds.
unit_tests() {
  npm ci --ignore-scripts
  npm test
}

# Calls with all memory that they do not own under watch, and while a caller's memory changes.
guard() {
  npm run test:guard -- test/guard
}

types() {
  npx tsc --noEmit
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
