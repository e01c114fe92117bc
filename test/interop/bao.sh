#!/bin/sh
# `blakesum bao` against the bao program: what one writes is what the other writes, and reads.
#
#   sh test/interop/bao.sh BAO      BAO: the program, of the crate bao_bin 0.13.1
set -eu
bao=$1
blakesum=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)/dist/cli/blakesum.cjs
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"

ours() { node "$blakesum" bao "$@"; }

for length in 0 1025 3000001; do
  head -c "$length" /dev/urandom >content
  hash=$("$bao" hash content)
  [ "$(ours hash content)" = "$hash" ]
  [ "$(ours hash <content)" = "$hash" ]
  "$bao" encode content theirs
  "$bao" encode content --outboard=nodes
  ours encode content ours && cmp ours theirs
  ours encode - ours <content && cmp ours theirs
  ours encode content --outboard=ours && cmp ours nodes
  ours outboard content ours && cmp ours nodes
  ours outboard - <content | cmp - nodes
  ours decode "$hash" theirs | cmp - content
  ours decode "$hash" <theirs | cmp - content
  ours decode "$hash" content --outboard=nodes | cmp - content
  ours decode "$hash" --outboard=nodes <content | cmp - content
  for range in '0 0' '5 10' '1024 1' '2000 100000' '999999999 5'; do
    start=${range% *} count=${range#* }
    "$bao" slice "$start" "$count" theirs slice
    ours slice "$start" "$count" theirs ours && cmp ours slice
    ours slice "$start" "$count" content --outboard=nodes | cmp - slice
    "$bao" decode-slice "$hash" "$start" "$count" slice part
    ours decode-slice "$hash" "$start" "$count" slice | cmp - part
    ours decode "$hash" theirs --start="$start" --count="$count" | cmp - part
    ours decode "$hash" content --outboard=nodes --start="$start" --count="$count" | cmp - part
  done
done

# Something wrong: what comes before it is written, and the exit status says so.
printf x | dd of=theirs bs=1 seek=2000000 conv=notrunc 2>/dev/null
if "$bao" decode "$hash" theirs >part 2>/dev/null; then exit 1; fi
if ours decode "$hash" theirs >ours 2>/dev/null; then exit 1; fi
cmp ours part
