// BLAKE2bp and BLAKE2sp (BLAKE2 paper, "Parallel hashing"): LEAVES leaves take the message's blocks in turn, each in a
// lane, and a root hashes their chaining values.
#pragma once
#include "compress-lanes.h"
#include "mode.h"

#define LEAVES (256 / WORD)
// A block for each leaf.
#define STRIPE (LEAVES * BLOCK)
// The most that waits: with more, every leaf has a byte after its first waiting block, which is then not its last.
#define WAITING_MAX (2 * STRIPE - BLOCK)

typedef struct {
  head head; // prefix: a block of key for each leaf, or none
  word root[8];
  word leaves[LEAVES][8];
  u8 buffer[2 * STRIPE];
} tree;

// The caller writes what all nodes share: their offset and depth are 0 there.
SMALL void start_tree(tree *s, const parameters *p) {
  u32 prefix = key_length(p) ? STRIPE : 0;
  s->head = (head){sizeof(tree), prefix, prefix, p->flags, 0};
  start_chain(s->root, p->block);
  for (int i = 0; i < LEAVES; i++) {
    copy(s->leaves[i], s->root, sizeof s->root);
    s->leaves[i][NODE_OFFSET / sizeof(word)] ^= i;
    load_key(s->buffer + i * BLOCK, p);
  }
  ((u8 *)s->root)[NODE_DEPTH] ^= 1;
}

// Bytes that each leaf has compressed.
INLINE u128 leaf_compressed(const head *s) { return (s->count + s->prefix - s->buffered) / LEAVES; }

// Whole stripes among `length` bytes in which no leaf has its last block.
INLINE u32 ready_stripes(u32 length) { return length > WAITING_MAX ? (length - WAITING_MAX - 1) / STRIPE + 1 : 0; }

SMALL void compress_stripes(tree *s, const u8 *input, u32 stripes, u128 t) {
  lane lanes[LEAVES];
  for (int i = 0; i < LEAVES; i++) lanes[i] = (lane){s->leaves[i], input + i * BLOCK, after(t)};
  compress_chains(lanes, LEAVES, STRIPE, stripes);
}

SMALL void update_tree(tree *s, const u8 *input, u32 length) {
  u128 t = leaf_compressed(&s->head);
  u32 waiting = s->head.buffered;
  s->head.count += length;
  if (waiting + length > WAITING_MAX) {
    // The waiting bytes are filled up to whole stripes, so that the rest is compressed without a copy.
    u32 fill = min32(length, -waiting % STRIPE);
    copy(s->buffer + waiting, input, fill);
    input += fill, length -= fill, waiting += fill;
    u32 stripes = min32(waiting / STRIPE, ready_stripes(waiting + length));
    compress_stripes(s, s->buffer, stripes, t);
    t += stripes * BLOCK, waiting -= stripes * STRIPE;
    copy(s->buffer, s->buffer + stripes * STRIPE, waiting);
    stripes = waiting ? 0 : ready_stripes(length);
    compress_stripes(s, input, stripes, t);
    input += stripes * STRIPE, length -= stripes * STRIPE;
  }
  copy(s->buffer + waiting, input, length);
  s->head.buffered = waiting + length;
}

// The leaves' blocks in the stripe of the buffer that starts at `at`: whole ones that others follow, or a leaf's last.
// Returns how many leaves have a block there at all.
INLINE u32 last_lanes(tree *s, u32 at, lane lanes[LEAVES]) {
  u128 t = leaf_compressed(&s->head) + at / LEAVES;
  u32 count = 0;
  for (u32 i = 0; i < LEAVES; i++) {
    u32 from = at + i * BLOCK, left = s->head.buffered > from ? s->head.buffered - from : 0;
    if (at && !left) break;
    position p = after(t);
    if (left <= STRIPE) p = last(t + min32(left, BLOCK), i == LEAVES - 1 ? LAST_NODE : 0);
    lanes[count++] = (lane){s->leaves[i], s->buffer + from, p};
  }
  return count;
}

// The state cannot be used after this.
SMALL void finish_tree(tree *s, word out[8]) {
  lane lanes[LEAVES];
  wipe(s->buffer + s->head.buffered, sizeof s->buffer - s->head.buffered);
  for (u32 at = 0; at < sizeof s->buffer; at += STRIPE) compress_chains(lanes, last_lanes(s, at, lanes), STRIPE, 1);
  const u8 *values = (const u8 *)s->leaves;
  u32 whole = sizeof s->leaves / BLOCK - 1;
  copy(out, s->root, DIGEST);
  compress_blocks(out, values, whole, after(0));
  compress_blocks(out, values + whole * BLOCK, 1, last(sizeof s->leaves, LAST_NODE));
}
