#!/bin/sh
# Holds the built command against the b2sum of GNU coreutils: the same lines byte for byte, the same verdicts, and each
# accepts the other's lists. Ends with 1 at the first difference, and if there is no b2sum to compare with.
set -eu

bin=$(cd "$(dirname "$0")/../.." && pwd)/dist/cli/blakesum.cjs
ours() { node "$bin" -a blake2b "$@"; }

fail() {
  echo "b2sum interop: $1" >&2
  exit 1
}

b2sum --version 2>/dev/null | grep -q 'GNU coreutils' || fail "needs the b2sum of GNU coreutils"

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/files" "$work/files/folder"
cd "$work/files"

for size in 0 1 127 128 129 4096 1000003; do
  head -c "$size" /dev/urandom >"size $size"
done
for name in -dash 'back\slash' '\leading' "$(printf 'new\nline')" "$(printf 'return\rhere')" 'größe 文' \
  'two  spaces' '(a) = bc' ' leading' '*star' '#hash'; do
  printf '%s' "$name" >"./$name"
done

# same WHAT OPTION... : both print the same for all files.
same() {
  what=$1
  shift
  b2sum "$@" -- * >../theirs 2>/dev/null && fail "b2sum passed over a folder"
  ours "$@" -- * >../ours 2>/dev/null && fail "blakesum passed over a folder"
  cmp ../theirs ../ours || fail "lines differ: $what"
}

for flags in -t -b --tag -z "--tag -z" "-b -z"; do
  # shellcheck disable=SC2086 # several flags in one word
  same "$flags" $flags
done

for bits in 8 16 128 256 504 512; do
  for flag in -t --tag; do
    b2sum -l "$bits" "$flag" -- 'size 129' -dash >../theirs
    ours -l $((bits / 8)) "$flag" -- 'size 129' -dash >../ours
    cmp ../theirs ../ours || fail "lines differ: $bits bits, $flag"
    b2sum -c --quiet --strict ../ours || fail "b2sum refuses our list: $bits bits, $flag"
    ours -c -l $((bits / 8)) --quiet --strict ../theirs || fail "we refuse b2sum's list: $bits bits, $flag"
  done
done

for flag in -t -b --tag; do
  ours "$flag" -- [!f]* >../list
  b2sum -c --quiet --strict ../list || fail "b2sum refuses our list: $flag"
  b2sum "$flag" -- [!f]* >../list
  sed 's/$/\r/' ../list | grep -av return >../list-crlf
  ours -c --quiet --strict ../list || fail "we refuse b2sum's list: $flag"
  ours -c --quiet --strict ../list-crlf || fail "we refuse b2sum's list with CR LF: $flag"
done

# Verdicts on a list with matches, a mismatch, a missing file and a folder, in each degree of talk; without the name
# that holds a carriage return, which b2sum's verdicts leave as it is.
{
  b2sum -- [!fr]*
  printf '# comment\n\n'
  for name in 'size 1' missing folder; do
    b2sum </dev/null | sed "s/-$/$name/"
  done
} >../list
for flag in --warn --quiet --status --ignore-missing; do
  their_status=0
  our_status=0
  b2sum -c "$flag" ../list >../theirs 2>/dev/null || their_status=$?
  ours -c "$flag" ../list >../ours 2>/dev/null || our_status=$?
  [ "$their_status $our_status" = "1 1" ] || fail "$flag: b2sum ended with $their_status, blakesum with $our_status"
  cmp ../theirs ../ours || fail "verdicts differ: $flag"
done

echo "b2sum interop: the same lines and verdicts as $(b2sum --version | head -n 1)"
