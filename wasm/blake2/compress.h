// The rounds of BLAKE2 (RFC 7693 section 3.2), over scalars or lanes alike. blake2b.h and blake2s.h say for which word:
//   WORD      u64 for BLAKE2b, u32 for BLAKE2s
//   ROUNDS    12 or 10
//   ROTATE_1 .. ROTATE_4   the rotations of G (RFC 7693 section 2.1)
//   LOAD      reads a word of the message
// and the including file what a round is:
//   ROUND(s0, .., s15)     under one row of the schedule
//
// Every round is written out, so that the schedule's indices are constants and all 32 words are locals.
#pragma once
#include "../rounds/sigma.h"

#define BLOCK (16 * sizeof(WORD))

static const WORD IV[8] = {IV_WORDS};

#define TEN_ROUNDS ROUND_0 ROUND_1 ROUND_2 ROUND_3 ROUND_4 ROUND_5 ROUND_6 ROUND_7 ROUND_8 ROUND_9
#if ROUNDS == 12
#define ALL_ROUNDS TEN_ROUNDS ROUND_0 ROUND_1
#else
#define ALL_ROUNDS TEN_ROUNDS
#endif

// The two words of the byte counter before a block, which counts it, and the two finalization flags: what is XORed into
// v[12..15].
typedef struct {
  WORD t0, t1, f0, f1;
} position;

INLINE position count_block(position p) {
  p.t0 += BLOCK;
  p.t1 += p.t0 < BLOCK;
  return p;
}

// `count` blocks, `stride` bytes from one to the next, into the chaining value of one message, after t bytes: blake2.h.
void compress_chain(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1);

// The same over rows, which keep the chaining value from block to block: blake2-rows.h.
void compress_rows(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1);

// Blocks in a row.
INLINE void compress(WORD h[8], const u8 *blocks, u32 count, position p) {
  compress_chain(h, blocks, BLOCK, count, p.t0, p.t1, p.f0, p.f1);
}
