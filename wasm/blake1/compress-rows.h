// The BLAKE compression function over rows.
#pragma once
#include "../rounds/rows.h"
#include "compress.h"
#include "constants.h"

// Stored row by row: a load of a row would have to wait for stores of single words.
void swap_rows(void *to, const void *from, u32 count) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < count * sizeof(row); i += sizeof(row)) store_row((u8 *)to + i, swap_row(load_row((const u8 *)from + i)));
}

// The constants of a round in the order of its words, computed at first use: as data they would be half of the
// kernel in a bundle.
typedef struct {
  word constants[16];
  u8 words[16];
} round_data;

static round_data ROUND_DATA[10];

// A word is combined with the constant of the word in the other half of G.
SMALL void make_round_data(void) {
  for (int i = 0; i < 160; i++) {
    round_data *round = &ROUND_DATA[i / 16];
    round->words[i % 16] = ((const u8 *)SCHEDULE)[i];
    round->constants[i % 16] = *(const word *)((const u8 *)PI + ((const u8 *)SCHEDULE)[i ^ 4]);
  }
}

INLINE row four_words(const word m[16], const round_data *round, int quarter) {
  return gather_row((const u8 *)m, &round->words[4 * quarter]) ^ load_row(&round->constants[4 * quarter]);
}

INLINE void half_round(row v[4], const word m[16], const round_data *round, int turn, masks masks) {
  half_round_of_rows(v, four_words(m, round, 2 * turn), four_words(m, round, 2 * turn + 1), turn, masks);
}

// A half-round over rows takes as long as the latency of G, whatever its words cost. So words are gathered from memory,
// and the rounds are a loop, two at a time (bench/NOTES.md).
void compress_from(salted_chain *s, const u8 *blocks, u32 count, word low, word high) {
  counter t = {low, high};
  if (!ROUND_DATA[0].constants[0]) make_round_data();
  row h0 = load_row(s->h), h1 = load_row(s->h + 4), salt = load_row(s->salt);
  word m[16];
  masks masks = hoisted_masks();
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    for (int i = 0; i < 16; i += 4) store_row(m + i, swap_row(load_row(blocks + i * sizeof(word))));
    row v[4] = {h0, h1, salt ^ (row){C_0, C_1, C_2, C_3}, (row){t.low, t.low, t.high, t.high} ^ (row){C_4, C_5, C_6, C_7}};
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < ROUNDS; i += 2) {
      const round_data *round = &ROUND_DATA[i < 10 ? i : i - 10];
      half_round(v, m, round, 0, masks);
      half_round(v, m, round, 1, masks);
      half_round(v, m, round + 1, 0, masks);
      half_round(v, m, round + 1, 1, masks);
    }
    h0 ^= salt ^ v[0] ^ v[2];
    h1 ^= salt ^ v[1] ^ v[3];
  }
  store_row(s->h, h0), store_row(s->h + 4, h1);
  wipe(m, BLOCK);
}
