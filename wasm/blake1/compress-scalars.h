// The BLAKE compression function over scalars, for engines without SIMD: the rounds are a loop, for a small module.
#pragma once
#include "../rounds/scalar-round.h"
#include "compress.h"
#include "constants.h"

__attribute__((noinline)) void swap_rows(void *to, const void *from, u32 count) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 4 * count * sizeof(WORD); i += sizeof(WORD)) {
    STORE((u8 *)to + i, swap(LOAD((const u8 *)from + i)));
  }
}

// The schedule chooses a constant as well as a word, so G takes their places in it.
#define G(a, b, c, d, s, t)                               \
  a += b + (WORD_AT(m, round[s]) ^ WORD_AT(C, round[t])); \
  d = ROTATE_1(d ^ a);                                    \
  c += d;                                                 \
  b = ROTATE_2(b ^ c);                                    \
  a += b + (WORD_AT(m, round[t]) ^ WORD_AT(C, round[s])); \
  d = ROTATE_3(d ^ a);                                    \
  c += d;                                                 \
  b = ROTATE_4(b ^ c);
#define WORD_AT(words, offset) (*(const WORD *)((const u8 *)(words) + (offset)))

INLINE void compress_block(salted_chain *s, const WORD m[16], counter t) {
  WORD v[16];
  for (int i = 0; i < 8; i++) v[i] = s->h[i], v[i + 8] = C[i];
  for (int i = 0; i < 4; i++) v[8 + i] ^= s->salt[i];
  v[12] ^= t.low, v[13] ^= t.low, v[14] ^= t.high, v[15] ^= t.high;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < ROUNDS; i++) {
    const u8 *round = SCHEDULE[i < 10 ? i : i - 10];
    SCALAR_ROUND(ROW_PLACES)
  }
  for (int i = 0; i < 8; i++) s->h[i] ^= s->salt[i % 4] ^ v[i] ^ v[i + 8];
}

void compress_from(salted_chain *s, const u8 *blocks, u32 count, WORD low, WORD high) {
  counter t = {low, high};
  WORD m[16];
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    swap_rows(m, blocks, 4);
    compress_block(s, m, t);
  }
  wipe(m, BLOCK);
}
