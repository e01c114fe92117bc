// What the shapes of the BLAKE2 compression function (RFC 7693 section 3.2) have in common. blake2b-word.h and blake2s-word.h
// define
//   WORD                   u64 for BLAKE2b, u32 for BLAKE2s
//   ROUNDS                 12 or 10
//   ROTATE_1 .. ROTATE_4   the rotations of G (RFC 7693 section 2.1)
//   LOAD                   reads a word of the message
//   IV_WORDS, T0, T1       the IV; the words of a byte counter
// and each shape defines
//   ROUND(s0, .., s15)     a round under one row of the schedule, or that row as data
#pragma once
#include "../memory.h"
#include "../rounds/sigma.h"

#define BLOCK (16 * sizeof(WORD))

static const WORD IV[8] = {IV_WORDS};

// The IV where it lies in memory: as constants in the code, the two builds would each have it in a form of their own.
INLINE const WORD *iv_in_memory(void) {
  const WORD *iv = IV;
  __asm__("" : "+r"(iv));
  return iv;
}

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

// Compresses `count` blocks of one message, `stride` bytes from one to the next, into its chaining value: compress-scalars.h. A
// position is passed word by word: as a struct it would go through memory.
void compress_scalars(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1);

INLINE void compress_strided(WORD h[8], const u8 *blocks, u32 stride, u32 count, position p) {
  if (count) require_area(blocks, (count - 1) * stride + BLOCK);
  compress_scalars(h, blocks, stride, count, p.t0, p.t1, p.f0, p.f1);
}

// The same for adjacent blocks.
INLINE void compress_blocks(WORD h[8], const u8 *blocks, u32 count, position p) {
  compress_strided(h, blocks, BLOCK, count, p);
}
