// The BLAKE compression function over scalars, for engines without SIMD: the rounds are a loop, for a small module.
#pragma once
#include "../rounds/g.h"
#include "compress.h"
#include "constants.h"

__attribute__((noinline)) void swap_rows(void *to, const void *from, u32 count) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 4 * count * sizeof(word); i += sizeof(word)) {
    store_swapped((u8 *)to + i, (const u8 *)from + i);
  }
}

// The schedule chooses a constant as well as a word: that of the other word of the same G, four places on or back.
INLINE scalar word_at(const word *words, u8 offset) { return load_scalar((const word *)((const u8 *)words + offset)); }
#define PLUS(a, place) add(a, exor(word_at(m, round[place]), word_at(PI, round[(place) ^ 4])))

INLINE void half_g(scalar v[16], const word m[16], const u8 round[16], int i, int half, int turn, int to_d, int to_b) {
  A = add(PLUS(A, ROW_PLACE(2 * i + half, turn)), B);
  D = rotr(exor(D, A), to_d);
  C = add(C, D);
  B = rotr(exor(B, C), to_b);
}

INLINE void half_round(scalar v[16], const word m[16], const u8 round[16], int turn) {
  EACH_G(0, 4) {
    half_g(v, m, round, i, 0, turn, R1, R2);
    half_g(v, m, round, i, 1, turn, R3, R4);
  }
}

INLINE void compress_block(salted_chain *s, const word m[16], counter t) {
  scalar v[16], low = scalar_of(t.low), high = scalar_of(t.high);
  for (int i = 0; i < 8; i++) v[i] = load_scalar(&s->h[i]), v[i + 8] = scalar_of(PI[i]);
  for (int i = 0; i < 4; i++) v[8 + i] = exor(v[8 + i], load_scalar(&s->salt[i]));
  v[12] = exor(v[12], low), v[13] = exor(v[13], low), v[14] = exor(v[14], high), v[15] = exor(v[15], high);
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < ROUNDS; i++) {
    const u8 *round = SCHEDULE[i < 10 ? i : i - 10];
    half_round(v, m, round, 0);
    half_round(v, m, round, 1);
  }
  for (int i = 0; i < 8; i++) {
    scalar salted = exor(load_scalar(&s->salt[i % 4]), v[i]);
    store_scalar(&s->h[i], exor(exor(salted, v[i + 8]), load_scalar(&s->h[i])));
  }
}

void compress_from(salted_chain *s, const u8 *blocks, u32 count, word low, word high) {
  counter t = {low, high};
  word m[16];
  salted_chain locals, *chain = CHAIN_IN_LOCALS ? &locals : s;
  if (CHAIN_IN_LOCALS) {
    copy_words(locals.h, s->h, 8);
    copy_words(locals.salt, s->salt, 4);
  }
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    swap_rows(m, blocks, 4);
    compress_block(chain, m, t);
  }
  if (CHAIN_IN_LOCALS) copy_words(s->h, locals.h, 8);
  wipe(m, BLOCK);
}
