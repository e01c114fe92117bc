#!/bin/sh
# What docs/large-objects.md has the shell and Python do, on two processes: each prints the digest of b3sum.
#
#   sh test/distributed/engines.sh B3SUM    needs parallel, Dask, and npm run build
set -eu
b3sum=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$root/dist/cli/blakesum.cjs" "$folder/bin/blakesum"
ln -s "$root/examples/distributed/dask_hash.py" "$folder"
PATH=$folder/bin:$PATH
cd "$folder"

head -c 500000001 /dev/urandom >object
digest=$("$b3sum" --no-names object)

expect() {
  [ "$2" = "$digest" ] || { echo "FAILED  $1: $2 instead of $digest"; exit 1; }
  echo "ok      $1"
}

# The blocks of the document that use the object.
awk '/^```sh/ { block++; inside = 1; next } /^```/ { inside = 0 } inside { print >("block-" block) }' \
  "$root/docs/large-objects.md"
run=0
for block in block-*; do
  grep -q ' object' "$block" || continue
  name=$(grep -oE 'xargs|parallel|python3' "$block" | head -n 1)
  expect "$name" "$(sh "$block" | sed 's/ .*//')"
  run=$((run + 1))
done
[ "$run" -eq 3 ] || { echo "FAILED  $run documented commands instead of 3"; exit 1; }

expect "one part with Dask" "$(python3 dask_hash.py --part 536870912 object | sed 's/ .*//')"
if blakesum --subtree 0+67108864 object | blakesum --merge 500000001 67108864; then
  echo "FAILED  a merge without all parts"
  exit 1
fi
