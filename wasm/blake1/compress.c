// The compression function of BLAKE, over rows, or over scalars for engines without SIMD. In either shape the rounds are a
// loop, for a small module.
#include "compress.h"
#include "../rounds.h"

#ifdef SIMD

// Stored row by row: a load of a row would have to wait for stores of single words.
void swap_rows(void *to, const void *from, u32 count) {
  ROLLED
  for (u32 i = 0; i < count * sizeof(row); i += sizeof(row)) store_row((u8 *)to + i, swap_row(load_row((const u8 *)from + i)));
}

// The words of a round as offsets, in the order in which rows need them, and the constants that they are combined with,
// computed at first use: as data they would be half of the kernel in a bundle.
typedef struct {
  word constants[16];
  u8 words[16];
} round_data;

static round_data ROUND_DATA[10];

// For the first and second half of G on the columns, then on the diagonals, the last one first. A word is combined with
// the constant of the word in the other half of G.
SMALL void make_round_data(void) {
  for (u32 i = 0; i < 160; i++) {
    u32 turn = i / 8 % 2, half = i / 4 % 2, g = (i + 3 * turn) % 4, place = 8 * turn + 2 * g + half;
    ROUND_DATA[i / 16].words[i % 16] = sizeof(word) * SIGMA[i / 16][place];
    ROUND_DATA[i / 16].constants[i % 16] = PI[SIGMA[i / 16][place ^ 1]];
  }
}

INLINE row four_words(const word m[16], const round_data *round, int quarter) {
  return gather_row((const u8 *)m, &round->words[4 * quarter]) ^ load_row(&round->constants[4 * quarter]);
}

INLINE void round_with(row v[4], const word m[16], const round_data *round, masks masks) {
  round_of_rows(v, four_words(m, round, 0), four_words(m, round, 1), four_words(m, round, 2), four_words(m, round, 3), masks);
}

// A half-round over rows takes as long as the latency of G, whatever its words cost. So words are gathered from memory,
// and rounds are done two at a time (bench/NOTES.md).
void compress_from(salted_chain *s, const u8 *blocks, u32 count, word low, word high) {
  counter t = {low, high};
  if (!ROUND_DATA[0].constants[0]) make_round_data();
  row h0 = load_row(s->h), h1 = load_row(s->h + 4), salt = load_row(s->salt);
  word m[16];
  masks masks = masks_in_locals();
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    for (int i = 0; i < 16; i += 4) store_row(m + i, swap_row(load_row(blocks + i * sizeof(word))));
    row v[4] = {h0, h1, salt ^ load_row(PI), (row){t.low, t.low, t.high, t.high} ^ load_row(PI + 4)};
    ROLLED
    for (u32 i = 0; i < ROUNDS; i += 2) {
      const round_data *round = &ROUND_DATA[i < 10 ? i : i - 10];
      round_with(v, m, round, masks);
      round_with(v, m, round + 1, masks);
    }
    h0 ^= salt ^ v[0] ^ v[2];
    h1 ^= salt ^ v[1] ^ v[3];
  }
  store_row(s->h, h0), store_row(s->h + 4, h1);
  wipe(m, BLOCK);
}

#else

NOINLINE void swap_rows(void *to, const void *from, u32 count) {
  ROLLED
  for (u32 i = 0; i < 4 * count * sizeof(word); i += sizeof(word)) store_swapped((u8 *)to + i, (const u8 *)from + i);
}

// A word is combined with the constant of the other word of the same G.
INLINE scalar plus(scalar a, const word m[16], const u8 s[16], int place) {
  return add(a, exor(load_scalar(&m[s[place]]), load_scalar(&PI[s[place ^ 1]])));
}

INLINE void half_of_one_g(scalar v[16], const word m[16], const u8 s[16], int i, int half, int turn, int to_d, int to_b) {
  A = add(plus(A, m, s, 8 * turn + 2 * i + half), B);
  D = rotr(exor(D, A), to_d);
  C = add(C, D);
  B = rotr(exor(B, C), to_b);
}

INLINE void compress_block(salted_chain *chain, const word m[16], counter t) {
  scalar v[16], low = scalar_of(t.low), high = scalar_of(t.high);
  for (int i = 0; i < 8; i++) v[i] = load_scalar(&chain->h[i]), v[i + 8] = scalar_of(PI[i]);
  for (int i = 0; i < 4; i++) v[8 + i] = exor(v[8 + i], load_scalar(&chain->salt[i]));
  v[12] = exor(v[12], low), v[13] = exor(v[13], low), v[14] = exor(v[14], high), v[15] = exor(v[15], high);
  ROLLED
  for (u32 round = 0; round < ROUNDS; round++) {
    const u8 *s = SIGMA[round < 10 ? round : round - 10];
    UNROLLED
    for (int turn = 0; turn < 2; turn++) {
      EACH_G(0, 4) {
        half_of_one_g(v, m, s, i, 0, turn, R1, R2);
        half_of_one_g(v, m, s, i, 1, turn, R3, R4);
      }
    }
  }
  for (int i = 0; i < 8; i++) {
    scalar salted = exor(load_scalar(&chain->salt[i % 4]), v[i]);
    store_scalar(&chain->h[i], exor(exor(salted, v[i + 8]), load_scalar(&chain->h[i])));
  }
}

void compress_from(salted_chain *s, const u8 *blocks, u32 count, word low, word high) {
  counter t = {low, high};
  word m[16];
  salted_chain locals, *chain = INLINE_BLOCK ? &locals : s;
  if (INLINE_BLOCK) {
    copy_words(locals.h, s->h, 8);
    copy_words(locals.salt, s->salt, 4);
  }
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    swap_rows(m, blocks, 4);
    compress_block(chain, m, t);
  }
  if (INLINE_BLOCK) copy_words(s->h, locals.h, 8);
  wipe(m, BLOCK);
}

#endif
