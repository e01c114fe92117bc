// The BLAKE2 compression function of one message over scalars, and the choice between it and rows (ROWS in memory.h). It is
// compiled apart from the lanes, because it spills less in an order of instructions (build.mjs) that costs the lanes 4 %.
#pragma once
#include "../rounds/scalar-round.h"
#include "compress.h"

// The mixing function G (RFC 7693 section 3.1). b is known last, so it is added last. The message's words are negated and
// subtracted: V8 subtracts a spilled word from memory, but loads it before an addition, which is 10 % more instructions.
#define G(a, b, c, d, x, y)  \
  a = pin_one(a - m[x]) + b; \
  d = ROTATE_1(d ^ a);       \
  c += d;                    \
  b = ROTATE_2(b ^ c);       \
  a = pin_one(a - m[y]) + b; \
  d = ROTATE_3(d ^ a);       \
  c += d;                    \
  b = ROTATE_4(b ^ c);

// One G after the other: with the four of a half-round interleaved, V8 spills so much that BLAKE2s is 30 % slower.
#define ROUND SCALAR_ROUND

// The compression function F (RFC 7693 section 3.2). All rounds are written out, so that the schedule's indices are constants
// and all 32 words are locals.
NOINLINE void compress_block(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
  WORD m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = pin_one(-LOAD(block + i * sizeof(WORD)));
  for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = IV[i];
  v[12] ^= t0, v[13] ^= t1, v[14] ^= f0, v[15] ^= f1;
  ALL_ROUNDS
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

void compress_strided(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1) {
  if (count) require_area(blocks, (count - 1) * stride + BLOCK);
#ifdef __wasm_simd128__
  if (*ROWS) {
    compress_strided_rows(h, blocks, stride, count, t0, t1, f0, f1);
    return;
  }
#endif
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    compress_block(h, blocks, t0 = p.t0, t1 = p.t1, f0, f1);
  }
}
