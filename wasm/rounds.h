// G and the rounds of BLAKE, BLAKE2 and BLAKE3, whose including file has G's rotations R1 to R4 (RFC 7693 section 2.1).
// G (section 3.1) has two halves, which differ in a word of the message and in two rotations:
//
//   a += b + word;  d = rotr(d ^ a, to_d);  c += d;  b = rotr(b ^ c, to_b)
//
// Gs are independent of each other, and one waits for its operands while another runs. So a step is done for several Gs
// in turn. A to D are the words of the i-th G, on the columns of the state v (turn 0) or on its diagonals (turn 1).
#pragma once
#include "words.h"

#define EACH_G(first, count) \
  UNROLLED                   \
  for (int i = (first); i < (first) + (count); i++)
#define A v[i]
#define B v[4 + (i + turn) % 4]
#define C v[8 + (i + 2 * turn) % 4]
#define D v[12 + (i + 3 * turn) % 4]

// The message schedule of BLAKE and BLAKE2 (BLAKE paper section 2.1.1; RFC 7693 section 2.7). Rounds from the eleventh
// on start again at the first row.
static const u8 SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

// ---- over scalars, for BLAKE2 and BLAKE3: one block ----

#ifdef JAVASCRIPT
INLINE scalar in_order(scalar x) { return x; }
#else
INLINE scalar in_order(scalar x) { return opaque_in_order(x); }
#endif

#if ROUNDS_IN_LOOP
typedef const u8 *message_words; // the block itself
INLINE message_words message_of(const u8 *block, scalar words[16]) { return (void)words, block; }
INLINE scalar plus_word(scalar a, message_words m, u32 i) { return add(a, message_word(m + i * sizeof(word))); }
#elif defined(JAVASCRIPT)
typedef const scalar *message_words;
INLINE message_words message_of(const u8 *block, scalar words[16]) {
  for (int i = 0; i < 16; i++) words[i] = message_word(block + i * sizeof(word));
  return words;
}
INLINE scalar plus_word(scalar a, message_words m, u32 i) { return add(a, m[i]); }
#else
// Words are negated and subtracted: V8 subtracts a spilled word from memory, but loads it before an addition, which is
// 10 % more instructions.
typedef const scalar *message_words;
INLINE message_words message_of(const u8 *block, scalar words[16]) {
  for (int i = 0; i < 16; i++) words[i] = opaque(-message_word(block + i * sizeof(word)));
  return words;
}
INLINE scalar plus_word(scalar a, message_words m, u32 i) { return a - m[i]; }
#endif

INLINE void half_round(scalar v[16], message_words m, const u8 s[8], int turn) {
  UNROLLED
  for (int g = 0; g < 4; g += GS_AT_A_TIME) {
    UNROLLED
    for (int half = 0; half < 2; half++) {
      EACH_G(g, GS_AT_A_TIME) A = in_order(plus_word(A, m, s[2 * i + half]));
      EACH_G(g, GS_AT_A_TIME) A = in_order(add(A, B));
      EACH_G(g, GS_AT_A_TIME) D = in_order(rotr(exor(D, A), half ? R3 : R1));
      EACH_G(g, GS_AT_A_TIME) C = in_order(add(C, D));
      EACH_G(g, GS_AT_A_TIME) B = in_order(rotr(exor(B, C), half ? R4 : R2));
    }
  }
}

// `s` is the schedule's row.
INLINE void round_of_scalars(scalar v[16], message_words m, const u8 s[16]) {
  half_round(v, m, s, 0);
  half_round(v, m, s + 8, 1);
}

INLINE void rounds_of_scalars(scalar v[16], message_words m, u32 rounds, const u8 schedule[][16], u32 rows) {
  EACH_ROUND
  for (u32 round = 0; round < rounds; round += ROUNDS_AT_A_TIME) {
    UNROLLED
    for (u32 i = 0; i < ROUNDS_AT_A_TIME; i++) round_of_scalars(v, m, schedule[round % rows + i]);
  }
}

#ifdef SIMD

// ---- over lanes, for BLAKE2 and BLAKE3: a block of each of several messages ----

#if ROUNDS_IN_LOOP
INLINE vector in_order_of_lanes(vector x) { return x; }
#else
INLINE vector in_order_of_lanes(vector x) { return opaque_in_order(x); }
#endif

// V8 12 and later run instructions in the module's order. So the additions to a are done for four Gs in turn, the other
// steps for two, which spills less in Firefox (bench/NOTES.md).
INLINE void half_g_of_lanes(vector v[16], const vector m[16], const u8 s[8], int half, int turn, int to_d, int to_b) {
  EACH_G(0, 4) A = in_order_of_lanes(A + m[s[2 * i + half]]);
  EACH_G(0, 4) A = in_order_of_lanes(B + A); // b is known last, so it is added last
  UNROLLED
  for (int g = 0; g < 4; g += 2) {
    EACH_G(g, 2) D = in_order_of_lanes(rotr_by(D ^ A, to_d, MASKS));
    EACH_G(g, 2) C = in_order_of_lanes(C + D);
    EACH_G(g, 2) B = in_order_of_lanes(rotr_by(B ^ C, to_b, MASKS));
  }
}

INLINE void round_of_lanes(vector v[16], const vector m[16], const u8 s[16]) {
  UNROLLED
  for (int turn = 0; turn < 2; turn++, s += 8) {
    half_g_of_lanes(v, m, s, 0, turn, R1, R2);
    half_g_of_lanes(v, m, s, 1, turn, R3, R4);
  }
}

// ---- over rows, for BLAKE and BLAKE3: one block, with its four columns or diagonals at once ----

INLINE void half_g_of_rows(row v[4], row words, int to_d, int to_b, masks masks) {
  v[0] = opaque_row(v[0] + words) + v[1]; // the sum does not wait for v[1]
  v[3] = rotr_row(v[3] ^ v[0], to_d, masks);
  v[2] += v[3];
  v[1] = rotr_row(v[1] ^ v[2], to_b, masks);
}

// Row b stays in place and the others rotate, so the words of the diagonals start with the last one.
INLINE void diagonalize(row v[4]) {
  v[0] = reorder(v[0], 3, 0, 1, 2), v[2] = reorder(v[2], 1, 2, 3, 0), v[3] = reorder(v[3], 2, 3, 0, 1);
}
INLINE void undiagonalize(row v[4]) {
  v[0] = reorder(v[0], 1, 2, 3, 0), v[2] = reorder(v[2], 3, 0, 1, 2), v[3] = reorder(v[3], 2, 3, 0, 1);
}

// The words are those of the first and of the second half of G, on the columns and then on the diagonals.
INLINE void round_of_rows(row v[4], row x, row y, row diagonal_x, row diagonal_y, masks masks) {
  half_g_of_rows(v, x, R1, R2, masks);
  half_g_of_rows(v, y, R3, R4, masks);
  diagonalize(v);
  half_g_of_rows(v, diagonal_x, R1, R2, masks);
  half_g_of_rows(v, diagonal_y, R3, R4, masks);
  undiagonalize(v);
}

#endif
