// The BLAKE3 compression function over lanes.
#pragma once
#include "rounds.h"

#define VECTOR u32x4
#define ROTATE_2_BY_SUM(x) rotr_by_sum(x, 12)
#define ROTATE_4_BY_SUM(x) rotr_by_sum(x, 7)
#include "../rounds/lane-half-round.h"

#define ROUND(...) OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[7][16] = {SEVEN_ROUNDS};

// The words of a state before its first round, in order: so that the code of all rounds is alike, which compresses.
INLINE void start_rounds(u32x4 v[16]) {
  UNROLLED
  for (int i = 0; i < 16; i++) {
    if (i >= 8 && i < 12) v[i] = splat_u32x4(IV[i - 8]);
    KEEP_ORDER(v[i]);
  }
}

// Four blocks, one in each lane. v[0..7] are the chaining values and v[12..15] the counters, lengths and flags. Afterwards v is
// the output, except that the chaining values are not XORed into its second half. The rounds are written out, so that the
// schedule's indices are constants and all words are locals.
INLINE void compress_lanes(u32x4 v[16], const u32x4 m[16]) {
  start_rounds(v);
  ROUND_BY_ROUND
  for (int round = 0; round < 7; round++) {
    half_round(v, m, SCHEDULE[round], 0);
    half_round(v, m, SCHEDULE[round] + 8, 1);
  }
  UNROLLED
  for (int i = 0; i < 16; i++) KEEP_ORDER(v[i]);
  for (int i = 0; i < 8; i++) v[i] ^= v[i + 8];
}

// Two groups of four blocks, half a round of each in turn: one alone leaves half of the vector units idle where a vector
// operation takes two cycles, as on ARM64 and Zen 5 (bench/NOTES.md).
INLINE void compress_eight(u32x4 v[2][16], const u32x4 m[2][16], v128_t by_16, v128_t by_8) {
  start_rounds(v[0]), start_rounds(v[1]);
  ROUND_BY_ROUND
  for (int round = 0; round < 7; round++) {
    const u8 *columns = SCHEDULE[round], *diagonals = columns + 8;
    half_round_in_pairs(v[0], m[0], columns, 0, by_16, by_8);
    half_round_in_pairs(v[1], m[1], columns, 0, by_16, by_8);
    half_round_in_pairs(v[0], m[0], diagonals, 1, by_16, by_8);
    half_round_in_pairs(v[1], m[1], diagonals, 1, by_16, by_8);
  }
  UNROLLED
  for (int i = 0; i < 32; i++) KEEP_ORDER(v[i / 16][i % 16]);
  for (int i = 0; i < 8; i++) v[0][i] ^= v[0][i + 8], v[1][i] ^= v[1][i + 8];
}
