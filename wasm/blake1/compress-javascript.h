// The BLAKE compression function for JavaScript: the rounds are a loop, as over scalars.
#pragma once
#include "../rounds/scalar-round.h"
#include "compress.h"
#include "constants.h"

typedef split_word(WORD) word;
#define WORD_AT(p) load_words(p, WORD)

INLINE u32 load_big_endian(const u8 *p) { return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
INLINE u32 u32_big_endian(const u8 *p) { return load_big_endian(p); }
INLINE pair pair_big_endian(const u8 *p) { return (pair){load_big_endian(p + 4), load_big_endian(p)}; }
#define BIG_ENDIAN_AT(p) _Generic((WORD)0, u32 : u32_big_endian, u64 : pair_big_endian)(p)

// Any bytes -> aligned words, or the other way round: `to` is aligned.
__attribute__((noinline)) void swap_rows(void *to, const void *from, u32 count) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 4 * count * sizeof(WORD); i += sizeof(WORD)) {
    store_words((u8 *)to + i, BIG_ENDIAN_AT((const u8 *)from + i));
  }
}

// The schedule chooses a constant as well as a word, so G takes their places in it.
#define G(a, b, c, d, s, t)                                                \
  a = add_words(add_words(a, b), xor_words(WORD_OF(m, s), WORD_OF(C, t))); \
  d = ROTATE_1(xor_words(d, a));                                           \
  c = add_words(c, d);                                                     \
  b = ROTATE_2(xor_words(b, c));                                           \
  a = add_words(add_words(a, b), xor_words(WORD_OF(m, t), WORD_OF(C, s))); \
  d = ROTATE_3(xor_words(d, a));                                           \
  c = add_words(c, d);                                                     \
  b = ROTATE_4(xor_words(b, c));
#define WORD_OF(words, place) WORD_AT((const u8 *)(words) + round[place])

INLINE void compress_block(word h[8], const WORD *salt, const WORD m[16], counter t) {
  word v[16];
  for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = split(C[i]);
  for (int i = 0; i < 4; i++) v[8 + i] = xor_words(v[8 + i], WORD_AT(salt + i));
  v[12] = xor_words(v[12], split(t.low)), v[13] = xor_words(v[13], split(t.low));
  v[14] = xor_words(v[14], split(t.high)), v[15] = xor_words(v[15], split(t.high));
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < ROUNDS; i++) {
    const u8 *round = SCHEDULE[i < 10 ? i : i - 10];
    SCALAR_ROUND(ROW_PLACES)
  }
  for (int i = 0; i < 8; i++) h[i] = xor_words(xor_words(h[i], WORD_AT(salt + i % 4)), xor_words(v[i], v[i + 8]));
}

void compress_from(salted_chain *s, const u8 *blocks, u32 count, WORD low, WORD high) {
  counter t = {low, high};
  WORD m[16];
  word h[8];
  for (int i = 0; i < 8; i++) h[i] = WORD_AT(s->h + i);
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    swap_rows(m, blocks, 4);
    compress_block(h, s->salt, m, t);
  }
  for (int i = 0; i < 8; i++) store_words(s->h + i, h[i]);
  wipe(m, BLOCK);
}
