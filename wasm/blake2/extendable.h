// BLAKE2Xb and BLAKE2Xs (BLAKE2X paper): the hash of the message, whose parameter block has the length of the output,
// is the seed of the output blocks, each of which is a hash of it under the block's number.
#pragma once
#include "compress-lanes.h"
#include "mode.h"

// The length of the output has four bytes in the parameter block of BLAKE2Xb, and two in that of BLAKE2Xs.
#define XOF_UNKNOWN (WORD == 64 ? 0xffffffff : 0xffff)

typedef struct {
  state message;
  word block[8]; // the parameter block, for those of the output
} extendable;

// What squeeze() reads.
typedef struct {
  word seed[BLOCK / sizeof(word)]; // zero-padded to the block that it is hashed as
  word block[8];                   // the parameter block, with 0 for a block's length and number
} source;

SMALL void start_extendable(extendable *s, const parameters *p) {
  start(&s->message, p);
  s->message.head.size = sizeof(extendable);
  copy(s->block, p->block, sizeof s->block);
}

// The parameter block of the output blocks (BLAKE2X paper section 2).
SMALL void open_source(const extendable *s, source *r) {
  u8 *block = (u8 *)r->block;
  finish(&s->message, r->seed);
  wipe(r->seed + 8, BLOCK - DIGEST);
  copy(block, s->block, sizeof s->block);
  block[DIGEST_LENGTH] = block[KEY_LENGTH] = block[FANOUT] = block[MAX_DEPTH] = block[NODE_DEPTH] = 0;
  block[INNER_LENGTH] = DIGEST;
  store32(block + MAX_LEAF_LENGTH, DIGEST);
  store32(block + NODE_OFFSET, 0);
}

// Only the last block of an output of known length is shorter than a digest.
INLINE u32 output_length(const source *r, u32 number) {
  u32 total = load32((const u8 *)r->block + XOF_LENGTH) & XOF_UNKNOWN;
  return total == XOF_UNKNOWN ? DIGEST : min32(DIGEST, total - number * DIGEST);
}

INLINE lane output_lane(const source *r, const word chain[8], u32 number, word h[8]) {
  for (int i = 0; i < 8; i++) h[i] = chain[i];
  h[DIGEST_LENGTH] ^= output_length(r, number);
  h[NODE_OFFSET / sizeof(word)] ^= number;
  return (lane){h, (const u8 *)r->seed, last(DIGEST, 0)};
}

// As many output blocks at a time as there are lanes, but none after the one that holds the last byte wanted.
SMALL void xof_bytes(const source *r, u64 at, u32 length, u8 *out) {
  word blocks[LANES][8], chain[8];
  lane lanes[LANES];
  start_chain(chain, r->block);
  while (length) {
    u32 number = (u32)(at / DIGEST), skip = (u32)at % DIGEST;
    u32 count = min32(LANES, (skip + length - 1) / DIGEST + 1), take = min32(count * DIGEST - skip, length);
    for (u32 i = 0; i < count; i++) lanes[i] = output_lane(r, chain, number + i, blocks[i]);
    compress_chains(lanes, count, 0, 1);
    copy(out, (const u8 *)blocks + skip, take);
    at += take, out += take, length -= take;
  }
  wipe(blocks, sizeof blocks);
  wipe(chain, sizeof chain);
}
