# The command beside the programs that it stands in for.
CHECKS="$CHECKS b2sum_interop b3sum_interop"

b2sum_interop() {
  sh test/interop/b2sum.sh
}

# Lines of ours that b3sum accepts, and lines of b3sum's that we accept.
b3sum_interop() {
  command -v cargo || install_debian cargo
  cargo install --quiet --locked --root build/ci/tools b3sum@1.8.6
  local b3sum=$PWD/build/ci/tools/bin/b3sum blakesum=$PWD/dist/cli/blakesum.cjs folder
  folder=$(mktemp -d)
  cd "$folder"
  : >empty
  head -c 1000000 /dev/zero >zeros
  head -c 70001 /dev/urandom >'a name
of two lines'
  node "$blakesum" -- * >ours
  "$b3sum" -- empty zeros 'a name
of two lines' >theirs
  "$b3sum" --check ours
  node "$blakesum" --check theirs
  sort ours >ours.sorted
  sort theirs | diff - ours.sorted
  [ "$(node "$blakesum" -l 100 zeros)" = "$("$b3sum" -l 100 zeros)" ]
  head -c 32 /dev/urandom >"$folder.key"
  [ "$(node "$blakesum" --keyed zeros <"$folder.key")" = "$("$b3sum" --keyed zeros <"$folder.key")" ]
  [ "$(node "$blakesum" --derive-key context zeros)" = "$("$b3sum" --derive-key context zeros)" ]
  rm -r "$folder" "$folder.key"
}
