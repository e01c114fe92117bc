// The BLAKE compression function over rows. The including file defines, besides what compress.h asks for,
//   ROW, LOAD_ROW, STORE_ROW, GATHER_ROW   four words in vectors
//   MASK_1, MASK_3                         the masks of the rotations 1 and 3, if they are swizzles by mask_1 and mask_3
#pragma once
#include "../rounds/row-round.h"
#include "compress.h"
#include "constants.h"

// Row by row: stored word by word, a row loaded from them would have to wait.
void swap_rows(void *to, const void *from, u32 count) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < count * sizeof(ROW); i += sizeof(ROW)) STORE_ROW((u8 *)to + i, swap(LOAD_ROW((const u8 *)from + i)));
}

// The constants of a round in the order of its words, made at first use: as data they would be half of a bundle's kernel.
typedef struct {
  WORD constants[16];
  u8 words[16];
} round_data;

static round_data ROUND_DATA[10];

// What is added with a word is the constant of the word in the other half of G.
SMALL void make_round_data(void) {
  for (int i = 0; i < 160; i++) {
    round_data *round = &ROUND_DATA[i / 16];
    round->words[i % 16] = ((const u8 *)SCHEDULE)[i];
    round->constants[i % 16] = *(const WORD *)((const u8 *)C + ((const u8 *)SCHEDULE)[i ^ 4]);
  }
}

INLINE ROW four_words(const WORD m[16], const round_data *round, int quarter) {
  return GATHER_ROW((const u8 *)m, &round->words[4 * quarter]) ^ LOAD_ROW(&round->constants[4 * quarter]);
}

#define FULL_ROUND(r) ROW_ROUND(four_words(m, r, 0), four_words(m, r, 1), four_words(m, r, 2), four_words(m, r, 3))

// The latency of G bounds a half-round over rows, whatever its words cost: so they are gathered from memory, and the rounds are
// a loop, two at a time (bench/NOTES.md).
void compress_from(salted_chain *s, const u8 *blocks, u32 count, WORD low, WORD high) {
  counter t = {low, high};
  if (!ROUND_DATA[0].constants[0]) make_round_data();
  ROW h0 = LOAD_ROW(s->h), h1 = LOAD_ROW(s->h + 4), salt = LOAD_ROW(s->salt);
  WORD m[16];
#ifdef MASK_1
  HOIST(v128_t, mask_1, MASK_1);
#endif
  HOIST(v128_t, mask_3, MASK_3);
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    for (int i = 0; i < 16; i += 4) STORE_ROW(m + i, swap(LOAD_ROW(blocks + i * sizeof(WORD))));
    ROW a = h0, b = h1;
    ROW c = salt ^ (ROW) { C_0, C_1, C_2, C_3 }, d = (ROW){t.low, t.low, t.high, t.high} ^ (ROW) { C_4, C_5, C_6, C_7 };
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < ROUNDS; i += 2) {
      const round_data *round = &ROUND_DATA[i < 10 ? i : i - 10];
      FULL_ROUND(round)
      FULL_ROUND(round + 1)
    }
    h0 ^= salt ^ a ^ c;
    h1 ^= salt ^ b ^ d;
  }
  STORE_ROW(s->h, h0), STORE_ROW(s->h + 4, h1);
  wipe(m, BLOCK);
}
