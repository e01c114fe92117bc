// The BLAKE2 compression function (RFC 7693 section 3.2) of one message, over scalars, or over rows where ROWS (memory.h)
// says so; blake2-lanes.h has it for several. It is compiled apart from the rest, because its spills want an order of
// instructions (build.mjs) that costs the lanes 4 %.
#pragma once
#include "../memory.h"
#include "compress.h"

// The mixing function G (RFC 7693 section 3.1). A message word comes before b, which comes last out of the step before. Its
// negative is subtracted: V8 subtracts straight from a spilled word, where for a sum it loads it first. That takes a tenth
// of the instructions, and with the order of `fast` scheduling (build.mjs) BLAKE2b goes from 1105 to 1162 MB/s on Node 20
// and from 859 to 909 on Node 26, BLAKE2s from 650 to 682 and from 503 to 532.
#define G(a, b, c, d, x, y)  \
  a = pin_one(a - m[x]) + b; \
  d = ROTATE_1(d ^ a);       \
  c += d;                    \
  b = ROTATE_2(b ^ c);       \
  a = pin_one(a - m[y]) + b; \
  d = ROTATE_3(d ^ a);       \
  c += d;                    \
  b = ROTATE_4(b ^ c);

// One G follows the other: with the four of a half-round interleaved, V8 spills so much that BLAKE2s falls from 670 to
// 470 MB/s.
#define ROUND WORD_BY_WORD

NOINLINE void compress_words(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
  WORD m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = pin_one(-LOAD(block + i * sizeof(WORD)));
  for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = IV[i];
  v[12] ^= t0, v[13] ^= t1, v[14] ^= f0, v[15] ^= f1;
  ALL_ROUNDS
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

void compress_chain(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1) {
#ifdef __wasm_simd128__
  if (*ROWS) {
    compress_rows(h, blocks, stride, count, t0, t1, f0, f1);
    return;
  }
#endif
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    compress_words(h, blocks, t0 = p.t0, t1 = p.t1, f0, f1);
  }
}
