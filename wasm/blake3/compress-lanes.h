// The BLAKE3 compression function over lanes, which hash-many.h loads and stores: four blocks, of four messages, chunks,
// parents or outputs, or two such groups in turn.
#pragma once
#include "compress.h"
#include "../rounds.h"

// Fixes the order of a state's words before its first round: the code of all rounds is then the same, which gzips
// better.
INLINE void start_rounds(u32x4 v[16]) {
  UNROLLED
  for (int i = 0; i < 16; i++) {
    if (i >= 8 && i < 12) v[i] = splat(IV[i - 8]);
    v[i] = in_order_of_lanes(v[i]);
  }
}

// Four blocks, one in each lane. v[0..7] are the chaining values and v[12..15] the counters, lengths and flags.
// Afterwards v is the output, except that the chaining values are not XORed into its second half. The rounds are
// written out, so that the schedule's indices are constants and all words are locals.
INLINE void compress_lanes(u32x4 v[16], const u32x4 m[16]) {
  start_rounds(v);
  EACH_ROUND
  for (int round = 0; round < 7; round++) round_of_lanes(v, m, SCHEDULE[round]);
  UNROLLED
  for (int i = 0; i < 16; i++) v[i] = in_order_of_lanes(v[i]);
  for (int i = 0; i < 8; i++) v[i] ^= v[i + 8];
}

// Two Gs at a time, for two states whose half-rounds take turns.
INLINE void half_round_in_pairs(u32x4 v[16], const u32x4 m[16], const u8 s[8], int turn, masks masks) {
  UNROLLED
  for (int g = 0; g < 4; g += 2) {
    UNROLLED
    for (int half = 0; half < 2; half++) {
      EACH_G(g, 2) A = in_order_of_lanes(A + m[s[2 * i + half]]);
      EACH_G(g, 2) A = in_order_of_lanes(B + A);
      EACH_G(g, 2) D = in_order_of_lanes(rotr_by_sum(D ^ A, half ? R3 : R1, masks));
      EACH_G(g, 2) C = in_order_of_lanes(C + D);
      EACH_G(g, 2) B = in_order_of_lanes(rotr_by_sum(B ^ C, half ? R4 : R2, masks));
    }
  }
}

// Two groups of four blocks, half a round of each in turn: one alone leaves half of the vector units idle where a
// vector operation takes two cycles, as on ARM64 and Zen 5 (bench/NOTES.md).
INLINE void compress_eight(u32x4 v[2][16], const u32x4 m[2][16], masks masks) {
  start_rounds(v[0]), start_rounds(v[1]);
  EACH_ROUND
  for (int round = 0; round < 7; round++) {
    const u8 *columns = SCHEDULE[round], *diagonals = columns + 8;
    half_round_in_pairs(v[0], m[0], columns, 0, masks);
    half_round_in_pairs(v[1], m[1], columns, 0, masks);
    half_round_in_pairs(v[0], m[0], diagonals, 1, masks);
    half_round_in_pairs(v[1], m[1], diagonals, 1, masks);
  }
  UNROLLED
  for (int i = 0; i < 32; i++) v[i / 16][i % 16] = in_order_of_lanes(v[i / 16][i % 16]);
  for (int i = 0; i < 8; i++) v[0][i] ^= v[0][i + 8], v[1][i] ^= v[1][i + 8];
}
