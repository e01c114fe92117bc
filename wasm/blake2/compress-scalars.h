// The BLAKE2 compression function of one message, over scalars: they are never far from the best, while rows (the state of one
// message in four vectors) lose half of their speed where a vector operation takes two cycles (bench/NOTES.md). It is compiled
// apart from the lanes, in the order of the source (build.mjs).
#pragma once
#include "../rounds/row-offsets.h"
#include "../rounds/scalar-pairs.h"
#include "compress.h"

#ifdef LOOPS

// The message's words in memory, at a round's offsets.
#define PLUS_WORD(a, x) a + LOAD(block + offsets[x])
#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

INLINE void all_rounds(WORD v[16], const u8 *block) {
#pragma clang loop unroll(disable)
  for (u32 round = 0; round < ROUNDS; round += 2) {
    const u8 *offsets = SCHEDULE[round % 10];
    SCALAR_ROUND(ROW_PLACES)
    offsets += 16;
    SCALAR_ROUND(ROW_PLACES)
  }
}

#else

// The message's words are negated and subtracted: V8 subtracts a spilled word from memory, but loads it before an addition,
// which is 10 % more instructions.
#define PLUS_WORD(a, x) a - m[x]
#define ROUND SCALAR_ROUND

// Written out, so that the schedule's indices are constants and all 32 words are locals.
INLINE void all_rounds(WORD v[16], const u8 *block) {
  WORD m[16];
  for (int i = 0; i < 16; i++) m[i] = pin_one(-LOAD(block + i * sizeof(WORD)));
  ALL_ROUNDS
}

#endif

// The compression function F (RFC 7693 section 3.2).
STATIC_NOINLINE void compress_block(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
  const WORD *iv = iv_in_memory();
  WORD v[16];
  for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = iv[i];
  v[12] ^= t0, v[13] ^= t1, v[14] ^= f0, v[15] ^= f1;
  all_rounds(v, block);
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

void compress_scalars(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1) {
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    compress_block(h, blocks, t0 = p.t0, t1 = p.t1, f0, f1);
  }
}
