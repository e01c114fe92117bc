// Half a round of BLAKE2 or BLAKE3 over lanes: four Gs side by side, on the columns (turn 0) or the diagonals (turn 1) of v.
// KEEP_ORDER fixes the order of their steps, because V8 12 and later run instructions in the module's order and need
// independent work while a step waits for its operands: the additions to a for all four Gs, the other steps for two at a time,
// which spills less in Firefox (bench/NOTES.md). The including file defines
//   VECTOR                   a word of each lane's chain
//   ROTATE_1 .. ROTATE_4     the rotations of G
//   ROTATE_2_BY_SUM, ROTATE_4_BY_SUM    if two groups of four are to be in flight
#pragma once

// The sixteen words of a round in the order of the schedule, as offsets in bytes in m.
#define OFFSETS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)                                       \
  {                                                                                                                         \
    16 * s0, 16 * s1, 16 * s2, 16 * s3, 16 * s4, 16 * s5, 16 * s6, 16 * s7, 16 * s8, 16 * s9, 16 * s10, 16 * s11, 16 * s12, \
        16 * s13, 16 * s14, 16 * s15                                                                                        \
  }

#define STEP(first, count, word, value)           \
  UNROLLED                                        \
  for (int i = first; i < first + (count); i++) { \
    word = value;                                 \
    KEEP_ORDER(word);                             \
  }

#define A v[i]
#define B v[4 + (i + turn) % 4]
#define C v[8 + (i + 2 * turn) % 4]
#define D v[12 + (i + 3 * turn) % 4]

INLINE VECTOR word_at(const VECTOR m[16], u8 offset) { return *(const VECTOR *)((const u8 *)m + offset); }

// `offsets` are those of this half-round's eight words. b is known last, so it is added last.
INLINE void half_round(VECTOR v[16], const VECTOR m[16], const u8 offsets[8], int turn) {
  STEP(0, 4, A, A + word_at(m, offsets[2 * i]))
  STEP(0, 4, A, B + A)
  UNROLLED
  for (int pair = 0; pair < 4; pair += 2) {
    STEP(pair, 2, D, ROTATE_1(D ^ A))
    STEP(pair, 2, C, C + D)
    STEP(pair, 2, B, ROTATE_2(B ^ C))
  }
  STEP(0, 4, A, A + word_at(m, offsets[2 * i + 1]))
  STEP(0, 4, A, B + A)
  UNROLLED
  for (int pair = 0; pair < 4; pair += 2) {
    STEP(pair, 2, D, ROTATE_3(D ^ A))
    STEP(pair, 2, C, C + D)
    STEP(pair, 2, B, ROTATE_4(B ^ C))
  }
}

#ifdef ROTATE_2_BY_SUM
// The same with two whole Gs at a time, for two states whose half-rounds take turns; the masks of the rotations are in locals,
// and a shift is added, not ORed, because V8 makes one instruction of that on ARM64.
INLINE void half_round_in_pairs(VECTOR v[16], const VECTOR m[16], const u8 offsets[8], int turn, v128_t by_16, v128_t by_8) {
  UNROLLED
  for (int pair = 0; pair < 4; pair += 2) {
    STEP(pair, 2, A, A + word_at(m, offsets[2 * i]))
    STEP(pair, 2, A, B + A)
    STEP(pair, 2, D, (VECTOR)swizzle(D ^ A, by_16))
    STEP(pair, 2, C, C + D)
    STEP(pair, 2, B, ROTATE_2_BY_SUM(B ^ C))
    STEP(pair, 2, A, A + word_at(m, offsets[2 * i + 1]))
    STEP(pair, 2, A, B + A)
    STEP(pair, 2, D, (VECTOR)swizzle(D ^ A, by_8))
    STEP(pair, 2, C, C + D)
    STEP(pair, 2, B, ROTATE_4_BY_SUM(B ^ C))
  }
}
#endif

#undef A
#undef B
#undef C
#undef D
