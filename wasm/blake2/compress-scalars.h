// The BLAKE2 compression function of one message over scalars. BLAKE2b's rounds are written out, because V8 before 12.8 runs
// that faster than rows; BLAKE2s's are a loop (ROLLED), for engines without SIMD only. It is compiled apart from the lanes,
// because it spills less in an order of instructions (build.mjs) that costs the lanes 4 %.
#pragma once
#include "../rounds/row-offsets.h"
#include "../rounds/scalar-round.h"
#include "compress.h"

#ifdef ROLLED
// The message's words in memory, at a round's offsets.
#define MINUS_WORD(x) -LOAD(block + offsets[x])
#else
#define MINUS_WORD(x) m[x]
#endif

// The mixing function G (RFC 7693 section 3.1). b is known last, so it is added last. The message's words are negated and
// subtracted: V8 subtracts a spilled word from memory, but loads it before an addition, which is 10 % more instructions.
#define G(a, b, c, d, x, y)           \
  a = pin_one(a - MINUS_WORD(x)) + b; \
  d = ROTATE_1(d ^ a);                \
  c += d;                             \
  b = ROTATE_2(b ^ c);                \
  a = pin_one(a - MINUS_WORD(y)) + b; \
  d = ROTATE_3(d ^ a);                \
  c += d;                             \
  b = ROTATE_4(b ^ c);

#ifdef ROLLED

#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

INLINE void all_rounds(WORD v[16], const u8 *block) {
#pragma clang loop unroll(disable)
  for (u32 round = 0; round < ROUNDS; round++) {
    const u8 *offsets = SCHEDULE[round < 10 ? round : round - 10];
    SCALAR_ROUND(ROW_PLACES)
  }
}

#else

// One G after the other: with the four of a half-round interleaved, V8 spills 30 % of the speed away.
#define ROUND SCALAR_ROUND

// Written out, so that the schedule's indices are constants and all 32 words are locals.
INLINE void all_rounds(WORD v[16], const u8 *block) {
  WORD m[16];
  for (int i = 0; i < 16; i++) m[i] = pin_one(-LOAD(block + i * sizeof(WORD)));
  ALL_ROUNDS
}

#endif

// The compression function F (RFC 7693 section 3.2).
NOINLINE void compress_block(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
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
